"""Mean distances of each row to its own cluster and to the nearest other: what a silhouette is a formula over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import resolve
from gpumetrics.backends.threads import spans
from gpumetrics.distance_metrics import prepare
from gpumetrics.features import BLOCK, unit_centred_rows, unit_rows
from gpumetrics.statistics.moments import ClusterMoments, cluster_moments

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["MeanDistances", "mean_distances"]

# Rows of the same direction differ by the rounding of their division by their length: their distance is 0.
ROUNDING = (4 * np.finfo(np.float64).eps) ** 2


@dataclass(frozen=True)
class MeanDistances:
    """For each row (or each query row), in one common unit.

    Attributes
    ----------
    own : ndarray of float64
        Mean distance to the other members of its own cluster, a(x); 0 in a cluster of one.
    nearest : ndarray of float64
        Mean distance to the members of the nearest other cluster, b(x).
    alone : ndarray of bool
        Whether the row is the only one of its cluster.
    """

    own: Array
    nearest: Array
    alone: Array


def mean_distances(
    features: Features,
    codes: Array,
    sizes: Array,
    metric: Metric,
    *,
    queries: Array | None = None,
    moments: ClusterMoments | None = None,
) -> MeanDistances:
    """Compute mean distances, by closed form where the metric has one and from all pairs otherwise.

    Parameters
    ----------
    features : Features
    codes : ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64
        At least two clusters.
    metric : Metric
    queries : ndarray of int64, optional
        Only these rows, each against all rows.
    moments : ClusterMoments, optional
        Moments of the same clusters, if they are known: they save two passes under squared Euclidean.
    """
    metric, features = prepare(metric, features)
    if metric.closed_form and not features.sparse:
        own, nearest = _from_moments(features, codes, sizes, metric, queries, moments)
    else:
        own, nearest = resolve(features.data).pairwise_means(features, codes, sizes, metric, queries)
    alone = sizes[codes if queries is None else codes[queries]] == 1
    own[alone] = 0.0
    return MeanDistances(own, nearest, alone)


def _from_moments(
    features: Features,
    codes: Array,
    sizes: Array,
    metric: Metric,
    queries: Array | None,
    moments: ClusterMoments | None,
) -> tuple[Array, Array]:
    """Mean distances in closed form.

    The mean squared distance from x to a cluster is |x - centroid|^2 + within / size. For unit rows half of it is
    the mean cosine distance, once a zero row's distance of 1 to every row is added in.
    """
    angular = metric.name != "sqeuclidean"
    if angular:
        features = replace(features, transform=unit_rows if metric.name == "cosine" else unit_centred_rows)
        moments = None
    if moments is None:
        moments = cluster_moments(features, codes, sizes, spreads=False)
    ops = resolve(features.data)
    extra = moments.within / sizes
    some, some_codes = (features, codes) if queries is None else (features.subset(queries), codes[queries])
    centroids = moments.anchor, moments.shift
    if not angular:
        own, nearest = ops.centroid_means(some, some_codes, sizes, *centroids, extra, 1.0, 0.0)
        return own, nearest
    extra[extra <= ROUNDING] = 0
    zero = _rows_without_direction(features, correlation=metric.name == "correlation")
    extra = 0.5 * (extra + np.bincount(codes[zero], minlength=len(sizes)) / sizes)
    own, nearest = ops.centroid_means(some, some_codes, sizes, *centroids, extra, 0.5, ROUNDING)
    # A row without a direction is at distance 1 from every other row.
    asked = zero if queries is None else np.isin(queries, zero)
    own[asked] = nearest[asked] = 1.0
    return own, nearest


def _rows_without_direction(features: Features, *, correlation: bool) -> Array:
    """Rows that are zero, or constant under correlation: found by their first entries, then checked whole."""
    raw = replace(features, transform=None)
    head = raw.data[:, :2] if raw.index is None else raw.data[:, :2][raw.index]
    suspects = np.flatnonzero(head[:, 0] == (head[:, -1] if correlation else 0))
    if not len(suspects):
        return suspects
    blocks = (raw.rows(suspects[part]) for part in spans(len(suspects), max(1, BLOCK // raw.n_features)))
    zero = np.concatenate([~(b - b[:, :1] if correlation else b).any(axis=1) for b in blocks])
    found: Array = suspects[zero]
    return found
