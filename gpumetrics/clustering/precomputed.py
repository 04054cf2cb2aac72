"""Checks of a precomputed distance matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["check_precomputed"]


def check_precomputed(features: Features) -> None:
    """Check that X is a square matrix of distances: non-negative, zero on the diagonal, no pair missing.

    Raises
    ------
    ValueError
        Says which of these fails, and where.
    """
    n, m = features.data.shape
    if n != m:
        msg = f"Precomputed metric requires shape (n_queries, n_indexed). Got ({n}, {m}) for {n} indexed."
        raise ValueError(msg)
    diagonal = abs(features.data.diagonal())
    kind = features.data.dtype
    tolerance = np.finfo(kind).eps * 100 if kind.kind == "f" else 0
    if (diagonal > tolerance).any():
        msg = "The precomputed distance matrix contains non-zero elements on the diagonal. Use np.fill_diagonal(X, 0)."
        raise ValueError(msg)
    lowest = features.data.min() if features.offset is not None or features.sparse else features.low.min()
    if lowest < 0:
        msg = (
            "Negative values in data passed to `pairwise_distances`. Precomputed distance  need to have "
            f"non-negative values; the smallest value of X is {lowest}."
        )
        raise ValueError(msg)
    if features.sparse:
        _check_no_pair_missing(features.data)


def _check_no_pair_missing(matrix: Any) -> None:
    """Refuse a neighbour graph: an absent pair can be at distance 0 only if its rows are the same.

    Rows that are the same are found by their stored entries; then each row must store a distance to every row
    outside its group.
    """
    n = matrix.shape[0]
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))
    off_diagonal = rows != matrix.indices
    if np.count_nonzero(off_diagonal) == n * (n - 1):
        return
    group = _groups_of_equal_rows(matrix)
    size = np.bincount(group)[group]
    outside = off_diagonal & (group[rows] != group[matrix.indices])
    stored = np.bincount(rows[outside], minlength=n)
    short = np.flatnonzero(stored < n - size)
    if not len(short):
        return
    row = int(short[0])
    present = np.zeros(n, dtype=bool)
    present[matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]] = True
    column = int(np.flatnonzero(~present & (group != group[row]))[0])
    missing = n * (n - 1) - int(np.count_nonzero(off_diagonal))
    msg = (
        f"the sparse precomputed matrix X has no distance between rows {row} and {column} ({missing} of "
        f"{n * (n - 1)} pairs are missing). A neighbour graph is not a distance matrix: an absent entry means "
        "distance 0 only between identical rows. Pass all distances, or the features with a metric."
    )
    raise ValueError(msg)


def _groups_of_equal_rows(matrix: Any) -> Array:
    """Number the distinct rows, by the bytes of their non-zero entries."""
    cleaned = matrix.copy()
    cleaned.eliminate_zeros()
    numbers: dict[bytes, int] = {}
    group = np.empty(matrix.shape[0], dtype=np.int64)
    for row in range(matrix.shape[0]):
        part = slice(cleaned.indptr[row], cleaned.indptr[row + 1])
        key = cleaned.indices[part].tobytes() + cleaned.data[part].tobytes()
        group[row] = numbers.setdefault(key, len(numbers))
    return group
