"""Read features and labels from .npy, .npz, .csv and .parquet files."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["InputFileError", "read_features", "read_labels"]

KINDS = ".npy, .npz, .csv or .parquet"
_WITH_KEY = re.compile(r"(?P<path>.+\.(?:npz|csv|parquet)):(?P<key>[^/\\]+)", re.IGNORECASE)


class InputFileError(ValueError):
    """A file cannot be read as features or labels; the message names the file and says why."""


def read_features(spec: str | Path) -> np.ndarray:
    r"""Read a table of numbers, one row per sample.

    Parameters
    ----------
    spec : str or Path
        The file. ``file.npz:key`` names one array of several, ``file.parquet:column`` and
        ``file.csv:column`` one column.

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
    from gpumetrics.sources.tables import csv_features, parquet_features

    data = _read(spec, csv_features, parquet_features)
    if data.dtype.kind not in "biuf":
        raise InputFileError(f"{spec}: features must be numbers, this file holds {_described(data)}")
    if data.ndim != 2:
        raise InputFileError(f"{spec}: features must be a table (rows x features), this array has shape {data.shape}")
    return data


def read_labels(spec: str | Path, n_samples: int | None = None) -> np.ndarray:
    """Read one label per sample.

    Parameters
    ----------
    spec : str or Path
        The file, as in `read_features`.
    n_samples : int, optional
        How many labels are due; tells a header line from a first label in a .csv file of words.

    Returns
    -------
    ndarray of shape (n_samples,)
        Integers, floats, booleans or strings, as in the file.

    Raises
    ------
    InputFileError
        If the file is missing, damaged, of another kind, or not one column of labels.
    """
    from gpumetrics.sources.tables import csv_labels, parquet_labels

    data = _read(spec, lambda path, key: csv_labels(path, key, n_samples), parquet_labels)
    if data.ndim == 2 and data.shape[1] == 1:
        data = data[:, 0]
    if data.ndim != 1:
        raise InputFileError(f"{spec}: labels must be one column, this array has shape {data.shape}")
    if data.dtype.kind not in "biufUSTO":
        raise InputFileError(f"{spec}: labels must be numbers or text, this file holds {_described(data)}")
    return data


def _described(data: np.ndarray) -> str:
    return "text" if data.dtype.kind in "US" else f"the type {data.dtype}"


def _read(spec: str | Path, csv: Callable[..., Any], parquet: Callable[..., Any]) -> np.ndarray:
    """Open the file by its ending; every failure becomes one sentence that names the file."""
    path, key = _split(spec)
    readers = {".npy": _npy, ".npz": _npz, ".csv": csv, ".parquet": parquet, ".pq": parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputFileError(f"{spec}: files of this kind are not read; give {KINDS}")
    if not path.is_file():
        why = "is a folder, not a file" if path.is_dir() else "there is no such file"
        raise InputFileError(f"{spec}: {why}")
    try:
        data: np.ndarray = reader(path, key)
    except InputFileError:
        raise
    except (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile) as error:
        raise InputFileError(f"{spec}: {_reason(error)}") from error
    return data


def _split(spec: str | Path) -> tuple[Path, str | None]:
    path = Path(spec)
    match = _WITH_KEY.fullmatch(str(spec))
    if match is None or path.is_file():
        return path, None
    return Path(match["path"]), match["key"]


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, UnicodeDecodeError):
        return "the file is not UTF-8 text"
    if isinstance(error, OSError) and error.strerror:
        return f"the file cannot be read ({error.strerror})"
    if "allow_pickle" in text or "pickled" in text or "Python objects" in text:
        return "the file holds pickled Python objects, which are not loaded; save plain numbers or text"
    return f"the file is damaged or of another kind ({text or type(error).__name__})"


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
        data: np.ndarray = archive[names[0] if key is None else key]
    return data


def _listed(names: list[str]) -> str:
    if not names:
        return "no arrays"
    shown = ", ".join(names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{len(names)} array{'s' * (len(names) > 1)} ({shown}{more})"
