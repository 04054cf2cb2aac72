"""Parquet files as NumPy arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.sources.csv_files import note_index
from gpumetrics.sources.feature_columns import Choice, FeatureTable, drop_hint, listed
from gpumetrics.sources.files import InputFileError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["index_columns", "parquet_features", "parquet_labels"]


def parquet_features(path: Path, key: str | None, choice: Choice) -> FeatureTable:
    """Read the columns of numbers of a .parquet file, or its one column of equally long lists."""
    table, known = _table(path, key, choice)
    names = table.column_names
    one_list = len(names) == 1 and _is_list(table.schema.field(0).type)
    data = _from_lists(path, table.column(0)) if one_list else _from_columns(path, table)
    if key is not None:
        return FeatureTable(data)
    return FeatureTable(data, tuple(names), tuple(name for name in known if name not in names))


def _from_columns(path: Path, table: Any) -> np.ndarray:
    columns = [column.to_numpy() for column in table.columns]
    bad = [at for at, values in enumerate(columns) if values.dtype.kind not in "biuf"]
    if bad:
        raise InputFileError(f"{path}: {_no_numbers(path, table.schema, bad)}")
    data = np.empty((table.num_rows, len(columns)), dtype=np.result_type(*(c.dtype for c in columns)))
    for i, values in enumerate(columns):
        data[:, i] = values
    return data


def _no_numbers(path: Path, schema: Any, bad: list[int]) -> str:
    """Say which column holds no numbers, and what to do: choose it where it holds lists, else leave it out."""
    names = schema.names
    lists = next((names[at] for at in bad if _is_list_of_numbers(schema.field(at).type)), None)
    if lists is not None:
        return f"column {lists!r} holds lists beside other columns; if they are the features, give {path.name}:{lists}"
    what = f"column {names[bad[0]]!r} holds {schema.field(bad[0]).type}, features must be numbers"
    return f"{what}; {drop_hint([names[at] for at in bad])}"


def _is_list_of_numbers(kind: Any) -> bool:
    import pyarrow.types as kinds

    return _is_list(kind) and bool(kinds.is_floating(kind.value_type) or kinds.is_integer(kind.value_type))


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

    table, _ = _table(path, key, Choice())
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


def _table(path: Path, key: str | None, choice: Choice) -> tuple[Any, list[str]]:
    """Return the columns that are wanted, and the names of all but the index."""
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputFileError(f'{path}: reading .parquet files needs pyarrow: pip install "gpumetrics[io]"') from error
    schema = pq.read_schema(path)
    if key is not None and key not in schema.names:
        raise InputFileError(f"{path}: has no column {key!r} (columns: {listed(schema.names)})")
    index = index_columns(schema)
    names = [name for name in schema.names if name not in index]
    if key is None and not names:
        raise InputFileError(f"{path}: the file has no columns" + " besides its index" * bool(index))
    wanted = [key] if key is not None else [names[at] for at in choice.kept(path, names, index)]
    table = pq.read_table(path, columns=wanted)
    if key is None and index:
        note_index(path, f"the column {', '.join(map(repr, index))}")
    return table, names


def index_columns(schema: Any) -> list[str]:
    """Return the columns that pandas wrote as the index of its frame; they are no data."""
    try:
        described = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, AttributeError):
        described = []
    # A dict describes a range, of which no column is stored.
    known = {name for name in described if isinstance(name, str)}
    return [name for name in schema.names if name in known or name.startswith("__index_level_")]
