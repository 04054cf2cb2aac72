"""Confusion matrices, kappa, Matthews' correlation, balanced accuracy: beyond the catalogue."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
import set_definitions as sets
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.exceptions import UndefinedMetricWarning

TRUE, PRED = [2, 0, 2, 2, 0, 1, 7], [0, 0, 2, 2, 0, 2, 1]
SINGLE = "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape"

settings.register_profile("targets", max_examples=60, deadline=None, derandomize=True)


# ---------------------------------------------------------------------------------------------
# Confusion matrix


@pytest.mark.parametrize("labels", [[7, 2, 0, 1], [2, 0], [1, 9], np.array([0, 1, 2]), (2,)])
@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
@pytest.mark.filterwarnings("ignore:A single label")
def test_labels_and_normalize(labels, normalize, backend):
    for weights in (None, np.arange(1, 8), np.arange(7) / 3):
        kwargs = {"labels": labels, "normalize": normalize, "sample_weight": weights}
        found = gm.confusion_matrix(TRUE, PRED, **kwargs)
        expected = sklearn.metrics.confusion_matrix(TRUE, PRED, **{**kwargs, "labels": np.array(labels)})
        assert_allclose(found, expected, rtol=1e-15)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.uint64, np.float32, np.float64, object])
def test_dtype_follows_the_weights(dtype, backend):
    found = gm.confusion_matrix([0, 1, 1], [0, 1, 1], sample_weight=np.ones(3, dtype=dtype))
    assert found.dtype == (np.int64 if np.dtype(dtype).kind in "biu" else np.float64)
    assert_array_equal(found, [[1, 0], [0, 2]])


def test_integer_weights_are_added_exactly(backend):
    weights = np.array([2**32 - 1, 2**32 - 1, 2**60 + 1, 2**60 + 2, -(2**61)])
    found = gm.confusion_matrix([0, 0, 1, 1, 0], [0, 0, 1, 1, 1], sample_weight=weights)
    assert found.tolist() == [[2**33 - 2, -(2**61)], [0, 2**61 + 3]]
    assert gm.confusion_matrix([0, 1], [0, 1], sample_weight=[2**63 - 1, 0]).tolist() == [[2**63 - 1, 0], [0, 0]]


def test_shares_of_weights_whose_sum_leaves_int64(backend):  # it would wrap
    for weights in ([2**62] * 4, np.full(4, 2**63, dtype=np.uint64), [2**63 - 1] * 4):
        assert gm.accuracy_score([0, 1, 1, 0], [0, 1, 0, 0], sample_weight=weights) == 0.75
        assert gm.hamming_loss([0, 1, 1, 0], [0, 1, 0, 0], sample_weight=weights) == 0.25
        matrices = np.eye(4, dtype=int), np.eye(4, dtype=int)[[0, 1, 2, 2]]
        assert gm.zero_one_loss(*matrices, sample_weight=weights) == 0.25
        assert gm.hamming_loss(*matrices, sample_weight=weights) == 0.125
    found = gm.accuracy_score([0, 1, 1, 0], [0, 1, 0, 0], sample_weight=[2**53, 1, 1, 1], normalize=False)
    assert found == 2**53 + 2
    with pytest.raises(ValueError, match="sample_weight times 4 labels is more than int64 can hold"):
        gm.multilabel_confusion_matrix(*matrices, sample_weight=[2**62] * 4, samplewise=True)


@pytest.mark.parametrize("weights", [[-1, 1, 0, 0], [0.5, -0.5, 0.25, -0.25]])
def test_weights_that_cancel_out(weights):
    matrix = np.eye(4, dtype=int)
    for name in ("accuracy_score", "zero_one_loss", "hamming_loss"):
        for args in (([0, 1, 1, 0], [0, 1, 0, 0]), (matrix, matrix)):
            with pytest.raises(ZeroDivisionError, match=r"^Weights sum to zero, can't be normalized: sample_weight"):
                getattr(gm, name)(*args, sample_weight=weights)
    assert (
        gm.accuracy_score([0, 1, 1, 0], [0, 1, 0, 0], sample_weight=weights, normalize=False)
        == sum(weights[:2]) + (weights[3])
    )


def test_sums_that_do_not_fit_are_an_error(backend):
    weights = np.full(3, 2**62)
    with pytest.raises(ValueError, match="sample_weight adds up to"):
        gm.confusion_matrix([0, 1, 1], [0, 1, 1], sample_weight=weights)
    found = gm.confusion_matrix([0, 1], [0, 1], sample_weight=np.full(2, 2**63, dtype=np.uint64))  # no int64: floats
    assert_array_equal(found, [[2.0**63, 0], [0, 2.0**63]])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "^'labels' should contain at least one label.$"),
        ([5, 6], "^At least one label specified must be in y_true$"),
    ],
)
def test_labels_that_cannot_be(labels, message):
    with pytest.raises(ValueError, match=message):
        gm.confusion_matrix(TRUE, PRED, labels=labels)


def test_a_single_label_warns():
    for call in (gm.confusion_matrix, gm.balanced_accuracy_score, gm.matthews_corrcoef):
        with pytest.warns(UserWarning, match=SINGLE):
            call([3, 3], [3, 3])
    with pytest.warns(UserWarning, match=SINGLE):
        assert gm.confusion_matrix(TRUE, PRED, labels=[2]).tolist() == [[2]]


def test_more_classes_than_a_cache_holds(backend, rng):
    true, pred = rng.integers(0, 300, (2, 5000))  # 90,000 cells
    weights = rng.integers(0, 5, 5000)
    expected = np.zeros((300, 300), dtype=np.int64)
    np.add.at(expected, (true, pred), 1)
    assert_array_equal(gm.confusion_matrix(true, pred, labels=range(300)), expected)
    expected[:] = 0
    np.add.at(expected, (true, pred), weights)
    assert_array_equal(gm.confusion_matrix(true, pred, labels=range(300), sample_weight=weights), expected)
    found = gm.recall_score(true, pred, average=None, sample_weight=weights, zero_division=0)
    assert_allclose(found, expected.diagonal() / np.maximum(expected.sum(axis=1), 1), rtol=1e-14)


def test_a_million_classes_need_no_table(rng):
    n, k = 2_000_000, 1_000_000
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.6, true, rng.integers(0, k, n))
    tracemalloc.start()
    f1 = gm.f1_score(true, pred, average="macro", zero_division=0)
    balanced = gm.matthews_corrcoef(true, pred)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    both = np.bincount(true[true == pred], minlength=k)
    either = np.bincount(true, minlength=k) + np.bincount(pred, minlength=k)
    assert_allclose(f1, (2 * both / np.maximum(either, 1))[either > 0].mean(), rtol=1e-12)
    assert_allclose(balanced, (true == pred).mean(), atol=1e-5)
    assert peak < 150e6


# ---------------------------------------------------------------------------------------------
# Kappa


labels_of_two = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=12)


@settings(settings.get_profile("targets"))
@given(labels_of_two, st.sampled_from([None, "linear", "quadratic"]), st.booleans())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_kappa(rows, weights, weighted):
    y1, y2, sample_weight = ([row[i] for row in rows] for i in range(3))
    kwargs = {"weights": weights} | ({"sample_weight": sample_weight} if weighted else {})
    assert_allclose(gm.cohen_kappa_score(y1, y2, **kwargs), sets.kappa(y1, y2, **kwargs), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_follows_labels(weights, backend):
    y1, y2 = ["a", "b", "c", "a", "d", "c"], ["b", "b", "a", "a", "c", "c"]
    for labels in (["c", "a", "b"], ["a", "b", "z", "c"], ["a", "b"]):
        kwargs = {"labels": labels, "weights": weights}
        expected = sklearn.metrics.cohen_kappa_score(y1, y2, **{**kwargs, "labels": np.array(labels)})
        assert_allclose(gm.cohen_kappa_score(y1, y2, **kwargs), expected, rtol=1e-13)
        assert_allclose(gm.cohen_kappa_score(y1, y2, **kwargs), sets.kappa(y1, y2, **kwargs), rtol=1e-13)


UNDEFINED = {
    "none in common": ([1] * 5 + [2] * 5, [3] * 10, [1, 2], None),
    "one label": ([3] * 10, [3] * 10, None, None),
    "one in common": ([1] * 5 + [2] * 5, [1] * 5 + [3] * 5, [1, 2], None),
    "one in common, linear": ([1] * 5 + [2] * 5, [1] * 5 + [3] * 5, [1, 2], "linear"),
    "one in common, quadratic": ([1] * 5 + [2] * 5, [1] * 5 + [3] * 5, [0, 1, 2], "quadratic"),
}


@pytest.mark.parametrize("case", UNDEFINED)
@pytest.mark.parametrize("value", [0.0, math.nan, -1])
@pytest.mark.filterwarnings("ignore:A single label")
def test_undefined_kappa(case, value):
    y1, y2, labels, weights = UNDEFINED[case]
    kwargs = {"labels": labels, "weights": weights, "replace_undefined_by": value}
    with pytest.warns(UndefinedMetricWarning) as ours:
        found = gm.cohen_kappa_score(y1, y2, **kwargs)
    kwargs["labels"] = None if labels is None else np.array(labels)
    with pytest.warns(UndefinedMetricWarning) as theirs:
        sklearn.metrics.cohen_kappa_score(np.array(y1), np.array(y2), **kwargs)
    assert_array_equal(found, value)
    assert type(found) is float
    assert str(ours[-1].message) == str(theirs[-1].message)


def test_kappa_arguments():
    message = "At least one label in `labels` must be present in `y1` \\(even though `cohen_kappa_score` is otherwise"
    with pytest.raises(ValueError, match=message):
        gm.cohen_kappa_score(["a", "b"], ["b", "b"], labels=[1, 2])
    with pytest.raises(ValueError, match=r"of cohen_kappa_score must be a str among \{'linear', 'quadratic'\}"):
        gm.cohen_kappa_score([0, 1], [0, 1], weights="cubic")
    for value in (2, -1.5, "x"):
        with pytest.raises(ValueError, match=r"must be a float in the range \[-1.0, 1.0\] or numpy.nan"):
            gm.cohen_kappa_score([0, 1], [0, 1], replace_undefined_by=value)


def test_kappa_of_many_classes_makes_no_table(rng):
    k = 20_000
    y1, y2 = rng.integers(0, k, (2, 50_000))
    tracemalloc.start()
    values = [gm.cohen_kappa_score(y1, y2, weights=weights) for weights in (None, "linear", "quadratic")]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    apart = np.abs(y1 - y2).astype(float)
    for value, power in zip(values[1:], (1, 2), strict=True):
        chance = np.mean([(np.abs(y1 - np.roll(y2, shift)).astype(float) ** power).mean() for shift in range(1, 60)])
        assert_allclose(value, 1 - (apart**power).mean() / chance, atol=0.01)
    assert peak < 40e6  # the table would be 3.2 GB


# ---------------------------------------------------------------------------------------------
# Matthews' correlation


@settings(settings.get_profile("targets"))
@given(labels_of_two, st.booleans())
@pytest.mark.filterwarnings("ignore:A single label")
def test_matthews(rows, weighted):
    true, pred, weights = ([row[i] for row in rows] for i in range(3))
    kwargs = {"sample_weight": weights} if weighted else {}
    found = gm.matthews_corrcoef(true, pred, **kwargs)
    assert_allclose(found, sets.matthews(true, pred, **kwargs), rtol=1e-13, atol=1e-15)
    assert -1 <= found <= 1


def test_matthews_of_two_classes_is_pearsons_correlation(rng, backend):
    true, pred = rng.integers(0, 2, (2, 200))
    assert_allclose(gm.matthews_corrcoef(true, pred), np.corrcoef(true, pred)[0, 1], rtol=1e-12)


def exact_matthews(true, pred, weights):
    """Matthews' correlation of floats, by fractions."""
    classes, weights = sorted({*true, *pred}), [Fraction(float(w)) for w in weights]

    def total(condition):
        return sum(w for w, row in zip(weights, zip(true, pred, strict=True), strict=True) if condition(*row))

    everything = total(lambda t, p: True)
    t = [total(lambda t, p, k=k: t == k) for k in classes]
    p = [total(lambda t, p, k=k: p == k) for k in classes]
    covariance = total(lambda t, p: t == p) * everything - sum(x * y for x, y in zip(t, p, strict=True))
    spreads = [everything**2 - sum(x * x for x in side) for side in (t, p)]
    return math.copysign(math.sqrt(covariance**2 / (spreads[0] * spreads[1])), covariance) if all(spreads) else 0.0


def test_matthews_of_a_single_class_is_zero(rng, backend):  # not a quotient of two roundings
    for n in range(2, 12):
        true, weights = rng.integers(0, 3, n), rng.random(n)
        for args in ((true, np.zeros(n, dtype=int)), (np.ones(n, dtype=int), true)):
            assert gm.matthews_corrcoef(*args, sample_weight=weights) == 0.0


def test_matthews_of_a_rare_class_keeps_its_digits(rng):
    for k in (2, 3):
        for _ in range(100):
            true, pred = rng.integers(0, k, (2, 8)).tolist()
            weights = rng.random(8)
            weights[0] = 1e12
            found = gm.matthews_corrcoef(true, pred, sample_weight=weights)
            assert_allclose(found, exact_matthews(true, pred, weights), rtol=1e-9, atol=1e-9)
    assert gm.matthews_corrcoef([0, 1], [1, 0], sample_weight=[1e12, 1e-12]) == -1.0


def test_matthews_of_large_counts_is_exact():
    n = 3 * 10**9
    from gpumetrics.classification.association import _matthews
    from gpumetrics.statistics.label_counts import LabelCounts

    tp, fp, fn, tn = n, n - 1, n + 7, 2 * n
    counts = LabelCounts(np.array([tn, tp]), np.array([tn + fn, tp + fp]), np.array([tn + fp, tp + fn]), 5 * n + 6)
    exact = Fraction(tp * tn - fp * fn) ** 2 / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert_allclose(_matthews(counts), math.sqrt(exact), rtol=1e-15)


# ---------------------------------------------------------------------------------------------
# Balanced accuracy


def test_classes_that_are_only_predicted_are_left_out():
    with pytest.warns(UserWarning, match="^y_pred contains classes not in y_true$"):
        assert gm.balanced_accuracy_score([0, 0, 0, 1], [0, 0, 2, 1]) == (2 / 3 + 1) / 2


@pytest.mark.filterwarnings("ignore:A single label", "ignore:y_pred contains")
@pytest.mark.parametrize(("pred", "value"), [([1, 1], math.nan), ([1, 2], -math.inf)])
def test_one_true_class_adjusted_for_chance(pred, value):
    with pytest.warns(UndefinedMetricWarning, match=f"adjusted for chance is {value}"):
        assert_array_equal(gm.balanced_accuracy_score([1, 1], pred, adjusted=True), value)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("accuracy_score", "normalize"),
        ("zero_one_loss", "normalize"),
        ("balanced_accuracy_score", "adjusted"),
        ("multilabel_confusion_matrix", "samplewise"),
        ("classification_report", "output_dict"),
    ],
)
def test_flags(name, parameter):
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {name} must be an instance of 'bool'"):
        getattr(gm, name)([0, 1], [0, 1], **{parameter: "yes"})


def test_counts_in_place_of_shares(backend):
    true, pred, weights = [0, 1, 2, 2], [0, 2, 2, 2], [0.5, 1, 2, 4]
    assert gm.accuracy_score(true, pred, normalize=False) == 3.0
    assert gm.zero_one_loss(true, pred, normalize=False) == 1.0
    assert gm.accuracy_score(true, pred, normalize=False, sample_weight=weights) == 6.5
    assert gm.zero_one_loss(true, pred, normalize=False, sample_weight=weights) == 1.0
    assert gm.accuracy_score(true, pred, normalize=False, sample_weight=[True] * 4) == 3.0
