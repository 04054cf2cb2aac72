"""The setting `precision`: TF32 where it was asked for and nowhere else, and CuPy's switch as it was found."""

import threading
from concurrent.futures import ThreadPoolExecutor

import definitions
import numpy as np
import pytest
from emulation import fake_cupy
from inputs import blobs
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.distance_metrics import Metric
from gpumetrics.features import check_features

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("emulated")]

control = fake_cupy.control
DEFAULT, PEDANTIC, FP16, BF16, TF32 = 1, 2, 3, 6, 7
N, D = 130, 48
X, LABELS = blobs(9, n=N, d=D, k=4, spread=3.0)
SINGLE = X.astype(np.float32)


def compute_type(cupy):
    return cupy._core.get_compute_type(np.dtype(np.float32))


@pytest.fixture
def products(emulated, monkeypatch):
    """The compute type of each product."""
    dot, seen = emulated.dot, []

    def noted(a, b, out=None):
        seen.append(compute_type(emulated))
        return dot(a, b, out=out)

    monkeypatch.setattr(emulated, "dot", noted)
    return seen


def samples(X, precision, metric="euclidean", backend="cupy"):
    with gm.config_context(backend=backend, precision=precision):
        return gm.silhouette_samples(X, LABELS, metric=metric)


# ---------------------------------------------------------------------------------------------
# The switch


@pytest.mark.parametrize("users", [DEFAULT, PEDANTIC, FP16, BF16, TF32])
@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_the_switch_is_put_back(emulated, products, precision, users):
    emulated._core.set_compute_type(np.float32, users)
    samples(SINGLE, precision)
    whole = users if users in {DEFAULT, PEDANTIC} else DEFAULT
    assert set(products) == {TF32 if precision == "fast" else whole}
    assert compute_type(emulated) == users


def test_an_exact_product_overrules_the_user(emulated):
    expected = samples(SINGLE, "exact")
    emulated._core.set_compute_type(np.float32, TF32)
    assert_array_equal(samples(SINGLE, "exact"), expected)
    assert_allclose(expected, definitions.silhouette_samples(SINGLE, LABELS), rtol=0, atol=1e-6)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize(("precision", "users"), [("fast", DEFAULT), ("exact", TF32)])
def test_the_switch_is_put_back_after_an_error(emulated, monkeypatch, precision, users, error):
    emulated._core.set_compute_type(np.float32, users)

    def fails(a, b, out=None):
        assert compute_type(emulated) != users
        raise error("in the product")

    with monkeypatch.context() as patch:
        patch.setattr(emulated, "dot", fails)
        with pytest.raises(error, match="in the product"):
            samples(SINGLE, precision)
    assert compute_type(emulated) == users
    samples(SINGLE, precision)  # no lock is held


def test_the_switch_is_put_back_where_memory_runs_out(emulated, products, monkeypatch):
    dot, failed = emulated.dot, []

    def fails_once(a, b, out=None):
        if not failed:
            failed.append(True)
            raise emulated.cuda.memory.OutOfMemoryError(1 << 20, 0)
        return dot(a, b, out=out)

    monkeypatch.setattr(emulated, "dot", fails_once)
    samples(SINGLE, "fast")
    assert set(products) == {TF32}
    assert compute_type(emulated) == DEFAULT


def test_devices_without_tf32(emulated, products):
    expected = samples(SINGLE, "exact")
    with control.set(capability="75"):
        assert_array_equal(samples(SINGLE, "fast"), expected)
    assert set(products) == {DEFAULT}


# ---------------------------------------------------------------------------------------------
# Threads


def test_products_of_other_threads_wait(emulated, monkeypatch):
    from gpumetrics.backends.cupy_precision import multiply

    inside, go_on, seen = threading.Event(), threading.Event(), []

    def slow(a, b, out=None):
        seen.append(compute_type(emulated))
        inside.set()
        assert go_on.wait(10)

    def product(precision):
        with gm.config_context(precision=precision):
            multiply(None, None, None)

    monkeypatch.setattr(emulated, "dot", slow)
    threads = [threading.Thread(target=product, args=(precision,)) for precision in ("fast", "exact")]
    threads[0].start()
    assert inside.wait(10)
    threads[1].start()
    threads[1].join(0.1)
    assert seen == [TF32]  # the other one waits
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert seen == [TF32, DEFAULT]
    assert compute_type(emulated) == DEFAULT


def test_each_thread_has_its_own_precision(emulated):
    expected = {precision: samples(SINGLE, precision) for precision in ("exact", "fast")}
    with ThreadPoolExecutor(4) as pool:
        wanted = ["exact", "fast"] * 6
        for precision, found in zip(wanted, pool.map(lambda p: samples(SINGLE, p), wanted), strict=True):
            assert_array_equal(found, expected[precision])
    assert compute_type(emulated) == DEFAULT


# ---------------------------------------------------------------------------------------------
# The error


@pytest.mark.parametrize("d", [17, 48, 300])
def test_distances_are_within_the_documented_bound(emulated, d):
    """One row is a cluster of its own, so that the others' nearest mean distance is their distance to it."""
    from gpumetrics.backends import cupy_pairs, cupy_tiles

    rows = blobs(10, n=N, d=d, k=4, spread=3.0)[0].astype(np.float32)
    codes = np.zeros(N, dtype=np.int64)
    codes[17] = 1
    features, given = check_features(emulated.asarray(rows)), emulated.asarray(codes)
    sizes, metric = np.bincount(codes), Metric("euclidean")
    wide = rows.astype(np.float64)
    exact, others, unit = np.linalg.norm(wide - wide[17], axis=1), codes == 0, cupy_tiles.unit_scale(features)
    error = {}
    for precision in ("exact", "fast"):
        with gm.config_context(precision=precision):
            found = cupy_pairs.pairwise_means(features, given, sizes, metric)[1].get()
        error[precision] = np.abs(found / unit - exact)[others]
    lengths = np.linalg.norm(wide - wide.mean(axis=0), axis=1)
    bound = np.sqrt(lengths[others] * lengths[17])
    assert (error["fast"] <= 1.4e-3 * bound).all()
    assert (error["fast"] / bound).max() > 2e-5  # it is rounded
    assert (error["exact"] / bound).max() < 2e-6


def test_silhouettes_are_rounded_and_near(emulated):
    exact, fast = samples(SINGLE, "exact"), samples(SINGLE, "fast")
    assert not np.array_equal(exact, fast)
    assert_allclose(fast, exact, rtol=0, atol=2e-3)
    assert_array_equal(samples(SINGLE, "fast"), fast)


@pytest.mark.parametrize(
    ("rows", "metric"),
    [
        (X, "euclidean"),
        (SINGLE[:, :16], "euclidean"),
        (SINGLE, "manhattan"),
        (SINGLE, "cosine"),
        (SINGLE, "sqeuclidean"),
        ((X * 9).astype(np.int32), "euclidean"),
    ],
    ids=["float64", "few features", "manhattan", "cosine", "sqeuclidean", "integers"],
)
def test_what_ignores_it(emulated, rows, metric):
    assert_array_equal(samples(rows, "fast", metric), samples(rows, "exact", metric))


def test_the_other_scores_ignore_it(emulated):
    values = []
    for precision in ("exact", "fast"):
        with gm.config_context(backend="cupy", precision=precision):
            values.append([gm.calinski_harabasz_score(SINGLE, LABELS), gm.davies_bouldin_score(SINGLE, LABELS)])
    assert values[0] == values[1]


def test_the_cpu_ignores_it(emulated, products):
    assert_array_equal(samples(SINGLE, "fast", backend="numpy"), samples(SINGLE, "exact", backend="numpy"))
    assert products == []
    assert gm.get_config()["precision"] == "exact"
