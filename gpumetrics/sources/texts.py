"""Read what the rows of a table are: a text each, or a picture, to be shown in a report."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from gpumetrics.sources.array_files import stored_array
from gpumetrics.sources.files import InputFileError, damage, split_spec

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

__all__ = ["read_samples"]

KINDS = ".txt, .csv, .parquet, .npy or .npz"


def read_samples(spec: str, n_rows: int) -> Any:
    r"""Read one text, or one picture, for each row of the data.

    Parameters
    ----------
    spec : str
        The file: of .txt files each line is a text; ``file.csv:column`` and ``file.parquet:column`` name a column,
        which may be left out if there is one only; arrays in .npy and ``file.npz:key`` hold texts, (n_rows,), or
        pictures, (n_rows, height, width) or (n_rows, height, width, 3).
    n_rows : int
        Rows of the data. A .csv file of one column, none of which is named, begins with a heading if it has one line
        more.

    Returns
    -------
    list of str, or ndarray

    Raises
    ------
    InputFileError
        If the file is missing, damaged, of another kind, or has another number of rows.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gpumetrics.sources.texts import read_samples
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "texts.csv")
    ...     _ = path.write_text('id,text\n7,"one, two"\n8,three\n')
    ...     read_samples(f"{path}:text", 2)
    ['one, two', 'three']
    """
    path, key = split_spec(spec)
    read = {".txt": _lines, ".csv": _csv, ".parquet": _parquet, ".pq": _parquet, ".npy": _arrays, ".npz": _arrays}
    if path.suffix.lower() not in read:
        raise InputFileError(f"{spec}: samples of this kind are not read; give {KINDS}")
    if not path.is_file():
        raise InputFileError(f"{spec}: there is no such file")
    try:
        samples: Any = read[path.suffix.lower()](path, key, n_rows)
    except InputFileError:
        raise
    except Exception as error:  # a damaged file may raise anything inside NumPy, zipfile or pyarrow
        raise InputFileError(f"{spec}: {damage(error)}") from error
    if len(samples) != n_rows:
        raise InputFileError(f"{spec}: has {len(samples):,} samples, but the data has {n_rows:,} rows")
    return samples


def _lines(path: Path, _key: str | None, _n_rows: int) -> list[str]:
    text = path.read_text(encoding="utf-8-sig")
    lines = text.split("\n")  # splitlines would part more than lines
    return lines[:-1] if lines and not lines[-1] else lines


def _csv(path: Path, key: str | None, n_rows: int) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if row] if key is not None else list(csv.reader(file))
    if not rows:
        raise InputFileError(f"{path}: the file is empty")
    if key is None:
        if any(len(row) > 1 for row in rows):
            raise InputFileError(f"{path}: samples must be one column; choose one, as in {path.name}:{rows[0][-1]}")
        cells = [row[0] if row else "" for row in rows]
        return cells[1:] if len(cells) == n_rows + 1 else cells
    if rows[0].count(key) != 1:
        raise InputFileError(f"{path}: no single column is named {key!r} (columns: {', '.join(rows[0][:12])})")
    at = rows[0].index(key)
    return [row[at] if at < len(row) else "" for row in rows[1:]]


def _parquet(path: Path, key: str | None, _n_rows: int) -> list[Any]:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise InputFileError(f'{path}: reading .parquet files needs pyarrow: pip install "gpumetrics[io]"') from error
    names = pq.read_schema(path).names
    if key is None and len(names) > 1:
        raise InputFileError(f"{path}: samples must be one column; choose one, as in {path.name}:{names[-1]}")
    if key is not None and key not in names:
        raise InputFileError(f"{path}: has no column {key!r} (columns: {', '.join(names[:12])})")
    return list(pq.read_table(path, columns=[key or names[0]]).column(0).to_pylist())


def _arrays(path: Path, key: str | None, _n_rows: int) -> np.ndarray:
    return stored_array(path, key)
