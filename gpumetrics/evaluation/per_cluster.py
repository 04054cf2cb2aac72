"""One row per cluster: how large, how tight, how well set apart, and from which neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["named", "silhouette_by_cluster"]


def silhouette_by_cluster(values: Array, codes: Array, n_clusters: int) -> dict[str, Array]:
    """Summarise silhouettes per cluster; nan for a cluster of which no row was evaluated.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Silhouettes of rows, all finite.
    codes : ndarray of shape (n_rows,)
        Cluster of each row, 0..n_clusters-1.
    n_clusters : int

    Returns
    -------
    dict
        ``silhouette_mean``, ``silhouette_median`` and ``share_negative``, each of shape (n_clusters,).
    """
    size = np.bincount(codes, minlength=n_clusters)
    empty = size == 0
    divisor = np.where(empty, 1, size)
    mean = np.bincount(codes, weights=values, minlength=n_clusters) / divisor
    negative = np.bincount(codes, weights=(values < 0).astype(float), minlength=n_clusters) / divisor
    out: dict[str, Array] = {
        "silhouette_mean": mean,
        "silhouette_median": _medians(values, codes, size),
        "share_negative": negative,
    }
    return {key: np.where(empty, np.nan, column) for key, column in out.items()}


def _medians(values: Array, codes: Array, size: Array) -> Array:
    """Return the median of each group from one sort; groups without values get a number to be ignored."""
    if not len(values):
        return np.zeros(len(size))
    ordered = values[np.lexsort((values, codes))]
    start = np.cumsum(size) - size
    last = len(values) - 1
    low = np.clip(start + (size - 1) // 2, 0, last)
    high = np.clip(start + size // 2, 0, last)
    middle: Array = (ordered[low] + ordered[high]) / 2
    return middle


def named(classes: Array, index: Array | None) -> Array:
    """Return the labels at these indices; a column of None where there are no indices."""
    if index is None:
        return np.full(len(classes), None, dtype=object)
    labels: Array = classes[index]
    return labels
