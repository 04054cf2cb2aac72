"""What every result gives away: JSON, plain numbers, a dataframe, text and HTML for a notebook."""

import json
import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

import gpumetrics as gm
from gpumetrics.planning import plan
from gpumetrics.results import Result

X = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0.0], [4.0], [9.0]], 20, axis=0)
LABELS = np.repeat(["a", "b", "c"], 20)
COARSE = np.repeat(["a", "b", "b"], 20)
SCORES = np.linspace(0, 1, 60)
MODEL = KMeans(3, n_init=1, random_state=0)

RESULTS = {
    "ClusteringReport": lambda: gm.evaluate_clustering(X, LABELS),
    "Comparison": lambda: gm.compare_labelings(X, {"three": LABELS, "two": COARSE}),
    "Change": lambda: RESULTS["Comparison"]().change("two", "three"),
    "Stability": lambda: gm.stability(X, MODEL, n_runs=3, random_state=0),
    "Candidates": lambda: gm.merge_candidates(X, LABELS, max_ashman_d=100),
    "ClusterRows": lambda: gm.representatives(X, LABELS),
    "AttributeCheck": lambda: gm.attribute_check(LABELS, {"shop": COARSE}),
    "TagReport": lambda: gm.evaluate_tags([{"x"}, {"y", "z"}], [{"x", "z"}, {"y", "z"}]),
    "Estimate": lambda: gm.silhouette_estimate(X, LABELS, n_queries=30, random_state=0),
    "DensityValidity": lambda: gm.density_validity(X, LABELS, per_cluster=True),
    "DaviesBouldinPairs": lambda: gm.davies_bouldin_pairs(X, LABELS),
    "BestThreshold": lambda: gm.best_threshold((SCORES > 0.4).astype(int), SCORES),
    "ThresholdCurve": lambda: RESULTS["BestThreshold"]().curve,
    "Plan": lambda: plan(1e8, 768, 1000),
}
UNDEFINED = {
    "ClusteringReport": lambda: gm.evaluate_clustering(X, np.zeros(60, dtype=int)),
    "Comparison": lambda: gm.compare_labelings(X, {"one": np.zeros(60, dtype=int), "two": COARSE}),
    "Stability": lambda: gm.stability_of({"r": LABELS, "s": np.full(60, -1)}),
    "BestThreshold": lambda: gm.best_threshold(np.zeros(60, dtype=int), SCORES, zero_division=0, pos_label=1),
}
LINES = {  # of the dataframe
    "ClusteringReport": 3,
    "Comparison": 2,
    "Change": 2,
    "Stability": 3,
    "Candidates": 2,
    "ClusterRows": None,
    "AttributeCheck": 1,
    "TagReport": 3,
    "Estimate": 3,
    "DensityValidity": 3,
    "DaviesBouldinPairs": 3,
    "BestThreshold": 1,
    "ThresholdCurve": 61,
    "Plan": 12,
}


def subclasses(kind):
    return {kind} | {further for sub in kind.__subclasses__() for further in subclasses(sub)}


def test_every_result_is_tested_here():
    for make in RESULTS.values():
        make()  # so that all modules are loaded
    package = {sub.__name__ for sub in subclasses(Result) if sub.__module__.startswith("gpumetrics.")}
    assert package - {"Result"} == set(RESULTS) == set(LINES)


def refused(constant):
    raise AssertionError(constant)


@pytest.mark.parametrize("name", RESULTS)
def test_json_is_strict_and_says_the_same_as_the_dict(name):
    result = RESULTS[name]()
    loaded = json.loads(result.to_json(), parse_constant=refused)
    assert set(result.to_dict()) <= set(loaded)
    assert "\n" in result.to_json()
    assert "\n" not in result.to_json(indent=None)


@pytest.mark.parametrize("name", UNDEFINED)
def test_json_of_what_is_undefined_has_the_reason(name):
    result = UNDEFINED[name]()
    loaded = json.loads(result.to_json(), parse_constant=refused)
    for key, value in result.to_dict().items():
        if isinstance(value, float) and not math.isfinite(value):
            assert loaded[key] is None
            assert loaded[f"{key}_reason"]


@pytest.mark.parametrize("name", [*RESULTS, *(f"undefined {name}" for name in UNDEFINED)])
def test_numbers_are_finite_floats_of_the_dict(name):
    result = UNDEFINED[name.removeprefix("undefined ")]() if " " in name else RESULTS[name]()
    full = result.to_dict()
    for key, value in result.numbers().items():
        assert type(value) is float
        assert math.isfinite(value)
        assert value == full[key]
    left_out = {key for key in full if key not in result.numbers()}
    for key in left_out:
        value = full[key]
        assert isinstance(value, bool | str | list | dict | tuple | type(None)) or not math.isfinite(value)


def test_numbers_hold_the_scores():
    assert RESULTS["ClusteringReport"]().numbers()["silhouette"] == gm.silhouette_score(X, LABELS)
    assert RESULTS["TagReport"]().numbers()["jaccard_samples"] == 0.75


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", RESULTS)
def test_frames(name, library):
    result = RESULTS[name]()
    frame = result.to_frame(library)
    assert type(frame).__module__.startswith(library)
    wanted = len(result) if LINES[name] is None else LINES[name]
    assert len(frame) == wanted


def test_a_frame_holds_the_table():
    report = RESULTS["ClusteringReport"]()
    frame = report.to_frame("pandas")
    assert list(frame) == list(report.per_cluster)
    assert_array_equal(frame["silhouette_mean"], report.per_cluster["silhouette_mean"])
    curve = RESULTS["ThresholdCurve"]()
    assert_array_equal(curve.to_frame("polars")["score"].to_numpy(), curve.scores)


def test_thresholds_of_several_labels_have_their_names():
    import pandas as pd

    truth = pd.DataFrame({"red": [0, 1, 1, 0], "blue": [1, 0, 1, 0]})
    scores = pd.DataFrame({"red": [0.1, 0.9, 0.8, 0.2], "blue": [0.7, 0.3, 0.6, 0.1]})
    found = gm.best_threshold(truth, scores, per_label=True, average="macro")
    frame = found.to_frame("pandas")
    assert frame["label"].tolist() == ["red", "blue"]
    assert_array_equal(frame["threshold"], found.threshold)
    assert_array_equal(frame["score"], found.label_scores)


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_gets_text_and_html(name):
    result = RESULTS[name]()
    bundle = result._repr_mimebundle_()
    assert bundle == {"text/plain": str(result), "text/html": result._repr_html_()}
    assert bundle["text/html"].startswith("<")
    assert len(str(result).splitlines()) < 80


@pytest.mark.parametrize("name", RESULTS)
def test_results_survive_pickling(name):
    result = RESULTS[name]()
    again = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert json.loads(again.to_json()) == json.loads(result.to_json())


def test_a_pickled_report_leaves_the_rows_behind():
    wide = np.random.default_rng(1).normal(size=(300, 500))
    report = gm.evaluate_clustering(wide, np.arange(300) % 3)
    assert report.scored.X is wide
    assert len(pickle.dumps(report)) < wide.nbytes / 10
    assert pickle.loads(pickle.dumps(report)).scored is None  # noqa: S301


def test_numbers_of_a_comparison_hold_the_best_scores():
    comparison = RESULTS["Comparison"]()
    best = max(gm.silhouette_score(X, labels) for labels in (LABELS, COARSE))
    np.testing.assert_allclose(comparison.numbers()["best_silhouette"], best, rtol=1e-12)
