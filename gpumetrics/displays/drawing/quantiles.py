"""Quantiles of the values of many groups, from one sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["GroupQuantiles", "group_quantiles"]

MOST = 101  # values kept of a group: its percentiles


@dataclass(frozen=True)
class GroupQuantiles:
    """Values of groups, ascending: all of a small group, evenly spaced quantiles of a larger one.

    Attributes
    ----------
    values : ndarray of float64
        Group by group.
    start : ndarray of shape (n_groups + 1,), int64
        Where each group begins, and where the last one ends.
    counts : ndarray of shape (n_groups,), int64
        Values that each group had.
    """

    values: Array
    start: Array
    counts: Array

    def of(self, group: int) -> Array:
        """Return the values of one group; empty if it had none."""
        out: Array = self.values[self.start[group] : self.start[group + 1]]
        return out

    def complete(self, group: int) -> bool:
        """Whether they are all values of the group, not quantiles."""
        return bool(self.counts[group] <= self.start[group + 1] - self.start[group])


def group_quantiles(values: Array, codes: Array, n_groups: int, most: int = MOST) -> GroupQuantiles:
    """Sort the values of each group, and thin those of large groups to quantiles.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Finite numbers.
    codes : ndarray of shape (n_values,)
        Group of each value, 0..n_groups-1.
    n_groups : int
    most : int, default=101
        A group with more values is given by its quantiles 0, 1 / (most - 1), ..., 1, as `numpy.quantile` has them.

    Returns
    -------
    GroupQuantiles

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics.displays.drawing.quantiles import group_quantiles
    >>> found = group_quantiles(np.array([4.0, 1.0, 3.0, 2.0, 9.0]), np.array([0, 0, 0, 0, 1]), 2, most=3)
    >>> found.of(0).tolist(), found.of(1).tolist()
    ([1.0, 2.5, 4.0], [9.0])
    """
    counts = np.bincount(codes, minlength=n_groups)
    kept = np.minimum(counts, most)
    start = np.concatenate([[0], np.cumsum(kept)])
    if not len(values):
        return GroupQuantiles(np.empty(0), start, counts)
    ordered = _sorted_in_groups(values, codes, counts)
    group = np.repeat(np.arange(n_groups), kept)
    step = (counts - 1) / np.maximum(kept - 1, 1)  # 1 where all values are kept
    within = (np.arange(len(group)) - start[group]) * step[group]
    first = np.cumsum(counts) - counts
    low = first[group] + np.floor(within).astype(np.int64)
    high = np.minimum(low + 1, first[group] + counts[group] - 1)
    part = within - np.floor(within)
    return GroupQuantiles(ordered[low] + part * (ordered[high] - ordered[low]), start, counts)


def _sorted_in_groups(values: Array, codes: Array, counts: Array) -> Array:
    """Return the values sorted by group, then value: several times as fast as one sort by both."""
    narrow = codes.astype(np.min_scalar_type(len(counts)))  # of up to 16 bits: a radix sort
    out: Array = np.asarray(values, dtype=np.float64)[np.argsort(narrow, kind="stable")]
    for group in np.split(out, np.cumsum(counts)[:-1]):
        group.sort()
    return out
