"""Coding and counting of labels on the CPU, against NumPy's `unique`, on labels that shortcuts could get wrong."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics import contingency_matrix
from gpumetrics.backends import numpy_joint_counts, numpy_labels


def counted(a, b):
    """The table of two labelings, by the definition."""
    rows, row_codes = np.unique(a, return_inverse=True)
    cols, col_codes = np.unique(b, return_inverse=True)
    table = np.zeros((len(rows), len(cols)), dtype=np.int64)
    np.add.at(table, (row_codes, col_codes), 1)
    return table


def rare_labels(rng, n, dtype=np.int64):
    """Small integers, with labels that only one stretch has, at its end or its beginning."""
    a, b = rng.integers(0, 5, n).astype(dtype), rng.integers(0, 9, n).astype(dtype)
    a[-1], a[n // 3], b[n // 2], b[0] = 70, 33, 120, 64
    return a, b


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("n", [10, 4095, 4096, 300_001, 800_000])
def test_small_integers(dtype, n):
    a, b = rare_labels(np.random.default_rng(n), n, dtype)
    assert_array_equal(contingency_matrix(a, b), counted(a, b))


@pytest.mark.parametrize("value", [-1, 5_000, 2**40, 2**63 - 1])
@pytest.mark.parametrize("at", [1, -1])
def test_a_label_that_no_table_holds(value, at):
    """Such a label in the first rows, or in the last of another thread: the labels are coded instead."""
    a, b = rare_labels(np.random.default_rng(1), 600_000)
    a[at] = value
    assert_equal(numpy_joint_counts.joint_counts_of_labels(a, b), None)
    assert_array_equal(contingency_matrix(a, b), counted(a, b))
    assert_array_equal(contingency_matrix(b, a), counted(b, a))


def test_large_labels_in_different_stretches_make_no_table():
    """Each thread's own table is small; that of both would have 4e10 cells."""
    a, b = np.zeros(2_000_000, dtype=np.int64), np.zeros(2_000_000, dtype=np.int64)
    a[123], b[-7] = 200_000, 200_000
    assert_equal(numpy_joint_counts.joint_counts_of_labels(a, b), None)
    assert_array_equal(contingency_matrix(a, b), [[2_000_000 - 2, 1], [1, 0]])


def test_labels_are_counted_without_coding():
    a, b = rare_labels(np.random.default_rng(2), 600_000)
    rows, cols, counts, shape = numpy_joint_counts.joint_counts_of_labels(a, b)
    table = np.zeros(shape, dtype=np.int64)
    table[rows, cols] = counts
    assert_array_equal(table[np.ix_(np.unique(a), np.unique(b))], counted(a, b))
    assert_equal(table.sum(), len(a))


@pytest.mark.parametrize(
    ("n", "n_a", "n_b"), [(0, 0, 0), (0, 3, 2), (50_000, 3, 4), (50_000, 400, 300), (9, 10**9, 10**9)]
)
def test_joint_counts(n, n_a, n_b):
    """By a table, by sorted pairs of 32 bits and of 64."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, max(n_a, 1), n), rng.integers(0, max(n_b, 1), n)
    rows, cols, counts = numpy_joint_counts.joint_counts(a, b, n_a, n_b)
    pairs, expected = np.unique(np.stack([a, b]), axis=1, return_counts=True)
    assert_array_equal(np.stack([rows, cols]), pairs)
    assert_array_equal(counts, expected)


def strings_that_differ_elsewhere(rng, n):
    """Words that differ in their last letters, but for few rows, which differ in the first one."""
    words = np.array([f"cluster {i:03d}" for i in range(150)])[rng.integers(0, 150, n)]
    odd = rng.choice(n, 40, replace=False)
    words[odd] = np.char.replace(words[odd], "c", "k")
    return words


def one_value(rng, n):
    return np.full(n, "the same")


def lengths(rng, n):
    return np.array(["", "a", "aa", "a" * 17, "é", "e", "\U0001f600"])[rng.integers(0, 7, n)]


def all_different(rng, n):
    return np.array([f"{i:x}" for i in rng.permutation(n)])


def ids(rng, n):
    return rng.integers(-(2**62), 2**62, 300)[rng.integers(0, 300, n)]


def ids_with_rare_ones(rng, n):
    values = ids(rng, n)
    values[rng.choice(n, n // 50, replace=False)] = rng.integers(2**40, 2**62, n // 50)
    return values


@pytest.mark.parametrize(
    "make", [strings_that_differ_elsewhere, one_value, lengths, all_different, ids, ids_with_rare_ones]
)
@pytest.mark.parametrize("n", [100, 70_000])
def test_encode(make, n):
    values = make(np.random.default_rng(4), n)
    codes, classes = numpy_labels.encode(values)
    expected, numbers = np.unique(values, return_inverse=True)
    assert_array_equal(classes, expected)
    assert_array_equal(codes, numbers)
