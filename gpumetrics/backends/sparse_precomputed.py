"""Sums over a sparse matrix of precomputed distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import spans
from gpumetrics.config import current

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["sparse_cell_sums", "sparse_sums"]

MOST_SUMS = 1 << 22  # at a time, in any working memory
SHARE = 0.25  # of the working memory


def sparse_cell_sums(
    features: Features, codes: Array, n_cells: int, rows: Array | None = None
) -> Iterator[tuple[slice, Array]]:
    """Yield (which of the rows asked for, the sums of their distances to each cell), from a sparse matrix.

    Parameters
    ----------
    features : Features
        The sparse matrix, and which of its rows (and columns) are meant.
    codes : ndarray of shape (n_samples,), int64
        Cell of each row.
    n_cells : int
    rows : ndarray of int64, optional
        Only these rows.
    """
    from scipy.sparse import csr_array

    n = len(codes)
    index = np.arange(n) if features.index is None else features.index
    indicator = csr_array((np.ones(n), (index, codes)), shape=(features.data.shape[1], n_cells))
    asked = index if rows is None else index[rows]
    most = min(MOST_SUMS, int(SHARE * current().working_memory * 2**20 / 8))
    for part in spans(len(asked), max(1, most // n_cells)):
        yield part, (features.data[asked[part]] @ indicator).toarray()


def sparse_sums(features: Features, codes: Array, sizes: Array, rows: Array | None = None) -> tuple[Array, Array]:
    """Sum of distances to the own cluster and mean distance to the nearest other; as `sparse_cell_sums`."""
    own_codes = codes if rows is None else codes[rows]
    own, nearest = np.empty(len(own_codes)), np.empty(len(own_codes))
    for part, sums in sparse_cell_sums(features, codes, len(sizes), rows):
        at = np.arange(len(sums)), own_codes[part]
        own[part] = sums[at]
        means = sums / sizes
        means[at] = np.inf
        nearest[part] = means.min(axis=1)
    return own, nearest
