"""Products of matrices on a GPU, in the precision that the setting asks for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import cupy as cp
import numpy as np

from gpumetrics.config import current

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["multiply"]

PLAIN, TF32 = 1, 7  # CuPy's numbers of its compute types
ROUNDED = {3, 6, TF32}  # those by which factors of float32 become float16, bfloat16 or TF32
SINGLE = np.dtype(np.float32)
FIRST_WITH_TF32 = 80  # compute capability
_lock = threading.Lock()


def multiply(x: Array, y: Array, out: Array) -> None:
    """Write ``x @ y`` to `out`: whole float32 products, or of TF32 where the setting ``precision`` is "fast".

    A user who set ``CUPY_TF32=1`` gets whole products here all the same: rounding is never chosen silently. CuPy's
    switch is process-wide: it is put back at once, and other threads' products here wait meanwhile.
    """
    fast = current().precision == "fast" and int(cp.cuda.Device().compute_capability) >= FIRST_WITH_TF32
    with _lock:
        before = cp._core.get_compute_type(SINGLE)  # noqa: SLF001  (CuPy has no public name for it)
        wanted = TF32 if fast else PLAIN if before in ROUNDED else before
        try:
            if wanted != before:
                cp._core.set_compute_type(SINGLE, wanted)  # noqa: SLF001
            cp.dot(x, y, out=out)
        finally:
            if wanted != before:
                cp._core.set_compute_type(SINGLE, before)  # noqa: SLF001
