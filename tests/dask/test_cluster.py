"""On a cluster of two worker processes, with data of many blocks; and what a worker that dies changes: nothing."""

import os
import signal
import time

import numpy as np
import pytest
from dask_cases import UNEVEN

import gpumetrics as gm
from gpumetrics import dask as lazily
from gpumetrics.dask import blocks, pairs

pytestmark = pytest.mark.dask


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "sqeuclidean", "correlation"])
def test_silhouettes(cluster, lazy, clustered, metric, monkeypatch):
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    arrays = lazy(X, UNEVEN), lazy(labels, 211)
    expected = gm.silhouette_samples(X, labels, metric=metric, noise_label=-1)
    found = lazily.silhouette_samples(*arrays, metric=metric, noise_label=-1, client=cluster)
    np.testing.assert_allclose(found.compute(), expected, rtol=0, atol=1e-10)
    score = lazily.silhouette_score(*arrays, metric=metric, noise_label=-1, client=cluster)
    np.testing.assert_allclose(score, np.nanmean(expected), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", sorted(set(lazily.__all__) - set(lazily.clustering.__all__)))
def test_labels(cluster, lazy, clustered, name):
    _, labels, other = clustered
    options = {"zero_division": 0.0} if name in {"f1_score", "jaccard_score", "precision_score", "recall_score"} else {}
    options |= {"beta": 2.0} if name == "fbeta_score" else {}
    options |= {"average": "macro"} if options else {}
    found = getattr(lazily, name)(lazy(labels, UNEVEN), lazy(other, 211), client=cluster, **options)
    np.testing.assert_array_equal(found, getattr(gm, name)(labels, other, **options))


def test_moments_and_estimates(cluster, lazy, clustered):
    X, labels, _ = clustered
    arrays = lazy(X, UNEVEN), lazy(labels, 211)
    for name in ("calinski_harabasz_score", "davies_bouldin_score"):
        np.testing.assert_allclose(getattr(gm, name)(*arrays), getattr(gm, name)(X, labels), rtol=1e-10)
    options = {"n_queries": 100, "random_state": 0}
    assert str(gm.silhouette_estimate(*arrays, **options)) == str(gm.silhouette_estimate(X, labels, **options))


def test_large_arguments_are_sent_ahead(cluster, lazy, clustered, monkeypatch):
    monkeypatch.setattr(blocks, "SCATTERED", 1)
    X, labels, _ = clustered
    arrays = lazy(X), lazy(labels)
    for metric in ("euclidean", "cosine"):
        expected = gm.silhouette_samples(X, labels, metric=metric)
        found = gm.silhouette_samples(*arrays, metric=metric).compute()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(gm.davies_bouldin_score(*arrays), gm.davies_bouldin_score(X, labels), rtol=1e-10)


def test_another_scheduler_beside_a_client(cluster, lazy, clustered):
    import dask

    X, labels, _ = clustered
    with dask.config.set(scheduler="synchronous"):
        found = gm.davies_bouldin_score(lazy(X), lazy(labels))
    np.testing.assert_allclose(found, gm.davies_bouldin_score(X, labels), rtol=1e-10)


def test_errors_name_the_row(cluster, lazy, clustered):
    X, labels, _ = clustered
    X[700, 3] = np.nan
    for metric in ("euclidean", "cosine"):
        with pytest.raises(ValueError, match=r"nan at row 700, column 3\.$"):
            gm.silhouette_score(lazy(X), lazy(labels), metric=metric)


def _slow(block):
    time.sleep(0.05)
    return block


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_worker_dies(metric, clustered, lazy, monkeypatch):
    """The graph is computed again, and the answer is the same to the bit."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    slow = lazy(X, 50).map_blocks(_slow, dtype=X.dtype, meta=np.empty((0, 0)))
    expected = gm.silhouette_score(X, labels, metric=metric)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as running,
        distributed.Client(running) as client,
    ):
        later = lazily.silhouette_score(slow, lazy(labels, 50), metric=metric, client=client, compute=False)
        future = client.compute(later)
        time.sleep(0.5)
        assert not future.done()
        process = next(iter(client.run(os.getpid).values()))
        os.kill(process, signal.SIGKILL)
        np.testing.assert_allclose(future.result(timeout=120), expected, rtol=0, atol=1e-10)
