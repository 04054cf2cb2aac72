"""Calinski-Harabasz, Davies-Bouldin and the pairs behind it, beyond the catalogue."""

import time

import definitions
import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.exceptions import UndefinedMetricWarning
from gpumetrics.features import check_features
from gpumetrics.statistics.moments import cluster_moments

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize("seed", range(5))
def test_pairs_against_the_definition(seed):
    X, labels = inputs.blobs(seed, k=6)
    pairs = gm.davies_bouldin_pairs(X, labels)
    R = definitions.davies_bouldin_matrix(X, labels)
    assert_allclose(pairs.similarity, R, rtol=1e-10)
    assert_allclose(pairs.similarity, pairs.similarity.T, rtol=1e-14)
    assert_array_equal(np.diag(pairs.similarity), 0)
    assert_array_equal(pairs.labels, np.arange(6))
    assert_array_equal(pairs.worst_partner, R.argmax(axis=1))
    assert_allclose(pairs.worst_ratio, R.max(axis=1), rtol=1e-10)
    assert set(pairs.pair) == set(np.unravel_index(R.argmax(), R.shape))
    assert pairs.score == gm.davies_bouldin_score(X, labels)
    assert type(pairs.score) is float
    spread = [np.linalg.norm(X[labels == k] - X[labels == k].mean(axis=0), axis=1).mean() for k in range(6)]
    assert_allclose(pairs.spread, spread, rtol=1e-10)


def test_pairs_speak_of_the_users_labels():
    X = np.array([[-1.0], [1.0], [3.0], [5.0], [7.0], [13.0], [100.0]])
    labels = ["one", "one", "two", "two", "wide", "wide", "noise"]
    pairs = gm.davies_bouldin_pairs(X, labels, noise_label="noise")
    assert pairs.labels.tolist() == ["one", "two", "wide"]
    assert pairs.worst_partner.tolist() == ["two", "wide", "two"]
    assert sorted(pairs.pair) == ["two", "wide"]
    assert_allclose(pairs.spread, [1, 1, 3])
    assert_allclose(pairs.score, 11 / 18)


def test_pairs_at_coincident_centroids():
    X = [[-1.0, 0], [1, 0], [0, -2], [0, 2], [10, 0], [10, 1]]
    with pytest.warns(UndefinedMetricWarning):
        pairs = gm.davies_bouldin_pairs(X, [0, 0, 1, 1, 2, 2])
    assert pairs.similarity[0, 1] == pairs.worst_ratio[0] == pairs.worst_ratio[1] == pairs.score == np.inf
    assert np.isfinite(pairs.worst_ratio[2])
    assert sorted(pairs.pair) == [0, 1]


@pytest.mark.parametrize("k", [2, 3, 50, 400])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_clusters(k, dtype):
    peer = pytest.importorskip("sklearn.metrics")
    X, labels = inputs.blobs(1, n=1200, d=7, k=k)
    X = X.astype(dtype)
    rtol = 1e-6 if dtype == "float32" else 1e-10
    X64 = X.astype(np.float64)
    assert_allclose(gm.calinski_harabasz_score(X, labels), peer.calinski_harabasz_score(X64, labels), rtol=rtol)
    assert_allclose(gm.davies_bouldin_score(X, labels), peer.davies_bouldin_score(X64, labels), rtol=rtol)


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("d", [1, 2, 33, 300])
def test_rows_longer_than_a_block(layout, d):
    peer = pytest.importorskip("sklearn.metrics")
    X, labels = inputs.blobs(2, n=5000, d=d, k=5)
    X = np.asarray(X, order=layout)
    assert_allclose(gm.calinski_harabasz_score(X, labels), peer.calinski_harabasz_score(X, labels), rtol=1e-10)
    assert_allclose(gm.davies_bouldin_score(X, labels), peer.davies_bouldin_score(X, labels), rtol=1e-10)


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score", "davies_bouldin_pairs"])
@pytest.mark.parametrize("noise_label", [-1, "outlier"])
def test_noise_is_left_out(name, noise_label):
    X, labels = inputs.blobs(3)
    kept = np.arange(60) % 5 != 0
    noisy = labels.astype(object)
    noisy[~kept] = noise_label
    found = getattr(gm, name)(X, noisy, noise_label=noise_label)
    expected = getattr(gm, name)(X[kept], labels[kept])
    if name == "davies_bouldin_pairs":
        found, expected = found.score, expected.score
    assert found == expected


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score"])
def test_noise_that_is_not_there(name):
    X, labels = inputs.blobs(3)
    assert getattr(gm, name)(X, labels, noise_label="nobody") == getattr(gm, name)(X, labels)


def test_moments():
    X, labels = inputs.blobs(4, k=5)
    moments = cluster_moments(check_features(X), labels, np.bincount(labels))
    within, between = definitions.within_and_between(X, labels)
    assert_allclose(moments.within.sum() / moments.between(), within / between, rtol=1e-12)
    means = [X[labels == k].mean(axis=0) for k in range(5)]
    assert_allclose(moments.mean, means, rtol=1e-12)
    assert_array_equal(moments.size, np.bincount(labels))


@pytest.mark.parametrize("offset", [0, 1e8, -1e12])
def test_tight_clusters_far_from_each_other(offset):
    rng = np.random.default_rng(5)
    centers = np.array([[0.0, 0], [1, 0], [1e3, 1e3], [1e6, 0]]) + offset
    labels = np.repeat(np.arange(4), 25)
    X = centers[labels] + rng.integers(-8, 9, (100, 2)) * 2.0**-10
    for order in (labels, 3 - labels, (labels + 2) % 4):
        assert_allclose(gm.davies_bouldin_score(X, order), definitions.davies_bouldin(X, order), rtol=1e-10)
        found, expected = gm.calinski_harabasz_score(X, order), definitions.calinski_harabasz(X, order)
        assert_allclose(found, expected, rtol=1e-10)


def test_one_large_and_many_singletons():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 3))
    labels = np.maximum(np.arange(300) - 200, 0)
    assert_allclose(gm.davies_bouldin_score(X, labels), definitions.davies_bouldin(X, labels), rtol=1e-10)
    assert_allclose(gm.calinski_harabasz_score(X, labels), definitions.calinski_harabasz(X, labels), rtol=1e-10)


def test_two_equal_singletons_are_undefined_not_infinite():
    with pytest.warns(UndefinedMetricWarning, match="nan"):
        assert np.isnan(gm.davies_bouldin_score([[0.0], [0.0], [5.0], [6.0]], [0, 1, 2, 2]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_coincident_centroids_in_every_dtype(dtype):
    X = np.array([[-1, 0], [1, 0], [0, -2], [0, 2], [10, 0], [10, 1]], dtype=dtype)
    with pytest.warns(UndefinedMetricWarning):
        assert gm.davies_bouldin_score(X, [0, 0, 1, 1, 2, 2]) == np.inf
    with pytest.warns(UndefinedMetricWarning):
        assert gm.davies_bouldin_score(X + np.dtype(dtype).type(64), [0, 0, 1, 1, 2, 2]) == np.inf


@pytest.mark.parametrize("offset", [0.1, 1 / 3, 1e6 + 0.1])
@pytest.mark.parametrize("scale", [1, 1e-9, 1e9])
def test_centroids_that_coincide_in_decimals(offset, scale):  # C23
    rng = np.random.default_rng(7)
    half = np.round(rng.normal(size=(20, 3)), 2)
    X = np.vstack([half, -half, 2 * half, -2 * half]) * scale + offset * scale
    with pytest.warns(UndefinedMetricWarning):
        assert gm.davies_bouldin_score(X, np.repeat([0, 1], 40)) == np.inf


def test_a_sweep_over_hundreds_of_thousands_of_rows():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300_000, 2))
    labelings = [rng.integers(0, k, 300_000) for k in range(2, 31)]
    started = time.perf_counter()
    scores = [gm.calinski_harabasz_score(X, labels) for labels in labelings]
    assert time.perf_counter() - started < 15  # about 1 s on a quiet machine
    assert min(scores) > 0
