"""Tag sets from comma-separated text: the tags of each line, or a table of zeros and ones under a heading of tags."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from gpumetrics.sources.cells import is_missing, is_name, is_number
from gpumetrics.sources.files import InputFileError
from gpumetrics.sources.tag_documents import TagFile, first_repeated

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_csv"]

CELLS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}  # as dataframes are written
ID_HEADINGS = {"", "id"}  # of a first column that names the documents: of dataframes, the index
LIST_HEADINGS = {"tags", "labels"}
OTHER_HEADINGS = {*ID_HEADINGS, "text", "title", "document"}


def read_csv(path: Path, id_column: str | None = None) -> TagFile:
    """Read the documents of a file of comma-separated text.

    Parameters
    ----------
    path : Path
    id_column : str, optional
        Heading of the first column of a table, if that has the documents' ids; "id" or nothing if not given.

    Raises
    ------
    InputFileError
        If it is no such text; or if it looks like a table of zeros and ones, and is none.
    """
    rows, lines = _rows(path)
    ids = ID_HEADINGS if id_column is None else {id_column.casefold()}
    first = _first_column(rows[0], ids) if rows else 0
    if _is_table(rows, first):
        if not first and id_column is not None:
            raise InputFileError(f"{path}: the first column is headed {rows[0][0]!r}, not {id_column!r} (--id)")
        return _table(path, rows, lines, first)
    _refuse_other_tables(path, rows)
    if id_column is not None:
        raise InputFileError(f"{path}: the lines have tags only, and no ids (--id): a table has, or JSON lines")
    documents = [[cell for cell in row if cell] for row in rows]
    return TagFile([None if len(tags) == 1 and is_missing(tags[0]) else tags for tags in documents])


def _rows(path: Path) -> tuple[list[list[str]], list[int]]:
    """Return the cells of each row, and the line where it ends."""
    rows, lines = [], []
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            for row in reader:
                rows.append([cell.strip() for cell in row])
                lines.append(reader.line_num)
        except csv.Error as error:
            raise InputFileError(f"{path}: the file is not comma-separated text ({error})") from error
    return rows, lines


def _is_cell(text: str) -> bool:
    return text.casefold() in CELLS


def _is_table(rows: list[list[str]], first: int) -> bool:
    """Whether the first line is a heading of tags: the lines below, read as tags, would be tags called 0 and 1."""
    heading, below = rows[0] if rows else [], [row for row in rows[1:] if row]
    names = heading[first:]
    if not names or not below:
        return False
    named = bool(first) or all(is_name(name) and not _is_cell(name) for name in names)
    if all(len(row) > first and all(map(_is_cell, row[first:])) for row in below):
        numbers = all(map(is_number, names)) and len(set(names)) == len(names) and not all(map(_is_cell, names))
        return named or (numbers and _repeats(below))
    if not named or len(heading) < 2 or any(len(row) != len(heading) for row in below):
        return False
    columns = range(first, len(heading))
    return any(_has_cells(below, at) for at in columns) or all(all(map(is_number, row[first:])) for row in below)


def _first_column(heading: list[str], ids: set[str]) -> int:
    """Where the tags of a heading begin: behind the ids, if there are any."""
    return int(len(heading) > 1 and heading[0].casefold() in ids)


def _repeats(rows: list[list[str]]) -> bool:
    """Whether a row has a cell twice, as no document has a tag: tags may be called 0 and 1, too."""
    return any(len(set(row)) < len(row) for row in rows)


def _has_cells(rows: list[list[str]], at: int) -> bool:
    """Whether there are zeros and ones in a column, and nothing else but missing values."""
    return all(_is_cell(row[at]) or is_missing(row[at]) for row in rows) and any(_is_cell(row[at]) for row in rows)


def _table(path: Path, rows: list[list[str]], lines: list[int], first: int) -> TagFile:
    heading = rows[0]
    names = heading[first:]
    if (twice := first_repeated(names)) is not None:
        raise InputFileError(f"{path}: more than one column has the heading {twice!r}")
    while not rows[-1]:
        rows.pop()
    documents: list[list[str] | None] = []
    for line, cells in zip(lines[1:], rows[1:], strict=False):  # without the blank ones at the end
        if len(cells) != len(heading):
            raise InputFileError(f"{path}: line {line} has {len(cells)} cells, the heading {len(heading)}")
        row = cells[first:]
        if all(map(is_missing, row)):
            documents.append(None)
            continue
        wrong = next((at for at, cell in enumerate(row) if not _is_cell(cell)), None)
        if wrong is not None:
            raise InputFileError(f"{path}: line {line} {_not_a_cell(names[wrong], row[wrong])}")
        documents.append([name for name, cell in zip(names, row, strict=True) if CELLS[cell.casefold()]])
    ids = [row[0] for row in rows[1:]] if first else None
    return TagFile(documents, ids, None, names)


def _not_a_cell(name: str, cell: str) -> str:
    text = f"has {cell[:40]!r} in the column {name!r}, which is neither 0 nor 1"
    if is_missing(cell):
        return f"{text}: a cell that nobody has reviewed is no 0; empty all cells of a document that is not labelled"
    if is_number(cell) and not cell.isdigit():
        return f"{text}; scores become tags by a threshold (best_threshold)"
    return f"{text}; a table has the columns of the tags only, after one headed id (or --id)"


def _refuse_other_tables(path: Path, rows: list[list[str]]) -> None:
    """Raise for tables that lines of tags would be read from without a word."""
    filled = [row for row in rows if row]
    heading = {cell.casefold() for cell in rows[0]} if rows else set()
    if len(filled) > 1 and heading & LIST_HEADINGS and (len(rows[0]) == 1 or heading & OTHER_HEADINGS):
        column = next(cell for cell in rows[0] if cell.casefold() in LIST_HEADINGS)
        raise InputFileError(
            f"{path}: the file is a table with a column {column!r}; of .csv files every cell is a tag: write JSON lines"
        )
    if any(len(row) > 1 for row in filled):
        if all(all(map(_is_cell, row)) for row in filled) and _repeats(filled):
            raise InputFileError(f"{path}: the file holds zeros and ones only; a table needs a heading of tags")
        return
    separator = next((sign for sign in ";\t" if filled and all(sign in row[0] for row in filled)), None)
    if separator:
        raise InputFileError(f"{path}: every line has {separator!r} and none a comma, which is what separates tags")
