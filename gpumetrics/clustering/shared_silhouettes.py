"""Silhouettes of many labelings: sums of distances over shared cells become those over each labeling's clusters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.clustering.sharing import plan
from gpumetrics.clustering.silhouette import silhouette_from, silhouettes_of
from gpumetrics.config import current
from gpumetrics.distance_metrics import prepare
from gpumetrics.statistics.mean_distances import MeanDistances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.clustering.labelings import Labeling, Labelings
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.statistics.meet import Meet
    from gpumetrics.types import Array

__all__ = ["silhouettes_of_each"]

MOST_CLUSTERS = 1 << 10  # of several labelings, whose means one product gives
BLOCK = 1 << 18  # sums of a block of rows: it stays in a core's cache
FEWEST_ROWS = 16  # of a block, however many the cells are: each block costs some calls for each labeling
DEVICE_BLOCK = 1 << 13  # the same on a GPU, for each MiB of the working memory: a sixteenth of it


def silhouettes_of_each(
    data: Labelings, metric: Metric, *, queries: Array | None = None
) -> Iterator[tuple[int, Any, Array]]:
    """Yield (number of the labeling, rows, their silhouettes); a labeling may come in several parts.

    Noise has no part, and neither has a labeling without a silhouette.

    Parameters
    ----------
    data : Labelings
    metric : Metric
    queries : ndarray of int64, optional
        Only these rows, each against all rows; `rows` are then positions among them.
    """
    for group in plan(data, metric, None if queries is None else len(queries)):
        if group.meet is None:
            yield from _one_pass(data, group.numbers[0], metric, queries)
        else:
            yield from _together(data, group.numbers, group.meet, metric, queries)


def _one_pass(data: Labelings, at: int, metric: Metric, queries: Array | None) -> Iterator[tuple[int, Any, Array]]:
    clustered = data.one(at)
    if queries is None:
        yield at, slice(None) if clustered.kept is None else clustered.kept, silhouettes_of(clustered, metric)
        return
    asked, rows = _asked(data.each[at].codes, clustered.kept, queries)
    if len(rows):
        yield at, asked, silhouettes_of(clustered, metric, queries=rows)


def _asked(codes: Array, kept: Array | None, queries: Array) -> tuple[Array, Array]:
    """Positions of the queries whose code is none of noise, and their numbers among the rows that are kept."""
    xp = array_module(codes)
    queries = xp.asarray(queries)
    asked = xp.flatnonzero(codes[queries] >= 0)
    return asked, queries[asked] if kept is None else xp.searchsorted(kept, queries[asked])


def _together(
    data: Labelings, numbers: list[int], meet: Meet, metric: Metric, queries: Array | None
) -> Iterator[tuple[int, Any, Array]]:
    labelings = [data.each[at] for at in numbers]
    meet, members = _in_order(meet, labelings)
    cells = meet.codes - (1 if meet.noise else 0)  # -1 for rows that are noise in all of them: those are left out
    meet, kept = meet.without_noise()
    names, asked = (kept, None) if queries is None else _asked(cells, kept, queries)
    if asked is not None and not len(asked):
        return
    metric, features = prepare(metric, data.features if kept is None else data.features.only(kept))
    ops, xp = operations_on(cells), array_module(cells)
    smallest = xp.asarray(_smallest_clusters(labelings, members))[meet.codes]
    merges = _merges(labelings, members, cells)
    work = partial(_silhouettes, merges=merges)
    block = BLOCK if xp is np else int(current().working_memory * DEVICE_BLOCK)
    step = max(FEWEST_ROWS, block // max(meet.n_cells, *(merge.n_clusters for merge in merges)))
    for found, sums in ops.cell_sums(features, meet.codes, meet.sizes, smallest, metric, asked):
        called = found if names is None else names[found]
        of = meet.codes[found if asked is None else asked[found]]
        parts = [(called[part], of[part], sums[part]) for part in spans(len(called), step)]
        for some in spans(len(parts), 4 * n_threads()):  # the silhouettes of all would be n_samples x n_labelings
            for silhouettes in thread_map(work, parts[some]) if xp is np else map(work, parts[some]):
                for at, which, s in silhouettes:
                    yield numbers[at], which, s


def _in_order(meet: Meet, labelings: list[Labeling]) -> tuple[Meet, Array]:
    """Put the cells of one cluster side by side, by the finest labeling first: neighbours are near each other.

    Returns
    -------
    meet : Meet
    members : ndarray of shape (n_labelings, n_cells), int32
        The cluster of each cell in each labeling, -1 for noise; without the cell of the rows that are noise in all.
    """
    members = np.empty((len(labelings), meet.n_cells), dtype=np.int32)
    for line, labeling in zip(members, labelings, strict=True):
        line[:] = meet.members(labeling.codes)
    order = np.lexsort(members)
    for line in members:
        line[:] = line[order]
    return meet.renumbered(order), members[:, 1:] if meet.noise else members


def _silhouettes(part: tuple[Array, Array, Array], merges: list[_Merge]) -> list[tuple[int, Array, Array]]:
    """Silhouettes of some rows in each labeling, from (what to call the rows, their cells, their sums over cells)."""
    names, cells, sums = part
    sums = array_module(sums).asfortranarray(sums)  # as every merge needs them
    return [(at, names[kept], s) for merge in merges for at, kept, s in merge.silhouettes(sums, cells)]


def _smallest_clusters(labelings: list[Labeling], members: Array) -> Array:
    """Rows of the smallest cluster of any labeling to which each cell belongs."""
    out = np.full(members.shape[1], np.iinfo(np.int64).max)
    for labeling, line in zip(labelings, members, strict=True):
        inside = line >= 0
        out[inside] = np.minimum(out[inside], labeling.sizes[line[inside]])
    return out


def _merges(labelings: list[Labeling], members: Array, like: Array) -> list[_Merge]:
    """Group labelings so that the clusters of a group are not too many at once."""
    out: list[_Merge] = []
    group: list[int] = []
    columns = 0
    for at, labeling in enumerate(labelings):
        if group and columns + labeling.n_clusters > MOST_CLUSTERS:
            out.append(_Merge(group, labelings, members, like))
            group, columns = [], 0
        group.append(at)
        columns += labeling.n_clusters
    return [*out, _Merge(group, labelings, members, like)]


class _Merge:
    """How sums over cells become silhouettes in some labelings; what has a line for each cluster has all of theirs."""

    def __init__(self, numbers: list[int], labelings: list[Labeling], members: Array, like: Array) -> None:
        self.numbers, xp = numbers, array_module(like)
        self.starts = np.concatenate([[0], np.cumsum([labelings[at].n_clusters for at in numbers])])
        sizes = np.concatenate([labelings[at].sizes for at in numbers])
        lines = members[numbers].astype(np.int64)
        lines[lines >= 0] += np.repeat(self.starts[:-1], np.count_nonzero(lines >= 0, axis=1))
        inside = np.flatnonzero(lines >= 0)
        by_line = np.argsort(lines.ravel()[inside], kind="stable")
        bounds = np.searchsorted(lines.ravel()[inside][by_line], np.arange(len(sizes) + 1))
        cells = inside[by_line] % members.shape[1]
        self.means = operations_on(like).means_merger(xp.asarray(cells), xp.asarray(bounds), sizes, members.shape[1])
        self.sizes = xp.asarray(sizes.astype(np.float64))
        self.has_noise = bool((lines < 0).any())
        self.lines = xp.asarray(lines)  # (n_labelings, n_cells); -1 for noise

    @property
    def n_clusters(self) -> int:
        return len(self.sizes)

    def silhouettes(self, sums: Array, cells: Array) -> Iterator[tuple[int, Any, Array]]:
        """Yield (labeling, positions of the rows that are not noise in it, their silhouettes); for all at once."""
        xp, m = array_module(sums), len(cells)
        means, lines = self.means(sums), self.lines[:, cells]
        # What noise gets is left out below; what its own labeling loses for that row, likewise.
        own_line = xp.maximum(lines, xp.asarray(self.starts[:-1, None])) if self.has_noise else lines
        size, flat = self.sizes[own_line], own_line * m + xp.arange(m)
        alone = size == 1
        own = xp.where(alone, 0.0, means.reshape(-1)[flat] * (size / xp.maximum(size - 1, 1)))
        means.reshape(-1)[flat] = np.inf
        nearest = xp.empty(own.shape)
        for line, start, stop in zip(nearest, self.starts, self.starts[1:], strict=False):
            xp.min(means[start:stop], axis=0, out=line)
        found = silhouette_from(MeanDistances(own, nearest, alone))
        for at, line, s in zip(self.numbers, lines, found, strict=True):
            kept = xp.flatnonzero(line >= 0) if self.has_noise else slice(None)
            yield at, kept, s[kept]
