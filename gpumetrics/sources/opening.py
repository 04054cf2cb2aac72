"""Which reader opens a file of rows, by its kind; and the checks that a folder of files is one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpumetrics.sources.specs import InputFileError, damage, kind_of, located, shown

if TYPE_CHECKING:
    from pathlib import Path

    from gpumetrics.sources.feature_columns import Choice
    from gpumetrics.sources.row_files import RowFile

__all__ = ["opened_files"]

NAMED = {"csv", "parquet", "arrow"}  # kinds of files whose columns have names


def opened_files(spec: str | Path, choice: Choice | None, header: str) -> list[RowFile]:
    """Open the files of a spec, and check that they have the same columns.

    Raises
    ------
    InputFileError
        As `gpumetrics.sources.chunks.open_rows`.
    """
    from gpumetrics.sources.feature_columns import Choice
    from gpumetrics.sources.shards import check_alike, shards_of

    choice = Choice() if choice is None else choice
    try:
        path, key = located(spec)
        paths = shards_of(path) if kind_of(path) == "folder" else [path]
        _check_names(spec, key, choice, kind_of(paths[0]))
    except OSError as error:
        raise InputFileError(f"{shown(spec)}: {damage(error)}") from error
    files = [_opened(path, key, choice, header) for path in paths]
    check_alike(files)
    if files[0].layout.index:
        from gpumetrics.sources.csv_files import note_index

        note_index(path, f"the column {files[0].layout.index}")
    return files


def _check_names(spec: str | Path, key: str | None, choice: Choice, kind: str) -> None:
    if choice.names and (key is not None or kind not in NAMED):
        why = "is one column or array" if key is not None else "has no names of columns"
        what = "a whole .csv, .parquet or .arrow table"
        raise InputFileError(f"{shown(spec)}: {why}; --columns and --drop name columns of {what}")


def _opened(path: Path, key: str | None, choice: Choice, header: str) -> RowFile:
    """Open one file; every failure becomes one sentence that names it."""
    try:
        kind = kind_of(path)
        if kind in {"parquet", "arrow"}:
            from gpumetrics.sources.arrow_files import ArrowFile

            return ArrowFile(path, key, choice)
        if kind in {"hdf5", "zarr"}:
            from gpumetrics.sources.stores import StoreFile

            return StoreFile(path, key)
        return _array_file(path, key, choice, header)
    except (InputFileError, Warning):
        raise
    except Exception as error:  # a damaged file may raise anything inside the library that reads it
        raise InputFileError(f"{shown(path)}: {damage(error)}") from error


def _array_file(path: Path, key: str | None, choice: Choice, header: str) -> RowFile:
    from gpumetrics.sources.array_files import stored_array
    from gpumetrics.sources.csv_files import csv_features
    from gpumetrics.sources.row_files import ArrayFile

    if kind_of(path) == "csv":
        table = csv_features(path, key, header, choice)
        return ArrayFile(str(path), table.data, table.used, table.left_out)
    return ArrayFile(str(path), stored_array(path, key))
