"""Cluster moments on the CPU: sums over the rows of each cluster, in two passes over X."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.features import BLOCK

FAR_ANCHOR = 100  # times the spread: beyond it the sum of squares about the anchor has lost two digits

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array


def cluster_means(features: Features, codes: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Centroids as ``anchor + shift``: a row of each cluster and the mean deviation from it; one pass.

    A rounded mean would cost digits far from the origin, and would leave spread in a cluster of equal rows;
    differences from a row of the cluster do neither.

    Parameters
    ----------
    features : Features
    codes : ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64

    Returns
    -------
    anchor, shift : ndarray of shape (n_clusters, n_features), float64
    within : ndarray of shape (n_clusters,), float64
        Sum of squared distances to the centroid; nan where the anchor is too far out for it to be exact.
    """
    first = np.empty(len(sizes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last write wins: the first row of each cluster
    anchor = features.rows(first)
    shift, about_anchor = _deviation_sums(features, codes, anchor)
    shift /= sizes[:, None]
    moved = sizes * np.vecdot(shift, shift)
    within = about_anchor - moved
    within[about_anchor > FAR_ANCHOR * within] = np.nan
    return anchor, shift, np.where(about_anchor == 0, 0.0, within)


def cluster_spreads(features: Features, codes: Array, anchor: Array, shift: Array) -> tuple[Array, Array]:
    """Sums of squared distances, and of distances, to the centroids: float64 of shape (n_clusters,); one pass."""
    centre = anchor + shift
    residue = (anchor - centre) + shift  # what rounding took from the centre
    within, distance = _spread_sums(features, codes, (centre,))
    if np.any(np.vecdot(residue, residue) * len(codes) > (1e-12 * distance) ** 2):
        # Far from the origin even a rounded centre is off by too much: take the difference in two steps.
        within, distance = _spread_sums(features, codes, (anchor, shift))
    return within, distance


def _spread_sums(features: Features, codes: Array, centre: tuple[Array, ...]) -> tuple[Array, Array]:
    k = len(centre[0])

    def one(block: slice) -> tuple[Array, Array]:
        squares = own_squares(features.rows(block), codes[block], centre)
        return np.bincount(codes[block], squares, k), np.bincount(codes[block], np.sqrt(squares), k)

    within, distance = np.zeros(k), np.zeros(k)
    blocks = spans(features.n_samples, block_rows(features, k))
    for group in spans(len(blocks), 256):  # bounds how many partial sums are held
        for part_within, part_distance in thread_map(one, blocks[group], threads=threads_for(features)):
            within += part_within
            distance += part_distance
    return within, distance


def own_squares(rows: Array, codes: Array, centre: tuple[Array, ...]) -> Array:
    """Squared distance of each row to its own cluster's centre, given as the sum of one or two arrays."""
    deviation = np.take(centre[0], codes, axis=0)
    np.subtract(rows, deviation, out=deviation)
    for part in centre[1:]:
        deviation -= np.take(part, codes, axis=0)
    squares: Array = np.vecdot(deviation, deviation)
    return squares


def _deviation_sums(features: Features, codes: Array, anchor: Array) -> tuple[Array, Array]:
    """By cluster: sum of the deviations from the anchor (k, d), and of their squared lengths (k,).

    Each thread owns one stretch of rows, and the stretches are added in order.
    """
    n, (k, d) = features.n_samples, anchor.shape
    threads = threads_for(features)
    if k * d * threads > max(n * d, BLOCK):  # a table of sums for each thread would outgrow X
        threads = 1

    def one(part: slice) -> tuple[Array, Array]:
        from scipy.sparse import csc_array

        total, squares = np.zeros((k, d)), np.zeros(k)
        step = block_rows(features, k)
        for start in range(part.start, part.stop, step):
            block = slice(start, min(start + step, part.stop))
            own = codes[block]
            deviation = np.take(anchor, own, axis=0)
            np.subtract(features.rows(block), deviation, out=deviation)
            # One 1 per row: the product adds row after row to its cluster, without sorting.
            m = len(own)
            total += csc_array((np.ones(m), own, np.arange(m + 1)), shape=(k, m)) @ deviation
            squares += np.bincount(own, np.vecdot(deviation, deviation), k)
        return total, squares

    parts = thread_map(one, spans(n, max(1, -(-n // threads))), threads=threads)
    for total, squares in parts[1:]:
        parts[0][0][:] += total
        parts[0][1][:] += squares
    return parts[0]


def block_rows(features: Features, k: int) -> int:
    """Rows of a block: one core's cache full, and at least k / 4, since each block costs a table of k sums."""
    return max(1, BLOCK // features.n_features, min(k // 4, 1 << 16))


def threads_for(features: Features) -> int:
    """Threads for a pass over X: one where it is soon done."""
    return 1 if features.n_samples * features.n_features < BLOCK else n_threads()
