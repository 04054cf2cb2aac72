"""Little memory: tiles shrink, and the result stays."""

from __future__ import annotations

import numpy as np

from . import made_data

TOLERANCE = 1e-6
NAME = "largest difference of a silhouette where memory is short"


def short_of_memory(check):
    """A pool with a limit, and allocations that fail after the tiles were planned."""
    cp = check.cp
    check.expect(NAME, "not reached")
    X, labels = made_data.blobs(cp, check.sizes.short_of_memory, "float32")
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    expected, whole = _run(check, X, labels)
    differences = []
    for share in (2, 6):
        limit = pool.used_bytes() + max(_floor(X), whole // share)
        before = pool.get_limit()
        pool.free_all_blocks()
        pool.set_limit(size=limit)
        try:
            got, taken = _run(check, X, labels)
        finally:
            pool.set_limit(size=before)
        differences.append(_row(check, f"the pool's limit is 1/{share} of that", got, expected, taken))
    if hasattr(cp.cuda, "using_allocator"):
        with _Refusing(cp, whole // 4) as refusing:
            got, taken = _run(check, X, labels)
        differences.append(_row(check, f"{refusing.refused} large allocations refused", got, expected, taken))
        if not refusing.refused:
            check.note("No allocation was large enough to be refused.")
    check.note(f"With all the memory it wants, the call takes {whole / 2**20:.1f} MiB.")
    check.bar(NAME, np.max(differences), TOLERANCE)


def _floor(X):
    """Bytes below which nothing can run: what is as long as n, and the smallest tiles."""
    return 160 * len(X) + 64 * 32 * (X.shape[1] + 32)


def _run(check, X, labels):
    """Silhouettes on the host, and the bytes that the pool grew by."""
    pool = check.cp.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.used_bytes()
    values = check.cp.asnumpy(check.gm.silhouette_samples(X, labels))
    return values, pool.total_bytes() - before


def _row(check, what, got, expected, taken):
    difference = float(np.max(np.abs(got - expected)))
    check.row(memory=what, difference=difference, MiB=taken / 2**20, holds=difference <= TOLERANCE)
    return difference


class _Refusing:
    """An allocator that refuses all blocks above a size."""

    def __init__(self, cp, most):
        self.cp, self.most, self.refused = cp, most, 0
        self.pool = cp.get_default_memory_pool()
        self.context = cp.cuda.using_allocator(self._malloc)

    def _malloc(self, size):
        if size > self.most:
            self.refused += 1
            raise self.cp.cuda.memory.OutOfMemoryError(size, self.pool.total_bytes())
        return self.pool.malloc(size)

    def __enter__(self):
        self.context.__enter__()
        return self

    def __exit__(self, *error):
        return self.context.__exit__(*error)
