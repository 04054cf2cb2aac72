"""Expected mutual information for NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.expected_cells import Cells, distinct_cells
from gpumetrics.backends.threads import thread_map
from gpumetrics.statistics.divergence import divergence

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["expected_mutual_information"]

CELLS = 1 << 16  # cells of the law handled at once


def expected_mutual_information(
    row_margins: Array, col_margins: Array, n_samples: int, *, log_counts: bool = False
) -> float:
    """Mean mutual information, in nats, of all tables with these margins.

    Parameters
    ----------
    row_margins, col_margins : ndarray of int64
        Non-negative; zeros do not count.
    n_samples : int
    log_counts : bool
        Give the mean of ``sum(c log c) / n`` over the cells' counts c instead. It differs from the mutual
        information by what the margins alone decide, and keeps its digits where nearly every count is 1.

    Returns
    -------
    float
    """
    total = 0.0
    for cells in distinct_cells(row_margins, col_margins, n_samples):
        value, large = np.empty(len(cells)), cells.large
        value[large] = cells.at(large).of_large_means(log_counts=log_counts)
        value[~large] = _mean_values(cells.at(~large), log_counts=log_counts)
        total += float(np.sum(cells.times * (cells.shares * value)))
    return total


def _mean_values(cells: Cells, *, log_counts: bool) -> Array:
    """Sum the values, weighted by the law, as far as it has to be on both sides of its mean."""
    low, high, start = cells.range()
    reach = cells.reach()
    mass = np.ones(len(cells))
    total = _values(start.astype(np.float64), cells.whole, cells.rest, log_counts=log_counts)
    sides = {1: high - start, -1: start - low}
    chunks = [
        (pairs, direction * steps)
        for direction, room in sides.items()
        for pairs, steps in _even_chunks(np.minimum(reach, room))
    ]
    few = sum(len(pairs) * abs(steps) for pairs, steps in chunks) < CELLS  # done before a thread has started
    tails = thread_map(
        lambda chunk: _tail(cells, start, *chunk, log_counts=log_counts), chunks, threads=1 if few else None
    )
    for (pairs, _), (tail_mass, tail_total) in zip(chunks, tails, strict=True):
        mass[pairs] += tail_mass
        total[pairs] += tail_total
    return total / mass


def _values(k: Array, whole: Array, rest: Array, *, log_counts: bool) -> Array:
    """Divergence of the counts k from their mean, or ``k log k`` over the mean."""
    if log_counts:
        ratio: Array = k * np.log(np.maximum(k, 1.0)) / (whole + rest)
        return ratio
    distance = ((k - whole) - rest) / (whole + rest)
    return divergence(np.maximum(distance, -1.0, out=distance))


def _tail(cells: Cells, start: Array, pairs: Array, steps: int, *, log_counts: bool) -> tuple[Array, Array]:
    """Sum the law on one side of its start, relative to its value there: its mass, and its values.

    The ratio of neighbouring probabilities is rational in k and reaches 0 at the end of the range, so
    that steps beyond it add nothing; logarithms of factorials, whose digits cancel, are not needed.
    """
    parts = (cells.a, cells.b, start, cells.whole, cells.rest)
    a, b, k, whole, rest = (x[pairs].astype(np.float64)[:, None] for x in parts)
    free = cells.n - a - b
    if steps > 0:
        k = k + np.arange(steps)  # probability of k + 1 over that of k
        ratio = (a - k) * (b - k) / ((k + 1.0) * (free + k + 1.0))
        k += 1.0
    else:
        k = k - np.arange(-steps)  # probability of k - 1 over that of k
        ratio = k * (free + k) / ((a - k + 1.0) * (b - k + 1.0))
        k -= 1.0
    value = _values(k, whole, rest, log_counts=log_counts)
    with np.errstate(under="ignore"):  # far tails are as good as 0
        weight = np.cumprod(ratio, axis=1)
        return weight.sum(axis=1), np.einsum("ij,ij->i", weight, value)


def _even_chunks(width: Array) -> list[tuple[Array, int]]:
    """Cut the pairs, by increasing width, into chunks of about `CELLS` cells; with the width of each chunk."""
    order = np.argsort(width, kind="stable")
    widths = width[order]
    chunks, at = [], int(np.searchsorted(widths, 1))
    while at < len(order):
        # The widest pair decides the size of the chunk, which therefore ends where the width has doubled.
        stop = min(at + max(1, CELLS // int(widths[at])), int(np.searchsorted(widths, 2 * widths[at], side="right")))
        chunks.append((order[at:stop], int(widths[stop - 1])))
        at = stop
    return chunks
