"""Columns as a dataframe of the library that is there."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

import numpy as np

__all__ = ["frame_of"]

LIBRARIES = ("pandas", "polars")


def frame_of(columns: dict[str, Any], library: str | None = None) -> Any:
    """Return columns of equal length as a DataFrame; `Result.to_frame` says which library's, and what it raises."""
    if library is not None and library not in LIBRARIES:
        msg = f"library must be one of {LIBRARIES} or None, got {library!r}"
        raise ValueError(msg)
    name = library or _present()
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        msg = f"a DataFrame needs {name}: pip install {name}; to_dict() gives the same values without it."
        raise ImportError(msg) from error
    return module.DataFrame({key: _plain(column, name) for key, column in columns.items()})


def _present() -> str:
    """Return the name of the library to take: pandas if neither is there, so that the error names it."""
    loaded = [name for name in LIBRARIES if sys.modules.get(name) is not None]
    found = loaded or [name for name in LIBRARIES if _installed(name)]
    return found[0] if found else LIBRARIES[0]


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # a module that was put aside, as tests do
        return False


def _plain(column: Any, library: str) -> Any:
    """Return a column as the library reads it best; polars takes values of one kind only, and no seconds."""
    column = np.asarray(column)
    if column.dtype.kind != "O":
        seconds = column.dtype.kind in "mM" and np.datetime_data(column.dtype)[0] not in {"D", "ms", "us", "ns"}
        return column.astype(f"{column.dtype.kind}8[ms]") if seconds and library == "polars" else column
    values = column.tolist()
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if library == "polars" and (len(kinds) > 1 or kinds <= {tuple}):
        return [None if value is None else str(value) for value in values]
    return values
