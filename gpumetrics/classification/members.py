"""Masks and membership vectors of any library and dtype: what is not zero is a member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import bfloat16_to_float32, device_array, host_array, is_device_array
from gpumetrics.label_arrays import is_missing

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["is_member", "member_array"]


def member_array(values: Any, name: str) -> Array:
    """Return values as an array whose non-zero entries are members: CuPy's where they lie on a GPU, else NumPy's.

    The array may share the caller's memory: read only.

    Raises
    ------
    ValueError
        If entries are masked, or text, dates or records, or the values are no array.
    TypeError
        If they are a sparse matrix on a GPU.
    """
    if is_device_array(values):
        array: Array = device_array(values, name, table=False)[0]
        return array
    foreign = host_array(values, name)
    if foreign is not None:
        return bfloat16_to_float32(foreign[0]) if foreign[1] else foreign[0]
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        masked = int(np.count_nonzero(np.ma.getmaskarray(values)))
        msg = f"Input {name} contains NaN. {masked} of its {values.size} entries are masked: give them a value."
        raise ValueError(msg)
    try:
        array = np.asarray(values)
    except ValueError as error:
        msg = f"{name} must be an array of numbers, with rows of equal length: {error}"
        raise ValueError(msg) from None
    objects = array.dtype.kind == "O"
    if array.dtype.kind in "USVTmM" or (objects and any(isinstance(v, str | bytes) for v in array.flat)):
        what = "text" if objects else f"values of dtype {array.dtype}"
        msg = (
            f"{name} must hold a number or boolean for each position, where non-zero is in, but it holds {what}. "
            "Lists of tags are encoded to such vectors first."
        )
        raise ValueError(msg)
    if objects and any(is_missing(v) for v in array.flat):
        msg = f"Input {name} contains NaN. A missing value (None, NA or NaN) is neither in nor out."
        raise ValueError(msg)
    return array


def is_member(array: Array) -> Array:
    """Which entries are not zero, in the library of the array; booleans as they are."""
    if array.dtype.kind == "b":
        return array
    members: Array = array != 0
    return members if members.dtype.kind == "b" else array_module(array).asarray(members, dtype=bool)
