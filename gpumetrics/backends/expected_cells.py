"""The cells whose expectations add up to the expected mutual information: what both backends compute them from.

Under the hypergeometric law a cell with margins a and b has mean ``m = a b / n``, and its share of the mutual
information is ``m / n`` times the mean of `divergence` at ``k / m - 1``: no term is negative. The law depends on the
margins alone, so each distinct pair of them is summed once, around its mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.backends.threads import spans
from gpumetrics.statistics.integers import divide_product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.types import Array

__all__ = ["PAIRS", "Cells", "distinct_cells"]

LOG_OF_TAIL = 40.0  # the hypergeometric law is summed until the rest has probability below exp(-40)
PAIRS = 1 << 20  # pairs of margins handled at once
LARGE_MEAN = 1 << 24  # from here on four moments give the mean divergence to 1e-14: the next terms are of 1 / mean**2


class Cells(NamedTuple):
    """Cells of a table of n rows with margins a and b, which occur so many times; their means are ``whole + rest``."""

    n: int
    a: Array
    b: Array
    times: Array
    whole: Array
    rest: Array

    def at(self, index: Array) -> Cells:
        """Return some of the cells."""
        return Cells(self.n, *(part[index] for part in self[1:]))

    def __len__(self) -> int:
        return len(self.a)

    @property
    def mean(self) -> Array:
        out: Array = self.whole + self.rest
        return out

    @property
    def variance(self) -> Array:
        out: Array = self.mean * ((self.n - self.a) / self.n) * ((self.n - self.b) / max(self.n - 1, 1))
        return out

    @property
    def shares(self) -> Array:
        """Weight of the cells' mean values in the expectation."""
        out: Array = self.mean / self.n
        return out

    @property
    def large(self) -> Array:
        """Mark the cells whose mean value `of_large_means` gives; the law of the others has to be summed."""
        out: Array = self.mean >= LARGE_MEAN
        return out

    def of_large_means(self, *, log_counts: bool) -> Array:
        """Mean values from the moments of the law."""
        m, v = self.mean, self.variance
        third = v * (1 - 2 * (self.a / self.n)) * (1 - 2 * (self.b / self.n)) * (self.n / max(self.n - 2, 1))
        out: Array = (v / 2 - third / (6 * m) + (v / m) ** 2 / 4) / m**2 + (np.log(m) if log_counts else 0.0)
        return out

    def range(self) -> tuple[Array, Array, Array]:
        """Smallest and largest count that each cell can have, and the one from which its law is summed."""
        low, high = np.maximum(self.a - (self.n - self.b), 0), np.minimum(self.a, self.b)
        return low, high, np.clip(self.whole, low, high)

    def reach(self) -> Array:
        """How far from its mean each law has to be summed.

        A hypergeometric variable is a sum of independent indicators (Ehm, 1991), so Bennett's inequality bounds
        its tails. Newton's steps from Bernstein's weaker bound stay on the safe side, the exponent being convex.
        """
        v = np.maximum(self.variance, 1e-12)
        t = LOG_OF_TAIL / 3 + np.sqrt((LOG_OF_TAIL / 3) ** 2 + 2 * LOG_OF_TAIL * v)
        for _ in range(3):
            slope = np.log1p(t / v)
            t -= ((v + t) * slope - t - LOG_OF_TAIL) / slope
        reach: Array = np.ceil(t).astype(np.int64) + 2
        return reach


def distinct_cells(row_margins: Array, col_margins: Array, n_samples: int, pairs: int = PAIRS) -> Iterator[Cells]:
    """Yield the distinct cells of a table with these margins, about so many at a time.

    Parameters
    ----------
    row_margins, col_margins : ndarray of int64
        Non-negative; zeros do not count. Swapping the two changes nothing.
    n_samples : int
    pairs : int
    """
    a, a_times = np.unique(row_margins[row_margins > 0], return_counts=True)
    b, b_times = np.unique(col_margins[col_margins > 0], return_counts=True)
    # One order of the two sides, so that swapping them gives the same bits.
    if (a.tolist(), a_times.tolist()) > (b.tolist(), b_times.tolist()):
        a, a_times, b, b_times = b, b_times, a, a_times
    for block in spans(len(a), max(1, pairs // max(1, len(b)))):
        pair_a, pair_b = np.repeat(a[block], len(b)), np.tile(b, block.stop - block.start)
        times = np.multiply.outer(a_times[block], b_times).ravel()
        yield Cells(n_samples, pair_a, pair_b, times, *divide_product(pair_a, pair_b, n_samples))
