"""Sums over labels, and the entries that two sparse indicator matrices share, for NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["label_sums", "shared_entries", "sum_of_sizes"]

EXACT = 2**53  # integers below it are exact in float64
LARGEST = 2**63


def label_sums(codes: Array, n_labels: int, weights: Array | None = None) -> Array:
    """Count the rows of each label, or add up their weights.

    Parameters
    ----------
    codes : ndarray of integers, shape (n,)
        From 0 to n_labels - 1.
    n_labels : int
    weights : ndarray of int64 or float64, shape (n,), optional

    Returns
    -------
    ndarray of shape (n_labels,), int64, or float64 where weights are
        NumPy's. Sums of integers are exact; those of floats are added in the order of the rows.

    Raises
    ------
    ValueError
        If a sum of integers may not fit into int64.
    """
    if weights is None:
        return np.bincount(codes, minlength=n_labels)
    if weights.dtype.kind == "f":  # of no codes at all, bincount gives integers
        return np.bincount(codes, weights=weights, minlength=n_labels).astype(np.float64, copy=False)
    if sum_of_sizes(weights) < EXACT:
        return np.bincount(codes, weights=weights, minlength=n_labels).astype(np.int64)
    sums = np.zeros(n_labels, dtype=np.int64)
    np.add.at(sums, codes, weights)
    return sums


def sum_of_sizes(weights: Array) -> int:
    """Sum of the absolute values of int64 weights of NumPy or CuPy, as a Python integer; below 2**63, or an error."""
    sizes = abs(weights).view(np.uint64)  # of -2**63 too
    total = (int((sizes >> np.uint64(32)).sum()) << 32) + int((sizes & np.uint64(2**32 - 1)).sum())
    if total >= LARGEST:
        msg = f"sample_weight adds up to {total}, which int64 cannot hold: divide the weights by a constant."
        raise ValueError(msg)
    return total


def shared_entries(true: tuple[Array, Array], pred: tuple[Array, Array], n_labels: int) -> tuple[Array, Array]:
    """Find the entries that two sparse 0/1 matrices of one shape share.

    Parameters
    ----------
    true, pred : tuple of two ndarrays
        ``indptr`` and ``indices`` of CSR, the indices of each row ascending and without repetition.
    n_labels : int
        Columns.

    Returns
    -------
    indptr, indices : ndarray
        The same of the intersection. O(n + entries) time and memory, whatever `n_labels` is.
    """
    from scipy.sparse import csr_array

    def matrix(rows: tuple[Array, Array]) -> csr_array:
        indptr, indices = rows
        made = csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(len(indptr) - 1, n_labels))
        made.has_canonical_format = True  # known: SciPy would look through all of it
        return made

    both = matrix(true).multiply(matrix(pred)).tocsr()
    return both.indptr, both.indices
