"""Silhouettes from all pairs of rows: each pair of blocks meets once, in one task, which serves both.

A task holds two blocks and the sums of the rows of each over the clusters of the other. What has been summed of a
block is (its rows) x (all clusters) numbers until the last of its pairs is done: n_samples x n_clusters x 8 bytes on
all workers together, and in the task that adds up some of them `split_every` + 1 times as much of a block. Blocks
have as many rows as let that task keep to half of the working memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends import choose
from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering.cost import estimate_seconds
from gpumetrics.clustering.silhouette import silhouette_from
from gpumetrics.config import current
from gpumetrics.dask.clustered import stacked
from gpumetrics.dask.tasks import broadcast, lazily, merged, split_every
from gpumetrics.distance_metrics import prepare
from gpumetrics.statistics.mean_distances import MeanDistances

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.dask.blocks import Blocks
    from gpumetrics.dask.clustered import ClusteredBlocks, Plan, Side
    from gpumetrics.types import Array

__all__ = [
    "LEAST_ROWS",
    "Scored",
    "Sums",
    "add_sums",
    "pair_blocks",
    "query_sums",
    "seconds_of_tasks",
    "silhouettes_by_block",
    "silhouettes_from_sums",
]

LEAST_ROWS = 4096  # of a block, where chunks are smaller: a task should be worth its scheduling
MOST_PAIRS = 500_000  # tasks that a scheduler is asked to keep
PAIR_SECONDS = 0.005  # for the tasks of a pair of blocks, without the work in them


@dataclass(frozen=True)
class Sums:
    """Sums of the distances of some rows to the rows of some clusters.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_columns), float64
    columns : ndarray of shape (n_columns,), int64
        The clusters.
    """

    values: Array
    columns: Array


def pair_blocks(data: ClusteredBlocks) -> ClusteredBlocks:
    """Cut a table into blocks for pairs of them.

    Raises
    ------
    ValueError
        If the sums are too many for the working memory, or the pairs for a scheduler.
    """
    blocks = _cut(data)
    n_pairs = _pairs_of(len(blocks.rows))
    if n_pairs > MOST_PAIRS:
        msg = (
            f"The silhouette from all pairs of {data.n_samples} rows in {len(data.plan.sizes)} clusters would take "
            f"{n_pairs} tasks, of blocks of {data.n_samples // len(blocks.rows)} rows: call silhouette_estimate, take "
            "a metric with a closed form (cosine, sqeuclidean, correlation), or give larger chunks and more "
            "working_memory."
        )
        raise ValueError(msg)
    return type(data)(blocks, data.plan)


def seconds_of_tasks(data: ClusteredBlocks) -> float:
    """Expected seconds that the scheduler takes beside the work, for the tasks of all pairs of blocks."""
    return PAIR_SECONDS * _pairs_of(len(_cut(data).rows))


def _cut(data: ClusteredBlocks) -> Blocks:
    most = int(current().working_memory * 2**19 / (8 * len(data.plan.sizes) * (split_every() + 1)))
    return data.blocks.cut(max(1, most), min(most, LEAST_ROWS))


def _pairs_of(n_blocks: int) -> int:
    return n_blocks * (n_blocks + 1) // 2


class Scored(NamedTuple):
    """Silhouettes of the rows of a block that are no noise, and their clusters; on the host."""

    values: Array
    codes: Array


def silhouettes_by_block(data: ClusteredBlocks) -> list[tuple[Any, Any]]:
    """Return the `Side` of each block and its `Scored`, both lazily."""
    plan = broadcast(data.plan, 8 * len(data.plan.sizes))
    sides = data.blocks.each(_read, plan)
    parts: list[list[Any]] = [[] for _ in sides]
    for i, side in enumerate(sides):
        parts[i].append(lazily(_within, plan, side))
    for i, j in combinations(range(len(sides)), 2):
        both = lazily(_between, plan, sides[i], sides[j])
        parts[i].append(lazily(_item, both, 0))
        parts[j].append(lazily(_item, both, 1))
    add = partial(add_sums, n_clusters=len(data.plan.sizes))
    scored = [lazily(_silhouettes, plan, side, merged(own, add)) for side, own in zip(sides, parts, strict=True)]
    return list(zip(sides, scored, strict=True))


def _read(X: Any, labels: Any, plan: Plan) -> Side:
    return plan.read(X, labels)


def _item(both: tuple[Sums, Sums], at: int) -> Sums:
    return both[at]


def add_sums(parts: list[Sums], n_clusters: int) -> Sums:
    """Add up sums of the same rows."""
    total = np.zeros((len(parts[0].values), n_clusters))
    for part in parts:
        total[:, part.columns] += part.values
    return Sums(total, np.arange(n_clusters))


def _within(plan: Plan, side: Side) -> Sums:
    """Sums of the rows of a block over the clusters of the same block."""
    columns, codes = np.unique(side.codes, return_inverse=True)
    values = np.empty((len(side), len(columns)))
    if len(side):
        metric, features = prepare(plan.metric, plan.table(side.rows))
        ops = _operations(plan, side.rows, len(side))
        smallest = ops.asarray(plan.sizes[side.codes])
        for rows, sums in ops.cell_sums(features, ops.asarray(codes), np.bincount(codes), smallest, metric):
            values[as_host(rows)] = as_host(sums)
    return Sums(values, columns)


def _between(plan: Plan, first: Side, second: Side) -> tuple[Sums, Sums]:
    values = _cross(plan, first, second, mirror=True)
    columns = np.unique(first.codes), np.unique(second.codes)
    return Sums(values[0], columns[1]), Sums(values[1], columns[0])


def query_sums(plan: Plan, queries: Side, side: Side) -> Sums:
    """Sums of query rows over the clusters of a block."""
    return Sums(_cross(plan, queries, side, mirror=False)[0], np.unique(side.codes))


def _cross(plan: Plan, first: Side, second: Side, *, mirror: bool) -> tuple[Array, Array]:
    (columns, codes), (others, other_codes) = (np.unique(s.codes, return_inverse=True) for s in (first, second))
    if not len(first) or not len(second):
        return np.zeros((len(first), len(others))), np.zeros((len(second), len(columns)))
    rows = stacked([first.rows, second.rows])
    metric, features = prepare(plan.metric, plan.table(rows))
    cells = np.concatenate([codes, other_codes + len(columns)])
    ops = _operations(plan, rows, len(second))
    smallest = ops.asarray(plan.sizes[np.concatenate([first.codes, second.codes])])
    sums = ops.cross_sums(features, ops.asarray(cells), np.bincount(cells), smallest, metric, len(first), mirror=mirror)
    return as_host(sums[0]), as_host(sums[1])


def _operations(plan: Plan, rows: Any, n_queries: int) -> ModuleType:
    """Choose the backend of a worker for a block."""
    n, d = rows.shape
    function = plan.metric.function is not None

    def seconds(*, on_gpu: bool = False) -> float:
        return estimate_seconds(n, d, len(plan.sizes), plan.metric.name, n_queries=n_queries, on_gpu=on_gpu)

    cpu_only = "a metric that is a function of two rows" if function else ""
    return choose(rows, seconds=seconds, gpu_seconds=partial(seconds, on_gpu=True), cpu_only=cpu_only).ops


def _silhouettes(plan: Plan, side: Side, sums: Sums) -> Scored:
    return Scored(silhouettes_from_sums(plan, side.codes, sums), side.codes)


def silhouettes_from_sums(plan: Plan, codes: Array, sums: Sums) -> Array:
    """Silhouettes of rows from the sums of their distances to every cluster."""
    at, own_sizes = np.arange(len(codes)), plan.sizes[codes]
    if len(sums.columns) < len(plan.sizes):  # of one block only, which lacks some clusters
        sums = add_sums([sums], len(plan.sizes))
    own = sums.values[at, codes] / np.maximum(own_sizes - 1, 1)
    means = sums.values / plan.sizes
    means[at, codes] = np.inf
    alone = own_sizes == 1
    return silhouette_from(MeanDistances(np.where(alone, 0.0, own), means.min(axis=1), alone))
