"""Mean distances of each row to its own cluster and to the nearest other: what a silhouette is a formula over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import array_module, beside
from gpumetrics.backends.interop import bfloat16_to_float32
from gpumetrics.backends.threads import spans
from gpumetrics.distance_metrics import has_closed_form, prepare
from gpumetrics.row_transforms import centred_rows, unit_centred_rows, unit_rows
from gpumetrics.statistics.moments import ClusterMoments, cluster_moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = [
    "MeanDistances",
    "closed_form_means",
    "mean_distances",
    "mean_extra",
    "row_transform",
    "rows_without_direction",
]

# Squared distance of unit rows up to which they have the same direction: they differ by the rounding of a division.
ROUNDING = (4 * np.finfo(np.float64).eps) ** 2


@dataclass(frozen=True)
class MeanDistances:
    """For each row (or each query row), in one common unit; where the codes lie.

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
        Moments of the same clusters, if they are known: they save a pass over X under squared Euclidean.
    """
    metric, features = prepare(metric, features)
    if has_closed_form(metric, features, on_gpu=array_module(codes) is not np):
        own, nearest = _from_moments(features, codes, sizes, metric, queries, moments)
    else:
        own, nearest = operations_on(codes).pairwise_means(features, codes, sizes, metric, queries)
    alone = beside(sizes == 1, codes)[codes if queries is None else codes[queries]]
    return MeanDistances(array_module(codes).where(alone, 0.0, own), nearest, alone)


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
    transform = row_transform(metric)
    if transform is not None:
        features, moments = replace(features, transform=transform), None
    if moments is None:
        moments = cluster_moments(features, codes, sizes, spreads=False)
    zero = None
    if metric.name != "sqeuclidean":
        ops = operations_on(codes)
        zero = ops.asarray(rows_without_direction(features, correlation=metric.name == "correlation"))
    extra = mean_extra(moments, None if zero is None else ops.label_sums(codes[zero], len(sizes)))
    if queries is not None:
        features, codes = features.subset(queries), codes[queries]
        # Which of the queries are rows without a direction.
        zero = None if zero is None else array_module(codes).isin(queries, zero)
    return closed_form_means(features, codes, moments, extra, zero)


def mean_extra(moments: ClusterMoments, without_direction: Array | None) -> Array:
    """Return what the mean distance to each cluster's members has beyond that to its centroid.

    Parameters
    ----------
    moments : ClusterMoments
    without_direction : ndarray of shape (n_clusters,), int64, or None
        Zero rows of each cluster, for unit rows; None: squared Euclidean distances.

    Returns
    -------
    ndarray of shape (n_clusters,), float64
    """
    extra: Array = moments.within / moments.size
    if without_direction is None:
        return extra
    extra[extra <= ROUNDING] = 0
    return 0.5 * (extra + without_direction / moments.size)


def closed_form_means(
    features: Features, codes: Array, moments: ClusterMoments, extra: Array, zero: Array | None
) -> tuple[Array, Array]:
    """Mean distances of rows to their own cluster and to the nearest other one, of known moments.

    Parameters
    ----------
    features : Features
        The rows, in the units of the moments.
    codes : array of shape (n_samples,), int64
    moments : ClusterMoments
    extra : ndarray of shape (n_clusters,), float64
        As `mean_extra` gives it.
    zero : array or None
        The rows without a direction, for unit rows, as numbers or as a mask; None: squared Euclidean distances.

    Returns
    -------
    own, nearest : array of shape (n_samples,), float64
        Where the codes lie.
    """
    weight, floor = (1.0, 0.0) if zero is None else (0.5, ROUNDING)
    centroids = moments.anchor, moments.shift
    ops = operations_on(codes)
    own, nearest = ops.centroid_means(features, codes, moments.size, *centroids, extra, weight, floor)
    if zero is not None:  # a row without a direction is at distance 1 from every other row
        own[zero] = nearest[zero] = 1.0
    return own, nearest


def row_transform(metric: Metric) -> Callable[[Array], Array] | None:
    """What turns rows into rows whose squared Euclidean distance is meant."""
    if metric.name == "cosine":
        return unit_rows
    given = metric.options.get("w")
    if given is None:
        return unit_centred_rows if metric.name == "correlation" else None
    root = np.sqrt(given)
    if metric.name == "correlation":
        return lambda block: unit_rows(centred_rows(block, given) * beside(root, block))
    return lambda block: block * beside(root, block)


def rows_without_direction(features: Features, *, correlation: bool) -> Array:
    """Rows that are zero, or constant under correlation: found by their first entries, then checked whole."""
    raw = replace(features, transform=None)
    xp = array_module(raw.data)
    if raw.sparse:
        data = raw.data if raw.index is None else raw.data[raw.index]
        return np.flatnonzero(abs(data).max(axis=1).toarray().ravel() == 0)
    head = raw.data[:, :2] if raw.index is None else raw.data[:, :2][raw.index]
    head = bfloat16_to_float32(head) if raw.bfloat16 else head
    suspects = xp.flatnonzero(head[:, 0] == (head[:, -1] if correlation else 0))
    if not len(suspects):
        return suspects  # type: ignore[no-any-return]
    blocks = (raw.rows(suspects[part]) for part in spans(len(suspects), raw.block_rows))
    zero = xp.concatenate([~(b - b[:, :1] if correlation else b).any(axis=1) for b in blocks])
    found: Array = suspects[zero]
    return found
