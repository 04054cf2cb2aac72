"""Whether two tables are the same data, whatever library and dtype they come in."""

import numpy as np
import pytest
from numpy.testing import assert_equal
from scipy.sparse import csr_array

from gpumetrics import features
from gpumetrics.choosing.basis import fingerprint_of_labels, fingerprint_of_rows
from gpumetrics.features import check_features
from gpumetrics.validation import encode_labels


def rows(X):
    return fingerprint_of_rows(check_features(X, accept_sparse=True))


def test_the_same_numbers_are_the_same_data():
    X = np.arange(24.0).reshape(8, 3)
    kinds = [X, X.astype(np.float32), X.astype(np.int16), X.tolist(), np.asfortranarray(X), csr_array(X), X + 0.0]
    assert_equal(len({rows(kind) for kind in kinds}), 1)
    assert_equal(rows(np.array([[-0.0], [1.0]])), rows(np.array([[0.0], [1.0]])))


@pytest.mark.emulated
def test_the_same_numbers_on_a_device(emulated):
    X = np.arange(24.0).reshape(8, 3)
    assert_equal(rows(emulated.asarray(X)), rows(X))


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_other_numbers_are_other_data(scale):
    X = np.random.default_rng(0).normal(size=(30, 4)) * scale
    others = [X * 2, X[::-1], X[:-1], X[:, ::-1], X[:, :3], X + np.eye(30, 4) * 1e-9 * scale, X.reshape(15, 8)]
    assert_equal(len({rows(kind) for kind in [X, *others]}), len(others) + 1)


def test_every_entry_and_its_place_count(monkeypatch):
    monkeypatch.setattr(features, "BLOCK", 400)  # of several blocks
    X = np.random.default_rng(0).normal(size=(1000, 4))
    inside, swapped, within = X.copy(), X.copy(), X.copy()
    inside[501, 2] += 1e-9  # neither the largest of its column nor at any border
    swapped[[300, 700]] = X[[700, 300]]
    within[501, [0, 1]] = X[501, [1, 0]]
    kinds = [X, inside, swapped, within, np.roll(X, 1, axis=0), X + 0.0]
    assert_equal(len({rows(kind) for kind in kinds}), 5)
    counts = np.random.default_rng(0).integers(0, 3, size=(1000, 4))
    other = counts.copy()
    other[501] += 1  # small whole numbers differ in few bits
    assert_equal(len({rows(kind) for kind in (counts, other, counts.astype(np.float32), csr_array(counts))}), 2)


def test_a_sparse_table_is_read_by_its_entries():
    entries = csr_array(([1.0, 2.0, 0.0, 3.0], [1, 1, 0, 2], [0, 2, 2, 4]), shape=(3, 3))  # twice the same, and a zero
    assert_equal(rows(entries), rows(entries.toarray()))
    assert_equal(entries.nnz, 4)


def test_labels():
    of = lambda labels: fingerprint_of_labels(encode_labels(labels))  # noqa: E731
    assert_equal(of([0, 1, 1]), of(np.array([0, 1, 1], dtype=np.uint8)))
    assert_equal(len({of([0, 1, 1]), of([0, 0, 1]), of(["0", "1", "1"]), of([0, 2, 2])}), 4)
