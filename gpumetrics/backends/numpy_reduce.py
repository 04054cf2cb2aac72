"""From tiles of distances to two numbers for each row: the sum to its own cluster, the mean to the nearest other."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.backends.tiling import Panel, Run, balanced_rows, panel_rows, panels, tile_rows
from gpumetrics.config import current
from gpumetrics.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.backends.numpy_tiles import Tiles
    from gpumetrics.backends.tiling import Grouping
    from gpumetrics.types import Array

CHUNK = 64  # float32 numbers that are added in float32; longer sums go on in float64
LONGEST = 2 * CHUNK  # rows of a cluster that a product with a 0/1 matrix may add
LONG = 5_000  # tiles from which work is long enough for a progress bar: a few seconds
ONE_BY_ONE = 12  # clusters in a run up to which each is summed by a call of its own; more calls hinder other threads
DOUBTFUL_ROWS = 64  # query rows that are computed again together
NARROW = 8  # mean rows of a run's clusters below which one call for all beats a product with ones for each


def distance_sums(tiles: Tiles, grouping: Grouping, *, threads: int | None = None) -> tuple[Array, Array]:
    """Sum of distances to the own cluster and mean distance to the nearest other cluster, for each row.

    Parameters
    ----------
    tiles : Tiles
        The distances, over the rows in the grouping's order.
    grouping : Grouping
        The clusters; at least two.
    threads : int, optional
        1 where the distances cannot be computed in several threads.

    Returns
    -------
    own, nearest : ndarray of shape (n_samples,), float64
        In the order of the user's rows.
    """
    memory = current().working_memory
    rows_of_a_tile = balanced_rows(tile_rows(tiles.row_bytes, memory), len(grouping.order), tiles.row_bytes)
    runs = grouping.runs(rows_of_a_tile)
    all_panels = panels(runs, panel_rows(tiles.row_bytes, memory))
    state = _State(grouping, grouping.cluster_of_row)
    pairs = [(p, q) for p in range(len(all_panels)) for q in range(p if tiles.symmetric else 0, len(all_panels))]
    n_tiles = sum(_n_tiles(all_panels[p], all_panels[q], mirrored=tiles.symmetric and p == q) for p, q in pairs)
    prepared: dict[int, Any] = {}
    with progress(n_tiles, "tile", long_work=n_tiles > LONG) as done:
        for p, q in pairs:
            for old in [k for k in prepared if k not in (p, q)]:
                del prepared[old]
            for new in (p, q):
                if new not in prepared:
                    prepared[new] = tiles.prepare(all_panels[new].rows)
            _panel_pair(tiles, state, (all_panels[p], prepared[p]), (all_panels[q], prepared[q]), threads, done)
    own, nearest = np.empty_like(state.own), np.empty_like(state.nearest)
    own[grouping.order], nearest[grouping.order] = state.own, state.nearest
    return own, nearest


def query_sums(tiles: Tiles, grouping: Grouping, queries: Array, *, threads: int | None = None) -> tuple[Array, Array]:
    """As `distance_sums`, for some rows against all rows.

    Parameters
    ----------
    tiles : Tiles
        The distances, over the rows in the grouping's order followed by the query rows.
    grouping : Grouping
        The clusters of all rows.
    queries : ndarray of shape (n_queries,), int64
        The places of the query rows in the grouping's order, ascending.

    Returns
    -------
    own, nearest : ndarray of shape (n_queries,), float64
    """
    n = len(grouping.order)
    state = _State(grouping, grouping.cluster_of_row[queries])
    memory = current().working_memory
    tile = tile_rows(tiles.row_bytes, memory)
    rows_per_panel = max(tile, panel_rows(tiles.row_bytes, memory))
    column_panels = panels(grouping.runs(tile), rows_per_panel)
    work = [(rows, q) for rows in spans(len(queries), rows_per_panel) for q in column_panels]
    n_tiles = sum(-(-(rows.stop - rows.start) // tile) * len(q.runs) for rows, q in work)
    with progress(n_tiles, "tile", long_work=n_tiles > LONG) as done:
        for rows, q in work:
            left, right = tiles.prepare(slice(n + rows.start, n + rows.stop)), tiles.prepare(q.rows)
            cells = np.empty((len(q.runs), rows.stop - rows.start))
            parts = [slice(rows.start + p.start, rows.start + p.stop) for p in spans(rows.stop - rows.start, tile)]
            jobs = [(q.runs, cells[:, p.start - rows.start : p.stop - rows.start], p, left, right) for p in parts]
            thread_map(
                lambda job: _query_tiles(tiles, state, queries, *job),
                jobs,
                threads=threads,
                done=lambda job: done(len(job[0])),
            )
            state.fold(rows, q.runs, cells)
    return state.own, state.nearest


def _query_tiles(
    tiles: Tiles, state: _State, queries: Array, runs: list[Run], cells: Array, mine: slice, left: Any, right: Any
) -> None:
    """Tiles between some query rows and each run; `cells` (len(runs), n_rows) takes what is known of them."""
    n = len(state.grouping.order)
    places, rows = queries[mine], slice(n + mine.start, n + mine.stop)
    for cell, run in zip(cells, runs, strict=True):
        means = query_means(tiles, left, rows, right, run, places)
        cell[:] = _cell(means, run, state.clusters[mine], state.own[mine])


def query_means(tiles: Tiles, left: Any, rows: slice, right: Any, run: Run, places: Array) -> Array:
    """Mean distances between query rows and the clusters of a run, (n_rows, n_clusters) in float64.

    `rows` are the query rows among the tiles' rows, `places` (ascending) those among the grouping's.
    """
    means = _query_means(tiles.tile(left, rows, right, run.rows), run, places)
    if tiles.doubtful(left, rows, right, run, means):
        # Few of the rows lie so near a cluster, their own mostly: only those and their neighbours are computed again.
        for part in spans(len(places), DOUBTFUL_ROWS):
            some = slice(rows.start + part.start, rows.start + part.stop)
            if tiles.doubtful(left, some, right, run, means[part]):
                means[part] = _query_means(tiles.again(some, run.rows), run, places[part])
    return means


def _query_means(tile: Array, run: Run, places: Array) -> Array:
    a, b = np.searchsorted(places, (run.start, run.stop))
    tile[np.arange(a, b), places[a:b] - run.start] = 0  # a row's distance to itself
    return _means_over_columns(tile, run)


class _State:
    """What is known of each row so far; the rows are sorted by cluster.

    A row meets the runs in their order, so that at any time at most one cluster is open for it: one that came in
    pieces and is not complete.
    """

    def __init__(self, grouping: Grouping, clusters: Array) -> None:
        self.grouping, self.clusters = grouping, clusters
        self.own = np.zeros(len(clusters))
        self.nearest = np.full(len(clusters), np.inf)
        self.open = np.zeros(len(clusters))

    def fold(self, rows: slice, runs: list[Run], cells: Array) -> None:
        """Take in the cells (len(runs), n_rows) of some rows, run by run."""
        nearest, opened = self.nearest[rows], self.open[rows]
        for run, cell in zip(runs, cells, strict=True):
            if run.whole:
                np.minimum(nearest, cell, out=nearest)
                continue
            opened += cell * (run.stop - run.start)
            if run.stop == self.grouping.starts[run.last]:  # the last piece: the cluster is complete
                mine = slice(*np.searchsorted(self.clusters[rows], (run.first, run.last)))
                self.own[rows][mine] = opened[mine]
                opened /= self.grouping.sizes[run.first]
                opened[mine] = np.inf
                np.minimum(nearest, opened, out=nearest)
                opened[:] = 0


def _n_tiles(p: Panel, q: Panel, *, mirrored: bool) -> int:
    return len(p.runs) * (len(p.runs) + 1) // 2 if mirrored else len(p.runs) * len(q.runs)


def _panel_pair(
    tiles: Tiles,
    state: _State,
    first: tuple[Panel, Any],
    second: tuple[Panel, Any],
    threads: int | None,
    done: Callable[[int], Any],
) -> None:
    """All tiles between two panels; each cell (run, row) is written by one tile only, so threads cannot clash."""
    (p, left), (q, right) = first, second
    mirrored = tiles.symmetric and p is q
    row_cells = np.empty((len(q.runs), len(p)))
    column_cells = row_cells if mirrored else np.empty((len(p.runs), len(q)))

    def one_row(at: int) -> None:
        i = p.runs[at]
        for to in range(at if mirrored else 0, len(q.runs)):
            j = q.runs[to]
            means, mirror = tile_means(tiles, left, i, right, j, mirror=tiles.symmetric and i is not j)
            mine = slice(i.start - p.start, i.stop - p.start)
            row_cells[to, mine] = _cell(means, j, state.clusters[i.rows], state.own[i.rows])
            if mirror is not None:
                column_cells[at, j.start - q.start : j.stop - q.start] = mirror.min(axis=0)

    per_row = [len(q.runs) - (at if mirrored else 0) for at in range(len(p.runs))]
    thread_map(one_row, range(len(p.runs)), threads=threads, done=lambda at: done(per_row[at]))
    state.fold(p.rows, q.runs, row_cells)
    if tiles.symmetric and p is not q:
        state.fold(q.rows, p.runs, column_cells)


def tile_means(tiles: Tiles, left: Any, i: Run, right: Any, j: Run, *, mirror: bool) -> tuple[Array, Array | None]:
    """Mean distances between the rows of run `i` and the clusters of `j`, and if `mirror` the other way round.

    Returns
    -------
    means : ndarray of shape (rows of i, clusters of j), float64
    mirrored : ndarray of shape (clusters of i, rows of j), float64, or None
    """
    tile = tiles.tile(left, i.rows, right, j.rows)
    means = _means_over_columns(tile, j)
    mirrored = _means_over_rows(tile, i) if mirror else None
    if tiles.doubtful(left, i.rows, right, j, means) or (
        mirrored is not None and tiles.doubtful(right, j.rows, left, i, mirrored.T)
    ):
        tile = tiles.again(i.rows, j.rows)
        means = _means_over_columns(tile, j)
        mirrored = _means_over_rows(tile, i) if mirror else None
    return means, mirrored


def _cell(means: Array, run: Run, clusters: Array, own: Array) -> Array:
    """What a cell holds for each row: the mean over a piece, or the smallest mean over whole clusters.

    The rows' own clusters (`clusters`, ascending) are left out of the smallest mean; their sums go to `own`.
    """
    if run.whole:
        a, b = np.searchsorted(clusters, (run.first, run.last))
        if b > a:
            at = np.arange(a, b), clusters[a:b] - run.first
            own[a:b] = means[at] * run.sizes[at[1]]
            means[at] = np.inf
    return means.min(axis=1)  # type: ignore[no-any-return]


def _means_over_columns(tile: Array, run: Run) -> Array:
    """Mean over each cluster's columns, (n_rows, n_clusters) in float64."""
    sums = _sums_of_columns(tile, run)
    sums /= run.sizes
    return sums


def _means_over_rows(tile: Array, run: Run) -> Array:
    """Mean over each cluster's rows, (n_clusters, n_columns) in float64."""
    sums = _sums_of_rows(tile, run)
    sums /= run.sizes[:, None]
    return sums


def _sums_of_columns(tile: Array, run: Run) -> Array:
    """Sums over each cluster's columns, (n_rows, n_clusters) in float64."""
    n_rows, n_clusters = run.stop - run.start, run.last - run.first
    if n_rows == n_clusters:
        return tile.astype(np.float64)
    if n_rows < NARROW * n_clusters:
        return np.add.reduceat(tile, run.bounds[:-1], axis=1).astype(np.float64, copy=False)
    if n_clusters > ONE_BY_ONE and run.sizes.max() <= LONGEST:
        sums = np.empty((len(tile), n_clusters), tile.dtype)
        with np.errstate(invalid="ignore"):  # infinity times 0 is nan
            for clusters, columns, indicator in run.groups(tile.dtype):
                np.matmul(tile[:, columns], indicator, out=sums[:, clusters])
        if not np.isfinite(sums).all():
            sums = np.add.reduceat(tile, run.bounds[:-1], axis=1)
        return sums.astype(np.float64, copy=False)
    out = np.empty((len(tile), n_clusters))
    ones = np.ones(tile.shape[1], tile.dtype)
    for s, (a, b) in enumerate(pairwise(run.bounds.tolist())):
        out[:, s] = tile[:, a:b] @ ones[a:b]
    return out


def _sums_of_rows(tile: Array, run: Run) -> Array:
    """Sums over each cluster's rows, (n_clusters, n_columns) in float64."""
    n_rows, n_clusters = run.stop - run.start, run.last - run.first
    if n_rows == n_clusters:
        return tile.astype(np.float64)
    if n_rows < NARROW * n_clusters:
        return np.add.reduceat(tile, run.bounds[:-1], axis=0).astype(np.float64, copy=False)
    if n_clusters > ONE_BY_ONE and run.sizes.max() <= LONGEST:
        sums = np.empty((n_clusters, tile.shape[1]), tile.dtype)
        with np.errstate(invalid="ignore"):
            for clusters, rows, indicator in run.groups(tile.dtype):
                np.matmul(indicator.T, tile[rows], out=sums[clusters])
        if not np.isfinite(sums).all():
            sums = np.add.reduceat(tile, run.bounds[:-1], axis=0)
        return sums.astype(np.float64, copy=False)
    out = np.zeros((n_clusters, tile.shape[1]))
    ones = np.ones(CHUNK, tile.dtype)
    for s, (a, b) in enumerate(pairwise(run.bounds.tolist())):
        # Row after row in float32 would lose digits: short stretches, then float64.
        for c in range(a, b, CHUNK):
            stretch = tile[c : min(c + CHUNK, b)]
            out[s] += ones[: len(stretch)] @ stretch
    return out
