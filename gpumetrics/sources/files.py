"""Read features and labels from files of every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.sources.specs import InputFileError, damage, kind_of, located, shown, split_spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

    from gpumetrics.sources.feature_columns import Choice, FeatureTable

__all__ = [
    "InputFileError",
    "columns_of_same_file",
    "damage",
    "heading_hint",
    "is_same_table",
    "located",
    "read_feature_table",
    "read_features",
    "read_labels",
    "split_spec",
]


def read_features(spec: str | Path, *, header: str = "auto", without: Sequence[str] = ()) -> Any:
    r"""Read a table of numbers, one row per sample.

    Parameters
    ----------
    spec : str or Path
        The file, or a folder of files, as in `gpumetrics.sources.open_rows`.
    header : {"auto", "yes", "no"}
        Whether the first line of a .csv file names its columns. "auto" takes it so if every cell is a name
        (neither a number nor missing), or if they count 0, 1, 2, ... as pandas writes them (two columns at
        least). An unnamed first column below such a line is an index, and left out with a warning.
    without : sequence of str
        Columns of a .csv or .parquet file that are no features, such as its labels.

    Returns
    -------
    ndarray of shape (n_samples, n_features), or RowChunks
        A .npy file is mapped, not read: rows are loaded when they are used. A file of another kind that takes half of
        the working memory or more stays where it is, and is read chunk by chunk.

    Raises
    ------
    InputFileError
        If the file is missing, damaged, of another kind, or no table of numbers.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from gpumetrics.sources.files import read_features
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "X.csv")
    ...     _ = path.write_text("height,width\n1,2\n3,4\n")
    ...     read_features(path)
    array([[1., 2.],
           [3., 4.]])
    """
    from gpumetrics.sources.feature_columns import Choice

    return read_feature_table(spec, Choice(labels=without), header=header).data


def read_feature_table(spec: str | Path, choice: Choice, *, header: str = "auto") -> FeatureTable:
    """Read features as `read_features` does, with the names of the columns that were chosen.

    InputFileError also for names that the file lacks, or where its columns have none.
    """
    from gpumetrics.sources.chunks import open_rows
    from gpumetrics.sources.feature_columns import FeatureTable

    rows = open_rows(spec, choice, header)
    # Of several files the object that knows them, so that a message names the one that a bad row is in.
    return FeatureTable(rows if rows.n_files > 1 else rows.table(), rows.used, rows.left_out)


def read_labels(spec: str | Path, *, header: str = "auto") -> np.ndarray:
    """Read one label per sample.

    Parameters
    ----------
    spec : str or Path
        The file or folder, as in `read_features`; ``file.h5ad:obs/leiden`` names a column of AnnData's.
    header : {"auto", "yes", "no"}
        Whether the first line of a .csv file is a heading. "auto" takes a name over numbers so, and over words
        a usual one (label, cluster, class, ...) that is not itself a label further down.

    Returns
    -------
    ndarray of shape (n_samples,)
        Integers, floats, booleans or strings, as in the file. Labels in text are numbers only where no two
        spellings become the same number; integers are exact at any size.

    Raises
    ------
    InputFileError
        If the file is missing, damaged, of another kind, or not one column of labels; if a label is missing,
        or text that stands for a missing one ("nan", "NA", ...).
    """
    from gpumetrics.sources.cells import MISSING

    data = _labels(spec, header)
    if data.ndim == 2 and data.shape[1] == 1:
        data = data[:, 0]
    if data.ndim != 1:
        raise InputFileError(f"{spec}: labels must be one column, this array has shape {data.shape}")
    if data.dtype.kind not in "biufUTO":
        raise InputFileError(f"{spec}: labels must be numbers or text, this file holds {_described(data)}")
    if not data.dtype.itemsize:
        raise InputFileError(f"{spec}: its labels are text of no length; save them with their text")
    if data.dtype.kind in "UT":
        missing = next((text for text in sorted(MISSING) if (data == text).any()), None)
        if missing is not None:
            raise InputFileError(
                f"{spec}: a label is {missing!r}, which stands for a missing one; rename it if it is a class"
            )
    return data


def heading_hint(spec: str | Path, header: str, *, labels: bool, rows: int, wanted: int, table: bool = False) -> str:
    """Return what to try where a .csv file would have the wanted number of rows with, or without, a heading.

    A `table` has a labeling in each of its columns.
    """
    from gpumetrics.sources.csv_files import has_heading

    path, key = split_spec(spec)
    if path.suffix.lower() != ".csv" or key is not None:
        return ""
    taken, line = has_heading(path, key, header, labels=labels and not table)
    if rows + (1 if taken else -1) != wanted:
        return ""
    line = line if len(line) <= 40 else line[:37] + "..."
    was, other, answer = ("a heading", "a row", "no") if taken else ("a row", "a heading", "yes")
    option = f"--header-{'labels' if labels else 'features'} {answer}"
    return f"line 1 of {path.name}, {line!r}, was read as {was}; if it is {other}, add {option}"


def _described(data: np.ndarray) -> str:
    if data.dtype.kind == "S":
        return "bytes"
    return "text" if data.dtype.kind in "UT" else f"the type {data.dtype}"


def columns_of_same_file(features: str, *labels: str | None) -> list[str]:
    """Return the columns that labels are read from, where they are in the features' own file."""
    try:
        path, key = split_spec(features)
        parts = [split_spec(spec) for spec in labels if spec is not None]
    except OSError:  # a name that no system takes, or a folder that may not be entered: said when the file is read
        return []
    if key is not None:
        return []
    # The same file may be given in two ways, as in "x.csv" and "/data/x.csv".
    return [column for other, column in parts if column is not None and other.resolve() == path.resolve()]


def is_same_table(features: str, labels: str) -> bool:
    """Whether features and labels are the same file as a whole, or the same part of it."""
    try:
        (path, key), (other, column) = split_spec(features), split_spec(labels)
    except OSError:
        return False
    return key == column and path.resolve() == other.resolve()


def _labels(spec: str | Path, header: str) -> np.ndarray:
    """Read labels by the kind of the file; every failure becomes one sentence that names the file."""
    try:
        path, key = located(spec)
        if kind_of(path) != "folder":
            return _labels_of_file(path, key, header)
        from gpumetrics.sources.shards import shard_labels

        return shard_labels(path, lambda shard: read_labels(shard if key is None else f"{shard}:{key}", header=header))
    except (InputFileError, Warning):
        raise
    except Exception as error:  # a damaged file may raise anything inside the library that reads it
        raise InputFileError(f"{shown(spec)}: {damage(error)}") from error


def _labels_of_file(path: Path, key: str | None, header: str) -> np.ndarray:
    kind = kind_of(path)
    if kind == "csv":
        from gpumetrics.sources.csv_files import csv_labels

        return csv_labels(path, key, header)
    if kind in {"parquet", "arrow"}:
        from gpumetrics.sources.arrow_files import arrow_labels

        return arrow_labels(path, key)
    if kind in {"hdf5", "zarr"}:
        from gpumetrics.sources.store_labels import store_labels

        return store_labels(path, key)
    from gpumetrics.sources.array_files import stored_array

    return stored_array(path, key)
