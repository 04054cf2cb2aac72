"""Principal axes: against numpy.linalg.svd, at hostile offsets and scales, sparse, wide, and on a GPU."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import gpumetrics as gm
from gpumetrics.backends import choose, numpy_ops
from gpumetrics.features import check_features
from gpumetrics.statistics.principal_axes import EXACT, principal_axes


def table(n=300, d=6, seed=0):
    """Rows of clearly different variances, rotated; multiples of 2**-10, so that shifts and scales are exact."""
    rng = np.random.default_rng(seed)
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return np.round(rng.normal(size=(n, d)) * 2.0 ** -np.arange(d) @ rotation * 1024) / 1024


def by_svd(X):
    """Coordinates, directions and shares, with the entry of largest size of each direction positive."""
    centred = X - X.mean(axis=0)
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    signs = np.sign(right[[0, 1], np.abs(right[:2]).argmax(axis=1)])
    return left[:, :2] * sizes[:2] * signs, right[:2].T * signs, sizes[:2] ** 2 / (sizes**2).sum()


def found_by(X, ops=numpy_ops, seed=0, **options):
    features = check_features(X, accept_sparse=True)
    found = principal_axes(features, ops, np.random.default_rng(seed), **options)
    return found, found.project(features) / features.scale


@pytest.mark.parametrize("factor", [1.0, 2.0**-530, 2.0**530, 2.0**-1000, 2.0**990])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_as_svd(offset, factor):
    X = table()
    coordinates, directions, shares = by_svd(X)
    found, projected = found_by((X + offset) * factor)
    assert_allclose(found.axes, directions, rtol=0, atol=1e-10)
    assert_allclose(found.shares, shares, rtol=1e-10)
    assert_allclose(projected / factor, coordinates, rtol=0, atol=1e-8)
    assert found.n_rows == 300


@pytest.mark.parametrize("power", [-160, 160])
def test_powers_of_ten(power):
    X = table() * 10.0**power
    coordinates, _, shares = by_svd(table())
    found, projected = found_by(X)
    assert_allclose(found.shares, shares, rtol=1e-10)
    assert_allclose(projected * 10.0**-power, coordinates, rtol=0, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64", "uint8", ">f8"])
def test_dtypes(dtype):
    X = np.round(table() * 8 + 100).astype(dtype)
    coordinates, directions, shares = by_svd(X.astype(np.float64))
    found, projected = found_by(X)
    assert_allclose(found.axes, directions, rtol=0, atol=1e-10)
    assert_allclose(found.shares, shares, rtol=1e-10)
    assert_allclose(projected, coordinates, rtol=0, atol=1e-9)


def test_integers_beyond_float64():
    X = np.round(table() * 64).astype(np.int64)
    coordinates, _, _ = by_svd(X.astype(np.float64))
    _, projected = found_by(X + 2**62)
    assert_allclose(projected, coordinates, rtol=0, atol=1e-9)


def test_sparse_rows():
    dense = np.where(np.random.default_rng(1).random((300, 6)) < 0.4, table(), 0.0)
    coordinates, directions, shares = by_svd(dense)
    found, projected = found_by(sparse.csr_matrix(dense))
    assert_allclose(found.axes, directions, rtol=0, atol=1e-10)
    assert_allclose(found.shares, shares, rtol=1e-10)
    assert_allclose(projected, coordinates, rtol=0, atol=1e-10)


def wide_rows(n=200, seed=2):
    rng = np.random.default_rng(seed)
    d = EXACT + 100
    return rng.normal(size=(n, 5)) * [8, 4, 2, 1, 1] @ rng.normal(size=(5, d)) + 0.05 * rng.normal(size=(n, d))


@pytest.mark.parametrize(("offset", "factor"), [(0.0, 1.0), (1e6, 1.0), (0.0, 2.0**530), (0.0, 2.0**-530)])
def test_wide_rows(offset, factor):
    X = np.round(wide_rows() * 1024) / 1024
    coordinates, directions, shares = by_svd(X)
    found, projected = found_by((X + offset) * factor)
    assert_allclose(found.axes, directions, rtol=0, atol=1e-8)
    assert_allclose(found.shares, shares, rtol=1e-9)
    assert_allclose(projected / factor, coordinates, rtol=0, atol=1e-6)


def test_wide_sparse_rows():
    dense = np.where(np.random.default_rng(3).random((200, EXACT + 100)) < 0.3, wide_rows() + 3.0, 0.0)
    coordinates, directions, shares = by_svd(dense)
    found, projected = found_by(sparse.csr_array(dense))
    assert_allclose(found.shares, shares, rtol=1e-6)
    assert_allclose(found.axes[:, 0], directions[:, 0], rtol=0, atol=1e-6)
    assert_allclose(projected[:, 0], coordinates[:, 0], rtol=0, atol=1e-4)


def test_wide_rows_of_one_direction():
    """The subspace ends early, and the second direction has no variance."""
    X = np.outer(np.arange(50.0), np.linspace(1, 2, EXACT + 1))
    found, projected = found_by(X)
    assert_allclose(found.shares, [1.0, 0.0], atol=1e-12)
    length = np.linalg.norm(np.linspace(1, 2, EXACT + 1))
    assert_allclose(projected[:, 0], (np.arange(50.0) - 24.5) * length, rtol=1e-10)
    assert_allclose(projected[:, 1], 0.0, atol=1e-9)


@pytest.mark.parametrize("d", [1, 3, EXACT + 1])
def test_equal_rows(d):
    found, projected = found_by(np.full((4, d), 7.5))
    assert_array_equal(found.shares, [0.0, 0.0])
    assert_array_equal(projected, np.zeros((4, 2)))


def test_one_row_and_one_column():
    found, projected = found_by([[1.0, 2.0, 3.0]])
    assert_array_equal(found.shares, [0.0, 0.0])
    assert_array_equal(projected, [[0.0, 0.0]])
    found, projected = found_by([[1.0], [2.0], [6.0]])
    assert_array_equal(found.shares, [1.0, 0.0])
    assert_allclose(projected, [[-2.0, 0.0], [-1.0, 0.0], [3.0, 0.0]], atol=1e-14)


def test_constant_columns_change_nothing():
    X = table()
    with_constants = np.column_stack([np.full(300, 1e12), X, np.zeros(300)])
    found, projected = found_by(with_constants)
    assert_allclose(projected, found_by(X)[1], rtol=0, atol=1e-10)
    assert_allclose(found.axes[[0, -1]], 0.0, atol=1e-12)


def test_the_sign_is_that_of_the_largest_entry():
    for seed in range(5):
        X = table(seed=seed)
        one, other = found_by(X)[0].axes, found_by(-X)[0].axes
        assert (one[np.abs(one).argmax(axis=0), [0, 1]] > 0).all()
        assert_allclose(one, other, rtol=0, atol=1e-10)


def test_repeats_bit_for_bit(monkeypatch):
    X = np.random.default_rng(4).normal(size=(20_000, 40))
    first, projected = found_by(X)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    again, projected_again = found_by(X)
    assert_array_equal(first.axes, again.axes)
    assert_array_equal(projected, projected_again)


def test_a_sample_of_the_rows():
    X = table(n=5_000)
    _, directions, shares = by_svd(X)
    found, projected = found_by(X, n_rows=2_000)
    assert found.n_rows == 2_000
    assert len(projected) == 5_000
    assert_allclose(found.axes, directions, rtol=0, atol=0.1)
    assert_allclose(found.shares, shares, rtol=0.1)
    assert np.abs(found.axes - found_by(X, seed=1, n_rows=2_000)[0].axes).max() > 1e-6
    assert_array_equal(found.axes, found_by(X, n_rows=2_000)[0].axes)


def test_the_input_is_not_written_to():
    X = table() * 1e200
    before = X.copy()
    X.flags.writeable = False
    found_by(X)
    assert_array_equal(X, before)


@pytest.mark.parametrize("kind", ["device", "host", "wide", "sparse"])
def test_backends(backend, kind):
    """Rows of the host go to the GPU where one is asked for; those that lie there stay."""
    X = wide_rows() if kind == "wide" else table(n=700)
    given = sparse.csr_array(X) if kind == "sparse" else X
    if kind == "device" and backend != "numpy":
        import cupy

        given = cupy.asarray(X)
    coordinates, directions, shares = by_svd(X)
    found, projected = found_by(given, choose(given).ops)
    on_device = backend != "numpy" and kind != "sparse"
    assert type(found.axes).__module__.partition(".")[0] == ("cupy" if on_device else "numpy")
    assert type(found.centre) is type(found.axes)
    assert_allclose(found.axes.get() if on_device else found.axes, directions, rtol=0, atol=1e-8)
    assert_allclose(found.shares, shares, rtol=1e-9)
    assert isinstance(projected, np.ndarray)
    assert_allclose(projected, coordinates, rtol=0, atol=1e-7)


@pytest.mark.emulated
def test_only_coordinates_come_to_the_host(emulated):
    from emulation import fake_cupy

    X = emulated.asarray(table(n=5_000))
    features = check_features(X)
    with gm.config_context(working_memory=0.5):  # many blocks
        found = principal_axes(features, choose(X).ops, np.random.default_rng(0))
        before = fake_cupy.control.counts.copy()
        projected = found.project(features)
    assert projected.shape == (5_000, 2)
    copies = fake_cupy.control.counts - before
    assert copies["get"] == 1
