"""Copies of `cupy.ndarray` to the host and back: at once, or when something waits for their stream."""

from __future__ import annotations

import numpy as np

from . import streams
from .array import poison
from .control import control
from .pinned import holds


def get(self, stream=None, order="C", out=None, blocking=True):
    stream = streams.current_stream(self._memory.device.id) if stream is None else stream
    if out is None:
        out = np.empty(self.shape, self.dtype, order="F" if order == "A" and self._a.flags.fnc else order[:1])
    else:
        _check_host(self, out, "out")
    control.counts["get"] += 1
    if not blocking and holds(out):
        _get_later(self, stream, out)
        return out
    stream._begin()
    self._memory.read_by(stream)
    out[...] = self._a
    stream._wait_here()
    return out


def _get_later(self, stream, out):
    stream._defer(_copy(self._memory.pending, self._a, out))
    self._memory.read_by(stream)
    poison(out)


def _check_host(self, array, name):
    if type(array) is not np.ndarray:
        raise TypeError(f"`{name}` must be a numpy.ndarray, not {type(array)}")
    if array.dtype != self.dtype:
        raise TypeError(f"{array.dtype} array where the device array has {self.dtype}")
    if array.shape != self.shape:
        raise ValueError(f"Shape mismatch: host {array.shape}, device {self.shape}")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise RuntimeError("a host array must be contiguous")


def set_(self, arr, stream=None):
    _check_host(self, arr, "arr")
    if not (self._a.flags.c_contiguous or self._a.flags.f_contiguous):
        raise RuntimeError("Cannot set to non-contiguous array")
    given, stream = stream, streams.current_stream(self._memory.device.id) if stream is None else stream
    control.counts["set"] += 1
    if given is None and stream._is_null:
        stream._begin()
        self._memory.written_by(stream)
        self._a[...] = arr
        stream._wait_here()
        return
    source = arr
    if not holds(arr) or self._a.strides != arr.strides:
        source = arr.copy()  # pageable memory is staged before the call returns
    if self._memory.pending:
        stream._drain()
    stream._defer(_copy(self._memory.pending, source, self._a))
    self._memory.written_by(stream)
    poison(self._a)


def item(self):
    if self.size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    control.counts["item"] += 1
    return self.get().item()


def tolist(self):
    return self.get().tolist()


def truth(self):
    if self.size != 1:
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
    return bool(self.item())


def to_int(self):
    return int(self.item())


def to_float(self):
    return float(self.item())


def text(self):
    return repr(self.get())


def formatted(self, spec):
    return format(self.get(), spec)


def _copy(pending, source, target):
    """A copy for later. It holds NumPy's arrays only: the block may be freed before, as on a GPU."""

    token = object()
    pending.append(token)

    def action():
        target[...] = source
        pending.remove(token)

    return action


METHODS = {
    "get": get,
    "set": set_,
    "item": item,
    "tolist": tolist,
    "__bool__": truth,
    "__int__": to_int,
    "__float__": to_float,
    "__repr__": text,
    "__format__": formatted,
}
