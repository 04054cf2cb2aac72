"""What is right, off and wrong; and that the truth is not taken from the side that it is held against."""

import definitions
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from benchmarks.agreement import judge, numbers
from benchmarks.case import Job, Shape
from benchmarks.cases import named
from benchmarks.truth import silhouettes_of, true_answer


@pytest.mark.parametrize(
    ("factor", "state"), [(1 + 1e-13, "ok"), (1 + 1e-5, "off"), (1.01, "wrong"), (np.nan, "wrong"), (-1, "wrong")]
)
def test_one_per_cent_is_wrong(factor, state):
    truth = np.array([0.5, 0.25])
    verdict = judge(truth * factor, truth, atol=1e-12, rtol=0)
    assert verdict.state == state
    assert bool(verdict.reason) == (state != "ok")


def test_another_length_is_wrong():
    assert judge(np.ones(3), np.ones(2), atol=1, rtol=1).state == "wrong"


def test_counts_must_be_exact():
    assert judge(np.array([1e9 + 1]), np.array([1e9]), atol=0, rtol=0).state == "off"


def test_numbers_of_every_kind_of_answer():
    assert_array_equal(numbers((1, [2.0, None], np.array([3]), {"a": {"b": 4}})), [1, 2, np.nan, 3, 4])
    assert_array_equal(numbers(csr_matrix([[0, 5]])), [[0, 5]])


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("ari", definitions.adjusted_rand),
        ("rand", definitions.rand),
        ("fm", definitions.fowlkes_mallows),
        ("pair-confusion", definitions.pair_confusion_matrix),
    ],
)
def test_truth_from_pairs(name, definition):
    job = Job(named(name), "toy", Shape(60, 4), "numpy")
    expected = definition(*(part.tolist() for part in job.data()))
    assert_allclose(true_answer(job, job.data()), np.ravel(expected), rtol=1e-13)


def test_truth_from_pairs_does_not_overflow():
    """Squares of 4 x 10^9 pairs and their products do not fit into 64 bits."""
    job = Job(named("ari"), "toy", Shape(200_000, 3), "numpy")
    assert 0.3 < true_answer(job, job.data()) < 0.5


def test_silhouettes_by_the_definition():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(20, 3)), np.append(np.arange(19) % 3, 3)  # the last cluster has one row
    expected = definitions.silhouette_samples(X.tolist(), labels.tolist())
    assert_allclose(silhouettes_of(np.arange(20), X, labels, "euclidean"), expected, rtol=1e-12)


def test_a_truth_that_contradicts_the_definition_raises(monkeypatch):
    job = Job(named("sil-f32-64"), "toy", named("sil-f32-64").toy, "numpy")
    monkeypatch.setattr("sklearn.metrics.silhouette_samples", lambda X, _labels: np.zeros(len(X)))
    with pytest.raises(ArithmeticError, match="sil-f32-64: scikit-learn in float64 gives 0 where"):
        true_answer(job, job.data())
