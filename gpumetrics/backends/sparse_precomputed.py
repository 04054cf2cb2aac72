"""Sums over a sparse matrix of precomputed distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import spans

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array


def sparse_sums(features: Features, codes: Array, sizes: Array, rows: Array | None = None) -> tuple[Array, Array]:
    """Sum of distances to the own cluster and mean distance to the nearest other, from a sparse matrix.

    Parameters
    ----------
    features : Features
        The sparse matrix, and which of its rows (and columns) are meant.
    codes : ndarray of shape (n_samples,), int64
    sizes : ndarray of shape (n_clusters,), int64
    rows : ndarray of int64, optional
        Only these rows.
    """
    from scipy.sparse import csr_array

    n, k = len(codes), len(sizes)
    index = np.arange(n) if features.index is None else features.index
    columns = features.data.shape[1]
    indicator = csr_array((np.ones(n), (index, codes)), shape=(columns, k))
    asked = np.arange(n) if rows is None else rows
    own, nearest = np.empty(len(asked)), np.empty(len(asked))
    for block in spans(len(asked), max(1, (1 << 22) // k)):
        here = asked[block]
        sums = (features.data[index[here]] @ indicator).toarray()
        at = np.arange(len(here)), codes[here]
        own[block] = sums[at]
        sums /= sizes
        sums[at] = np.inf
        nearest[block] = sums.min(axis=1)
    return own, nearest
