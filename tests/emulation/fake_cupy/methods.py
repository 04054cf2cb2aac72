"""Methods and operators of `cupy.ndarray` that are functions of the table under another name."""

from __future__ import annotations

import numpy as np

from . import copies, indexing
from .array import SCALARS, begin, check_dtype, ndarray, view_of, wrap
from .creation import _from_other_device
from .functions import TABLE
from .streams import current_device

BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "divmod": "divmod",
}
COMPARE = {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
UNARY = {"neg": "negative", "abs": "absolute", "invert": "invert", "pos": "positive"}
AXIS = ["sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "var", "std", "cumsum", "cumprod"]
PLAIN = ["ravel", "swapaxes", "squeeze", "diagonal", "repeat", "nonzero", "take", "trace", "searchsorted", "round"]


def _operator(name):
    # An object that knows better than an array what to do has its turn, as NumPy's rule has it.
    def method(self, other):
        if getattr(other, "__array_ufunc__", 0) is None:
            return NotImplemented
        return TABLE[name](self, other)

    def reflected(self, other):
        return TABLE[name](other, self)

    def in_place(self, other):
        return TABLE[name](self, other, out=self)

    return method, reflected, in_place


def _method(name):
    def method(self, *args, **kwargs):
        return TABLE[name](self, *args, **kwargs)

    method.__name__ = name
    return method


def _reduction(name):
    """Methods whose arguments stand in another order than the function's."""
    order = {"argmax": ("axis", "out", "dtype", "keepdims"), "argmin": ("axis", "out", "dtype", "keepdims")}.get(name)

    def method(self, *args, **kwargs):
        if order and args:
            kwargs, args = dict(zip(order, args, strict=False)) | kwargs, ()
        return TABLE[name](self, *args, **kwargs)

    method.__name__ = name
    return method


def astype(self, dtype, order="K", casting=None, subok=None, copy=True):
    if casting is not None or subok is not None:
        raise TypeError("casting and subok are not supported yet")
    dtype = check_dtype(dtype)
    begin(self)
    with np.errstate(all="ignore"):
        made = self._a.astype(dtype, order="K" if order is None else order, copy=copy)
    return self if made is self._a else wrap(made)


def copy(self, order="C"):
    if self._memory.device is not current_device():
        return _from_other_device(self)
    begin(self)
    return wrap(self._a.copy(order=order))


def view(self, dtype=None, type=None):  # noqa: A002
    return view_of(self._a.view() if dtype is None else self._a.view(check_dtype(dtype)), self)


def reshape(self, *shape, order="C"):
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)) else shape
    made = self._a.reshape(shape, order=order)
    if not self.size or np.may_share_memory(made, self._a):
        return view_of(made, self)
    begin(self)
    return wrap(made)


def transpose(self, *axes):
    return view_of(self._a.transpose(*axes), self)


def flatten(self, order="C"):
    begin(self)
    return wrap(self._a.flatten(order))


def fill(self, value):
    if not isinstance(value, SCALARS):
        raise TypeError(f"Unsupported type {value.__class__}")
    self._memory.written_by(begin(self))
    self._a.fill(value)


def sort(self, axis=-1, kind=None):
    if kind not in {None, "stable"}:
        raise ValueError("CuPy sorts with a stable sort only")
    if not self._a.flags.c_contiguous:
        raise NotImplementedError("Sorting non-contiguous array is not supported.")
    self._memory.written_by(begin(self))
    self._a.sort(axis=axis, kind="stable")


def argsort(self, axis=-1, kind=None):
    return TABLE["argsort"](self, axis=axis, kind=kind)


def clip(self, min=None, max=None, out=None):  # noqa: A002
    return TABLE["clip"](self, min, max, out=out)


def dot(self, b, out=None):
    return TABLE["dot"](self, b, out=out)


def _matmul(self, other):
    return TABLE["matmul"](self, other)


def attach():
    for short, name in BINARY.items():
        method, reflected, in_place = _operator(name)
        setattr(ndarray, f"__{short}__", method)
        setattr(ndarray, f"__r{short}__", reflected)
        if short != "divmod":
            setattr(ndarray, f"__i{short}__", in_place)
    for short, name in COMPARE.items():
        setattr(ndarray, f"__{short}__", _operator(name)[0])
    for short, name in UNARY.items():
        setattr(ndarray, f"__{short}__", lambda self, name=name: TABLE[name](self))
    for name in AXIS:
        setattr(ndarray, name, _reduction(name))
    for name in PLAIN:
        setattr(ndarray, name, _method(name))
    for function in (astype, copy, view, reshape, transpose, flatten, fill, sort, argsort, clip, dot):
        setattr(ndarray, function.__name__, function)
    for name, function in (copies.METHODS | indexing.METHODS).items():
        setattr(ndarray, name, function)
    ndarray.__matmul__ = _matmul
    ndarray.__rmatmul__ = lambda self, other: TABLE["matmul"](other, self)
    ndarray.T = property(lambda self: self if self.ndim < 2 else view_of(self._a.T, self))
    ndarray.mT = property(lambda self: view_of(self._a.mT, self))
    ndarray.__hash__ = None


attach()
