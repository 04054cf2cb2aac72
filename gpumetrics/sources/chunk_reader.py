"""The chunks of the files of one table: where each begins, and how it is read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.threads import n_threads
from gpumetrics.config import current
from gpumetrics.sources.read_ahead import ChunkCache
from gpumetrics.sources.specs import InputFileError, damage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.sources.row_files import RowFile
    from gpumetrics.types import Array

__all__ = ["ChunkReader"]

SHARE = 4  # the chunks that are held take a quarter of the working memory
SMALLEST, LARGEST = 1 << 20, 1 << 26  # bytes of a chunk
OPEN_FILES = 16


class ChunkReader:
    """Chunks of some files, numbered one after the other; planned for the working memory of the first use.

    Attributes
    ----------
    first_rows : ndarray of shape (n_files + 1,), int64
        Number of the first row of each file, and of all rows.
    """

    def __init__(self, files: Sequence[RowFile]) -> None:
        self.files = files
        self.first_rows = np.cumsum([0, *(file.layout.n_rows for file in files)])
        layout = files[0].layout
        self._row_bytes = layout.n_columns * layout.dtype.itemsize
        self._starts: Array | None = None
        self._cache: ChunkCache | None = None
        self._open: OrderedDict[int, None] = OrderedDict()  # numbers of the files that were read last
        self._lock = threading.Lock()

    @property
    def starts(self) -> Array:
        """The row with which each chunk begins, and the number of rows at the end."""
        self._reader()
        starts: Array = self._starts  # type: ignore[assignment]  # it has been planned
        return starts

    @property
    def n_chunks(self) -> int:
        return len(self.starts) - 1

    def chunks_of(self, rows: Array) -> Array:
        """Return the numbers of the chunks that rows are in."""
        at: Array = np.searchsorted(self.starts, rows, side="right") - 1
        return at

    def get(self, at: int) -> Array:
        """Return the rows of a chunk, not to be written to; the next one is read meanwhile."""
        return self._reader().get(at)

    def not_held(self, chunks: Array) -> int:
        """Return how many of these chunks would have to be read."""
        reader = self._reader()
        return sum(not reader.holds(int(at)) for at in chunks)

    def clear(self) -> None:
        """Let all chunks go."""
        if self._cache is not None:
            self._cache.clear()

    def close(self) -> None:
        """Let all chunks go, and close the files; they are opened again when they are read."""
        with self._lock:
            if self._cache is not None:
                self._cache.close()
                self._cache = None
            for file in self.files:
                file.close()
            self._open.clear()

    def _reader(self) -> ChunkCache:
        with self._lock:
            if self._cache is None:
                self._cache = self._planned()
            return self._cache

    def _planned(self) -> ChunkCache:
        threads = n_threads()
        keep = 2 * threads + 2  # each thread's chunk and its next, and two for who comes late
        budget = current().working_memory * 2**20 / SHARE
        step = max(1, int(min(max(budget / keep, SMALLEST), LARGEST)) // self._row_bytes)
        within = [file.layout.starts(step) for file in self.files]
        starts = [at + first for at, first in zip(within, self.first_rows[:-1], strict=True)]
        self._starts = np.concatenate([*starts, self.first_rows[-1:]])
        largest, n_chunks = int(np.diff(self._starts).max()) * self._row_bytes, len(self._starts) - 1
        # Chunks that a file has in one piece may be larger than they should: no more of them than threads then.
        roomy = largest * keep <= 2 * budget or largest <= SMALLEST
        return ChunkCache(self._read, n_chunks, keep if roomy else threads, ahead=roomy)

    def _read(self, at: int) -> Array:
        """Read a chunk; in the reader's thread."""
        starts: Array = self._starts  # type: ignore[assignment]  # it has been planned
        start, stop = int(starts[at]), int(starts[at + 1])
        number = int(np.searchsorted(self.first_rows, start, side="right")) - 1
        file, first = self.files[number], int(self.first_rows[number])
        self._open[number] = None
        self._open.move_to_end(number)
        if len(self._open) > OPEN_FILES:
            self.files[self._open.popitem(last=False)[0]].close()
        try:
            block = file.read(start - first, stop - first)
        except InputFileError:
            raise
        except Exception as error:  # a damaged file may raise anything inside the library that reads it
            where = f"the rows from {start - first:,} on"  # readers look ahead: where it ends is not known
            raise InputFileError(f"{file.layout.name}: {where} cannot be read: {damage(error)}") from error
        if len(block) != stop - start:
            raise InputFileError(
                f"{file.layout.name}: has no rows from {start - first + len(block):,} on, of {file.layout.n_rows:,}"
            )
        block.flags.writeable = False
        return block
