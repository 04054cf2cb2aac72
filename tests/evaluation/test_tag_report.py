"""The report's scores are those of plain sets, its counts say what was left out, and everything is on record."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy import sparse
from tag_definitions import plain_scores

import gpumetrics as gm
from gpumetrics.evaluation.tags.evaluate import evaluate_tags
from gpumetrics.evaluation.tags.scores import AVERAGES, METRICS
from gpumetrics.exceptions import UndefinedMetricWarning

# The example of the Jaccard document: deliveries, refunds and an account.
TRUE = [["delivery", "refund"], ["delivery"]]
PRED = [["delivery", "refund", "account"], ["delivery"]]

sets = st.sets(st.sampled_from("abcde"), max_size=4)
pairs = st.lists(st.tuples(st.none() | sets, sets), min_size=1, max_size=8)


@settings(max_examples=120, deadline=None)
@given(pairs, st.sampled_from([0, 1, math.nan]), st.sampled_from([0.5, 1.0, 2.0]), st.booleans())
def test_scores_are_those_of_plain_sets(data, rule, beta, every_class):
    labelled = [(t, p) for t, p in data if t is not None]
    true, pred = map(list, zip(*data, strict=True))
    classes = list("abcdef") if every_class else None
    if not labelled:
        with pytest.raises(ValueError, match="nothing to score"):
            evaluate_tags(true, pred, zero_division=rule)
        return
    report = evaluate_tags(true, pred, classes=classes, zero_division=rule, beta=beta)
    kept_true, kept_pred = map(list, zip(*labelled, strict=True))
    found = classes or sorted(set().union(*kept_true, *kept_pred))
    expected = plain_scores(kept_true, kept_pred, found, beta, rule)
    assert_equal(set(report.scores), set(expected))
    for name, value in expected.items():
        assert_allclose(report.scores[name], value, rtol=1e-12, err_msg=name)
    documents, counts = report.documents, report.counts
    assert documents["n_empty_both"] == sum(not t and not p for t, p in labelled)
    assert documents["n_empty_true"] == sum(not t and bool(p) for t, p in labelled)
    assert documents["n_empty_pred"] == sum(bool(t) and not p for t, p in labelled)
    assert documents["n_exact"] == sum(t == p for t, p in labelled)
    assert (report.n_documents, report.n_unlabelled) == (len(labelled), len(data) - len(labelled))
    assert counts["intersection"] == counts["true_positives"] == sum(len(t & p) for t, p in labelled)
    assert counts["union"] == sum(len(t | p) for t, p in labelled)
    assert (counts["false_positives"], counts["false_negatives"]) == (
        sum(len(p - t) for t, p in labelled),
        sum(len(t - p) for t, p in labelled),
    )
    rows = [at for at, (t, _) in enumerate(data) if t is not None]
    failures = {entry["document"]: entry for entry in report.failures()}
    for at, (t, p) in zip(rows, labelled, strict=True):
        if t != p:
            entry = failures.pop(at)
            assert_equal((set(entry["missed"]), set(entry["invented"])), (t - p, p - t))
            assert_allclose(entry["jaccard"], len(t & p) / len(t | p))
    assert not failures
    json.dumps(report.to_dict())
    assert str(report)


def test_the_example_of_the_document():
    report = evaluate_tags(TRUE, PRED, zero_division=0)
    found = [report.scores[f"jaccard_{average}"] for average in AVERAGES]
    assert_allclose(found, [3 / 4, 2 / 3, 1, 5 / 6])
    assert_allclose([report.scores[f"f1_{average}"] for average in AVERAGES], [6 / 7, 2 / 3, 1, 9 / 10])
    assert_equal((report.counts["intersection"], report.counts["union"]), (3, 4))
    assert_allclose((report.scores["exact_match"], report.scores["hamming_loss"]), (1 / 2, 1 / 6))
    assert_equal((report.counts["wrong_cells"], report.counts["cells"]), (1, 6))
    assert "weighted average does not see" in report.notes["weighted"]
    assert_array_equal(report.per_label["jaccard"], [0, 1, 1])
    assert all(type(value) is float for value in report.scores.values())


def matrices():
    rng = np.random.default_rng(0)
    return rng.random((40, 6)) < 0.4, rng.random((40, 6)) < 0.4


FORMS = {
    "dense": lambda m: m.astype(int),
    "boolean": lambda m: m,
    "0/255": lambda m: m.astype(np.uint8) * 255,
    "float32": lambda m: m.astype(np.float32),
    "csr": lambda m: sparse.csr_array(m.astype(int)),
    "coo": lambda m: sparse.coo_array(m.astype(int)),
    "nested lists": lambda m: m.astype(int).tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_sets_and_matrices_give_the_same(form):
    true, pred = matrices()
    expected = evaluate_tags(*([np.flatnonzero(row).tolist() for row in m] for m in (true, pred)), zero_division=0)
    report = evaluate_tags(FORMS[form](true), FORMS[form](pred), zero_division=0)
    assert_equal(report.scores, expected.scores)
    assert_array_equal(report.per_label["support"], true.sum(axis=0))
    assert ("nested_lists" in report.notes) == (form == "nested lists")


@pytest.mark.parametrize("weights", [None, np.arange(40) % 4])
def test_scores_are_those_of_the_functions(weights):
    true, pred = (m.astype(int) for m in matrices())
    report = evaluate_tags(true, pred, zero_division=0, sample_weight=weights, beta=0.5)
    more = {"sample_weight": weights, "zero_division": 0}
    for average in AVERAGES:
        p, r, f, _ = gm.precision_recall_fscore_support(true, pred, beta=0.5, average=average, **more)
        jaccard = gm.jaccard_score(true, pred, average=average, **more)
        f1 = gm.f1_score(true, pred, average=average, **more)
        assert_allclose([report.scores[f"{name}_{average}"] for name in METRICS], [p, r, f1, f, jaccard], rtol=1e-12)
    assert_allclose(report.scores["exact_match"], gm.accuracy_score(true, pred, sample_weight=weights))
    assert_allclose(report.scores["hamming_loss"], gm.hamming_loss(true, pred, sample_weight=weights))
    assert_allclose(report.scores["jaccard_micro"], report.counts["intersection"] / report.counts["union"])


def test_scores_on_every_backend(backend):
    true, pred = matrices()
    with gm.config_context(backend="numpy"):
        expected = evaluate_tags(true, pred, sample_weight=np.arange(40), zero_division=0)
    report = evaluate_tags(true, pred, sample_weight=np.arange(40), zero_division=0)
    assert report.backend == ("numpy" if backend == "numpy" else "cupy")
    for name, value in expected.scores.items():
        assert_allclose(report.scores[name], value, rtol=1e-12)
    sets_report = evaluate_tags([["a"], [], None], [["a", "b"], [], []], zero_division=1)
    assert_allclose(sets_report.scores["jaccard_samples"], 0.75)
    assert math.isnan(evaluate_tags([[]], [[]], zero_division=math.nan).scores["jaccard_macro"])


def test_matrices_on_a_gpu(emulated):
    true, pred = matrices()
    expected = evaluate_tags(true, pred, zero_division=0)
    report = evaluate_tags(emulated.asarray(true), emulated.asarray(pred.astype(float)), zero_division=0)
    assert_equal(report.backend, "cupy")
    assert_equal(report.scores, expected.scores)
    assert_equal(report.worst, expected.worst)


def test_one_warning_says_what_is_undefined():
    with pytest.warns(UndefinedMetricWarning) as seen:
        report = evaluate_tags([[], ["a"]], [[], ["b"]])
    assert_equal(len(seen), 1)
    assert "recall of 1 document and 1 label" in str(seen[0].message)
    assert_equal((report.undefined_documents["jaccard"], report.undefined_labels["precision"]), (1, 1))
    assert "counted as 0.0 (zero_division='warn')" in report.notes["zero_division"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "left out" in evaluate_tags([[], ["a"]], [[], ["b"]], zero_division=math.nan).notes["zero_division"]


# What is on record


def test_excluded_and_unknown_labels_are_recorded():
    report = evaluate_tags(
        [["a", "x"], ["x"]],
        [["a", "b"], ["x"]],
        classes=["a", "x"],
        exclude=["x", "nowhere"],
        unknown="ignore",
        zero_division=1,
    )
    facts = report.tags.facts
    assert_equal((facts.excluded, facts.excluded_true, facts.excluded_pred), (("x", "nowhere"), 2, 1))
    assert_equal((facts.unknown_tags, facts.unknown_true, facts.unknown_pred), (("b",), 0, 1))
    assert_equal((report.scores["exact_match"], report.documents["n_empty_both"]), (1.0, 1))
    data = report.to_dict()
    assert_equal(data["setting_exclude"], ["x", "nowhere"])
    assert_equal(
        (data["setting_unknown"], data["setting_classes"], data["unknown_tags"]), ("ignore", ["a", "x"], ["b"])
    )
    assert "Excluded: x, nowhere" in str(report)
    assert "left out (unknown='ignore')" in report.notes["unknown"]


def test_the_settings_repeat_the_evaluation():
    weights = [1, 2, 0]
    report = evaluate_tags(
        [["a"], [], ["b", "c"]],
        [["a", "b"], [], ["z"]],
        classes=list("abc"),
        zero_division=1,
        sample_weight=weights,
        beta=0.5,
    )
    data = json.loads(json.dumps(report.to_dict()))
    settings = {name.removeprefix("setting_"): value for name, value in data.items() if name.startswith("setting_")}
    assert_equal(settings.pop("weighted"), True)
    again = evaluate_tags([["a"], [], ["b", "c"]], [["a", "b"], [], ["z"]], **settings)
    assert_equal(again.scores, report.scores)
    unlabelled = [[["a"], None, ["b"]], [["a"], ["a"], []]]
    report = evaluate_tags(*unlabelled, zero_division=0, sample_weight=[1, 5, 2])
    assert_equal(report.sample_weight.tolist(), [1, 2])
    again = evaluate_tags(*unlabelled, zero_division=0, sample_weight=report.to_dict()["setting_sample_weight"])
    assert_equal(again.scores, report.scores)
    nan = evaluate_tags([["a"]], [["a"]], zero_division=math.nan, beta=math.inf).to_dict()
    assert_equal((nan["setting_zero_division"], nan["setting_beta"]), ("nan", "inf"))


def test_repeated_tags_and_spelling_are_told():
    report = evaluate_tags([["Refund", "Refund"]], [["refund"]], zero_division=0)
    assert "1 tag in y_true, 0 in y_pred" in report.notes["repeated"]
    assert "'Refund' and 'refund'" in report.notes["spelling"]
    assert "spelling" in evaluate_tags([["\uac00"]], [["\u1100\u1161"]], zero_division=0).notes  # 가, composed and not


def test_the_worst_documents_come_first():
    true = [["a"], ["a", "b"], [], ["a"], ["a", "b", "c"], []]
    pred = [["a"], ["a"], ["c"], ["b"], [], []]
    report = evaluate_tags(true, pred, worst=4, texts=list("uvwxyz"), zero_division=1)
    assert_equal([entry["document"] for entry in report.worst], [4, 3, 2, 1])
    assert_equal(report.worst[0], {"document": 4, "jaccard": 0.0, "missed": list("abc"), "invented": [], "text": "y"})
    assert_equal((report.worst[3]["missed"], report.worst[3]["jaccard"]), (["b"], 0.5))
    assert_equal([entry["document"] for entry in report.failures()], [1, 2, 3, 4])
    assert_equal(report.to_dict()["worst_documents"], report.worst)
    assert "Worst documents, 4 of 4 with errors" in str(report)
    assert_equal(evaluate_tags(true, pred, worst=0, zero_division=1).worst, [])


def test_every_average_says_over_what_it_goes():
    report = evaluate_tags([["a"], ["a", "b"], []], [["b"], ["a"], []], zero_division=0)
    assert_equal(list(report.averages), list(AVERAGES))
    for name, part in zip(AVERAGES, ("4 tags in the union", "2 labels", "3 tags", "3 documents"), strict=True):
        assert part in report.averages[name]
    assert "left out" in evaluate_tags([[]], [["a"]], zero_division=math.nan).averages["samples"]


def test_sizes_of_sets_are_shown():
    true, pred = [list("abcdefghij"), ["k"]], [list("abcdefghij"), ["l"]]
    report = evaluate_tags(true, pred, zero_division=0)
    assert_allclose((report.scores["jaccard_samples"], report.scores["jaccard_micro"]), (1 / 2, 10 / 12))
    table = report.by_size
    assert_equal(table["true_tags"].tolist(), ["1", "9-16"])
    assert_allclose(table["share_of_samples"], [0.5, 0.5])
    assert_allclose(table["share_of_micro"], [2 / 12, 10 / 12])
    assert "See the table by size" in report.notes["sizes"]
    assert "empty" not in report.notes


def test_precision_bought_with_recall_is_noticed():
    report = evaluate_tags([["a"], ["b"]], [list("abcd"), list("abcd")], zero_division=0)
    assert "recall is bought at the cost of precision, by too many tags" in report.notes["balance"]
    assert "balance" not in evaluate_tags(TRUE, PRED, zero_division=0).notes


# Before and after


@pytest.mark.filterwarnings("ignore:Scores are ill-defined")
def test_reports_compare_on_the_same_truth_only():
    true = [["a"], ["b"]]
    before, after = (evaluate_tags(true, pred, classes=["a", "b"]) for pred in ([["a"], ["a"]], [["a"], ["b"]]))
    assert_allclose(after.change_from(before)["exact_match"], 0.5)
    for other, what in (
        (evaluate_tags([["a"], ["a"]], true, classes=["a", "b"]), "truth"),
        (evaluate_tags([None, ["a"]], true, classes=["a", "b"]), "documents"),
        (evaluate_tags(true, true, zero_division=1), "zero_division"),
        (evaluate_tags(true, true, beta=3), "beta"),
        (evaluate_tags(true, true, exclude=["c"]), "exclude"),
        (evaluate_tags(true, true, sample_weight=[1, 2]), "weights"),
        (evaluate_tags(true, [["a"], ["c"]]), r"labels \('c' in one of them only\)"),
    ):
        with pytest.raises(ValueError, match=f"The reports differ in {what}, so that their scores do not compare"):
            other.change_from(before)
    for other in (None, before.scores, str(before)):
        with pytest.raises(TypeError, match="change_from takes another report of evaluate_tags, got"):
            after.change_from(other)


def test_the_report_is_frozen_and_large_ones_are_folded():
    rng = np.random.default_rng(1)
    report = evaluate_tags(*(rng.random((50, 40)) < 0.2 for _ in range(2)), zero_division=0)
    with pytest.raises(AttributeError):
        report.scores = {}
    text = str(report)
    assert "15 with most errors" in text
    assert "and 25 more labels" in text
    assert max(map(len, text.splitlines())) < 140
    assert "50 documents" in repr(report)
