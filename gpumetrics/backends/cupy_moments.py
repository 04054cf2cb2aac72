"""Cluster moments on a GPU: sums over the rows of each cluster, in two passes over X.

The rows of a block are sorted by cluster and added up in chunks; then the chunks of each cluster, in order. Nothing is
added atomically, so that sums never vary, and the host never waits for a block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import cupy as cp
import numpy as np

from gpumetrics.backends.array_modules import beside
from gpumetrics.backends.cupy_kernels import launch_threads
from gpumetrics.backends.cupy_memory import available_bytes, with_smaller_blocks
from gpumetrics.backends.cupy_rows import device_blocks, on_device
from gpumetrics.backends.numpy_moments import FAR_ANCHOR
from gpumetrics.backends.threads import spans
from gpumetrics.features import DEVICE_BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["add_sums", "chunks_of", "cluster_means", "cluster_spreads", "row_bytes", "squared_lengths"]

CHUNK = 128  # rows that one thread adds up


def cluster_means(
    features: Features, codes: Array, sizes: Array, *, squares: bool = True
) -> tuple[Array, Array, Array]:
    """Centroids as ``anchor + shift``: a row of each cluster and the mean deviation from it; one pass.

    Waits for the device once, at the end, if `squares` are wanted; and for the numbers of the anchors' rows where
    `features` lie on the host.

    Parameters
    ----------
    features : Features
    codes : cupy.ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64
    squares : bool
        Whether the sums of squares are wanted.

    Returns
    -------
    anchor, shift : cupy.ndarray of shape (n_clusters, n_features), float64
    within : ndarray of shape (n_clusters,), float64
        Sum of squared distances to the centroid; nan where it is not wanted, or where the anchor is too far out
        for it to be exact.

    Raises
    ------
    MemoryError
        If even small blocks of rows do not fit into the device's memory.
    """
    k = len(sizes)

    def work(rows: int) -> tuple[Array, Array, Array]:
        anchor = _first_rows(features, codes, k, rows)
        total, about_anchor = cp.zeros(anchor.shape), cp.zeros((k, 1))
        for own, deviation in _deviations(features, codes, (anchor,), rows):
            chunks = chunks_of(own, k)
            add_sums(chunks, deviation, total)
            if squares:
                add_sums(chunks, squared_lengths(deviation)[:, None], about_anchor)
        total /= cp.asarray(sizes)[:, None]
        within = _within(about_anchor.ravel(), total, sizes, rows) if squares else np.full(k, np.nan)
        return anchor, total, within

    return with_smaller_blocks(work, _block_rows(features, k), "the centroids")


def cluster_spreads(features: Features, codes: Array, anchor: Array, shift: Array) -> tuple[Array, Array]:
    """Sums of squared distances, and of distances, to the centroids: float64 of shape (n_clusters,); one pass.

    They are NumPy's; the host waits for the device once, for them. The centroid is subtracted in two steps, so that
    it is never rounded.
    """
    k = len(anchor)

    def work(rows: int) -> tuple[Array, Array]:
        sums = cp.zeros((k, 2))
        for own, deviation in _deviations(features, codes, (anchor, shift), rows):
            squares = squared_lengths(deviation)
            add_sums(chunks_of(own, k), cp.stack([squares, cp.sqrt(squares)], axis=1), sums)
        within, distance = np.ascontiguousarray(sums.get().T)
        return within, distance

    return with_smaller_blocks(work, _block_rows(features, k), "the distances to the centroids")


def row_bytes(features: Features) -> int:
    """Bytes that a row takes on its way: two buffers as it is stored, converted and transformed, less a centroid."""
    stored = 0 if on_device(features) else 2 * features.data.dtype.itemsize
    steps = 3 if features.transform is None else 6
    return features.n_features * (8 * steps + stored)


def squared_lengths(rows: Array) -> Array:
    """Squared length of each row, in float64; the rows are overwritten."""
    out: Array = cp.multiply(rows, rows, out=rows).sum(axis=1)
    return out


def _block_rows(features: Features, k: int) -> int:
    """Rows of a block: what keeps the device busy, and at least k / 4, since each block costs a pass over k sums."""
    d = features.n_features
    needed = row_bytes(features) + 8 * d + 12 * 8  # with its sums, and with what sorting needs
    return max(1, min(max(DEVICE_BLOCK // d, k // 4), available_bytes() // needed, features.n_samples))


def _first_rows(features: Features, codes: Array, k: int, rows: int) -> Array:
    """The first row of each cluster, in the same bits as the passes over X see it."""
    first = cp.zeros(k, dtype=np.int64)
    for part in reversed(spans(len(codes), max(1, rows * features.n_features // 8))):
        order, begins = _sorted(codes[part], k)
        found = order.take(cp.minimum(begins[:-1], len(order) - 1))
        first = cp.where(begins[1:] > begins[:-1], found + part.start, first)
    places, parts = beside(first, features.data), spans(k, rows)
    anchor: Array = cp.empty((k, features.n_features))
    for part, block in zip(parts, device_blocks(features, [places[p] for p in parts]), strict=True):
        anchor[part] = block
    return anchor


def _deviations(
    features: Features, codes: Array, centre: tuple[Array, ...], rows: int
) -> Iterator[tuple[Array, Array]]:
    """Rows less their own cluster's centre, given as the sum of one or two arrays: by blocks, in one buffer."""
    parts = spans(features.n_samples, rows)
    buffer = cp.empty((min(rows, features.n_samples), features.n_features))
    for part, block in zip(parts, device_blocks(features, parts), strict=True):
        own = codes[part]
        deviation = cp.take(centre[0], own, axis=0, out=buffer[: len(own)])
        cp.subtract(block, deviation, out=deviation)
        for more in centre[1:]:
            deviation -= more.take(own, axis=0)
        yield own, deviation


class _Chunks(NamedTuple):
    """The rows of a block sorted by cluster, and cut into chunks of one cluster each.

    The number of chunks would have to be waited for; as many as there can be take its place, the last ones empty.
    """

    order: Array
    bounds: Array
    """Where each chunk begins, and the last ends."""
    first_chunk: Array
    """Of each of the k clusters; and the number of chunks that are not empty."""


def _sorted(own: Array, k: int) -> tuple[Array, Array]:
    """Sort the rows of a block by cluster; and where each of the k clusters begins in that order, and the last ends."""
    order = own.argsort()  # stable, as every sort of CuPy's
    return order, cp.searchsorted(own.take(order), cp.arange(k + 1))


def chunks_of(own: Array, k: int) -> _Chunks:
    """Sort the rows of a block by cluster (`own`, of k) and cut them into chunks."""
    m = len(own)
    order, begins = _sorted(own, k)
    first_chunk = cp.zeros(k + 1, dtype=np.int64)
    first_chunk[1:] = ((begins[1:] - begins[:-1] + (CHUNK - 1)) // CHUNK).cumsum()
    chunk = cp.arange(min(m, min(k, m) + m // CHUNK) + 1)
    cluster = cp.searchsorted(first_chunk, chunk, side="right") - 1  # k for the empty ones
    bounds = cp.minimum(begins.take(cluster) + (chunk - first_chunk.take(cluster)) * CHUNK, m)
    return _Chunks(order, bounds, first_chunk)


def add_sums(chunks: _Chunks, values: Array, total: Array) -> None:
    """Add the values (m, d) of a block's rows to the total (k, d) of their clusters."""
    (k, d), n_chunks = total.shape, len(chunks.bounds) - 1
    partial = cp.empty((n_chunks, d))
    launch_threads("chunk_sums", n_chunks * d, values, chunks.order, chunks.bounds, n_chunks, d, partial)
    launch_threads("fold_chunks", k * d, partial, chunks.first_chunk, cp.arange(k), k, d, total)


def _within(about_anchor: Array, shift: Array, sizes: Array, rows: int) -> Array:
    """From the squares about the anchors to those about the centroids, on the host."""
    lengths = cp.concatenate([squared_lengths(shift[part].copy()) for part in spans(len(shift), rows)])
    about, moved = cp.stack([about_anchor, lengths]).get()
    within: Array = about - sizes * moved
    within[about > FAR_ANCHOR * within] = np.nan
    return np.where(about == 0, 0.0, within)
