"""Label sets as indicator matrices, dense and sparse, against sets in plain Python."""

import tracemalloc

import numpy as np
import pytest
import set_definitions as sets
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import gpumetrics as gm

RATIOS = {
    "precision_score": sets.precision,
    "recall_score": sets.recall,
    "f1_score": sets.f_beta(1),
    "jaccard_score": sets.jaccard,
}
AVERAGES = [None, "micro", "macro", "weighted", "samples"]
N_LABELS = 5


def matrix(rows, n_labels=N_LABELS, dtype=np.int64):
    made = np.zeros((len(rows), n_labels), dtype=dtype)
    for row, labels in zip(made, rows, strict=True):
        row[list(labels)] = 1
    return made


def random_sets(seed=0, n=30, n_labels=N_LABELS):
    rng = np.random.default_rng(seed)
    draw = [[set(np.flatnonzero(rng.random(n_labels) < 0.3).tolist()) for _ in range(n)] for _ in range(2)]
    draw[0][0] = draw[1][0] = draw[0][1] = draw[1][2] = set()
    return draw


def _with_zeros(dense):
    """CSR that stores zeros too."""
    made = sparse.csr_matrix(np.ones_like(dense))
    made.data = dense.ravel().copy()
    return made


def _twice(dense):
    """CSR in which every entry stands twice, in no order."""
    rows, columns = np.nonzero(dense)
    order = np.random.default_rng(0).permutation(2 * len(rows))
    rows, columns = np.tile(rows, 2)[order], np.tile(columns, 2)[order]
    by_row = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[by_row], np.arange(len(dense) + 1))
    return sparse.csr_matrix((np.ones(len(rows)), columns[by_row], starts), shape=dense.shape)


def _frame(library):
    def make(dense):
        columns = {f"tag {i}": column for i, column in enumerate(dense.T)}
        module = pytest.importorskip(library)
        return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)

    return make


FORMS = {
    "int64": lambda dense: dense,
    "bool": lambda dense: dense.astype(bool),
    "uint8": lambda dense: dense.astype(np.uint8),
    "float32": lambda dense: dense.astype(np.float32),
    "big-endian": lambda dense: dense.astype(">i4"),
    "Fortran": np.asfortranarray,
    "strided": lambda dense: np.repeat(np.repeat(dense, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda dense: dense[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda dense: np.broadcast_to(dense, dense.shape),
    "lists": lambda dense: dense.tolist(),
    "list of arrays": list,
    "pandas": _frame("pandas"),
    "pandas nullable": lambda dense: _frame("pandas")(dense).astype("Int64"),
    "pandas boolean": lambda dense: _frame("pandas")(dense).astype("boolean"),
    "polars": _frame("polars"),
    "pyarrow": _frame("pyarrow"),
    "csr": sparse.csr_matrix,
    "csr array": sparse.csr_array,
    "csr bool": lambda dense: sparse.csr_matrix(dense.astype(bool)),
    "csr float": lambda dense: sparse.csr_matrix(dense.astype(float)),
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "lil": sparse.lil_matrix,
    "dok": sparse.dok_matrix,
    "stored zeros": _with_zeros,
    "entries twice": _twice,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same(form, backend):
    true, pred = map(matrix, random_sets())
    make = FORMS[form]
    weights = np.arange(1.0, len(true) + 1)
    for average in ("macro", "samples"):
        expected = gm.f1_score(true, pred, average=average, zero_division=0)
        for args in ((make(true), make(pred)), (make(true), pred), (true, make(pred))):
            assert gm.f1_score(*args, average=average, zero_division=0) == expected
    args = make(true), make(pred)
    assert gm.hamming_loss(*args, sample_weight=weights) == gm.hamming_loss(true, pred, sample_weight=weights)
    assert gm.accuracy_score(*args) == gm.accuracy_score(true, pred)
    assert_array_equal(gm.multilabel_confusion_matrix(*args), gm.multilabel_confusion_matrix(true, pred))


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("labels", [None, [2], [4, 0, 2], [1, 1]])
def test_definition(make, weighted, labels, backend):
    true, pred = random_sets(1)
    weights = np.arange(len(true)) % 3 / 4 if weighted else None
    args = make(matrix(true)), make(matrix(pred))
    chosen = range(N_LABELS) if labels is None else labels
    for name, ratio in RATIOS.items():
        for average in AVERAGES:
            found = getattr(gm, name)(*args, labels=labels, average=average, sample_weight=weights, zero_division=0)
            assert_allclose(found, sets.averaged(ratio, true, pred, average, chosen, weights), rtol=1e-13)
    found = gm.multilabel_confusion_matrix(*args, labels=labels, sample_weight=weights)
    assert_allclose(found, sets.multilabel_confusion(true, pred, chosen, weights), atol=1e-13)
    assert found.dtype == (np.float64 if weighted else np.int64)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_shares(make, backend):
    true, pred = random_sets(2, n=12)
    args = make(matrix(true)), make(matrix(pred))
    for weights in (None, np.arange(12), np.arange(12) / 7):
        expected = sets.hamming_of_sets(true, pred, N_LABELS, weights)
        assert_allclose(gm.hamming_loss(*args, sample_weight=weights), expected, rtol=1e-14)
        assert_allclose(gm.accuracy_score(*args, sample_weight=weights), sets.accuracy(true, pred, weights), rtol=1e-14)
        found = gm.zero_one_loss(*args, sample_weight=weights, normalize=False)
        assert_allclose(found, sets.zero_one(true, pred, weights, normalize=False), rtol=1e-14)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_samplewise_tables(make, backend):
    true, pred = matrix(random_sets(3)[0]), matrix(random_sets(3)[1])
    for weights in (None, np.arange(30), np.arange(30) / 4):
        for labels in (None, [3, 1]):
            kwargs = {"samplewise": True, "sample_weight": weights, "labels": labels}
            found = gm.multilabel_confusion_matrix(make(true), make(pred), **kwargs)
            expected = sklearn.metrics.multilabel_confusion_matrix(true, pred, **kwargs)
            assert_array_equal(found, expected)
            assert found.dtype == expected.dtype


labelsets = st.sets(st.integers(0, 3))


@settings(max_examples=40)
@given(st.lists(st.tuples(labelsets, labelsets, st.integers(0, 3)), min_size=1, max_size=8), st.booleans())
def test_random_sets(rows, as_csr):
    true, pred, weights = ([row[i] for row in rows] for i in range(3))
    make = sparse.csr_matrix if as_csr else np.asarray
    args = make(matrix(true, 4)), make(matrix(pred, 4))
    for kwargs in [{}] + [{"sample_weight": weights}] * any(weights):
        for average in AVERAGES:
            for undefined in (0, 1, float("nan")):
                expected = sets.averaged(
                    sets.jaccard, true, pred, average, range(4), kwargs.get("sample_weight"), undefined
                )
                found = gm.jaccard_score(*args, average=average, zero_division=undefined, **kwargs)
                assert_allclose(found, expected, rtol=1e-13)
        assert_allclose(gm.accuracy_score(*args, **kwargs), sets.accuracy(true, pred, *kwargs.values()), rtol=1e-14)
        expected = sets.hamming_of_sets(true, pred, 4, *kwargs.values())
        assert_allclose(gm.hamming_loss(*args, **kwargs), expected, rtol=1e-14)


@pytest.mark.parametrize("values", [(0, 2), (-1, 0), (3, 3), (-1, 1), (5, 7), (0.0, 2.0), (0, 2**30)])
def test_other_values_than_one(values):
    rng = np.random.default_rng(0)
    true, pred = (np.array(values)[rng.integers(0, 2, (20, 3))] for _ in range(2))
    for name, kwargs in (("f1_score", {"average": "macro"}), ("hamming_loss", {}), ("accuracy_score", {})):
        expected = getattr(sklearn.metrics, name)(true, pred, **kwargs)
        assert_allclose(getattr(gm, name)(true, pred, **kwargs), expected, rtol=1e-14)
        if 0 in values:
            args = sparse.csr_matrix(true), sparse.csr_matrix(pred != 0).astype(int)
            expected = getattr(sklearn.metrics, name)(*args, **kwargs)
            assert_allclose(getattr(gm, name)(*args, **kwargs), expected, rtol=1e-14)


@pytest.mark.parametrize("values", [(0, 2), (-1, 0), (3, 3), (-1, 1), (0.0, 2.0), (0, 2**30), (0, 1), (0, 2**63)])
def test_other_values_beside_a_sparse_matrix(values, backend):
    rng = np.random.default_rng(0)
    true, pred = np.array(values)[rng.integers(0, 2, (20, 3))], rng.integers(0, 2, (20, 3))
    for weights in (None, rng.random(20)):
        for value in (1, -1, 2):
            other = sparse.csr_array(pred * value)
            for args in ((true, other), (other, true)):
                dense = [side if isinstance(side, np.ndarray) else side.toarray() for side in args]
                for name in ("hamming_loss", "accuracy_score"):
                    found = getattr(gm, name)(*args, sample_weight=weights)
                    assert found == getattr(gm, name)(*dense, sample_weight=weights)
                wrong = (dense[0] != dense[1]).sum(axis=1)
                assert_allclose(gm.hamming_loss(*args, sample_weight=weights), np.average(wrong, weights=weights) / 3)


@pytest.mark.parametrize("labels", [[2.0, 0.0], np.array([2, 0], dtype=np.uint8), np.array([2, 0], dtype=np.float32)])
def test_numbers_of_columns_of_any_type(labels, backend):
    true, pred = map(matrix, random_sets())
    for average in (None, "macro", "samples"):
        expected = gm.recall_score(true, pred, labels=[2, 0], average=average, zero_division=0)
        assert_array_equal(gm.recall_score(true, pred, labels=labels, average=average, zero_division=0), expected)


@pytest.mark.parametrize(("labels", "wrong"), [([0, 5], "5 > 4"), ([-1], "-1 < 0"), (["a"], "['a']"), ([0.5], "[0.5]")])
def test_columns_that_do_not_exist(labels, wrong):
    true, pred = map(matrix, random_sets())
    for average in ("macro", "samples"):
        with pytest.raises(ValueError, match=r"All labels must be in \[0, n labels\) for multilabel") as raised:
            gm.f1_score(true, pred, labels=labels, average=average)
        assert str(raised.value).endswith(f"Got {wrong}")


def test_the_callers_matrices_are_left_alone():
    dense = matrix(random_sets()[0])
    for make in (_twice, _with_zeros, sparse.coo_matrix):
        given_matrix = make(dense)
        before = given_matrix.copy()
        gm.f1_score(given_matrix, given_matrix, average="macro", zero_division=0)
        assert given_matrix.nnz == before.nnz
        assert_array_equal(given_matrix.data, before.data)


def test_many_blocks(backend):
    rng = np.random.default_rng(4)
    true, pred = rng.random((2, 70_001, 9)) < 0.3
    weights = rng.random(70_001)
    for kwargs in ({}, {"sample_weight": weights}):
        for average in (None, "samples"):
            found = gm.f1_score(true, pred, average=average, zero_division=0, **kwargs)
            expected = gm.f1_score(*map(sparse.csr_matrix, (true, pred)), average=average, zero_division=0, **kwargs)
            assert_allclose(found, expected, rtol=1e-12)
    assert_array_equal(gm.recall_score(true, pred, average=None), (true & pred).sum(axis=0) / true.sum(axis=0))


def test_more_than_two_values_far_down():
    true = np.zeros((200_000, 3), dtype=np.int8)
    pred = true.copy()
    pred[-1, -1], pred[-2, 0] = 1, 2
    with pytest.raises(ValueError, match="mix of multilabel-indicator and multiclass-multioutput"):
        gm.f1_score(true, pred, average="macro")


@pytest.mark.parametrize("average", ["macro", "samples"])
def test_a_sparse_matrix_stays_sparse(average):  # its cells would be a terabyte
    n = 10**6
    rows = np.arange(n + 1)
    true = sparse.csr_matrix((np.ones(n, dtype=np.int8), rows[:n], rows), shape=(n, n))
    pred = sparse.csr_matrix((np.ones(n, dtype=np.int8), np.where(rows[:n] % 2, rows[:n], 0), rows), shape=(n, n))
    tracemalloc.start()
    value = gm.f1_score(true, pred, average=average, zero_division=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    hits = n // 2 + 1
    assert_allclose(value, hits / n if average == "samples" else (n // 2 + 2 / (n // 2 + 1)) / n, rtol=1e-12)
    assert peak < 200e6


@pytest.mark.emulated
def test_matrices_on_a_device_stay_there(emulated):
    true, pred = map(matrix, random_sets(5))
    args = emulated.asarray(true), emulated.asarray(pred)
    assert gm.jaccard_score(*args, average="samples", zero_division=0) == gm.jaccard_score(
        true, pred, average="samples", zero_division=0
    )
    labels = emulated.asarray([2, 0])
    found = gm.multilabel_confusion_matrix(*args, labels=labels)
    assert_array_equal(found.get(), gm.multilabel_confusion_matrix(true, pred, labels=[2, 0]))
    found = gm.multilabel_confusion_matrix(*args, samplewise=True)
    assert type(found) is emulated.ndarray
    assert_array_equal(found.get(), gm.multilabel_confusion_matrix(true, pred, samplewise=True))
