"""Expected mutual information on a GPU."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import cupy as cp
import numpy as np

from gpumetrics.backends.cupy_kernels import launch_threads
from gpumetrics.backends.cupy_memory import available_bytes, with_smaller_blocks
from gpumetrics.backends.expected_cells import PAIRS, Cells, distinct_cells

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["expected_mutual_information"]

PAIR_BYTES = 9 * 8  # what the kernel reads and writes for a pair of margins, and their weight


def expected_mutual_information(
    row_margins: Array, col_margins: Array, n_samples: int, *, log_counts: bool = False
) -> float:
    """Mean mutual information, in nats, of all tables with these margins; waits for the device once, at the end.

    Parameters
    ----------
    row_margins, col_margins : ndarray of int64
        Non-negative; zeros do not count.
    n_samples : int
    log_counts : bool
        Give the mean of ``sum(c log c) / n`` over the cells' counts c instead.

    Returns
    -------
    float
    """
    work = partial(_expectation, row_margins, col_margins, n_samples, log_counts)
    return with_smaller_blocks(work, max(1, min(PAIRS, available_bytes() // PAIR_BYTES)), "pairs of margins")


def _expectation(row_margins: Array, col_margins: Array, n_samples: int, log_counts: bool, pairs: int) -> float:  # noqa: FBT001
    total, sums = 0.0, []
    for cells in distinct_cells(row_margins, col_margins, n_samples, pairs):
        large = cells.large
        few, others = cells.at(large), cells.at(~large)
        total += float(np.sum(few.times * few.shares * few.of_large_means(log_counts=log_counts)))
        if len(others):
            values = _mean_values(others, log_counts=log_counts)
            values *= cp.asarray(others.times * others.shares)
            sums.append(values.sum())
    return total + float(cp.stack(sums).sum()) if sums else total


def _mean_values(cells: Cells, *, log_counts: bool) -> Array:
    """Mean values under the laws, on the device."""
    start, n_pairs = cells.range()[2], len(cells)
    parts = (cells.a, cells.b, start, cells.whole.astype(np.float64), cells.rest, cells.reach())
    out: Array = cp.empty(n_pairs)
    arguments = (*map(cp.asarray, parts), n_pairs, cells.n, np.int32(log_counts), out)
    launch_threads("expected_cells", n_pairs, *arguments)
    return out
