"""Functions of CuPy that have rules of their own."""

from __future__ import annotations

import numpy as np

from . import precision, streams
from .array import begin, ndarray
from .calls import call
from .control import control
from .creation import asarray


def fill_diagonal(a, val, wrap=False):
    if isinstance(val, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    stream = begin(a, val)
    a._memory.written_by(stream)
    np.fill_diagonal(a._a, val._a if isinstance(val, ndarray) else val, wrap)


def take(a, indices, axis=None, out=None):
    if not isinstance(a, ndarray):
        raise TypeError(f"take needs a cupy.ndarray, not {type(a)}")
    if not isinstance(indices, (ndarray, int, np.integer)):
        control.counts["index from the host"] += 1
        indices = asarray(indices, dtype=int)
    if out is not None and isinstance(out, ndarray) and out.dtype != a.dtype:
        raise TypeError("Output dtype mismatch")
    # On a GPU an index out of bounds wraps around without a word; here it is an IndexError.
    return call(np.take, [a, indices], {"axis": axis}, out=out)


def matmul(x1, x2, /, *, casting="same_kind", dtype=None, out=None):
    for value in (x1, x2):
        if not isinstance(value, ndarray):
            raise TypeError(f"Unsupported type {type(value)}")
    if out is not None and isinstance(out, ndarray):
        if not out._a.flags.c_contiguous:
            raise ValueError("Output array must be C-contiguous")
        if out.dtype != np.result_type(x1._a, x2._a):
            raise TypeError(f"the product is {np.result_type(x1._a, x2._a)}, out is {out.dtype}")
        if out._memory in {x1._memory, x2._memory}:
            raise ValueError("the product must not be written over its own factors")
    return call(precision.product(np.matmul), [x1, x2], {} if dtype is None else {"dtype": dtype}, out=out)


def dot(a, b, out=None):
    return matmul(a, b, out=out)


def einsum(subscripts, *operands, dtype=None, optimize=False):
    if any(not isinstance(value, ndarray) for value in operands):
        raise TypeError("einsum needs cupy.ndarray operands")
    return call(np.einsum, [subscripts, *operands], {} if dtype is None else {"dtype": dtype})


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    if not isinstance(ar, ndarray) or ar.ndim != 1:
        raise TypeError("unique is emulated for one-dimensional cupy.ndarray")
    control.counts["unique"] += 1
    streams.current_stream()._wait_here()
    named = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    return call(np.unique, [ar], {**named, "axis": axis, "equal_nan": equal_nan})


def lexsort(keys):
    if not isinstance(keys, ndarray):
        raise TypeError("Keys must be cupy.ndarray, one two-dimensional array of them")
    if keys.ndim > 2:
        raise NotImplementedError("Keys with the rank of three or more is not supported in lexsort")
    return call(np.lexsort, [keys], {})


def bincount(x, weights=None, minlength=None):
    if weights is not None:
        raise TypeError("bincount with weights adds floats atomically on a GPU: its bits vary from run to run")
    if not isinstance(x, ndarray) or x.ndim != 1 or x.dtype.kind not in "iub":
        raise TypeError("bincount needs a one-dimensional cupy.ndarray of integers")
    control.counts["bincount"] += 1
    streams.current_stream()._wait_here()
    return call(np.bincount, [x], {"minlength": minlength or 0})


def get_array_module(*args):
    from .modules import cupy

    return cupy if any(isinstance(value, ndarray) for value in args) else np


def may_share_memory(a, b, max_work=None):
    return np.may_share_memory(a._a, b._a)


def _each(name):
    function = getattr(np, name)

    def wrapper(*arys):
        made = [call(function, [value], {}) for value in arys]
        return made[0] if len(made) == 1 else made

    return wrapper


def broadcast_arrays(*args):
    return list(call(np.broadcast_arrays, args, {}))


FUNCTIONS = {
    "fill_diagonal": fill_diagonal,
    "take": take,
    "dot": dot,
    "matmul": matmul,
    "einsum": einsum,
    "unique": unique,
    "lexsort": lexsort,
    "bincount": bincount,
    "get_array_module": get_array_module,
    "may_share_memory": may_share_memory,
    "atleast_1d": _each("atleast_1d"),
    "atleast_2d": _each("atleast_2d"),
    "broadcast_arrays": broadcast_arrays,
}
