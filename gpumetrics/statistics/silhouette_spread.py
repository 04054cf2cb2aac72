"""Silhouettes by cluster as a statistic that merges: sums, values below zero, and counts on a grid for medians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.types import Array

__all__ = ["CELLS", "SilhouetteSpread", "cells_within"]

CELLS, FEWEST_CELLS = 4096, 64  # of the range -1 to 1: a median is within half a cell, 1 / n_cells, of the exact one
CELL_BYTES = 32  # of a cell that has values, while several statistics are merged


def cells_within(n_bytes: float, n_rows: int, n_clusters: int) -> int:
    """Return how many cells the range -1 to 1 has for statistics of so many bytes; fewer only where clusters are many.

    Examples
    --------
    >>> from gpumetrics.statistics.silhouette_spread import cells_within
    >>> [cells_within(2**26, 10**9, n_clusters) for n_clusters in (100, 5_000, 10**6)]
    [4096, 419, 64]
    """
    most = n_bytes / CELL_BYTES
    return CELLS if min(n_rows, n_clusters * CELLS) <= most else max(FEWEST_CELLS, int(most / n_clusters))


@dataclass(frozen=True)
class SilhouetteSpread:
    """What a table of clusters says of the silhouettes of some rows.

    Merging in any order gives the same counts exactly. A cluster takes a cell only where it has values, so that the
    size follows the rows or n_clusters x n_cells, whichever is less.

    Attributes
    ----------
    total : ndarray of shape (n_clusters,), float64
        Sums of the silhouettes.
    size, negative : ndarray of shape (n_clusters,), int64
        Rows, and rows whose silhouette is below 0.
    cells : ndarray of int64
        cluster * n_cells + cell of those that have rows, ascending.
    counts : ndarray of int64
        Rows of each.
    n_cells : int
        Cells of the range -1 to 1.
    """

    total: Array
    size: Array
    negative: Array
    cells: Array
    counts: Array
    n_cells: int = CELLS

    @classmethod
    def of(cls, values: Array, codes: Array, n_clusters: int, n_cells: int = CELLS) -> Self:
        """Summarise silhouettes from -1 to 1 of rows, whose clusters are `codes`; both on the host."""
        at = np.clip(((values + 1) * (n_cells / 2)).astype(np.int64), 0, n_cells - 1)
        cells, counts = np.unique(codes * n_cells + at, return_counts=True)
        return cls(
            np.bincount(codes, weights=values, minlength=n_clusters),
            np.bincount(codes, minlength=n_clusters),
            np.bincount(codes[values < 0], minlength=n_clusters),
            cells,
            counts,
            n_cells,
        )

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """Merge statistics over the same clusters, on the same grid."""
        cells, place = np.unique(np.concatenate([part.cells for part in parts]), return_inverse=True)
        counts = np.zeros(len(cells), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([part.counts for part in parts]))
        return cls(
            np.sum([part.total for part in parts], axis=0),
            np.sum([part.size for part in parts], axis=0),
            np.sum([part.negative for part in parts], axis=0),
            cells,
            counts,
            parts[0].n_cells,
        )

    def by_cluster(self) -> dict[str, Array]:
        """Return `silhouette_mean`, `silhouette_median` (approximate) and `share_negative`, (n_clusters,) each.

        Every cluster has rows.
        """
        last = np.cumsum(self.size)  # number of the last row of each cluster, in the order of the cells
        first = last - self.size
        low, high = first + (self.size - 1) // 2, first + self.size // 2
        return {
            "silhouette_mean": self.total / self.size,
            "silhouette_median": (self._value(low) + self._value(high)) / 2,
            "share_negative": self.negative / self.size,
        }

    def _value(self, row: Array) -> Array:
        """Return about the silhouettes of rows numbered in the order of the cells: the middles of their cells."""
        cell = self.cells[np.searchsorted(np.cumsum(self.counts), row, side="right")] % self.n_cells
        middle: Array = (cell + 0.5) * (2 / self.n_cells) - 1
        return middle
