"""Page-locked host memory: buffers that the emulation knows by their addresses."""

from __future__ import annotations

import ctypes
import weakref

import numpy as np

_ranges: dict[int, int] = {}  # address: end


def alloc_pinned_memory(size):
    """`cupy.cuda.alloc_pinned_memory`: a buffer with ``ptr`` and ``size()``."""
    size = int(size)
    members = {"ptr": property(ctypes.addressof), "size": lambda self: size}
    # An array of ctypes, because before Python 3.12 only types written in C can export a buffer.
    pointer = type("PinnedMemoryPointer", (ctypes.c_ubyte * max(1, size),), members)()
    ctypes.memset(pointer, 0xCD, size)
    start = ctypes.addressof(pointer)
    _ranges[start] = start + max(1, size)
    weakref.finalize(pointer, _ranges.pop, start, None).atexit = False
    return pointer


def holds(array):
    """Whether an array lies in page-locked memory."""
    address = array.__array_interface__["data"][0]
    return any(start <= address < end for start, end in list(_ranges.items()))


def empty_pinned(shape, dtype=float, order="C"):
    """`cupyx.empty_pinned`."""
    dtype = np.dtype(dtype)
    shape = (int(shape),) if np.ndim(shape) == 0 else tuple(int(n) for n in shape)
    count = int(np.prod(shape, dtype=np.int64))
    array = np.frombuffer(alloc_pinned_memory(count * dtype.itemsize), dtype, count).reshape(shape, order=order)
    if dtype.kind in "fc":
        array[...] = np.nan
    return array


def zeros_pinned(shape, dtype=float, order="C"):
    """`cupyx.zeros_pinned`."""
    array = empty_pinned(shape, dtype, order)
    array[...] = 0
    return array
