"""Kernels that keep the sums over all cells, against their definitions, on shapes that are a multiple of nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from emulation.kernel_launch import BACKENDS, launcher_on
from emulation.test_kernels import C_NAMES, CLUSTERINGS, DTYPES, NULL, SHAPES, features_for, hostile_rows, layouts
from gpumetrics.backends.cupy_kernels import KERNELS


@pytest.fixture(params=BACKENDS)
def launcher(request):
    with launcher_on(request.param) as launcher:
        yield launcher


class Tile:
    """A tile whose columns are whole cells, or a piece of one; its rows are some places of the same order."""

    def __init__(self, sizes, columns, places, piece=0):
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.cells = np.repeat(np.arange(len(sizes)), sizes)
        self.columns, self.places, self.piece = columns, np.asarray(places, dtype=np.int64), np.int32(piece)
        # The band holds one row more on either side.
        self.sums = np.random.default_rng(5).random((len(sizes), len(self.places) + 2))
        self.before = self.sums.copy()

    @property
    def shape(self):
        return len(self.places), self.columns.stop - self.columns.start

    def launch(self, launcher, name, tile, *source, wanted=1):
        columns = (self.places, self.columns.start, self.cells[self.columns], self.starts, self.piece)
        band = self.sums.reshape(-1)[1:]
        launcher.rows(name, *tile.shape[:1], tile, *tile.shape, *source, *columns, np.int32(wanted), band, len(self))

    def __len__(self):
        return self.sums.shape[1]

    def check(self, distances, rtol=1e-13):
        """Compare with the distances of the tile's rows to its columns."""
        expected = self.before.copy()
        columns = self.cells[self.columns]
        for cell in np.unique(columns):
            sums = distances[:, columns == cell].sum(axis=1, dtype=np.float64)
            expected[cell, 1:-1] = sums + self.piece.astype(bool) * expected[cell, 1:-1]
        assert_allclose(self.sums, expected, rtol=rtol)

    def without_self(self, distances):
        distances = distances.astype(np.float64)
        distances[self.places[:, None] == np.arange(self.columns.start, self.columns.stop)] = 0
        return distances


@pytest.mark.parametrize("layout", list(layouts()))
def test_given_cell_sums(launcher, layout):
    tile = Tile(*layout)
    given = np.random.default_rng(1).random(tile.shape)
    before = given.copy()
    tile.launch(launcher, "given_cell_sums<double>", given)
    assert_array_equal(given, before)
    tile.check(tile.without_self(given))


@pytest.mark.parametrize("wanted", [0, 1])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", list(layouts()))
def test_gram_cell_sums(launcher, layout, dtype, wanted):
    tile, d, scale = Tile(*layout), 33, 0.25
    rows = hostile_rows(int(tile.starts[-1]), d, dtype)
    x, y = rows[tile.places], rows[tile.columns]
    centre = y.mean(axis=0, dtype=np.float64).astype(dtype)
    u, v = (x - centre) * dtype(scale), (y - centre) * dtype(scale)
    products = u @ v.T
    before = products.copy()
    share = 0.3 if dtype == np.float32 else 1e-4
    norms = [np.square(z.astype(np.float64)).sum(axis=1).astype(dtype) for z in (u, v)]
    tile.launch(launcher, f"gram_cell_sums<{C_NAMES[dtype]}>", products, x, y, d, scale, *norms, share, wanted=wanted)
    exact = scale * np.sqrt(np.square(x[:, None].astype(np.float64) - y).sum(axis=2))
    tolerance = 2e-6 if dtype == np.float32 else 1e-11
    if wanted:
        assert_allclose(products, exact, rtol=tolerance)
        tile.check(products)
    else:
        assert_array_equal(products, before)
    tile.check(exact, rtol=tolerance)


@pytest.mark.parametrize("wanted", [0, 1])
@pytest.mark.parametrize("name", KERNELS["direct_cell_sums.cu"])
def test_direct_cell_sums(launcher, name, wanted):
    """The distances have the bits of those that the kernels of row sums write."""
    ctype, metric = name[:-1].split("<")[-1].split(", ") if "<" in name else ("double", "Minkowski")
    dtype = {v: k for k, v in C_NAMES.items()}[ctype]
    rng = np.random.default_rng(6)
    tile = Tile([*CLUSTERINGS["tiny and large"], 9], slice(0, 241), np.arange(228, 250))
    rows = features_for(metric, 250, rng).astype(dtype)
    d = rows.shape[1]
    x, transposed = rows[tile.places], np.ascontiguousarray(rows[tile.columns].T)
    source = (x, transposed, d, NULL, 1.5, 0.5)
    if "quadratic" in name:
        form = rng.normal(size=(d, d))
        source = (x, transposed, d, form @ form.T)
    out, distances = np.full(tile.shape, -1, dtype), np.empty(tile.shape, dtype)
    tile.launch(launcher, name, out, *source, wanted=wanted)
    nothing = [np.zeros(len(x)) for _ in range(3)]
    reduction = (tile.places, 0, tile.cells[:241], tile.starts, tile.cells[tile.places], np.int32(0), *nothing)
    kernel = name.replace("cell_sums", "row_sums")
    launcher.rows(kernel, len(x), distances, *tile.shape, *source, *reduction)
    assert_array_equal(out, distances if wanted else -1)
    tile.check(tile.without_self(distances))


def check_columns(launcher, sizes, rows, width, piece, chunk, dtype):
    """Sums of a tile's columns over the cells of its rows."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    cells = np.repeat(np.arange(len(sizes)), sizes)[rows]
    m, n_chunks = len(cells), -(-len(cells) // chunk)
    distances = np.random.default_rng(3).random((m, width)).astype(dtype)
    sums = np.random.default_rng(4).random((len(sizes), width + 2))
    expected = sums.copy()
    for cell in np.unique(cells):
        total = distances[cells == cell].sum(axis=0, dtype=np.float64)
        expected[cell, 1:-1] = total + (expected[cell, 1:-1] if piece else 0)
    cut, band = np.full((n_chunks, 2, width), np.nan), sums.reshape(-1)[1:]
    of_rows = (cells, starts, np.int32(piece))
    name = f"column_cell_sums<{C_NAMES[dtype]}>"
    tile = (distances, m, width, *of_rows, cut, chunk, rows.start, band, width + 2)
    launcher.columns(name, width, n_chunks, *tile)
    assert not np.isnan(cut).any()
    launcher.threads("fold_cell_sums", width, cut, n_chunks, width, m, chunk, rows.start, *of_rows, band, width + 2)
    assert_allclose(sums, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("clustering", "skipped", "chunk"), SHAPES)
def test_column_cell_sums(launcher, clustering, skipped, chunk, dtype):
    sizes = [9] * skipped + CLUSTERINGS[clustering] + [30]
    check_columns(launcher, sizes, slice(9 * skipped, sum(sizes) - 30), 277, 0, chunk, dtype)


@pytest.mark.parametrize("chunk", [8, 13, 500])
@pytest.mark.parametrize("rows", [slice(5, 205), slice(5, 72), slice(100, 101)])
def test_column_cell_sums_of_a_piece(launcher, rows, chunk):
    check_columns(launcher, [5, 200, 33], rows, 105, 1, chunk, np.float64)
