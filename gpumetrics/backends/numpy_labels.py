"""Operations on labels for NumPy: coding and joint counts."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import n_threads, spans, thread_map

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["covering_range", "encode", "encode_by_shifting", "joint_counts", "joint_counts_of_labels", "most_classes"]

BLOCK = 1 << 14  # rows whose temporaries stay in the second-level cache
LOOK = 1 << 17  # rows that two looks find in that cache
PAIRS = 1 << 18  # rows that a thread counts at a time
SPARSE = 4  # rows for each cell below which sorting the pairs is faster than a table of counts
STRETCH = 8  # blocks that a thread takes at a time
FEW_ROWS = 1 << 12  # below this, sorting is as fast as anything
LARGEST_RANGE = 1 << 31  # two such ranges still make a code of pairs that fits int64
SAMPLE = 1 << 12  # rows whose values are known before hashing
FIRST_BITS = 16  # a small hash table: it fits the cache, and holds more values than most label sets have
# Odd 64-bit constants; each round of hashing takes the next one.
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


def encode(values: Array) -> tuple[Array, Array]:
    """Code the values by their rank among the distinct ones.

    Integers of a small range are shifted, without sorting or counting; everything else is hashed, and the
    hash is verified by equality, so that the result is exact whatever the values.

    Parameters
    ----------
    values : ndarray of shape (n,), native integers, finite float64 or fixed-width strings
        Read only.

    Returns
    -------
    codes : ndarray of int64, shape (n,)
        It may be `values` itself.
    classes : ndarray of shape (k,)
        Sorted, in the dtype of `values`. Of integers in a small range, the whole range: some of these
        classes may have no rows.
    """
    n = len(values)
    if n and values.dtype.kind in "iu":
        low, high = _range(values)
        if high - low < most_classes(n):
            return encode_by_shifting(values, low, high)
    if n < FEW_ROWS:
        return _encode_by_sorting(values)
    return _encode_by_hashing(np.ascontiguousarray(values))


def most_classes(n_rows: int) -> int:
    """Return the range of integers up to which shifting is cheaper than looking values up."""
    return min(2 * n_rows + 1024, LARGEST_RANGE)


def covering_range(*arrays: Array) -> tuple[int, int]:
    """Return a range that covers integers, at one look where it can be from 0 to all bits that any has; else exact."""
    bits = functools.reduce(operator.or_, (int(np.bitwise_or.reduce(values)) for values in arrays))
    if 0 <= bits < most_classes(len(arrays[0])):
        return 0, bits
    ends = [_range(values) for values in arrays]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _range(values: Array) -> tuple[int, int]:
    ends = [(part.min(), part.max()) for part in (values[block] for block in spans(len(values), LOOK))]
    return int(min(low for low, _ in ends)), int(max(high for _, high in ends))


def encode_by_shifting(values: Array, low: int, high: int) -> tuple[Array, Array]:
    """Code integers, of NumPy or CuPy, whose smallest and largest are known."""
    # Modulo 2**64, where neither the values nor the shift can overflow.
    shift = np.uint64(low % 2**64)
    classes = (np.arange(high - low + 1, dtype=np.uint64) + shift).astype(values.dtype)
    if low == 0 and values.dtype == np.int64:
        return values, classes
    codes = values.astype(np.uint64)
    codes -= shift
    return codes.view(np.int64), classes


def _encode_by_sorting(values: Array) -> tuple[Array, Array]:
    classes, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int64, copy=False), classes


def _encode_by_hashing(values: Array) -> tuple[Array, Array]:
    step = max(1, len(values) // SAMPLE)
    sample, seeds = np.unique(values[::step], return_index=True)
    few = 4 * len(sample) < SAMPLE
    if 10 * len(sample) > 9 * SAMPLE and values.dtype.kind != "U":
        return _encode_by_sorting(values)  # most rows differ: a hash table would be one cache miss per row
    codes, first = _identify(_words(values), seeds * step, FIRST_BITS if few else 0)
    order = np.argsort(values[first])
    if np.any(order[1:] < order[:-1]):  # values were found that the sample did not have
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        for block in spans(len(codes), BLOCK):
            codes[block] = rank.take(codes[block])
    return codes, values[first[order]]


def _words(values: Array) -> Array:
    """Bits of each row as unsigned words: shape (n,) for numbers, (n, words) for strings."""
    if values.dtype.kind == "U":
        width = values.dtype.itemsize
        return values.view(np.uint64 if width % 8 == 0 else np.uint32).reshape(len(values), -1)
    if values.dtype.kind == "f":
        return (values + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    # The low bits decide equality, so sign extension does no harm.
    return values.astype(np.int64, copy=False).view(np.uint64)


def _identify(words: Array, seeds: Array, bits: int, turn: int = 0) -> tuple[Array, Array]:
    """Give each distinct value a number: low ones, in order, to the seeds (rows of distinct values).

    Returns the number of each row, and for each number the index of one row with that value. Rows whose
    value lost its slot of the hash table to another one go into the next turn, with another hash.
    """
    if turn == len(MULTIPLIERS):
        _, first, numbers = np.unique(words, axis=0, return_index=True, return_inverse=True)
        return numbers.ravel(), first
    bits = bits or max(FIRST_BITS, (2 * len(words)).bit_length())
    columns = _telling(words[seeds]) if words.ndim == 2 and len(seeds) > 1 else None
    multipliers = [np.uint64(m) for m in (MULTIPLIERS if len(seeds) else MULTIPLIERS[turn : turn + 1])]
    # One that tells the seeds apart, if any does: a value that lost its slot has to be looked for in every block.
    slots = [_slots(words[seeds], columns, m, bits) for m in multipliers]
    multiplier = multipliers[int(np.argmax([len(np.unique(taken)) for taken in slots]))]
    numbers, first, lost = _hash_turn(words, columns, seeds, bits, multiplier)
    if len(lost):
        more, more_first = _identify(words[lost], seeds[:0], 0, turn + 1)
        numbers[lost] = more + len(first)
        first = np.concatenate([first, lost[more_first]])
    return numbers, first


def _telling(values: Array) -> Array:
    """Words in which strings differ: a hash of the others would be paid for each row and tell nothing."""
    return np.flatnonzero((values != values[0]).any(axis=0))


def _hash_turn(
    words: Array, columns: Array | None, seeds: Array, bits: int, multiplier: np.uint64
) -> tuple[Array, Array, Array]:
    """Give each slot of the table to the first value that hashes to it, by these columns of its words.

    Returns the number of each row's slot, a row of each number, and the rows whose value is another one.
    """
    table = np.full(1 << bits, -1, dtype=np.int64)
    first = np.empty(len(words), dtype=np.int64)
    known = np.empty_like(words)  # the words of `first`; memory is touched only where it is written
    seeds = _claim(table, _slots(words[seeds], columns, multiplier, bits), seeds, 0)
    n_known = len(seeds)
    first[:n_known], known[:n_known] = seeds, words[seeds]
    numbers = np.empty(len(words), dtype=np.int64)
    step = BLOCK if words.ndim == 1 else max(256, 4 * BLOCK // words.shape[1])

    def look_up(block: slice) -> Array | None:
        """Number the rows of a block; return those whose slot is another value's, or None where slots are free."""
        mine, found = words[block], numbers[block]
        slots = _slots(mine, columns, multiplier, bits)
        table.take(slots, out=found, mode="clip")  # clip: "raise" would buffer the output
        if found.min() < 0:
            return None
        theirs = known.take(found, axis=0)
        if np.array_equal(theirs, mine):
            return seeds[:0]
        rows: Array = np.flatnonzero((theirs != mine).reshape(len(mine), -1).any(axis=1)) + block.start
        return rows

    blocks = spans(len(words), step)
    # Where the seeds are nearly all values, threads look up; whoever finds a free slot waits for its turn.
    lost: list[Array | None] = [None] * len(blocks)
    if n_known and bits == FIRST_BITS:
        stretches = [blocks[part] for part in spans(len(blocks), STRETCH)]
        lost = [rows for some in thread_map(lambda some: list(map(look_up, some)), stretches) for rows in some]
    for at, block in enumerate(blocks):
        if lost[at] is None:
            mine = words[block]
            slots = _slots(mine, columns, multiplier, bits)
            free = np.flatnonzero(table.take(slots) < 0)
            new = _claim(table, slots[free], free, n_known)
            added = slice(n_known, n_known + len(new))
            first[added], known[added] = new + block.start, mine[new]
            n_known += len(new)
            lost[at] = look_up(block)
    return numbers, first[:n_known], np.concatenate([rows for rows in lost if rows is not None])


def _claim(table: Array, slots: Array, rows: Array, start: int) -> Array:
    """Give numbers from `start` on to the slots that the rows hash to; return the first row of each."""
    table[slots[::-1]] = np.arange(len(slots))[::-1]  # of equal slots the last one written stays: the first row
    winners = np.flatnonzero(table[slots] == np.arange(len(slots)))
    table[slots[winners]] = np.arange(start, start + len(winners))
    return rows[winners]


def _slots(words: Array, columns: Array | None, multiplier: np.uint64, bits: int) -> Array:
    if words.ndim == 1:
        slots: Array = words * multiplier
    else:
        weights = np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(MULTIPLIERS[0])
        weights ^= weights >> np.uint64(29)
        weights = weights * multiplier | np.uint64(1)
        slots = np.zeros(len(words), dtype=np.uint64)
        for column in range(len(weights)) if columns is None else columns:
            slots += words[:, column] * weights[column]
    slots >>= np.uint64(64 - bits)
    return slots.view(np.int64)


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
    rows, cols = np.divmod(pairs[starts].astype(np.int64), n_b) if n_b else (starts, starts)
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
    most = n // (2 * SPARSE)  # cells, since each thread has a table
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

    tables = [table for table in thread_map(one, spans(n, max(PAIRS, -(-n // n_threads())))) if table is not None]
    shape = tuple(np.max([table.shape for table in tables], axis=0).tolist()) if tables else (0, 0)
    table = sum((_grown(table, shape) for table in tables), np.zeros(shape, dtype=np.int64))
    if int(table.sum()) < n or table.size > most:  # a thread has refused its labels
        return None
    return *_cells(table), shape


def _grown(table: Array, shape: tuple[int, int]) -> Array:
    if table.shape == shape:
        return table
    out = np.zeros(shape, dtype=np.int64)
    out[: table.shape[0], : table.shape[1]] = table
    return out
