"""Sums of distances from each row to every cell of a partition, band by band of rows, on a GPU.

The tiles are those of `cupy_pairs`, of rows sorted by cell. Between two rows of a band a tile is computed once and
serves both of its sides. Rows of a band and all others meet in tiles for the band alone, whose distances never leave
the kernel that sums them.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import cupy as cp
import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.cupy_kernels import launch_columns, launch_threads
from gpumetrics.backends.cupy_memory import available_bytes, with_smaller_blocks
from gpumetrics.backends.cupy_metrics import tiles_of
from gpumetrics.backends.cupy_pairs import LONG, tile_rows
from gpumetrics.backends.cupy_rows import on_device, resident
from gpumetrics.backends.cupy_tiles import C_NAMES
from gpumetrics.backends.threads import spans
from gpumetrics.backends.tiling import Grouping
from gpumetrics.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gpumetrics.backends.cupy_tiles import Tiles
    from gpumetrics.backends.tiling import Run
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["cell_sums", "cross_sums", "means_merger"]

CHUNK = 256  # rows of a tile that one thread adds up for a column
# Shares of the memory; a table that is small enough is put on the device. The rest is for those who use the sums.
FOR_SUMS, FOR_TILES, FOR_TABLE = 1 / 2, 3 / 16, 1 / 8


def cell_sums(
    features: Features,
    codes: Array,
    sizes: Array,
    smallest: Array,  # noqa: ARG001  (every distance is exact enough for a cluster of one)
    metric: Metric,
    queries: Array | None = None,
) -> Iterator[tuple[Array, Array]]:
    """Sum the distances of each row to the rows of every cell.

    The host only launches work, and does not wait for it; streamed rows are the exception.

    Parameters
    ----------
    features : Features
        Rows as the metric needs them (see `gpumetrics.distance_metrics.prepare`), on the device or the host.
    codes : cupy.ndarray of shape (n_samples,), int64
        Cell of each row. Cells of neighbouring numbers are best near each other.
    sizes : ndarray of shape (n_cells,), int64
        No cell is empty.
    smallest : cupy.ndarray of shape (n_samples,), int64
        Of no use here.
    metric : Metric
    queries : cupy.ndarray of int64, optional
        Only these rows, each against all rows.

    Yields
    ------
    rows : cupy.ndarray of int64
        Numbers of rows, or positions among the queries.
    sums : cupy.ndarray of shape (len(rows), n_cells), float64
        In the unit of the tiles, which is the same for all; the values of a cell are neighbours. Half of the memory
        at most. It may be written to, and is valid until the next.

    Raises
    ------
    MemoryError
        If even the smallest tiles do not fit into the device's memory.
    """
    order = cp.argsort(codes, kind="stable")
    if metric.name != "precomputed":  # its tiles take rows and columns of the whole matrix
        features = resident(features, int(FOR_TABLE * available_bytes()))
    grouping = Grouping(order, np.concatenate([[0], np.cumsum(sizes)]))
    bands = _Bands(tiles_of(metric, features), grouping, codes[order], queries)
    numbers = order if queries is None else cp.arange(len(queries))
    what = f"tiles of distances between rows of {features.n_features} features and sums over {len(sizes)} cells"
    start, n_tiles = 0, bands.count_tiles()
    with progress(n_tiles, "tile", long_work=n_tiles > LONG) as done:
        while start < len(numbers):
            band = with_smaller_blocks(partial(bands.band, start, done), bands.tile_rows, what)
            yield numbers[start : band.stop], band.sums.T
            start = band.stop


def cross_sums(
    features: Features,
    codes: Array,
    sizes: Array,
    smallest: Array,  # noqa: ARG001
    metric: Metric,
    n_first: int,
    *,
    mirror: bool = True,
) -> tuple[Array, Array]:
    """Sum the distances between the first rows and the others; see `numpy_cells.cross_sums`.

    Arrays are CuPy's, but for the sizes. The sums of all rows are on the device at once, over the cells of both sides.

    Raises
    ------
    MemoryError
        If they, or the smallest tiles, do not fit into the device's memory.
    """
    order = cp.argsort(codes, kind="stable")
    features = resident(features, int(FOR_TABLE * available_bytes()))
    grouping = Grouping(order, np.concatenate([[0], np.cumsum(sizes)]))
    sides = _Sides(tiles_of(metric, features), grouping, codes[order], n_first, mirror=mirror)
    what = f"tiles of distances between rows of {features.n_features} features and sums over {len(sizes)} cells"
    sums = with_smaller_blocks(partial(sides.band, 0, lambda _: None), sides.tile_rows, what).sums.T
    cut = sides.first_cells
    out = cp.empty((n_first, len(sizes) - cut)), cp.empty((len(sums) - n_first, cut))
    out[0][order[:n_first]] = sums[:n_first, cut:]
    if mirror:
        out[1][order[n_first:] - n_first] = sums[n_first:, :cut]
    return out


def means_merger(
    cells: Array,
    bounds: Array,
    sizes: Array,
    n_cells: int,  # noqa: ARG001
) -> Callable[[Array], Array]:
    """Make a function that turns sums over cells into means over clusters; see `numpy_cells.means_merger`.

    Arrays are CuPy's, but for the sizes. The function copies some rows first, but not all of what `cell_sums` yields
    at a time; it does not wait for the device.
    """
    n_clusters, per_line = len(sizes), cp.asarray(sizes.astype(np.float64))[:, None]

    def merge(sums: Array) -> Array:
        values, n_rows = cp.ascontiguousarray(sums.T), len(sums)
        out: Array = cp.empty((n_clusters, n_rows))
        launch_threads("chunk_sums", n_clusters * n_rows, values, cells, bounds, n_clusters, n_rows, out)
        out /= per_line
        return out

    return merge


def band_rows(n_cells: int) -> int:
    """Rows whose sums to all cells fit into their share of the memory."""
    return int(FOR_SUMS * available_bytes()) // (8 * n_cells)


@dataclass(frozen=True)
class _Block:
    """Rows of a band, and the runs of columns that they meet."""

    rows: slice
    """Among the rows that are asked for."""
    runs: Sequence[Run]
    own: Run | None = None
    """The run that the rows are, if tiles between them and later rows of the band serve both sides."""


@dataclass(frozen=True)
class _Band:
    """Sums of some rows, from `start` on among those that are asked for."""

    start: int
    sums: Array  # (n_cells, n_rows)

    @property
    def stop(self) -> int:
        return int(self.start + self.sums.shape[1])

    def sums_from(self, row: int) -> tuple[Array, int]:
        """Return what kernels are given: where the row's sums begin, and how far those of two cells are apart."""
        return self.sums.reshape(-1)[row - self.start :], self.sums.shape[1]


class _Bands:
    """Bands of rows one after the other, and what they share; a band that failed can be begun again."""

    def __init__(self, tiles: Tiles, grouping: Grouping, cell_of_row: Array, queries: Array | None) -> None:
        order = grouping.order
        self.tiles, self.grouping, self.cell_of_row = tiles, grouping, cell_of_row
        self.starts, self.n_cells = cp.asarray(grouping.starts), len(grouping.starts) - 1
        self.mirrors = tiles.symmetric and queries is None
        asked, self.places = order, cp.arange(len(order))
        if queries is not None:
            place = cp.empty(len(order), dtype=np.int64)
            place[order] = self.places
            asked, self.places = queries, place[queries]
        # Blocks of a table on the host are gathered there.
        here = on_device(tiles.features)
        self.order, self.asked = (order, asked) if here else (as_host(order), as_host(asked))
        # Rows of a tile and of a band; memory that runs out makes them smaller, in proportion.
        self.tile_rows = tile_rows(tiles.bytes_per_row(), tiles.bytes_per_entry(), len(order), share=FOR_TILES)
        self.planned = self.tile_rows, band_rows(self.n_cells)
        self.band_rows = self._band_rows(self.tile_rows)
        self.reserved = 0
        self.buffers: tuple[Any, ...] = ()

    def count_tiles(self) -> int:
        """About how many tiles there will be."""
        n_runs = len(self.grouping.runs(self.tile_rows))
        return n_runs * (n_runs if self.mirrors else -(-len(self.asked) // min(self.tile_rows, self.band_rows)))

    def band(self, start: int, done: Callable[[int], Any], rows: int) -> _Band:
        """Compute the band that begins with row `start` of those asked for, by tiles of so many rows."""
        if rows != self.reserved:
            self._reserve(rows)
        blocks = self._blocks(start)
        width = blocks[-1].rows.stop - start
        sums = self.buffers[0][: self.n_cells * width].reshape(self.n_cells, width)
        sums.fill(0)
        band = _Band(start, sums)
        for block in blocks:
            others = [self.order[run.rows] for run in block.runs if run is not block.own]
            read = self.tiles.blocks([self.asked[block.rows], *others])
            left = next(read)
            for run in block.runs:
                done(self._tile(band, block, left, run, left if run is block.own else next(read)))
        return band

    def _band_rows(self, rows: int) -> int:
        of_tile, of_band = self.planned
        return max(1, min(of_band * rows // of_tile, len(self.asked)))

    def _reserve(self, rows: int) -> None:
        # What a try that failed had taken goes back first.
        self.reserved, self.buffers = 0, ()
        self.tiles.reserve(rows)
        self.tile_rows, self.band_rows = rows, self._band_rows(rows)
        cut = 2 * rows * -(-rows // CHUNK) if self.mirrors else 0
        self.buffers = cp.empty(self.n_cells * self.band_rows), cp.empty(cut)
        self.runs = self.grouping.runs(rows)
        self.run_starts = [run.start for run in self.runs]
        self.reserved = rows

    def _blocks(self, start: int) -> list[_Block]:
        """Return the blocks of the band that begins with row `start`: whole runs if that helps."""
        runs, stop = self.runs, min(start + self.band_rows, len(self.asked))
        if not self.mirrors or self.band_rows < self.tile_rows:
            return [_Block(slice(start + p.start, start + p.stop), runs) for p in spans(stop - start, self.tile_rows)]
        first = bisect_left(self.run_starts, start)
        following = self.run_starts[first] if first < len(runs) else len(self.asked)
        if following > start:  # the bands before had other runs
            return [_Block(slice(start, following), runs)]
        last = first
        while last < len(runs) and runs[last].stop <= stop:
            last += 1
        return [_Block(runs[p].rows, [runs[p], *runs[:first], *runs[p + 1 :]], runs[p]) for p in range(first, last)]

    def _tile(self, band: _Band, block: _Block, left: Any, run: Run, right: Any) -> int:
        """Write the sums of the tile of a block and a run: of its rows, and of its columns if they are in the band.

        Returns
        -------
        int
            How many sides the tile served.
        """
        both = block.own is not None and block.rows.stop <= run.start < band.stop
        columns = (self.places[block.rows], run.start, self.cell_of_row[run.rows], self.starts, np.int32(not run.whole))
        reduction = (*columns, np.int32(both), *band.sums_from(block.rows.start))
        self.tiles.turn_to(right)
        tile = self.tiles.sum_rows(left, right, "cell_sums", reduction)
        if block.own is not None and both:
            self._along_columns(tile, block.own, *band.sums_from(run.start))
        return 2 if both else 1

    def _along_columns(self, tile: Array, own: Run, *to: Any) -> None:
        """Write the sums of a tile's columns over the cells of its rows, which are the run `own`."""
        m, w = tile.shape
        n_chunks, cut = -(-m // CHUNK), self.buffers[1]
        cells = self.cell_of_row[own.rows], self.starts, np.int32(not own.whole)
        name = f"column_cell_sums<{C_NAMES[self.tiles.dtype]}>"
        launch_columns(name, w, n_chunks, tile, m, w, *cells, cut, CHUNK, own.start, *to)
        launch_threads("fold_cell_sums", w, cut, n_chunks, w, m, CHUNK, own.start, *cells, *to)


class _Sides(_Bands):
    """One band of the rows of two sides, whose tiles lie between the sides only."""

    def __init__(self, tiles: Tiles, grouping: Grouping, cell_of_row: Array, n_first: int, *, mirror: bool) -> None:
        self.n_first, self.mirror = n_first, mirror
        self.first_cells = int(np.searchsorted(grouping.starts, n_first))
        super().__init__(tiles, grouping, cell_of_row, None)

    def _band_rows(self, rows: int) -> int:  # noqa: ARG002  (all of them, whatever the tiles)
        return len(self.asked) if self.mirror else self.n_first

    def _blocks(self, start: int) -> list[_Block]:
        starts, cut, rows = self.grouping.starts, self.first_cells, self.tile_rows
        first, others = (Grouping(self.order, part).runs(rows) for part in (starts[: cut + 1], starts[cut:]))
        if not self.mirror:
            return [_Block(part, others) for part in spans(self.n_first, rows)]
        # The rows of the other side meet none themselves: their sums come from the first side's tiles.
        return [
            *(_Block(run.rows, others, run) for run in first),
            _Block(slice(self.n_first, start + len(self.asked)), []),
        ]
