"""ClosedFormSilhouetteState and its scorer against silhouette_samples and silhouette_score on all rows at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from stream_plans import plan_of, plans
from stream_tables import TABLES, K, N, clustered

import gpumetrics as gm
from gpumetrics.streaming import ClosedFormSilhouetteState

METRICS = ("sqeuclidean", "cosine", "correlation")


def scored(plan, again, metric, X, labels, **settings):
    first = plan.run(ClosedFormSilhouetteState(metric, **settings), X, labels)
    return again.run(first.fitted(), X, labels)


def with_zero_rows(seed):
    """Rows of which some are zero, or constant: they have no direction."""
    X, labels = clustered(seed)
    X[::7] = 0.0
    X[3] = X[5] = 2.5
    X[labels == 2] = [1.0, 2.0, 3.0, 5.0]  # all in one direction
    X[np.flatnonzero(labels == 2)[0]] *= 3
    return X, labels


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", sorted(TABLES))
@settings(max_examples=8, deadline=None)
@given(plan=plans(N), again=plans(N))
def test_the_same_as_the_functions_in_any_order_and_grouping(name, metric, plan, again):
    X, labels = TABLES[name]()
    scorer = scored(plan, again, metric, X, labels)
    wanted = gm.silhouette_samples(X, labels, metric=metric)
    assert_allclose(scorer.result(), gm.silhouette_score(X, labels, metric=metric), atol=1e-12)
    assert_allclose(scorer.samples(X, labels), wanted, atol=1e-12)
    means = [wanted[labels == k].mean() for k in range(K)]
    assert_allclose(scorer.result("per_cluster"), means, atol=1e-12)
    assert_allclose(scorer.result("macro"), np.mean(means), atol=1e-12)


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
@settings(max_examples=25, deadline=None)
@given(plan=plans(N))
def test_rows_without_a_direction(metric, plan):
    X, labels = with_zero_rows(3)
    scorer = scored(plan, plan, metric, X, labels)
    wanted = gm.silhouette_samples(X, labels, metric=metric)
    for rows in plan.batches:
        assert_allclose(scorer.samples(X[rows], labels[rows]), wanted[rows], atol=1e-14)
    assert_allclose(scorer.result(), wanted.mean(), atol=1e-14)


@settings(max_examples=25, deadline=None)
@given(plan=plans(N))
def test_noise_singletons_and_labels_of_any_kind(plan):
    X, labels = clustered(4)
    labels = labels.copy()
    labels[11] = K  # alone
    names = [["b", "noise", "a", 2.5, "c", "alone"][label] for label in labels]
    scorer = scored(plan, plan, "sqeuclidean", X, names, noise_label="noise")
    wanted = gm.silhouette_samples(X, labels, metric="sqeuclidean", noise_label=1)
    found = scorer.samples(X, names)
    assert found[11] == 0
    assert_array_equal(np.isnan(found), labels == 1)
    assert_allclose(found, wanted, atol=1e-13)
    assert_allclose(scorer.result("silhouette_score"), np.nanmean(wanted), atol=1e-13)
    assert list(scorer.classes) == [2.5, "a", "alone", "b", "c"]


@settings(max_examples=10, deadline=None)
@given(plan=plans(N))
def test_sparse_batches_under_cosine(plan):
    X, labels = with_zero_rows(5)
    X[abs(X) < 1] = 0
    scorer = scored(plan, plan, "cosine", csr_array(X), labels)
    assert_allclose(scorer.result(), gm.silhouette_score(X, labels, metric="cosine"), atol=1e-13)
    with pytest.raises(TypeError, match=r"Batch 1 .*Sparse data was passed"):
        ClosedFormSilhouetteState("sqeuclidean").update(csr_array(X), labels)


def test_batches_without_rows_that_count():
    X, labels = [[0.0], [1.0], [5.0], [7.0]], [0, 0, 1, 1]
    first = ClosedFormSilhouetteState(noise_label=-1).update([[3.0]], [-1]).update(X, labels)
    scorer = first.fitted().update([[3.0]], [-1]).update(X, labels)
    assert_array_equal(scorer.samples([[3.0]], [-1]), [np.nan])
    assert_allclose(scorer.result(), gm.silhouette_score(X, labels, metric="sqeuclidean"), rtol=1e-15)


@pytest.mark.parametrize("metric", METRICS)
def test_on_each_backend(backend, metric):
    X, labels = with_zero_rows(6)
    scorer = scored(plan_of(N, 8), plan_of(N, 9), metric, X, labels)
    assert_allclose(scorer.result(), gm.silhouette_score(X, labels, metric=metric), atol=1e-13)


@pytest.mark.parametrize("metric", METRICS)
def test_batches_on_a_device_and_on_the_host(emulated, metric):
    X, labels = with_zero_rows(7)
    on_device = emulated.asarray(X[:20]), emulated.asarray(labels[:20])
    first = ClosedFormSilhouetteState(metric, noise_label=0).update(*on_device).update(X[20:], labels[20:])
    scorer = first.fitted()
    found = scorer.samples(*on_device)
    wanted = gm.silhouette_samples(X, labels, metric=metric, noise_label=0)
    assert isinstance(found, emulated.ndarray)
    assert_allclose(found.get(), wanted[:20], atol=1e-13)
    scorer.update(X[20:], labels[20:]).update(*on_device)
    assert_allclose(scorer.result(), np.nanmean(wanted), atol=1e-13)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_metrics_without_a_closed_form(metric):
    with pytest.raises(ValueError, match="metric must be 'sqeuclidean', 'cosine' or 'correlation', which have"):
        ClosedFormSilhouetteState(metric)


def test_what_cannot_be_scored():
    state = ClosedFormSilhouetteState()
    with pytest.raises(ValueError, match="has seen no batch: call update first"):
        state.fitted()
    with pytest.raises(ValueError, match="Number of labels is 1"):
        state.update([[0.0], [1.0]], [0, 0]).fitted()
    scorer = state.update([[5.0]], [1]).fitted()
    with pytest.raises(ValueError, match="metric must be 'silhouette_score', 'macro' or 'per_cluster', got 'micro'"):
        scorer.result("micro")
    with pytest.raises(ValueError, match="it has no rows; leave empty batches out"):
        scorer.samples(np.empty((0, 1)), [])
