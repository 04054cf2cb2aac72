"""Rows near the centres of their clusters, and of these some that are far from each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import as_host, beside, row_squares
from gpumetrics.backends.sparse_precomputed import sparse_cell_sums
from gpumetrics.backends.threads import spans
from gpumetrics.distance_metrics import prepare
from gpumetrics.evaluation.leaning import CENTRED, as_meant
from gpumetrics.statistics.centre_distances import distances_to_own
from gpumetrics.statistics.mean_distances import mean_distances
from gpumetrics.statistics.moments import cluster_moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["typical_rows"]

MOST_TRIED = 50  # rows for each that is wanted among which the diverse ones are sought


@dataclass(frozen=True)
class _Near:
    """Rows near their centres, cluster by cluster, the nearest first; on the host.

    Attributes
    ----------
    rows : ndarray of int64
    starts : ndarray of shape (n_clusters + 1,), int64
        Where each cluster begins, and the last ends.
    """

    rows: Array
    starts: Array

    @property
    def counts(self) -> Array:
        return np.diff(self.starts)


def typical_rows(
    data: ClusteredData, metric: Metric, per_cluster: int, share: float, moments: ClusterMoments | None = None
) -> tuple[Array, Array]:
    """Choose rows near the centre of each cluster and far from each other.

    Parameters
    ----------
    data : ClusteredData
    metric : Metric
    per_cluster : int
    share : float
        Share of a cluster's rows that count as near its centre.
    moments : ClusterMoments, optional
        Of the rows as a metric with centres means them (`as_meant`), if they are known: it saves a pass.

    Returns
    -------
    rows : ndarray of int64
        Positions among the rows of `data`, cluster by cluster, the first choice first; on the host.
    distance : ndarray of float64
        Of these rows to their centre.
    """
    if metric.name in CENTRED:
        features = as_meant(data.features, metric)
        if moments is None:
            moments = cluster_moments(features, data.codes, data.sizes, spreads=False)
        distance = as_host(distances_to_own(features, data.codes, moments.anchor + moments.shift)) / moments.scale
        near = _near(data, distance, per_cluster, share)
        rows = _far_apart(features, near, per_cluster)
    else:
        distance = _mean_to_own(data, metric)
        near = _near(data, distance, per_cluster, share)
        metric, features = prepare(metric, data.features)
        rows = _far_apart_by_pairs(features, data.codes, metric, near, per_cluster)
    return rows, distance[rows]


def _mean_to_own(data: ClusteredData, metric: Metric) -> Array:
    """Mean distance of each row to the others of its cluster, on the host."""
    if data.labels.n_classes > 1:
        return as_host(mean_distances(data.features, data.codes, data.sizes, metric).own)
    metric, features = prepare(metric, data.features)
    n = data.labels.n_samples
    out = np.zeros(n)
    for at, sums in _sums(features, data.codes, data.sizes, metric):
        out[at] = sums[:, 0] / max(n - 1, 1)
    return out


def _sums(features: Features, codes: Array, sizes: Array, metric: Metric) -> Iterator[tuple[Array | slice, Array]]:
    """Yield (rows, the sums of their distances to each cluster), on the host."""
    if features.sparse and metric.name == "precomputed":
        yield from sparse_cell_sums(features, codes, len(sizes))
        return
    every = beside(np.full(len(codes), sizes.min()), codes)
    for at, sums in operations_on(codes).cell_sums(features, codes, sizes, every, metric):
        yield as_host(at), as_host(sums)


def _near(data: ClusteredData, distance: Array, per_cluster: int, share: float) -> _Near:
    """Take the share of each cluster that is nearest to its centre; of very many, some evenly spaced."""
    sizes = data.sizes
    order = np.lexsort((distance, as_host(data.codes)))
    first = np.cumsum(sizes) - sizes
    n_near = np.minimum(sizes, np.maximum(per_cluster, np.ceil(share * sizes).astype(np.int64)))
    tried = np.minimum(n_near, MOST_TRIED * per_cluster)
    starts = np.concatenate([[0], np.cumsum(tried)])
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], tried)
    rank = place * np.repeat(n_near, tried) // np.repeat(tried, tried)
    return _Near(order[np.repeat(first, tried) + rank], starts)


def _far_apart(features: Features, near: _Near, per_cluster: int) -> Array:
    """Choose the first row of each cluster, then again and again the one farthest from those chosen; all at once."""
    counts, first = near.counts, near.starts[:-1]
    cluster = np.repeat(np.arange(len(counts)), counts)
    gap = np.full(len(near.rows), np.inf)
    chosen = [first]
    for _ in range(1, min(per_cluster, int(counts.max()))):
        last = near.rows[chosen[-1]]
        gap = np.minimum(gap, _squares(features, near.rows, last[cluster]))
        gap[chosen[-1]] = -1.0  # never again
        farthest = np.maximum.reduceat(gap, first)
        at = np.flatnonzero(gap == farthest[cluster])
        _, unique = np.unique(cluster[at], return_index=True)
        # A cluster of which every row is chosen names one of them again: it is left out below.
        chosen.append(at[unique])
    places = np.stack(chosen, axis=1)
    wanted = np.arange(places.shape[1]) < np.minimum(counts, per_cluster)[:, None]
    out: Array = near.rows[places[wanted]]
    return out


def _squares(features: Features, rows: Array, others: Array) -> Array:
    """Squared distance between each row and its other one."""
    out = np.empty(len(rows))
    for part in spans(len(rows), features.block_rows):
        a, b = (features.rows(beside(index[part], features.data)) for index in (rows, others))
        out[part] = as_host(row_squares(a - b))
    return out


def _far_apart_by_pairs(features: Features, codes: Array, metric: Metric, near: _Near, per_cluster: int) -> Array:
    """Choose as `_far_apart` does, cluster by cluster, from the distances of all pairs of its near rows."""
    chosen = []
    for start, stop in zip(near.starts, near.starts[1:], strict=False):
        rows = near.rows[start:stop]
        gap = np.full(len(rows), np.inf)
        at = [0]
        if len(rows) > 1 and per_cluster > 1:
            pairs = _distances(features.subset(rows), codes, metric, len(rows))
            while len(at) < min(per_cluster, len(rows)):
                gap = np.minimum(gap, pairs[at[-1]])
                gap[at[-1]] = -1.0
                at.append(int(np.argmax(gap)))
        chosen.append(rows[at])
    return np.concatenate(chosen)


def _distances(features: Features, like: Array, metric: Metric, n: int) -> Array:
    """Distances of all pairs of a few rows, on the host: sums over cells of one row each."""
    out = np.empty((n, n))
    for at, sums in _sums(features, beside(np.arange(n), like), np.ones(n, dtype=np.int64), metric):
        out[at] = sums
    return out
