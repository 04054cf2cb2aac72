"""Coding of labels for NumPy."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import spans, thread_map

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["covering_range", "encode", "encode_by_shifting", "most_classes", "shifted"]

BLOCK = 1 << 14  # rows whose temporaries stay in the second-level cache
LOOK = 1 << 17  # rows that two looks find in that cache
STRETCH = 8  # blocks that a thread takes at a time
FEW_NUMBERS, FEW_STRINGS = 1 << 15, 1 << 13  # rows below which sorting is as fast as anything
LARGEST_RANGE = 1 << 31  # two such ranges still make a code of pairs that fits int64
SAMPLE = 1 << 12  # rows whose values are known before hashing
FIRST_BITS = 16  # a small hash table: it fits the cache, and holds more values than most label sets have
# Odd 64-bit constants; each round of hashing takes another one.
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
    if n < (FEW_STRINGS if values.dtype.kind == "U" else FEW_NUMBERS):
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
    classes = np.arange(high - low + 1, dtype=np.uint64) + np.uint64(low % 2**64)
    return shifted(values, low), classes.astype(values.dtype)


def shifted(values: Array, low: int) -> Array:
    """Return how far integers lie above the smallest, as int64: `values` itself where nothing changes."""
    if low == 0:
        return values.astype(np.int64, copy=False)
    # Modulo 2**64, where neither the values nor the shift can overflow.
    codes = values.astype(np.uint64)
    codes -= np.uint64(low % 2**64)
    return codes.view(np.int64)


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


def _identify(words: Array, seeds: Array, bits: int, multipliers: tuple[int, ...] = MULTIPLIERS) -> tuple[Array, Array]:
    """Give each distinct value a number: low ones, in order, to the seeds (rows of distinct values).

    Returns the number of each row, and for each number the index of one row with that value. Rows whose
    value lost its slot of the hash table to another one go into the next turn, with another hash.
    """
    if not multipliers:
        _, first, numbers = np.unique(words, axis=0, return_index=True, return_inverse=True)
        return numbers.ravel(), first
    bits = bits or max(FIRST_BITS, (2 * len(words)).bit_length())
    columns = _telling(words[seeds]) if words.ndim == 2 and len(seeds) > 1 else None
    # One that tells the seeds apart, if any does: a value that lost its slot has to be looked for in every block.
    slots = [_slots(words[seeds], columns, np.uint64(m), bits) for m in multipliers]
    best = int(np.argmax([len(np.unique(taken)) for taken in slots]))
    numbers, first, lost = _hash_turn(words, columns, seeds, bits, np.uint64(multipliers[best]))
    if len(lost):
        others = multipliers[:best] + multipliers[best + 1 :]
        more, more_first = _identify(words[lost], seeds[:0], 0, others)
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
