"""Sums of booleans, for NumPy: its own take several times as long."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["EXACT_IN_FLOAT32", "sums_of_columns", "sums_of_rows"]

EXACT_IN_FLOAT32 = 1 << 24  # integers up to it are exact
SLAB = 255  # what a byte counts to


def sums_of_columns(members: Array) -> Array:
    """Sum booleans, or bytes 0 and 1, over the rows: eight at a time, in 64-bit additions of up to 255 rows.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_columns), bool or uint8
        At most 2**24 rows.

    Returns
    -------
    ndarray of shape (n_columns,), int64
    """
    n_rows, n_columns = members.shape
    per_word = 8 // math.gcd(8, n_columns)  # rows whose bytes fill whole words
    height = n_rows // SLAB // per_word * per_word
    slabs = np.ascontiguousarray(members[: SLAB * height]).reshape(SLAB, height * n_columns).view(np.uint64)
    counts = np.add.reduce(slabs, axis=0).view(np.uint8).reshape(height, n_columns)
    rest = members[SLAB * height :].astype(np.float32)  # a product with ones is the next best
    sums: Array = counts.sum(axis=0, dtype=np.int64) + (np.ones(len(rest), dtype=np.float32) @ rest).astype(np.int64)
    return sums


def sums_of_rows(members: Array) -> Array:
    """Sum booleans over the columns, of which there are at most 2**24: as a product with ones.

    Parameters
    ----------
    members : ndarray of shape (n_rows, n_columns), bool

    Returns
    -------
    ndarray of shape (n_rows,), int64
    """
    ones = np.ones(members.shape[1], dtype=np.float32)
    sums: Array = (members.astype(np.float32) @ ones).astype(np.int64)
    return sums
