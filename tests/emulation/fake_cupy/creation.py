"""Making arrays: from nothing, from the host, from memory of others."""

from __future__ import annotations

import numpy as np

from . import dlpack, streams
from .array import SCALARS, begin, check_dtype, ndarray, wrap
from .calls import call, signature_of
from .control import control
from .memory import Memory, MemoryPointer, find


def empty(shape, dtype=float, order="C"):
    return ndarray(shape, dtype, order=order)


def full(shape, fill_value, dtype=None, order="C"):
    if isinstance(fill_value, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    value = fill_value._a if isinstance(fill_value, ndarray) else fill_value
    array = empty(shape, np.asarray(value).dtype if dtype is None else dtype, order)
    array._memory.written_by(begin(fill_value))
    array._a[...] = value
    return array


def zeros(shape, dtype=float, order="C"):
    return full(shape, 0, dtype, order)


def ones(shape, dtype=float, order="C"):
    return full(shape, 1, dtype, order)


def _like(a, dtype, order, shape):
    if not isinstance(a, ndarray):
        raise TypeError(f"a cupy.ndarray is needed, not {type(a)}")
    order = ("F" if a._a.flags.fnc else "C") if order in {"K", "A", None} else order
    return a.shape if shape is None else shape, a.dtype if dtype is None else dtype, order


def empty_like(prototype, dtype=None, order="K", subok=None, shape=None):
    return empty(*_like(prototype, dtype, order, shape))


def zeros_like(a, dtype=None, order="K", subok=None, shape=None):
    return zeros(*_like(a, dtype, order, shape))


def ones_like(a, dtype=None, order="K", subok=None, shape=None):
    return ones(*_like(a, dtype, order, shape))


def full_like(a, fill_value, dtype=None, order="K", subok=None, shape=None):
    shape, dtype, order = _like(a, dtype, order, shape)
    return full(shape, fill_value, dtype, order)


def _from_scalars(name, signature):
    """A function of numbers only: a device array among them would be read back."""
    function = getattr(np, name)

    def wrapper(*args, **kwargs):
        bound = wrapper.__signature__.bind(*args, **kwargs).arguments
        if any(isinstance(value, (ndarray, np.ndarray)) for value in bound.values()):
            raise TypeError(f"{name} takes numbers, not arrays")
        return call(function, args, kwargs)

    wrapper.__name__, wrapper.__signature__ = name, signature_of(signature)
    return wrapper


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False):
    if subok:
        raise NotImplementedError
    made = _on_this_device(obj, dtype, "K" if order is None else order, copy=copy)
    if ndmin > made.ndim:
        made = made.reshape((1,) * (ndmin - made.ndim) + made.shape)
    if blocking:
        streams.current_stream().synchronize()
    return made


def asarray(a, dtype=None, order=None, *, blocking=False):
    return array(a, dtype, copy=False, order=order, blocking=blocking)


def _on_this_device(obj, dtype, order, *, copy):
    if isinstance(obj, ndarray):
        if obj._memory.device is not streams.current_device():
            return _from_other_device(obj).astype(dtype or obj.dtype, order, copy=False)
        return obj.astype(obj.dtype if dtype is None else dtype, order, copy=bool(copy))
    if hasattr(obj, "__cuda_array_interface__"):
        return _on_this_device(_from_interface(obj), dtype, order, copy=copy)
    if isinstance(obj, (list, tuple)) and any(isinstance(part, ndarray) for part in obj):
        stacked = call(np.stack, [list(obj)], {})
        return stacked if dtype is None else stacked.astype(dtype, copy=False)
    host = np.asarray(obj, dtype=dtype, order=order)
    check_dtype(host.dtype)
    control.counts["to device"] += 1
    control.counts["bytes to device"] += host.nbytes
    streams.current_stream()._begin()
    return wrap(host.copy(order="K"))


def _from_other_device(array):
    if not (array._a.flags.c_contiguous or array._a.flags.f_contiguous):
        raise NotImplementedError("CuPy cannot copy non-contiguous array between devices.")
    stream, there = streams.current_stream(), array._memory.device.null
    if stream._is_null:  # a copy between devices on the default stream waits for both
        stream.wait_event(there.record())
    array._memory.read_by(stream._begin())
    return wrap(array._a.copy(order="K"))


def _from_interface(obj):
    desc = obj.__cuda_array_interface__
    if desc.get("mask") is not None:
        raise ValueError("CuPy currently does not support masked arrays.")
    if desc.get("stream") == 0:
        raise ValueError("stream 0 is not allowed in __cuda_array_interface__")
    if desc.get("stream") is not None:
        for stream in list(streams.current_device().streams):
            if desc["stream"] == stream.ptr or (desc["stream"] in {1, 2} and stream._is_null):
                stream._wait_here()
    return foreign(desc["data"][0], desc["shape"], np.dtype(desc["typestr"]), desc.get("strides"), obj)


def foreign(address, shape, dtype, strides, owner, device_id=None):
    """A device array over memory that the pool did not give."""
    check_dtype(dtype)
    known = find(address)
    if known is None:
        device = streams.current_device() if device_id is None else streams.state(device_id)
        known = Memory.unowned(address, _extent(shape, strides, dtype.itemsize), device, owner)
    elif device_id is not None and known.device.id != device_id:
        raise ValueError("the memory lies on another device than its owner says")
    made = ndarray(shape, dtype, MemoryPointer(known, address - known.address if address else 0), strides)
    made.base = owner
    return made


def _extent(shape, strides, itemsize):
    if not all(shape):
        return 0
    if strides is None:
        return int(np.prod(shape, dtype=np.int64)) * itemsize
    if any(step < 0 for step in strides):
        raise ValueError("negative strides are not emulated for memory of others")
    return itemsize + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))


def from_dlpack(array, *, device=None, copy=None):
    if device is not None or copy is not None:
        raise NotImplementedError("from_dlpack(device=, copy=) is not emulated")
    kind, device_id = array.__dlpack_device__()
    if kind != dlpack.CUDA:
        raise ValueError(f"a tensor on a CUDA device is needed, not of device type {kind}")
    with streams.state(device_id).handle:
        stream = streams.current_stream()
        tensor = dlpack.Import(array.__dlpack__(stream=stream.ptr or 1))
        return foreign(tensor.address, tensor.shape, tensor.dtype, tensor.strides, tensor, device_id)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    if isinstance(a, ndarray):
        return a.get(stream, order, out, blocking)
    if hasattr(a, "__cuda_array_interface__"):
        return asarray(a).get(stream, order, out, blocking)
    host = np.asarray(a, order=order)
    if out is None:
        return host
    np.copyto(out, host)
    return out


def _layout(order):
    def wrapper(a, dtype=None):
        made = asarray(a, dtype, order=order)
        return made.reshape(1) if made.ndim == 0 else made

    return wrapper


def copy(a, order="K"):
    return a.copy(order=order)


def copyto(dst, src, casting="same_kind", where=None):
    if not isinstance(dst, ndarray) or not isinstance(src, (ndarray, *SCALARS)):
        raise TypeError(f"cupy.ndarray and a scalar or another are needed, not {type(dst)} and {type(src)}")
    value = src._a if isinstance(src, ndarray) else src
    stream = begin(dst, src, where)
    dst._memory.written_by(stream)
    np.copyto(dst._a, value, casting=casting, where=True if where is None else where._a)


FUNCTIONS = {
    "empty": empty,
    "zeros": zeros,
    "ones": ones,
    "full": full,
    "empty_like": empty_like,
    "zeros_like": zeros_like,
    "ones_like": ones_like,
    "full_like": full_like,
    "arange": _from_scalars("arange", "start, stop=None, step=1, dtype=None"),
    "linspace": _from_scalars("linspace", "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0"),
    "eye": _from_scalars("eye", "N, M=None, k=0, dtype=float, order='C'"),
    "identity": _from_scalars("identity", "n, dtype=float"),
    "array": array,
    "asarray": asarray,
    "ascontiguousarray": _layout("C"),
    "asfortranarray": _layout("F"),
    "asnumpy": asnumpy,
    "from_dlpack": from_dlpack,
    "copy": copy,
    "copyto": copyto,
}
