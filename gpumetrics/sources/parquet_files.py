"""Parquet files as NumPy arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.sources.csv_files import note_index
from gpumetrics.sources.files import InputFileError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["index_columns", "parquet_features", "parquet_labels"]


def parquet_features(path: Path, key: str | None, without: Sequence[str] = ()) -> np.ndarray:
    """Read the columns of numbers of a .parquet file, or its one column of equally long lists."""
    table = _table(path, key)
    table = table.drop_columns([name for name in table.column_names if name in without])
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
        raise InputFileError(f"{path}: {column.null_count} of {len(column)} labels are missing (null)")
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
    schema = pq.read_schema(path)
    if key is not None and key not in schema.names:
        raise InputFileError(f"{path}: has no column {key!r} (columns: {', '.join(schema.names[:12])})")
    index = index_columns(schema)
    names = [name for name in schema.names if name not in index]
    if key is None and not names:
        raise InputFileError(f"{path}: the file has no columns" + " besides its index" * bool(index))
    table = pq.read_table(path, columns=names if key is None else [key])
    if key is None and index:
        note_index(path, f"the column {', '.join(map(repr, index))}")
    return table


def index_columns(schema: Any) -> list[str]:
    """Return the columns that pandas wrote as the index of its frame; they are no data."""
    try:
        described = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, AttributeError):
        described = []
    # A dict describes a range, of which no column is stored.
    known = {name for name in described if isinstance(name, str)}
    return [name for name in schema.names if name in known or name.startswith("__index_level_")]
