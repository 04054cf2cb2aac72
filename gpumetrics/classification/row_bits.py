"""Sparse label sets of up to 64 labels as one 64-bit word for each row: what NumPy adds, compares and counts at once.

SciPy's product of two sparse matrices, which finds the labels that both sides have, keeps other threads waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.numpy_booleans import sums_of_columns
from gpumetrics.backends.threads import spans, thread_map

if TYPE_CHECKING:
    from gpumetrics.classification.indicators import SparseRows
    from gpumetrics.types import Array

__all__ = ["MOST_LABELS", "label_sums", "shared_sizes"]

MOST_LABELS = 64
ENTRIES = 2**15  # of one side in a block of rows: its temporaries stay in the second-level cache


def label_sums(true: SparseRows, pred: SparseRows) -> list[Array]:
    """Count, for each label, the rows that both sides, the second and the first have it; int64, on the host."""
    n_labels = true.shape[1]

    def work(rows: slice) -> Array:
        ours, theirs = _words(true, rows), _words(pred, rows)
        return np.stack([_sums(words)[:n_labels] for words in (ours & theirs, theirs, ours)])

    return list(np.sum(thread_map(work, _blocks(true, pred)), axis=0))


def shared_sizes(true: SparseRows, pred: SparseRows) -> Array:
    """Count the labels of each row that both sides have, (n_rows,), int64."""

    def work(rows: slice) -> Array:
        return np.bitwise_count(_words(true, rows) & _words(pred, rows)).astype(np.int64)

    return np.concatenate(thread_map(work, _blocks(true, pred)))


def _blocks(true: SparseRows, pred: SparseRows) -> list[slice]:
    n_rows = true.shape[0]
    entries = max(len(true.indices), len(pred.indices), 1)
    return spans(n_rows, max(1, n_rows * ENTRIES // entries))


def _words(side: SparseRows, rows: slice) -> Array:
    """Return the words of some rows: differences of a running sum, which may pass 2**64 and come round."""
    indptr = side.indptr[rows.start : rows.stop + 1]
    bits = np.left_shift(np.uint64(1), side.indices[indptr[0] : indptr[-1]].astype(np.uint64))
    running = np.zeros(len(bits) + 1, dtype=np.uint64)
    np.cumsum(bits, out=running[1:])
    ends = running.take(indptr - indptr[0])
    words: Array = ends[1:] - ends[:-1]
    return words


def _sums(words: Array) -> Array:
    """Count how many words have each bit, (64,)."""
    members = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), bitorder="little").reshape(-1, MOST_LABELS)
    return sums_of_columns(members)
