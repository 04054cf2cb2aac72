"""Cluster moments on the CPU: sums over the rows of each cluster, in two passes over X."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.features import SAFE_EXPONENT

FAR_ANCHOR = 100  # times the spread: beyond it the sum of squares about the anchor has lost two digits
NEAR_ORIGIN = 16  # times the spread: up to it sums of the rows themselves lose next to nothing
BLOCK = 1 << 17  # elements of a block, whose float64 copy leaves room for a table of sums in a core's cache
SMALL = 1 << 18  # elements of a table for which threads take longer to start than they save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.features import Features
    from gpumetrics.types import Array


def cluster_means(
    features: Features, codes: Array, sizes: Array, *, squares: bool = True
) -> tuple[Array, Array, Array]:
    """Centroids as ``anchor + shift``: a row of each cluster and the mean deviation from it; one pass.

    A rounded mean would cost digits far from the origin, and would leave spread in a cluster of equal rows;
    differences from a row of the cluster do neither.

    Parameters
    ----------
    features : Features
    codes : ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64
    squares : bool
        Whether the sums of squares are wanted.

    Returns
    -------
    anchor, shift : ndarray of shape (n_clusters, n_features), float64
    within : ndarray of shape (n_clusters,), float64
        Sum of squared distances to the centroid; nan where it is not wanted, or where the anchor is too far out
        for it to be exact.
    """
    plain = _plain_means(features, codes, sizes)
    if plain is not None:
        return plain
    first = np.empty(len(sizes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last write wins: the first row of each cluster
    anchor = features.rows(first)
    shift, about_anchor = _deviation_sums(features, codes, anchor, len(sizes), with_squares=squares)
    shift /= sizes[:, None]
    if not squares:
        return anchor, shift, np.full(len(sizes), np.nan)
    moved = sizes * np.vecdot(shift, shift)
    within = about_anchor - moved
    within[about_anchor > FAR_ANCHOR * within] = np.nan
    return anchor, shift, np.where(about_anchor == 0, 0.0, within)


def _plain_means(features: Features, codes: Array, sizes: Array) -> tuple[Array, Array, Array] | None:
    """Take the origin for the anchor of all clusters, which saves a third of the time; None if one is too far out."""
    largest = max(np.abs(features.low).max(), np.abs(features.high).max())
    if features.scale != 1.0 or features.constant is not None or largest >= 2.0**SAFE_EXPONENT:
        return None
    reach, middle = features.high - features.low, (features.low + features.high) / 2
    if features.transform is None and middle @ middle > NEAR_ORIGIN * (reach @ reach):
        return None  # far out as a whole
    origin = np.zeros((len(sizes), features.n_features))
    shift, about_origin = _deviation_sums(features, codes, None, len(sizes), with_squares=True)
    shift /= sizes[:, None]
    moved = sizes * np.vecdot(shift, shift)
    alone = sizes == 1  # their sums are the rows themselves
    within = np.where(alone, 0.0, about_origin - moved)
    total = within.sum()
    if np.any(np.where(alone, moved * len(codes), moved) > NEAR_ORIGIN * np.where(alone, total, within)):
        return None
    return origin, shift, within


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

    def one(stretch: slice) -> tuple[Array, Array]:
        within, distance = np.zeros(k), np.zeros(k)
        for own, deviation in _deviations(features, codes, stretch, centre, k):
            squares = np.vecdot(deviation, deviation)
            within += np.bincount(own, squares, k)
            distance += np.bincount(own, np.sqrt(squares), k)
        return within, distance

    within, distance = (sum(part, np.zeros(k)) for part in zip(*_by_stretch(one, features), strict=True))
    return within, distance


def _deviation_sums(
    features: Features, codes: Array, anchor: Array | None, k: int, *, with_squares: bool
) -> tuple[Array, Array]:
    """By cluster: sum of the deviations from the anchor (k, d), and of their squared lengths (k,)."""
    d = features.n_features
    # A table of sums for each thread must not outgrow X.
    threads = max(1, min(threads_for(features), features.n_samples // max(1, k)))

    def one(stretch: slice) -> tuple[Array, Array]:
        total, squares = np.zeros((k, d)), np.zeros(k)
        by_cluster = _ByCluster(k)
        for own, deviation in _deviations(features, codes, stretch, () if anchor is None else (anchor,), k):
            total += by_cluster.sums(own, deviation)
            if with_squares:
                squares += np.bincount(own, np.vecdot(deviation, deviation), k)
        return total, squares

    parts = _by_stretch(one, features, threads)
    for total, squares in parts[1:]:
        parts[0][0][:] += total
        parts[0][1][:] += squares
    return parts[0]


class _ByCluster:
    """Sums of rows by cluster: a product with a matrix of one 1 per row, which adds row after row without sorting."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.matrix: Any = None

    def sums(self, codes: Array, rows: Array) -> Array:
        """Return the sums of the rows of each cluster, (k, d)."""
        from scipy.sparse import csc_array

        m = len(codes)
        if self.matrix is None or self.matrix.shape[1] != m:
            self.matrix = csc_array((np.ones(m), codes, np.arange(m + 1)), shape=(self.k, m))
            self.matrix.indptr = np.arange(m + 1)  # as wide as the codes
        self.matrix.indices = codes  # a new matrix would be checked, and its indices converted, at three times the cost
        out: Array = self.matrix @ rows
        return out


def _by_stretch(
    work: Callable[[slice], tuple[Array, Array]], features: Features, threads: int | None = None
) -> list[tuple[Array, Array]]:
    """Give each thread one stretch of rows; results come in the order of the stretches, so that sums never vary."""
    threads = threads or threads_for(features)
    return thread_map(work, spans(features.n_samples, max(1, -(-features.n_samples // threads))), threads=threads)


def _deviations(
    features: Features, codes: Array, stretch: slice, centre: tuple[Array, ...], k: int
) -> Iterator[tuple[Array, Array]]:
    """Rows less their own cluster's centre, given as a sum of tables (k, d), which may be empty: by blocks."""
    step = block_rows(features, k)
    buffer = np.empty((min(step, stretch.stop - stretch.start), features.n_features) if centre else 0)
    for start in range(stretch.start, stretch.stop, step):
        block = slice(start, min(start + step, stretch.stop))
        own = codes[block]
        if not centre:
            yield own, features.rows(block)
            continue
        deviation = buffer[: len(own)]
        np.take(centre[0], own, axis=0, out=deviation, mode="clip")  # "clip" writes to `out` without a copy
        features.less(block, deviation)
        for part in centre[1:]:
            deviation -= np.take(part, own, axis=0)
        yield own, deviation


def block_rows(features: Features, k: int) -> int:
    """Rows of a block: a part of one core's cache, and at least k / 4, since each block costs a table of k sums."""
    return max(1, BLOCK // features.n_features, min(k // 4, 1 << 16))


def threads_for(features: Features, work: int = 1) -> int:
    """Threads for a pass over X with so many multiplications for each number: one where it is soon done."""
    return 1 if features.n_samples * features.n_features * work < SMALL else n_threads()
