"""Averages, `zero_division`, `labels`, `pos_label` and beta of precision, recall, F and Jaccard."""

import math
import re
import warnings
from datetime import date
from functools import partial

import numpy as np
import pytest
import set_definitions as sets
import sklearn.metrics
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.exceptions import UndefinedMetricWarning

NAN, INF = math.nan, math.inf
SCORES = ["precision_score", "recall_score", "f1_score", "jaccard_score"]
RATIOS = {
    "precision_score": sets.precision,
    "recall_score": sets.recall,
    "f1_score": sets.f_beta(1),
    "jaccard_score": sets.jaccard,
}
# Class 3 is never predicted, class 2 never true, class 4 neither.
TRUE, PRED = [0, 0, 1, 1, 3, 3], [0, 1, 1, 2, 0, 0]
EVERY = [0, 1, 2, 3, 4]
AVERAGES = [None, "micro", "macro", "weighted"]


def messages(call):
    """What a call warns of, in order."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [(warning.category, str(warning.message)) for warning in seen]


# ---------------------------------------------------------------------------------------------
# zero_division


@pytest.mark.parametrize("zero_division", [0, 1, NAN, 0.0, np.float32(1), np.float64("nan"), True])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", SCORES)
def test_one_rule_for_what_is_undefined(name, average, zero_division, backend):
    found = getattr(gm, name)(TRUE, PRED, labels=EVERY, average=average, zero_division=zero_division)
    expected = sets.averaged(
        RATIOS[name], sets.sets_of(TRUE), sets.sets_of(PRED), average, EVERY, undefined=float(zero_division)
    )
    assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("name", SCORES)
def test_nan_is_the_mean_only_where_nothing_is_left(name):
    score = partial(getattr(gm, name), zero_division=NAN)
    for average in ("macro", "weighted", "micro"):
        assert math.isnan(score([0, 0], [0, 0], labels=[7], average=average))
    assert math.isnan(score([[0, 0]], [[0, 0]], average="samples"))
    assert math.isnan(score([0, 0], [0, 0]))
    assert score([[0, 0], [1, 0]], [[0, 0], [1, 0]], average="samples") == 1.0
    assert math.isnan(score([0], [0], labels=[], average="macro"))


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("zero_division", [0, 1, NAN])
def test_what_is_given_is_not_warned_of(name, zero_division):
    score = partial(getattr(gm, name), zero_division=zero_division)
    with np.errstate(all="raise"):
        assert_array_equal(score([0, 0], [0, 0]), zero_division)
        score(TRUE, PRED, labels=EVERY, average="macro")


MATRICES = np.array([[1, 0, 0], [0, 0, 0]]), np.array([[0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("average", [*AVERAGES, "samples"])
@pytest.mark.parametrize("name", [*SCORES, "precision_recall_fscore_support"])
def test_warnings_are_scikit_learns(name, average, backend):
    calls = [(MATRICES, {"average": average}), (MATRICES, {"average": average, "labels": [2]})]
    calls += [((TRUE, PRED), {"average": average, "labels": EVERY})] * (average != "samples")
    seen = []
    for args, kwargs in calls:
        expected = messages(lambda args=args, kwargs=kwargs: getattr(sklearn.metrics, name)(*args, **kwargs))
        assert messages(lambda args=args, kwargs=kwargs: getattr(gm, name)(*args, **kwargs)) == expected
        seen += expected
    assert seen


def test_warnings_only_of_what_is_asked():
    call = partial(gm.precision_recall_fscore_support, [0, 0], [0, 0], average="binary")
    for names in ([], ["recall"], ("f-score", "precision"), {"precision", "recall", "f-score"}):
        seen = [text.partition(" ")[0].lower() for _, text in messages(lambda names=names: call(warn_for=names))]
        assert seen == [name for name in ("precision", "recall", "f-score") if name in names]


def test_undefined_scores_point_at_the_caller():
    with pytest.warns(UndefinedMetricWarning, match="Precision is ill-defined") as seen:
        gm.precision_score([0, 0], [0, 0])
    assert seen[0].filename == __file__


@pytest.mark.parametrize("beta", [0, INF, 1e200, 1e-200])
def test_an_undefined_f_at_the_ends_of_beta_warns_once(beta):
    assert len(messages(lambda: gm.fbeta_score([0, 0], [0, 0], beta=beta))) == 1
    prf = partial(gm.precision_recall_fscore_support, [0, 0], [0, 0], average="binary")
    assert len(messages(lambda: prf(beta=beta))) == (2 if beta in {0, INF} else 3)


@pytest.mark.parametrize("value", [2, 0.5, "x", None, INF, np.array(0), [0]])
@pytest.mark.parametrize("name", [*SCORES, "precision_recall_fscore_support", "classification_report"])
def test_other_values_of_zero_division(name, value):
    with pytest.raises(ValueError, match=rf"The 'zero_division' parameter of {name} must be .*'warn'"):
        getattr(gm, name)([0, 1], [0, 1], zero_division=value)


# ---------------------------------------------------------------------------------------------
# Beta


@pytest.mark.parametrize("beta", [0, 1e-300, 1e-170, 1e-3, 0.5, 1, 2, 1e7, 1e8, 1.1e8, 1e154, 1e155, 1e300, INF])
def test_every_beta(beta, backend):
    for true, pred in ([[1, 1, 1, 1, 0], [1, 0, 0, 0, 1]], [[0, 0, 1], [0, 1, 0]], [[1, 0], [0, 0]], [[0, 0], [1, 0]]):
        with np.errstate(all="raise"):
            found = gm.fbeta_score(true, pred, beta=beta, zero_division=0)
        expected = sets.averaged(sets.f_beta(beta), sets.sets_of(true), sets.sets_of(pred), "macro", [1])
        assert_allclose(found, expected, rtol=1e-12, atol=1e-290)


@pytest.mark.parametrize("beta", [1e-300, 1e300])
def test_f_without_hits_is_zero_not_undefined(beta):
    for true, pred in ([[1, 0], [0, 0]], [[0, 0], [1, 0]]):  # nothing predicted; nothing true
        assert gm.fbeta_score(true, pred, beta=beta, zero_division=1) == 0.0


@pytest.mark.parametrize("beta", [-1, "1", NAN, None])
def test_what_is_no_beta(beta):
    for name in ("fbeta_score", "precision_recall_fscore_support"):
        with pytest.raises(ValueError, match=rf"The 'beta' parameter of {name} must be a float in the range"):
            getattr(gm, name)([0, 1], [0, 1], beta=beta)


# ---------------------------------------------------------------------------------------------
# Labels, the positive class, averages


@pytest.mark.parametrize("labels", [[1, 0], [3], [4, 0, 7], [1, 1], np.array([2, 0]), (0,), range(3)])
def test_labels_are_scored_in_their_order(labels, backend):
    for name in SCORES:
        found = getattr(gm, name)(TRUE, PRED, labels=labels, average=None, zero_division=0)
        each = [getattr(gm, name)(TRUE, PRED, labels=[label], average="macro", zero_division=0) for label in labels]
        assert_array_equal(found, each)
        assert found.dtype == np.float64


@pytest.mark.parametrize(
    ("labels", "classes", "names"),
    [
        (["b", "a", "q"], ["a", "b", "c"], None),
        ([True, False], [0, 1, 2], [1, 0]),
        ([2.0, 1], [0, 1, 2], [2, 1]),
        ([2**62, -5], [-5, 7, 2**62], None),
        ([2**53, 0.5], [2**53, 2**53 + 1, 1], None),
    ],
)
def test_labels_are_found_by_value(labels, classes, names):
    true, pred = [classes[i] for i in (0, 1, 2, 0, 1)], [classes[i] for i in (0, 1, 1, 2, 2)]
    found = gm.recall_score(true, pred, labels=labels, average=None, zero_division=NAN)
    expected = [
        sets.recall(*sets.counts_of_label(sets.sets_of(true), sets.sets_of(pred), label, [1] * 5), NAN)
        for label in (names or labels)
    ]
    assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("labels", "targets"),
    [
        (["0", "1"], [0, 1]),
        ([0, 1], ["0", "1"]),
        ([1, "0"], [0, 1]),
        ([True], np.array(["a", "True"], dtype=object)),
        (["2024-01-01"], np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]")),
        ([date(2024, 1, 1)], np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]")),
    ],
)
def test_labels_of_another_kind_are_refused(labels, targets, backend):  # scikit-learn: zeros, or 0 is "0"
    for name in (*SCORES, "multilabel_confusion_matrix", "classification_report"):
        average = {"average": "macro"} if name in SCORES else {}
        with pytest.raises(ValueError, match=r"^Mix of label input types \(.* and .*\); labels has \["):
            getattr(gm, name)(targets, targets, labels=labels, **average)
    if labels != [1, "0"]:
        with pytest.raises(ValueError, match=r"^At least one label specified must be in y_true$"):
            gm.confusion_matrix(targets, targets, labels=labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None, 1], r"Input labels contains NaN\. A label is missing"),
        (np.array([NAN, 1], dtype=object), r"Input labels contains NaN\. A label is missing"),
        ([1, {0}], "labels must hold one hashable label per row"),
        ([[0, 1]], r"labels must be a list of labels, got an array of shape \(1, 2\)"),
        ({0, 1}, "The 'labels' parameter must be an array-like of labels"),
    ],
)
def test_what_is_no_label(labels, message):
    for call in (partial(gm.f1_score, average="macro"), gm.confusion_matrix, gm.cohen_kappa_score):
        with pytest.raises(ValueError, match=message):
            call([0, 1], [0, 1], labels=labels)


@pytest.mark.parametrize("pos_label", [0, 1, True, 1.0, np.int8(1), np.bool_(False)])
def test_pos_label(pos_label, backend):
    for name in SCORES:
        each = getattr(gm, name)([1, 0, 1, 1], [1, 1, 0, 1], average=None)
        assert getattr(gm, name)([1, 0, 1, 1], [1, 1, 0, 1], pos_label=pos_label) == each[int(pos_label)]
    words = np.array(["no", "yes"])
    assert gm.f1_score(words[[1, 0]], words[[1, 1]], pos_label=np.str_("yes")) == 2 / 3


def test_a_positive_class_that_does_not_occur():
    with pytest.raises(ValueError, match=r"pos_label=1 is not a valid label\. It should be one of \['eggs' 'spam'\]"):
        gm.f1_score(["eggs", "spam"], ["eggs", "eggs"])
    with pytest.raises(ValueError, match=r"pos_label=5 is not a valid label\. It should be one of \[False  True\]"):
        gm.f1_score([True, False], [True, True], pos_label=5)
    with pytest.warns(UndefinedMetricWarning):
        assert gm.f1_score([-1, -1], [-1, -1]) == 0.0


def test_a_positive_class_that_the_average_ignores():
    with pytest.warns(UserWarning, match=r"Note that pos_label \(set to 2\) is ignored when average != 'binary' \(got"):
        gm.f1_score([0, 1], [0, 1], pos_label=2, average="macro")
    for pos_label in (None, 1, True):
        gm.f1_score([0, 1], [0, 1], pos_label=pos_label, average="macro")


@pytest.mark.parametrize(
    ("args", "average", "message"),
    [
        (([0, 1, 2], [0, 1, 2]), "binary", "Target is multiclass but average='binary'. Please choose another average"),
        (([[1, 0]], [[1, 0]]), "binary", "one of [None, 'micro', 'macro', 'weighted', 'samples']."),
        (([0, 1], [0, 1]), "samples", "Samplewise metrics are not available outside of multilabel classification."),
        (([0, 1], [0, 1]), "mean", "parameter of {} must be a str among {{'micro', 'macro', "),
        (([0, 1], [0, 1]), True, "'binary'}} or None. Got True instead."),
    ],
)
def test_averages_that_do_not_suit(args, average, message):
    for name in SCORES:
        with pytest.raises(ValueError, match=re.escape(message.format(name))):
            getattr(gm, name)(*args, average=average)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("pos_label", [1]), ("labels", 3), ("labels", "ab"), ("sample_weight", 2.0), ("warn_for", "recall")],
)
def test_arguments_of_the_wrong_kind(parameter, value):
    function = "precision_recall_fscore_support"
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of {function} must be an") as raised:
        gm.precision_recall_fscore_support([0, 1], [0, 1], **{parameter: value})
    with pytest.raises(ValueError, match=parameter) as theirs:
        sklearn.metrics.precision_recall_fscore_support([0, 1], [0, 1], **{parameter: value})
    assert str(raised.value) == str(theirs.value)


def test_precision_recall_fscore_support(backend):
    for kwargs in ({}, {"beta": 0.5}, {"labels": [2, 0]}, {"sample_weight": np.arange(6) / 7}):
        found = gm.precision_recall_fscore_support(TRUE, PRED, zero_division=0, **kwargs)
        expected = sklearn.metrics.precision_recall_fscore_support(TRUE, PRED, zero_division=0, **kwargs)
        for ours, theirs in zip(found, expected, strict=True):
            assert (type(ours), ours.dtype) == (np.ndarray, theirs.dtype)
            assert_allclose(ours, theirs, rtol=1e-14)
        found = gm.precision_recall_fscore_support(TRUE, PRED, average="macro", zero_division=0, **kwargs)
        assert [type(value) for value in found] == [float, float, float, type(None)]


def test_f_comes_from_counts_not_from_precision_and_recall():
    n = 3 * 10**5
    true, pred = np.arange(n) < n // 3, np.arange(n) % 7 == 0
    both, p, t = (int(part.sum()) for part in (true & pred, pred, true))
    assert gm.f1_score(true, pred) == 2 * both / (p + t)
