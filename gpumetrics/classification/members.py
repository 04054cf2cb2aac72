"""Masks and membership vectors of any library and dtype: what is not zero is a member."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import bfloat16_to_float32, device_array, host_array, is_device_array
from gpumetrics.backends.lazy_arrays import refuse_dask
from gpumetrics.classification.sides import TAGS, is_sparse
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
        If entries are masked, or no numbers (text, dates, sets), or the values are no array.
    TypeError
        If they are a sparse matrix.
    """
    refuse_dask(values, name)
    if is_sparse(values):
        msg = f"Sparse data was passed for {name}, but dense data is required: use '.toarray()' to convert it."
        raise TypeError(msg)
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
    if isinstance(values, list | tuple):
        values = _read_entries(values, name)
    try:
        array = np.asarray(values)
    except ValueError:
        msg = f"{name} must be an array of numbers, with rows of equal length. {TAGS}"
        raise ValueError(msg) from None
    if array.dtype.kind in "USVTmM":
        _refuse(name, f"values of dtype {array.dtype}")
    if array.dtype.kind == "O":
        _check_objects(array, name)
    return array


def _read_entries(values: Any, name: str) -> Any:
    """Read arrays in a list one by one: NumPy would drop their masks, and cannot read those on a GPU."""
    if not any(getattr(entry, "ndim", 0) for entry in values):
        return values
    if any(map(is_device_array, values)):
        msg = f"{name} is a list with arrays on a GPU: make one array of them, as cupy.stack does."
        raise ValueError(msg)
    return [member_array(entry, name) for entry in values]


def _check_objects(array: Array, name: str) -> None:
    others = [value for value in array.flat if not isinstance(value, Number | np.bool_)]
    for value in others:
        if hasattr(value, "__len__") or not is_missing(value):
            _refuse(name, "text" if isinstance(value, str | bytes) else f"an object of type {type(value).__name__}")
    if others or any(map(is_missing, array.flat)):
        msg = f"Input {name} contains NaN. A missing value (None, NA or NaN) is neither in nor out."
        raise ValueError(msg)


def _refuse(name: str, what: str) -> NoReturn:
    msg = f"{name} must hold a number or boolean for each position, where non-zero is in, but it holds {what}. {TAGS}"
    raise ValueError(msg)


def is_member(array: Array) -> Array:
    """Which entries are not zero, in the library of the array; booleans as they are."""
    if array.dtype.kind == "b":
        return array
    members: Array = array != 0
    return members if members.dtype.kind == "b" else array_module(array).asarray(members, dtype=bool)
