"""Operations on labels for NumPy: coding, joint counts, expected mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.statistics.divergence import divergence

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["encode", "expected_mutual_information", "joint_counts"]

BLOCK = 1 << 14  # rows whose temporaries stay in the second-level cache
FEW_ROWS = 1 << 12  # below this, sorting is as fast as anything
SAMPLE = 1 << 12  # rows whose values are known before hashing
FIRST_BITS = 16  # a small hash table: it fits the cache, and holds more values than most label sets have
# Odd 64-bit constants; each round of hashing takes the next one.
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
LARGEST_SQUARED = 3_037_000_499  # the largest integer whose square fits int64
LOG_OF_TAIL = 40.0  # the hypergeometric law is summed until the rest has probability below exp(-40)
CELLS = 1 << 16  # cells of the law handled at once


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
        if high - low < 2 * n + 1024:
            return _encode_by_shifting(values, low, high)
    if n < FEW_ROWS:
        return _encode_by_sorting(values)
    return _encode_by_hashing(np.ascontiguousarray(values))


def _range(values: Array) -> tuple[int, int]:
    ends = [(part.min(), part.max()) for part in (values[block] for block in spans(len(values), BLOCK))]
    return int(min(low for low, _ in ends)), int(max(high for _, high in ends))


def _encode_by_shifting(values: Array, low: int, high: int) -> tuple[Array, Array]:
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
    """Number the distinct values from 0, the seeds (rows of distinct values) first where that is possible.

    Returns the number of each row, and for each number the index of one row with that value. Rows whose
    value lost its slot of the hash table to another one go into the next turn, with another hash.
    """
    if turn == len(MULTIPLIERS):
        _, first, numbers = np.unique(words, axis=0, return_index=True, return_inverse=True)
        return numbers, first
    bits = bits or max(FIRST_BITS, (2 * len(words)).bit_length())
    numbers, first, lost = _hash_turn(words, seeds, bits, np.uint64(MULTIPLIERS[turn]))
    if len(lost):
        more, more_first = _identify(words[lost], seeds[:0], 0, turn + 1)
        numbers[lost] = more + len(first)
        first = np.concatenate([first, lost[more_first]])
    return numbers, first


def _hash_turn(words: Array, seeds: Array, bits: int, multiplier: np.uint64) -> tuple[Array, Array, Array]:
    """Give each slot of the table to the first value that hashes to it.

    Returns the number of each row's slot, a row of each number, and the rows whose value is another one.
    """
    table = np.full(1 << bits, -1, dtype=np.int64)
    first = np.empty(len(words), dtype=np.int64)
    known = np.empty_like(words)  # the words of `first`; memory is touched only where it is written
    seeds = _claim(table, _slots(words[seeds], multiplier, bits), seeds, 0)
    n_known = len(seeds)
    first[:n_known], known[:n_known] = seeds, words[seeds]
    numbers = np.empty(len(words), dtype=np.int64)
    lost = []
    step = BLOCK if words.ndim == 1 else max(256, BLOCK // words.shape[1])
    for block in spans(len(words), step):
        mine = words[block]
        slots = _slots(mine, multiplier, bits)
        found = numbers[block]
        table.take(slots, out=found, mode="clip")  # clip: "raise" would buffer the output
        if found.min() < 0:
            free = np.flatnonzero(found < 0)
            new = _claim(table, slots[free], free, n_known)
            table.take(slots, out=found, mode="clip")
            added = slice(n_known, n_known + len(new))
            first[added], known[added] = new + block.start, mine[new]
            n_known += len(new)
        theirs = known.take(found, axis=0)
        if not np.array_equal(theirs, mine):
            differ = (theirs != mine).reshape(len(mine), -1).any(axis=1)
            lost.append(np.flatnonzero(differ) + block.start)
    return numbers, first[:n_known], np.concatenate(lost) if lost else seeds[:0]


def _claim(table: Array, slots: Array, rows: Array, start: int) -> Array:
    """Number the slots that the rows hash to, from `start` on; return the first row of each, in order."""
    table[slots[::-1]] = np.arange(len(slots))[::-1]  # of equal slots the last one written stays: the first row
    winners = np.flatnonzero(table[slots] == np.arange(len(slots)))
    table[slots[winners]] = np.arange(start, start + len(winners))
    return rows[winners]


def _slots(words: Array, multiplier: np.uint64, bits: int) -> Array:
    if words.ndim == 2:
        weights = np.arange(1, words.shape[1] + 1, dtype=np.uint64) * np.uint64(MULTIPLIERS[0])
        weights ^= weights >> np.uint64(29)
        words = np.einsum("ij,j->i", words, weights * multiplier | np.uint64(1))
    slots = words * multiplier
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
    if cells <= 4 * n + 1024:
        table = _dense_counts(codes_a, codes_b, n_b, cells)
        keys = np.flatnonzero(table)
        counts = table[keys]
    else:
        pairs = codes_a * n_b
        pairs += codes_b
        pairs.sort()
        starts = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]])) if n else pairs
        keys = pairs[starts]
        counts = np.diff(starts, append=n)
    rows, cols = np.divmod(keys, n_b) if n_b else (keys, keys)
    return rows, cols, counts


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


def expected_mutual_information(row_margins: Array, col_margins: Array, n_samples: int) -> float:
    """Mean mutual information, in nats, of all tables with these margins.

    Under the hypergeometric law a cell with margins a and b has mean ``m = a b / n``, and its share of the
    mutual information is ``m / n`` times the mean of `divergence` at ``k / m - 1``: no term is negative.
    The law depends on the margins alone, so each distinct pair of them is summed once, around its mean.

    Parameters
    ----------
    row_margins, col_margins : ndarray of int64
        Non-negative; zeros do not count.
    n_samples : int

    Returns
    -------
    float
    """
    a, a_times = np.unique(row_margins[row_margins > 0], return_counts=True)
    b, b_times = np.unique(col_margins[col_margins > 0], return_counts=True)
    # One order of the two sides, so that swapping them gives the same bits.
    if (a.tolist(), a_times.tolist()) > (b.tolist(), b_times.tolist()):
        a, a_times, b, b_times = b, b_times, a, a_times
    total = 0.0
    for block in spans(len(a), max(1, (1 << 20) // max(1, len(b)))):
        pair_a, pair_b = np.repeat(a[block], len(b)), np.tile(b, block.stop - block.start)
        times = np.multiply.outer(a_times[block], b_times).ravel()
        total += float(np.sum(times * _expected_cells(pair_a, pair_b, n_samples)))
    return total


def _expected_cells(a: Array, b: Array, n: int) -> Array:
    """Share of the expected mutual information of a cell with margins a and b, for arrays of pairs."""
    whole, rest = _divide_product(a, b, n)
    mean = whole + rest
    start = np.clip(whole, np.maximum(a + b - n, 0), np.minimum(a, b))
    reach = _reach(mean * ((n - a) / n) * ((n - b) / max(n - 1, 1)))
    mass, gain = np.ones(len(a)), divergence(((start - whole) - rest) / mean)
    sides = {1: np.minimum(a, b) - start, -1: start - np.maximum(a + b - n, 0)}
    chunks = [
        (pairs, direction * steps)
        for direction, room in sides.items()
        for pairs, steps in _even_chunks(np.minimum(reach, room))
    ]

    def one(chunk: tuple[Array, int]) -> tuple[Array, Array]:
        pairs, steps = chunk
        return _tail(a[pairs], b[pairs], n, start[pairs], (whole[pairs], rest[pairs]), steps)

    for (pairs, _), (tail_mass, tail_gain) in zip(chunks, thread_map(one, chunks), strict=True):
        mass[pairs] += tail_mass
        gain[pairs] += tail_gain
    return mean / n * (gain / mass)


def _divide_product(a: Array, b: Array, n: int) -> tuple[Array, Array]:
    """Quotient ``a b // n`` (int64) and the fraction that is left, exact also where a b overflows int64."""
    if n <= LARGEST_SQUARED:
        whole, rest = np.divmod(a * b, n)
        return whole, rest / n
    product = a.astype(object) * b.astype(object)
    whole = product // n
    return whole.astype(np.int64), ((product - whole * n) / n).astype(np.float64)


def _reach(variance: Array) -> Array:
    """How far from the mean the law has to be summed.

    A hypergeometric variable is a sum of independent indicators (Ehm, 1991), so Bennett's inequality bounds
    its tails. Newton's steps from Bernstein's weaker bound stay on the safe side, the exponent being convex.
    """
    v = np.maximum(variance, 1e-12)
    t = LOG_OF_TAIL / 3 + np.sqrt((LOG_OF_TAIL / 3) ** 2 + 2 * LOG_OF_TAIL * v)
    for _ in range(3):
        slope = np.log1p(t / v)
        t -= ((v + t) * slope - t - LOG_OF_TAIL) / slope
    return np.ceil(t).astype(np.int64) + 2


def _even_chunks(width: Array) -> list[tuple[Array, int]]:
    """Cut the pairs, by increasing width, into chunks of about `CELLS` cells; with the width of each chunk."""
    order = np.argsort(width, kind="stable")
    widths = width[order]
    chunks, at = [], int(np.searchsorted(widths, 1))
    while at < len(order):
        # The widest pair decides the size of the chunk, which therefore ends where the width has doubled.
        stop = min(
            at + max(1, CELLS // int(widths[at])), int(np.searchsorted(widths, 2 * widths[at], side="right"))
        )
        chunks.append((order[at:stop], int(widths[stop - 1])))
        at = stop
    return chunks


def _tail(
    a: Array, b: Array, n: int, start: Array, mean: tuple[Array, Array], steps: int
) -> tuple[Array, Array]:
    """Sum the law on one side of its start, relative to its value there: its mass, and its mean divergence.

    The ratio of neighbouring probabilities is rational in k and reaches 0 at the end of the range, so that
    steps beyond it add nothing; logarithms of factorials, whose digits cancel, are not needed.
    """
    whole, rest = (x.astype(np.float64)[:, None] for x in mean)
    a, b, start = (x.astype(np.float64)[:, None] for x in (a, b, start))
    free = n - a - b
    if steps > 0:
        k = start + np.arange(steps)  # probability of k + 1 over that of k
        ratio = (a - k) * (b - k) / ((k + 1.0) * (free + k + 1.0))
        k += 1.0
    else:
        k = start - np.arange(-steps)  # probability of k - 1 over that of k
        ratio = k * (free + k) / ((a - k + 1.0) * (b - k + 1.0))
        k -= 1.0
    weight = np.cumprod(ratio, axis=1)
    distance = ((k - whole) - rest) / (whole + rest)
    gain = divergence(np.maximum(distance, -1.0, out=distance))
    return weight.sum(axis=1), np.einsum("ij,ij->i", weight, gain)
