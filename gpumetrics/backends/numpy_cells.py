"""Sums of distances from each row to every cell of a partition, band by band of rows, on the CPU."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.numpy_pairs import sorted_queries, sorting_key, tiles_of
from gpumetrics.backends.numpy_reduce import LONG, query_means, tile_means
from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.backends.tiling import TILE, Grouping, Panel, panel_rows, panels, tile_rows
from gpumetrics.config import current
from gpumetrics.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.backends.numpy_tiles import Tiles
    from gpumetrics.backends.tiling import Run
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["cell_sums", "cross_sums", "means_merger"]

STRIP = 32  # cells of a tile that are written together: more, of lines that lie along the rows, leave the cache


def cell_sums(
    features: Features,
    codes: Array,
    sizes: Array,
    smallest: Array,
    metric: Metric,
    queries: Array | None = None,
) -> Iterator[tuple[Array, Array]]:
    """Sum the distances of each row to the rows of every cell.

    Parameters
    ----------
    features : Features
        Rows as the metric needs them (see `gpumetrics.distance_metrics.prepare`).
    codes : ndarray of shape (n_samples,), int64
        Cell of each row. Cells of neighbouring numbers are best near each other.
    sizes : ndarray of shape (n_cells,), int64
    smallest : ndarray of shape (n_samples,), int64
        Rows of the smallest cluster whose mean a row's distances enter: the fewer, the more exact each has to be.
    metric : Metric
    queries : ndarray of int64, optional
        Only these rows, each against all rows.

    Yields
    ------
    rows : ndarray of int64
        Numbers of rows, or positions among the queries.
    sums : ndarray of shape (len(rows), n_cells), float64
        Half of the working memory at most. It may be written to, and is valid until the next.
    """
    threads = 1 if metric.name == "callable" else None
    grouping = Grouping.of(codes, sizes, sorting_key(features, metric), largest_first=False)
    if queries is None and _band_rows(grouping) >= TILE:
        tiles = tiles_of(features, grouping.order, smallest, metric)
        for rows, sums in _all_rows(tiles, grouping, threads):
            yield grouping.order[rows], sums
        return
    # A band that is lower than a tile has nothing to mirror.
    order, at, places = sorted_queries(grouping, np.arange(len(codes)) if queries is None else queries)
    for rows, sums in _some_rows(tiles_of(features, order, smallest, metric), grouping, places, threads):
        yield at[rows], sums


def cross_sums(
    features: Features,
    codes: Array,
    sizes: Array,
    smallest: Array,
    metric: Metric,
    n_first: int,
    *,
    mirror: bool = True,
) -> tuple[Array, Array]:
    """Sum the distances between the first rows and the others: of each row to the cells of the other side.

    Parameters
    ----------
    features, codes, sizes, smallest, metric
        As in `cell_sums`; the cells of the first rows come before those of the others, and the metric is symmetric.
    n_first : int
        How many rows are the first ones; both sides have rows.
    mirror : bool
        Whether the others' sums are wanted.

    Returns
    -------
    first : ndarray of shape (n_first, cells of the others), float64
    others : ndarray of shape (the other rows, cells of the first), float64
        Without rows unless `mirror`.
    """
    threads = 1 if metric.name == "callable" else None
    grouping = Grouping.of(codes, sizes, sorting_key(features, metric), largest_first=False)
    tiles, order = tiles_of(features, grouping.order, smallest, metric), grouping.order
    memory = current().working_memory / 2
    height, most = tile_rows(tiles.row_bytes, memory), panel_rows(tiles.row_bytes, memory)
    cut = int(np.searchsorted(grouping.starts, n_first))
    # Each side counts its cells from 0.
    sides = [Grouping(order, part) for part in (grouping.starts[: cut + 1], grouping.starts[cut:])]
    first, others = (panels(side.runs(height), most) for side in sides)
    n_cells = [len(side.sizes) for side in sides]
    sums = _Sums(np.zeros((len(codes) if mirror else n_first, max(n_cells))), slice(0, len(codes)))
    for p in first:
        left = tiles.prepare(p.rows)
        for q in others:
            _add_tiles(tiles, sums, (p, left), (q, tiles.prepare(q.rows)), threads, mirror=mirror)
    out = np.empty((n_first, n_cells[1])), np.empty((len(sums.values) - n_first, n_cells[0]))
    out[0][order[:n_first]] = sums.values[:n_first, : n_cells[1]]
    if mirror:
        out[1][order[n_first:] - n_first] = sums.values[n_first:, : n_cells[0]]
    return out


def _band_rows(grouping: Grouping) -> int:
    """Rows whose sums over all cells take half of the working memory; 16 at least, as of a tile."""
    return max(16, int(current().working_memory * 2**19 / (8 * len(grouping.sizes))))


def _all_rows(tiles: Tiles, grouping: Grouping, threads: int | None) -> Iterator[tuple[slice, Array]]:
    """Each band against all rows; a tile between two rows of the band serves both of its sides."""
    memory = current().working_memory / 2
    runs, most = grouping.runs(tile_rows(tiles.row_bytes, memory)), panel_rows(tiles.row_bytes, memory)
    bands, first = panels(runs, _band_rows(grouping)), 0
    buffer = np.empty((max(map(len, bands)), len(grouping.sizes)))
    in_pieces = sorted({run.first for run in runs if not run.whole})  # the other cells' sums are written, not added to
    with progress(len(runs) ** 2, "tile", long_work=len(runs) ** 2 > 2 * LONG) as done:
        for band in bands:
            sums = _Sums(buffer, band.rows)
            sums.values[:, in_pieces] = 0
            mine = panels(band.runs, most)
            others = panels(runs[:first], most) + panels(runs[first + len(band.runs) :], most)
            first += len(band.runs)
            for at, p in enumerate(mine):
                left = tiles.prepare(p.rows)
                within = mine[at:] if tiles.symmetric else mine
                for to, q in enumerate(within + others):
                    right = left if q is p else tiles.prepare(q.rows)
                    mirror = tiles.symmetric and to < len(within)
                    _add_tiles(tiles, sums, (p, left), (q, right), threads, mirror=mirror)
                    done(len(p.runs) * len(q.runs) * (2 if mirror and q is not p else 1))
                    del right  # before the next is read
                del left
            yield band.rows, sums.values


class _Sums:
    """Sums of some rows over all cells, in memory that is used again."""

    def __init__(self, buffer: Array, rows: slice) -> None:
        self.start, self.values = rows.start, buffer[: rows.stop - rows.start]

    def of(self, rows: slice) -> Array:
        return self.values[rows.start - self.start : rows.stop - self.start]


def _add_tiles(
    tiles: Tiles,
    sums: _Sums,
    first: tuple[Panel, Any],
    second: tuple[Panel, Any],
    threads: int | None,
    *,
    mirror: bool,
) -> None:
    """Add the sums of the first panel's rows over the second's cells, and if `mirror` the other way round.

    No two tiles write the same sums: cells that come in pieces get these one after the other at the end, whatever
    the threads' timing.
    """
    (p, left), (q, right) = first, second
    pieces = np.zeros((len(q.runs), len(p)))
    mirrored_pieces = pieces if p is q else np.zeros((len(p.runs), len(q) if mirror else 0))

    def some(job: tuple[int, slice]) -> None:
        at, part = job
        i = p.runs[at]
        for to in range(max(part.start, at) if mirror and p is q else part.start, part.stop):
            j = q.runs[to]
            means, mirrored = tile_means(tiles, left, i, right, j, mirror=mirror and i is not j)
            _write(means, sums.of(i.rows), j, pieces[to, i.start - p.start : i.stop - p.start])
            if mirrored is not None:
                _write(mirrored.T, sums.of(j.rows), i, mirrored_pieces[at, j.start - q.start : j.stop - q.start])

    step = max(1, len(p.runs) * len(q.runs) // (8 * n_threads()))  # parts of a line of tiles, where lines are few
    thread_map(some, [(at, part) for at in range(len(p.runs)) for part in spans(len(q.runs), step)], threads=threads)
    _add_pieces(sums.of(p.rows), q.runs, pieces)
    if mirror and p is not q:
        _add_pieces(sums.of(q.rows), p.runs, mirrored_pieces)


def _write(means: Array, sums: Array, run: Run, piece: Array) -> None:
    """Write the sums over a run's cells from the means, or that over its piece of a cell to `piece`."""
    if run.whole:
        for part in spans(len(run.sizes), STRIP):
            np.multiply(means[:, part], run.sizes[part], out=sums[:, run.first + part.start : run.first + part.stop])
    else:
        np.multiply(means[:, 0], run.sizes, out=piece)


def _add_pieces(sums: Array, runs: list[Run], pieces: Array) -> None:
    for run, piece in zip(runs, pieces, strict=True):
        if not run.whole:
            sums[:, run.first] += piece


def _some_rows(tiles: Tiles, grouping: Grouping, places: Array, threads: int | None) -> Iterator[tuple[slice, Array]]:
    """Bands of query rows against all rows; the tiles have them after all rows."""
    n, memory = len(grouping.order), current().working_memory / 2
    tile = tile_rows(tiles.row_bytes, memory)
    most = max(tile, panel_rows(tiles.row_bytes, memory))
    column_panels = panels(grouping.runs(tile), most)
    height = min(_band_rows(grouping), most, max(1, len(places)))
    bands, buffer = spans(len(places), height), np.empty((height, len(grouping.sizes)))
    # A part for each thread, but no slivers.
    step = min(tile, max(64, -(-height // n_threads())))
    with progress(len(bands) * len(column_panels), "panel", long_work=len(places) * n > LONG * tile * tile) as done:
        for rows in bands:
            sums = _Sums(buffer, rows)
            sums.values[:] = 0
            left = tiles.prepare(slice(n + rows.start, n + rows.stop))
            parts = [slice(rows.start + part.start, rows.start + part.stop) for part in spans(len(sums.values), step)]
            for q in column_panels:
                add = partial(_add_columns, tiles, sums, left, q, tiles.prepare(q.rows), places, n)
                thread_map(add, parts, threads=threads)
                done(1)
                del add  # before the next panel is read
            del left
            yield rows, sums.values


def _add_columns(
    tiles: Tiles, sums: _Sums, left: Any, q: Panel, right: Any, places: Array, n: int, part: slice
) -> None:
    """Add the sums of some query rows over the cells of a panel."""
    for run in q.runs:
        means = query_means(tiles, left, slice(n + part.start, n + part.stop), right, run, places[part])
        sums.of(part)[:, run.first : run.last] += means * run.sizes


def means_merger(cells: Array, bounds: Array, sizes: Array, n_cells: int) -> Callable[[Array], Array]:
    """Make a function that turns sums over cells into means over clusters, which are made of cells.

    Parameters
    ----------
    cells : ndarray of int64
        The cells of one cluster after the other.
    bounds : ndarray of shape (n_clusters + 1,), int64
        Where each cluster's begin among them.
    sizes : ndarray of shape (n_clusters,), int64
    n_cells : int

    Returns
    -------
    function
        From what `cell_sums` yields, or some of its rows, to (n_clusters, n_rows) float64: a line for each cluster,
        since lines are compared faster than columns.
    """
    from scipy.sparse import csr_array

    shares = csr_array((np.repeat(1 / sizes, np.diff(bounds)), cells, bounds), shape=(len(sizes), n_cells))
    return lambda sums: shares @ np.ascontiguousarray(sums.T)
