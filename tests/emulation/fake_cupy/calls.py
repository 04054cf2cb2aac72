"""Calling a NumPy function with device arrays."""

from __future__ import annotations

import inspect

import numpy as np

from . import streams
from .array import begin, check_device, ndarray, view_of, wrap

# Functions that only look at an array in another way, where they can.
VIEWS = frozenset(
    [
        "reshape",
        "ravel",
        "transpose",
        "swapaxes",
        "moveaxis",
        "expand_dims",
        "squeeze",
        "broadcast_to",
        "diagonal",
        "atleast_1d",
        "atleast_2d",
    ]
)


def signature_of(text):
    """The signature that a function with these arguments has."""
    scope = {}
    exec(f"def f({text}): pass", scope)  # noqa: S102  (texts of our own)
    return inspect.signature(scope["f"])


def call(function, args, kwargs, *, out=None, scalars=True):
    """Compute on the current stream. Device arrays among the arguments become their NumPy arrays, and nothing else."""
    parents = []
    args = [_host(value, parents) for value in args]
    kwargs = {name: _host(value, parents) for name, value in kwargs.items()}
    if not parents and not scalars:
        raise TypeError(f"{function.__name__} needs a cupy.ndarray")
    if function.__name__ in VIEWS:
        view = function(*args, **kwargs)
        if np.may_share_memory(view, parents[0]._a) or not view.size:
            return view_of(view, parents[0])  # no work for the device
    stream = begin(*parents)
    if out is not None:
        _check_out(out)
        out._memory.written_by(stream)
        kwargs["out"] = out._a
    with np.errstate(all="ignore"):
        result = function(*args, **kwargs)
    if out is not None:
        return out
    if isinstance(result, (tuple, list)):
        return type(result)(wrap(part, *parents) for part in result)
    return wrap(result, *parents)


# Not a closure that calls itself: such a cycle would keep the arrays alive until Python collects garbage.
def _host(value, parents):
    if isinstance(value, ndarray):
        parents.append(value)
        return value._a
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {np.ndarray}")
    if isinstance(value, (list, tuple)):
        return type(value)(_host(part, parents) for part in value)
    return value


def _check_out(out):
    if not isinstance(out, ndarray):
        raise TypeError(f"return arrays must be cupy.ndarray, not {type(out)}")
    check_device(out, streams.current_device())
