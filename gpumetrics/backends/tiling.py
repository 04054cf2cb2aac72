"""How the pairs of rows are cut into tiles: rows sorted by cluster, runs of columns, panels of runs.

A *run* is at most `TILE` neighbouring rows in that order. It holds either whole clusters, so that one tile gives
a row's mean distance to each of them at once, or a piece of one larger cluster. A *panel* is a stretch of
runs; two panels and the tiles between them are in memory at a time. No table of rows by clusters ever exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.threads import n_threads, spans

if TYPE_CHECKING:
    from gpumetrics.types import Array

TILE = 768  # measured: at 512 the products of wide rows are 10 % slower, and beyond 768 nothing is gained
WORTH_A_TILE = 1e8  # bytes of rows, times rows, that take longer than the calls for a tile
TOGETHER = 8  # clusters that one product sums


@dataclass(frozen=True)
class Run:
    """Neighbouring rows `start` to `stop` of the sorted order, made of clusters `first` to `last` (exclusive)."""

    start: int
    stop: int
    first: int
    last: int
    bounds: Array
    """Where each of its clusters begins and the last ends, counted from `start`."""
    whole: bool
    """Whether its clusters lie in it completely; else it is a piece of one cluster."""

    @property
    def rows(self) -> slice:
        return slice(self.start, self.stop)

    @cached_property
    def sizes(self) -> Array:
        """Rows of each of its clusters, as a row of floats."""
        return np.diff(self.bounds).astype(np.float64)

    def groups(self, dtype: np.dtype[Any]) -> list[tuple[slice, slice, Array]]:
        """A few of its clusters at a time: which, their rows, and these rows by the clusters, 1 where they belong.

        Sums by cluster are products with these: one with zeros for all other clusters would take three times as long.
        """
        made = self._groups.get(dtype)
        if made is None:
            made = self._groups[dtype] = [self._group(part, dtype) for part in spans(self.last - self.first, TOGETHER)]
        return made

    @cached_property
    def _groups(self) -> dict[np.dtype[Any], list[tuple[slice, slice, Array]]]:
        return {}

    def _group(self, clusters: slice, dtype: np.dtype[Any]) -> tuple[slice, slice, Array]:
        bounds = self.bounds[clusters.start : clusters.stop + 1]
        cluster = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        return clusters, slice(*bounds[[0, -1]].tolist()), np.eye(len(bounds) - 1, dtype=dtype)[cluster]


@dataclass(frozen=True)
class Grouping:
    """Rows sorted by cluster.

    Attributes
    ----------
    order : ndarray of shape (n_samples,), int64
        Row numbers in sorted order.
    starts : ndarray of shape (n_clusters + 1,), int64
        Where each cluster begins in that order.
    """

    order: Array
    starts: Array

    @classmethod
    def of(cls, codes: Array, sizes: Array, key: Array | None = None, *, largest_first: bool = True) -> Grouping:
        """Sort by size of the cluster (if wanted), then by cluster, then by `key` if there is one, then by row."""
        rank = np.empty(len(sizes), dtype=np.int64)
        by_size = np.argsort(-sizes, kind="stable") if largest_first else np.arange(len(sizes))
        rank[by_size] = np.arange(len(sizes))
        narrow = np.int16 if len(sizes) < 2**15 else np.int32  # radix sort for 16 bits
        ranks = rank.astype(narrow)[codes]
        if key is None:
            order = np.argsort(ranks, kind="stable")
        else:
            by_key = np.argsort(key, kind="stable")
            order = by_key[np.argsort(ranks[by_key], kind="stable")]
        return cls(order, np.concatenate([[0], np.cumsum(sizes[by_size])]))

    @cached_property
    def sizes(self) -> Array:
        return np.diff(self.starts)

    @cached_property
    def cluster_of_row(self) -> Array:
        """The cluster (numbered in sorted order) of each row of the sorted order."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def runs(self, tile: int = TILE) -> list[Run]:
        """Cut the order into runs of at most `tile` rows that never hold a piece of one cluster beside another."""
        out: list[Run] = []
        cluster, n_clusters = 0, len(self.sizes)
        while cluster < n_clusters:
            start, size = int(self.starts[cluster]), int(self.sizes[cluster])
            if size > tile:
                out += self._pieces(cluster, tile)
                cluster += 1
                continue
            last = int(np.searchsorted(self.starts, start + tile, side="right")) - 1
            bounds = self.starts[cluster : last + 1] - start
            out.append(Run(start, int(self.starts[last]), cluster, last, bounds, whole=True))
            cluster = last
        return out

    def _pieces(self, cluster: int, tile: int) -> list[Run]:
        """Cut one large cluster into pieces of nearly equal size."""
        start, size = int(self.starts[cluster]), int(self.sizes[cluster])
        edges = np.linspace(0, size, -(-size // tile) + 1).astype(int)
        return [
            Run(start + int(a), start + int(b), cluster, cluster + 1, np.array([0, b - a]), whole=False)
            for a, b in pairwise(edges)
        ]


@dataclass(frozen=True)
class Panel:
    """A stretch of runs that is prepared and held at once."""

    runs: list[Run]

    @property
    def start(self) -> int:
        return self.runs[0].start

    @property
    def stop(self) -> int:
        return self.runs[-1].stop

    @property
    def rows(self) -> slice:
        return slice(self.start, self.stop)

    def __len__(self) -> int:
        return self.stop - self.start


def panels(runs: list[Run], max_rows: int) -> list[Panel]:
    """Group runs into panels of at most `max_rows` rows (at least one run each)."""
    out: list[Panel] = []
    begin = 0
    for at in range(1, len(runs) + 1):
        if at == len(runs) or runs[at].stop - runs[begin].start > max_rows:
            out.append(Panel(runs[begin:at]))
            begin = at
    return out


def tile_rows(bytes_per_row: int, working_memory: float) -> int:
    """Rows of a tile: `TILE`, or fewer if rows are so wide that two panels of one run each would not fit."""
    return max(16, min(TILE, int(working_memory * 2**20 / (4 * max(1, bytes_per_row)))))


def balanced_rows(tile: int, n_rows: int, bytes_per_row: int) -> int:
    """Rows of a tile where there are few in all: a part of them, so that each thread has some, but no mere sliver."""
    return min(tile, max(n_rows // (2 * n_threads()), int((WORTH_A_TILE / bytes_per_row) ** 0.5)))


def panel_rows(bytes_per_row: int, working_memory: float) -> int:
    """Rows of a panel so that two panels, their cells and the tiles in flight fit into `working_memory` MiB.

    A cell is one float64 for each (row, run): a panel pair of S rows each holds 2 S * S / TILE of them.
    """
    budget = working_memory * 2**20 * 0.75
    linear, square = 2.0 * bytes_per_row, 4 * 8.0 / TILE  # runs are at least half full
    rows = (-linear + np.sqrt(linear**2 + 4 * square * budget)) / (2 * square)
    return max(1, min(int(rows), 1 << 16))
