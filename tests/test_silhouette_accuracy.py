"""The promise: within 1e-6 (float32 input) and 1e-10 (float64) of the definition, on hostile data."""

import definitions
import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.backends.tiling import TILE

pytestmark = pytest.mark.usefixtures("backend")
TOLERANCE = {"float32": 1e-6, "float64": 1e-10}
both = pytest.mark.parametrize("dtype", ["float32", "float64"])


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def holds(X, labels, metric="euclidean", **config):
    """The bar itself: absolute, on every single row."""
    with gm.config_context(**config):
        s = gm.silhouette_samples(X, labels, metric=metric)
    expected = definitions.silhouette_samples(X, labels, metric)
    assert_allclose(s, expected, rtol=0, atol=TOLERANCE[X.dtype.name])


@both
@pytest.mark.parametrize("d", [1, 2, 3, 16, 17, 64])
def test_plain_blobs(dtype, d):
    X, labels = inputs.blobs(0, n=700, d=d, k=7)
    holds(X.astype(dtype), labels)


@pytest.mark.parametrize("d", [2, 16, 40])
@pytest.mark.parametrize(("dtype", "offset"), [("float64", 1e8), ("float32", 1e4)])
def test_offset(dtype, offset, d):
    X, labels = inputs.blobs(1, n=700, d=d, k=7)
    holds((X + offset).astype(dtype), labels)
    holds((X + offset * np.arange(1, d + 1)).astype(dtype), labels)


def test_offset_of_int64():
    X, labels = inputs.blobs(1, n=300, d=3)
    X = np.round(X * 50).astype(np.int64)
    expected = definitions.silhouette_samples(X, labels)
    assert_allclose(gm.silhouette_samples(X + 10**18, labels), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("d", [2, 16, 64])
@both
def test_tight_clusters_near_each_other_and_one_far_away(dtype, d):
    X = np.concatenate([normal(2, 200, d), normal(3, 200, d), normal(4, 200, d)]) * 1e-4
    X[200:400, 0] += 1e-3
    X[400:, -1] += 1e3
    holds(X.astype(dtype), np.repeat([0, 1, 2], 200))
    holds(X.astype(dtype)[::-1], np.repeat([0, 1, 2], 200))


@pytest.mark.parametrize("d", [2, 64])
@both
def test_tight_pairs_far_from_each_other(dtype, d):
    """Every cluster is one near-duplicate pair or triple, at 1e-5 of the spread of the data."""
    centers = normal(5, 60, d) * 100
    labels = np.repeat(np.arange(30), 10)
    X = centers[np.repeat(np.arange(60), 5)] + normal(6, 300, d) * 1e-3
    holds(X.astype(dtype), labels)


@pytest.mark.parametrize("d", [2, 32])
@pytest.mark.parametrize("scale", [1e160, 1e-160, 1e300, 1e-300])
def test_scale(scale, d):
    X, labels = inputs.blobs(7, n=400, d=d, k=5)
    holds(X * scale, labels)
    holds((X + 1e8) * scale, labels)


@pytest.mark.parametrize("scale", [1e18, 1e-18, 1e30, 1e-30])
def test_scale_of_float32(scale):
    X, labels = inputs.blobs(7, n=400, d=8, k=5)
    holds((X * scale).astype(np.float32), labels)


def test_mixed_scales():
    X, labels = inputs.blobs(8, n=400, d=4, k=4)
    holds(X * [1e150, 1, 1e-150, 0], labels)
    X[labels == 0] *= 1e12
    holds(X, labels)


def unit(X, dtype):
    """Rows of length one, as stored."""
    X = X.astype(dtype)
    return X / np.linalg.norm(X, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [8, 64])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@both
def test_unit_rows_that_are_nearly_the_same(dtype, metric, d):
    """Near-duplicate texts: embeddings of length one that differ by rounding or a little more."""
    texts = normal(9, 40, d)
    labels = np.repeat(np.arange(8), 50)
    X = np.repeat(texts, 10, axis=0) + normal(10, 400, d) * {"float32": 1e-3, "float64": 1e-4}[dtype]
    holds(unit(X, dtype), labels, metric)


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean", "manhattan"])
@both
def test_exact_duplicates(dtype, metric):
    X = unit(normal(11, 50, 12), dtype)[np.random.default_rng(1).integers(0, 50, 400)]
    holds(X, np.random.default_rng(2).integers(0, 6, 400), metric)
    few = X[:3][np.arange(400) % 3]
    holds(few, np.arange(400) % 3, metric)  # every cluster is one point: all ones
    assert_array_equal(gm.silhouette_samples(few, np.arange(400) % 3, metric=metric), 1.0)


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "manhattan"])
@both
def test_closed_forms_on_hostile_data(dtype, metric):
    X, labels = inputs.blobs(12, n=500, d=6, k=5)
    holds(X.astype(dtype), labels, metric)
    # Rows far from the origin are nearly parallel: at 1e8 float64 itself cannot tell their directions.
    offset = 1e4 if metric == "cosine" or dtype == "float32" else 1e8
    holds((X + offset).astype(dtype), labels, metric)
    tight = np.concatenate([normal(13, 200, 6), normal(14, 200, 6), normal(15, 100, 6)]) * 1e-4
    tight[200:400, 0] += 1e-3
    tight[400:, 1] += 1e3
    holds(tight.astype(dtype), np.repeat([0, 1, 2], [200, 200, 100]), metric)
    tight += 1
    holds(tight.astype(dtype), np.repeat([0, 1, 2], [200, 200, 100]), metric)


SIZES = [
    [TILE - 1, TILE, TILE + 1],
    [2 * TILE + 30, 100],
    [1, TILE - 1, 1, TILE + 1, 2],
    [TILE] * 3,
    [TILE // 2 + 1, TILE // 2 - 1, 2 * TILE],
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@both
def test_sizes_around_the_borders_of_tiles(dtype, sizes):
    labels = np.random.default_rng(3).permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = normal(16, len(labels), 20) + normal(17, len(sizes), 20)[labels]
    holds(X.astype(dtype), labels)
    holds(X[:, :3].astype(dtype), labels)


@pytest.mark.parametrize("d", [3, 24])
@both
def test_very_many_clusters(dtype, d):
    X = normal(18, 1200, d).astype(dtype)
    holds(X, np.arange(1200) // 2)  # k = n/2
    holds(X, np.random.default_rng(4).permutation(1200) // 2)
    holds(X, np.maximum(np.arange(1200) - 2, 0))  # all singletons but one cluster of three
    holds(X, np.random.default_rng(5).integers(0, 300, 1200))  # hundreds of tiny ones
    holds(X, np.where(np.arange(1200) < 900, 0, np.arange(1200)))  # one large, and singletons


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "chebyshev"])
@pytest.mark.parametrize("working_memory", [0.1, 1, 16, 1024])
@both
def test_working_memory_does_not_show(dtype, working_memory, metric):
    X, labels = inputs.blobs(19, n=1100, d=5, k=9)
    X = X.astype(dtype)
    holds(X, labels, metric, working_memory=working_memory)
    holds(X, np.arange(1100) // 2, metric, working_memory=working_memory)


OWN_PATHS = ["euclidean", "cosine", "correlation", "sqeuclidean", "manhattan", "chebyshev"]


@pytest.mark.parametrize("metric", OWN_PATHS)
@both
def test_the_same_bits_every_time(dtype, metric):
    X, labels = inputs.blobs(20, n=1300, d=33, k=6)
    X = X.astype(dtype)
    first = gm.silhouette_samples(X, labels, metric=metric)
    for _ in range(3):
        assert_array_equal(gm.silhouette_samples(X, labels, metric=metric), first)


@both
def test_one_dimension_and_two_rows_per_cluster(dtype):
    holds(np.arange(5, dtype=dtype)[:, None], np.array([0, 0, 1, 1, 2]))
    holds(np.array([[0], [0], [1]], dtype=dtype), np.array([0, 0, 1]))


@both
def test_constant_columns_and_a_constant_table(dtype):
    X, labels = inputs.blobs(21, n=200, d=3)
    holds(np.hstack([X, np.full((200, 2), 7.25)]).astype(dtype), labels)
    constant = np.full((200, 3), 0.1, dtype=dtype)
    assert_array_equal(gm.silhouette_samples(constant, labels), 0.0)
