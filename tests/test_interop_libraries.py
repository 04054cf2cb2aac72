"""Arrays of torch, JAX, Numba and cuDF: the real libraries where they are installed, stand-ins for what needs a GPU."""

import contextlib
import sys
import types

import numpy as np
import pytest
from emulation import fake_cupy
from exporters import CudaArray, Frame, JaxArray, Sharded, Tensor, shares
from numpy.testing import assert_array_equal

from gpumetrics.backends.interop import (
    as_library_of,
    bfloat16_to_float32,
    device_array,
    device_id,
    host_array,
    host_column,
    is_device_array,
)


@pytest.fixture
def cupy():
    with fake_cupy.installed() as module:
        yield module


# -- torch on a GPU ------------------------------------------------------------------------------


@pytest.fixture
def torch(cupy, monkeypatch):
    module = types.ModuleType("torch")
    module.Tensor, module.strided = Tensor, "strided"
    for name in ("bfloat16", "int16", "uint8", "bool"):
        setattr(module, name, name)
    module.from_dlpack = lambda array: Tensor(cupy.from_dlpack(array))
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def test_cuda_tensors(cupy, torch):
    data = cupy.asarray(np.arange(6.0).reshape(2, 3))
    given = Tensor(data, requires_grad=True)
    assert is_device_array(given)
    array, _ = device_array(given, "X", table=True)
    assert shares(array, data)
    flags = cupy.asarray(np.array([True, False]))
    array, _ = device_array(Tensor(flags), "labels", table=False)
    assert array.dtype == bool
    assert shares(array, flags)
    array, _ = device_array(Tensor(data, negative=True), "X", table=True)
    assert_array_equal(array.get(), -np.arange(6.0).reshape(2, 3))
    with pytest.raises(TypeError, match="Sparse data was passed for labels"):
        device_array(Tensor(data, layout="sparse_coo"), "labels", table=False)


def test_cuda_tensors_of_bfloat16(cupy, torch):
    data = cupy.asarray(np.array([[0x3F80, 0xC000]], dtype=np.uint16))
    given = Tensor(data.view(np.int16), "bfloat16", requires_grad=True)
    array, bfloat16 = device_array(given, "X", table=True)
    assert bfloat16
    assert array.dtype == np.uint16
    assert shares(array, data)
    array, bfloat16 = device_array(given, "labels", table=False)
    assert not bfloat16
    assert_array_equal(array.get(), np.array([[1, -2]], dtype=np.float32), strict=True)


def test_results_for_cuda_tensors(cupy, torch):
    result = cupy.asarray(np.arange(3.0))
    back = as_library_of(result, Tensor(cupy.asarray(np.ones(2))))
    assert isinstance(back, Tensor)
    assert not shares(back.data, result)  # CuPy would use the block again on its own stream
    assert_array_equal(back.data.get(), result.get())


# -- JAX and Numba on a GPU ----------------------------------------------------------------------


def test_jax_on_a_gpu(cupy, monkeypatch):
    class X64:
        on = False

        def __init__(self, *, new_val):
            X64.on = new_val

        def __enter__(self):
            return self

        def __exit__(self, *_):
            X64.on = False

    def from_dlpack(array):
        assert X64.on, "JAX would make these float32"
        return JaxArray(cupy.from_dlpack(array))

    module = types.ModuleType("jax")
    module.Array, module.enable_x64 = JaxArray, X64
    module.numpy = types.SimpleNamespace(from_dlpack=from_dlpack)
    monkeypatch.setitem(sys.modules, "jax", module)
    data = cupy.asarray(np.array([0x3F80, 0xC000], dtype=np.uint16))
    array, bfloat16 = device_array(JaxArray(data, "bfloat16"), "X", table=True)
    assert bfloat16
    assert_array_equal(bfloat16_to_float32(array).get(), [1, -2])
    result = cupy.asarray(np.arange(3.0))
    back = as_library_of(result, JaxArray(data))
    assert isinstance(back, JaxArray)
    assert shares(back.data, result)
    sharded = type("Array", (Sharded, JaxArray), {})(data)
    assert not is_device_array(sharded)
    with pytest.raises(ValueError, match=r"X lies on .*: move it to the CPU or to one CUDA device"):
        host_array(sharded, "X")


def test_results_for_numba(cupy, monkeypatch):
    entered = []

    class Gpus:
        def __getitem__(self, number):
            entered.append(number)
            return contextlib.nullcontext()

    package, module = types.ModuleType("numba"), types.ModuleType("numba.cuda")
    package.cuda, package.__path__ = module, []
    module.gpus, module.as_cuda_array = Gpus(), CudaArray
    monkeypatch.setitem(sys.modules, "numba", package)
    monkeypatch.setitem(sys.modules, "numba.cuda", module)
    device_ndarray = type("DeviceNDArray", (CudaArray,), {"__module__": "numba.cuda.cudadrv.devicearray"})
    result = cupy.asarray(np.arange(3.0))
    back = as_library_of(result, device_ndarray(cupy.asarray(np.ones(2))))
    assert type(back) is CudaArray
    assert shares(back.data, result)
    assert entered == [0]


# -- cuDF ----------------------------------------------------------------------------------------


@pytest.fixture
def cudf(cupy, monkeypatch):
    module = types.ModuleType("cudf")
    module.DataFrame = module.Series = Frame
    monkeypatch.setitem(sys.modules, "cudf", module)
    return module


def test_tables_of_cudf(cupy, cudf):
    pandas = pytest.importorskip("pandas")
    table = Frame(pandas.DataFrame({"a": np.array([1, 2], dtype=np.int32), "b": np.array([0.5, 1.5])}))
    assert is_device_array(table)
    assert device_id(table) == 0
    array, _ = device_array(table, "X", table=True)
    assert_array_equal(array.get(), np.array([[1, 0.5], [2, 1.5]]), strict=True)
    assert device_array(Frame(pandas.DataFrame(index=range(3))), "X", table=True)[0].shape == (3, 0)
    assert isinstance(as_library_of(np.ones(2), table), cupy.ndarray)
    with pytest.raises(ValueError, match=r"Input X contains NaN\. Column 'b' has 1 missing values"):
        device_array(Frame(pandas.DataFrame({"a": [1, 2], "b": [0.5, np.nan]})), "X", table=True)
    with pytest.raises(ValueError, match="X must hold numbers; column 'a' has dtype"):
        device_array(Frame(pandas.DataFrame({"a": ["x", "y"]})), "X", table=True)


def test_columns_of_cudf(cupy, cudf):
    pandas = pytest.importorskip("pandas")
    for numbers in (np.array([3, 1, 3]), np.array([True, False]), np.array([0.5, 1.5])):
        column = Frame(pandas.Series(numbers))
        assert host_column(column) is None
        assert_array_equal(device_array(column, "labels", table=False)[0].get(), numbers, strict=True)
    assert host_column(Frame(pandas.DataFrame({"a": [1, 2]}))) is None
    for values in (["x", "y"], pandas.Categorical(["x", "y"]), [1.0, None], pandas.to_datetime(["2024-01-01"])):
        native = pandas.Series(values)
        assert host_column(Frame(native)) is native


# -- the real libraries, where they are installed ------------------------------------------------


@pytest.fixture
def real_torch():
    return pytest.importorskip("torch")


def test_torch_on_the_host(real_torch):
    torch = real_torch
    for dtype in (torch.float16, torch.float32, torch.float64, torch.uint8, torch.int64, torch.bool):
        tensor = torch.arange(6).reshape(2, 3).to(dtype)
        assert not is_device_array(tensor)
        array, bfloat16 = host_array(tensor)
        assert not bfloat16
        assert array.ctypes.data == tensor.data_ptr()
        assert_array_equal(array, np.arange(6).reshape(2, 3).astype(array.dtype))
    array, _ = host_array(torch.nn.Parameter(torch.arange(3.0)))
    assert_array_equal(array, [0, 1, 2])
    negative = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    assert negative.is_neg()
    assert_array_equal(host_array(negative)[0], [-2, 4])


def test_torch_bfloat16_on_the_host(real_torch):
    torch = real_torch
    tensor = torch.arange(-3, 3, dtype=torch.bfloat16).reshape(2, 3)
    for part in (tensor, tensor.T, tensor[:, ::2], torch.nn.Parameter(tensor)):
        array, bfloat16 = host_array(part)
        assert bfloat16
        assert array.ctypes.data == part.data_ptr()
        assert_array_equal(bfloat16_to_float32(array), part.detach().float().numpy(), strict=True)


@pytest.mark.filterwarnings("ignore")
def test_torch_tensors_that_are_no_arrays(real_torch):
    torch = real_torch
    dense = torch.eye(3)
    for sparse in (dense.to_sparse(), dense.to_sparse_csr()):
        assert not is_device_array(sparse)
        with pytest.raises(TypeError, match=r"Sparse data was passed for X, .*to_dense"):
            host_array(sparse, "X")
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for odd in (torch.quantize_per_tensor(dense, 0.1, 0, torch.qint8), nested):
        with pytest.raises(ValueError, match="labels is a nested or quantized tensor"):
            host_array(odd, "labels")
    with pytest.raises(ValueError, match="X lies on meta: move it to the CPU"):
        host_array(dense.to("meta"), "X")
    with pytest.raises(ValueError, match="X cannot be read as an array"):
        host_array(dense.to(torch.float8_e4m3fn), "X")


def test_torch_in_torch_out_on_the_host(real_torch):
    frozen = np.arange(3)
    frozen.flags.writeable = False
    for result in (np.arange(3.0), np.arange(6).reshape(2, 3)[:, ::-1], frozen):
        back = as_library_of(result, real_torch.ones(2))
        assert isinstance(back, real_torch.Tensor)
        assert_array_equal(back.numpy(), result, strict=True)
    with fake_cupy.installed() as cupy:
        back = as_library_of(cupy.asarray(np.arange(3.0)), real_torch.ones(2))
        assert back.dtype == real_torch.float64
        assert back.device.type == "cpu"


@pytest.fixture
def jax():
    module = pytest.importorskip("jax")
    module.config.update("jax_platforms", "cpu")
    return module


def test_jax_on_the_host(jax):
    for dtype in ("float16", "float32", "int32", "uint8", "bool"):
        given = jax.numpy.arange(6).reshape(2, 3).astype(dtype)
        assert not is_device_array(given)
        array, bfloat16 = host_array(given)
        assert not bfloat16
        assert array.ctypes.data == given.unsafe_buffer_pointer()
        assert_array_equal(array, np.arange(6).reshape(2, 3).astype(dtype), strict=True)
    given = jax.numpy.arange(-3, 3, dtype="bfloat16")
    array, bfloat16 = host_array(given)
    assert bfloat16
    assert_array_equal(bfloat16_to_float32(array), [-3, -2, -1, 0, 1, 2])


@pytest.mark.parametrize("x64", [False, True])
def test_jax_in_jax_out_keeps_every_bit(jax, x64):
    template = jax.numpy.ones(2)
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", x64)
    try:
        for result in (np.arange(3) / 3, np.array([[2**40, 1], [2, 3]])):
            back = as_library_of(result, template)
            assert isinstance(back, jax.Array)
            assert back.devices() == template.devices()
            assert_array_equal(np.asarray(back), result, strict=True)
            assert_array_equal(np.asarray(back[1:]), result[1:], strict=True)
        assert jax.config.jax_enable_x64 == x64
        if not x64 and hasattr(jax, "enable_x64"):  # as recent versions say
            with pytest.warns(UserWarning, match="float64"):
                as_library_of(np.arange(3) / 3, template) * 2
    finally:
        jax.config.update("jax_enable_x64", before)
