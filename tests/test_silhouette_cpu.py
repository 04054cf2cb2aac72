"""What only the CPU's silhouettes do: tiles computed again in float64, sparse rows as they are, memory, threads."""

import numpy as np
from definitions import silhouettes_from
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist

import gpumetrics as gm
from gpumetrics.backends import numpy_euclidean

SINGLE, DOUBLE = 1e-6, 1e-10


def definition(X, labels):
    """Silhouettes from direct differences in float64."""
    rows = np.asarray(X, dtype=np.float64)
    return silhouettes_from(cdist(rows, rows), labels)


def test_a_doubtful_tile_is_computed_again(rng, monkeypatch):
    again, n, d = [], 1300, 200
    original = numpy_euclidean.EuclideanTiles.again
    monkeypatch.setattr(
        numpy_euclidean.EuclideanTiles, "again", lambda self, i, j: again.append((i, j)) or original(self, i, j)
    )
    centres = 50 + np.repeat([[-100.0], [0.0], [0.3]], [500, 400, 400], axis=0)
    X = (rng.normal(size=(n, d)) + centres).astype(np.float32)
    labels = np.repeat([0, 1, 2], [500, 400, 400])
    assert_allclose(gm.silhouette_samples(X, labels), definition(X, labels), atol=SINGLE, rtol=0)
    assert again


def test_sparse_manhattan_is_not_densified(rng):
    X = sparse.random(300, 200_000, density=1e-4, format="csr", random_state=0)
    labels = np.arange(300) % 3
    got = gm.silhouette_samples(X, labels, metric="manhattan")
    used = np.flatnonzero(X.getnnz(axis=0))
    assert_allclose(got, gm.silhouette_samples(X[:, used].toarray(), labels, metric="manhattan"), atol=DOUBLE)


def test_wide_rows_stay_within_memory(rng):
    import tracemalloc

    X = rng.normal(size=(300, 40_000)).astype(np.float32)
    labels = np.arange(300) % 3
    with gm.config_context(working_memory=16):
        tracemalloc.start()
        got = gm.silhouette_samples(X, labels)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 64 * 2**20
    assert_allclose(got, definition(X, labels), atol=SINGLE, rtol=0)


def test_a_fork_while_threads_work_starts_clean():
    from gpumetrics.backends import threads

    threads._blas_users = 3
    threads._forget_threads()
    assert threads._blas_users == 0


def test_a_large_cluster_in_one_tile_with_small_ones():
    """A tile of many clusters is summed by products in float32, which must not add up too many numbers."""
    sizes = [700] * 8 + [5] * 104
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = (rng.normal(size=(len(sizes), 16))[labels] + rng.normal(size=(len(labels), 16))).astype(np.float32)
    exact = gm.silhouette_samples(X.astype(np.float64), labels)
    assert_allclose(gm.silhouette_samples(X, labels), exact, rtol=0, atol=SINGLE)
