"""Distances to and between centroids on a GPU: thin matrix products, and differences where a product is inexact."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cupy as cp
import numpy as np

from gpumetrics.backends.cupy_kernels import launch_rows
from gpumetrics.backends.cupy_memory import available_bytes, with_smaller_blocks
from gpumetrics.backends.cupy_moments import row_bytes, squared_lengths
from gpumetrics.backends.cupy_rows import device_blocks
from gpumetrics.backends.numpy_centroids import CLOSE, COINCIDENT
from gpumetrics.backends.threads import spans
from gpumetrics.features import DEVICE_BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["centroid_means", "similarities", "worst_partners"]

COLUMNS = 2048  # centroids of one product: it is efficient from there on


class _Centroids(NamedTuple):
    """Centroids ``anchor + shift``; about a common point, `base`; and their squared lengths about it."""

    anchor: Array
    shift: Array
    base: Array
    centre: Array
    norms: Array

    @classmethod
    def of(cls, anchor: Array, shift: Array) -> _Centroids:
        base = anchor.mean(axis=0)
        centre = anchor - base
        centre += shift
        parts = spans(len(centre), max(1, DEVICE_BLOCK // centre.shape[1]))
        norms = cp.concatenate([squared_lengths(centre[part].copy()) for part in parts])
        return cls(anchor, shift, base, centre, norms)


def centroid_means(
    features: Features,
    codes: Array,
    sizes: Array,
    anchor: Array,
    shift: Array,
    extra: Array,
    weight: float,
    floor: float,
) -> tuple[Array, Array]:
    """Mean distances of each row in closed form: to the other members of its cluster, and to the nearest other.

    The mean distance to all members of a cluster is ``weight * |x - centroid|^2 + extra``. The host only launches
    work, and does not wait for it; streamed rows are the exception.

    Parameters
    ----------
    features : Features
    codes : cupy.ndarray of shape (n_samples,), int64
        The row's own cluster.
    sizes : ndarray of shape (n_clusters,), int64
    anchor, shift : cupy.ndarray of shape (n_clusters, n_features), float64
        Centroids, as `cluster_means` gives them.
    extra : ndarray of shape (n_clusters,), float64
    weight : float
    floor : float
        Squared distances up to this are 0: they are the rounding of the rows.

    Returns
    -------
    own, nearest : cupy.ndarray of shape (n_samples,), float64

    Raises
    ------
    MemoryError
        If even small blocks of rows do not fit into the device's memory.
    """
    n, (k, d) = features.n_samples, anchor.shape
    centroids = _Centroids.of(anchor, shift)
    # The mean over all members counts the row itself, at distance 0.
    extra, share = cp.asarray(extra), cp.asarray(sizes / np.maximum(sizes - 1, 1))
    columns = min(k, COLUMNS)

    def work(rows: int) -> tuple[Array, Array]:
        own, nearest = cp.empty(n), cp.full(n, np.inf)
        x, norms, gram = cp.empty((rows, d)), cp.empty(rows), cp.empty(rows * columns)
        parts = spans(n, rows)
        for part, block in zip(parts, device_blocks(features, parts), strict=True):
            mine = codes[part]
            to_own = _squares_to_own(block, mine, centroids, x[: len(mine)], floor)
            own[part] = (weight * to_own + extra.take(mine)) * share.take(mine)
            _nearest(block, mine, centroids, extra, (x, norms, gram), (weight, floor), nearest[part])
        return own, nearest

    most = max(DEVICE_BLOCK // max(d, columns), 1)
    rows = min(most, available_bytes() // (row_bytes(features) + 8 * (d + columns + 8)), n)
    return with_smaller_blocks(work, max(1, rows), "the distances to the centroids")


def _squares_to_own(block: Array, mine: Array, centroids: _Centroids, x: Array, floor: float) -> Array:
    cp.subtract(block, centroids.anchor.take(mine, axis=0, out=x), out=x)
    x -= centroids.shift.take(mine, axis=0)
    squares = squared_lengths(x)
    return cp.where(squares <= floor, 0.0, squares)  # type: ignore[no-any-return]


def _nearest(
    block: Array,
    mine: Array,
    centroids: _Centroids,
    extra: Array,
    workspace: tuple[Array, Array, Array],
    weight_and_floor: tuple[float, float],
    nearest: Array,
) -> None:
    """Lower `nearest` (m,) to the mean distances of the block's rows to all clusters but their own."""
    (m, d), (x, norms, gram) = block.shape, workspace
    launch_rows("centred_rows<double>", m, block, centroids.base, m, d, 1.0, x, norms)
    weight, floor = map(float, weight_and_floor)
    for part in spans(len(extra), COLUMNS):
        width = part.stop - part.start
        products = gram[: m * width].reshape(m, width)
        cp.matmul(x[:m], centroids.centre[part].T, out=products)
        table = (centroids.anchor[part], centroids.shift[part], d, norms, centroids.norms[part], extra[part])
        limits = (CLOSE, weight, floor)
        launch_rows("nearest_means", m, products, m, width, block, *table, mine, part.start, *limits, nearest)


def worst_partners(anchor: Array, shift: Array, spread: Array, rms: Array) -> tuple[Array, Array, Array]:
    """Each cluster's most similar other, by Davies and Bouldin's R, and the one with the nearest centroid.

    Waits for the device once, at the end.

    Parameters
    ----------
    anchor, shift : cupy.ndarray of shape (n_clusters, n_features), float64
        Centroids, as `cluster_means` gives them.
    spread, rms : ndarray of shape (n_clusters,), float64
        Mean, and root mean square, of the members' distances to their centroid.

    Returns
    -------
    ratio : ndarray of shape (n_clusters,), float64
        Largest R; inf where centroids coincide, nan where neither cluster has any spread either.
    partner, nearest : ndarray of shape (n_clusters,), int64
    """
    centroids = _Centroids.of(anchor, shift)
    k = len(anchor)

    def work(rows: int) -> tuple[Array, Array, Array]:
        ratio, partner, nearest = cp.empty(k), cp.empty(k, dtype=np.int64), cp.empty(k, dtype=np.int64)
        for part, gaps, similarity in _similarity_blocks(centroids, spread, rms, rows):
            nearest[part] = gaps.argmin(axis=1)
            _set_diagonal(similarity, part.start, -np.inf)
            partner[part] = _largest(similarity)
            ratio[part] = cp.take_along_axis(similarity, partner[part][:, None], axis=1)[:, 0]
        bits, *places = cp.stack([ratio.view(np.int64), partner, nearest]).get()
        return bits.view(np.float64), *places

    return with_smaller_blocks(work, _rows_of_pairs(k), "the distances between centroids")


def similarities(anchor: Array, shift: Array, spread: Array, rms: Array) -> Array:
    """Davies and Bouldin's R of every pair, zero on the diagonal; does not wait for the device.

    Parameters
    ----------
    anchor, shift, spread, rms : ndarray
        As in `worst_partners`.

    Returns
    -------
    cupy.ndarray of shape (n_clusters, n_clusters), float64
    """
    centroids = _Centroids.of(anchor, shift)
    k = len(anchor)

    def work(rows: int) -> Array:
        out: Array = cp.empty((k, k))
        for part, _, similarity in _similarity_blocks(centroids, spread, rms, rows):
            _set_diagonal(similarity, part.start, 0.0)
            out[part] = similarity
        return out

    return with_smaller_blocks(work, _rows_of_pairs(k), "the distances between centroids")


def _rows_of_pairs(k: int) -> int:
    """Rows of a table of pairs of centroids to handle at once: its distances, its similarities, and their bits."""
    return max(1, min(k, DEVICE_BLOCK // k, available_bytes() // (3 * 8 * k)))


def _similarity_blocks(
    centroids: _Centroids, spread: Array, rms: Array, rows: int
) -> Iterator[tuple[slice, Array, Array]]:
    """Yield some clusters at a time, their centroids' distances to all (inf to themselves), and R with all.

    Distances are 0 within the rounding of the two means, since they coincide then. Both tables are used again.
    """
    anchor, shift, _, centre, norms = centroids
    k, d = anchor.shape
    spread, rms = cp.asarray(spread), cp.asarray(rms)
    workspace = cp.empty((2, min(rows, k), k))
    for part in spans(k, rows):
        m = part.stop - part.start
        gaps, similarity = workspace[0, :m], workspace[1, :m]
        cp.matmul(centre[part], centre.T, out=gaps)
        launch_rows("centroid_gaps", m, gaps, m, k, part.start, anchor, shift, d, norms, rms, CLOSE, float(COINCIDENT))
        cp.add(spread[part, None], spread, out=similarity)
        similarity /= gaps
        yield part, gaps, similarity


def _largest(table: Array) -> Array:
    """Where the largest entry of each row is, the first of equal ones; nan is larger than any number, as in NumPy."""
    missing = cp.isnan(table)
    return cp.where(missing.any(axis=1), missing.argmax(axis=1), table.argmax(axis=1))  # type: ignore[no-any-return]


def _set_diagonal(table: Array, start: int, value: float) -> None:
    """Set the entries of clusters `start`, `start` + 1, ... with themselves; their rows are the table's."""
    table.reshape(-1)[start :: table.shape[1] + 1] = value
