"""Operations on labels on a GPU: coding and joint counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cupy as cp
import numpy as np

from gpumetrics.backends import numpy_labels
from gpumetrics.backends.cupy_kernels import launch_threads

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["asarray", "encode", "joint_counts", "joint_counts_of_labels", "label_counts"]

FEW_CELLS = 8192  # whose counts fit a block's shared memory: CELLS of joint_counts.cu
THREADS = 1 << 18  # that count them: as many as a large device runs at once


def asarray(array: Array) -> Array:
    """Return an array on the current device; one on the host is copied there."""
    out: Array = cp.asarray(array)
    return out


def encode(values: Array) -> tuple[Array, Array]:
    """Code the values by their rank among the distinct ones.

    Waits for the device twice: for the range of integers, and for the classes. Text is coded on the host.

    Parameters
    ----------
    values : ndarray of shape (n,), native integers, finite float64 or fixed-width strings; or cupy.ndarray of numbers
        Read only.

    Returns
    -------
    codes : cupy.ndarray of int64, shape (n,)
        It may be `values` itself.
    classes : ndarray of shape (k,)
        Sorted, in the dtype of `values`. Of integers in a small range, the whole range: some of these
        classes may have no rows.
    """
    if not len(values):
        return cp.empty(0, dtype=np.int64), np.empty(0, dtype=values.dtype)
    if values.dtype.kind == "U":
        codes, classes = numpy_labels.encode(values)
        return cp.asarray(codes), classes
    values = cp.ascontiguousarray(cp.asarray(values))
    if values.dtype.kind in "iu":
        low, high = cp.stack([values.min(), values.max()]).get().tolist()
        if high - low < numpy_labels.most_classes(len(values)):
            return numpy_labels.encode_by_shifting(values, low, high)
    else:
        values = values + 0.0  # -0.0 becomes 0.0
    distinct, codes = cp.unique(values, return_inverse=True)
    return codes, distinct.get()


def joint_counts(codes_a: Array, codes_b: Array, n_a: int, n_b: int) -> tuple[Array, Array, Array]:
    """Count the rows of each pair of codes; waits for the device, at the end and for the number of cells.

    Parameters
    ----------
    codes_a, codes_b : cupy.ndarray of int64, shape (n,)
        Codes in 0..n_a-1 and 0..n_b-1.
    n_a, n_b : int

    Returns
    -------
    rows, cols, counts : ndarray of int64, shape (cells,)
        The cells that are not empty, in row-major order. Memory follows n, never n_a x n_b.
    """
    n, cells = len(codes_a), n_a * n_b
    if not n:
        none = np.empty(0, dtype=np.int64)
        return none, none, none
    codes_a, codes_b = cp.ascontiguousarray(codes_a), cp.ascontiguousarray(codes_b)
    if cells > max(FEW_CELLS, 4 * n + 1024):
        keys, counts = _sorted_counts(codes_a * n_b + codes_b)
    else:
        table = _count(codes_a, codes_b, n_b, cells)
        if cells <= FEW_CELLS:
            counts = table.get()
            keys = np.flatnonzero(counts)
            counts = counts[keys]
        else:
            keys = cp.flatnonzero(table)
            keys, counts = cp.stack([keys, table[keys]]).get()
    rows, cols = np.divmod(keys, n_b)
    return rows, cols, counts


def joint_counts_of_labels(a: Array, b: Array) -> tuple[Array, Array, Array, tuple[int, int]] | None:  # noqa: ARG001
    """Nothing: on a GPU coding small integers costs next to nothing."""
    return None


def label_counts(codes: Array, n_labels: int) -> Array:
    """Count the rows of each code, as NumPy's int64 of shape (n_labels,); waits for the device."""
    counts: Array = _count(cp.ascontiguousarray(codes), np.uintp(0), 1, n_labels).get()
    return counts


def _count(a: Array, b: Any, n_b: int, cells: int) -> Any:
    """Count cells by atomics on integers, whose sum is the same in any order; cupy.bincount takes far more memory."""
    table = cp.zeros(cells, dtype=np.int64)
    if cells <= FEW_CELLS:
        launch_threads("joint_counts", min(len(a), THREADS), a, b, len(a), n_b, cells, table)
    else:
        launch_threads("scattered_counts", min(len(a), THREADS), a, b, len(a), n_b, table)
    return table


def _sorted_counts(pairs: Array) -> tuple[Array, Array]:
    pairs.sort()
    first = cp.ones(len(pairs), dtype=bool)
    cp.not_equal(pairs[1:], pairs[:-1], out=first[1:])
    starts = cp.flatnonzero(first)
    keys, starts = cp.stack([pairs[starts], starts]).get()
    return keys, np.diff(starts, append=len(pairs))
