"""Columns of Arrow tables as blocks of numbers: many columns of numbers, or one column of equally long lists."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.sources.feature_columns import Choice, drop_hint, listed
from gpumetrics.sources.specs import InputFileError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpumetrics.types import Array

__all__ = ["Chosen", "NumberColumns", "chosen_columns", "index_columns"]


@dataclass(frozen=True)
class Chosen:
    """The columns of a table that are asked for, and all that it has but its index."""

    names: list[str]
    known: list[str]
    index: list[str]


def chosen_columns(path: Path, schema: Any, key: str | None, choice: Choice) -> Chosen:
    """Return which columns are wanted: the one that `key` names, or those of the choice."""
    if key is not None and key not in schema.names:
        raise InputFileError(f"{path}: has no column {key!r} (columns: {listed(schema.names)})")
    twice = [name for name in schema.names if schema.get_field_index(name) < 0]
    if twice:
        raise InputFileError(f"{path}: two columns have the same name ({twice[0]!r})")
    index = index_columns(schema)
    known = [name for name in schema.names if name not in index]
    if key is None and not known:
        raise InputFileError(f"{path}: the file has no columns" + " besides its index" * bool(index))
    names = [key] if key is not None else [known[at] for at in choice.kept(path, known, index)]
    return Chosen(names, known, index if key is None else [])


def index_columns(schema: Any) -> list[str]:
    """Return the columns that pandas wrote as the index of its frame; they are no data."""
    try:
        described = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, AttributeError):
        described = []
    # A dict describes a range, of which no column is stored.
    known = {name for name in described if isinstance(name, str)}
    return [name for name in schema.names if name in known or name.startswith("__index_level_")]


@dataclass(frozen=True)
class NumberColumns:
    """How record batches become blocks.

    Attributes
    ----------
    path : Path
    names : list of str
    n_columns : int
        Of a block.
    dtype : dtype
    lists : bool
        Whether there is one column, and it holds lists.
    """

    path: Path
    names: list[str]
    n_columns: int
    dtype: np.dtype[Any]
    lists: bool

    @classmethod
    def of(cls, path: Path, schema: Any, names: list[str], first: Callable[[], Any]) -> NumberColumns:
        """Check the types of the columns; `first` gives the first batch of them, for the length of its lists."""
        kinds = [_plain(schema.field(name).type) for name in names]
        if len(names) == 1 and _is_list_of_numbers(kinds[0]):
            width = getattr(kinds[0], "list_size", None)
            if width is None:
                column = first().column(0)
                if not column[0].is_valid:
                    raise InputFileError(f"{path}: row 0 of column {names[0]!r} is missing (null)")
                width = len(column[0])
            return cls(path, names, int(width), np.dtype(kinds[0].value_type.to_pandas_dtype()), lists=True)
        bad = [at for at, kind in enumerate(kinds) if not _is_number(kind)]
        if bad:
            raise InputFileError(f"{path}: {_no_numbers(path, schema, names, bad)}")
        dtypes = [np.dtype(kind.to_pandas_dtype()) for kind in kinds]
        return cls(path, names, len(names), np.result_type(*dtypes), lists=False)

    def block(self, batch: Any, first_row: int) -> Array:
        """Return a batch as (n_rows, n_columns); `first_row` is its number, for messages."""
        columns = [batch.column(batch.schema.get_field_index(name)) for name in self.names]
        for name, column in zip(self.names, columns, strict=True):
            if column.null_count:
                row = first_row + int(np.argmin(column.is_valid().to_numpy(zero_copy_only=False)))
                raise InputFileError(f"{self.path}: row {row:,} of column {name!r} is missing (null)")
        if self.lists:
            return self._from_lists(columns[0], first_row)
        out = np.empty((len(batch), len(columns)), self.dtype)
        for at, column in enumerate(columns):
            values = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
            out[:, at] = values.to_numpy(zero_copy_only=False)
        return out

    def _from_lists(self, column: Any, first_row: int) -> Array:
        column = getattr(column, "storage", column)
        flat, n = column.flatten(), len(column)
        if hasattr(column, "offsets"):
            lengths = np.diff(np.asarray(column.offsets))
            if (lengths != self.n_columns).any():
                at = int(np.argmax(lengths != self.n_columns))
                raise InputFileError(
                    f"{self.path}: the lists in the column are not all equally long: row {first_row + at:,} holds "
                    f"{lengths[at]} numbers, the first row {self.n_columns}"
                )
        if flat.null_count:
            at = int(np.argmin(flat.is_valid().to_numpy(zero_copy_only=False))) // self.n_columns
            raise InputFileError(
                f"{self.path}: a number is missing (null) in row {first_row + at:,} of column {self.names[0]!r}"
            )
        block: Array = np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(n, self.n_columns)
        return block


def _plain(kind: Any) -> Any:
    """Return the type in which values are stored: of a tensor the list, of a dictionary its values."""
    kind = getattr(kind, "storage_type", kind)
    return kind.value_type if hasattr(kind, "index_type") else kind


def _is_number(kind: Any) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_floating(kind) or kinds.is_integer(kind) or kinds.is_boolean(kind))


def _is_list_of_numbers(kind: Any) -> bool:
    import pyarrow.types as kinds

    kind = _plain(kind)
    lists = kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind)
    return bool(lists) and _is_number(kind.value_type)


def _no_numbers(path: Path, schema: Any, names: list[str], bad: list[int]) -> str:
    """Say which column holds no numbers, and what to do: choose it where it holds lists, else leave it out."""
    kind = {name: schema.field(name).type for name in names}
    lists = next((names[at] for at in bad if _is_list_of_numbers(kind[names[at]])), None)
    if lists is not None:
        return f"column {lists!r} holds lists beside other columns; if they are the features, give {path.name}:{lists}"
    what = f"column {names[bad[0]]!r} holds {kind[names[bad[0]]]}, features must be numbers"
    return f"{what}; {drop_hint([names[at] for at in bad])}"
