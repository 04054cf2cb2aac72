"""Sums over labels, and the entries that two sparse indicator matrices share, on a GPU.

Integers may be added in any order. Floats are sorted by label and added in chunks of a fixed order, never atomically.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cupy as cp
import numpy as np

from gpumetrics.backends.cupy_labels import label_counts
from gpumetrics.backends.cupy_moments import add_sums, chunks_of
from gpumetrics.backends.numpy_counts import sum_of_sizes

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["label_sums", "shared_entries"]


def label_sums(codes: Array, n_labels: int, weights: Array | None = None) -> Array:
    """Count the rows of each label, or add up their weights; waits for the device, for the sums.

    Parameters
    ----------
    codes : cupy.ndarray of integers, shape (n,)
        From 0 to n_labels - 1.
    n_labels : int
    weights : cupy.ndarray of int64 or float64, shape (n,), optional

    Returns
    -------
    ndarray of shape (n_labels,), int64, or float64 where weights are
        NumPy's. Sums of integers are exact; those of floats have the same bits each time.

    Raises
    ------
    ValueError
        If a sum of integers may not fit into int64.
    """
    if not len(codes):
        return np.zeros(n_labels, dtype=np.int64 if weights is None else weights.dtype)
    if weights is None:
        return label_counts(codes.astype(np.int64, copy=False), n_labels)
    if weights.dtype.kind == "f":
        total = cp.zeros((n_labels, 1))
        add_sums(chunks_of(codes, n_labels), weights[:, None], total)
        return total.ravel().get()  # type: ignore[no-any-return]
    return _integer_sums(codes, n_labels, weights)


def _integer_sums(codes: Array, n_labels: int, weights: Array) -> Array:
    """Sums as differences of running sums, which are exact even where these wrap; none of them may."""
    sum_of_sizes(weights)
    order = codes.argsort()
    ends = cp.searchsorted(codes.take(order), cp.arange(n_labels + 1))
    running = cp.zeros(len(codes) + 1, dtype=np.int64)
    running[1:] = weights.take(order).cumsum()
    at_ends = running.take(ends)
    sums: Array = (at_ends[1:] - at_ends[:-1]).get()
    return sums


def shared_entries(true: tuple[Array, Array], pred: tuple[Array, Array], n_labels: int) -> tuple[Array, Array]:
    """Find the entries that two sparse 0/1 matrices of one shape share; waits for the device, for their number.

    Parameters
    ----------
    true, pred : tuple of two cupy.ndarrays
        ``indptr`` and ``indices`` of CSR, the indices of each row ascending and without repetition.
    n_labels : int
        Columns.

    Returns
    -------
    indptr, indices : cupy.ndarray of int64
        The same of the intersection. O(n + entries) memory, whatever `n_labels` is.
    """
    if not len(true[1]) or not len(pred[1]):
        return cp.zeros(len(pred[0]), dtype=np.int64), cp.empty(0, dtype=np.int64)
    mine, theirs = _keys(*true, n_labels), _keys(*pred, n_labels)
    at = cp.minimum(cp.searchsorted(mine, theirs), len(mine) - 1)
    shared = mine.take(at) == theirs
    running = cp.zeros(len(shared) + 1, dtype=np.int64)
    running[1:] = shared.cumsum()
    return running.take(pred[0]), pred[1][shared].astype(np.int64)


def _keys(indptr: Array, indices: Array, n_labels: int) -> Array:
    """One ascending number for each entry."""
    rows = cp.searchsorted(indptr[1:], cp.arange(len(indices), dtype=indptr.dtype), side="right")
    keys: Array = rows * n_labels + indices
    return keys
