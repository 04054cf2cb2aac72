"""Comma-separated text: features and labels, with or without a heading line.

The rule of the heading, told from the file itself and never from a number of rows that is due: the first line
names the columns if every cell is a name (a word: no number, nothing missing), or if the cells count 0, 1, 2, ...
as pandas writes them (two columns at least). In one column of labels a name is a heading over numbers, and over
words if it is a usual one (label, cluster, ...) that does not come again. An unnamed first column under
such a heading is pandas' index.
"""

from __future__ import annotations

import csv
import re
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.sources.cells import is_missing, is_name, is_number, typed_labels
from gpumetrics.sources.feature_columns import Choice, FeatureTable, drop_hint
from gpumetrics.sources.files import InputFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["csv_features", "csv_labels", "has_heading", "note_index"]

# First cells of a one-column file of words that are a heading rather than a label.
_HEADINGS = {"label", "labels", "cluster", "clusters", "cluster_id", "class", "classes", "target", "targets"}
_HEADINGS |= {"y", "y_true", "y_pred", "truth", "labels_true", "labels_pred", "category", "group", "topic"}
_UNNAMED = {"", "Unnamed: 0"}  # the latter is what pandas makes of the former
_SEPARATORS = {";": "semicolons", "\t": "tabs"}
_BAD_CELL = re.compile(r"convert string (?P<cell>.*) to float64 at row (?P<row>\d+), column (?P<column>\d+)")
_RAGGED = re.compile(r"number of columns changed from (?P<before>\d+) to (?P<now>\d+) at row (?P<row>\d+)")


class _Row(NamedTuple):
    cells: list[str]
    start: int  # lines of the file before the row
    stop: int  # lines up to its end


def csv_features(path: Path, key: str | None, header: str, choice: Choice) -> FeatureTable:
    """Read a .csv of numbers; a heading, an index column and the columns that are not chosen are left out."""
    if key is not None:
        return FeatureTable(_feature_column(path, key, header))
    head = _first_rows(path)
    by_name = header == "auto" and bool(choice.names or choice.labels)  # which says that there is a heading
    if not _is_heading(head, "yes" if by_name else header):
        if choice.names:
            raise InputFileError(f"{path}: no column is named {choice.names[0]!r}, since there is no heading line")
        return FeatureTable(_loaded(path, head[0].start, [], []))
    names = head[0].cells
    if len(head) == 1:
        raise InputFileError(f"{path}: there is no row below the heading line")
    index = int(len(names) > 1 and names[0] in _UNNAMED)
    kept = [index + at for at in choice.kept(path, names[index:], names[:index])]
    data = _loaded(path, head[0].stop, names, kept, head[1].cells)
    if index:
        note_index(path, "the unnamed first column")
    left_out = [name for at, name in enumerate(names) if at >= index and at not in kept]
    return FeatureTable(data, tuple(names[at] for at in kept), tuple(left_out))


def _loaded(path: Path, skip: int, names: list[str], kept: list[int], first: list[str] | None = None) -> np.ndarray:
    """Return the numbers below the lines to skip; of a table with names, in the columns to keep."""
    dropped = [at for at in range(len(names)) if at not in kept]
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            data = np.loadtxt(
                file,
                delimiter=",",
                comments=None,
                skiprows=skip,
                ndmin=2,
                quotechar='"',
                converters=dict.fromkeys(dropped, lambda _: 0.0) or None,  # they may be of words
            )
    except ValueError as error:
        hint = _text_hint(error, names, [at for at in kept if not _is_number_at(first, at)])
        raise InputFileError(f"{path}: {_explained(error, skip)}{hint}") from error
    if names and data.shape[1] != len(names):
        raise InputFileError(f"{path}: the heading names {len(names)} columns, the rows have {data.shape[1]}")
    return data[:, kept] if dropped else data


def _is_number_at(cells: list[str] | None, at: int) -> bool:
    return cells is None or at >= len(cells) or not cells[at] or is_number(cells[at])


def _text_hint(error: ValueError, names: list[str], text: list[int]) -> str:
    """Name the heading of a cell that is no number, and how it and other columns of text are left out."""
    match = _BAD_CELL.search(" ".join(str(error).split()))
    at = int(match["column"]) - 1 if match else len(names)
    if at >= len(names):
        return ""
    columns = [names[i] for i in sorted({at, *text})]
    return f"; column {at + 1} is {names[at]!r}: {drop_hint(columns)}"


def _feature_column(path: Path, key: str, header: str) -> np.ndarray:
    cells = _named_column(path, _all_rows(path), key, header)
    for row in cells:
        if not is_number(row.cells[0]):
            what = f"{row.cells[0]!r}, which is not a number" if row.cells[0] else "nothing"
            raise InputFileError(f"{path}: line {row.stop}, column {key!r} holds {what}")
    return np.array([[float(row.cells[0])] for row in cells])


def note_index(path: Path, what: str) -> None:
    """Say, as a warning, that an index column is left out."""
    warnings.warn(f"{path}: {what} is left out, as an index of the rows", UserWarning, stacklevel=2)


def _rows(path: Path) -> Iterator[_Row]:
    """Yield the rows of the file from its first that is not blank."""
    stop, begun = 0, False
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            for row in reader:
                start, stop = stop, reader.line_num
                begun = begun or any(cell.strip() for cell in row)
                if begun:
                    yield _Row([cell.strip() for cell in row or [""]], start, stop)
        except csv.Error as error:
            raise InputFileError(f"{path}: the file is not comma-separated text ({error})") from error


def _first_rows(path: Path) -> list[_Row]:
    rows = [row for row, _ in zip((r for r in _rows(path) if any(r.cells)), range(2), strict=False)]
    return _checked(path, rows)


def _all_rows(path: Path) -> list[_Row]:
    rows = list(_rows(path))
    while rows and not any(rows[-1].cells):
        rows.pop()
    return _checked(path, rows)


def _checked(path: Path, rows: list[_Row]) -> list[_Row]:
    if not rows:
        raise InputFileError(f"{path}: the file is empty")
    for sign, name in _SEPARATORS.items():
        if all(any(sign in cell for cell in row.cells) for row in rows):
            raise InputFileError(f"{path}: the columns are separated by {name}; write the file with commas")
    if all(len(row.cells) == 1 and _are_numbers(row.cells[0].split()) for row in rows):
        raise InputFileError(f"{path}: the columns are separated by spaces; write the file with commas")
    return rows


def _are_numbers(words: list[str]) -> bool:
    return len(words) > 1 and all(map(is_number, words))


def _is_heading(rows: list[_Row], header: str) -> bool:
    """Whether the first line names the columns of a table."""
    if header != "auto":
        return header == "yes"
    names = rows[0].cells
    unnamed = len(names) > 1 and names[0] in _UNNAMED
    named = names[1:] if unnamed else names
    counts = named == [str(i) for i in range(len(named))] and len(names) > 1
    return counts or all(map(is_name, named))


def _explained(error: ValueError, skipped: int) -> str:
    """Restate NumPy's message with the line of the file."""
    if isinstance(error, UnicodeDecodeError):
        return "the file is not UTF-8 text"
    text = " ".join(str(error).split())
    if match := _BAD_CELL.search(text):
        line = int(match["row"]) + 1 + skipped
        where, cell = f"line {line}, column {match['column']}", match["cell"]
        hint = "; if line 1 is a heading, add --header-features yes" if line == 1 else ""
        if cell in {"''", '""'}:
            return f"{where} is empty; every cell must hold a number{hint}"
        return f"{where} holds {cell}, which is not a number{hint}"
    if match := _RAGGED.search(text):
        line = int(match["row"]) + skipped
        return f"near line {line} the number of columns changes from {match['before']} to {match['now']}"
    return f"the file is not a table of numbers ({text})"


def csv_labels(path: Path, key: str | None, header: str) -> np.ndarray:
    """Read a .csv of labels: numbers, or text where any label is not a number."""
    rows = _all_rows(path)
    if key is not None:
        rows = _named_column(path, rows, key, header)
    elif len(rows[0].cells) > 1:
        rows = _beside_index(path, rows, header)
    elif _is_label_heading(rows, header):
        rows = rows[1:]
    width = len(rows[0].cells) if rows else 0
    uneven = next((row for row in rows if len(row.cells) != width), None)
    if uneven is not None:
        raise InputFileError(
            f"{path}: line {uneven.stop} has {len(uneven.cells)} columns, not {width}; "
            "put a label that holds a comma in double quotes"
        )
    if not rows:
        raise InputFileError(f"{path}: there is no label below the heading line")
    cells = [row.cells[0] for row in rows]
    missing = next((i for i, cell in enumerate(cells) if is_missing(cell)), None)
    if missing is not None:
        said = f": {cells[missing]!r} stands for a missing one; rename it if it is a class" if cells[missing] else ""
        raise InputFileError(f"{path}: entry {missing + 1} of {len(cells)} has no label{said}")
    return typed_labels(cells)


def _named_column(path: Path, rows: list[_Row], key: str, header: str) -> list[_Row]:
    """Return the cells below a name; that a column is asked for by name says that there is a heading."""
    names = rows[0].cells if header != "no" else []
    found = [i for i, name in enumerate(names) if name == key]
    if len(found) != 1:
        known = ", ".join(names[:12]) or "none: there is no heading line"
        raise InputFileError(f"{path}: no single column is named {key!r} (columns: {known})")
    return _column(path, rows, found[0])


def _column(path: Path, rows: list[_Row], column: int) -> list[_Row]:
    width = len(rows[0].cells)
    for row in rows:
        if len(row.cells) != width and any(row.cells):
            raise InputFileError(f"{path}: line {row.stop} has {len(row.cells)} columns, the heading has {width}")
    return [_Row(row.cells[column : column + 1] or [""], row.start, row.stop) for row in rows[1:]]


def _beside_index(path: Path, rows: list[_Row], header: str) -> list[_Row]:
    names, heading = rows[0].cells, _is_heading(rows, header)
    if not heading or len(names) != 2 or names[0] not in _UNNAMED:
        hint = f"; choose one, as in {path.name}:{names[-1]}" if heading else ""
        raise InputFileError(f"{path}: labels must be one column, this file has {len(names)}{hint}")
    note_index(path, "the unnamed first column")
    return _column(path, rows, 1)


def _is_label_heading(rows: list[_Row], header: str) -> bool:
    """Whether the first cell of a column of labels is its name."""
    if header != "auto":
        return header == "yes"
    first, *below = [row.cells[0] for row in rows]
    if not below or not is_name(first):
        return False
    over_numbers = all(is_number(cell) or is_missing(cell) for cell in below)
    return over_numbers or (first.lower() in _HEADINGS and first not in below)


def has_heading(path: Path, key: str | None, header: str, *, labels: bool) -> tuple[bool, str]:
    """Return whether the first line was read as a heading, and what it says."""
    rows = _all_rows(path) if labels else _first_rows(path)
    text = ",".join(rows[0].cells)
    if key is not None:
        return True, text
    single = labels and len(rows[0].cells) == 1
    return (_is_label_heading if single else _is_heading)(rows, header), text
