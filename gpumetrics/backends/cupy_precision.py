"""The precision of float32 matrix products on a GPU."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import cupy as cp
import numpy as np

from gpumetrics.config import current

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["product_precision"]

PLAIN, TF32 = 1, 7  # CuPy's numbers of its compute types


@contextlib.contextmanager
def product_precision() -> Iterator[None]:
    """Multiply float32 as the setting ``precision`` says: whole, or as TF32.

    A user who set ``CUPY_TF32=1`` gets whole products here all the same: TF32 is never chosen silently. CuPy's switch
    is process-wide, and is put back at the end.
    """
    single = np.dtype(np.float32)
    before = cp._core.get_compute_type(single)  # noqa: SLF001  (CuPy has no public name for it)
    fast = current().precision == "fast"
    if fast == (before == TF32):
        yield
        return
    cp._core.set_compute_type(single, TF32 if fast else PLAIN)  # noqa: SLF001
    try:
        yield
    finally:
        cp._core.set_compute_type(single, before)  # noqa: SLF001
