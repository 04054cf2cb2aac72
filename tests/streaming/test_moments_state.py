"""ClusterMomentsState against the functions on all rows at once, and against exact fractions."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import normalize
from stream_plans import plan_of, plans
from stream_tables import TABLES, K, N, clustered

import gpumetrics as gm
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.exceptions import UndefinedMetricWarning
from gpumetrics.statistics.moments import cluster_moments
from gpumetrics.streaming import ClusterMomentsState


def moments_of(X, labels, noise_label=None):
    data = check_clustered(X, labels, noise_label)
    return cluster_moments(data.features, data.codes, data.sizes)


@pytest.mark.parametrize("name", sorted(TABLES))
@settings(max_examples=15, deadline=None)
@given(plan=plans(N), again=plans(N))
def test_the_same_as_the_functions_in_any_order_and_grouping(name, plan, again):
    X, labels = TABLES[name]()
    state = plan.run(ClusterMomentsState(), X, labels)
    assert_array_equal(state.moments().size, np.bincount(labels))
    assert_allclose(state.result("calinski_harabasz_score"), gm.calinski_harabasz_score(X, labels), rtol=1e-12)
    second = again.run(state.fitted(), X, labels)
    assert_allclose(second.result("davies_bouldin_score"), gm.davies_bouldin_score(X, labels), rtol=1e-12)
    assert second.result("calinski_harabasz") == state.result("calinski_harabasz")


@pytest.mark.parametrize("name", sorted(TABLES))
def test_moments_are_those_of_all_rows(name):
    X, labels = TABLES[name]()
    plan = plan_of(N, 3)
    state = plan.run(ClusterMomentsState(), X, labels)
    found, wanted = plan.run(state.fitted(), X, labels).moments(), moments_of(X, labels)
    assert found.scale == wanted.scale
    for ours, theirs in ((found.within, wanted.within), (found.spread, wanted.spread), (found.rms, wanted.rms)):
        assert_allclose(ours, theirs, rtol=1e-12)
    apart, apart_too = (m.relative_means() - m.relative_means()[0] for m in (found, wanted))
    assert_allclose(apart, apart_too, rtol=1e-12, atol=1e-12 * found.rms.max())
    if name != "a huge constant":  # which the means of all rows at once lack
        assert_allclose(found.mean, wanted.mean, rtol=1e-12)
    assert_array_equal(state.classes, np.arange(K))


def test_batches_of_one_row_against_exact_fractions():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(1000, 2)), 3) + 1e8
    state = ClusterMomentsState()
    for row in X:
        state.update([row], [0])
    exact = [[Fraction(value) for value in column] for column in X.T.tolist()]
    means = [sum(column) / len(column) for column in exact]
    within = sum((value - mean) ** 2 for column, mean in zip(exact, means, strict=True) for value in column)
    found = state.moments()
    assert_allclose(found.within, [float(within)], rtol=4e-16)
    for anchor, shift, mean in zip(found.anchor[0], found.shift[0], means, strict=True):
        assert abs(Fraction(anchor.item()) + Fraction(shift.item()) - mean) < Fraction(1, 10**15)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_merging_is_commutative_and_associative(seed):
    rng = np.random.default_rng(seed)
    X, labels = TABLES[sorted(TABLES)[seed % len(TABLES)]]()
    a, b, c = (ClusterMomentsState().update(X[rows], labels[rows]) for rows in np.array_split(rng.permutation(N), 3))
    one, other, swapped = a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(b.merge(a))
    for state in (other, swapped):
        assert_array_equal(state.moments().size, one.moments().size)
        assert_allclose(state.moments().within, one.moments().within, rtol=1e-13)
        assert_allclose(state.result("calinski_harabasz"), one.result("calinski_harabasz"), rtol=1e-13)


@settings(deadline=None)
@given(plans(N))
def test_labels_of_any_kind_and_noise(plan):
    X, labels = clustered(2)
    names = [["b", -1, "a", 2.5, "c"][label] for label in labels]
    state = plan.run(ClusterMomentsState(noise_label=-1), X, names)
    assert state.n_noise == (labels == 1).sum()
    assert list(state.classes) == [2.5, "a", "b", "c"]
    wanted = gm.calinski_harabasz_score(X, labels, noise_label=1)
    assert_allclose(state.result("calinski_harabasz_score"), wanted, rtol=1e-12)
    second = plan.run(state.fitted(), X, names)
    assert second.n_samples == state.n_samples
    wanted = gm.davies_bouldin_score(X, labels, noise_label=1)
    assert_allclose(second.result("davies_bouldin_score"), wanted, rtol=1e-12)


def test_a_batch_of_noise_only():
    state = ClusterMomentsState(noise_label=-1).update([[9.0, 9.0]], [-1])
    assert (state.n_samples, state.n_noise, state.n_features) == (0, 1, 2)
    with pytest.raises(ValueError, match="All 1 rows have the noise label -1: there is no cluster"):
        state.moments()
    X, labels = [[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], [0, 0, 1]
    state.update(X, labels)
    second = state.fitted().update([[9.0, 9.0]], [-1]).update(X, labels)
    assert second.result("davies_bouldin") == gm.davies_bouldin_score(X, labels)


@settings(max_examples=15, deadline=None)
@given(plans(N))
def test_unit_rows(plan):
    X, labels = clustered(3)
    for transform, unit in (("cosine", normalize(X)), ("correlation", normalize(X - X.mean(axis=1, keepdims=True)))):
        state = plan.run(ClusterMomentsState(transform=transform), X, labels)
        assert_allclose(state.result("calinski_harabasz"), gm.calinski_harabasz_score(unit, labels), rtol=1e-12)
        found = plan.run(state.fitted(), X, labels).result("davies_bouldin")
        assert_allclose(found, gm.davies_bouldin_score(unit, labels), rtol=1e-12)


def test_batches_of_several_dtypes_are_one_table():
    X = np.array([[0, 3], [2, 1], [7, 8], [9, 9], [200, 3], [201, 5]])
    labels = [0, 0, 1, 1, 2, 2]
    state = ClusterMomentsState()
    for rows, dtype in ((slice(0, 2), np.int8), (slice(2, 4), np.float32), (slice(4, 6), np.uint64)):
        state.update(X[rows].astype(dtype), labels[rows])
    assert_allclose(state.result("calinski_harabasz"), gm.calinski_harabasz_score(X, labels), rtol=1e-14)
    assert_allclose(state.moments().mean, [[1, 2], [8, 8.5], [200.5, 4]], rtol=1e-15)


def test_spreads_are_in_the_units_of_the_data():
    X, labels = clustered(1)
    for scale in (1.0, 1e-170, 1e160):
        state = ClusterMomentsState().update(X * scale, labels)
        spread = state.fitted().update(X * scale, labels).result("spread")
        centres = np.array([X[labels == k].mean(axis=0) for k in range(K)])
        distances = np.linalg.norm(X - centres[labels], axis=1)
        assert_allclose(spread / scale, [distances[labels == k].mean() for k in range(K)], rtol=1e-12)


@pytest.mark.parametrize(
    ("X", "labels", "value"),
    [
        ([[1.0], [1.0], [1.0], [1.0]], [0, 0, 1, 1], np.nan),
        ([[1.0], [1.0], [2.0], [2.0]], [0, 0, 1, 1], np.inf),
        ([[1e8 + 0.1], [1e8 + 0.1], [1e8], [1e8]], ["a", "a", "b", "b"], np.inf),
    ],
)
def test_limits_are_the_functions(X, labels, value):
    state = ClusterMomentsState()
    for start in (0, 2, 1, 3):
        state.update(X[start : start + 1], labels[start : start + 1])
    with pytest.warns(UndefinedMetricWarning, match="Calinski-Harabasz is"):
        assert_array_equal(state.result("calinski_harabasz"), value)


def test_centroids_that_coincide():
    X, labels = np.array([[0.0, 1], [2, 1], [1, 0], [1, 2], [8, 8], [9, 8]]), np.array([0, 0, 1, 1, 2, 2])
    plan = plan_of(6, 2)
    second = plan.run(plan.run(ClusterMomentsState(), X, labels).fitted(), X, labels)
    with pytest.warns(UndefinedMetricWarning, match="Davies-Bouldin is inf"):
        assert second.result("davies_bouldin") == np.inf


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_the_number_of_clusters(labels):
    X = [[0.0], [1.0], [3.0]]
    state = ClusterMomentsState().update(X, labels)
    with pytest.raises(ValueError, match=r"Number of labels is .*Valid values are 2 to n_samples - 1"):
        state.result("calinski_harabasz")
    with pytest.raises(ValueError, match=r"Number of labels is .*Valid values are 2 to n_samples - 1"):
        state.fitted().update(X, labels).result("davies_bouldin")


def test_on_each_backend(backend):
    for name in ("offset", "integers", "large"):
        X, labels = TABLES[name]()
        plan = plan_of(N, 6)
        state = plan.run(ClusterMomentsState(noise_label=0), X, labels)
        wanted = gm.calinski_harabasz_score(X, labels, noise_label=0)
        assert_allclose(state.result("calinski_harabasz"), wanted, rtol=1e-12)
        wanted = gm.davies_bouldin_score(X, labels, noise_label=0)
        assert_allclose(plan.run(state.fitted(), X, labels).result("davies_bouldin"), wanted, rtol=1e-12)


def test_batches_on_a_device_and_on_the_host(emulated):
    X, labels = TABLES["offset"]()
    state = ClusterMomentsState().update(emulated.asarray(X[:30]), emulated.asarray(labels[:30]))
    state.update(X[30:], labels[30:])
    second = state.fitted().update(X[30:], labels[30:]).update(emulated.asarray(X[:30]), labels[:30])
    assert_allclose(second.result("davies_bouldin"), gm.davies_bouldin_score(X, labels), rtol=1e-12)


def test_nothing_warns_of_units():
    X, labels = TABLES["a late huge row"]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = ClusterMomentsState()
        for row, label in zip(X, labels, strict=True):
            state.update([row], [label])
    assert_allclose(state.result("calinski_harabasz"), gm.calinski_harabasz_score(X, labels), rtol=1e-12)
