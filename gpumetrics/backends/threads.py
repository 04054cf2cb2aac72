"""Threads over blocks of work on the CPU, with one BLAS thread each."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")

_blas_lock = threading.Lock()
_blas_users = 0
_blas_limit: Any = None


def n_threads() -> int:
    """Number of threads to use: the cores this process may run on, or fewer by ``OMP_NUM_THREADS``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wish = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return max(1, min(cores, int(wish))) if wish.isdigit() and int(wish) > 0 else cores


def _forget_threads() -> None:
    """In a forked child: the threads that held the lock or the limit do not exist there."""
    global _blas_lock, _blas_users, _blas_limit
    _blas_lock, _blas_users, _blas_limit = threading.Lock(), 0, None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


@functools.cache
def _blas_controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS at one thread; the limit is process-wide, so the last user to leave restores the user's number."""
    global _blas_users, _blas_limit  # noqa: PLW0603
    with _blas_lock:
        if _blas_users == 0:
            _blas_limit = _blas_controller().limit(limits=1)
        _blas_users += 1
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if _blas_users == 0:
                _blas_limit.restore_original_limits()
                _blas_limit = None


def thread_map(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    threads: int | None = None,
    done: Callable[[T], object] = lambda _: None,
) -> list[R]:
    """``[work(item) for item in items]`` over threads; each sees the caller's settings and one BLAS thread.

    The order of the results is that of the items, whatever the timing, and `done` is called in that order too, in
    the caller's thread. The first error ends the map (items not yet begun are dropped) and is raised; so does an
    interrupt. One thread is the caller's; BLAS is held to one there too: its bits then never depend on its threads,
    which would go on spinning, on a core that the next step needs, for some 30 ms after a product.
    """
    threads = min(n_threads() if threads is None else threads, len(items))
    if threads <= 1:
        with one_blas_thread():
            return [_noted(work(item), item, done) for item in items]
    with one_blas_thread(), ThreadPoolExecutor(threads, thread_name_prefix="gpumetrics") as pool:
        # One copy per item: a context can be entered by one thread at a time.
        futures = [pool.submit(contextvars.copy_context().run, work, item) for item in items]
        try:
            return [_noted(future.result(), item, done) for future, item in zip(futures, items, strict=True)]
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _noted(result: R, item: T, done: Callable[[T], object]) -> R:
    done(item)
    return result


def spans(n: int, step: int) -> list[slice]:
    """Cut ``range(n)`` into slices of `step` (the last may be shorter)."""
    return [slice(i, min(i + step, n)) for i in range(0, n, step)]
