"""Kernels of tiles of distances against their definitions, on shapes that are a multiple of nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from emulation.fake_cupy import control
from emulation.kernel_launch import BACKENDS, launcher_on

C_NAMES = {np.float32: "float", np.float64: "double"}
DTYPES = [np.float32, np.float64]
NULL = np.uintp(0)
# Sizes of neighbouring clusters.
CLUSTERINGS = {
    "one column": [1],
    "one cluster": [129],
    "one stretch": [128],
    "singles": [1] * 70,
    "tiny": [1, 2, 3, 1, 1, 3, 2] * 9,
    "tiny and large": [1, 100, 2, 3, 1, 100, 1, 1, 30, 2],
    "ends at stretches": [32, 96, 31, 1, 64, 33, 128],
    "around stretches": [31, 33, 127, 2, 65, 129, 5],
}


@pytest.fixture(params=BACKENDS)
def launcher(request):
    with launcher_on(request.param) as launcher:
        yield launcher


def starts_of(sizes):
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class Tile:
    """A tile whose columns are whole clusters, or a piece of one; its rows are some places of the same order."""

    def __init__(self, sizes, columns, places, piece=0):
        self.starts = starts_of(sizes)
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        self.columns, self.places, self.piece = columns, np.asarray(places, dtype=np.int64), np.int32(piece)
        self.col_cluster, self.row_cluster = cluster[columns], cluster[self.places]
        rng = np.random.default_rng(5)
        self.state = [rng.random(len(self.places)) for _ in range(3)]

    def arguments(self):
        ids = (self.places, self.columns.start, self.col_cluster, self.starts, self.row_cluster)
        return *ids, self.piece, *self.state

    def expected(self, distances, before):
        """What the three vectors should be, from their values before and the distances."""
        own, nearest, opened = (state.copy() for state in before)
        for r, own_cluster in enumerate(self.row_cluster):
            for c in np.unique(self.col_cluster):
                total = distances[r, self.col_cluster == c].astype(np.float64).sum()
                size = self.starts[c + 1] - self.starts[c]
                if self.piece:
                    opened[r] = total = opened[r] + total
                if self.piece == 1:
                    continue
                if c == own_cluster:
                    own[r] = total
                else:
                    nearest[r] = np.minimum(nearest[r], total / size)
                if self.piece:
                    opened[r] = 0
        return own, nearest, opened


def check_sums(tile, distances, before):
    for got, wanted in zip(tile.state, tile.expected(distances, before), strict=True):
        assert_allclose(got, wanted, rtol=1e-13)


def layouts():
    """Arguments of tiles: all clusters of each clustering, and pieces; rows are some of the columns and some others."""
    rng = np.random.default_rng(0)
    for name, sizes in CLUSTERINGS.items():
        n = sum(sizes)
        rows = np.sort(rng.choice(n + 9, size=min(n, 19), replace=False))
        yield pytest.param(([*sizes, 9], slice(0, n), rows), id=name)
    for piece, columns in ((1, slice(4, 171)), (2, slice(171, 204)), (2, slice(4, 204)), (1, slice(70, 71))):
        rows = [0, 3, 4, 70, 150, 171, 203, 204, 210]
        yield pytest.param(([4, 200, 9], columns, rows, piece), id=f"piece {piece} of {columns}")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", list(layouts()))
def test_given_row_sums(launcher, layout, dtype):
    tile = Tile(*layout)
    m, n = len(tile.places), tile.columns.stop - tile.columns.start
    given = np.random.default_rng(1).random((m, n)).astype(dtype)
    before = [state.copy() for state in tile.state]
    launcher.rows(f"given_row_sums<{C_NAMES[dtype]}>", m, given, m, n, *tile.arguments())
    given[tile.places[:, None] == np.arange(n) + tile.columns.start] = 0
    check_sums(tile, given, before)


def test_a_missing_distance_makes_the_mean_missing(launcher):
    tile = Tile([3, 40, 9], slice(0, 43), [44, 45])
    given = np.ones((2, 43))
    given[0, 20] = np.nan
    launcher.rows("given_row_sums<double>", 2, given, 2, 43, *tile.arguments())
    assert np.isnan(tile.state[1][0])
    assert tile.state[1][1] <= 1


def hostile_rows(n, d, dtype):
    """Rows far from the origin, among them groups of equal rows and of rows that differ in the last digits."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(n, d)) + 100
    for stretch in range(0, n - 4, 9):
        rows[stretch + 1] = rows[stretch]
        rows[stretch + 2 : stretch + 4] = rows[stretch] * (1 + 1e-5 * rng.random((2, d)))
    return rows.astype(dtype)


@pytest.mark.parametrize("d", [1, 33, 70])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", list(layouts()))
def test_gram_row_sums(launcher, layout, dtype, d):
    tile = Tile(*layout)
    m, n = len(tile.places), tile.columns.stop - tile.columns.start
    rows = hostile_rows(int(tile.starts[-1]), d, dtype)
    x, y = rows[tile.places], rows[tile.columns]
    scale, name = 0.25, C_NAMES[dtype]
    centre = y.mean(axis=0, dtype=np.float64).astype(dtype)
    centred = {}
    for key, block in (("x", x), ("y", y)):
        out, norms = np.empty_like(block), np.empty(len(block), dtype)
        launcher.rows(f"centred_rows<{name}>", len(block), block, centre, len(block), d, scale, out, norms)
        assert_array_equal(out, (block - centre) * dtype(scale))
        assert_allclose(norms, np.square(out.astype(np.float64)).sum(axis=1), rtol=8 * np.finfo(dtype).eps)
        centred[key] = out, norms
    products = centred["x"][0] @ centred["y"][0].T
    before = [state.copy() for state in tile.state]
    arguments = (x, y, d, scale, centred["x"][1], centred["y"][1], 0.3 if dtype == np.float32 else 1e-4)
    launcher.rows(f"gram_row_sums<{name}>", m, products, m, n, *arguments, *tile.arguments())
    exact = scale * cdist(x.astype(np.float64), y.astype(np.float64))
    assert_allclose(products, exact, rtol=2e-6 if dtype == np.float32 else 1e-11)
    assert np.all(products[exact == 0] == 0)
    check_sums(tile, products, before)


def test_squares_that_the_product_cannot_hold(launcher):
    """Products that are infinite or NaN, and squares below the smallest float: the differences decide."""
    tile = Tile([2, 3], slice(0, 2), [2, 3, 4])
    x = np.array([[3e38, 1], [1, 2], [1e-20, 1]], dtype=np.float32)
    y = np.array([[-3e38, 1], [2e-20, 1]], dtype=np.float32)
    products = np.array([[-np.inf, np.nan], [np.nan, 0], [np.inf, 0]], dtype=np.float32)
    norms = np.array([np.inf, 1, 1], dtype=np.float32), np.array([np.inf, 1], dtype=np.float32)
    launcher.rows("gram_row_sums<float>", 3, products, 3, 2, x, y, 2, 2.0**-10, *norms, 3.0, *tile.arguments())
    exact = 2.0**-10 * cdist(x.astype(np.float64), y.astype(np.float64))
    assert_allclose(products, exact, rtol=1e-6)


SHAPES = [("tiny and large", 0, 7), ("tiny and large", 0, 64), ("tiny", 1, 5), ("singles", 2, 64), ("tiny", 3, 16)]
SHAPES += [("one cluster", 0, 33), ("ends at stretches", 1, 32), ("around stretches", 0, 256), ("one column", 4, 8)]


def check_columns(launcher, tile, distances, rows, clusters, chunk):
    """Sums of the columns over the clusters of `rows`, in chunks; the tile is the same pairs with the sides swapped."""
    m, n = distances.shape
    name, n_chunks = C_NAMES[distances.dtype.type], -(-m // chunk)
    partial = np.full((n_chunks, 3, n), np.nan)
    before = [state.copy() for state in tile.state]
    arguments = (distances, m, n, clusters, tile.starts, tile.piece, partial, chunk, rows.start)
    launcher.columns(f"column_sums<{name}>", n, n_chunks, *arguments)
    assert not np.isnan(partial).any()
    arguments = (partial, n_chunks, n, m, chunk, rows.start, clusters, tile.starts, tile.piece)
    launcher.threads("fold_columns", n, *arguments, tile.row_cluster, *tile.state)
    check_sums(tile, distances.T, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("clustering", "skipped", "chunk"), SHAPES)
def test_column_sums(launcher, clustering, skipped, chunk, dtype):
    sizes = [9] * skipped + CLUSTERINGS[clustering] + [300]
    rows = slice(9 * skipped, sum(sizes) - 300)
    columns = np.arange(sum(sizes) - 300, sum(sizes) - 23)  # of the last cluster, so never the rows' own
    tile = Tile(sizes, rows, columns)
    distances = np.random.default_rng(3).random((rows.stop - rows.start, len(columns))).astype(dtype)
    check_columns(launcher, tile, distances, rows, tile.col_cluster, chunk)


@pytest.mark.parametrize("piece", [1, 2])
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("chunk", [8, 13, 500])
def test_column_sums_of_a_piece(launcher, piece, own, chunk):
    rows = slice(5, 205) if piece == 2 else slice(5, 72)
    columns = np.arange(100, 205) if own else np.arange(205, 238)
    tile = Tile([5, 200, 33], rows, columns, piece)
    distances = np.random.default_rng(4).random((rows.stop - rows.start, len(columns)))
    check_columns(launcher, tile, distances, rows, tile.col_cluster, chunk)


def features_for(metric, n, rng):
    if metric in {"Dice", "Jaccard", "RogersTanimoto", "RussellRao", "SokalSneath", "Yule"}:
        rows = (rng.random((n, 7)) < rng.random((n, 1))).astype(np.float64) * 3
        rows[::11] = 0
        rows[5::11] = 1
        return rows
    if metric == "Hamming":
        return rng.integers(0, 3, (n, 7)).astype(np.float64)
    if metric == "Haversine":
        rows = np.column_stack([rng.uniform(-np.pi / 2, np.pi / 2, n), rng.uniform(-np.pi, np.pi, n)])
        rows[3] = [-rows[0, 0], rows[0, 1] + np.pi]  # opposite points
        return rows
    rows = rng.normal(size=(n, 7)) * (rng.random((n, 7)) < 0.7)
    rows[::13] = 0
    return rows


def expected_distances(metric, x, y, w, p):
    options = {} if w is None else {"w": w}
    if metric == "Haversine":
        half = np.sin((x[:, None] - y) / 2) ** 2
        chord = half[..., 0] + np.cos(x[:, None, 0]) * np.cos(y[:, 0]) * half[..., 1]
        return 2 * np.arcsin(np.sqrt(np.minimum(chord, 1)))
    if metric == "Minkowski":
        options["p"] = p
    if metric in {"Dice", "Jaccard", "RogersTanimoto", "RussellRao", "SokalSneath", "Yule"}:
        x, y = x != 0, y != 0
    with np.errstate(invalid="ignore"):
        out = cdist(x, y, {"Manhattan": "cityblock"}.get(metric, metric.lower()), **options)
    return np.nan_to_num(out) if metric == "BrayCurtis" else out


def direct_kernels():
    from gpumetrics.backends.cupy_kernels import KERNELS

    return [name for name in KERNELS["direct_distance_sums.cu"] if name.startswith("direct_row_sums")]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", direct_kernels())
def test_direct_row_sums(launcher, name, weighted):
    ctype, metric = name[len("direct_row_sums<") : -1].split(", ")
    dtype = {v: k for k, v in C_NAMES.items()}[ctype]
    if weighted and metric == "Haversine":
        pytest.skip("has no weights")
    rng = np.random.default_rng(6)
    sizes = CLUSTERINGS["tiny and large"]
    tile = Tile([*sizes, 9], slice(0, 241), np.arange(228, 250))
    rows = features_for(metric, 250, rng).astype(dtype)
    d = rows.shape[1]
    w = np.array([0.5, 2, 3, 0, 1, 1, 0.25]) if weighted else None
    x, y = rows[tile.places], rows[tile.columns]
    before = [state.copy() for state in tile.state]
    out = np.full((len(x), len(y)), np.nan, dtype)
    transposed = np.ascontiguousarray(y.T)
    arguments = (x, transposed, d, NULL if w is None else w, 1.5, 0.5 if metric == "Euclidean" else 1.0)
    launcher.rows(name, len(x), out, len(x), len(y), *arguments, *tile.arguments())
    wanted = expected_distances(metric, x.astype(np.float64), y.astype(np.float64), w, 1.5)
    wanted *= 0.5 if metric == "Euclidean" else 1.0
    wanted[tile.places[:, None] == np.arange(241)] = 0
    tolerance = 5e-7 if dtype == np.float32 else 1e-13
    assert_allclose(out, wanted, rtol=tolerance, atol=tolerance * 1e-2)
    check_sums(tile, out, before)


def test_quadratic_row_sums(launcher):
    rng = np.random.default_rng(8)
    tile = Tile([*CLUSTERINGS["tiny and large"], 9], slice(0, 241), np.arange(228, 250))
    rows, form = rng.normal(size=(250, 5)), rng.normal(size=(5, 5))
    form = form @ form.T + np.triu(form)  # not symmetric
    rows[230] = rows[3] * (1 + 1e-9)  # near rows keep their digits
    x, y = rows[tile.places], rows[tile.columns]
    before = [state.copy() for state in tile.state]
    out = np.full((len(x), len(y)), np.nan)
    arguments = (x, np.ascontiguousarray(y.T), 5, np.ascontiguousarray(form), *tile.arguments())
    launcher.rows("quadratic_row_sums", len(x), out, len(x), len(y), *arguments)
    difference = x[:, None] - y
    with np.errstate(invalid="ignore"):
        wanted = np.sqrt(np.einsum("rcf,fg,rcg->rc", difference, form, difference))
    wanted[tile.places[:, None] == np.arange(241)] = 0
    assert_allclose(out, wanted, rtol=1e-12)
    check_sums(tile, out, before)


def test_direct_differences_that_float32_cannot_square(launcher):
    tile = Tile([3, 3], slice(0, 3), [3, 4, 5])
    x = np.array([[3e38, 1], [1e-25, 2e-25], [1, 2]], dtype=np.float32)
    y = np.array([[-3e38, 1], [1e-25, 3e-25], [1, 2]], dtype=np.float32)
    out = np.empty((3, 3), np.float32)
    arguments = (x, np.ascontiguousarray(y.T), 2, NULL, 2.0, 2.0**-8)
    launcher.rows("direct_row_sums<float, Euclidean>", 3, out, 3, 3, *arguments, *tile.arguments())
    assert_allclose(out, 2.0**-8 * cdist(x.astype(np.float64), y.astype(np.float64)), rtol=1e-6)


@pytest.mark.emulated
def test_same_bits_in_any_order():
    """Blocks and threads in four orders."""
    rows, columns = slice(0, 241), np.arange(241, 300)
    sizes = [*CLUSTERINGS["tiny and large"], 59]
    distances = np.random.default_rng(7).random((241, 59)).astype(np.float32)
    results = []
    for seed in (None, 1, 2, 3):
        with launcher_on("emulated") as launcher, control.set(order_seed=seed):
            by_rows, by_columns = Tile(sizes, slice(241, 300), np.arange(241)), Tile(sizes, rows, columns)
            launcher.rows("given_row_sums<float>", 241, distances, 241, 59, *by_rows.arguments())
            check_columns(launcher, by_columns, distances, rows, by_columns.col_cluster, 32)
            results.append(np.concatenate(by_rows.state + by_columns.state))
    for other in results[1:]:
        assert_array_equal(other, results[0])
