"""Several labelings from files: one column each, or all columns of a table."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.sources.array_files import check_unpacked, npy_array
from gpumetrics.sources.cells import is_missing, typed_labels
from gpumetrics.sources.csv_files import has_heading, note_index
from gpumetrics.sources.files import InputFileError, damage, located, read_labels
from gpumetrics.sources.specs import kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["read_labelings"]

MOST_LABELINGS = 10_000  # columns of a matrix beyond which it is no table of labelings
UNNAMED = {"", "Unnamed: 0"}  # the latter is what pandas makes of the former


def read_labelings(specs: Sequence[str], *, header: str = "auto") -> dict[str, np.ndarray]:
    r"""Read labelings by their names.

    Parameters
    ----------
    specs : sequence of str
        Files: of one labeling each, whose name is the file's, or tables of several, whose names are the columns' (the
        arrays' in .npz, numbers in .npy). ``file.csv:column`` names one column.
    header : {"auto", "yes", "no"}
        Whether .csv files begin with a heading, as `read_labels` takes it.

    Returns
    -------
    dict of str to ndarray of shape (n_samples,)

    Raises
    ------
    InputFileError
        As `read_labels`; if two labelings have the same name.

    Examples
    --------
    >>> import tempfile
    >>> from gpumetrics.sources.label_tables import read_labelings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "found.csv")
    ...     _ = path.write_text("kmeans,dbscan\n0,1\n0,-1\n1,2\n")
    ...     read_labelings([str(path)])
    {'kmeans': array([0, 0, 1]), 'dbscan': array([ 1, -1,  2])}
    """
    found = [(spec, *named) for spec in specs for named in _of_file(spec, header).items()]
    short = Counter(name for _, name, _ in found)
    out: dict[str, np.ndarray] = {}
    for spec, name, labels in found:
        alone = name == _stem(spec) or spec.endswith(f":{name}")
        whole = name if short[name] == 1 else spec if alone else f"{spec}:{name}"
        if whole in out:
            raise InputFileError(f"{spec}: the labeling {whole!r} is given twice")
        out[whole] = labels
    return out


def _of_file(spec: str, header: str) -> dict[str, np.ndarray]:
    """Return the labelings of one file by their short names."""
    try:
        path, key = located(spec)
        several = None if key is not None else _several(path, header)
    except InputFileError:
        raise
    except Exception as error:  # a damaged file may raise anything inside NumPy, zipfile or pyarrow
        raise InputFileError(f"{spec}: {damage(error)}") from error
    if several is not None:
        return several
    return {_stem(spec) if key is None else key: read_labels(spec, header=header)}


def _stem(spec: str) -> str:
    return Path(spec).stem


def _several(path: Path, header: str) -> dict[str, np.ndarray] | None:
    """Return the columns of a table, or None where the file holds one labeling."""
    kind = path.suffix.lower()
    if kind == ".csv":
        return _csv_columns(path, header)
    if kind == ".npy":
        data = npy_array(path, None)
        return _matrix_columns(path, data) if data.ndim == 2 and data.shape[1] > 1 else None
    if kind_of(path) not in {"npz", "parquet", "arrow"}:
        return None
    names = _array_names(path) if kind == ".npz" else _column_names(path)
    return {name: read_labels(f"{path}:{name}") for name in names} if len(names) > 1 else None


def _matrix_columns(path: Path, data: np.ndarray) -> dict[str, np.ndarray]:
    if not len(data):
        raise InputFileError(f"{path}: has no rows (shape {data.shape})")
    if data.shape[1] > MOST_LABELINGS:
        raise InputFileError(
            f"{path}: would be {data.shape[1]:,} labelings, one for each column; its rows must be the samples"
        )
    return {str(at): np.ascontiguousarray(data[:, at]) for at in range(data.shape[1])}


def _array_names(path: Path) -> list[str]:
    with path.open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            return []
        check_unpacked(path, archive, archive.files)  # all of them will be read
        return list(archive.files)


def _column_names(path: Path) -> list[str]:
    from gpumetrics.sources.arrow_columns import index_columns
    from gpumetrics.sources.arrow_files import arrow_schema

    schema = arrow_schema(path)
    index = index_columns(schema)
    return [name for name in schema.names if name not in index]


def _csv_columns(path: Path, header: str) -> dict[str, np.ndarray] | None:
    heading, _ = has_heading(path, None, header, labels=False)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    rows = _without_blank_ends(rows)
    names = rows[0][1] if heading else [str(at) for at in range(len(rows[0][1]))]
    first = 1 if heading and names[0] in UNNAMED and len(names) > 1 else 0
    if len(names) - first < 2:
        return None
    if len(set(names)) < len(names):
        raise InputFileError(f"{path}: two columns have the same name ({Counter(names).most_common(1)[0][0]!r})")
    body = rows[1:] if heading else rows
    uneven = next(((line, row) for line, row in body if len(row) != len(names)), None)
    if uneven is not None:
        line, found = uneven[0], len(uneven[1])
        raise InputFileError(f"{path}: line {line} has {found} column{'s' * (found != 1)}, not {len(names)}")
    if not body:
        raise InputFileError(f"{path}: there is no label below the heading line")
    if first:
        note_index(path, "the unnamed first column")
    return {
        names[at]: _column(path, names[at], [(line, row[at]) for line, row in body]) for at in range(first, len(names))
    }


def _without_blank_ends(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    kept = [at for at, (_, row) in enumerate(rows) if any(row)]
    return rows[kept[0] : kept[-1] + 1]


def _column(path: Path, name: str, cells: list[tuple[int, str]]) -> np.ndarray:
    missing = next(((line, cell) for line, cell in cells if is_missing(cell)), None)
    if missing is not None:
        said = f": {missing[1]!r} stands for a missing one; rename it if it is a class" if missing[1] else ""
        raise InputFileError(f"{path}: line {missing[0]} has no label in column {name!r}{said}")
    return typed_labels([cell for _, cell in cells])
