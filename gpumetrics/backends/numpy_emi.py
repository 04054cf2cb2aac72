"""Expected mutual information for NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.statistics.divergence import divergence

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["expected_mutual_information"]

LARGEST_SQUARED = 3_037_000_499  # the largest integer whose square fits int64
LOG_OF_TAIL = 40.0  # the hypergeometric law is summed until the rest has probability below exp(-40)
CELLS = 1 << 16  # cells of the law handled at once
PAIRS = 1 << 20  # pairs of margins handled at once
LARGE_MEAN = 1 << 24  # from here on four moments give the mean divergence to 1e-14: the next terms are of 1 / mean**2


def expected_mutual_information(
    row_margins: Array, col_margins: Array, n_samples: int, *, log_counts: bool = False
) -> float:
    """Mean mutual information, in nats, of all tables with these margins.

    Under the hypergeometric law a cell with margins a and b has mean ``m = a b / n``, and its share of the
    mutual information is ``m / n`` times the mean of `divergence` at ``k / m - 1``: no term is negative.
    The law depends on the margins alone, so each distinct pair of them is summed once, around its mean.

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
    a, a_times = np.unique(row_margins[row_margins > 0], return_counts=True)
    b, b_times = np.unique(col_margins[col_margins > 0], return_counts=True)
    # One order of the two sides, so that swapping them gives the same bits.
    if (a.tolist(), a_times.tolist()) > (b.tolist(), b_times.tolist()):
        a, a_times, b, b_times = b, b_times, a, a_times
    total = 0.0
    for block in spans(len(a), max(1, PAIRS // max(1, len(b)))):
        pair_a, pair_b = np.repeat(a[block], len(b)), np.tile(b, block.stop - block.start)
        times = np.multiply.outer(a_times[block], b_times).ravel()
        total += float(np.sum(times * _expected_cells(pair_a, pair_b, n_samples, log_counts=log_counts)))
    return total


def _expected_cells(a: Array, b: Array, n: int, *, log_counts: bool) -> Array:
    """Share of the expectation of a cell with margins a and b, for arrays of pairs."""
    whole, rest = _divide_product(a, b, n)
    mean = whole + rest
    variance = mean * ((n - a) / n) * ((n - b) / max(n - 1, 1))
    value = np.empty(len(a))
    large = mean >= LARGE_MEAN
    if large.any():
        m, v = mean[large], variance[large]
        third = v * (1 - 2 * (a[large] / n)) * (1 - 2 * (b[large] / n)) * (n / (n - 2))
        value[large] = (v / 2 - third / (6 * m) + (v / m) ** 2 / 4) / m**2 + (np.log(m) if log_counts else 0.0)
    small = np.flatnonzero(~large)
    law = _Law(a[small], b[small], n, whole[small], rest[small], log_counts)
    value[small] = law.mean_value(_reach(variance[small]))
    return mean / n * value


class _Law(NamedTuple):
    """Hypergeometric laws of cells with margins a and b, whose means are ``whole + rest``."""

    a: Array
    b: Array
    n: int
    whole: Array
    rest: Array
    log_counts: bool

    def mean_value(self, reach: Array) -> Array:
        """Sum the values, weighted by the law, as far as `reach` on both sides of its mean."""
        low, high = np.maximum(self.a - (self.n - self.b), 0), np.minimum(self.a, self.b)
        start = np.clip(self.whole, low, high)
        mass, total = np.ones(len(start)), self.values(start.astype(np.float64), self.whole, self.rest)
        sides = {1: high - start, -1: start - low}
        chunks = [
            (pairs, direction * steps)
            for direction, room in sides.items()
            for pairs, steps in _even_chunks(np.minimum(reach, room))
        ]
        tails = thread_map(lambda chunk: self.tail(start, *chunk), chunks)
        for (pairs, _), (tail_mass, tail_total) in zip(chunks, tails, strict=True):
            mass[pairs] += tail_mass
            total[pairs] += tail_total
        return total / mass

    def values(self, k: Array, whole: Array, rest: Array) -> Array:
        """Divergence of the counts k from their mean, or ``k log k`` over the mean."""
        if self.log_counts:
            ratio: Array = k * np.log(np.maximum(k, 1.0)) / (whole + rest)
            return ratio
        distance = ((k - whole) - rest) / (whole + rest)
        return divergence(np.maximum(distance, -1.0, out=distance))

    def tail(self, start: Array, pairs: Array, steps: int) -> tuple[Array, Array]:
        """Sum the law on one side of its start, relative to its value there: its mass, and its values.

        The ratio of neighbouring probabilities is rational in k and reaches 0 at the end of the range, so
        that steps beyond it add nothing; logarithms of factorials, whose digits cancel, are not needed.
        """
        parts = (self.a, self.b, start, self.whole, self.rest)
        a, b, k, whole, rest = (x[pairs].astype(np.float64)[:, None] for x in parts)
        free = self.n - a - b
        if steps > 0:
            k = k + np.arange(steps)  # probability of k + 1 over that of k
            ratio = (a - k) * (b - k) / ((k + 1.0) * (free + k + 1.0))
            k += 1.0
        else:
            k = k - np.arange(-steps)  # probability of k - 1 over that of k
            ratio = k * (free + k) / ((a - k + 1.0) * (b - k + 1.0))
            k -= 1.0
        value = self.values(k, whole, rest)
        with np.errstate(under="ignore"):  # far tails are as good as 0
            weight = np.cumprod(ratio, axis=1)
            return weight.sum(axis=1), np.einsum("ij,ij->i", weight, value)


def _divide_product(a: Array, b: Array, n: int) -> tuple[Array, Array]:
    """Quotient ``a b // n`` (int64) and the fraction that is left, exact also where a b overflows int64."""
    if n <= LARGEST_SQUARED:
        whole, rest = np.divmod(a * b, n)
        return whole, rest / n
    product = a.astype(object) * b.astype(object)
    whole = product // n
    return whole.astype(np.int64), ((product - whole * n) / n).astype(np.float64)


def _reach(variance: Array) -> Array:
    """How far from the mean the law has to be summed.

    A hypergeometric variable is a sum of independent indicators (Ehm, 1991), so Bennett's inequality bounds
    its tails. Newton's steps from Bernstein's weaker bound stay on the safe side, the exponent being convex.
    """
    v = np.maximum(variance, 1e-12)
    t = LOG_OF_TAIL / 3 + np.sqrt((LOG_OF_TAIL / 3) ** 2 + 2 * LOG_OF_TAIL * v)
    for _ in range(3):
        slope = np.log1p(t / v)
        t -= ((v + t) * slope - t - LOG_OF_TAIL) / slope
    return np.ceil(t).astype(np.int64) + 2


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
