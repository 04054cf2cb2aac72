"""Chunks that are CuPy's: the functions that run on the workers take them as they are (here, by emulation)."""

import numpy as np
import pytest

import gpumetrics as gm
from gpumetrics.backends.array_modules import as_host
from gpumetrics.dask import pairs

pytestmark = pytest.mark.emulated


@pytest.fixture
def on_device(emulated, lazy, monkeypatch):
    """A function that makes an array of Dask's with chunks on the device."""
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)

    def make(array, rows=300):
        import dask.array as da

        chunks = (rows, *array.shape[1:])
        return da.from_array(array, chunks=chunks).map_blocks(emulated.asarray, dtype=array.dtype, meta=array[:0])

    return make


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "sqeuclidean"])
def test_silhouettes(on_device, emulated, clustered, metric):
    X, labels, _ = clustered
    expected = gm.silhouette_samples(X, labels, metric=metric, noise_label=-1)
    for y in (on_device(labels), labels):
        found = gm.silhouette_score(on_device(X), y, metric=metric, noise_label=-1)
        np.testing.assert_allclose(found, np.nanmean(expected), rtol=0, atol=1e-10)
    found = gm.silhouette_estimate(on_device(X), labels, metric=metric, n_queries=60, random_state=1)
    assert str(found) == str(gm.silhouette_estimate(X, labels, metric=metric, n_queries=60, random_state=1))


def test_samples_stay_on_the_device(on_device, emulated, clustered):
    X, labels, _ = clustered
    for metric in ("cosine", "euclidean"):
        found = gm.silhouette_samples(on_device(X, 900), on_device(labels, 900), metric=metric).compute()
        assert isinstance(found, emulated.ndarray)
        np.testing.assert_allclose(as_host(found), gm.silhouette_samples(X, labels, metric=metric), rtol=0, atol=1e-10)


def test_moments_and_labels(on_device, clustered):
    X, labels, other = clustered
    for name in ("calinski_harabasz_score", "davies_bouldin_score"):
        found = getattr(gm, name)(on_device(X), on_device(labels))
        np.testing.assert_allclose(found, getattr(gm, name)(X, labels), rtol=1e-10)
    assert gm.adjusted_rand_score(on_device(labels), on_device(other)) == gm.adjusted_rand_score(labels, other)
    assert gm.accuracy_score(on_device(labels), on_device(other)) == gm.accuracy_score(labels, other)
