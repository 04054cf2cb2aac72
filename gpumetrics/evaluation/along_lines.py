"""Pairs of clusters along the line through their centres: how far apart these are, and how far the rows spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.backends.threads import spans
from gpumetrics.evaluation.row_draws import rows_by_stratum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.features import Features
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["MOST_ROWS", "along_lines"]

MOST_ROWS = 4096  # of a cluster from which its spread along a line is taken: a standard error of about 1 %
MOST_LINES = 256  # of one large cluster at a time


def along_lines(features: Features, codes: Array, moments: ClusterMoments, i: Array, j: Array) -> tuple[Array, Array]:
    """Measure pairs of clusters along the line through their centres.

    Parameters
    ----------
    features : Features
    codes : array of shape (n_samples,), int64
    moments : ClusterMoments
        Of these features and codes.
    i, j : ndarray of shape (n_pairs,), int64
        The clusters of each pair; on the host.

    Returns
    -------
    distance : ndarray of shape (n_pairs,), float64
        Of the centres; like the other, in units of ``1 / moments.scale`` and on the host.
    deviation : ndarray of shape (n_pairs,), float64
        Root mean square of the standard deviations of the two clusters along the line.
    """
    ends, n = np.concatenate([i, j]), len(i)
    sides = np.argsort(ends, kind="stable")
    mine, other = ends[sides], np.concatenate([j, i])[sides]
    order = as_host(rows_by_stratum(codes, len(moments.size)))
    distance, variance = np.zeros(2 * n), np.zeros(2 * n)
    for part in _parts(mine, moments.size, features.block_rows // 2):
        line, length = _lines(moments, mine[part], other[part])
        distance[sides[part]] = as_host(length)
        variance[sides[part]] = _variances(features, moments, order, mine[part], line)
    return distance[:n], np.sqrt((variance[:n] + variance[n:]) / 2)


def _parts(mine: Array, size: Array, most: int) -> Iterator[Array]:
    """Yield places in `mine`, which is ascending: small clusters together, each of the large ones by itself."""
    starts = np.flatnonzero(np.diff(mine, prepend=-1))
    lines = np.diff(starts, append=len(mine))
    work = lines * np.minimum(size[mine[starts]], MOST_ROWS)
    large = work > most
    small = np.flatnonzero(~np.repeat(large, lines))
    block = np.cumsum(np.where(large, 0, work)) // max(most, 1)
    yield from (part for part in np.split(small, _changes(np.repeat(block, lines)[small])) if len(part))
    for start, count in zip(starts[large], lines[large], strict=True):
        yield from (start + np.arange(part.start, part.stop) for part in spans(count, MOST_LINES))


def _changes(ascending: Array) -> Array:
    return np.flatnonzero(np.diff(ascending)) + 1


def _lines(moments: ClusterMoments, a: Array, b: Array) -> tuple[Array, Array]:
    """Return the directions from the centres of `a` to those of `b`, as unit vectors, and the distances."""
    anchor, shift = moments.anchor, moments.shift
    xp, a, b = array_module(anchor), beside(a, anchor), beside(b, anchor)
    line = (anchor[b] - anchor[a]) + (shift[b] - shift[a])
    length = xp.sqrt((line * line).sum(axis=1))
    line /= xp.where(length == 0, 1.0, length)[:, None]
    return line, length


def _variances(features: Features, moments: ClusterMoments, order: Array, mine: Array, line: Array) -> Array:
    """Variance of the rows of each of the clusters `mine` along its line, on the host."""
    clusters, which = np.unique(mine, return_inverse=True)
    rows, counts = _some_rows(order, moments.size, clusters)
    own = beside(np.repeat(clusters, counts), line)
    block = beside(features.rows(beside(rows, features.data)), line)
    block = (block - moments.anchor[own]) - moments.shift[own]
    if len(clusters) == 1:
        return as_host((block @ line.T).var(axis=0))
    first, counts = (np.cumsum(counts) - counts)[which], counts[which]
    starts = np.cumsum(counts) - counts
    side = np.repeat(np.arange(len(mine)), counts)
    at = np.arange(len(side)) + (first - starts)[side]
    along = as_host(array_module(line).einsum("ij,ij->i", block[beside(at, line)], line[beside(side, line)]))
    along = along - (np.add.reduceat(along, starts) / counts)[side]
    out: Array = np.add.reduceat(along * along, starts) / counts
    return out


def _some_rows(order: Array, size: Array, clusters: Array) -> tuple[Array, Array]:
    """Return rows of each cluster, of a large one some evenly spaced, and how many; `order` has all by cluster."""
    starts = (np.cumsum(size) - size)[clusters]
    counts = np.minimum(size[clusters], MOST_ROWS)
    cluster = np.repeat(np.arange(len(clusters)), counts)
    place = np.arange(len(cluster)) - (np.cumsum(counts) - counts)[cluster]
    return order[starts[cluster] + place * size[clusters][cluster] // counts[cluster]], counts
