"""Arrays that speak the protocols of array libraries, and stand-ins for those of libraries that need a GPU."""

import sys
import types


class Pointers:
    """Which device holds an address, as CUDA's driver knows it."""

    owners: dict[int, int] = {}  # noqa: RUF012  (of all tests)

    def attributes(self, address):
        return types.SimpleNamespace(device=self.owners[address])


class Exporter:
    """An array that speaks DLPack and nothing else, on the host or on a device."""

    def __init__(self, data):
        self.data, self.streams = data, []

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()

    def __dlpack__(self, **kwargs):
        self.streams.append(kwargs.get("stream"))
        return self.data.__dlpack__(**kwargs)


class CudaArray:
    """An array that has `__cuda_array_interface__` and nothing else, such as Numba's."""

    def __init__(self, data, **changes):
        self.data, self.changes = data, changes
        Pointers.owners[data.data.ptr] = data.device.id

    @property
    def __cuda_array_interface__(self):
        return {**self.data.__cuda_array_interface__, **self.changes}


class Both(CudaArray, Exporter):
    """An array with both protocols whose DLPack refuses, as torch's does for streams of a thread's own."""

    def __dlpack_device__(self):
        return 2, self.data.device.id

    def __dlpack__(self, **kwargs):
        raise BufferError("not on this stream")


class Sharded:
    """JAX's array on several GPUs, and torch's on no device: both protocols are there, and raise."""

    def __dlpack_device__(self):
        raise BufferError("only supported for unsharded arrays")

    @property
    def __cuda_array_interface__(self):
        raise AttributeError("only supported for unsharded arrays")


def shares(a, b):
    return a.data.ptr == b.data.ptr


class Tensor:
    """A CUDA tensor of torch's: DLPack refuses it while it has a gradient, and bfloat16 is foreign to CuPy."""

    is_nested = is_quantized = False

    def __init__(self, data, dtype=None, *, requires_grad=False, layout="strided", negative=False):
        self.data, self.dtype = data, str(data.dtype) if dtype is None else dtype
        self.device = types.SimpleNamespace(type="cuda", index=data.device.id)
        self.requires_grad, self.layout, self.negative = requires_grad, layout, negative

    def __dlpack_device__(self):
        return 2, self.device.index

    def __dlpack__(self, **kwargs):
        if self.requires_grad or self.layout != "strided":
            raise BufferError("Can't export")
        if self.dtype in {"bfloat16", "bool"}:
            raise BufferError(f"{self.dtype} is not supported")
        return self.data.__dlpack__(**kwargs)

    @property
    def __cuda_array_interface__(self):
        if self.requires_grad:
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")
        return self.data.__cuda_array_interface__

    def detach(self):
        return Tensor(self.data, self.dtype, layout=self.layout, negative=self.negative)

    def resolve_conj(self):
        return self

    def resolve_neg(self):
        return Tensor(-self.data) if self.negative else self

    def view(self, dtype):
        return Tensor(self.data.view(dtype), dtype)

    def clone(self):
        return Tensor(self.data.copy(), self.dtype)


class JaxArray(Exporter):
    """A JAX array on a GPU."""

    platform = "gpu"

    def __init__(self, data, dtype=None):
        super().__init__(data)
        self.dtype = types.SimpleNamespace(name=dtype or str(data.dtype))

    def __dlpack__(self, **kwargs):
        assert self.dtype.name != "bfloat16"  # CuPy has none
        return super().__dlpack__(**kwargs)

    def view(self, dtype):
        return JaxArray(self.data.view(dtype))

    def devices(self):
        return [types.SimpleNamespace(id=0, platform=self.platform)]


class Frame:
    """A table or column of cuDF's over pandas: no implicit way to the host, and no numbers of what has none."""

    def __init__(self, native):
        self.native, self.ndim, self.shape = native, native.ndim, native.shape

    dtype = property(lambda self: self.native.dtype)
    name = property(lambda self: self.native.name)
    iloc = property(lambda self: Columns(self.native))

    def __len__(self):
        return len(self.native)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a host NumPy array via __array__ is not allowed")

    def isna(self):
        return self.native.isna()

    def to_pandas(self):
        return self.native

    def to_cupy(self, *, copy):
        assert not copy
        if self.dtype.kind not in "iufb":
            raise TypeError("not numbers")
        return sys.modules["cupy"].asarray(self.native.to_numpy())


class Columns:
    def __init__(self, native):
        self.native = native

    def __getitem__(self, key):
        return Frame(self.native.iloc[key])
