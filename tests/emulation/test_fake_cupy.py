"""The stand-in for CuPy: as strict as CuPy or stricter; what it computes is what NumPy computes."""

import importlib.util
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from emulation import fake_cupy

pytestmark = pytest.mark.emulated
control = fake_cupy.control


@pytest.fixture
def cp():
    with fake_cupy.installed() as cupy:
        control.reset()
        yield cupy
        control.reset()


# -- strictness ------------------------------------------------------------------------------------


def test_what_cupy_lacks_is_absent(cp):
    for name in ("vecdot", "asanyarray", "bitwise_count", "astype", "errstate", "save_text", "add_at"):
        assert not hasattr(cp, name)
    assert not hasattr(cp.add, "at")
    assert not hasattr(cp.ndarray, "to_device")


HOST = np.arange(4.0)
REFUSED = {
    "asarray": lambda cp, a: np.asarray(a),
    "array of a list": lambda cp, a: np.array([a, a]),
    "float of NumPy": lambda cp, a: np.float64(a),
    "a + host": lambda cp, a: a + HOST,
    "host + a": lambda cp, a: HOST + a,
    "a += host": lambda cp, a: a.__iadd__(HOST),
    "a == host": lambda cp, a: a == HOST,
    "host < a": lambda cp, a: a > HOST,
    "0-d host": lambda cp, a: a * np.array(2.0),
    "a @ host": lambda cp, a: a @ HOST,
    "host @ a": lambda cp, a: HOST @ a,
    "maximum": lambda cp, a: cp.maximum(a, HOST),
    "np.maximum": lambda cp, a: np.maximum(HOST, a),
    "where": lambda cp, a: cp.where(a > 1, a, HOST),
    "concatenate": lambda cp, a: cp.concatenate([a, HOST]),
    "np.concatenate": lambda cp, a: np.concatenate([a, HOST]),
    "sum of host": lambda cp, a: cp.sum(HOST),
    "sqrt of host": lambda cp, a: cp.sqrt(HOST),
    "searchsorted": lambda cp, a: cp.searchsorted(a, HOST),
    "host out": lambda cp, a: cp.add(a, a, out=HOST.copy()),
    "out of NumPy's": lambda cp, a: np.add(a, a, out=HOST.copy()),
    "full": lambda cp, a: cp.full(4, HOST),
    "a list": lambda cp, a: a.__add__([1, 2, 3, 4]),
    "where=": lambda cp, a: cp.sum(a, where=a > 1),
    "initial=": lambda cp, a: a.max(initial=0),
    "ufunc where=": lambda cp, a: cp.sqrt(a, where=a > 1),
    "casting": lambda cp, a: a.astype("f4", casting="safe"),
    "range": lambda cp, a: range(a[1].astype(int)),
    "slice": lambda cp, a: a[: a[1].astype(int)],
    "lexsort of a tuple": lambda cp, a: cp.lexsort((a, a)),
    "weights": lambda cp, a: cp.bincount(a.astype(int), weights=a),
    "bincount of floats": lambda cp, a: cp.bincount(a),
    "cast back": lambda cp, a: a.astype(int).__iadd__(0.5),
    "set of a list": lambda cp, a: a.set([0.0, 1.0, 2.0, 3.0]),
    "set of another dtype": lambda cp, a: a.set(HOST.astype("f4")),
    "vecdot": lambda cp, a: np.vecdot(a, a),
    "median": lambda cp, a: np.median(a),
    "take into another dtype": lambda cp, a: cp.take(a, a.astype(int), out=cp.empty(4, dtype="f4")),
    "arange": lambda cp, a: cp.arange(a[2]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_types_that_do_not_mix(cp, what):
    with pytest.raises(TypeError):
        REFUSED[what](cp, cp.arange(4.0))


def test_implicit_conversion_says_what_cupy_says(cp):
    with pytest.raises(TypeError, match=r"Implicit conversion to a NumPy array is not allowed. Please use `.get\(\)`"):
        np.asarray(cp.ones(3))


VALUES_REFUSED = {
    "object": lambda cp, a: cp.asarray(np.array([None])),
    "str": lambda cp, a: cp.asarray(["a"]),
    "datetime": lambda cp, a: cp.asarray(np.array(["2020"], "M8[D]")),
    "byte order": lambda cp, a: cp.asarray(np.arange(3).astype(">i8")),
    "astype": lambda cp, a: a.astype(object),
    "bool of many": lambda cp, a: bool(a > 1),
    "item of many": lambda cp, a: a.item(),
    "slice of host": lambda cp, a: a.__setitem__(slice(1, 3), HOST[1:3]),
    "all of host": lambda cp, a: a.__setitem__(..., HOST),
    "sort kind": lambda cp, a: cp.sort(a, kind="quicksort"),
    "set of another shape": lambda cp, a: a.set(np.zeros(3)),
    "get into another shape": lambda cp, a: a.get(out=np.zeros(3)),
    "F-ordered product": lambda cp, a: cp.matmul(cp.ones((2, 2)), cp.ones((2, 2)), out=cp.empty((2, 2), order="F")),
    "stream 0": lambda cp, a: a.__dlpack__(stream=0),
    "a tensor on the host": lambda cp, a: cp.from_dlpack(HOST),
}


@pytest.mark.parametrize("what", VALUES_REFUSED)
def test_values_that_are_refused(cp, what):
    with pytest.raises(ValueError):  # noqa: PT011  (CuPy's texts vary)
        VALUES_REFUSED[what](cp, cp.arange(4.0))


def test_products_over_their_own_factors_are_refused(cp):
    a = cp.ones((2, 2))
    with pytest.raises(ValueError, match="own factors"):
        cp.matmul(a, a, out=a)


def test_indices_out_of_bounds_are_errors(cp):
    a = cp.arange(4.0)
    for use in (lambda: a[cp.asarray([4])], lambda: a.take(cp.asarray([-5])), lambda: a[7], lambda: a[True]):
        with pytest.raises(IndexError):
            use()


def test_undefined_order_of_assignments_is_an_error(cp):
    a, twice = cp.zeros(4), cp.asarray([1, 2, 1])
    a[twice] = 5.0
    a[twice] = cp.asarray([7.0, 1.0, 7.0])
    with pytest.raises(ValueError, match="undefined on a GPU"):
        a[twice] = cp.asarray([1.0, 2.0, 3.0])
    assert_array_equal(a.get(), [0, 7, 1, 0])


# -- and what is allowed gives what NumPy gives ----------------------------------------------------


def test_scalars_mix_and_keep_dtypes(cp):
    for dtype in (np.float32, np.float64, np.int32, np.int64, bool):
        host = np.arange(6).astype(dtype)
        a = cp.asarray(host)
        for scalar in (2, 2.0, True, np.float32(2), np.float64(2), np.int8(2)):
            for got, wanted in ((a * scalar, host * scalar), (scalar * a, scalar * host), (a > scalar, host > scalar)):
                assert isinstance(got, cp.ndarray)
                assert_array_equal(got.get(), wanted, strict=True)


def test_functions_and_methods_agree_with_numpy(cp):
    host = np.random.default_rng(0).normal(size=(5, 7))
    a = cp.asarray(host)
    for name in ("sum", "mean", "max", "min", "argmax", "argmin", "var", "cumsum", "any", "all"):
        for axis in (None, 0, 1):
            assert_array_equal(getattr(a, name)(axis=axis).get(), getattr(host, name)(axis=axis), strict=False)
            assert_array_equal(getattr(cp, name)(a, axis=axis).get(), getattr(np, name)(host, axis=axis))
    for name in ("sqrt", "exp", "isnan", "floor", "log1p"):
        assert_array_equal(getattr(np, name)(a).get(), getattr(cp, name)(a).get())
    assert_array_equal(cp.unique(cp.asarray([3, 1, 3]), return_inverse=True)[1].get(), [1, 0, 1])
    assert_array_equal(cp.lexsort(cp.asarray([[1, 0, 1], [2, 2, 1]])).get(), [2, 1, 0])
    assert_array_equal(cp.where(a > 0, a, 0).get(), np.where(host > 0, host, 0))
    assert_array_equal(a.argsort(axis=1).get(), host.argsort(axis=1))
    assert_array_equal(cp.einsum("ij,ij->i", a, a).get(), np.einsum("ij,ij->i", host, host))
    assert_array_equal((a.T @ a).get(), host.T @ host)
    assert_array_equal(cp.bincount(cp.asarray([1, 1, 4]), minlength=7).get(), [0, 2, 0, 0, 1, 0, 0])
    assert_array_equal(np.sum(a, axis=0).get(), host.sum(axis=0))


def test_reductions_and_elements_stay_on_the_device(cp):
    a = cp.arange(6.0).reshape(2, 3)
    for value in (a.sum(), a[1, 2], a[0][1], a.argmax(), cp.max(a), cp.count_nonzero(a), next(iter(a[0]))):
        assert isinstance(value, cp.ndarray)
        assert value.shape == ()


def test_views_share_memory_and_copies_do_not(cp):
    a = cp.zeros((4, 6))
    views = [a[1:3], a.T, a[..., None], a.reshape(24), a.ravel(), a.view(np.int64), cp.swapaxes(a, 0, 1), a[0, ...]]
    for view in views:
        assert view.base is a
        assert view._memory is a._memory
    new = [a.copy(), a.T.ravel(), a.astype("f8"), a[cp.asarray([0, 1])], a + 0, cp.sort(a), cp.ascontiguousarray(a.T)]
    for made in new:
        assert made.base is None
        assert made._memory is not a._memory
    a.T[0] = 1
    assert a[:, 0].sum().item() == 4
    assert a.astype("f8", copy=False) is a


def test_no_warnings_of_numpy(cp):
    a = cp.asarray([0.0, 1e308, np.nan])
    assert_array_equal((1 / a + a * 10).get()[:1], [np.inf])
    assert_array_equal(cp.asarray([np.nan]).astype(int).shape, (1,))


def test_memory_is_poisoned(cp):
    assert np.isnan(cp.empty(5).get()).all()
    assert np.isnan(cp.empty(5, dtype=np.float32).get()).all()
    assert abs(cp.empty(5, dtype=np.int64).get()).min() > 2**60
    a = cp.ones(7)
    del a
    assert np.isnan(cp.empty(7).get()).all()


def test_synchronising_calls_are_counted(cp):
    a = cp.arange(5.0)
    before = control.counts.copy()
    float(a[0]), int(a[1]), bool(a[2] > 0), a.max().item(), a.get(), a[a > 2], cp.flatnonzero(a)
    found = control.counts - before
    assert found["item"] == 4
    assert found["get"] == 5
    assert found["mask"] == found["flatnonzero"] == 1
    _ = a[1:], a.sum(), a * 2, a.astype("f4"), a.take(cp.arange(3)), len(a), a.shape
    assert control.counts - before == found


# -- arrays from elsewhere -------------------------------------------------------------------------


class Interface:
    """Memory of somebody else, said to be a device's."""

    def __init__(self, host, **changes):
        desc = {name: host.__array_interface__[name] for name in ("shape", "typestr", "data", "strides")}
        self.host, self.__cuda_array_interface__ = host, {**desc, "version": 3, "stream": 1, **changes}


def test_cuda_array_interface(cp):
    host = np.arange(12.0).reshape(3, 4)
    for part in (host, host[:, ::2], host.T):
        a = cp.asarray(Interface(part))
        assert_array_equal(a.get(), part)
        assert a.data.ptr == part.ctypes.data
    a = cp.asarray([1.0, 2.0, 3.0])
    again = cp.asarray(Interface(np.empty(0), **a[1:].__cuda_array_interface__))
    assert again._memory is a._memory
    assert_array_equal(again.get(), [2, 3])
    with pytest.raises(ValueError, match="masked"):
        cp.asarray(Interface(host, mask=host))


def test_dlpack_keeps_memory_alive(cp):
    for dtype in ("f4", "f8", "i8", "u2", "?"):
        a = cp.asarray(np.arange(12).reshape(3, 4).astype(dtype))
        b = cp.from_dlpack(a.T[1:])
        assert b.data.ptr == a.T[1:].data.ptr
        used = cp.get_default_memory_pool().used_bytes()
        host = a.get()
        del a
        assert cp.get_default_memory_pool().used_bytes() == used
        assert_array_equal(b.get(), host.T[1:])
        del b
        assert cp.get_default_memory_pool().used_bytes() < used
    with pytest.raises(Exception, match=r"[Dd]evice"):
        np.from_dlpack(cp.ones(3))


def test_which_module_an_array_is_of(cp):
    assert cp.get_array_module(cp.ones(1)) is cp
    assert cp.get_array_module(HOST) is np
    assert type(cp.ones(1)).__module__.partition(".")[0] == "cupy"
    assert_array_equal(cp.asnumpy(cp.asarray(HOST)), HOST)


# -- precision -------------------------------------------------------------------------------------


def test_tf32_rounds_the_factors(cp):
    a = np.random.default_rng(0).normal(size=(20, 30)).astype(np.float32)
    exact = a.astype(np.float64) @ a.T.astype(np.float64)
    d = cp.asarray(a)
    assert cp._core.get_compute_type(np.float32) == 1
    assert_allclose((d @ d.T).get(), exact, rtol=1e-4, atol=1e-5)
    cp._core.set_compute_type(np.float32, 7)
    error = abs((d @ d.T).get() - exact).max()
    assert 1e-4 < error < 5e-2
    assert_allclose(cp.dot(d, d.T).get(), exact, atol=5e-2)
    assert_array_equal((d.astype("f8") @ d.T.astype("f8")).get(), exact)
    values = np.array([1, 1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, np.inf, 3e38], np.float32)
    rounded = (cp.asarray(values)[:, None] @ cp.ones((1, 1), dtype="f4")).get().ravel()
    assert_array_equal(rounded, np.float32([1, 1 + 2**-10, 1, 1 + 2**-9, np.inf, rounded[5]]))


# -- installing ------------------------------------------------------------------------------------


def test_install_and_uninstall():
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] in {"cupy", "cupyx"}}
    with fake_cupy.installed():
        import cupy
        import cupy.cuda
        from cupy.cuda import runtime

        assert cupy is fake_cupy.cupy
        assert runtime is cupy.cuda.runtime
        assert importlib.util.find_spec("cupy") is not None
        with fake_cupy.installed(n_devices=1) as again:
            assert again is cupy
            assert cupy.cuda.runtime.getDeviceCount() == 1
        assert cupy.cuda.runtime.getDeviceCount() == 2
    after = {name: module for name, module in sys.modules.items() if name.split(".")[0] in {"cupy", "cupyx"}}
    assert after == before


def test_the_probe_finds_the_emulation_only_while_it_is_installed():
    from gpumetrics import backends

    outside = backends.probe_cupy()
    with fake_cupy.installed():
        assert backends.probe_cupy() == (True, "Emulated GPU")
    assert backends.probe_cupy() == outside
