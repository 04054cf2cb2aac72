"""A page never mixes the scores of a report with rows that were changed since."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_equal
from page_walk import blocks_of, texts_of
from scipy.spatial.distance import cdist

import gpumetrics as gm
from gpumetrics.evaluation.findings import CHANGED
from gpumetrics.pages.clustering_page import page_of
from gpumetrics.pages.clustering_view import OTHER_CLASSES
from gpumetrics.pages.model import Figure, Samples

pytestmark = pytest.mark.usefixtures("unprinted")


def given(n=120, k=4):
    rng = np.random.default_rng(0)
    labels = np.arange(n) % k
    return 3 * rng.normal(size=(k, 3))[labels] + rng.normal(size=(n, 3)), labels


def zero(X, labels):
    X[:] = 0


def scale(X, labels):
    X *= 2


def one_row(X, labels):
    X[5] += 3


def relabel(X, labels):
    labels[:10] = 3


def permute(X, labels):
    labels[:] = np.roll(labels, 1)


def shorter(X, labels):
    X.pop()


def longer_labels(X, labels):
    labels.append(1)


@pytest.mark.parametrize(
    ("change", "as_given"),
    [(change, tuple) for change in (zero, scale, one_row, relabel, permute)]
    + [(shorter, lambda pair: (pair[0].tolist(), pair[1])), (longer_labels, lambda pair: (pair[0], pair[1].tolist()))],
)
def test_what_looks_at_rows_is_left_out_and_said_to_be(change, as_given):
    X, labels = as_given(given())
    report = gm.evaluate_clustering(X, labels)
    change(X, labels)
    page = page_of(report, samples=["text"] * 120, attributes={"a": np.arange(120) % 3})
    assert CHANGED in list(map(str, texts_of(page)))
    assert_equal((blocks_of(page, Figure), blocks_of(page, Samples)), ([], []))
    steps = next(section for section in page.sections if section.id == "next").blocks[0].items
    assert_equal(steps[0], CHANGED)
    assert not any("row numbers are below" in step for step in steps)


@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "minkowski", "precomputed"]
)
def test_rows_as_they_were_are_known_to_be(metric):
    X, labels = given()
    kinds = [X, X.astype(np.float32), X * 1e200, X * 1e-200, X + 1e9, np.round(X).astype(np.float64)]
    kinds = [cdist(X, X)] if metric == "precomputed" else kinds
    for rows in kinds:
        report = gm.evaluate_clustering(rows, labels, metric=metric)
        assert CHANGED not in list(map(str, texts_of(page_of(report))))
    if metric in {"euclidean", "cosine"}:
        report = gm.evaluate_clustering(sp.csr_array(X), labels, metric=metric)
        assert CHANGED not in list(map(str, texts_of(page_of(report))))


def test_distances_that_were_changed():
    X, labels = given()
    distances = cdist(X, X)
    report = gm.evaluate_clustering(distances, labels, metric="precomputed")
    distances[:] = 0
    assert CHANGED in list(map(str, texts_of(page_of(report))))


def test_known_classes_that_were_changed():
    X, labels = given()
    truth = labels.tolist()
    report = gm.evaluate_clustering(X, labels, labels_true=truth)
    assert OTHER_CLASSES not in list(map(str, texts_of(page_of(report))))
    truth[:60] = [0] * 60
    other = page_of(report)
    truth.pop()
    for page in (other, page_of(report)):
        assert OTHER_CLASSES in list(map(str, texts_of(page)))
        assert not any(block.id == "classes" for block in blocks_of(page, Figure))
