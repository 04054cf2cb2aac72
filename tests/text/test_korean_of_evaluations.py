"""What evaluations of clusterings say is said in Korean too, whatever the clustering."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_equal

import gpumetrics as gm
from gpumetrics.backends import choose
from gpumetrics.clustering.estimate import rounds
from gpumetrics.config import config_context
from gpumetrics.evaluation import parts
from gpumetrics.evaluation import silhouette_part as silhouettes
from gpumetrics.evaluation.report_text import noise_line, notes_of
from gpumetrics.evaluation.score_facts import SCORES
from gpumetrics.sources.feature_columns import FeatureTable
from gpumetrics.text.messages import Message, translated

# Names stay as they are: of scores, functions, settings, packages; labels here are single letters or numbers.
NAMES = """
Calinski Harabasz Davies Bouldin Rand Adjusted ARI AMI NMI Normalized mutual information Homogeneity Completeness
measure Fowlkes Mallows Ashman DBCV DBSCAN eps davies_bouldin_score clustering_accuracy labels labels_true silhouette
exact skip noise_label None scikit learn Differences from nan inf manhattan my_metric CPU GPU CuPy CUDA NVIDIA
CUDA_VISIBLE_DEVICES cuda12 cuda13 numpy cupy backend pip install import gpumetrics ID drop age year
"""
NAMES = set(NAMES.split())
TITLES = {name.capitalize() for name in NAMES}
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]+")
X = np.random.default_rng(0).normal(size=(60, 2)) + 6 * np.repeat(np.eye(3, 2), 20, axis=0)
y = np.repeat(["a", "b", "c"], 20)


def assert_in_korean(texts):
    """Check that each is a message, and leaves no English words in Korean but names."""
    assert len(texts)
    for text in texts:
        assert isinstance(text, Message), text
        korean = translated(text, "ko")
        assert_equal(sorted(set(WORD.findall(korean)) - NAMES), [], err_msg=korean)
        assert re.search("[가-힣]", korean) or not {word.capitalize() for word in WORD.findall(text)} - TITLES, korean


def my_metric(a, b):
    return float(np.abs(a - b).sum())


def noisy(share):
    labels = y.astype(object)
    labels[:: int(1 / share)] = -1
    return labels


DISTANCES = np.linalg.norm(X[:, None] - X, axis=2)
REPORTS = {
    "plain": (X, y, {}),
    "little noise": (X, noisy(0.05), {}),
    "much noise": (X, noisy(0.5), {"labels_true": y}),
    "no label is noise": (X, y, {"noise_label": None}),
    "estimate": (X, y, {"silhouette": "estimate", "random_state": 0}),
    "many clusters": (X, np.arange(60) // 3, {"silhouette": "estimate", "random_state": 0}),
    "one cluster": (X, np.zeros(60), {"labels_true": y}),
    "each row a cluster": (X, np.arange(60), {}),
    "all noise": (X, np.full(60, -1), {"labels_true": y}),
    "truth": (X, np.roll(y, 7), {"labels_true": y}),
    "worse than chance": (X[:4], [0, 0, 1, 1], {"labels_true": [0, 1, 0, 1]}),
    "another metric": (X, y, {"metric": "cityblock"}),
    "a function": (X[:12], np.arange(12) % 3, {"metric": my_metric}),
    "distances": (DISTANCES, y, {"metric": "precomputed"}),
    "no silhouette": (X, y, {"silhouette": "skip"}),
    "clusters of duplicates": (np.repeat(np.eye(3), 20, axis=0), y, {}),
    "all rows equal": (np.ones((60, 2)), y, {}),
    "centres coincide": (np.repeat([[-1.0], [1.0], [-2.0], [2.0]], 15, axis=0), np.arange(60) // 30, {}),
}


@pytest.mark.parametrize("case", REPORTS)
def test_reports(case, monkeypatch):
    monkeypatch.setattr(silhouettes, "FEWEST_QUERIES", 30)
    monkeypatch.setattr(silhouettes, "MOST_QUERIES", 30)
    rows, labels, options = REPORTS[case]
    report = gm.evaluate_clustering(rows, labels, **options)
    facts = [SCORES[name] for name in report.scores]
    texts = [*report.notes.values(), *notes_of(report), *report.readings.values(), report.backend_reason]
    texts += [noise_line(report), *(fact.title for fact in facts)]
    assert_in_korean(texts)
    assert "to" not in " ".join(translated(fact.range, "ko") for fact in facts)


def test_scores_that_are_left_out(monkeypatch):
    rng = np.random.default_rng(0)
    truth, labels = rng.permutation(6_000) // 2, rng.permutation(6_000) // 2
    monkeypatch.setattr(parts, "LONGEST", 0.0)
    report = gm.evaluate_clustering(rng.normal(size=(6_000, 2)), labels, labels_true=truth, silhouette="skip")
    left_out = [note for note in report.notes.values() if note.startswith("left out")]
    assert_equal(len(left_out), 2)
    assert_in_korean([*left_out, *notes_of(report), *report.readings.values(), parts._spoken(1e5)])


def candidates():
    """Yield (candidates, whether there are any) of every kind, with every sort of note."""
    merged, named = np.where(y == "b", "a", y), {"a": "shoes", "c": "Shoes "}
    yield gm.split_candidates(X, merged, size_ratio=1.0, drop=0.0), True
    yield gm.split_candidates(X, y), False
    yield gm.split_candidates(X, y, silhouette=np.full(60, np.nan)), False
    yield gm.split_candidates(X, np.zeros(60)), False
    yield gm.evaluate_clustering(X, y, silhouette="skip").split_candidates(), False
    yield gm.boundary_candidates(X, np.roll(y, 3)), True
    yield gm.boundary_candidates([[0.0], [1.0], [8.0], [10.0], [11.0]], list("aaabb"), min_rows=1), True
    yield gm.boundary_candidates(X, np.roll(y, 3), silhouette="estimate", random_state=0), True
    yield gm.merge_candidates(X, np.arange(60) // 10), True
    yield gm.merge_candidates(X, y, names=named, metric="cityblock", max_ashman_d=0.0), True
    yield gm.merge_candidates(X, np.zeros(60)), False


def test_candidates(monkeypatch):
    monkeypatch.setattr(silhouettes, "FEWEST_QUERIES", 50)
    monkeypatch.setattr(silhouettes, "MOST_QUERIES", 50)
    for found, some in candidates():
        assert_equal(len(found) > 0, some)
        assert_in_korean([found.rule, *found.reasons, *found.notes.values()])
        assert_equal({type(text) for text in [*found.to_dict()["reason"], *found.to_dict()["notes"]]}, {str})


def test_rows_to_look_at():
    found = gm.ambiguous(X, np.zeros(60))
    assert_in_korean(list(found.notes.values()))


def test_attributes():
    found = gm.attribute_check(y, {"age": np.arange(60), "year": np.arange(60), "c": y, "d": y == "a", "e": y == "f"})
    assert_in_korean(list(found.notes.values()))
    assert_in_korean(list(gm.attribute_check(y, {"age": np.arange(60)}).notes.values()))
    for reading in found.table["reading"]:  # plain words, as a column holds them
        assert re.search("[가-힣]", translated(reading, "ko"))


def test_estimates(monkeypatch):
    monkeypatch.setattr(rounds, "EXPECTED", 10)
    labels = np.repeat([0, *range(1, 16)], [45, *[1] * 15])
    found = [
        gm.silhouette_estimate(X, labels, n_queries=20, random_state=0),
        gm.silhouette_estimate(X, noisy(0.5), noise_label=-1, n_queries=20, random_state=0),
        gm.silhouette_estimate(X, np.where(np.arange(60), y, "z"), noise_label="z", random_state=0),
        gm.silhouette_estimate(np.tile(X, (20, 1)), np.tile(y, 20), references="pps", n_references=16, n_queries=50),
    ]
    with pytest.warns(UserWarning, match="is undefined, and nan"):
        found += gm.silhouette_estimate(X, [y, np.zeros(60)], random_state=0)
    notes = [note for estimate in found for note in estimate.notes]
    assert_in_korean(notes)
    texts = " ".join(notes)
    for said in ("drawn from together", "One more row", "more rows are", "undefined, since", "reference rows", "wider"):
        assert said in texts


@pytest.mark.parametrize("labels", [[-1, -1], [-1], [0, 1], [0, 0, -1]])
def test_density_validity(labels):
    with pytest.warns(UserWarning, match="nan") as seen:
        result = gm.density_validity(np.arange(float(len(labels)))[:, None], labels, per_cluster=True)
    assert_in_korean([result.reason, seen[0].message.args[0]])


def test_backends():
    reasons = [choose(np.ones(2), cpu_only="a", seconds=lambda: 9.0).reason, choose(seconds=lambda: 9.0).reason]
    with config_context(backend="numpy"):
        reasons.append(choose().reason)
    assert_in_korean([reason for reason in reasons if "Emulated" not in reason])


def test_columns():
    rows = np.column_stack([X, np.arange(60)])
    lists = FeatureTable(X, ("a",), ("b", "1", "2", "3"))
    names = tuple(f"{letter}{letter}"[1:] for letter in "abcdefghijklmnopq")
    tables = [lists, FeatureTable(rows, ("a", "b", "c")), FeatureTable(X[:, :1], ("a",)), FeatureTable(X, ("a", "b"))]
    tables += [FeatureTable(np.ones((3, 17)), names), FeatureTable(np.c_[X, np.arange(60) % 3], ("a", "b", "c"))]
    tables += [FeatureTable(np.c_[X, np.arange(60) % 3, np.arange(60) % 2], tuple("abcd"))]
    assert_in_korean([note for table in tables for note in table.notes().values()])


def test_a_user_s_words_are_not_translated():
    report = gm.evaluate_clustering(X, np.where(y == "a", "none", "rows"))
    assert "none" in translated(report.readings["davies_bouldin"], "ko")


def test_warnings_that_are_no_messages_become_notes(monkeypatch):
    found = parts.Parts()

    def score():
        warnings.warn("something else", RuntimeWarning, stacklevel=1)
        return float("nan")

    found.score("rand", score)
    assert_equal(found.notes, {"rand": "something else"})
