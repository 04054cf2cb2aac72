"""Estimates of silhouettes on Dask: the rows of one machine are asked, and say the same."""

import numpy as np
import pytest
from dask_cases import UNEVEN

import gpumetrics as gm

CASES = [
    {},
    {"stratify": False},
    {"noise_label": -1},
    {"metric": "manhattan"},
    {"metric": "cosine"},
    {"tol": 0.05, "n_queries": 40},
    {"n_queries": 900},
    {"n_queries": 900, "metric": "cosine", "noise_label": -1},
]


@pytest.mark.parametrize("options", CASES)
def test_same_as_in_memory(lazy, clustered, options):
    X, labels, _ = clustered
    options = {"n_queries": 120, "random_state": 5} | options
    found = gm.silhouette_estimate(lazy(X, UNEVEN), lazy(labels, 211), **options)
    expected = gm.silhouette_estimate(X, labels, **options)
    assert str(found) == str(expected)
    np.testing.assert_allclose(
        [found.value, found.stderr, *found.interval], [expected.value, expected.stderr, *expected.interval], atol=1e-10
    )
    for name, column in expected.per_cluster.items():
        np.testing.assert_allclose(found.per_cluster[name], column, atol=1e-10)


def test_refused(lazy, clustered):
    X, labels, other = clustered
    X, labels = lazy(X), lazy(labels)
    with pytest.raises(TypeError, match='references="pps" is not computed on Dask'):
        gm.silhouette_estimate(X, labels, references="pps")
    with pytest.raises(TypeError, match="arrays in memory only"):
        gm.silhouette_estimate(X, {"one": labels, "other": other})
