"""Sums of distances over cells, and the silhouettes that come from them, on every backend."""

import numpy as np
import pytest
from cell_cases import bands_of, celled, check_sums, every_cell, joined, over_cells
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

import gpumetrics as gm
from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering import shared_silhouettes

DTYPES = [np.float32, np.float64]
SIZES = [1, 3, 70, 2, 2, 1, 41, 13, *[1] * 9]
VARIANCES = np.array([0.5, 1, 2, 4.0])
FORM = np.array([[2, 1, 0, 0], [1, 3, 0, 0], [0, 0, 1, 0.5], [0, 0, 0.5, 1]])


def haversine(A):
    half = np.sin((A[:, None] - A) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(half[..., 0] + np.cos(A[:, :1]) * np.cos(A[:, 0]) * half[..., 1]))


# Name -> keywords, and what is done to the rows.
METRICS = {
    "manhattan": ({}, lambda X: X),
    "chebyshev": ({}, lambda X: X),
    "minkowski": ({"p": 3, "w": VARIANCES}, lambda X: X),
    "seuclidean": ({"V": VARIANCES}, lambda X: X),
    "mahalanobis": ({"VI": FORM}, lambda X: X),
    "canberra": ({}, lambda X: X - 30),
    "braycurtis": ({}, lambda X: X),
    "hamming": ({}, np.round),
    "haversine": ({}, lambda X: (X[:, :2] - 30) / 5),
    **{
        name: ({}, lambda X: X > 30)
        for name in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
    },
}


@pytest.fixture
def here(backend):
    """A function that puts an array where the backend computes."""
    if backend == "numpy":
        return lambda array: array
    import cupy

    return cupy.asarray


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("d", [1, 2, 17, 40])
def test_euclidean(here, d, dtype):
    X, codes = celled(SIZES, d, dtype)
    wide = X.astype(np.float64)
    for table in (here(X), X):
        check_sums(joined(bands_of(table, here(codes), "euclidean")), over_cells(cdist(wide, wide), codes), dtype)


@pytest.mark.parametrize("name", METRICS)
def test_metrics(here, name):
    keywords, change = METRICS[name]
    X, codes = celled(SIZES, 4)
    X = change(X)
    scipy_name = {"manhattan": "cityblock"}.get(name, name)
    distances = haversine(X) if name == "haversine" else cdist(X, X, scipy_name, **keywords)
    np.fill_diagonal(distances, 0)
    check_sums(joined(bands_of(here(X), here(codes), (name, keywords))), over_cells(distances, codes))


@pytest.mark.parametrize("place", ["there", "host", "sparse"])
def test_a_matrix_that_is_not_symmetric(here, backend, place):
    if (backend, place) == ("numpy", "sparse"):
        pytest.skip("labelings do not share a sparse matrix of distances")
    X, codes = celled(SIZES, 3)
    distances = cdist(X, X) + np.triu(np.ones((len(X), len(X))), 1)
    table = {"there": here, "host": np.asarray, "sparse": sparse.csr_array}[place](distances)
    check_sums(joined(bands_of(table, here(codes), "precomputed")), over_cells(distances, codes))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric", ["euclidean", "chebyshev"])
def test_queries(here, metric, dtype):
    X, codes = celled(SIZES, 20, dtype)
    n, wide = len(codes), X.astype(np.float64)
    expected = over_cells(cdist(wide, wide, metric), codes)
    for queries in (np.arange(n)[::-1], np.array([n - 1, 0, n // 2] * 13), np.array([n // 3])):
        got = joined(bands_of(here(X), here(codes), metric, here(queries)))
        check_sums(got, expected[queries], dtype)


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_bands(here, dtype, asked):
    """Little memory: several bands, each of half of it at most."""
    memory = 0.5
    X, codes = celled([5] * 340, 6, dtype)
    wide, queries = X.astype(np.float64), here(np.arange(0, 1700, 2)) if asked else None
    with gm.config_context(working_memory=memory):
        bands = bands_of(here(X), here(codes), "euclidean", queries)
    assert len(bands) >= 3
    assert all(sums.nbytes <= memory * 2**19 for _, sums in bands)
    expected = over_cells(cdist(wide, wide), codes)
    check_sums(joined(bands), expected[::2] if asked else expected, dtype)


@pytest.mark.parametrize("memory", [1024, 0.3])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_the_same_bits_every_time(here, metric, memory):
    X, codes = celled([7] * 90 + [100, 1], 18, np.float32)
    table, cells = here(X), here(codes)
    with gm.config_context(working_memory=memory):
        first = joined(bands_of(table, cells, metric))
        for _ in range(3):
            assert_array_equal(joined(bands_of(table, cells, metric)), first)


@pytest.mark.parametrize("rows", [slice(None), slice(3, 50), slice(7, 8)])
def test_means_over_clusters_made_of_cells(here, rng, rows):
    sums = rng.random((40, 60)).T  # by columns, as a GPU has them
    clusters = [[3, 0], [5], list(range(8, 40)), [7, 1, 3]]
    sizes = np.array([5, 2, 300, 7])
    cells, bounds = np.concatenate(clusters), np.concatenate([[0], np.cumsum([len(cells) for cells in clusters])])
    there = here(sums.T.copy()).T
    merge = operations_on(there).means_merger(here(cells), here(bounds), sizes, 40)
    expected = [sums[rows, cells].sum(axis=1) / size for cells, size in zip(clusters, sizes, strict=True)]
    assert_allclose(as_host(merge(there[rows])), expected, rtol=1e-14)


# ---------------------------------------------------------------------------------------------
# Silhouettes of labelings that share the sums


@pytest.fixture
def all_share(monkeypatch):
    """All labelings share their cells, whatever that costs."""
    monkeypatch.setattr(shared_silhouettes, "plan", every_cell)


def labelings_of(codes):
    """Some nested, some not; with noise, with singletons, with clusters of all sizes."""
    rng = np.random.default_rng(3)
    n = len(codes)
    noisy = np.where(rng.random(n) < 0.2, -1, codes % 4)
    single = codes % 3
    single[[1, 5]] = 100, 101
    all_but_one = np.full(n, 7)
    all_but_one[3] = 2
    return [codes, codes // 3, noisy, single, all_but_one, rng.integers(0, 5, n), rng.integers(0, n // 2, n)]


@pytest.mark.usefixtures("all_share")
@pytest.mark.parametrize("memory", [1024, 0.15])
@pytest.mark.parametrize("place", ["there", "host"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_silhouettes(here, metric, place, memory):
    X, codes = celled(SIZES, 19)
    if metric == "precomputed":
        X = cdist(X, X)
    labelings = labelings_of(codes)
    table = here(X) if place == "there" else X
    options = {"metric": metric, "noise_label": -1}
    expected = [gm.silhouette_score(X, labels, **options) for labels in labelings]
    with gm.config_context(working_memory=memory):
        scores = gm.silhouette_scores(table, labelings, **options)
        samples = gm.silhouette_samples_many(table, labelings, **options)
    assert type(scores) is np.ndarray
    assert type(samples) is type(table)
    assert_allclose(scores, expected, rtol=0, atol=1e-12)
    each = [gm.silhouette_samples(X, labels, **options) for labels in labelings]
    assert_allclose(as_host(samples), each, rtol=0, atol=1e-12)


@pytest.mark.usefixtures("all_share")
def test_silhouettes_in_single_precision(here):
    X, codes = celled(SIZES, 19, np.float32)
    labelings = labelings_of(codes)
    expected = [gm.silhouette_score(X.astype(np.float64), labels, noise_label=-1) for labels in labelings]
    assert_allclose(gm.silhouette_scores(here(X), labelings, noise_label=-1), expected, rtol=0, atol=1e-6)
