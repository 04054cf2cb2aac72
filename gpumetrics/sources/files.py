"""Read features and labels from .npy, .npz, .csv and .parquet files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpumetrics.sources.feature_columns import Choice, FeatureTable

__all__ = [
    "InputFileError",
    "columns_of_same_file",
    "damage",
    "heading_hint",
    "located",
    "read_feature_table",
    "read_features",
    "read_labels",
    "split_spec",
]

KINDS = ".npy, .npz, .csv or .parquet"
_ENDINGS = {".npy", ".npz", ".csv", ".parquet", ".pq"}
_KEY_AFTER = re.compile(r"\.(?:npz|csv|parquet|pq)(?=:.)", re.IGNORECASE)
_LONGEST_SHOWN = 160  # characters of a path in a message


class InputFileError(ValueError):
    """A file cannot be read as features or labels; the message names the file and says why."""


def read_features(spec: str | Path, *, header: str = "auto", without: Sequence[str] = ()) -> np.ndarray:
    r"""Read a table of numbers, one row per sample.

    Parameters
    ----------
    spec : str or Path
        The file. ``file.npz:key`` names one array of several, ``file.parquet:column`` and
        ``file.csv:column`` one column.
    header : {"auto", "yes", "no"}
        Whether the first line of a .csv file names its columns. "auto" takes it so if every cell is a name
        (neither a number nor missing), or if they count 0, 1, 2, ... as pandas writes them (two columns at
        least). An unnamed first column below such a line is an index, and left out with a warning.
    without : sequence of str
        Columns of a .csv or .parquet file that are no features, such as its labels.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        A .npy file is mapped, not read: rows are loaded when they are used.

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
    from gpumetrics.sources.csv_files import csv_features
    from gpumetrics.sources.feature_columns import FeatureTable
    from gpumetrics.sources.parquet_files import parquet_features

    path, key = split_spec(spec)
    if choice.names and (key is not None or path.suffix.lower() in {".npy", ".npz"}):
        why = "is one column or array" if key is not None else "has no names of columns"
        raise InputFileError(f"{spec}: {why}; --columns and --drop name columns of a whole .csv or .parquet table")
    found = _read(
        spec,
        lambda path, key: csv_features(path, key, header, choice),
        lambda path, key: parquet_features(path, key, choice),
    )
    table = found if isinstance(found, FeatureTable) else FeatureTable(found)
    data = table.data
    if data.dtype.kind not in "biuf":
        raise InputFileError(f"{spec}: features must be numbers, this file holds {_described(data)}")
    if data.ndim != 2:
        raise InputFileError(f"{spec}: features must be a table (rows x features), this array has shape {data.shape}")
    return table


def read_labels(spec: str | Path, *, header: str = "auto") -> np.ndarray:
    """Read one label per sample.

    Parameters
    ----------
    spec : str or Path
        The file, as in `read_features`.
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
    from gpumetrics.sources.csv_files import csv_labels
    from gpumetrics.sources.parquet_files import parquet_labels

    data: np.ndarray = _read(spec, lambda path, key: csv_labels(path, key, header), parquet_labels)
    if data.ndim == 2 and data.shape[1] == 1:
        data = data[:, 0]
    if data.ndim != 1:
        raise InputFileError(f"{spec}: labels must be one column, this array has shape {data.shape}")
    if data.dtype.kind not in "biufUTO":
        raise InputFileError(f"{spec}: labels must be numbers or text, this file holds {_described(data)}")
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
    path, key = split_spec(features)
    parts = [split_spec(spec) for spec in labels if spec is not None]
    if key is not None:
        return []
    # The same file may be given in two ways, as in "x.csv" and "/data/x.csv".
    return [column for other, column in parts if column is not None and other.resolve() == path.resolve()]


def _read(spec: str | Path, csv: Callable[..., Any], parquet: Callable[..., Any]) -> Any:
    """Open the file by its ending; every failure becomes one sentence that names the file."""
    try:
        path, key = located(spec)
        readers = {".npy": _npy, ".npz": _npz, ".csv": csv, ".parquet": parquet, ".pq": parquet}
        return readers[path.suffix.lower()](path, key)
    except (InputFileError, Warning):
        raise
    except Exception as error:  # a damaged file may raise anything inside NumPy, zipfile or pyarrow
        raise InputFileError(f"{_shown(spec)}: {damage(error)}") from error


def located(spec: str | Path) -> tuple[Path, str | None]:
    """Return the file of a spec, and the array or column in it that is named; InputFileError if it cannot be read."""
    path, key = split_spec(spec)
    if path.suffix.lower() not in _ENDINGS:
        raise InputFileError(f"{_shown(spec)}: files of this kind are not read; give {KINDS}")
    if path.is_file():
        return path, key
    why = "there is no such file"
    if path.exists():
        why = "is a folder, not a file" if path.is_dir() else "is a pipe or a device; save it to a file first"
    raise InputFileError(f"{_shown(spec)}: {why}")


def _shown(spec: str | Path) -> str:
    text = str(spec)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:60]}...{text[-60:]}"


def split_spec(spec: str | Path) -> tuple[Path, str | None]:
    """Part ``file.npz:key`` at the colon that has a file before it; a key may hold any character."""
    path, text = Path(spec), str(spec)
    if path.is_file():
        return path, None
    ends = [match.end() for match in _KEY_AFTER.finditer(text)]
    if not ends:
        return path, None
    end = next((end for end in ends if Path(text[:end]).is_file()), ends[0])
    return Path(text[:end]), text[end + 1 :]


def damage(error: Exception) -> str:
    """Say in a few words why a file cannot be read, of whatever was raised inside its reader."""
    text = " ".join(str(error).split())
    if isinstance(error, UnicodeDecodeError):
        return "the file is not UTF-8 text"
    if isinstance(error, OSError) and error.strerror:
        return f"the file cannot be read ({error.strerror})"
    if isinstance(error, MemoryError):
        return "the array does not fit into memory, or the file is damaged"
    if "allow_pickle" in text or "pickled" in text or "Python objects" in text:
        return "the file holds pickled Python objects, which are not loaded; save plain numbers or text"
    detail = text if len(text) <= 80 else text.partition(":")[0][:80]
    if not detail or not isinstance(error, ValueError | OSError):
        detail = type(error).__name__
    return f"the file is damaged or of another kind ({detail})"


def _npy(path: Path, _key: str | None) -> np.ndarray:
    with path.open("rb") as file:
        magic = file.read(6)
    if not magic:
        raise InputFileError(f"{path}: the file is empty")
    if magic.startswith(b"PK"):
        raise InputFileError(f"{path}: this is an .npz archive; name it so")
    if magic != b"\x93NUMPY":
        raise InputFileError(f"{path}: this is no .npy file (NumPy's mark at its start is missing)")
    data: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
    return data


def _npz(path: Path, key: str | None) -> np.ndarray:
    # Opened here, since NumPy leaves the file open where it turns out to be damaged.
    with path.open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise InputFileError(f"{path}: this is a single array (.npy); name it so")
        names = list(archive.files)
        if not names or (key is None and len(names) != 1):
            hint = f"; choose one, as in {path.name}:{names[0]}" if names else ""
            raise InputFileError(f"{path}: holds {_listed(names)}{hint}")
        if key is not None and key not in names:
            raise InputFileError(f"{path}: has no array {key!r}; it holds {_listed(names)}")
        data = archive[names[0] if key is None else key]
    if not isinstance(data, np.ndarray):
        raise InputFileError(f"{path}: its part {names[0] if key is None else key!r} is no array")
    return data


def _listed(names: list[str]) -> str:
    if not names:
        return "no arrays"
    shown = ", ".join(names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{len(names)} array{'s' * (len(names) > 1)} ({shown}{more})"
