"""Which other cluster a row is nearest to: asked for the few rows that a reader is shown, never for all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import array_module, as_host, beside, row_squares
from gpumetrics.backends.sparse_precomputed import sparse_cell_sums
from gpumetrics.backends.threads import spans
from gpumetrics.config import current
from gpumetrics.distance_metrics import has_closed_form, prepare
from gpumetrics.statistics.mean_distances import row_transform
from gpumetrics.statistics.moments import ClusterMoments, cluster_moments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["CENTRED", "as_meant", "nearest_others", "sums_to_clusters"]

CENTRED = frozenset({"euclidean", "sqeuclidean", "cosine", "correlation"})
SURE = 4  # clusters that are compared by differences: a product may take one of nearly equal ones for the nearest
SHARE = 0.25  # of the working memory for a table of some rows by all clusters


def as_meant(features: Features, metric: Metric) -> Features:
    """Return the rows whose Euclidean distances, or their squares, a metric with centres means."""
    metric, features = prepare(metric, features)
    transform = row_transform(metric)
    return features if transform is None else replace(features, transform=transform)


def nearest_others(data: ClusteredData, metric: Metric, rows: Array, moments: ClusterMoments | None = None) -> Array:
    """Find the other cluster with the smallest mean distance to each of some rows.

    Parameters
    ----------
    data : ClusteredData
        Two clusters at least.
    metric : Metric
    rows : ndarray of int64
        Positions among the rows of `data`.
    moments : ClusterMoments, optional
        Of the rows as a metric with a closed form means them (`as_meant`), if they are known: it saves a pass.

    Returns
    -------
    ndarray of int64
        Codes of the clusters, on the host. Of equally near ones the first.
    """
    out = np.zeros(len(rows), dtype=np.int64)
    if not len(rows):
        return out
    if has_closed_form(metric, data.features, on_gpu=array_module(data.codes) is not np):
        found = _by_centres(data, metric, beside(rows, data.codes), moments)
    else:
        sums = sums_to_clusters(data, metric, rows)
        asked = beside(rows, data.codes)
        found = ((part, _smallest_mean(block, data, data.codes[asked[part]])) for part, block in sums)
    for at, nearest in found:
        out[as_host(at) if not isinstance(at, slice) else at] = as_host(nearest)
    return out


def sums_to_clusters(data: ClusteredData, metric: Metric, rows: Array) -> Iterator[tuple[Any, Array]]:
    """Yield (places in `rows`, sums of the distances of these rows to the members of each cluster), from all pairs."""
    if metric.name == "precomputed" and data.features.sparse:
        yield from sparse_cell_sums(data.features, data.codes, len(data.sizes), rows)
        return
    metric, features = prepare(metric, data.features)
    smallest = beside(data.sizes, data.codes)[data.codes]
    asked = beside(rows, data.codes)
    yield from operations_on(data.codes).cell_sums(features, data.codes, data.sizes, smallest, metric, asked)


def _smallest_mean(sums: Array, data: ClusteredData, own: Array) -> Array:
    """Return where the smallest mean to a cluster other than the own is; `sums` are overwritten."""
    xp = array_module(sums)
    sums /= xp.asarray(data.sizes)
    sums[xp.arange(len(own)), own] = np.inf
    out: Array = sums.argmin(axis=1)
    return out


def _by_centres(
    data: ClusteredData, metric: Metric, rows: Array, moments: ClusterMoments | None
) -> Iterator[tuple[slice, Array]]:
    """By |x - centre|^2 + within / size, the mean squared distance to a cluster's members."""
    features = as_meant(data.features, metric)
    if moments is None:
        moments = cluster_moments(features, data.codes, data.sizes, spreads=False)
    xp = array_module(data.codes)
    anchor, shift, base = moments.anchor, moments.shift, moments.anchor.mean(axis=0)
    centre = (anchor - base) + shift
    extra = xp.asarray(_extra(moments, angular=metric.name != "sqeuclidean"))
    norms = row_squares(centre) + extra
    asked = features.subset(rows)
    for part in _blocks(len(rows), len(extra) + 4 * features.n_features):
        x, own = beside(asked.rows(part), data.codes), data.codes[rows[part]]
        every = xp.arange(len(own))
        table = ((x - base) * -2.0) @ centre.T
        table += norms
        table[every, own] = np.inf
        best, nearest = xp.full(len(own), np.inf), xp.zeros(len(own), dtype=np.int64)
        for _ in range(min(SURE, len(extra) - 1)):
            at = table.argmin(axis=1)
            exact = row_squares((x - anchor[at]) - shift[at]) + extra[at]
            nearest = xp.where(exact < best, at, nearest)
            best = xp.minimum(exact, best)
            table[every, at] = np.inf
        yield part, nearest


def _extra(moments: ClusterMoments, *, angular: bool) -> Array:
    """Mean squared distance of the members to their centre; of directions, with what rows without one add to it."""
    extra: Array = moments.within / moments.size
    if not angular:
        return extra
    # The squared lengths of all rows of a cluster add up to the number of those that have a direction.
    lengths = as_host(row_squares(moments.anchor + moments.shift))
    extra += np.rint(moments.size * (1 - lengths) - moments.within) / moments.size
    return extra


def _blocks(n: int, numbers_per_row: int) -> list[slice]:
    return spans(n, max(1, int(SHARE * current().working_memory * 2**20 / 8 / numbers_per_row)))
