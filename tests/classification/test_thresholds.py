"""Thresholds: every one tried by hand on plain lists, on both backends; what is refused; what apply does."""

import json
import math
import warnings

import numpy as np
import pytest
from exporters import Exporter
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.classification.thresholds import BestThreshold, best_threshold
from gpumetrics.exceptions import UndefinedMetricWarning

AVERAGES = ["micro", "macro", "weighted", "samples"]


# -- the definition, on plain lists ----------------------------------------------------------------


def score_of_counts(hits, predicted, true, metric, beta, undefined):
    if hits + predicted + true == 0:
        return undefined
    if metric == "jaccard":
        return hits / (predicted + true - hits)
    total = beta**2 * true + predicted  # 0 for the precision of nothing
    return (1 + beta**2) * hits / total if total else undefined


def score_at(Y, S, weights, threshold, average, metric="f1", beta=1, undefined=0.0):
    """The metric of the sets {score >= threshold}, by counting."""
    n, k = len(Y), len(Y[0])
    cells = {(i, j) for i in range(n) for j in range(k)}
    true = {(i, j) for i, j in cells if Y[i][j]}
    predicted = {(i, j) for i, j in cells if S[i][j] >= threshold}

    def of(part, weighted=True):
        sizes = [sum(weights[i] if weighted else 1 for i, _ in s & part) for s in (true & predicted, predicted, true)]
        return score_of_counts(*sizes, metric, beta, undefined)

    labels = [{(i, j) for i in range(n)} for j in range(k)]
    if average in {"micro", "binary"}:
        return of(cells)
    if average == "samples":
        scores, shares = [of({(i, j) for j in range(k)}, weighted=False) for i in range(n)], weights
    else:
        scores, shares = [of(label) for label in labels], [1] * k
        if average == "weighted":
            shares = [sum(weights[i] for i, _ in true & label) for label in labels]
    pairs = [(score, share) for score, share in zip(scores, shares, strict=True) if not math.isnan(score)]
    total = sum(share for _, share in pairs)
    return sum(score * share for score, share in pairs) / total if total else undefined


def check(Y, S, average, weights=None, **kwargs):
    """Compare the whole curve, and the choice, with the definition."""
    undefined = {"warn": 0.0}.get(kwargs.get("zero_division", 0.0), kwargs.get("zero_division", 0.0))
    found = best_threshold(Y, S, average=average, sample_weight=weights, **({"zero_division": 0.0} | kwargs))
    named = {name: kwargs[name] for name in ("metric", "beta") if name in kwargs}
    plain = [1] * len(Y) if weights is None else weights
    Y, S = np.asarray(Y).tolist(), np.asarray(S).tolist()
    thresholds = [math.inf, *sorted({s for row in S for s in row}, reverse=True)]
    expected = [score_at(Y, S, plain, t, average, undefined=undefined, **named) for t in thresholds]
    assert_array_equal(found.curve.thresholds, thresholds)
    assert_allclose(found.curve.scores, expected, rtol=1e-12, atol=1e-14)
    at = thresholds.index(found.threshold)
    assert_allclose(found.score, expected[at], rtol=1e-12, atol=1e-14)
    if any(cell for row, weight in zip(Y, plain, strict=True) for cell in row if weight):
        best = max(score for score in expected if not math.isnan(score))
        assert_allclose(found.score, best, rtol=1e-12, atol=1e-14)
        assert all(not score > found.score - 1e-12 for score in expected[:at])  # the largest of equals
    else:
        assert found.threshold == math.inf
    return found


@st.composite
def data(draw, max_labels=4):
    n, k = draw(st.integers(1, 7)), draw(st.integers(2, max_labels))
    table = lambda cell: draw(st.lists(st.lists(cell, min_size=k, max_size=k), min_size=n, max_size=n))  # noqa: E731
    weights = draw(st.none() | st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    return table(st.integers(0, 1)), table(st.sampled_from([-1.5, 0.0, 0.25, 0.5, 0.75])), weights


METRICS = [{}, {"metric": "jaccard"}] + [{"metric": "fbeta", "beta": beta} for beta in (0, 0.5, 2)]


@given(data(), st.sampled_from(AVERAGES), st.sampled_from(METRICS), st.sampled_from([0.0, 1.0, math.nan]))
@example(([[0, 0]], [[-1.5, -1.5]], None), "weighted", {}, 1.0)
@example(([[1, 0], [0, 0]], [[0.5, 0.25], [0.75, 0.0]], [0, 1]), "samples", {}, math.nan)
@example(([[0, 1], [1, 0]], [[0.5, 0.5], [0.5, 0.5]], None), "micro", {"metric": "fbeta", "beta": 0}, 1.0)
@example(  # the mean of samples is 7/22 at both scores, but its rounded parts add up to less at the larger one
    (
        [[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]],
        [[0.0] * 4, *[[-1.5] * 4] * 3, *[[-1.5, 0.0, 0.0, 0.0]] * 2],
        [1, 3, 0, 1, 3, 3],
    ),
    "samples",
    {"metric": "jaccard"},
    0.0,
)
@settings(max_examples=150, deadline=None)
def test_one_threshold_is_the_definition(given_data, average, metric, zero_division):
    Y, S, weights = given_data
    check(Y, S, average, weights, zero_division=zero_division, **metric)


@given(data(), st.sampled_from(METRICS), st.sampled_from([0.0, 1.0, math.nan]), st.sampled_from(["macro", "weighted"]))
@settings(max_examples=80, deadline=None)
def test_a_threshold_for_each_label_is_the_definition(given_data, metric, zero_division, average):
    Y, S, weights = given_data
    named = {"zero_division": zero_division, **metric}
    found = best_threshold(Y, S, per_label=True, average=average, sample_weight=weights, **named)
    shares = []
    for j, curve in enumerate(found.curve):
        # One label is a table of one column, of which pooled counts are the label's.
        column = check([[row[j]] for row in Y], [[row[j]] for row in S], "binary", weights, **named)
        assert_array_equal(curve.thresholds, column.curve.thresholds)
        assert_array_equal(curve.scores, column.curve.scores)
        assert (found.threshold[j], found.label_scores[j]) == pytest.approx(
            (column.threshold, column.score), nan_ok=True
        )
        shares.append(sum(row[j] * w for row, w in zip(Y, weights or [1] * len(Y), strict=True)))
    defined = ~np.isnan(found.label_scores)
    weights_of_mean = np.array(shares, dtype=float)[defined] if average == "weighted" else None
    if defined.any() and (weights_of_mean is None or weights_of_mean.any()):
        assert_allclose(found.score, np.average(found.label_scores[defined], weights=weights_of_mean), rtol=1e-12)


def test_scores_that_rounding_parts_are_equal():
    # F-beta is 149/325 for 17 hits of 43 and for 25 of 69, of 25 true ones; the quotients differ by a rounding.
    truth = [1] * 17 + [0] * 26 + [1] * 8 + [0] * 18
    found = best_threshold(truth, [0.9] * 43 + [0.5] * 26, metric="fbeta", beta=0.7)
    assert found.curve.scores[1] < found.curve.scores[2]
    assert found.threshold == 0.9


# -- on both backends ------------------------------------------------------------------------------

Y = [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0], [1, 0, 0]]
S = [[0.9, 0.2, 0.4], [0.4, 0.4, 0.1], [0.6, 0.9, 0.4], [0.4, 0.3, 0.3], [0.2, 0.1, 0.8]]


@pytest.mark.parametrize("weights", [None, [2, 1, 0, 0.25, 3]])
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("zero_division", [0.0, math.nan])
def test_one_threshold(average, weights, zero_division, backend):
    check(Y, S, average, weights, zero_division=zero_division)


@pytest.mark.parametrize("weights", [None, [2, 1, 0, 0.25, 3]])
def test_a_threshold_for_each_label(weights, backend):
    found = best_threshold(Y, S, per_label=True, sample_weight=weights)
    for j in range(3):
        alone = best_threshold([row[j] for row in Y], [row[j] for row in S], sample_weight=weights)
        assert (found.threshold[j], found.label_scores[j]) == (alone.threshold, alone.score)
        assert_array_equal(found.curve[j].scores, alone.curve.scores)
    assert_allclose(found.score, found.label_scores.mean(), rtol=1e-14)


def test_equal_scores_are_never_split(backend):
    found = best_threshold([1, 0, 1, 0, 0, 1], [0.5, 0.5, 0.5, 0.5, 0.1, 0.1])
    assert_array_equal(found.curve.thresholds, [math.inf, 0.5, 0.1])
    assert_allclose(found.curve.scores, [0, 4 / 7, 2 / 3], rtol=1e-15)
    assert (found.threshold, found.score) == (0.1, pytest.approx(2 / 3))


def test_of_equal_values_the_largest_threshold(backend):
    # F1 is 2/3 at 0.9 (1 of 2 found, none wrong) and at 0.2 (both found, two wrong).
    found = best_threshold([1, 0, 0, 1], [0.9, 0.5, 0.4, 0.2])
    assert_allclose(found.curve.scores, [0, 2 / 3, 1 / 2, 2 / 5, 2 / 3], rtol=1e-15)
    assert found.threshold == 0.9


def test_minus_zero_is_zero(backend):
    found = best_threshold([1, 0, 1], [0.0, -0.0, -1.0])
    assert len(found.curve.thresholds) == 3
    assert_array_equal(found.apply(np.array([-0.0, 0.0])), [1, 1])


@pytest.mark.parametrize("average", [*AVERAGES, "per label"])
def test_blocks_of_lines_do_not_show(average, rng, backend):
    positive, scores = rng.random((300, 40)) < 0.2, rng.integers(0, 50, (300, 40)) / 64
    scores = scores + positive * 0.25
    chosen = {"per_label": True} if average == "per label" else {"average": average}
    weights = rng.integers(1, 4, 300)
    whole = best_threshold(positive, scores, sample_weight=weights, zero_division=math.nan, **chosen)
    with gm.config_context(working_memory=0.1):
        parts = best_threshold(positive, scores, sample_weight=weights, zero_division=math.nan, **chosen)
    assert_array_equal(parts.threshold, whole.threshold)
    curves = (whole.curve, parts.curve) if average == "per label" else ((whole.curve,), (parts.curve,))
    for a, b in zip(*curves, strict=True):
        assert_array_equal(a.thresholds, b.thresholds)
        assert_array_equal(a.scores, b.scores)


def test_means_of_many_labels_lose_no_digits(rng):
    # A running sum of floats would drift over these 300,000 changes, and end apart from the mean.
    positive, scores = rng.random((300, 1000)) < 0.3, rng.random((300, 1000))
    found = best_threshold(positive, scores, average="macro")
    support = positive.sum(axis=0)
    assert_allclose(found.curve.scores[-1], np.mean(2 * support / (support + 300)), rtol=1e-14)
    chosen = scores >= found.threshold
    expected = np.mean(2 * (chosen & positive).sum(axis=0) / (chosen.sum(axis=0) + support))
    assert_allclose(found.score, expected, rtol=1e-14)


def test_changes_add_up_in_any_order(rng, backend):
    positive, scores = rng.random((40, 30)) < 0.3, rng.integers(0, 8, (40, 30)) / 8
    rows, columns = rng.permutation(40), rng.permutation(30)
    for average in AVERAGES:
        one = best_threshold(positive, scores, average=average, zero_division=0)
        other = best_threshold(positive[rows][:, columns], scores[rows][:, columns], average=average, zero_division=0)
        assert_array_equal(one.curve.scores, other.curve.scores)


@pytest.mark.parametrize("weight", [0.3, 0.7, 1 / 3])
@pytest.mark.parametrize("average", [None, "micro", "macro", "per label"])
def test_rounded_weights_keep_the_largest_of_equal_thresholds(average, weight, rng, backend):
    # Sums of 0.3 part 2/3 from 4/6, in another way on another backend.
    for _ in range(25):
        truth, scores = rng.integers(0, 2, (9, 2)), rng.integers(0, 20, (9, 2)) / 20
        if average is None:
            truth, scores = truth[:, 0], scores[:, 0]
        chosen = {"per_label": True} if average == "per label" else {"average": average}
        whole = best_threshold(truth, scores, zero_division=0, **chosen)
        rounded = best_threshold(truth, scores, sample_weight=np.full(9, weight), zero_division=0, **chosen)
        assert_array_equal(rounded.threshold, whole.threshold)
        assert_allclose(rounded.score, whole.score, rtol=1e-14)


def test_weights_repeat_samples_and_have_no_scale(rng, backend):
    truth, scores, weights = rng.random(60) < 0.4, rng.integers(0, 9, 60) / 8, rng.integers(0, 4, 60)
    weighted = best_threshold(truth, scores, pos_label=True, sample_weight=weights)
    repeated = best_threshold(np.repeat(truth, weights), np.repeat(scores, weights), pos_label=True)
    assert (weighted.threshold, weighted.score) == (repeated.threshold, repeated.score)
    for factor in (1e-320, 1e-300, 1e265, 0.1):
        scaled = best_threshold(truth, scores, pos_label=True, sample_weight=weights * factor)
        assert_allclose(scaled.score, weighted.score, rtol=1e-3 if factor < 1e-310 else 1e-12)  # denormal weights
        assert scaled.threshold == weighted.threshold


@pytest.mark.parametrize(("beta", "threshold"), [(0, 0.9), (1e-200, 0.9), (1, 0.2), (1e200, 0.2), (math.inf, 0.2)])
def test_beta_at_the_ends_of_its_range(beta, threshold, backend):
    found = best_threshold([1, 0, 1, 1, 0], [0.9, 0.7, 0.4, 0.2, 0.1], metric="fbeta", beta=beta)
    assert (found.threshold, found.score) == (threshold, 1.0 if beta != 1 else pytest.approx(6 / 7))


def test_precision_of_nothing(backend):
    truth, scores = np.array([[1, 0], [1, 1]]), np.array([[0.5, 0.9], [0.7, 0.8]])
    precision = {"metric": "fbeta", "beta": 0}
    # Where 0/0 is 1, nothing predicted is perfect, for one threshold and for each label's.
    for chosen in ({"average": "micro"}, {"average": "macro"}, {"per_label": True}):
        found = best_threshold(truth, scores, zero_division=1, **precision, **chosen)
        assert (found.score, np.min(found.threshold)) == (1, math.inf)
    assert best_threshold(truth[:, 1], scores[:, 1], zero_division=1, **precision).threshold == math.inf
    assert best_threshold(truth[:, 1], scores[:, 1], zero_division=0, **precision).threshold == 0.8
    assert best_threshold(truth[:, 1], scores[:, 1], zero_division=math.nan, **precision).threshold == 0.8


def test_beta_is_scikit_learns(rng):
    fbeta_score = pytest.importorskip("sklearn.metrics").fbeta_score
    truth, scores = rng.integers(0, 2, 50), rng.random(50)
    for beta in (0.5, 2, 7):
        found = best_threshold(truth, scores, metric="fbeta", beta=beta)
        assert_allclose(found.score, fbeta_score(truth, found.apply(scores), beta=beta), rtol=1e-12)


# -- nothing to learn from -------------------------------------------------------------------------


@pytest.mark.parametrize(("zero_division", "value"), [("warn", 0.0), (0, 0.0), (1, 1.0), (math.nan, math.nan)])
def test_no_positive(zero_division, value, backend):
    calls = [([0, 0, 0], [0.1, 0.2, 0.3], {})]
    calls += [(np.zeros((3, 2)), np.ones((3, 2)), {"average": average}) for average in AVERAGES]
    for truth, scores, kwargs in calls:
        kwargs |= {"zero_division": zero_division}
        if zero_division == "warn":
            with pytest.warns(UndefinedMetricWarning, match="F-score is ill-defined .* no true nor predicted"):
                found = best_threshold(truth, scores, **kwargs)
        else:
            found = best_threshold(truth, scores, **kwargs)
        assert found.threshold == math.inf
        if kwargs.get("average") != "weighted":  # whose weights are all 0
            assert_array_equal(found.score, value)
        assert not np.any(found.apply(scores))


def test_a_label_without_positives_is_never_predicted(backend):
    truth, scores = np.array([[1, 0], [0, 0]]), np.array([[0.3, 0.9], [0.2, 0.8]])
    with pytest.warns(UndefinedMetricWarning, match="in labels with no true nor predicted samples"):
        found = best_threshold(truth, scores, per_label=True)
    assert_array_equal(found.threshold, [0.3, math.inf])
    assert (found.score, found.label_scores.tolist()) == (0.5, [1, 0])
    assert best_threshold(truth, scores, per_label=True, zero_division=math.nan).score == 1
    assert_array_equal(found.apply(scores), [[1, 0], [0, 0]])
    with pytest.warns(UndefinedMetricWarning, match="Jaccard .* in samples with no true or predicted labels"):
        best_threshold([[1, 0], [0, 0]], [[0.3, 0.1], [0.2, 0.1]], average="samples", metric="jaccard")


@pytest.mark.parametrize("beta", [0, 1, math.inf])
@pytest.mark.parametrize("average", AVERAGES)
def test_warns_as_the_score_of_what_apply_gives(average, beta, rng, backend):
    texts = []
    for _ in range(25):
        truth, scores = (rng.random((4, 3)) < 0.25).astype(int), rng.integers(0, 9, (4, 3)) / 8
        weights = rng.integers(0, 2, 4) + np.eye(4, dtype=int)[0]
        with warnings.catch_warnings(record=True) as ours:
            warnings.simplefilter("always")
            found = best_threshold(truth, scores, metric="fbeta", beta=beta, average=average, sample_weight=weights)
        with warnings.catch_warnings(record=True) as theirs:
            warnings.simplefilter("always")
            value = gm.fbeta_score(truth, found.apply(scores), beta=beta, average=average, sample_weight=weights)
        assert_allclose(found.score, value, rtol=1e-12)
        assert [str(w.message) for w in ours] == [str(w.message) for w in theirs]
        texts += ours
    assert texts


# -- what comes in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f8", "int8", "uint16", "int64", "bool"])
def test_dtypes_of_scores(dtype, rng, backend):
    scores = rng.integers(0, 2 if dtype == "bool" else 60, 80).astype(dtype)
    truth = rng.integers(0, 2, 80)
    found = best_threshold(truth, scores)
    plain = best_threshold(truth, scores.astype(np.float64))
    assert (found.threshold, found.score) == (plain.threshold, plain.score)
    assert_array_equal(found.apply(scores), plain.apply(scores.astype(np.float64)))


def test_a_threshold_is_not_rounded_to_other_scores(backend):
    found = best_threshold([0, 1], [0.6, 0.7])  # float32's 0.7 is below 0.7
    assert_array_equal(found.apply(np.array([0.7, 0.71], dtype=np.float32)), [0, 1])
    single = best_threshold([0, 1], np.array([0.6, 0.7], dtype=np.float32))
    assert_array_equal(single.apply(np.array([0.6999999, 0.7])), [0, 1])


DAYS = np.array(["2020", "2021"], dtype="M8[D]")


@pytest.mark.parametrize(
    ("truth", "pos_label", "classes"),
    [
        ([0, 1, 1, 0], 1, [0, 1]),
        ([-1, 1, 1, -1], 1, [-1, 1]),
        ([False, True, True, False], 1, [False, True]),
        ([1, 0, 0, 1], 0, [1, 0]),
        ([0.0, 1.0, 1.0, 0.0], 1, [0, 1]),
        (["ham", "spam", "spam", "ham"], "spam", ["ham", "spam"]),
        (np.array(["ham", "spam", "spam", "ham"], dtype=object), "spam", ["ham", "spam"]),
        (np.array(["2020", "2021", "2021", "2020"], dtype="M8[D]"), np.datetime64("2021"), DAYS.tolist()),
        (
            np.array(["2020", "2021", "2021", "2020"], dtype="M8[ns]"),
            np.datetime64("2021"),
            DAYS.astype("M8[ns]").tolist(),
        ),
    ],
)
def test_two_classes(truth, pos_label, classes, backend):
    found = best_threshold(truth, [0.1, 0.9, 0.8, 0.2], pos_label=pos_label)
    assert (found.threshold, found.score) == (0.8, 1.0)
    assert found.classes.tolist() == classes
    applied = found.apply([0.1, 0.9, 0.8, 0.2])
    assert applied.tolist() == np.asarray(truth).tolist()
    assert applied.dtype.kind == np.asarray(truth).dtype.kind


def test_one_class():
    assert best_threshold([1, 1], [0.1, 0.2]).classes.tolist() == [0, 1]
    assert best_threshold([-1, -1], [0.1, 0.2], zero_division=0).classes.tolist() == [-1, 1]
    with pytest.raises(ValueError, match="holds no class but 'spam'"):
        best_threshold(["spam", "spam"], [0.1, 0.2], pos_label="spam")
    for truth, pos_label, classes in [
        (np.zeros(2, dtype=np.uint8), -1, [0, -1]),
        (np.zeros(2, dtype=np.uint8), 300, [0, 300]),
        (np.zeros(2, dtype=np.uint8), 1, [0, 1]),
        ([0, 0], 2.5, [0, 2.5]),
        ([False, False], 2, [0, 2]),
        ([False, False], 1, [False, True]),
        (["ham", "ham"], "spam", ["ham", "spam"]),
    ]:
        found = best_threshold(truth, [0.1, 0.2], pos_label=pos_label, zero_division=0)
        assert found.classes.tolist() == classes
        assert found.apply([0.1, 0.2]).tolist() == [truth[0], truth[0]]


def test_the_positive_class_is_of_the_kind_of_the_others():
    for truth, wrong in [
        ([0, 0], ["x", None, NAN, INF, [0], np.array([0, 1]), 2**64]),
        ([0, 1], ["1", None, NAN, [1], np.array([0, 1])]),
        (["spam", "spam"], [1, None]),
    ]:
        for pos_label in wrong:
            with pytest.raises(ValueError, match=r"is not a valid label\. It should be one of"):
                best_threshold(truth, [0.1, 0.2], pos_label=pos_label)


@pytest.mark.parametrize("make", [np.array, list, tuple, np.asfortranarray])
def test_containers(make, backend):
    plain = best_threshold(Y, S, average="macro")
    found = best_threshold(make(Y), make(S), average="macro")
    assert (found.threshold, found.score) == (plain.threshold, plain.score)


def test_sparse_truth(backend):
    sparse = pytest.importorskip("scipy.sparse")
    plain = best_threshold(Y, S, average="macro")
    for make in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        found = best_threshold(make(np.array(Y)), S, average="macro")
        assert (found.threshold, found.score) == (plain.threshold, plain.score)
    with pytest.raises(TypeError, match=r"Sparse data was passed for y_score"):
        best_threshold(Y, sparse.csr_matrix(np.array(S)), average="macro")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_have_the_same_columns(library):
    frame = pytest.importorskip(library).DataFrame
    names = ["ant", "bee", "cat"]
    truth = frame(dict(zip(names, np.transpose(Y).tolist(), strict=True)))
    scores = frame(dict(zip(names, np.transpose(S).tolist(), strict=True)))
    found = best_threshold(truth, scores, average="macro")
    assert found.settings["labels"] == names
    assert_array_equal(found.apply(scores), found.apply(S))
    assert type(found.apply(scores)) is np.ndarray
    for swapped in (scores[["bee", "ant", "cat"]], frame({"ant": [0.1], "bee": [0.1], "dog": [0.1]})):
        with pytest.raises(ValueError, match="columns of y_score must have the names of those of the validation data"):
            found.apply(swapped)
    with pytest.raises(ValueError, match="columns of y_score must have the names of those of y_true"):
        best_threshold(truth, scores[["bee", "ant", "cat"]], average="macro")


class Sized(Exporter):
    """An array whose `size` is a method, as torch's is."""

    def size(self):
        raise AssertionError


def test_scores_of_a_library_whose_size_is_a_method():
    scores = Sized(np.array([0.1, 0.4, 0.35, 0.8]))
    assert best_threshold([0, 0, 1, 1], scores).threshold == 0.35  # the backend is "auto"
    torch = pytest.importorskip("torch")
    found = best_threshold(torch.tensor([0, 0, 1, 1]), torch.tensor([0.125, 0.5, 0.25, 0.75], requires_grad=True))
    assert found.threshold == 0.25
    assert found.apply(torch.tensor([0.125, 0.25])).tolist() == [0, 1]


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    scores = np.array([0.5, 0.25, 0.75]).astype(ml_dtypes.bfloat16)
    assert best_threshold([0, 0, 1], scores).threshold == 0.75


def test_the_callers_arrays_are_left_alone(backend):
    truth, scores, weights = np.array(Y), np.array(S), np.array([1.0, 2, 3, 4, 5])
    copies = [a.copy() for a in (truth, scores, weights)]
    for a in (truth, scores, weights):
        a.flags.writeable = False
    for kwargs in [{"average": average} for average in AVERAGES] + [{"per_label": True}]:
        best_threshold(truth, scores, sample_weight=weights, **kwargs).apply(scores)
    for a, b in zip((truth, scores, weights), copies, strict=True):
        assert_array_equal(a, b)


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("truth", "scores", "kwargs", "match"),
    [
        ([0, 1], [0.1, NAN], {}, "Input y_score contains NaN"),
        ([0, 1], [0.1, INF], {}, "Input y_score contains infinity"),
        ([0, 1], [-INF, 0.1], {}, "Input y_score contains infinity"),
        ([0, NAN], [0.1, 0.2], {}, "Input y_true contains NaN"),
        ([0, None], [0.1, 0.2], {}, "Input y_true contains NaN"),
        ([0, 1, 2], [0.1, 0.2, 0.3], {}, "y_true must hold two classes"),
        ([0.5, 0.7, 0.1], [0.1, 0.2, 0.3], {}, "y_true must hold two classes"),
        (["a", "b"], [0.1, 0.2], {}, r"pos_label=1 is not a valid label. It should be one of \['a' 'b'\]"),
        ([0, 1], [0.1, 0.2, 0.3], {}, r"inconsistent numbers of samples: \[2, 3\]"),
        ([], [], {}, "0 sample"),
        ([], [0.1], {}, r"inconsistent numbers of samples: \[0, 1\]"),
        ([0, 1], ["a", "b"], {}, "not compatible with arrays of bytes/strings"),
        ([0, 1], None, {}, "y_score must have shape .* got None"),
        ([0, 1], "ab", {}, "y_score must have shape .* got 'ab'"),
        ([0, 1], np.array(["2020", "2021"], dtype="M8[Y]"), {}, "y_score must hold numbers, got dates"),
        ([0, 1], [[0.1, 0.2], [0.3]], {}, "y_score must be .* rows of equal length"),
        ([[0, 1]], [[0.1], [0.3]], {}, "y_true should be a 1d array"),
        ([{"a"}, {"b"}], [[0.1, 0.2], [0.3, 0.1]], {"average": "micro"}, "holds an object of type set.* encode_tags"),
        ([["a"], ["b", "c"]], [[0.1, 0.2], [0.3, 0.1]], {"average": "micro"}, "rows of equal length.* by encode_tags"),
        ([["a"], ["b", "c"]], [0.1, 0.2], {}, "one class in each row, not several.* a column for each.* encode_tags"),
        ([{"a"}, {"b"}], [0.1, 0.2], {}, "one class in each row, not several.* encode_tags"),
        (
            [[0, 1], [1, 0]],
            [0.1, 0.2],
            {},
            r"1d array, got .* \(2, 2\) instead\. Where .* y_score has a column for each",
        ),
        ([0, 1], [1j, 2j], {}, "Complex data not supported"),
        ([0, 1], [2**53 + 1, 2**53], {}, "integers beyond 2"),
        ([0, 1], [[[0.1], [0.2]]], {}, "must have shape"),
        ([0, 1], [[0.1, 0.9], [0.2, 0.8]], {}, r"y_score\[:, 1\]"),
        ([[0, 1, 0]], [[0.1, 0.9]], {"average": "micro"}, r"table of 0 and 1 with as many"),
        ([[0, 2]], [[0.1, 0.9]], {"average": "micro"}, "0 or 1 in each cell, got 2"),
        ([[0, NAN]], [[0.1, 0.9]], {"average": "micro"}, "0 or 1 in each cell, got nan"),
        ([[0, None]], [[0.1, 0.9]], {"average": "micro"}, "contains NaN"),
        ([["a", "b"]], [[0.1, 0.9]], {"average": "micro"}, "number or boolean"),
        (Y, S[:4], {"average": "micro"}, r"inconsistent numbers of samples: \[5, 4\]"),
        (Y, S, {}, r"average must be one of \('micro', 'macro', 'weighted', 'samples'\).*per_label=True"),
        (Y, S, {"average": "binary"}, "average must be one of"),
        (Y, S, {"average": "micro", "per_label": True}, r"one of \('macro', 'weighted'\)"),
        (Y, S, {"average": "samples", "per_label": True}, r"one of \('macro', 'weighted'\)"),
        ([[0], [1]], [[0.1], [0.2]], {"average": "macro"}, "a single column"),
        ([0, 1], [0.1, 0.2], {"average": "macro"}, r"one of \('binary',\).*a vector"),
        ([0, 1], [0.1, 0.2], {"metric": "accuracy"}, "'metric' parameter"),
        ([0, 1], [0.1, 0.2], {"metric": "fbeta"}, "needs beta"),
        ([0, 1], [0.1, 0.2], {"beta": 2}, "no other metric has one"),
        ([0, 1], [0.1, 0.2], {"beta": np.array([1, 2])}, "no other metric has one"),
        ([0, 1], [0.1, 0.2], {"metric": "fbeta", "beta": -1}, "'beta' parameter"),
        ([0, 1], [0.1, 0.2], {"metric": "fbeta", "beta": NAN}, "'beta' parameter"),
        ([0, 1], [0.1, 0.2], {"zero_division": 0.5}, "'zero_division' parameter"),
        ([0, 1], [0.1, 0.2], {"per_label": "yes"}, "'per_label' parameter"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, NAN]}, "Input sample_weight contains NaN"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, INF]}, "Input sample_weight contains infinity"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, -1]}, "Input sample_weight contains negative numbers"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [0, 0]}, "at least one non-zero number"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, 2, 3]}, "inconsistent numbers of samples"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [[1, 2], [3, 4]]}, "Sample weights must be 1D"),
    ],
)
def test_refused(truth, scores, kwargs, match, backend):
    with pytest.raises(ValueError, match=match):
        best_threshold(truth, scores, **kwargs)


# -- what comes out --------------------------------------------------------------------------------


def test_result(backend):
    found = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], metric="jaccard")
    assert isinstance(found, BestThreshold)
    assert (type(found.threshold), type(found.score)) == (float, float)
    assert repr(found) == "BestThreshold(score >= 0.35: jaccard 0.6667 on 4 samples)"
    several = best_threshold(Y, S, per_label=True, average="weighted", keep_curve=False)
    assert several.curve is None
    assert type(several.threshold) is type(several.label_scores) is np.ndarray
    assert "a threshold for each of 3 labels: weighted f1" in repr(several)
    for one in (found, several):
        as_text = json.loads(json.dumps(one.to_dict()))
        assert as_text["threshold"] == np.asarray(one.threshold).tolist()
        assert as_text["rule"] == "score >= threshold"
        assert as_text["n_samples"] == (5 if one is several else 4)


@pytest.mark.parametrize("average", AVERAGES)
def test_a_curve_that_is_not_kept_is_not_built(average, monkeypatch):
    kept = best_threshold(Y, S, average=average)
    monkeypatch.setattr("gpumetrics.classification.thresholds.ThresholdCurve", None)
    found = best_threshold(Y, S, average=average, keep_curve=False)
    assert (found.curve, found.threshold, found.score) == (None, kept.threshold, kept.score)


def test_tag_lists_with_scores(rng):
    names = ["ant", "bee", "cat"]
    val, test = [["ant"], ["bee", "cat"], [], None], [["ant", "bee"], ["cat"], None]
    val_scores, test_scores = rng.random((4, 3)), rng.random((3, 3))
    y_val, _, classes = encoded = gm.encode_tags(val, val, classes=names)
    best = best_threshold(y_val, val_scores[encoded.documents], per_label=True)
    report = gm.evaluate_tags(test, best.apply(test_scores), classes=classes, zero_division=0)
    assert report.documents["n_unlabelled"] == 1
    y_test = gm.encode_tags(test, test, classes=names).y_true
    expected = gm.f1_score(y_test, best.apply(test_scores)[:2], average="micro")
    assert report.scores["f1_micro"] == expected


def test_settings_repeat_the_choice():
    kwargs = {"metric": "fbeta", "beta": 2.0, "average": "micro", "per_label": False, "zero_division": 1}
    found = best_threshold(Y, S, **kwargs)
    assert kwargs.items() <= found.settings.items()
    assert found.settings["weighted"] is False
    again = best_threshold(Y, S, **{name: found.settings[name] for name in kwargs})
    assert (again.threshold, again.score) == (found.threshold, found.score)


def test_settings_are_json_whatever_the_names():
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2020-05-01", periods=3)
    found = best_threshold(pandas.DataFrame(Y, columns=days), pandas.DataFrame(S, columns=days), average="micro")
    assert json.loads(json.dumps(found.to_dict()))["labels"][0].startswith("2020-05-01")
    for truth, pos_label, expected in [
        ([False, True], np.True_, True),
        ([0, 1], np.int8(1), 1),
        ([days[0], days[1]], days[1], "2020-05-02 00:00:00"),
    ]:
        found = json.loads(json.dumps(best_threshold(truth, [0.1, 0.2], pos_label=pos_label).to_dict()))
        assert found["pos_label"] == found["classes"][1] == expected


def test_apply_is_for_other_data(backend):
    found = best_threshold(Y, S, per_label=True)
    other = np.array([[0.9, 0.9, 0.9], [0.0, 0.0, 0.0]])
    assert_array_equal(found.apply(other), [[1, 1, 1], [0, 0, 0]], strict=False)
    assert found.apply(other).dtype == np.int8
    before = found.to_dict()
    for wrong in ([0.1, 0.2], other[:, :2], [[NAN, 0, 0]], [[INF, 0, 0]]):
        with pytest.raises(ValueError, match=r"must have 3 columns|contains NaN|contains infinity"):
            found.apply(wrong)
    assert found.to_dict() == before
    with pytest.raises(ValueError, match=r"positive class's scores only, y_score\[:, 1\], got 2 columns"):
        best_threshold([0, 1], [0.1, 0.9]).apply([[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(ValueError, match="got dates"):
        found.apply(np.zeros((1, 3), dtype="m8[s]"))
    assert found.apply(np.zeros((0, 3))).shape == (0, 3)


def test_the_score_is_that_of_what_apply_gives(rng, backend):
    f1_score = pytest.importorskip("sklearn.metrics").f1_score
    positive = (rng.random((80, 6)) < 0.3).astype(int)
    scores = np.round(positive * 0.3 + rng.random((80, 6)), 1)
    for average in AVERAGES:
        found = best_threshold(positive, scores, average=average, zero_division=0)
        expected = f1_score(positive, found.apply(scores), average=average, zero_division=0)
        assert_allclose(found.score, expected, rtol=1e-12)
    for average in ("macro", "weighted"):
        found = best_threshold(positive, scores, per_label=True, average=average)
        assert_allclose(found.score, f1_score(positive, found.apply(scores), average=average), rtol=1e-12)


def test_same_bits_on_both_backends(rng, emulated):
    positive, scores = rng.random((50, 20)) < 0.3, rng.integers(0, 30, (50, 20)) / 32
    weights = rng.integers(1, 5, 50)
    for average in AVERAGES:
        found = []
        for backend in ("numpy", "cupy"):
            with gm.config_context(backend=backend):
                found.append(
                    best_threshold(positive, scores, average=average, sample_weight=weights, zero_division=NAN)
                )
        assert_array_equal(found[0].curve.thresholds, found[1].curve.thresholds)
        assert_array_equal(found[0].curve.scores, found[1].curve.scores)


def test_arrays_on_a_device(emulated):
    truth, scores = emulated.asarray(np.array(Y)), emulated.asarray(np.array(S))
    plain = best_threshold(Y, S, per_label=True)
    for one in (truth, Y):  # y_true may lie elsewhere
        found = best_threshold(one, scores, per_label=True)
        assert_array_equal(found.threshold, plain.threshold)
        assert type(found.threshold) is np.ndarray
    applied = found.apply(scores)
    assert isinstance(applied, emulated.ndarray)
    assert_array_equal(applied.get(), plain.apply(S))
    binary = best_threshold(["ham", "spam"], emulated.asarray(np.array([0.1, 0.9])), pos_label="spam")
    assert_array_equal(binary.apply(emulated.asarray(np.array([0.95, 0.2]))), ["spam", "ham"])
    numbers = best_threshold([-1, 1], [0.1, 0.9])
    assert_array_equal(numbers.apply(emulated.asarray(np.array([0.95, 0.2]))).get(), [1, -1])


def test_arrays_on_two_devices(emulated):
    with emulated.cuda.Device(1):
        scores = emulated.asarray(np.array(S))
    found = best_threshold(Y, scores, average="micro")
    assert found.threshold == best_threshold(Y, S, average="micro").threshold
    assert found.apply(scores).device.id == 1
    with pytest.raises(ValueError, match="move one of them"):
        best_threshold(emulated.asarray(np.array(Y)), scores, average="micro")
