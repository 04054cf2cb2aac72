"""Silhouettes against a sample of each cluster's rows, drawn with probability proportional to size.

The size of a row is its distance to a point amid its cluster. Rows of a cluster are sorted into classes in which it
varies by a factor of about two; of each class so many are drawn as its rows and their sizes call for, and the mean
over those drawn stands for the mean over the class. Far rows, which a uniform sample misses or weighs wildly, are in
classes of their own, and taken whole where they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.clustering.silhouette import silhouette_from
from gpumetrics.distance_metrics import prepare
from gpumetrics.evaluation.row_draws import RowDraws
from gpumetrics.statistics.centre_distances import distances_to_own, middles
from gpumetrics.statistics.mean_distances import MeanDistances
from gpumetrics.validation import drop_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["GROUPS", "References", "draw_references"]

GROUPS = 16  # into which references are dealt: the estimate without each in turn tells what they add to its variance
AMID = 15  # rows of a cluster whose coordinates' medians are a point amid it, wherever its outliers lie
CLASSES = 32  # of size in a cluster at most; the last holds all rows beyond
FEWEST_AT_ONCE = 256  # queries that are asked at once


@dataclass(frozen=True)
class References:
    """Reference rows of one labeling, by cluster, class and group.

    Attributes
    ----------
    features : Features
        All rows, as `metric` needs them.
    metric : Metric
    rows : ndarray of int64
        The reference rows, sorted by cell; a cell is a group of a class of a cluster.
    cell_sizes : ndarray of int64
    first_cell : ndarray of shape (n_classes,), int64
        First cell of each class; a class that was taken whole has one cell, any other `GROUPS`.
    class_sizes : ndarray of shape (n_classes,), int64
        Rows of each class.
    first_class : ndarray of shape (n_clusters,), int64
        First class of each cluster.
    class_of_row : array of shape (n_rows,), int64
        Where the codes lie.
    """

    features: Features
    metric: Metric
    rows: Array
    cell_sizes: Array
    first_cell: Array
    class_sizes: Array
    first_class: Array
    class_of_row: Array

    @property
    def complete(self) -> bool:
        """Whether every row is a reference."""
        return len(self.rows) == int(self.class_sizes.sum())

    def silhouettes(self, queries: Array, clusters: Array) -> Array:
        """Estimate the silhouettes of some rows, whose clusters are given.

        Returns
        -------
        ndarray of shape (n_queries, 1 + GROUPS), float64
            From all references, and without each group in turn.
        """
        out = np.empty((len(queries), 1 + GROUPS))
        step = max(FEWEST_AT_ONCE, len(self.rows) // 4)
        for start in range(0, len(queries), step):
            part = queries[start : start + step]
            for at, sums in self._sums(part):
                out[start + at] = _Asked(self, part[at], clusters[start + at]).silhouettes(sums)
        return out

    def _sums(self, queries: Array) -> Iterator[tuple[Array, Array]]:
        """Yield (positions among the queries, sums of their distances to each cell)."""
        n, n_cells, like = len(self.rows), len(self.cell_sizes), self.class_of_row
        # The table is the references and then the queries, which are in a cell that is of no use.
        index, sizes = np.concatenate([self.rows, queries]), np.append(self.cell_sizes, len(queries))
        smallest = np.full(len(index), max(1, n // len(self.first_class)))
        parts = operations_on(like).cell_sums(
            self.features.subset(index),
            beside(np.repeat(np.arange(n_cells + 1), sizes), like),
            sizes,
            beside(smallest, like),
            self.metric,
            beside(np.arange(n, len(index)), like),
        )
        for at, sums in parts:
            yield as_host(at), as_host(sums)[:, :n_cells]


class _Asked:
    """Some rows, and their mean distances to clusters from sums over cells of references."""

    def __init__(self, references: References, rows: Array, clusters: Array) -> None:
        self.of, self.clusters = references, clusters
        like = references.class_of_row
        self.own_class = as_host(like[beside(rows, like)])
        by_number = np.argsort(references.rows)
        at = np.searchsorted(references.rows, rows, sorter=by_number).clip(max=len(by_number) - 1)
        place = by_number[at]
        self.is_reference = references.rows[place] == rows
        cell = np.searchsorted(np.cumsum(references.cell_sizes), place, side="right")
        self.own_group = cell - references.first_cell[self.own_class]
        self.drawn = np.add.reduceat(references.cell_sizes, references.first_cell)
        self.sampled = np.flatnonzero(self.drawn < references.class_sizes)

    def silhouettes(self, sums: Array) -> Array:
        """Silhouettes from all references, and without each group of them; `sums` is (n_rows, n_cells)."""
        of = self.of
        total = np.add.reduceat(sums, of.first_cell, axis=1)
        mean, others = self._means(total, self.drawn, self.is_reference)
        out = np.empty((len(sums), 1 + GROUPS))
        out[:, 0] = self._from_means(mean, others)
        # Of a class of which nearly all rows are references it matters little which are.
        trust = np.sqrt(1 - self.drawn / of.class_sizes)
        for group in range(GROUPS):
            less, number = total.copy(), self.drawn.copy()
            cells = of.first_cell[self.sampled] + group
            less[:, self.sampled] -= sums[:, cells]
            number[self.sampled] -= of.cell_sizes[cells]
            gone = (self.own_group == group) & np.isin(self.own_class, self.sampled)
            means, other_means = self._means(less, number, self.is_reference & ~gone)
            means, other_means = means - mean, other_means - others
            means *= trust
            other_means *= trust[self.own_class]
            out[:, 1 + group] = self._from_means(mean + means, others + other_means)
        return out

    def _means(self, total: Array, number: Array, counted: Array) -> tuple[Array, Array]:
        """Mean distance of each row to each class, and to the others of its own (0 if it has none)."""
        own = total[np.arange(len(total)), self.own_class]
        return total / number, own / np.maximum(number[self.own_class] - counted, 1)

    def _from_means(self, mean: Array, others: Array) -> Array:
        of, rows = self.of, np.arange(len(mean))
        sizes = np.add.reduceat(of.class_sizes, of.first_class)
        distance = np.add.reduceat(mean * of.class_sizes, of.first_class, axis=1)
        n_class, n_own = of.class_sizes[self.own_class], sizes[self.clusters]
        own = distance[rows, self.clusters] - mean[rows, self.own_class] * n_class + others * (n_class - 1)
        distance /= sizes
        distance[rows, self.clusters] = np.inf
        own = np.maximum(own, 0) / np.maximum(n_own - 1, 1)
        return silhouette_from(MeanDistances(own, distance.min(axis=1), n_own == 1))


def draw_references(data: ClusteredData, metric: Metric, n_references: int, source: Any) -> References:
    """Draw the reference rows: about `n_references` of each cluster, or all rows of one of up to twice as many.

    Waits for the device a few times. Takes a pass over the rows, and a few numbers for each.
    """
    metric, features = prepare(metric, data.features)
    codes, k = data.codes, data.labels.n_classes
    n_references = min(n_references, len(codes))
    ops, xp = operations_on(codes), array_module(codes)
    large = data.sizes > 2 * n_references
    relative, level = xp.ones(len(codes)), xp.zeros(len(codes), dtype=np.int64)
    if large.any():
        relative = _relative_sizes(data, features, large, source)
        relative[beside(~large, codes)[codes]] = 1
        level = xp.clip(xp.ceil(xp.log2(relative / 1.5)), 0, CLASSES - 1).astype(np.int64)
    classes = codes * CLASSES + level
    weight = ops.label_sums(classes, k * CLASSES, relative)
    counts = ops.label_sums(classes, k * CLASSES)
    class_of_row, numbers, counts = drop_empty(classes, np.arange(k * CLASSES), counts)
    cluster = numbers // CLASSES
    wanted = _shares(weight[numbers], counts, cluster, n_references, large)
    rows = RowDraws(class_of_row, counts, source).up_to(wanted)
    cell_sizes, first_cell, order = _cells(wanted, wanted < counts)
    first_class = np.searchsorted(cluster, np.arange(k))
    return References(features, metric, rows[order], cell_sizes, first_cell, counts, first_class, class_of_row)


def _shares(weight: Array, counts: Array, cluster: Array, n_references: int, large: Array) -> Array:
    """Rows to draw of each class: by its weight; all of one that is small for that, the rest by what it leaves."""
    share = n_references * weight / np.bincount(cluster, weights=weight)[cluster]
    whole = ~large[cluster] | (2 * np.maximum(share, GROUPS) >= counts)
    left = n_references - np.bincount(cluster, weights=np.where(whole, counts, 0))
    sampled = np.bincount(cluster, weights=np.where(whole, 0, share))
    growth = np.maximum(1, left / np.where(sampled > 0, sampled, 1))
    # Rounded, so that another order of summation draws no other row.
    wanted = np.maximum(np.rint(share * growth[cluster]).astype(np.int64), GROUPS)
    return np.where(whole | (2 * wanted >= counts), counts, wanted)


def _relative_sizes(data: ClusteredData, features: Features, large: Array, source: Any) -> Array:
    """Half of 1, and half of each row's distance to a point amid its cluster over that distance's mean there."""
    codes, sizes = data.codes, data.sizes
    rows = RowDraws(codes, sizes, source).up_to(np.where(large, AMID, 0)).reshape(-1, AMID)
    centre = middles(features, rows)
    which = np.cumsum(large) - 1  # clusters that are taken whole get any centre
    distance = distances_to_own(features, beside(np.maximum(which, 0), codes)[codes], centre)
    mean = operations_on(codes).label_sums(codes, len(sizes), distance) / sizes
    mean[mean == 0] = 1  # a cluster of equal rows
    out: Array = 0.5 + 0.5 * distance / beside(mean, codes)[codes]
    return out


def _cells(drawn: Array, sampled: Array) -> tuple[Array, Array, Array]:
    """Deal the rows drawn of each class into groups: sizes of cells, first cell of each class, rows by cell."""
    n_cells = np.where(sampled, GROUPS, 1)
    first_cell = np.cumsum(n_cells) - n_cells
    of_class = np.repeat(np.arange(len(drawn)), drawn)
    turn = np.arange(len(of_class)) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    cell = first_cell[of_class] + turn % n_cells[of_class]
    return np.bincount(cell, minlength=int(n_cells.sum())), first_cell, np.argsort(cell, kind="stable")
