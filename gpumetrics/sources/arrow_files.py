"""Parquet and Arrow IPC files: rows block by block, whatever the size of their groups; and their labels."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.sources.arrow_columns import NumberColumns, chosen_columns
from gpumetrics.sources.feature_columns import Choice
from gpumetrics.sources.row_files import Layout, check_table
from gpumetrics.sources.specs import InputFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gpumetrics.types import Array

__all__ = ["ArrowFile", "arrow_labels", "arrow_schema", "open_arrow"]

BATCH = 1 << 22  # bytes of numbers in one batch of a Parquet file
PLACES = 4  # at which one file is read at the same time: each keeps a batch, and the page that it is from


class Opened(NamedTuple):
    """An open file: its schema, the rows at which reading may begin, and how it begins there."""

    schema: Any
    borders: Array  # and the number of rows at the end
    batches: Callable[[int, list[str], int], Iterator[Any]]  # (number of the border, columns, rows of a batch)
    close: Callable[[], None]


@dataclass
class _Place:
    """Where a file is being read: the batches to come, what is left of the last one, and the row it begins with."""

    row: int
    batches: Iterator[Any]
    rest: Any = None


class ArrowFile:
    """Rows of a Parquet or an Arrow IPC file.

    Reading begins at a row group or a record batch and goes on from there; a place where a reader stopped is kept, so
    that stretches which are read one after the other cost one pass, and a group is never in memory as a whole.
    """

    def __init__(self, path: Path, key: str | None, choice: Choice) -> None:
        self.path = path
        self._opened: Opened | None = None
        self._places: OrderedDict[int, _Place] = OrderedDict()  # by the row that comes next
        opened = self._open()
        self._borders = opened.borders
        n_rows = int(opened.borders[-1])
        if not n_rows:
            raise InputFileError(f"{path}: has no rows")
        chosen = chosen_columns(path, opened.schema, key, choice)
        filled = int(np.flatnonzero(np.diff(opened.borders))[0])
        self._columns = NumberColumns.of(
            path, opened.schema, chosen.names, lambda: next(opened.batches(filled, chosen.names, 1))
        )
        check_table(str(path), (n_rows, self._columns.n_columns), self._columns.dtype)
        used = tuple(chosen.names) if key is None else ()
        self.layout = Layout(
            name=str(path),
            n_rows=n_rows,
            n_columns=self._columns.n_columns,
            dtype=self._columns.dtype,
            used=used,
            left_out=tuple(name for name in chosen.known if used and name not in used),
            index=", ".join(map(repr, chosen.index)),
            borders=np.unique(opened.borders[:-1][np.diff(opened.borders) > 0]),
        )
        self.close()

    @property
    def array(self) -> None:
        return None

    def close(self) -> None:
        self._places.clear()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def read(self, start: int, stop: int) -> Array:
        place = self._places.pop(start, None) or self._begin(start)
        out = np.empty((stop - start, self.layout.n_columns), self.layout.dtype)
        while place.row < stop:
            batch = self._next(place)
            taken = batch.slice(0, stop - place.row)
            out[place.row - start : place.row - start + len(taken)] = self._columns.block(taken, place.row)
            self._pass(place, batch, len(taken))
        self._places[stop] = place
        if len(self._places) > PLACES:
            self._places.popitem(last=False)
        return out

    def _begin(self, row: int) -> _Place:
        """Start at the border before a row, and pass over the rows between."""
        at = int(np.searchsorted(self._borders[:-1], row, side="right")) - 1
        step = max(1, min(1 << 16, BATCH // (self.layout.n_columns * self.layout.dtype.itemsize)))
        place = _Place(int(self._borders[at]), self._open().batches(at, self._columns.names, step))
        while place.row < row:
            batch = self._next(place)
            self._pass(place, batch, min(len(batch), row - place.row))
        return place

    def _next(self, place: _Place) -> Any:
        batch = place.rest if place.rest is not None else next(place.batches, None)
        if batch is None:
            raise InputFileError(f"{self.path}: ends after row {place.row:,} of {self.layout.n_rows:,}")
        return batch

    @staticmethod
    def _pass(place: _Place, batch: Any, n_rows: int) -> None:
        place.row += n_rows
        place.rest = batch.slice(n_rows) if n_rows < len(batch) else None

    def _open(self) -> Opened:
        if self._opened is None:
            self._opened = open_arrow(self.path)
        return self._opened


def open_arrow(path: Path) -> Opened:
    """Open a Parquet file, or an Arrow IPC file or stream."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        what = path.suffix.lower()
        raise InputFileError(f'{path}: reading {what} files needs pyarrow: pip install "gpumetrics[io]"') from error
    if path.suffix.lower() in {".parquet", ".pq"}:
        return _open_parquet(path)
    with path.open("rb") as file:
        magic = file.read(6)
    if magic.startswith(b"FEA1"):
        raise InputFileError(f"{path}: is of the first version of Feather; write it again with a newer pyarrow")
    return _open_ipc_file(path) if magic == b"ARROW1" else _open_ipc_stream(path)


def _open_parquet(path: Path) -> Opened:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, memory_map=True, page_checksum_verification=True)
    sizes = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]

    def batches(at: int, names: list[str], step: int) -> Iterator[Any]:
        groups = range(at, file.num_row_groups)
        yield from file.iter_batches(step, row_groups=list(groups), columns=names)

    return Opened(file.schema_arrow, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), batches, file.close)


def _open_ipc_file(path: Path) -> Opened:
    import pyarrow as pa

    source = pa.memory_map(str(path))
    file = pa.ipc.open_file(source)
    # A compressed batch is unpacked to learn its size: of its first column only.
    light = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=[0]))
    sizes = [light.get_batch(at).num_rows for at in range(file.num_record_batches)]

    def batches(at: int, names: list[str], _step: int) -> Iterator[Any]:
        fields = sorted(file.schema.get_field_index(name) for name in names)
        reader = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields))
        for number in range(at, reader.num_record_batches):
            yield _sound(reader.get_batch(number))

    return Opened(file.schema, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), batches, source.close)


def _open_ipc_stream(path: Path) -> Opened:
    import pyarrow as pa

    def batches(_at: int, names: list[str], _step: int) -> Iterator[Any]:
        with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
            for batch in reader:
                yield _sound(batch.select(names))

    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
        schema = reader.schema
        n_rows = sum(len(batch) for batch in reader)
    return Opened(schema, np.array([0, n_rows]), batches, lambda: None)


def _sound(batch: Any) -> Any:
    """Return a batch of an IPC file, or raise if its numbers point out of it: they would be followed anywhere."""
    batch.validate(full=True)
    return batch


def arrow_schema(path: Path) -> Any:
    """Return the schema of a file."""
    opened = open_arrow(path)
    opened.close()
    return opened.schema


def arrow_labels(path: Path, key: str | None) -> np.ndarray:
    """Read the one column of labels of a file; columns that are an index are left out with a warning."""
    from gpumetrics.sources.csv_files import note_index

    opened = open_arrow(path)
    import pyarrow as pa

    try:
        chosen = chosen_columns(path, opened.schema, key, Choice())
        if len(chosen.names) != 1:
            hint = f"choose one, as in {path.name}:{chosen.names[-1]}"
            names = ", ".join(chosen.names[:12])
            raise InputFileError(f"{path}: labels must be one column, this file has {names}; {hint}")
        parts = [batch.column(0) for batch in opened.batches(0, chosen.names, 1 << 16)]
        column = pa.chunked_array(parts, type=opened.schema.field(chosen.names[0]).type)
        if chosen.index:
            note_index(path, f"the column {', '.join(map(repr, chosen.index))}")
        return _plain_labels(path, column)
    finally:
        opened.close()


def _plain_labels(path: Path, column: Any) -> np.ndarray:
    import pyarrow as pa

    if column.null_count:
        valid = column.is_valid().to_numpy()
        raise InputFileError(
            f"{path}: {column.null_count} of {len(column)} labels are missing (null), the first in row "
            f"{int(np.argmin(valid)):,}"
        )
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=str)
    values: np.ndarray = column.to_numpy()
    # Numbers of a mapped file would be a view of memory that is given back with it.
    return values.copy()
