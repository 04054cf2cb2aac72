"""Mean distances of each row to its own cluster and to the nearest other: what a silhouette is a formula over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import resolve
from gpumetrics.backends.threads import spans
from gpumetrics.distances import prepare
from gpumetrics.features import BLOCK, unit_centred_rows, unit_rows
from gpumetrics.statistics.moments import ClusterMoments, cluster_moments

if TYPE_CHECKING:
    from gpumetrics.distances import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["MeanDistances", "mean_distances"]


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
    ops = resolve(features.data)
    own_codes = codes if queries is None else codes[queries]
    own_sizes = sizes[own_codes]
    others = np.maximum(own_sizes - 1, 1)
    if metric.closed_form and not features.sparse:
        own, nearest = _from_moments(features, codes, sizes, metric, queries, moments)
        own = own * (own_sizes / others)
    elif queries is not None:
        own, nearest = ops.pairwise_query_sums(features, codes, sizes, metric, queries)
        own = own / others
    else:
        sorting = metric.name == "manhattan" and not features.sparse
        if sorting and ops.manhattan_by_sorting(features.n_samples, len(sizes)):
            own, nearest = ops.manhattan_sums(features, codes, sizes)
        else:
            own, nearest = ops.pairwise_sums(features, codes, sizes, metric)
        own = own / others
    alone = own_sizes == 1
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
    """Mean distances to all members of the own cluster (the row itself included) and to the nearest other.

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
    if not angular:
        own, nearest = ops.centroid_distances(some, some_codes, moments.anchor, moments.shift, extra, 1.0)
        return own, nearest
    zero = _rows_without_direction(features, correlation=metric.name == "correlation")
    extra = 0.5 * (extra + np.bincount(codes[zero], minlength=len(sizes)) / sizes)
    own, nearest = ops.centroid_distances(some, some_codes, moments.anchor, moments.shift, extra, 0.5)
    # A row without a direction is at distance 1 from every other row, and 0 from itself.
    asked = zero if queries is None else np.isin(queries, zero)
    own_sizes = sizes[some_codes[asked]]
    own[asked], nearest[asked] = (own_sizes - 1) / own_sizes, 1.0
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
