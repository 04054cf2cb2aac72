"""Reading and writing elements of `cupy.ndarray`, by every kind of index."""

from __future__ import annotations

import numpy as np

from . import streams
from .array import SCALARS, begin, check_device, ndarray, view_of, wrap
from .control import control


def getitem(self, key):
    where = _device_key(key)
    if not any(isinstance(part, ndarray) for part in as_tuple(where)):
        dots = () if any(part is Ellipsis for part in as_tuple(where)) else (...,)  # never a NumPy scalar
        return view_of(self._a[(*as_tuple(where), *dots)], self)  # no work for the device
    stream = begin(self)
    if has_mask(where):
        control.counts["mask"] += 1
        stream._wait_here()
    return wrap(self._a[unwrap_key(where, stream)])


def setitem(self, key, value):
    where = _device_key(key)
    if not isinstance(value, ndarray):
        advanced = any(isinstance(part, ndarray) for part in as_tuple(where))
        if not isinstance(value, SCALARS) and not (advanced and isinstance(value, (np.ndarray, list, tuple))):
            if isinstance(value, np.ndarray) and value.ndim:
                raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
            raise TypeError(f"Unsupported type {type(value)}")
        if not isinstance(value, SCALARS):
            value = wrap(np.asarray(value, dtype=self.dtype))
    stream = begin(self, value)
    if has_mask(where):
        control.counts["mask"] += 1
        stream._wait_here()
    host_key = unwrap_key(where, stream)
    host_value = value._a if isinstance(value, ndarray) else value
    refuse_collisions(self._a, host_key, host_value)
    self._memory.written_by(stream)
    with np.errstate(all="ignore"):
        self._a[host_key] = host_value


def as_tuple(key):
    return key if isinstance(key, tuple) else (key,)


def _device_key(key):
    """The key with host arrays and lists sent to the device, as CuPy does."""
    if isinstance(key, tuple):
        return tuple(_device_key(part) for part in key)
    if key is None or key is Ellipsis or isinstance(key, (slice, np.integer, ndarray)) or type(key) is int:
        return key
    if isinstance(key, (list, np.ndarray)):
        control.counts["index from the host"] += 1
        sent = np.asarray(key)
        sent = sent.astype(np.int32) if isinstance(key, list) and not sent.size else sent
        if sent.dtype.kind not in "biu":
            raise IndexError("arrays used as indices must be of integer or boolean type.")
        return wrap(sent)
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        f"boolean arrays are valid indices, not {type(key)}"
    )


def has_mask(key):
    return any(isinstance(part, ndarray) and part.dtype.kind == "b" for part in as_tuple(key))


def unwrap_key(key, stream):
    device = streams.current_device()

    def one(part):
        if not isinstance(part, ndarray):
            return part
        if part.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer or boolean type. (actual: {part.dtype.type})")
        check_device(part, device)
        part._memory.read_by(stream)
        return part._a

    return tuple(one(part) for part in key) if isinstance(key, tuple) else one(key)


def refuse_collisions(target, key, value):
    """Several values for one element: on a GPU nobody knows which of them stays."""
    if not any(isinstance(part, np.ndarray) and part.dtype.kind in "iu" for part in as_tuple(key)):
        return
    places = np.arange(target.size).reshape(target.shape)[key]
    if np.ndim(value) == 0 or len(np.unique(places)) == places.size:
        return
    values = np.broadcast_to(value, places.shape).ravel()
    order = np.argsort(places, axis=None, kind="stable")
    places, values = places.ravel()[order], values[order]
    same = places[1:] == places[:-1]
    if np.any(values[1:][same] != values[:-1][same]):
        raise ValueError("several different values are assigned to one element: their order is undefined on a GPU")


METHODS = {"__getitem__": getitem, "__setitem__": setitem}
