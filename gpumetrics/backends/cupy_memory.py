"""How much of a GPU's memory a call may use, and what it does when that is not there after all."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import cupy as cp

from gpumetrics.config import current

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["available_bytes", "is_out_of_memory", "with_smaller_blocks"]

R = TypeVar("R")
# Where another allocator serves CuPy, what it holds for reuse seems taken: below this it is tried all the same.
LEAST = 256
SHARE = 0.9  # of the free memory: the rest is for the library's own workspaces and for fragmentation
FEWEST_ROWS = 32
TRIES = 10
MIB = 2**20
STATUS = {"CUDARuntimeError": (2,), "CUBLASError": (1, 3)}  # the codes by which these say so


def available_bytes() -> int:
    """Bytes that temporary arrays may take: `working_memory`, or what is free on the current device if it is less.

    Blocks that CuPy's pool holds for reuse count as free; a limit of the pool counts as the device's size. At least
    256 MiB are taken to be there, if `working_memory` allows as much: where they are not, blocks get smaller.
    """
    pool = cp.get_default_memory_pool()
    free = cp.cuda.Device().mem_info[0] + pool.free_bytes()
    limit = pool.get_limit()
    if limit:
        free = min(free, limit - pool.used_bytes())
    return int(min(current().working_memory * MIB, max(SHARE * free, LEAST * MIB)))


def with_smaller_blocks(work: Callable[[int], R], rows: int, what: str) -> R:
    """Return ``work(rows)``; where the device runs out of memory, try again with half as many rows at a time.

    At most `TRIES` times. The pool is not emptied for the user: what the failed try held goes back to it and serves
    the next one; the error that is raised in the end keeps none of it alive.

    Raises
    ------
    MemoryError
        If even the smallest blocks do not fit.
    """
    fewest = max(FEWEST_ROWS, rows >> (TRIES - 1))
    while True:
        try:
            return work(rows)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            if rows <= fewest:
                raise MemoryError(_too_large(what, rows, error)) from error.with_traceback(None)
        rows = max(fewest, rows // 2)


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory ran out: CuPy's own, a sort's, another allocator's, CUDA's or cuBLAS's."""
    return isinstance(error, MemoryError) or getattr(error, "status", None) in STATUS.get(type(error).__name__, ())


def _too_large(what: str, rows: int, error: Exception) -> str:
    free, total = cp.cuda.Device().mem_info
    return (
        f"the GPU has too little memory for {what}, even {rows} rows at a time: {free // MIB} of {total // MIB} MiB "
        f"are free, and working_memory is {current().working_memory:g} MiB ({error}). Free memory on the GPU, or use "
        'backend="numpy" with host arrays.'
    )
