"""Silhouettes under a distance that is the user's function: on the CPU, whatever the backend."""

import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm

X, LABELS = inputs.blobs(5, n=70, d=4)
V = X.var(axis=0, ddof=1)


def manhattan(x, y):
    return float(np.abs(x - y).sum())


def test_callable():
    s = gm.silhouette_samples(X, LABELS, metric=manhattan)
    assert_allclose(s, gm.silhouette_samples(X, LABELS, metric="manhattan"), rtol=1e-10)


def test_callable_with_keywords():
    def weighted(x, y, *, w):
        return float((w * np.abs(x - y)).sum())

    s = gm.silhouette_samples(X, LABELS, metric=weighted, w=V)
    assert_allclose(s, gm.silhouette_samples(X * V, LABELS, metric="manhattan"), rtol=1e-10)
    with pytest.raises(TypeError, match="unknown"):
        gm.silhouette_samples(X, LABELS, metric=weighted, w=V, unknown=1)


def test_callable_that_gives_nan_as_scikit_learn():
    peer = pytest.importorskip("sklearn.metrics")

    def undefined(x, y):
        return np.nan

    assert_array_equal(
        gm.silhouette_samples(X, LABELS, metric=undefined),
        peer.silhouette_samples(X, LABELS, metric=undefined),
    )


@pytest.mark.emulated
def test_a_gpu_that_is_asked_for_is_refused(emulated):
    with gm.config_context(backend="cupy"), pytest.raises(gm.BackendError, match="function of two rows"):
        gm.silhouette_score(X, LABELS, metric=manhattan)
    with pytest.raises(gm.BackendError, match="function of two rows"):
        gm.silhouette_score(emulated.asarray(X), LABELS, metric=manhattan)


def test_infinite_distances_of_a_callable():
    X, labels = inputs.blobs(0, n=40)
    got = gm.silhouette_samples(X, labels, metric=lambda x, y: np.inf if abs(x[0] - y[0]) > 3 else 1.0)
    assert np.isfinite(got).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, bool, np.float32])
def test_a_callable_sees_rows_of_the_users_dtype(rng, dtype):
    X = rng.integers(0, 2, (12, 3)).astype(dtype)
    seen, calls = set(), []

    def distance(x, y):
        seen.add(x.dtype)
        calls.append(1)
        return float((x != y).sum())

    gm.silhouette_samples(X, np.arange(12) % 3, metric=distance)
    assert seen == {np.dtype(dtype)}
    assert len(calls) == 12 * 11 // 2  # each pair once
