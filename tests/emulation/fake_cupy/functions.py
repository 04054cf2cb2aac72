"""The functions of CuPy that may be used: one table, with CuPy's own argument lists; NumPy computes.

What is not in the table does not exist, and an argument that CuPy lacks is a TypeError, as it is there.
"""

from __future__ import annotations

import inspect

import numpy as np

from . import creation, special, streams
from .array import SCALARS, ndarray
from .calls import call, signature_of
from .control import control
from .elementwise import UFUNCS

REDUCE = "a, axis=None, dtype=None, out=None, keepdims=False"
EXTREME = "a, axis=None, out=None, keepdims=False"
POSITION = "a, axis=None, dtype=None, out=None, keepdims=False"
SPREAD = "a, axis=None, dtype=None, out=None, ddof=0, keepdims=False"
SCAN = "a, axis=None, dtype=None, out=None"

# name: arguments, as in CuPy 14
SIGNATURES = {
    # reductions
    "sum": REDUCE,
    "prod": REDUCE,
    "mean": REDUCE,
    "nansum": REDUCE,
    "nanmean": REDUCE,
    "max": EXTREME,
    "min": EXTREME,
    "amax": EXTREME,
    "amin": EXTREME,
    "nanmax": EXTREME,
    "nanmin": EXTREME,
    "any": EXTREME,
    "all": EXTREME,
    "argmax": POSITION,
    "argmin": POSITION,
    "var": SPREAD,
    "std": SPREAD,
    "count_nonzero": "a, axis=None",
    "cumsum": SCAN,
    "cumprod": SCAN,
    "trace": "a, offset=0, axis1=0, axis2=1, dtype=None, out=None",
    "diff": "a, n=1, axis=-1, prepend=None, append=None",
    # shapes
    "reshape": "a, newshape, order='C'",
    "ravel": "a, order='C'",
    "transpose": "a, axes=None",
    "swapaxes": "a, axis1, axis2",
    "moveaxis": "a, source, destination",
    "expand_dims": "a, axis",
    "squeeze": "a, axis=None",
    "broadcast_to": "array, shape",
    "diagonal": "a, offset=0, axis1=0, axis2=1",
    "concatenate": "tup, axis=0, out=None, *, dtype=None, casting='same_kind'",
    "stack": "tup, axis=0, out=None, *, dtype=None, casting='same_kind'",
    "vstack": "tup, *, dtype=None, casting='same_kind'",
    "hstack": "tup, *, dtype=None, casting='same_kind'",
    "column_stack": "tup",
    "repeat": "a, repeats, axis=None",
    "tile": "A, reps",
    "flip": "a, axis=None",
    "roll": "a, shift, axis=None",
    "tril": "m, k=0",
    "triu": "m, k=0",
    "diag": "v, k=0",
    # indices and order
    "nonzero": "a",
    "flatnonzero": "a",
    "argwhere": "a",
    "where": "condition, x=None, y=None",
    "take_along_axis": "a, indices, axis",
    "sort": "a, axis=-1, kind=None",
    "argsort": "a, axis=-1, kind=None",
    "searchsorted": "a, v, side='left', sorter=None",
    "digitize": "x, bins, right=False",
    "isin": "element, test_elements, assume_unique=False, invert=False",
    # numbers
    "around": "a, decimals=0, out=None",
    "round": "a, decimals=0, out=None",
    "clip": "a, a_min, a_max, out=None",
    "nan_to_num": "x, copy=True, nan=0.0, posinf=None, neginf=None",
    "vdot": "a, b",
    "inner": "a, b",
    "outer": "a, b, out=None",
    "tensordot": "a, b, axes=2",
    "isclose": "a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
    "allclose": "a, b, rtol=1e-05, atol=1e-08, equal_nan=False",
    "array_equal": "a1, a2, equal_nan=False",
}
# These read a result back before they return.
SYNCHRONISE = {"nonzero", "flatnonzero", "argwhere", "isin"}
# In these a Python or NumPy scalar may stand where an array is meant.
SCALARS_ALLOWED = {"where", "clip", "isclose", "allclose", "array_equal", "searchsorted", "isin", "diff"}
POSITIONAL = {"x", "y"}  # as NumPy takes them in `where`
STABLE_ONLY = {"sort", "argsort"}


def _make(name, text):
    signature, function = signature_of(text), getattr(np, name)
    defaults = {p.name: p.default for p in signature.parameters.values()}
    first = next(iter(signature.parameters))

    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs).arguments
        if name in STABLE_ONLY and bound.pop("kind", None) not in {None, "stable"}:
            raise ValueError("CuPy sorts with a stable sort only")
        if name not in SCALARS_ALLOWED and isinstance(bound[first], (*SCALARS, np.ndarray)):
            raise TypeError(f"{name} needs a cupy.ndarray, not {type(bound[first])}")
        out = bound.pop("out", None)
        positional = [bound.pop(p) for p in list(bound) if defaults[p] is inspect.Parameter.empty or p in POSITIONAL]
        named = {p: value for p, value in bound.items() if value is not defaults[p]}
        if name in STABLE_ONLY:
            named["kind"] = "stable"
        if name in SYNCHRONISE or (name == "where" and len(positional) == 1):
            control.counts[name] += 1
            streams.current_stream()._wait_here()
        return call(function, positional, named, out=out, scalars=False)

    wrapper.__name__, wrapper.__signature__ = name, signature
    return wrapper


def _make_ufunc(name):
    function = getattr(np, name)

    def wrapper(*args, out=None, dtype=None, casting="same_kind"):
        if len(args) == function.nin + 1 and function.nout == 1 and out is None:
            *args, out = args
        if len(args) != function.nin:
            raise TypeError(f"Wrong number of arguments for {name!r}. It takes {function.nin} arguments.")
        for value in args:
            if not isinstance(value, (ndarray, *SCALARS)):
                raise TypeError(f"Unsupported type {type(value)}")
        named = {} if dtype is None else {"dtype": dtype}
        return call(function, args, {**named, "casting": casting}, out=out)

    wrapper.__name__ = name
    return wrapper


TABLE = {name: _make(name, text) for name, text in SIGNATURES.items()}
TABLE |= {name: _make_ufunc(name) for name in UFUNCS}
TABLE |= creation.FUNCTIONS | special.FUNCTIONS
