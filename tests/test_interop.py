"""Arrays of other libraries by the protocols: shared on the way in, and results in the same library on the way out."""

import subprocess
import sys

import numpy as np
import pytest
from emulation import fake_cupy
from exporters import Both, CudaArray, Exporter, Pointers, Sharded, shares
from numpy.testing import assert_array_equal

from gpumetrics.backends.interop import (
    as_library_of,
    bfloat16_to_float32,
    device_array,
    device_id,
    host_array,
    host_column,
    is_device_array,
    same_device,
)

DTYPES = ["bool", "uint8", "int16", "int64", "uint64", "float16", "float32", "float64"]


@pytest.fixture
def cupy(monkeypatch):
    with fake_cupy.installed() as module:
        monkeypatch.setattr(module.cuda.runtime, "pointerGetAttributes", Pointers().attributes, raising=False)
        yield module


# -- on the host ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_exporter_on_the_host_is_shared(dtype):
    data = np.arange(12).reshape(3, 4).astype(dtype)
    for part in (data, data.T, data[:, ::2]):
        array, bfloat16 = host_array(Exporter(part))
        assert not bfloat16
        assert np.shares_memory(array, data)
        assert_array_equal(array, part, strict=True)


def test_what_numpy_knows_is_left_to_it():
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    frame = pandas.DataFrame({"a": [1, 2]})
    known = [np.ones(3), np.ma.ones(3), [1, 2], (1, 2), "abc", None, 5, {1: 2}, frame, frame["a"], frame.index]
    known += [polars.from_pandas(frame), pyarrow.array([1, None]), pyarrow.table({"a": [1]}), Sharded()]
    for array in known:
        assert host_array(array) is None
        assert host_column(array) is None
        assert not is_device_array(array)
    assert same_device(*((f"argument {i}", array) for i, array in enumerate(known))) is None
    result = np.ones(3)
    assert all(as_library_of(result, array) is result for array in known)
    assert as_library_of(result, Exporter(result)) is result


def test_what_cannot_be_exported_is_left_to_numpy():
    class Shy(Exporter):
        def __dlpack__(self, **kwargs):
            raise BufferError("bits")

    assert host_array(Shy(np.ones(3))) is None


def test_bfloat16_widens_exactly():
    bits = np.arange(2**16).astype(np.uint16)
    wide = bfloat16_to_float32(bits.reshape(256, 256).T)
    assert wide.dtype == np.float32
    assert_array_equal(wide.T.ravel().view(np.uint32), bits.astype(np.uint32) << 16)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    numbers = bits.view(ml_dtypes.bfloat16)
    assert_array_equal(bfloat16_to_float32(bits), numbers.astype(np.float32))
    array, bfloat16 = host_array(numbers)
    assert bfloat16
    assert array.dtype == np.uint16
    assert np.shares_memory(array, bits)


def test_nothing_is_loaded_to_find_out():
    code = """
import sys
from gpumetrics.backends.interop import as_library_of, device_id, host_array, is_device_array, same_device
class Device:
    def __dlpack_device__(self): return 2, 1
for array in ([1], 5, Device()):
    host_array(array), is_device_array(array), same_device(("X", array))
assert device_id(Device()) == 1
assert as_library_of(5, [1]) == 5
print(*{m.partition(".")[0] for m in sys.modules} & {"torch", "jax", "numba", "cudf", "cupy", "ml_dtypes", "pandas"})
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (run.stdout.strip(), run.returncode) == ("", 0), run.stderr


# -- on a device ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [Exporter, CudaArray, Both, lambda data: data])
def test_an_array_on_a_device_is_shared(cupy, kind, dtype):
    data = cupy.asarray(np.arange(12).reshape(3, 4).astype(dtype))
    for part in (data, data.T, data[:, ::2], data[1:]):
        given = kind(part)
        assert is_device_array(given)
        assert device_id(given) == 0
        array, bfloat16 = device_array(given, "X", table=True)
        assert not bfloat16
        assert isinstance(array, cupy.ndarray)
        assert shares(array, part)
        assert array.strides == part.strides
        assert_array_equal(array.get(), part.get(), strict=True)


@pytest.mark.parametrize("kind", [Exporter, CudaArray, Both, lambda data: data])
def test_arrays_stay_on_their_device(cupy, kind):
    with cupy.cuda.Device(1):
        there = cupy.asarray(np.arange(3.0))
    here = cupy.asarray(np.arange(3.0))
    assert device_id(kind(there)) == same_device(("X", [1]), ("labels", kind(there))) == 1
    array, _ = device_array(kind(there), "X", table=True)
    assert array.device.id == 1
    assert shares(array, there)
    with pytest.raises(ValueError, match="X is on CUDA device 0, but labels is on CUDA device 1: move one of them"):
        same_device(("X", here), ("Y", None), ("labels", kind(there)))
    result = as_library_of(np.arange(3.0), kind(there))
    assert result.device.id == 1
    assert cupy.cuda.Device().id == 0


def test_the_exporter_learns_the_current_stream(cupy):
    given = Exporter(cupy.asarray(np.arange(3.0)))
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        device_array(given, "X", table=True)
    assert given.streams == [stream.ptr]


def test_without_a_stream_by_dlpack_the_device_is_waited_for(cupy):
    with cupy.cuda.Stream(non_blocking=True):
        data = cupy.asarray(np.arange(3.0)) + 1
    # The emulation raises where nothing orders the reading after the writing.
    array, _ = device_array(Both(data, stream=None), "X", table=True)
    assert_array_equal((array + 1).get(), [2.0, 3.0, 4.0])


def test_what_cupy_cannot_hold_is_named(cupy):
    data = cupy.asarray(np.arange(3.0))
    for given in (CudaArray(data, typestr="<M8[s]"), CudaArray(data, mask=data)):
        with pytest.raises(ValueError, match="labels cannot be read where it lies"):
            device_array(given, "labels", table=False)


def test_empty_arrays(cupy):
    for kind in (Exporter, CudaArray):
        array, _ = device_array(kind(cupy.empty((0, 3))), "X", table=True)
        assert array.shape == (0, 3)


def test_an_array_on_a_gpu_without_cupy(monkeypatch):
    from gpumetrics.backends import choose, on_device_of, probe_cupy
    from gpumetrics.exceptions import BackendError

    class Numba:
        __cuda_array_interface__ = {"data": (4096, False), "shape": (1,), "typestr": "<f8", "version": 3}  # noqa: RUF012

    for name in [name for name in sys.modules if name.partition(".")[0] == "cupy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cupy", None)
    probe_cupy.cache_clear()
    try:
        assert device_id(Numba()) == 0
        with pytest.raises(BackendError, match="an array on a GPU was given"):
            choose(Numba())
        with pytest.raises(BackendError), on_device_of(X=Numba()):
            pass
    finally:
        probe_cupy.cache_clear()


def test_bfloat16_on_a_device(cupy):
    bits = np.arange(2**16).astype(np.uint16)
    wide = bfloat16_to_float32(cupy.asarray(bits))
    assert isinstance(wide, cupy.ndarray)
    assert_array_equal(wide.get().view(np.uint32), bits.astype(np.uint32) << 16)


def test_results_follow_the_argument(cupy):
    host, device = np.arange(3.0), cupy.asarray(np.arange(3.0))
    assert isinstance(as_library_of(host, device), cupy.ndarray)
    assert as_library_of(device, device) is device
    assert as_library_of(host, [1]) is host
    for template in ([1], host, Exporter(host), None):
        assert type(as_library_of(device, template)) is np.ndarray
    for template in (Exporter(device), CudaArray(device)):
        assert as_library_of(device, template) is device


def test_sparse_matrices_of_cupy(cupy):
    csr = type("csr_matrix", (), {"__module__": "cupyx.scipy.sparse._csr"})()
    csr.data = cupy.asarray(np.ones(2))
    assert is_device_array(csr)
    assert device_id(csr) == 0
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        device_array(csr, "X", table=True)
