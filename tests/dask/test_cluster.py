"""On a cluster of two worker processes, with data of many blocks; and what a worker that dies changes: nothing."""

import contextlib
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from dask_cases import UNEVEN, slow

import gpumetrics as gm
from gpumetrics import dask as lazily
from gpumetrics.dask import pairs, tasks

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
    monkeypatch.setattr(tasks, "SCATTERED", 1)
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


def test_a_client_that_is_given_computes_everything(cluster, lazy, clustered):
    """Whatever Dask is set to: also the counting of partitions, and of chunks of unknown size."""
    import dask
    import dask.dataframe as dd
    import pandas as pd

    X, labels, _ = clustered
    expected = gm.silhouette_score(X, labels)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("pqrstu")), npartitions=3)
    filtered = lazy(X)[lazy(labels) > -2], lazy(labels)[lazy(labels) > -2]
    with dask.config.set(scheduler=lambda *_, **__: pytest.fail("computed elsewhere")):
        for table in (lazy(X), frame):
            found = lazily.silhouette_score(table, lazy(labels), client=cluster)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
        with pytest.warns(UserWarning, match="unknown size"):
            found = lazily.silhouette_score(*filtered, client=cluster)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_errors_name_the_row(cluster, lazy, clustered):
    X, labels, _ = clustered
    X[700, 3] = np.nan
    for metric in ("euclidean", "cosine"):
        with pytest.raises(ValueError, match=r"nan at row 700, column 3\.$"):
            gm.silhouette_score(lazy(X), lazy(labels), metric=metric)


@contextlib.contextmanager
def _worker_processes(scheduler, n_workers):
    """Workers without a nanny: one that is killed stays dead, and nothing is restarted while the cluster closes."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, "--no-nanny", "--nthreads", "1"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) for _ in range(n_workers)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_worker_dies(metric, clustered, lazy, monkeypatch):
    """The graph is computed again, and the answer is the same to the bit."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    slowly = lazy(X, 50).map_blocks(slow, dtype=X.dtype, meta=np.empty((0, 0)))
    expected = gm.silhouette_score(X, labels, metric=metric)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as running,
        distributed.Client(running) as client,
        _worker_processes(running.scheduler_address, 2) as processes,
    ):
        client.wait_for_workers(2, timeout=60)
        later = lazily.silhouette_score(slowly, lazy(labels, 50), metric=metric, client=client, compute=False)
        future = client.compute(later)
        time.sleep(0.5)
        assert not future.done()
        processes[0].kill()
        np.testing.assert_allclose(future.result(timeout=120), expected, rtol=0, atol=1e-10)
        assert len(client.scheduler_info()["workers"]) == 1
