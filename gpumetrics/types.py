"""Names for types that the package uses throughout."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""An array of the backend in use; NumPy's on the host."""

Index: TypeAlias = slice | npt.NDArray[np.int64]
"""Rows by slice or by an int64 array."""
