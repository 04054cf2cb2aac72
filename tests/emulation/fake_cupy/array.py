"""`cupy.ndarray`: a NumPy array in emulated device memory that refuses what CuPy's refuses."""

from __future__ import annotations

import numpy as np

from . import dlpack, streams
from .memory import MemoryPointer

SUPPORTED = "?bhilqBHILQefdFD"
SCALARS = (bool, int, float, complex, np.generic)
IMPLICIT = (
    "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array explicitly."
)


def check_dtype(dtype):
    """Return the dtype, or raise as CuPy does for what a GPU has no numbers for."""
    dtype = np.dtype(dtype)
    if dtype.char not in SUPPORTED or not dtype.isnative:
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


class Flags:
    """`ndarray.flags`: three of NumPy's."""

    def __init__(self, flags, *, owndata):
        self.c_contiguous, self.f_contiguous, self.owndata = flags.c_contiguous, flags.f_contiguous, owndata

    def __getitem__(self, name):
        return {
            "C_CONTIGUOUS": self.c_contiguous,
            "F_CONTIGUOUS": self.f_contiguous,
            "OWNDATA": self.owndata,
        }[name]


class ndarray:  # noqa: N801
    """An array on a device."""

    __module__ = "cupy"

    __array_priority__ = 100
    __hash__ = None

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order="C"):
        dtype = check_dtype(dtype)
        shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)
        if memptr is None:
            if strides is not None:
                raise ValueError("memptr is required if strides is given.")
            memory = streams.allocate(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
            memory.poison(dtype)
            memptr = MemoryPointer(memory, 0)
        self._memory = memptr.mem
        self._a = np.ndarray(shape, dtype, memptr.mem.bytes, memptr._offset, strides, "C" if order is None else order)
        self.base = None

    # -- what it is ----------------------------------------------------------------------------

    dtype = property(lambda self: self._a.dtype)
    strides = property(lambda self: self._a.strides)
    ndim = property(lambda self: self._a.ndim)
    size = property(lambda self: self._a.size)
    itemsize = property(lambda self: self._a.itemsize)
    nbytes = property(lambda self: self._a.size * self._a.itemsize)
    device = property(lambda self: self._memory.device.handle)
    flags = property(lambda self: Flags(self._a.flags, owndata=self.base is None))

    @property
    def shape(self):
        return self._a.shape

    @shape.setter
    def shape(self, shape):
        view = self._a.reshape(shape)
        if not np.may_share_memory(view, self._a) and self._a.size:
            raise AttributeError("Incompatible shape for in-place modification.")
        self._a = view

    @property
    def data(self):
        if not self._a.size:
            return MemoryPointer(self._memory, 0)
        return MemoryPointer(self._memory, self._a.__array_interface__["data"][0] - self._memory.address)

    def __len__(self):
        if not self._a.ndim:
            raise TypeError("len() of unsized object")
        return len(self._a)

    def __iter__(self):
        if not self._a.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self._a)))

    # -- to and from the host ------------------------------------------------------------------

    def __array__(self, dtype=None, copy=None):
        raise TypeError(IMPLICIT)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from .functions import TABLE

        if method != "__call__" or ufunc.__name__ not in TABLE:
            return NotImplemented
        if "out" in kwargs:
            (kwargs["out"],) = kwargs["out"]
        return TABLE[ufunc.__name__](*inputs, **kwargs)

    def __array_function__(self, func, types, args, kwargs):
        from .functions import TABLE

        if func.__module__ != "numpy" or func.__name__ not in TABLE:
            return NotImplemented
        return TABLE[func.__name__](*args, **kwargs)

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "stream": streams.current_stream().ptr or 1,  # 1: the legacy default stream
            "version": 3,
            "strides": None if self._a.flags.c_contiguous else self.strides,
            "data": (self.data.ptr, False),
        }

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None and (not isinstance(stream, int) or stream < -1 or stream == 0):
            raise ValueError(f"On CUDA, the valid stream for the DLPack protocol is -1, 1, 2 or larger, not {stream}")
        streams.current_stream()._begin()
        return dlpack.capsule_of(self)

    def __dlpack_device__(self):
        return 2, self._memory.device.id

    def __copy__(self):
        return self.copy()


def poison(array):
    """Fill a NumPy array with what no one may read."""
    kind = array.dtype.kind
    array[...] = np.nan if kind in "fc" else True if kind == "b" else np.frombuffer(b"\xcd" * 8, array.dtype, 1)[0]


def begin(*arrays):
    """Start an operation on the current stream that reads these: they must lie on the current device."""
    device = streams.current_device()
    stream = streams.current_stream()._begin()
    for array in arrays:
        if isinstance(array, ndarray):
            check_device(array, device)
            array._memory.read_by(stream)
    return stream


def check_device(array, device):
    if array._memory.device is not device:
        raise ValueError(
            "Array device must be same as the current device: "
            f"array device = {array._memory.device.id} while current = {device.id}"
        )


def wrap(result, *parents):
    """A device array of a NumPy result: a view where it is one of a parent's memory, otherwise a new block."""
    result = np.asarray(result)
    for parent in parents:
        if result.size and np.may_share_memory(result, parent._a):
            return view_of(result, parent)
    check_dtype(result.dtype)
    memory = streams.allocate(result.nbytes)
    memory.written_by(streams.current_stream())
    order = "F" if result.flags.fnc else "C"
    array = ndarray.__new__(ndarray)
    array._memory, array.base = memory, None
    array._a = np.ndarray(result.shape, result.dtype, memory.bytes, 0, None, order)
    array._a[...] = result
    return array


def view_of(result, parent):
    view = ndarray.__new__(ndarray)
    view._memory, view._a = parent._memory, result
    view.base = parent if parent.base is None else parent.base
    return view
