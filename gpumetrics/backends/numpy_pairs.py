"""Sums over all pairs of rows on the CPU: the kind of tile that each metric needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.numpy_euclidean import EuclideanTiles, squared_radius
from gpumetrics.backends.numpy_manhattan import manhattan_sums, sorting_is_faster
from gpumetrics.backends.numpy_reduce import distance_sums, query_sums
from gpumetrics.backends.numpy_tiles import (
    CallableTiles,
    FunctionTiles,
    PrecomputedTiles,
    ScipyTiles,
    Tiles,
    replace_small,
)
from gpumetrics.backends.sparse_precomputed import sparse_sums
from gpumetrics.backends.tiling import Grouping
from gpumetrics.distance_metrics import BOOLEAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

SOON_DONE = 1e8  # multiplications that are done before threads have started
SPARSE_LIMIT = 1e-4  # share of the norms below which a squared distance comes from the difference itself


def pairwise_means(
    features: Features, codes: Array, sizes: Array, metric: Metric, queries: Array | None = None
) -> tuple[Array, Array]:
    """Mean distances of each row, from all pairs: to the other members of its cluster, and to the nearest other.

    Parameters
    ----------
    features : Features
        Rows as the metric needs them (see `gpumetrics.distance_metrics.prepare`).
    codes : ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64
    metric : Metric
    queries : ndarray of int64, optional
        Only these rows, each against all rows.

    Returns
    -------
    own, nearest : ndarray of float64
        One value for each row or query; own is 0 in a cluster of one.
    """
    own, nearest = _sums(features, codes, sizes, metric, queries)
    mine = codes if queries is None else codes[queries]
    return own / np.maximum(sizes[mine] - 1, 1), nearest


def _sums(features: Features, codes: Array, sizes: Array, metric: Metric, queries: Array | None) -> tuple[Array, Array]:
    """Sum of distances to the own cluster and mean distance to the nearest other."""
    if metric.name == "precomputed" and features.sparse:
        return sparse_sums(features, codes, sizes, queries)
    if (
        metric.name == "manhattan"
        and queries is None
        and not features.sparse
        and sorting_is_faster(len(codes), len(sizes))
    ):
        return manhattan_sums(features, codes, sizes)
    soon = metric.name == "euclidean" and len(codes) ** 2 * features.n_features < SOON_DONE
    threads = 1 if soon or metric.name == "callable" else None
    grouping = Grouping.of(codes, sizes, sorting_key(features, metric))
    if queries is None:
        return distance_sums(tiles_of(features, grouping.order, sizes[codes], metric), grouping, threads=threads)
    order, at, places = sorted_queries(grouping, queries)
    own, nearest = np.empty(len(queries)), np.empty(len(queries))
    own[at], nearest[at] = query_sums(
        tiles_of(features, order, sizes[codes], metric), grouping, places, threads=threads
    )
    return own, nearest


def sorting_key(features: Features, metric: Metric) -> Array | None:
    """Return what rows of a cluster are sorted by, if the metric's tiles are the better for it."""
    return squared_radius(features) if metric.name == "euclidean" and not features.sparse else None


def sorted_queries(grouping: Grouping, queries: Array) -> tuple[Array, Array, Array]:
    """Sort query rows as the grouping sorts all rows.

    Returns
    -------
    order : ndarray of int64
        All rows in the grouping's order, and then the query rows in it.
    at : ndarray of int64
        Which query is which in that order.
    places : ndarray of int64
        The query rows' places in the grouping's order, ascending.
    """
    place = np.empty(len(grouping.order), dtype=np.int64)
    place[grouping.order] = np.arange(len(place))
    at = np.argsort(place[queries], kind="stable")
    return np.concatenate([grouping.order, queries[at]]), at, place[queries[at]]


def tiles_of(features: Features, order: Array, row_sizes: Array, metric: Metric) -> Tiles:
    """Return the tiles of a metric over rows in this order; `row_sizes` are the rows of each row's cluster."""
    name = metric.name
    if name == "precomputed":
        index = order if features.index is None else features.index[order]
        return PrecomputedTiles(features.data, index, float(features.high.max()))
    if name == "callable":
        return CallableTiles(features, order, metric)
    if features.sparse and name == "manhattan":
        return FunctionTiles(features, order, _sparse_manhattan)
    if features.sparse and name in {"euclidean", "cosine"}:
        return _sparse_tiles(features, order, name)
    if name == "euclidean":
        return EuclideanTiles(features, order, row_sizes[order])
    if name == "haversine":
        return FunctionTiles(features, order, _haversine)
    if name == "braycurtis":
        return FunctionTiles(features, order, lambda x, y: _bray_curtis(x, y, metric.options))
    scipy_name = {"manhattan": "cityblock"}.get(name, name)
    return ScipyTiles(features, order, scipy_name, metric.options, boolean=name in BOOLEAN)


def _haversine(x: Array, y: Array) -> Array:
    """Great-circle distance in radians between (latitude, longitude) rows."""
    latitude = np.sin(0.5 * (x[:, None, 0] - y[None, :, 0])) ** 2
    longitude = np.sin(0.5 * (x[:, None, 1] - y[None, :, 1])) ** 2
    chord = latitude + np.cos(x[:, None, 0]) * np.cos(y[None, :, 0]) * longitude
    out: Array = 2 * np.arcsin(np.sqrt(np.minimum(chord, 1.0)))
    return out


def _bray_curtis(x: Array, y: Array, options: dict[str, Any]) -> Array:
    from scipy.spatial.distance import cdist

    out: Array = cdist(x, y, "braycurtis", **options)
    out[np.isnan(out)] = 0  # 0/0 between two zero rows: they are the same row
    return out


def _sparse_tiles(features: Features, order: Array, name: str) -> FunctionTiles:
    data = features.data.astype(np.float64)
    if features.scale != 1.0:
        data = data * features.scale
    if name == "cosine":
        from scipy.sparse import diags_array

        largest = _nonzero(abs(data).max(axis=1).toarray().ravel())
        data = diags_array(1 / largest) @ data
        data = (diags_array(1 / _nonzero(np.sqrt(data.multiply(data).sum(axis=1)))) @ data).tocsr()
    function = _sparse_cosine if name == "cosine" else _sparse_euclidean
    return FunctionTiles(replace(features, data=data), order, function)


def _nonzero(values: Array) -> Array:
    return np.where(values == 0, 1.0, values)


def _sparse_squares(x: Any, y: Any) -> Callable[[Array, Array], Array]:
    def direct(i: Array, j: Array) -> Array:
        difference = x[i] - y[j]
        return np.asarray(difference.multiply(difference).sum(axis=1)).ravel()

    return direct


def _sparse_euclidean(x: Any, y: Any) -> Array:
    norms_x = np.asarray(x.multiply(x).sum(axis=1)).ravel()
    norms_y = np.asarray(y.multiply(y).sum(axis=1)).ravel()
    squares: Array = (x @ y.T).toarray()
    squares *= -2
    squares += norms_x[:, None]
    squares += norms_y
    replace_small(squares, SPARSE_LIMIT * float(norms_x.max() + norms_y.max()), _sparse_squares(x, y))
    return np.sqrt(squares, out=squares)


def _sparse_manhattan(x: Any, y: Any) -> Array:
    """|x - y| is |x| + |y| but where both are stored: only x's columns need a look."""
    length_x, length_y = (np.asarray(abs(z).sum(axis=1), dtype=np.float64).ravel() for z in (x, y))
    out: Array = length_x[:, None] + length_y
    columns = y.tocsc()
    for i in range(x.shape[0]):
        part = slice(x.indptr[i], x.indptr[i + 1])
        values = x.data[part].astype(np.float64)
        other = columns[:, x.indices[part]].toarray().astype(np.float64)
        out[i] += (np.abs(other - values) - np.abs(other) - np.abs(values)).sum(axis=1)
    limit = 1e-10 * float(length_x.max() + length_y.max())
    replace_small(out, limit, lambda i, j: np.asarray(abs(x[i] - y[j]).sum(axis=1), dtype=np.float64).ravel())
    return out


def _sparse_cosine(x: Any, y: Any) -> Array:
    """1 - cosine of unit rows, and half the squared difference where that is small; a zero row is at distance 1."""
    out: Array = 1 - (x @ y.T).toarray()
    squares = _sparse_squares(x, y)
    replace_small(out, SPARSE_LIMIT, lambda i, j: squares(i, j) / 2)
    return np.minimum(out, 2.0, out=out)
