"""One file of rows: what all kinds have in common, and those that are arrays in memory or mapped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpumetrics.sources.specs import InputFileError

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["ArrayFile", "Layout", "RowFile", "check_table"]


@dataclass(frozen=True)
class Layout:
    """What is known of a file of rows before they are read.

    Attributes
    ----------
    name : str
        As messages show the file.
    n_rows, n_columns : int
    dtype : dtype
        Of the blocks that are read: numbers of at most 64 bits in native byte order.
    used, left_out : tuple of str
        Names of the columns that are features, and of those that are not; empty where they have none.
    index : str
        The columns that were left out as an index, as a note says it; empty if there is none.
    borders : ndarray of int64
        Rows, from 0 up, at which reading may begin without reading any rows before them; empty: every row.
    divisible : bool
        Whether rows between two borders can be read in pieces, one after the other.
    """

    name: str
    n_rows: int
    n_columns: int
    dtype: np.dtype[Any]
    used: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    index: str = ""
    borders: Array | None = None
    divisible: bool = True

    def starts(self, step: int) -> Array:
        """Return the rows at which blocks of about `step` rows begin, at borders where there are some near enough."""
        if self.borders is None or not len(self.borders):
            return np.arange(0, self.n_rows, step, dtype=np.int64)
        out: list[int] = []
        begin, ends = 0, [*self.borders.tolist()[1:], self.n_rows]
        for border, end in zip(self.borders.tolist(), ends, strict=True):
            if border > begin and end - begin > step:
                begin = border
            if not out or out[-1] < begin:
                out.append(begin)
            if self.divisible and end - begin > step:
                pieces = -(-(end - begin) // step)
                out += np.linspace(begin, end, pieces + 1).astype(int).tolist()[1:-1]
                begin = end
        return np.array(out, dtype=np.int64)


class RowFile(Protocol):
    """A file whose rows are read block by block, by one thread at a time."""

    layout: Layout

    @property
    def array(self) -> Array | None:
        """All rows where they lie in memory, or are mapped into it; else None."""

    def read(self, start: int, stop: int) -> Array:
        """Return rows as (stop - start, n_columns) of the layout's dtype."""

    def close(self) -> None:
        """Give the open file back; reading opens it again."""


class ArrayFile:
    """A file that is an array: mapped (.npy), or read whole (.npz, .csv)."""

    def __init__(self, name: str, array: Array, used: tuple[str, ...] = (), left_out: tuple[str, ...] = ()) -> None:
        check_table(name, array.shape, array.dtype)
        if not array.dtype.isnative and not isinstance(array, np.memmap):
            array = array.astype(array.dtype.newbyteorder("="))
        self._array = array
        n_rows, n_columns = array.shape
        self.layout = Layout(name, n_rows, n_columns, array.dtype.newbyteorder("="), used, left_out)

    @property
    def array(self) -> Array | None:
        return self._array

    def read(self, start: int, stop: int) -> Array:
        return np.asarray(self._array[start:stop], dtype=self.layout.dtype)

    def close(self) -> None:
        """Do nothing: no file is open."""


def check_table(name: str, shape: tuple[int, ...], dtype: Any) -> None:
    """Raise InputFileError unless these are the shape and the dtype of a table of numbers, with rows and columns."""
    kind = np.dtype(dtype)
    if kind.kind not in "biuf":
        what = {"S": "bytes", "U": "text", "T": "text", "O": "text or objects"}.get(kind.kind, f"the type {kind}")
        raise InputFileError(f"{name}: features must be numbers, this file holds {what}")
    if kind.itemsize > 8:
        raise InputFileError(f"{name}: holds numbers of {8 * kind.itemsize} bits ({kind}); save them as float64")
    if len(shape) != 2:
        raise InputFileError(f"{name}: features must be a table (rows x features), this array has shape {shape}")
    if not all(shape):
        raise InputFileError(f"{name}: has no {'rows' if not shape[0] else 'columns'} (shape {shape})")
