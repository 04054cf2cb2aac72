"""Rows of files that need not fit into memory: `open_rows` gives a table that is read chunk by chunk."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.config import current
from gpumetrics.sources.chunk_reader import ChunkReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from gpumetrics.sources.feature_columns import Choice
    from gpumetrics.sources.row_files import RowFile
    from gpumetrics.types import Array

__all__ = ["RowChunks", "as_array", "fits_in_memory", "open_rows"]

PASSES = 4  # over the file that rows in another order may cost before they are copied to where they can be mapped
DENSE = 4  # rows spread over a stretch of at most so many times their number are read with it,
STRETCH = 1 << 22  # of so many bytes at most


class RowChunks:
    """A table of numbers in a file, or in several, of which chunks of rows are read when they are used.

    Every function of this package takes it as X. A table that takes less than half of the working memory is read
    whole then; of a larger one, rows in the order in which they are stored are read chunk by chunk, as often as they
    are needed; and once the rows are needed in many other orders, as metrics over all pairs of rows do, they are
    copied to a temporary file that is mapped, and goes with this object. `numpy.asarray` gives such a map too.

    Attributes
    ----------
    name : str
        As messages show the file or the folder.
    shape : tuple of int
    dtype : dtype
    used, left_out : tuple of str
        Names of the columns that are features, and of those that are not; empty where the file has none.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from gpumetrics.sources import open_rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in range(3):
    ...         np.save(f"{folder}/part-{at}.npy", np.full((2, 4), at, dtype=np.float32))
    ...     with open_rows(folder) as rows:
    ...         rows.shape, rows.dtype.name, rows[1:4, 0].tolist(), [start for start, block in rows]
    ((6, 4), 'float32', [0.0, 1.0, 1.0], [0, 2, 4])
    """

    ndim = 2

    def __init__(self, name: str, files: Sequence[RowFile], reopen: tuple[Any, ...]) -> None:
        first = files[0].layout
        self.name, self._reader, self._reopen = name, ChunkReader(files), reopen
        self.used, self.left_out = first.used, first.left_out
        self.dtype: np.dtype[Any] = first.dtype
        self.shape = (int(self._reader.first_rows[-1]), first.n_columns)
        self._whole: Array | None = files[0].array if len(files) == 1 else None
        self._copied = False
        self._gathered = 0
        self._lock = threading.RLock()

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    @property
    def n_files(self) -> int:
        return len(self._reader.files)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"RowChunks({self.name!r}, shape={self.shape}, dtype={self.dtype})"

    def __reduce__(self) -> tuple[Callable[..., RowChunks], tuple[Any, ...]]:
        return open_rows, self._reopen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files; reading opens them again."""
        self._reader.close()

    def __iter__(self) -> Iterator[tuple[int, Array]]:
        """Yield (number of the first row, rows) of each chunk in turn; the next is read meanwhile."""
        for at, (start, stop) in enumerate(pairwise(self._reader.starts.tolist())):
            yield start, self._reader.get(at) if self._whole is None else self._whole[start:stop]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:  # noqa: FBT001  (NumPy's protocol)
        out: Array = np.array(self.array(), dtype=dtype, copy=copy)
        return out

    def __getitem__(self, key: Any) -> Array:
        """Return rows as NumPy would, from slices, index arrays, masks, and pairs of them."""
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], slice):
            return self._columns(*key)
        if isinstance(key, slice) and key.step in {None, 1}:
            return self.rows(key)
        if isinstance(key, slice):
            return self._gather(np.arange(*key.indices(len(self))))
        index = np.asarray(key) if not isinstance(key, tuple) else None
        if index is None or index.ndim > 1 or index.dtype.kind not in "biu":
            out: Array = self.array()[key]
            return out
        if index.dtype.kind == "b":
            return self._gather(np.flatnonzero(index))
        rows = self._gather(np.where(index < 0, index + len(self), index).reshape(-1))
        return rows.reshape(*index.shape, self.shape[1])

    def rows(self, part: slice) -> Array:
        """Return a stretch of rows, as (n_rows, n_features); not to be written to."""
        start, stop, _ = part.indices(len(self))
        if self._whole is not None:
            return self._whole[start:stop]
        if start >= stop:
            return np.empty((0, self.shape[1]), self.dtype)
        reader, starts = self._reader, self._reader.starts
        first, last = (int(at) for at in reader.chunks_of(np.array([start, stop - 1])))
        if first == last:
            begin = int(starts[first])
            return reader.get(first)[start - begin : stop - begin]
        out = np.empty((stop - start, self.shape[1]), self.dtype)
        for at in range(first, last + 1):
            begin, end = int(starts[at]), int(starts[at + 1])
            low, high = max(begin, start), min(end, stop)
            out[low - start : high - start] = reader.get(at)[low - begin : high - begin]
        return out

    def file_and_row(self, row: int) -> tuple[str, int]:
        """Return the file in which a row is, and its number there, from 0 up."""
        first_rows = self._reader.first_rows
        at = int(np.searchsorted(first_rows, row, side="right")) - 1
        return self._reader.files[at].layout.name, int(row - first_rows[at])

    def array(self) -> Array:
        """Return all rows as one array: in memory if they are few, else a map of the file or of a temporary copy.

        Raises
        ------
        InputFileError
            If the disk has no room for the copy, or a file cannot be read.
        """
        with self._lock:
            if self._whole is None:
                self._whole = self._read_whole() if fits_in_memory(self) else self._copy()
                self._reader.clear()
            return self._whole

    def table(self) -> Any:
        """Return the rows as an array where that costs no copy on disk; else this object."""
        return self.array() if self._whole is not None or fits_in_memory(self) else self

    def notes(self) -> dict[str, str]:
        """Say whether the rows were copied, and how much that took."""
        from gpumetrics.sources.spool import written_size
        from gpumetrics.text.messages import said

        if not self._copied:
            return {}
        return {
            "copied": said(
                "{name} was read in another order than it is stored in, from a temporary copy of {size} on disk.",
                name=self.name,
                size=written_size(self.nbytes),
            )
        }

    def _read_whole(self) -> Array:
        out = np.empty(self.shape, self.dtype)
        for start, block in self:
            out[start : start + len(block)] = block
        return out

    def _copy(self) -> Array:
        from gpumetrics.sources.spool import spooled

        mapped = spooled(self, owner=self)
        self._copied = True
        return np.asarray(mapped)

    def _columns(self, rows: slice, columns: Any) -> Array:
        """Some columns, chunk by chunk, so that the others are never all in memory."""
        start, stop, step = rows.indices(len(self))
        if self._whole is not None or step != 1:
            return np.asarray(self[rows][:, columns])
        edges = [start, *(int(at) for at in self._reader.starts if start < at < stop), stop]
        parts = [self.rows(slice(a, b))[:, columns].copy() for a, b in pairwise(edges)]  # a view would keep its chunk
        return np.concatenate(parts)

    def _gather(self, index: Array) -> Array:
        """Rows in any order; rows that follow each other closely, as those that are not noise do, cost no more."""
        if self._whole is None and len(index):
            low, high = int(index.min()), int(index.max())
            if low < 0 or high >= len(self):
                msg = f"row {low if low < 0 else high} is out of bounds for {self.name} with {len(self)} rows"
                raise IndexError(msg)
            dense = high - low < DENSE * len(index)
            if dense and (high - low) * self.shape[1] * self.dtype.itemsize <= STRETCH:
                return np.asarray(self.rows(slice(low, high + 1))[index - low])
            if not (dense and bool((np.diff(index) > 0).all())) and not self._may_gather(index):
                self.array()
        return self._gather_by_chunks(index) if self._whole is None else np.asarray(self._whole[index])

    def _may_gather(self, index: Array) -> bool:
        """Whether these rows may be read from their chunks; counts what it costs."""
        chunks = np.unique(self._reader.chunks_of(index))
        with self._lock:
            self._gathered += self._reader.not_held(chunks)
            return self._gathered <= PASSES * self._reader.n_chunks

    def _gather_by_chunks(self, index: Array) -> Array:
        order = np.argsort(index, kind="stable")
        ascending = index[order]
        out = np.empty((len(index), self.shape[1]), self.dtype)
        chunk = self._reader.chunks_of(ascending)
        edges = np.flatnonzero(np.diff(chunk, prepend=-1, append=-1)).tolist()
        for begin, end in pairwise(edges):
            at = int(chunk[begin])
            out[order[begin:end]] = self._reader.get(at)[ascending[begin:end] - self._reader.starts[at]]
        return out


def fits_in_memory(rows: RowChunks) -> bool:
    """Whether a table is read whole: it takes less than half of the working memory."""
    return rows.nbytes <= current().working_memory * 2**19


def as_array(X: Any) -> Any:
    """Return the rows of a `RowChunks` as one array, as `RowChunks.array` does; anything else as it is."""
    return X.array() if isinstance(X, RowChunks) else X


def open_rows(spec: str | Path, choice: Choice | None = None, header: str = "auto") -> RowChunks:
    """Open the rows of a file, or of a folder of files, without reading them.

    Parameters
    ----------
    spec : str or Path
        A .npy, .npz, .csv, .parquet, .arrow, .feather, .h5 or .h5ad file, a .zarr store, or a folder of such files
        of one kind, whose rows follow each other in natural order of the names. ``file.parquet:column`` names a
        column of lists, ``file.h5:/path``, ``file.h5ad:obsm/X_pca``, ``store.zarr:path`` and ``file.npz:key`` an
        array; after a folder, what is named in each file.
    choice : Choice, optional
        Which columns of a table are features; all if it is None.
    header : {"auto", "yes", "no"}
        Whether .csv files begin with a heading, as in ``gpumetrics evaluate``.

    Returns
    -------
    RowChunks
        To be given as X to any function of this package.

    Raises
    ------
    InputFileError
        If a file is missing, damaged, of another kind, or no table of numbers; if the files of a folder are of
        several kinds, or differ in columns or dtype; if a library is missing.

    Notes
    -----
    .npz and .csv files are read whole when they are opened; of all others only the head is read.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from gpumetrics import calinski_harabasz_score
    >>> from gpumetrics.sources import open_rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", [[0.0], [1.0], [8.0], [9.0]])
    ...     with open_rows(f"{folder}/X.npy") as rows:
    ...         calinski_harabasz_score(rows, [0, 0, 1, 1])
    128.0
    """
    from gpumetrics.sources.opening import opened_files

    files = opened_files(spec, choice, header)
    return RowChunks(str(spec), files, (spec, choice, header))
