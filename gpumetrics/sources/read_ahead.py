"""Chunks of rows that are read by one thread, a chunk ahead, and kept for as long as there is room."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.types import Array

__all__ = ["ChunkCache"]


class ChunkCache:
    """The chunks that were asked for last; whatever the number of threads that ask, one reads.

    Libraries that read files are not safe in threads, or have a lock of their own. Each thread of this package goes
    through a stretch of the rows; so whoever asks for a chunk after the one before it gets the next one read while
    the first is computed with.

    Parameters
    ----------
    read : function
        From the number of a chunk to its rows.
    n_chunks : int
    keep : int
        Chunks that may be in memory.
    ahead : bool
        Whether the next chunk is read in advance.
    """

    def __init__(self, read: Callable[[int], Array], n_chunks: int, keep: int, *, ahead: bool = True) -> None:
        self._read, self._n_chunks, self._keep, self._ahead = read, n_chunks, max(1, keep), ahead
        self._held: OrderedDict[int, Future[Array]] = OrderedDict()
        self._lock = threading.Lock()
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="gpumetrics-read")
        self._end = weakref.finalize(self, self._reader.shutdown, wait=False, cancel_futures=True)

    def get(self, at: int) -> Array:
        """Return the rows of a chunk; what went wrong in reading it is raised here, and tried again if asked again."""
        with self._lock:
            future = self._asked(at)
            in_turn = at == 0 or at - 1 in self._held or at + 1 in self._held
            if self._ahead and in_turn and at + 1 < self._n_chunks:
                self._asked(at + 1)
                self._held.move_to_end(at)  # the one in use goes last
            while len(self._held) > self._keep:
                self._held.popitem(last=False)
        try:
            return future.result()
        except BaseException:
            with self._lock:
                if self._held.get(at) is future:
                    del self._held[at]
            raise

    def holds(self, at: int) -> bool:
        """Whether a chunk is here, or on its way."""
        return at in self._held

    def clear(self) -> None:
        """Let all chunks go."""
        with self._lock:
            self._held.clear()

    def close(self) -> None:
        """Let all chunks go, and wait until the reader has ended."""
        self.clear()
        self._end.detach()
        self._reader.shutdown(wait=True, cancel_futures=True)

    def _asked(self, at: int) -> Future[Array]:
        future = self._held.get(at)
        if future is None:
            future = self._held[at] = self._reader.submit(self._read, at)
        self._held.move_to_end(at)
        return future
