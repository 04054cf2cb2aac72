"""How fast a GPU multiplies."""

from __future__ import annotations

import functools
import time

import cupy as cp
import numpy as np

__all__ = ["multiplication_speed"]


@functools.cache
def multiplication_speed() -> float:
    """float32 operations per second of the device in a matrix product (a few milliseconds, once per process)."""
    block = cp.ones((2048, 2048), dtype=np.float32)
    out = cp.empty_like(block)
    best = np.inf
    for _ in range(4):
        cp.cuda.Device().synchronize()
        start = time.perf_counter()
        cp.dot(block, block, out=out)
        cp.cuda.Device().synchronize()
        best = min(best, time.perf_counter() - start)
    return 2.0 * 2048**3 / max(best, 1e-6)
