"""Compute types of matrix products, with the rounding of TF32."""

from __future__ import annotations

import functools

import numpy as np

DEFAULT, TF32 = 1, 7
NAMES = ["TBD", "DEFAULT", "PEDANTIC", "FP16", "FP32", "FP64", "BF16", "TF32"]
_types: dict[str, int] = {}


def get_compute_type(dtype):
    return _types.get(np.dtype(dtype).char.lower(), DEFAULT)


def set_compute_type(dtype, compute_type):
    if not 0 <= int(compute_type) < len(NAMES):
        raise ValueError(f"Unknown compute type: {compute_type}")
    _types[np.dtype(dtype).char.lower()] = int(compute_type)


def reset():
    _types.clear()


def to_tf32(array):
    """Round float32 to the ten bits of mantissa that TF32 keeps, half to even."""
    bits = array.view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(array), rounded.view(np.float32), array)


def product(function):
    """The product with the precision that is set."""

    @functools.wraps(function)
    def rounded(a, b, **kwargs):
        if get_compute_type("float32") == TF32 and a.dtype == b.dtype == np.float32:
            a, b = (to_tf32(np.ascontiguousarray(value)) for value in (a, b))
        return function(a, b, **kwargs)

    return rounded
