"""The rows with the lowest silhouettes, explained: both distances that a silhouette is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside, row_squares
from gpumetrics.backends.threads import spans
from gpumetrics.distance_metrics import has_closed_form, prepare
from gpumetrics.evaluation.leaning import nearest_others, sums_to_clusters
from gpumetrics.statistics.mean_distances import mean_distances

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.judged import Judged
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["LowRow", "lowest_rows"]

# By which power of a common factor of all rows a distance grows; that of the others is 1.
DEGREES = {"sqeuclidean": 2, "cosine": 0, "correlation": 0}
SMALLEST = 1e-300  # distance that has all its digits


class LowRow(NamedTuple):
    """A row, its cluster, the nearest other one, its mean distances to both, and its silhouette."""

    row: int
    cluster: Any
    nearest_other: Any
    own: float
    nearest: float
    silhouette: float

    @property
    def expected(self) -> float:
        """The silhouette that the two distances give."""
        larger = max(self.own, self.nearest)
        return (self.nearest - self.own) / larger if larger else 0.0


def lowest_rows(judged: Judged, metric: Metric, n: int, moments: ClusterMoments | None = None) -> list[LowRow]:
    """Return the n rows with the lowest known silhouettes, the lowest first; not those that are alone in their cluster.

    Each is compared with all rows once, O(n_samples n_features). Distances are in the unit of the metric, but under
    "minkowski", "seuclidean" and "mahalanobis" in one of their own; none are returned if these leave float64. `moments`
    are as in `nearest_others`.
    """
    data = judged.data
    order = np.argsort(judged.values, kind="stable")
    order = order[data.sizes[judged.codes[order]] > 1][:n]
    rows = judged.rows[order]
    if not len(rows):
        return []
    own, nearest, others = _means(data, metric, rows, moments)
    scale, measured = prepare(metric, data.features)[1].scale, np.stack([own, nearest])
    positive = measured > 0
    with np.errstate(over="ignore", under="ignore"):
        for _ in range(DEGREES.get(metric.name, 1)):  # a power of the scale may leave float64 by itself
            measured = measured / scale
    if not np.isfinite(measured).all() or (measured[positive] < SMALLEST).any():
        return []
    own, nearest = measured
    classes, numbers = data.labels.classes, judged.numbers(rows)
    return [
        LowRow(
            int(numbers[at]),
            classes[judged.codes[order[at]]],
            classes[others[at]],
            float(own[at]),
            float(nearest[at]),
            float(judged.values[order[at]]),
        )
        for at in range(len(rows))
    ]


def _means(
    data: ClusteredData, metric: Metric, rows: Array, moments: ClusterMoments | None
) -> tuple[Array, Array, Array]:
    """Return the mean distances to the own and to the nearest other cluster, and which that is; on the host."""
    if has_closed_form(metric, data.features, on_gpu=array_module(data.codes) is not np):
        asked = beside(rows, data.codes)
        found = mean_distances(data.features, data.codes, data.sizes, metric, queries=asked, moments=moments)
        return as_host(found.own), as_host(found.nearest), nearest_others(data, metric, rows, moments)
    sums, codes = np.empty((len(rows), len(data.sizes))), as_host(data.codes[beside(rows, data.codes)])
    for part, block in sums_to_clusters(data, metric, rows):
        sums[part if isinstance(part, slice) else as_host(part)] = as_host(block)
    every = np.arange(len(rows))
    sums /= _unit(data, metric, rows, sums[every, codes])
    own = sums[every, codes] / np.maximum(data.sizes[codes] - 1, 1)
    sums /= data.sizes
    sums[every, codes] = np.inf
    others = sums.argmin(axis=1)
    return own, sums[every, others], others


def _unit(data: ClusteredData, metric: Metric, rows: Array, own: Array) -> float:
    """Return the power of two by which tiles multiply Euclidean distances of float32 rows, to keep their squares.

    It is the ratio of the sum `own`, of the distances of a row to its cluster, to the sum in the unit of the rows.
    """
    at = int(own.argmax())
    if metric.name != "euclidean" or not data.features.single or not own[at] > 0:
        return 1.0
    asked = data.features.subset(beside(rows[at : at + 1], data.codes))
    row = beside(asked.rows(slice(0, 1)), data.codes)
    xp = array_module(data.codes)
    members = data.features.subset(xp.flatnonzero(data.codes == data.codes[int(rows[at])]))
    total = 0.0
    for part in spans(members.n_samples, members.block_rows):
        total += float(xp.sqrt(row_squares(beside(members.rows(part), data.codes) - row)).sum())
    return float(2.0 ** round(np.log2(own[at] / total)))
