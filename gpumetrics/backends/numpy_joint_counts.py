"""Joint counts of two labelings for NumPy: by a table of all pairs of codes, or by sorting the pairs that occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import n_threads, spans, thread_map

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["joint_counts", "joint_counts_of_labels"]

BLOCK = 1 << 14  # rows whose temporaries stay in the second-level cache
PAIRS = 1 << 18  # rows that a thread counts at a time, and cells of its table at most
FEW_ROWS = 1 << 12  # for which a second look at the labels costs nothing
SPARSE = 4  # rows for each cell below which sorting the pairs is faster than a table of counts


def joint_counts(codes_a: Array, codes_b: Array, n_a: int, n_b: int) -> tuple[Array, Array, Array]:
    """Count the rows of each pair of codes.

    Parameters
    ----------
    codes_a, codes_b : ndarray of int64, shape (n,)
        Codes in 0..n_a-1 and 0..n_b-1.
    n_a, n_b : int

    Returns
    -------
    rows, cols, counts : ndarray of int64, shape (cells,)
        The cells that are not empty, in row-major order. Memory follows n, never n_a x n_b.
    """
    n, cells = len(codes_a), n_a * n_b
    if cells <= n // SPARSE + 1024:
        table = _dense_counts(codes_a, codes_b, n_b, cells)
        return _cells(table.reshape(n_a, n_b))
    pairs = np.empty(n, dtype=np.int32 if cells < 2**31 else np.int64)  # half the width is sorted in half the time
    np.multiply(codes_a, n_b, out=pairs, casting="same_kind")
    np.add(pairs, codes_b, out=pairs, casting="same_kind")
    pairs.sort()
    starts = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]])) if n else np.empty(0, dtype=np.int64)
    rows, cols = np.divmod(pairs[starts].astype(np.int64), n_b)
    return rows, cols, np.diff(starts, append=n)


def _cells(table: Array) -> tuple[Array, Array, Array]:
    """Rows, columns and counts of the cells of a table that are not empty."""
    keys = np.flatnonzero(table)
    rows, cols = np.divmod(keys, table.shape[1]) if table.shape[1] else (keys, keys)
    return rows, cols, table.ravel()[keys]


def _dense_counts(codes_a: Array, codes_b: Array, n_b: int, cells: int) -> Array:
    table = np.zeros(cells, dtype=np.int64)
    step = max(BLOCK, cells)
    buffer = np.empty(min(step, len(codes_a)), dtype=np.int64)
    for block in spans(len(codes_a), step):
        pairs = buffer[: block.stop - block.start]
        np.multiply(codes_a[block], n_b, out=pairs)
        pairs += codes_b[block]
        table += np.bincount(pairs, minlength=cells)
    return table


def joint_counts_of_labels(a: Array, b: Array) -> tuple[Array, Array, Array, tuple[int, int]] | None:
    """Count the rows of each pair of small integers that are their own codes: each is read from memory once.

    Parameters
    ----------
    a, b : ndarray of shape (n,)

    Returns
    -------
    rows, cols, counts : ndarray of int64, shape (cells,)
        As `joint_counts` gives them.
    n_classes : tuple of two int
        Of each side: more than its largest label; some may have no rows.

    or None where labels are no integers, are negative, or would make too large a table.
    """
    n = len(a)
    most = min(n // (2 * SPARSE), PAIRS)  # cells, since each thread has a table, and adds to it block by block
    if n < FEW_ROWS or any(x.dtype.kind not in "iu" or not np.can_cast(x.dtype, np.int64) for x in (a, b)):
        return None
    step = n // FEW_ROWS
    if not 0 <= int(a[::step].max()) * int(b[::step].max()) <= most:
        return None  # as some rows show already

    def one(stretch: slice) -> Array | None:
        table = np.zeros((0, 0), dtype=np.int64)
        buffer = np.empty(min(PAIRS, stretch.stop - stretch.start), dtype=np.int64)
        for start in range(stretch.start, stretch.stop, PAIRS):
            block = slice(start, min(start + PAIRS, stretch.stop))
            parts = a[block], b[block]
            # All bits that any label has: negative if one is, and not below the largest.
            bits = [int(np.bitwise_or.reduce(part)) for part in parts]
            shape = max(table.shape[0], bits[0] + 1), max(table.shape[1], bits[1] + 1)
            if min(bits) < 0 or shape[0] * shape[1] > most:
                return None
            table = _grown(table, shape)
            pairs = buffer[: len(parts[0])]
            np.multiply(parts[0], np.int64(shape[1]), out=pairs)  # in int64, whatever the labels' type
            pairs += parts[1]
            table += np.bincount(pairs, minlength=table.size).reshape(shape)
        return table

    found = thread_map(one, spans(n, max(PAIRS, -(-n // n_threads()))))
    tables = [table for table in found if table is not None]
    if len(tables) < len(found):
        return None
    shape = max(table.shape[0] for table in tables), max(table.shape[1] for table in tables)
    if shape[0] * shape[1] > most:  # each of two threads has seen one large label
        return None
    table = sum((_grown(table, shape) for table in tables), np.zeros(shape, dtype=np.int64))
    return *_cells(table), shape


def _grown(table: Array, shape: tuple[int, int]) -> Array:
    if table.shape == shape:
        return table
    out = np.zeros(shape, dtype=np.int64)
    out[: table.shape[0], : table.shape[1]] = table
    return out
