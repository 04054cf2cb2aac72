"""How much of a GPU's memory a call may use, and what it does when that is not there after all."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import cupy as cp

from gpumetrics.config import current

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["available_bytes", "with_smaller_blocks"]

R = TypeVar("R")
SHARE = 0.9  # of the free memory: the rest is for the library's own workspaces and for fragmentation
FEWEST_ROWS = 32
TRIES = 10
MIB = 2**20


def available_bytes() -> int:
    """Bytes that temporary arrays may take: `working_memory`, or what is free on the current device if it is less.

    Blocks that CuPy's pool holds for reuse count as free; a limit of the pool counts as the device's size.
    """
    pool = cp.get_default_memory_pool()
    free = cp.cuda.Device().mem_info[0] + pool.free_bytes()
    limit = pool.get_limit()
    if limit:
        free = min(free, limit - pool.used_bytes())
    return max(0, int(min(current().working_memory * MIB, SHARE * free)))


def with_smaller_blocks(work: Callable[[int], R], rows: int, what: str) -> R:
    """Return ``work(rows)``; where the device runs out of memory, try again with half as many rows at a time.

    The pool is not emptied for the user: what the failed try held goes back to it and serves the next one.

    Raises
    ------
    MemoryError
        If even the smallest blocks do not fit.
    """
    for _ in range(TRIES):
        try:
            return work(rows)
        except cp.cuda.memory.OutOfMemoryError as error:
            if rows <= FEWEST_ROWS:
                raise MemoryError(_too_large(what, rows, error)) from error
        rows = max(FEWEST_ROWS, rows // 2)
    raise MemoryError(_too_large(what, rows, None))


def _too_large(what: str, rows: int, error: Exception | None) -> str:
    free, total = cp.cuda.Device().mem_info
    return (
        f"the GPU has too little memory for {what}, even {rows} rows at a time: {free // MIB} of {total // MIB} MiB "
        f"are free, and working_memory is {current().working_memory:g} MiB ({error}). Free memory on the GPU, or use "
        'backend="numpy" with host arrays.'
    )
