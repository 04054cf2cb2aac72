"""Density-based validity in its parts: tiles of distances, core distances and trees, and the memory they take."""

import density_definition as plain
import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_memory import run

import gpumetrics as gm
from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.clustering import density_validity_blocks as blocks
from gpumetrics.clustering import density_validity_tree as trees
from gpumetrics.clustering.density_validity import density_validity
from gpumetrics.config import current
from gpumetrics.distance_metrics import check_metric
from gpumetrics.features import check_features


def values_of(X, metric="euclidean"):
    """The values between all rows, computed by the backend in force."""
    xp = np
    if current().backend == "cupy":
        import cupy as xp
    return blocks.values_of(check_metric(metric, {}, "")[0], check_features(X), xp)


def everyone(values, X):
    return values.xp.arange(len(X))


def squares(X):
    """Squared distances from the differences, to all digits."""
    exact = X.astype(np.longdouble)
    return ((exact[:, None] - exact) ** 2).sum(axis=-1)


@pytest.mark.parametrize("d", [2, 9, 64, 400])
def test_squares_of_hostile_rows_are_those_of_the_differences(backend, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, d))
    X[40:80] = X[40] + 1e-5 * rng.normal(size=(40, d))  # close together
    X[80:] += 1e6  # far from the others
    X[1] = X[0]
    X[3] = X[2] * (1 + 1e-12)
    values = values_of(X)
    x = values.rows(everyone(values, X))
    found = as_host(values.between(x, x))
    assert_allclose(found, squares(X).astype(np.float64), rtol=1e-11, atol=0)
    assert found[0, 1] == 0
    few = as_host(values.between(x[:7], x[50:110]))  # another centre
    assert_allclose(few, found[:7, 50:110], rtol=1e-11)


def test_whole_numbers_have_exact_squares(backend):
    X = np.random.default_rng(1).integers(-9, 9, (100, 30)) + 2.0**30
    values = values_of(X)
    x = values.rows(everyone(values, X))
    assert_array_equal(as_host(values.between(x, x)), squares(X).astype(np.float64))


def test_entries_one_by_one_and_all_at_once_are_the_same(backend, monkeypatch):
    X = np.random.default_rng(2).normal(size=(60, 20)) * np.repeat([1.0, 1e-4, 1e3], 20)[:, None]
    values = values_of(X)
    x = values.rows(everyone(values, X))
    found = []
    for few in (0.0, 1.0):
        monkeypatch.setattr(blocks, "FEW", few)
        monkeypatch.setattr(blocks, "AT_ONCE", 50)
        found.append(as_host(values.between(x, x)))
    assert_allclose(found[0], found[1], rtol=1e-11)


@pytest.mark.parametrize("d", [0.5, 2, 30, 768, 1e5])
@pytest.mark.parametrize("tile", [16, 512])
def test_core_distances(backend, monkeypatch, d, tile):
    monkeypatch.setattr(trees, "TILE", tile)
    monkeypatch.setattr(trees, "DEVICE_TILE", tile)
    X = np.random.default_rng(3).normal(size=(70, 3)) * np.geomspace(1, 1e-9, 70)[:, None]
    X[50] = X[51]
    values = values_of(X)
    core = trees.core_values(values, everyone(values, X), d * values.power, np.full(70, 69))
    assert array_module(core) is values.xp
    found = as_host(core) ** values.power
    assert found[50] == found[51] == 0
    assert_allclose(found, plain.core_distances(plain.distances(X), d), rtol=1e-10)


@pytest.mark.parametrize("tile", [16, 512])
@pytest.mark.parametrize("kind", ["normal", "grid", "duplicates", "line"])
def test_tree(backend, monkeypatch, kind, tile):
    monkeypatch.setattr(trees, "TILE", tile)
    monkeypatch.setattr(trees, "DEVICE_TILE", tile)
    rng = np.random.default_rng(4)
    X = {
        "normal": lambda: rng.normal(size=(90, 3)),
        "grid": lambda: np.stack(np.divmod(rng.permutation(90), 9), axis=1) * 1.0,
        "duplicates": lambda: rng.integers(0, 4, (90, 2)) * 1.0,
        "line": lambda: np.arange(90.0)[:, None] ** 2,  # the worst for the number of passes
    }[kind]()
    values = values_of(X)
    core = values.xp.asarray(rng.random(90) ** 4)
    tree = trees.spanning_trees(values, everyone(values, X), core, np.zeros(90, dtype=int))
    D = squares(X).astype(np.float64)
    weight = np.maximum(D, np.maximum(as_host(core)[:, None], as_host(core)))
    expected = plain.spanning_tree(weight, np.arange(90))
    assert {*zip(tree.left.tolist(), tree.right.tolist(), strict=True)} == {*map(tuple, expected.tolist())}
    assert_allclose(tree.weight, weight[tree.left, tree.right], rtol=1e-10)
    assert_array_equal(tree.degrees(90), np.bincount(expected.ravel(), minlength=90))


def test_lightest_edges_without_another_group(backend):
    X = np.arange(5.0)[:, None]
    values = values_of(X)
    nothing = values.xp.zeros(5, dtype=np.int64)
    weight, partner = trees.lightest_edges(values, everyone(values, X), values.xp.zeros(5), nothing, nothing[:2])
    assert weight.tolist() == [np.inf, np.inf]
    assert partner.tolist() == [-1, -1]


@pytest.mark.parametrize("d", [3, 25])
def test_tiles_do_not_show(backend, monkeypatch, d):
    X, labels = inputs.blobs(5, n=150, d=d, k=1)
    labels[::7], labels[3::7] = -1, 5
    whole = density_validity(X, labels)
    for memory in (0.02, 0.2):
        with gm.config_context(working_memory=memory):
            assert_allclose(density_validity(X, labels), whole, rtol=1e-10)


def test_same_bits_whatever_the_threads(monkeypatch):
    X, labels = inputs.blobs(6, n=900, d=12, k=2)
    monkeypatch.setattr(trees, "TILE", 64)
    found = {density_validity(X, labels) for _ in range(3)}
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert found == {density_validity(X, labels)}


def test_an_interrupt_leaves_nothing_behind(monkeypatch):
    X, labels = inputs.blobs(7, n=60, d=3, k=2)

    def stop(*_):
        raise KeyboardInterrupt

    expected = density_validity(X, labels)
    with monkeypatch.context() as patch:
        patch.setattr(trees, "rounded", stop)
        with pytest.raises(KeyboardInterrupt):
            density_validity(X, labels)
    assert density_validity(X, labels) == expected


@pytest.mark.emulated
class TestDevice:
    """What only a GPU has: X that lies there, X that does not fit, memory that runs out."""

    @pytest.fixture(autouse=True)
    def _emulated(self, emulated):
        from emulation import fake_cupy

        self.cupy, self.control = emulated, fake_cupy.control

    @pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
    def test_x_stays_on_the_device(self, metric):
        X, labels = inputs.blobs(8, n=400, d=40, k=2)
        expected = density_validity(X, labels, metric=metric)
        device = self.cupy.asarray(X), self.cupy.asarray(labels)
        copied = []
        get = self.cupy.ndarray.get

        def noted(array, *args, **kwargs):
            copied.append(array.nbytes)
            return get(array, *args, **kwargs)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.cupy.ndarray, "get", noted)
            before = self.control.counts["bytes to device"]
            found = density_validity(*device, metric=metric, per_cluster=True)
        assert_allclose(found.score, expected, rtol=1e-10)
        assert type(found.validity) is type(found.sizes) is np.ndarray
        # Weights and partners of all rows, once per pass, are all that comes back; groups are all that goes there.
        assert max(copied) <= 16 * len(X)
        assert sum(copied) < 20 * 16 * len(X)
        assert self.control.counts["bytes to device"] - before < 20 * 16 * len(X)

    @pytest.mark.parametrize("form", ["float32", "Fortran", ">f8", "csr", "int16"])
    def test_x_on_the_host_is_streamed_where_it_does_not_fit(self, monkeypatch, form):
        from gpumetrics.backends import cupy_rows

        X, labels = inputs.blobs(9, n=90, d=30, k=3)
        X = np.round(X * 8)
        table = {
            "float32": lambda: X.astype(np.float32),
            "Fortran": lambda: np.asfortranarray(X),
            ">f8": lambda: X.astype(">f8"),
            "csr": lambda: pytest.importorskip("scipy.sparse").csr_array(X),
            "int16": lambda: X.astype(np.int16),
        }[form]()
        expected = density_validity(X, labels)
        streamed, seen = cupy_rows._streamed, []
        monkeypatch.setattr(cupy_rows, "_streamed", lambda *args: seen.append(1) or streamed(*args))
        with gm.config_context(backend="cupy", working_memory=0.015):
            assert_allclose(density_validity(table, labels), expected, rtol=1e-10)
        assert seen

    def test_distances_on_the_host(self):
        X, labels = inputs.blobs(10, n=80, d=3, k=3)
        D = plain.distances(X)
        expected = density_validity(X, labels)
        with gm.config_context(backend="cupy", working_memory=0.03):
            found = density_validity(D, labels, metric="precomputed", dimension=3)
        assert_allclose(found, expected, rtol=1e-10)
        found = density_validity(self.cupy.asarray(D), labels, metric="precomputed", dimension=3)
        assert_allclose(found, expected, rtol=1e-10)

    def test_smaller_tiles_where_memory_runs_out(self):
        X, labels = inputs.blobs(11, n=300, d=20, k=2)
        expected = density_validity(X, labels)
        device = self.cupy.asarray(X)
        for number in range(1, 60, 11):
            self.control.fail_allocation(number, above=100_000)
            assert_allclose(density_validity(device, labels), expected, rtol=1e-10)

    def test_other_orders_of_blocks(self):
        X, labels = inputs.blobs(12, n=100, d=20, k=2)
        expected = density_validity(X, labels)
        with self.control.set(races="poison"), gm.config_context(backend="cupy"):
            assert_allclose(density_validity(X, labels), expected, rtol=1e-10)


DATA = "n = {n}; X = np.random.default_rng(0).normal(size=(n, {d})); y = np.arange(n) % {k}; X[:, 0] += 8 * y"
CALL = "__import__('gpumetrics.clustering.density_validity').clustering.density_validity.density_validity(X, y)"


def test_memory():  # n x n is 242 MB for one cluster's rows
    value, peak = run(DATA.format(n=6_000, d=4, k=1) + "; y[5_500:] = 1; X[5_500:] += 50", CALL)
    assert 0 < value < 1
    assert peak < 120


@pytest.mark.slow
@pytest.mark.parametrize(("d", "k"), [(2, 3), (64, 3), (768, 4)])
def test_twenty_thousand_rows(d, k):  # n x n is 3.2 GB
    import time

    begin = time.perf_counter()
    value, peak = run(DATA.format(n=20_000, d=d, k=k), CALL, working_memory=1024)
    assert -1 <= value <= 1
    assert peak < 700
    assert time.perf_counter() - begin < 120
