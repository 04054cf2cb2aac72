"""Arrays of NumPy and of CuPy in the same code: which of the two an array belongs to, and small helpers over both."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["array_module", "as_host", "beside", "row_squares"]


def array_module(array: Any) -> Any:
    """Return the library of an array: CuPy for one of CuPy's, NumPy for everything else."""
    cupy = sys.modules.get("cupy")  # an array of CuPy's exists only where CuPy is loaded
    return cupy if isinstance(array, getattr(cupy, "ndarray", ())) else np


def as_host(array: Any) -> Array:
    """Return an array as NumPy's; one of CuPy's is copied, which waits for the device."""
    out: Array = np.asarray(array) if array_module(array) is np else array.get()
    return out


def beside(array: Any, other: Any) -> Any:
    """Return an array in the library, and on the device, of another one."""
    xp = array_module(other)
    return as_host(array) if xp is np else xp.asarray(array)


def row_squares(block: Any) -> Any:
    """Squared length of each row, in float64."""
    return np.vecdot(block, block) if array_module(block) is np else (block * block).sum(axis=1)
