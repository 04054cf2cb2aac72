"""Tables in text (.csv) and Parquet files, as NumPy arrays."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

from gpumetrics.sources.files import InputFileError

__all__ = ["csv_features", "csv_labels", "parquet_features", "parquet_labels"]

# First cells of a one-column file that are a heading rather than a label.
_HEADINGS = {"label", "labels", "cluster", "clusters", "cluster_id", "class", "classes", "target", "targets"}
_HEADINGS |= {"y", "y_true", "y_pred", "truth", "labels_true", "labels_pred", "category", "group", "topic"}
_LEADING_ZERO = re.compile(r"[+-]?0\d")
_BAD_CELL = re.compile(r"convert string (?P<cell>.*) to float64 at row (?P<row>\d+), column (?P<column>\d+)")
_RAGGED = re.compile(r"number of columns changed from (?P<before>\d+) to (?P<now>\d+) at row (?P<row>\d+)")


def csv_features(path: Path, key: str | None) -> np.ndarray:
    """Read a .csv of numbers; a header line and pandas' unnamed index column are left out."""
    head = _first_rows(path)
    header = _is_header(head)
    columns = _columns(path, head[0] if header else None, key)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            data = np.loadtxt(
                file,
                delimiter=",",
                comments=None,
                skiprows=int(header),
                ndmin=2,
                quotechar='"',
                usecols=columns,
            )
    except ValueError as error:
        raise InputFileError(f"{path}: {_explained(error, int(header))}") from error
    if header and head[0][0].strip() == "" and key is None and _counts_up(data[:, 0]):
        data = data[:, 1:]
    return data


def _first_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = [row for row, _ in zip(csv.reader(file), range(2), strict=False)]
        except csv.Error as error:
            raise InputFileError(f"{path}: the file is not comma-separated text ({error})") from error
    if not rows or not any(cell.strip() for row in rows for cell in row):
        raise InputFileError(f"{path}: the file is empty")
    return rows


def _is_header(rows: list[list[str]]) -> bool:
    """Whether the first line names the columns: it has a word, or is pandas' 0, 1, 2, ... over fractions."""
    first = [cell.strip() for cell in rows[0]]
    if not all(_is_number(cell) for cell in first):
        return len(rows) > 1
    counts = len(rows) > 1 and len(first) > 1 and first == [str(i) for i in range(len(first))]
    return counts and any("." in cell for cell in rows[1])


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _columns(path: Path, names: list[str] | None, key: str | None) -> list[int] | None:
    if key is None:
        return None
    found = [i for i, name in enumerate(names or []) if name.strip() == key]
    if len(found) != 1:
        known = ", ".join(name.strip() for name in (names or [])[:12]) or "none: there is no header line"
        raise InputFileError(f"{path}: no single column is named {key!r} (columns: {known})")
    return found


def _counts_up(column: np.ndarray) -> bool:
    return bool(np.array_equal(column, np.arange(column.size)))


def _explained(error: ValueError, skipped: int) -> str:
    """Restate NumPy's message with the line of the file."""
    if isinstance(error, UnicodeDecodeError):
        return "the file is not UTF-8 text"
    text = " ".join(str(error).split())
    if match := _BAD_CELL.search(text):
        where = f"line {int(match['row']) + 1 + skipped}, column {match['column']}"
        if match["cell"] in {"''", '""'}:
            return f"{where} is empty; every cell must hold a number"
        return f"{where} holds {match['cell']}, which is not a number"
    if match := _RAGGED.search(text):
        line = int(match["row"]) + skipped
        return f"near line {line} the number of columns changes from {match['before']} to {match['now']}"
    return f"the file is not a table of numbers ({text})"


def csv_labels(path: Path, key: str | None, n_samples: int | None) -> np.ndarray:
    """Read a .csv of labels: whole numbers, or text where any label is not a number."""
    rows = _label_rows(path)
    names: list[str] | None = None
    if key is not None or len(rows[0]) > 1:
        names, rows = rows[0], rows[1:]
        rows = _one_column(path, names, rows, key)
    cells = [row[0].strip() for row in rows]
    if names is None and _has_heading(cells, n_samples):
        cells = cells[1:]
    if "" in cells:
        raise InputFileError(f"{path}: entry {cells.index('') + 1} of {len(cells)} has no label")
    return _typed(cells)


def _label_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = [row or [""] for row in csv.reader(file)]
        except csv.Error as error:
            raise InputFileError(f"{path}: the file is not comma-separated text ({error})") from error
    while rows and not any(cell.strip() for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise InputFileError(f"{path}: the file is empty")
    return rows


def _one_column(path: Path, names: list[str], rows: list[list[str]], key: str | None) -> list[list[str]]:
    if key is not None:
        (column,) = _columns(path, names, key) or [0]
    elif len(names) == 2 and not names[0].strip() and all(row[0] == str(i) for i, row in enumerate(rows)):
        column = 1  # pandas' unnamed index column stands first
    else:
        hint = f"; choose one, as in {path.name}:{names[-1].strip()}"
        raise InputFileError(f"{path}: labels must be one column, this file has {len(names)}{hint}")
    short = next((i for i, row in enumerate(rows) if len(row) <= column), None)
    if short is not None:
        raise InputFileError(f"{path}: line {short + 2} has too few columns")
    return [[row[column]] for row in rows]


def _has_heading(cells: list[str], n_samples: int | None) -> bool:
    """Whether the first cell is a heading: by the number of labels that is due, else by what it says."""
    if len(cells) < 2:
        return False
    if n_samples in {len(cells), len(cells) - 1}:
        return n_samples == len(cells) - 1
    if _is_number(cells[0]):
        return False
    return cells[0].lower() in _HEADINGS or all(_is_number(cell) for cell in cells[1:])


def _typed(cells: list[str]) -> np.ndarray:
    text = np.array(cells)
    try:
        whole = text.astype(np.int64)
    except (ValueError, OverflowError):
        whole = None
    # "007" and "7" are different labels, so only numbers in their plain spelling are read as numbers.
    if whole is not None and np.array_equal(whole.astype(text.dtype), text):
        return whole
    if whole is None and all(_is_number(cell) and not _LEADING_ZERO.match(cell + " ") for cell in cells):
        return text.astype(np.float64)
    return text


def parquet_features(path: Path, key: str | None) -> np.ndarray:
    """Read the columns of numbers of a .parquet file, or its one column of equally long lists."""
    table = _table(path, key)
    if table.num_columns == 1 and _is_list(table.schema.field(0).type):
        return _from_lists(path, table.column(0))
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.to_numpy()
        if values.dtype.kind not in "biuf":
            raise InputFileError(f"{path}: column {name!r} holds {column.type}, features must be numbers")
        columns.append(values)
    data = np.empty((table.num_rows, len(columns)), dtype=np.result_type(*(c.dtype for c in columns)))
    for i, values in enumerate(columns):
        data[:, i] = values
    return data


def _is_list(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind))


def _from_lists(path: Path, column: Any) -> np.ndarray:
    array = column.combine_chunks()
    flat = array.flatten().to_numpy(zero_copy_only=False)
    n = len(array)
    width = len(array[0]) if n and array[0].is_valid else 0
    offsets = np.asarray(array.offsets) if hasattr(array, "offsets") else np.arange(n + 1) * width
    if array.null_count or flat.size != n * width or (np.diff(offsets) != width).any():
        raise InputFileError(f"{path}: the lists in the column are not all equally long")
    return np.asarray(flat).reshape(n, width)


def parquet_labels(path: Path, key: str | None) -> np.ndarray:
    """Read the one column of labels of a .parquet file."""
    import pyarrow as pa

    table = _table(path, key)
    if table.num_columns != 1:
        names = ", ".join(table.column_names[:12])
        hint = f"choose one, as in {path.name}:{table.column_names[-1]}"
        raise InputFileError(f"{path}: labels must be one column, this file has {names}; {hint}")
    column = table.column(0)
    if column.null_count:
        raise InputFileError(f"{path}: {column.null_count} labels are missing (null)")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=str)
    values: np.ndarray = column.to_numpy()
    return values


def _table(path: Path, key: str | None) -> Any:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputFileError(f'{path}: reading .parquet files needs pyarrow: pip install "gpumetrics[io]"') from error
    names = [name for name in pq.read_schema(path).names if not name.startswith("__index_level_")]
    if key is not None and key not in names:
        raise InputFileError(f"{path}: has no column {key!r} (columns: {', '.join(names[:12])})")
    table = pq.read_table(path, columns=names if key is None else [key])
    if table.num_columns == 0:
        raise InputFileError(f"{path}: the file has no columns")
    return table
