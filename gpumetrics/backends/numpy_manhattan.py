"""Manhattan silhouettes from sorted features: O(n d (log n + k)) instead of O(n^2 d)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.config import current
from gpumetrics.features import BLOCK

COLUMNS = 8  # features that are read at a time, since rows are read in blocks

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array


def manhattan_sums(features: Features, codes: Array, sizes: Array) -> tuple[Array, Array]:
    """Sum of distances to the own cluster and mean distance to the nearest other cluster, for each row.

    Along one feature, the distances from a value to the members of a cluster below it are a running sum of
    gaps times the number of members passed; likewise above it. All terms are positive, so nothing cancels.

    Parameters
    ----------
    features : Features
    codes : ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64

    Returns
    -------
    own, nearest : ndarray of shape (n_samples,), float64
    """
    n, k = features.n_samples, len(sizes)
    own, nearest = np.zeros(n), np.full(n, np.inf)
    for part in spans(k, _clusters_at_once(n)):
        sums = _cluster_chunk(features, codes, sizes, part)  # (n_clusters of the part, n_samples)
        mine = np.flatnonzero((codes >= part.start) & (codes < part.stop))
        at = codes[mine] - part.start, mine
        own[mine] = sums[at]
        sums /= sizes[part, None]
        sums[at] = np.inf
        np.minimum(nearest, sums.min(axis=0), out=nearest)
    return own, nearest


def sorting_is_faster(n_samples: int, n_clusters: int) -> bool:
    """Whether the sorted form is expected to be faster than all pairs of rows."""
    passes = -(-n_clusters // _clusters_at_once(n_samples))
    return 8.0 * n_clusters + 100 * passes < 0.3 * n_samples


def _clusters_at_once(n_samples: int) -> int:
    # Each thread holds its sums and four working tables of one float64 for each (cluster, row), and some columns.
    budget = current().working_memory * 2**20 * 0.75 / n_threads() - COLUMNS * 8 * n_samples
    return max(1, int(budget / (5 * 8 * n_samples)))


def _cluster_chunk(features: Features, codes: Array, sizes: Array, part: slice) -> Array:
    d = features.n_features
    threads = min(n_threads(), d)
    edges = np.linspace(0, d, threads + 1).astype(int)

    def stretch(t: int) -> Array:
        total = np.zeros((part.stop - part.start, features.n_samples))
        for group in spans(int(edges[t + 1] - edges[t]), COLUMNS):
            columns = _columns(features, int(edges[t]) + group.start, int(edges[t]) + group.stop)
            for values in columns:
                _add_feature(total, values, codes, sizes, part)
        return total

    parts = thread_map(stretch, range(threads))
    for other in parts[1:]:
        parts[0] += other
    return parts[0]


def _columns(features: Features, start: int, stop: int) -> Array:
    """Some columns of X as rows, (stop - start, n_samples) float64."""
    out = np.empty((stop - start, features.n_samples))
    for block in spans(features.n_samples, max(1, BLOCK // features.n_features)):
        out[:, block] = features.rows(block)[:, start:stop].T
    return out


def _add_feature(total: Array, values: Array, codes: Array, sizes: Array, part: slice) -> None:
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order])
    sorted_codes = codes[order] - part.start
    here = np.flatnonzero((sorted_codes >= 0) & (sorted_codes < part.stop - part.start))
    passed = np.zeros(total.shape)
    passed[sorted_codes[here], here] = 1
    np.cumsum(passed, axis=1, out=passed)
    below = np.zeros(total.shape)
    np.cumsum(passed[:, :-1] * gaps, axis=1, out=below[:, 1:])
    ahead = sizes[part, None] - passed[:, :-1]
    ahead *= gaps
    below[:, :-1] += np.cumsum(ahead[:, ::-1], axis=1)[:, ::-1]
    total[:, order] += below
