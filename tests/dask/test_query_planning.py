"""Dask's arrays have two kinds of graphs; the choice is made when `dask.array` is imported, so each has its process."""

import os
import subprocess
import sys

import pytest

CODE = """
import warnings
warnings.simplefilter("error")
import numpy as np, dask, dask.array as da
import gpumetrics as gm
from gpumetrics.dask import pairs

assert ("_array_expr" in da.Array.__module__) is {planning}
pairs.LEAST_ROWS = 1
rng = np.random.default_rng(1)
labels = rng.integers(4, size=300)
X = rng.normal(size=(300, 5)) + 3 * labels[:, None]
y = np.where(rng.random(300) < 0.8, labels, 0)
lazy_X, lazy_y = da.from_array(X, chunks=(70, 2)) + 0, da.from_array(y, chunks=90)
lazy_labels = da.from_array(labels, chunks=80)
with dask.config.set(scheduler="synchronous"):
    for name in ("calinski_harabasz_score", "davies_bouldin_score", "silhouette_score"):
        found, expected = (getattr(gm, name)(*pair) for pair in ((lazy_X, lazy_labels), (X, labels)))
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    for name, options in (("adjusted_rand_score", {{}}), ("f1_score", {{"average": "macro"}})):
        assert getattr(gm, name)(lazy_labels, lazy_y, **options) == getattr(gm, name)(labels, y, **options)
    samples = gm.silhouette_samples(lazy_X, lazy_labels, metric="cosine")
    np.testing.assert_allclose(samples.compute(), gm.silhouette_samples(X, labels, metric="cosine"), atol=1e-10)
    options = {{"n_queries": 50, "random_state": 0}}
    found = gm.silhouette_estimate(lazy_X, lazy_labels, **options)
    assert str(found) == str(gm.silhouette_estimate(X, labels, **options))
    try:
        samples = gm.silhouette_samples(lazy_X, lazy_labels)
        assert not {planning}
        np.testing.assert_allclose(samples.compute(), gm.silhouette_samples(X, labels), atol=1e-10)
    except TypeError as error:
        assert {planning} and "without query planning" in str(error)
"""


@pytest.mark.parametrize("planning", [True, False])
def test_both(planning):
    environment = os.environ | {"DASK_ARRAY__QUERY_PLANNING": str(planning)}
    subprocess.run([sys.executable, "-c", CODE.format(planning=planning)], check=True, env=environment)
