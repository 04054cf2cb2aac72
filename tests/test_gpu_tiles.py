"""Tiles of distances on a GPU, made small: every way in which clusters and tiles can cut each other."""

import contextlib

import definitions
import numpy as np
import pytest
from emulation import fake_cupy
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.clustering.silhouette import silhouettes_of
from gpumetrics.distance_metrics import check_metric

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("emulated")]

control = fake_cupy.control
ROWS = 32  # of the smallest tile

# Sizes of the clusters, for tiles of 32 rows.
SIZES = {
    "within one tile": [13, 7, 5],
    "ragged last tile": [101, 53, 21, 2],
    "over three tiles and more": [150, 97],
    "all but one row": [130, 1],
    "at the edges": [64, 32, 32, 32, 16, 16, 31, 1],
    "one beyond the edges": [65, 33, 33, 17, 16],
    "more clusters than rows of a tile": [3] * 20 + [2] * 20 + [1] * 11,
    "hundreds of tiny clusters": [2] * 60 + [1] * 140,
    "a tile and tiny clusters": [96, *[1] * 37],
    "two rows and one": [2, 1],
}
PATHS = {
    "euclidean, direct": (3, "euclidean"),
    "euclidean, product": (21, "euclidean"),
    "manhattan": (5, "manhattan"),
    "precomputed on the device": (3, "precomputed"),
    "precomputed on the host": (3, "precomputed"),
}
DTYPES = [np.float32, np.float64]
PROMISE = {np.float32: 1e-6, np.float64: 1e-10}


@pytest.fixture
def tiles_of(monkeypatch):
    """A function that sets the rows of a tile, and those of a chunk of its columns' sums."""
    from gpumetrics.backends import cupy_pairs

    def set_rows(rows, chunk=ROWS):
        monkeypatch.setattr(cupy_pairs, "MOST_ROWS", rows)
        monkeypatch.setattr(cupy_pairs, "FEWEST_ROWS", rows)
        monkeypatch.setattr(cupy_pairs, "CHUNK", chunk)

    return set_rows


def clustered(sizes, d, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = 2 * rng.standard_normal((len(sizes), d))[labels] + rng.standard_normal((len(labels), d))
    return X.astype(dtype), labels


def case(emulated, path, sizes, dtype):
    """What to pass, the labels, the metric, and the silhouettes by definition."""
    d, metric = PATHS[path]
    X, labels = clustered(sizes, d, dtype)
    if metric == "precomputed":
        X = definitions.distances(X)
        X += np.triu(X, 1) / 8  # distances need not be symmetric
        X = X.astype(dtype)
        expected = definitions.silhouettes_from(X, labels)
    else:
        expected = definitions.silhouette_samples(X, labels, metric)
    return X if "host" in path else emulated.asarray(X), labels, metric, expected


def samples(X, labels, metric):
    with gm.config_context(backend="cupy"):
        s = gm.silhouette_samples(X, labels, metric=metric)
    return s if type(s) is np.ndarray else s.get()


@pytest.mark.parametrize(("dtype", "rows"), [(np.float32, 96), (np.float64, ROWS)])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("path", PATHS)
def test_the_definition(emulated, tiles_of, path, sizes, dtype, rows):
    tiles_of(rows, chunk=24)
    X, labels, metric, expected = case(emulated, path, SIZES[sizes], dtype)
    assert_allclose(samples(X, labels, metric), expected, rtol=0, atol=PROMISE[dtype])


def test_the_tiles_are_many(emulated, tiles_of):
    tiles_of(ROWS)
    X, labels, metric, _ = case(emulated, "euclidean, product", SIZES["over three tiles and more"], np.float64)
    samples(X, labels, metric)
    # 150 = 5 pieces and 97 = 4 pieces: nine runs, each pair of them once, the diagonal for its rows only.
    assert control.launches["gram_row_sums<double>"] == 45
    assert control.launches["column_sums<double>"] == control.launches["fold_columns"] == 36


def test_a_tile_of_the_host_matrix_never_holds_more_than_its_rows(emulated, tiles_of):
    tiles_of(ROWS)
    X, labels, metric, _ = case(emulated, "precomputed on the host", SIZES["all but one row"], np.float64)
    with control.set(record=True):
        samples(X, labels, metric)
    assert max(nbytes for _, nbytes in control.allocations) < X.nbytes / 8


@pytest.mark.parametrize("chunk", [1, 7, 32, 1000])
@pytest.mark.parametrize("sizes", ["ragged last tile", "one beyond the edges", "a tile and tiny clusters"])
def test_chunks_of_any_length(emulated, tiles_of, sizes, chunk):
    tiles_of(64, chunk)
    X, labels, metric, expected = case(emulated, "euclidean, direct", SIZES[sizes], np.float64)
    assert_allclose(samples(X, labels, metric), expected, rtol=0, atol=1e-10)


# ---------------------------------------------------------------------------------------------
# Some rows against all


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", ["ragged last tile", "more clusters than rows of a tile", "all but one row"])
@pytest.mark.parametrize("path", PATHS)
def test_queries(emulated, tiles_of, path, sizes, dtype):
    tiles_of(ROWS, chunk=24)
    X, labels, metric, expected = case(emulated, path, SIZES[sizes], dtype)
    n = len(labels)
    for queries in (np.arange(n)[::-1], np.array([n - 1, 0, n // 2] * 13), np.array([n // 3])):
        got = queried(X, labels, metric, queries)
        assert_allclose(got.get(), expected[queries], rtol=0, atol=PROMISE[dtype])


def queried(X, labels, metric, queries):
    checked, _ = check_metric(metric, {}, "test")
    with gm.config_context(backend="cupy"):
        return silhouettes_of(check_clustered(X, labels, metric=checked), checked, queries=queries)


# ---------------------------------------------------------------------------------------------
# The same bits, and other tiles

MIXED = [67, 20, *[3] * 3, *[1] * 4]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("path", PATHS)
def test_the_same_bits_in_any_order(emulated, tiles_of, path, dtype):
    tiles_of(ROWS)
    X, labels, metric, _ = case(emulated, path, MIXED, dtype)
    queries = np.arange(0, len(labels), 5)
    first, first_queried = samples(X, labels, metric), queried(X, labels, metric, queries).get()
    for seed in (None, None, None, None, 1, 2, 3):
        with control.set(order_seed=seed):
            assert_array_equal(samples(X, labels, metric), first)
            assert_array_equal(queried(X, labels, metric, queries).get(), first_queried)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("path", PATHS)
def test_other_tiles_change_rounding_only(emulated, tiles_of, path, dtype):
    X, labels, metric, expected = case(emulated, path, MIXED, dtype)
    found = []
    for rows, chunk in ((32, 32), (64, 24), (96, 256), (1024, 256)):
        tiles_of(rows, chunk)
        found.append(samples(X, labels, metric))
        assert_allclose(found[-1], expected, rtol=0, atol=PROMISE[dtype])
    assert_allclose(found, np.broadcast_to(found[0], np.shape(found)), rtol=0, atol=PROMISE[dtype])


def test_tiles_follow_the_working_memory(emulated):
    X, labels, metric, expected = case(emulated, "euclidean, product", [200, 70, 17], np.float64)
    tiles = []
    for memory in (0.02, 0.2, 4):
        with gm.config_context(working_memory=memory):
            assert_allclose(samples(X, labels, metric), expected, rtol=0, atol=1e-10)
        tiles.append(control.launches.pop("gram_row_sums<double>"))
    assert tiles[0] == 66  # of 32 rows at most: 7 + 3 + 1 of them along a side
    assert tiles[1] < tiles[0]
    assert tiles[2] == 1


def test_rows_of_tiles_as_planned(emulated):
    from gpumetrics.backends import cupy_pairs

    n = 10**6
    for bytes_per_row in (64, 5_000, 200_000):
        with gm.config_context(working_memory=256):
            rows = cupy_pairs.tile_rows(bytes_per_row, 4, n)
        assert rows % 32 == 0
        assert rows * rows * (4 + 24 / cupy_pairs.CHUNK) + rows * bytes_per_row <= 256 * 2**20
    with gm.config_context(working_memory=10**9), control.set(device_bytes=2**42):
        assert cupy_pairs.tile_rows(64, 8, n) ** 2 < 2**31
        assert cupy_pairs.tile_rows(64, 8, 3_000) == cupy_pairs.FEWEST_ROWS


# ---------------------------------------------------------------------------------------------
# Every access to memory watched

KERNELS = {
    "euclidean, direct": "direct_row_sums<{}, Euclidean>",
    "euclidean, product": "gram_row_sums<{}>",
    "manhattan": "direct_row_sums<{}, Manhattan>",
    "precomputed on the device": "given_row_sums<double>",
    "precomputed on the host": "given_row_sums<double>",
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("path", PATHS)
def test_no_race_and_nothing_out_of_bounds(emulated, tiles_of, path, dtype):
    tiles_of(ROWS, chunk=24)
    X, labels, metric, expected = case(emulated, path, [37, 20, *[2] * 4, 1, 1], dtype)
    with watched():
        got = samples(X, labels, metric)
        some = queried(X, labels, metric, np.array([5, 40, 5]))
    assert_allclose(got, expected, rtol=0, atol=PROMISE[dtype])
    assert_allclose(some.get(), expected[[5, 40, 5]], rtol=0, atol=PROMISE[dtype])
    name = {np.float32: "float", np.float64: "double"}[dtype]
    assert control.launches[KERNELS[path].format(name)]
    assert (control.launches[f"column_sums<{name}>"] > 0) == (metric != "precomputed")


@contextlib.contextmanager
def watched():
    """Kernels compiled anew, with each access checked; and compiled as they were afterwards."""
    from gpumetrics.backends import cupy_kernels

    cupy_kernels._functions.clear()
    with control.set(check=True):
        yield
    cupy_kernels._functions.clear()
