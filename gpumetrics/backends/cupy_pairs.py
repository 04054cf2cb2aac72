"""Sums over all pairs of rows on a GPU: tiles of rows sorted by cluster, each computed once for both of its sides.

Rows meet the runs of columns in one order, so that what is known of a row is three numbers at any time: the sum to
its own cluster, the smallest mean so far, and the sum to the one cluster that may be open between two of its pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cupy as cp
import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.cupy_kernels import launch_columns, launch_threads
from gpumetrics.backends.cupy_memory import available_bytes, with_smaller_blocks
from gpumetrics.backends.cupy_metrics import tiles_of
from gpumetrics.backends.cupy_rows import on_device, resident
from gpumetrics.backends.cupy_tiles import C_NAMES
from gpumetrics.backends.threads import spans
from gpumetrics.backends.tiling import Grouping
from gpumetrics.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.backends.cupy_tiles import Tiles
    from gpumetrics.backends.tiling import Run
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array, Index

__all__ = ["pairwise_means", "tile_rows"]

CHUNK = 256  # rows of a tile that one thread adds up for a column
MOST_ROWS = 8192  # of a tile: beyond it a product is no faster
FEWEST_ROWS = 2048  # of a tile up to which small data are cut finer, since tiles on the diagonal are half waste
FEWEST_TILES = 16  # tiles along a side that are aimed at
LONG = 2_000  # tiles from which work is long enough for a progress bar


def pairwise_means(
    features: Features, codes: Array, sizes: Array, metric: Metric, queries: Array | None = None
) -> tuple[Array, Array]:
    """Mean distances of each row, from all pairs: to the other members of its cluster, and to the nearest other.

    The host only launches work, and does not wait for it; streamed rows are the exception.

    Parameters
    ----------
    features : Features
        Rows as the metric needs them (see `gpumetrics.distance_metrics.prepare`), on the device or the host.
    codes : cupy.ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64
    metric : Metric
    queries : cupy.ndarray of int64, optional
        Only these rows, each against all rows.

    Returns
    -------
    own, nearest : cupy.ndarray of float64
        One value for each row or query; own is 0 in a cluster of one.

    Raises
    ------
    MemoryError
        If even the smallest tiles do not fit into the device's memory.
    """
    grouping, cluster_of_row = _sorted(codes, sizes)
    if metric.name != "precomputed":  # its tiles take rows and columns of the whole matrix
        features = resident(features, available_bytes() // 4)
    tiles = tiles_of(metric, features)
    most = tile_rows(tiles.bytes_per_row(), tiles.bytes_per_entry(), len(codes))

    def work(rows: int) -> tuple[Array, Array]:
        tiles.reserve(rows)
        sums = _Sums(tiles, grouping, cluster_of_row, rows)
        return _all_rows(sums) if queries is None else _some_rows(sums, queries)

    own, nearest = with_smaller_blocks(work, most, f"tiles of distances between rows of {features.n_features} features")
    mine = codes if queries is None else codes[queries]
    return own / cp.asarray(np.maximum(sizes - 1, 1).astype(np.float64))[mine], nearest


def tile_rows(bytes_per_row: int, bytes_per_entry: int, n_samples: int, *, share: float = 1.0) -> int:
    """Rows of a tile: two blocks, the tile and the partial sums of its columns fit into that share of the memory."""
    square, memory = bytes_per_entry + 3 * 8 / CHUNK, share * available_bytes()
    rows = (-bytes_per_row + np.sqrt(bytes_per_row**2 + 4.0 * square * memory)) / (2 * square)
    wanted = min(MOST_ROWS, max(FEWEST_ROWS, n_samples // FEWEST_TILES))
    return max(32, min(int(rows) // 32 * 32, wanted))


def _sorted(codes: Array, sizes: Array) -> tuple[Grouping, Array]:
    """Sort the rows by cluster, larger clusters first; also return the cluster of each row in that order."""
    by_size = np.argsort(-sizes, kind="stable")
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[by_size] = np.arange(len(sizes))
    ranks = cp.asarray(rank)[codes]
    order = cp.argsort(ranks, kind="stable")
    return Grouping(order, np.concatenate([[0], np.cumsum(sizes[by_size])])), ranks[order]


@dataclass(frozen=True)
class _Known:
    """What is known so far of some rows, which all have a place in the sorted order."""

    cluster: Array
    place: Array
    own: Array
    nearest: Array
    open: Array

    @classmethod
    def nothing(cls, cluster: Array, place: Array) -> _Known:
        n = len(place)
        return cls(cluster, place, cp.zeros(n), cp.full(n, np.inf), cp.zeros(n))

    def part(self, rows: slice) -> _Known:
        return _Known(*(getattr(self, name)[rows] for name in ("cluster", "place", "own", "nearest", "open")))


class _Sums:
    """The tiles of a call, and how their sums reach what is known of rows."""

    def __init__(self, tiles: Tiles, grouping: Grouping, cluster_of_row: Array, rows: int) -> None:
        self.tiles, self.cluster_of_row = tiles, cluster_of_row
        self.runs = grouping.runs(rows)
        self.starts = cp.asarray(grouping.starts)
        self.host_starts = grouping.starts
        self.rows_per_tile = rows
        # Blocks of a table on the host are gathered there.
        self.order = grouping.order if on_device(tiles.features) else as_host(grouping.order)
        self.device_order = grouping.order
        self.partial = cp.empty(3 * rows * -(-rows // CHUNK)) if tiles.symmetric else None

    def parts(self, runs: Sequence[Run]) -> list[Index]:
        return [self.order[run.rows] for run in runs]

    def along_rows(self, left: Any, known: _Known, right: Any, run: Run) -> Array:
        """Fill the tile of a left block and a run of columns, and take its sums into what is known of the left."""
        columns = (known.place, run.start, self.cluster_of_row[run.rows], self.starts, known.cluster)
        reduction = (*columns, self._piece(run), known.own, known.nearest, known.open)
        return self.tiles.sum_rows(left, right, "row_sums", reduction)

    def along_columns(self, tile: Array, run: Run, known: _Known) -> None:
        """Take the sums of a tile over the clusters of its rows, which are `run`, into what is known of its columns."""
        m, w = tile.shape
        n_chunks = -(-m // CHUNK)
        clusters, piece = self.cluster_of_row[run.rows], self._piece(run)
        name = f"column_sums<{C_NAMES[self.tiles.dtype]}>"
        launch_columns(name, w, n_chunks, tile, m, w, clusters, self.starts, piece, self.partial, CHUNK, run.start)
        rows = (self.partial, n_chunks, w, m, CHUNK, run.start, clusters, self.starts, piece)
        launch_threads("fold_columns", w, *rows, known.cluster, known.own, known.nearest, known.open)

    def _piece(self, run: Run) -> Any:
        """0 for whole clusters, 1 for a piece of one, 2 for its last piece."""
        last = run.stop == self.host_starts[run.last]
        return np.int32(0 if run.whole else 2 if last else 1)


def _all_rows(sums: _Sums) -> tuple[Array, Array]:
    n, runs, tiles = len(sums.order), sums.runs, sums.tiles
    known = _Known.nothing(sums.cluster_of_row, cp.arange(n))
    n_tiles = len(runs) * (len(runs) + 1) // 2 if tiles.symmetric else len(runs) ** 2
    with progress(n_tiles, "tile", long_work=n_tiles > LONG) as done:
        # The block on the diagonal comes first, and stays as the left one.
        others = [runs[at:] if tiles.symmetric else [run, *runs] for at, run in enumerate(runs)]
        blocks = tiles.blocks(sums.parts([to for row in others for to in row]))
        for run, row in zip(runs, others, strict=True):
            left: Any = None
            for to in row:
                right = next(blocks)
                if left is None:
                    left = right
                    if not tiles.symmetric:
                        continue
                tiles.turn_to(right)
                tile = sums.along_rows(left, known.part(run.rows), right, to)
                if tiles.symmetric and to is not run:
                    sums.along_columns(tile, run, known.part(to.rows))
                done(1)
    return _in_rows_order(sums, known)


def _in_rows_order(sums: _Sums, known: _Known) -> tuple[Array, Array]:
    own, nearest = cp.empty_like(known.own), cp.empty_like(known.nearest)
    own[sums.device_order], nearest[sums.device_order] = known.own, known.nearest
    return own, nearest


def _some_rows(sums: _Sums, queries: Array) -> tuple[Array, Array]:
    place = cp.empty(len(sums.order), dtype=np.int64)
    place[sums.device_order] = cp.arange(len(place))
    places = place[queries]
    known = _Known.nothing(sums.cluster_of_row[places], places)
    asked = queries if on_device(sums.tiles.features) else as_host(queries)
    blocks = spans(len(asked), sums.rows_per_tile)
    n_tiles = len(blocks) * len(sums.runs)
    with progress(n_tiles, "tile", long_work=n_tiles > LONG) as done:
        for rows in blocks:
            (left,) = sums.tiles.blocks([asked[rows]])
            for run, right in zip(sums.runs, sums.tiles.blocks(sums.parts(sums.runs)), strict=True):
                sums.tiles.turn_to(right)
                sums.along_rows(left, known.part(rows), right, run)
                done(1)
    return known.own, known.nearest
