"""Sums over cells on a GPU, by tiles and bands made small: every way in which cells, tiles and bands cut each other."""

import contextlib
import gc

import definitions
import numpy as np
import pytest
from cell_cases import PROMISE, arguments_of, bands_of, celled, check_sums, every_cell, joined, over_cells, yielded
from emulation import fake_cupy
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

import gpumetrics as gm

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("emulated")]

control = fake_cupy.control
ROWS = 32  # of the smallest tile
MIB = 2**20

# Sizes of the cells, for tiles of 32 rows.
SIZES = {
    "one row": [1],
    "one cell": [40],
    "within one tile": [7, 13, 5],
    "over three tiles and more": [150, 3, 97, 1, 1],
    "at the edges": [32, 64, 16, 16, 32, 31, 1, 32],
    "one beyond the edges": [33, 65, 17, 16, 33],
    "tens in ten": [10] * 13,
    "hundreds of tiny cells": [2, 1, 1] * 50,
    "tiny cells and large ones": [1, 3, 70, 2, 2, 1, 41, *[1] * 20],
}
MIXED = SIZES["tiny cells and large ones"]
PATHS = {
    "euclidean, direct": (3, "euclidean"),
    "euclidean, product": (21, "euclidean"),
    "manhattan": (5, "manhattan"),
    "precomputed": (3, "precomputed"),
}
PLACES = ["device", "host"]
DTYPES = [np.float32, np.float64]


@pytest.fixture
def cut(monkeypatch):
    """A function that sets the rows of a tile, of a chunk of its columns, and of a band."""
    from gpumetrics.backends import cupy_cells

    def set_rows(rows=ROWS, chunk=24, band=10**6):
        monkeypatch.setattr(cupy_cells, "tile_rows", lambda *_, **__: rows)
        monkeypatch.setattr(cupy_cells, "CHUNK", chunk)
        monkeypatch.setattr(cupy_cells, "band_rows", lambda _: band)

    return set_rows


@pytest.fixture
def tries(monkeypatch):
    """The rows of a tile that were tried, one list for each band."""
    from gpumetrics.backends import cupy_cells, cupy_memory

    seen = []

    def noted(work, rows, what):
        seen.append([])

        def counted(rows):
            seen[-1].append(rows)
            return work(rows)

        return cupy_memory.with_smaller_blocks(counted, rows, what)

    monkeypatch.setattr(cupy_cells, "with_smaller_blocks", noted)
    return seen


def case(path, sizes, dtype=np.float64):
    """The table, the cells, the metric, and the sums by definition."""
    d, metric = PATHS[path]
    X, codes = celled(sizes, d, dtype)
    if metric == "precomputed":
        X = definitions.distances(X.astype(np.float64))
        X += np.triu(X, 1) / 8  # distances need not be symmetric
        X = X.astype(dtype)
        return X, codes, metric, over_cells(X, codes)
    wide = X.astype(np.float64)
    return X, codes, metric, over_cells(cdist(wide, wide, {"manhattan": "cityblock"}.get(metric, metric)), codes)


def bands_at(emulated, X, codes, metric, *, queries=None, place="device"):
    table = emulated.asarray(X) if place == "device" else X
    return bands_of(table, emulated.asarray(codes), metric, None if queries is None else emulated.asarray(queries))


def sums_of(*arguments, **options):
    return joined(bands_at(*arguments, **options))


@pytest.mark.parametrize(("dtype", "rows", "band"), [(np.float32, 96, 100), (np.float64, ROWS, 10**6)])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("path", PATHS)
def test_the_definition(emulated, cut, path, sizes, dtype, rows, band):
    cut(rows, band=band)
    X, codes, metric, expected = case(path, SIZES[sizes], dtype)
    check_sums(sums_of(emulated, X, codes, metric), expected, dtype)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("band", [1, 17, 31, 32, 33, 50, 65, 100, 139, 1000])
@pytest.mark.parametrize("path", PATHS)
def test_bands_of_any_length(emulated, cut, path, band, place):
    cut(band=band)
    X, codes, metric, expected = case(path, MIXED)
    bands = bands_at(emulated, X, codes, metric, place=place)
    assert all(0 < len(rows) <= band for rows, _ in bands)
    check_sums(joined(bands), expected)


@pytest.mark.parametrize("chunk", [1, 7, 32, 1000])
@pytest.mark.parametrize("sizes", SIZES)
def test_chunks_of_any_length(emulated, cut, sizes, chunk):
    cut(64, chunk)
    X, codes, metric, expected = case("euclidean, direct", SIZES[sizes])
    check_sums(sums_of(emulated, X, codes, metric), expected)


@pytest.mark.parametrize("band", [20, 50, 1000])
@pytest.mark.parametrize("path", PATHS)
def test_queries(emulated, cut, path, band):
    cut(band=band)
    X, codes, metric, expected = case(path, MIXED)
    n = len(codes)
    for queries in (np.arange(n)[::-1], np.array([n - 1, 0, n // 2] * 23), np.array([n // 3])):
        bands = bands_at(emulated, X, codes, metric, queries=queries)
        assert_array_equal(np.concatenate([rows for rows, _ in bands]), np.arange(len(queries)))
        check_sums(joined(bands), expected[queries])


# ---------------------------------------------------------------------------------------------
# How much is computed


@pytest.mark.parametrize(
    ("band", "tiles", "mirrored"),
    [
        (1000, 45, 36),  # 150 and 97 rows are 5 and 4 pieces: each pair of the nine runs once
        (150, 20 + 5 * 4 + 10 - 5 + 4 * 5, 10 + 6),  # the pieces of a cell are a band
        (64, 9 * 9 - 4, 4),  # two runs make a band
        (31, 8 * 9, 0),
    ],
)
def test_tiles_of_a_band_serve_both_sides(emulated, cut, band, tiles, mirrored):
    cut(band=band)
    X, codes, metric, expected = case("euclidean, product", [150, 97])
    check_sums(sums_of(emulated, X, codes, metric), expected)
    assert control.launches["gram_cell_sums<double>"] == tiles
    assert control.launches["column_cell_sums<double>"] == control.launches["fold_cell_sums"] == mirrored


def test_distances_that_serve_one_side_are_not_written(emulated, cut, monkeypatch):
    from gpumetrics.backends.cupy_tiles import DirectTiles

    tiles = []
    sum_rows = DirectTiles.sum_rows

    def filled_before(self, left, right, *rest):
        self.workspace.flat[0].fill(-1)
        tiles.append(sum_rows(self, left, right, *rest).get())
        return sum_rows(self, left, right, *rest)

    monkeypatch.setattr(DirectTiles, "sum_rows", filled_before)
    cut(band=31)
    X, codes, metric, _ = case("euclidean, direct", [40])
    sums_of(emulated, X, codes, metric)
    assert all((tile == -1).all() for tile in tiles)
    assert len(tiles) == 4


def test_a_band_is_written_over_by_the_next(emulated, cut):
    """And memory is that of one."""
    from gpumetrics.backends import cupy_ops

    cut(band=50)
    X, codes, metric, _ = case("euclidean, direct", MIXED)
    where = set()
    for _, sums in cupy_ops.cell_sums(*arguments_of(emulated.asarray(X), emulated.asarray(codes), metric)):
        where.add(sums.data.ptr)
        sums[...] = np.nan  # it may be written to
    assert len(where) == 1


# ---------------------------------------------------------------------------------------------
# The same bits, other tiles, and no access out of place


@pytest.mark.parametrize("band", [50, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("path", PATHS)
def test_the_same_bits_in_any_order(emulated, cut, path, dtype, band):
    cut(band=band)
    X, codes, metric, _ = case(path, [67, 20, *[3] * 3, *[1] * 4], dtype)
    first = sums_of(emulated, X, codes, metric)
    for seed in (None, None, 1, 2, 3):
        with control.set(order_seed=seed):
            assert_array_equal(sums_of(emulated, X, codes, metric), first)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("path", PATHS)
def test_other_tiles_change_rounding_only(emulated, cut, path, dtype):
    X, codes, metric, _ = case(path, MIXED, dtype)
    found = []
    for rows, chunk, band in ((32, 32, 1000), (64, 24, 70), (96, 256, 1000), (1024, 256, 30)):
        cut(rows, chunk, band)
        found.append(sums_of(emulated, X, codes, metric))
    assert_allclose(found, np.broadcast_to(found[0], np.shape(found)), rtol=PROMISE[dtype], atol=PROMISE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("path", PATHS)
def test_no_race_and_nothing_out_of_bounds(emulated, cut, path, dtype):
    X, codes, metric, expected = case(path, [37, 20, *[2] * 4, 1, 1], dtype)
    with watched():
        for band in (20, 45, 1000):
            cut(band=band)
            check_sums(sums_of(emulated, X, codes, metric), expected, dtype)
        some = np.array([5, 40, 5])
        check_sums(sums_of(emulated, X, codes, metric, queries=some), expected[some], dtype)
    name = {np.float32: "float", np.float64: "double"}[dtype]
    assert (control.launches[f"column_cell_sums<{name}>"] > 0) == (metric != "precomputed")


@contextlib.contextmanager
def watched():
    """Kernels compiled anew, with each access checked; and compiled as they were afterwards."""
    from gpumetrics.backends import cupy_kernels

    cupy_kernels._functions.clear()
    with control.set(check=True):
        yield
    cupy_kernels._functions.clear()


# ---------------------------------------------------------------------------------------------
# Memory


def used(emulated):
    return emulated.get_default_memory_pool().used_bytes()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", PATHS)
def test_any_large_allocation_may_fail(emulated, cut, tries, path, place):
    X, codes, metric, expected = case(path, [150, 3, 97, *[1] * 20])
    cells = emulated.asarray(codes)
    arguments = arguments_of(emulated.asarray(X) if place == "device" else X, cells, metric)
    cut(64, band=100)
    gc.collect()
    before = used(emulated)
    for number in range(1, 12):
        control.fail_allocation(number=number, above=8 * 270 * 8)  # more than vectors as long as n
        check_sums(joined(yielded(cells, arguments)), expected)
        control._failures.clear()
        gc.collect()
        assert used(emulated) == before
    assert max(map(len, tries)) > 1


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("path", PATHS)
def test_a_band_that_fails_amid_its_tiles_begins_again(emulated, cut, tries, monkeypatch, path, failing):
    """With smaller tiles, whose runs begin elsewhere."""
    from gpumetrics.backends import cupy_cells

    X, codes, metric, expected = case(path, [150, 23, 41, 60, *[1] * 9])
    cut(64, band=90)
    tile, launched = cupy_cells._Bands._tile, []

    def fails(self, *arguments):
        launched.append(len(tries))
        if launched.count(failing + 1) == 3 and len(tries[-1]) == 1:
            raise emulated.cuda.memory.OutOfMemoryError(10**9, 10**6)
        return tile(self, *arguments)

    monkeypatch.setattr(cupy_cells._Bands, "_tile", fails)
    check_sums(sums_of(emulated, X, codes, metric), expected)
    assert tries[failing] == [64, 32]
    assert all(rows == [32] for rows in tries[failing + 1 :])  # what failed once is not tried again


@pytest.mark.parametrize("place", PLACES)
def test_the_error_names_the_sizes(emulated, place):
    X, codes, metric, expected = case("euclidean, product", MIXED)
    cells = emulated.asarray(codes)
    arguments = arguments_of(emulated.asarray(X) if place == "device" else X, cells, metric)
    control.fail_allocation(above=3 * 8 * len(codes), times=10**6)
    with pytest.raises(MemoryError) as raised:
        yielded(cells, arguments)
    control._failures.clear()
    text = str(raised.value)
    assert "tiles of distances between rows of 21 features and sums over 27 cells, even 32 rows at a time" in text
    # Also while the error is at hand: the failed tries have given their blocks back.
    check_sums(joined(yielded(cells, arguments)), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("sizes", [[150, 3, 97, 110], [4] * 90])
def test_the_peak_is_within_the_working_memory(emulated, path, place, dtype, sizes):
    X, codes, metric, expected = case(path, sizes, dtype)
    memory, n = 0.4, len(codes)
    table, cells = emulated.asarray(X) if place == "device" else X, emulated.asarray(codes)
    vectors = 20 * 8 * n
    before = used(emulated)
    control.peak.clear()
    with gm.config_context(working_memory=memory):
        bands = bands_of(table, cells, metric)
    assert control.peak[0] - before <= memory * MIB + vectors
    check_sums(joined(bands), expected, dtype)


@pytest.mark.parametrize("memory", [0.5, 2])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("nested", [True, False])
def test_the_peak_of_silhouettes_that_share_them(emulated, monkeypatch, nested, place, memory):
    from gpumetrics.clustering import shared_silhouettes

    monkeypatch.setattr(shared_silhouettes, "plan", every_cell)
    rng = np.random.default_rng(0)
    n, fine = 1500, rng.integers(0, 40, 1500)
    X = rng.normal(size=(n, 20 if memory > 1 else 5))  # little enough to be put on the device
    X = emulated.asarray(X) if place == "device" else X
    labelings = [fine // k if nested else rng.integers(0, k + 3, n) for k in range(1, 6)]
    labelings[0][::9] = -1
    gc.collect()
    before = used(emulated)
    control.peak.clear()
    with gm.config_context(working_memory=memory, backend="cupy"):
        gm.silhouette_scores(X, labelings, noise_label=-1)
    assert control.peak[0] - before <= memory * MIB + (20 + 2 * len(labelings)) * 8 * n  # and the labelings' codes


def test_rows_of_bands_as_planned(emulated):
    from gpumetrics.backends import cupy_cells

    with gm.config_context(working_memory=256):
        assert cupy_cells.band_rows(1000) == 128 * MIB // 8000
    with gm.config_context(working_memory=1e-3):
        assert cupy_cells.band_rows(1000) == 0  # a band has one row at least
        X, codes, metric, expected = case("euclidean, direct", [2] * 100)
        check_sums(sums_of(emulated, X, codes, metric), expected)
