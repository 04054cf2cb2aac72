"""Tag sets from files: JSON lines, or comma-separated text."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gpumetrics.sources.cells import is_missing, is_name
from gpumetrics.sources.files import InputFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TagFile", "read_tag_file", "same_documents"]

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv"}
KEYS = ("tags", "labels")  # under which an object has its tags
PLAIN = {str, int, float}
TEXTS = ("text", "title", "document")


class TagFile(NamedTuple):
    """The documents of a file.

    Attributes
    ----------
    tags : list
        A list of tags for each document, None where it is not labelled.
    ids, texts : list, or None
        Where every document has one.
    """

    tags: list[list[Any] | None]
    ids: list[Any] | None
    texts: list[Any] | None
    columns: list[str] | None = None
    """The heading of an indicator table."""


def read_tag_file(path: str | Path, form: str | None = None, field: str | None = None) -> TagFile:
    r"""Read the tags of each document.

    Parameters
    ----------
    path : str or Path
    form : {"jsonl", "csv"}, optional
        Told from the ending of the name where it is not given.
    field : str, optional
        The key, in JSON objects, of the tags; "tags" or "labels" where it is not given.

    Raises
    ------
    InputFileError
        If the file is missing, empty or of another form; the message names the line.

    Notes
    -----
    JSON lines: each line is a list of tags, null for a document that is not labelled, or an object with the list under
    "tags" and perhaps an "id" and a "text". CSV: a table with a heading of tags over zeros and ones; or else a document
    in each line with its tags in the cells, a blank line for a document without tags, and null, or another word for a
    missing value, alone on a line for one that is not labelled.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gpumetrics.sources.tag_files import read_tag_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tags.jsonl")
    ...     _ = path.write_text('["refund", "delivery"]\n[]\nnull\n')
    ...     read_tag_file(path).tags
    [['refund', 'delivery'], [], None]
    """
    path = Path(path)
    form = form or FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputFileError(f"{path}: files of this kind are not read as tags; give .jsonl or .csv, or --format")
    try:
        found = _json_lines(path, field) if form == "jsonl" else _csv(path)
    except OSError as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise InputFileError(f"{path}: {why}") from error
    except UnicodeDecodeError as error:
        raise InputFileError(f"{path}: the file is not UTF-8 text") from error
    if not found.tags:
        raise InputFileError(f"{path}: the file has no documents")
    return found


def same_documents(true: TagFile, pred: TagFile, names: tuple[str, str]) -> tuple[list[Any], bool]:
    """Return the predicted tags in the order of the truth, by ids where both files have them; and whether any moved.

    Raises
    ------
    InputFileError
        If the ids repeat, or are not the same; if there are no ids and the files differ in length; if both are
        indicator tables of different headings.
    """
    if true.columns and pred.columns and set(true.columns) != set(pred.columns):
        different = sorted(set(true.columns) ^ set(pred.columns))
        raise InputFileError(
            f"{names[0]} and {names[1]} have different columns: {different[0]!r} is in one of them only"
        )
    if true.ids is None or pred.ids is None:
        if len(true.tags) != len(pred.tags):
            counts = f"{names[0]} has {len(true.tags):,} documents, {names[1]} {len(pred.tags):,}"
            raise InputFileError(f"{counts}; give each an id, or write a line for every document in both")
        return pred.tags, False
    for file, name in zip((true, pred), names, strict=True):
        ids = file.ids or []
        if len(set(ids)) < len(ids):
            seen: set[Any] = set()
            twice = next(i for i in ids if i in seen or seen.add(i))  # type: ignore[func-returns-value]
            raise InputFileError(f"{name}: the id {twice!r} is that of more than one document")
    by_id = dict(zip(pred.ids, pred.tags, strict=True))
    for ids, others, name in ((true.ids, set(pred.ids), names[1]), (pred.ids, set(true.ids), names[0])):
        lacking = [i for i in ids if i not in others]
        if lacking:
            raise InputFileError(f"{name}: has no document with the id {lacking[0]!r} ({len(lacking):,} such ids)")
    return [by_id[i] for i in true.ids], true.ids != pred.ids


def _json_lines(path: Path, field: str | None) -> TagFile:
    documents, ids, texts = [], [], []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                if any(rest.strip() for rest in file):
                    raise InputFileError(f"{path}: line {number} is blank; a document without tags is []")
                break
            entry = _parsed(path, number, line)
            found = entry if isinstance(entry, dict) else {}
            documents.append(_tags_of(path, number, entry, field))
            ids.append(found.get("id"))
            texts.append(next((found[key] for key in TEXTS if isinstance(found.get(key), str)), None))
    if any(isinstance(i, list | dict) for i in ids):
        raise InputFileError(f"{path}: an id must be a string or a number")
    return TagFile(documents, _all_or_none(ids), _all_or_none(texts))


def _all_or_none(values: list[Any]) -> list[Any] | None:
    return values if values and all(value is not None for value in values) else None


def _parsed(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = "; JSON lines have a document in each line, not one list of all" if line.strip() in {"[", "{"} else ""
        raise InputFileError(f"{path}: line {number} is no JSON ({error}){hint}") from error


def _tags_of(path: Path, number: int, entry: Any, field: str | None) -> list[Any] | None:
    if isinstance(entry, dict):
        keys = KEYS if field is None else (field,)
        key = next((key for key in keys if key in entry), None)
        if key is None:
            known = ", ".join(map(repr, list(entry)[:8]))
            wanted = " or ".join(map(repr, keys))
            raise InputFileError(f"{path}: line {number} has no key {wanted}, only {known}; --field names it")
        entry = entry[key]
    if entry is None:
        return None
    if not isinstance(entry, list):
        wanted = 'a list of tags such as ["refund"]'
        scores = "; scores become tags by a threshold (best_threshold)" * isinstance(entry, dict)
        raise InputFileError(f"{path}: line {number} holds {json.dumps(entry)[:40]}, not {wanted}{scores}")
    for tag in () if set(map(type, entry)) <= PLAIN else entry:
        if tag is None or isinstance(tag, list | dict | bool):
            raise InputFileError(f"{path}: line {number} holds {json.dumps(tag)[:40]}, which is no tag")
    return entry


def _csv(path: Path) -> TagFile:
    rows = list(_rows(path))
    matrix = _indicator(rows)
    if matrix is not None:
        return TagFile(matrix, None, None, rows[0])
    documents: list[list[Any] | None] = []
    for row in rows:
        cells = [cell for cell in row if cell]
        documents.append(None if len(cells) == 1 and is_missing(cells[0]) else list(cells))
    return TagFile(documents, None, None)


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            for row in csv.reader(file):
                yield [cell.strip() for cell in row]
        except csv.Error as error:
            raise InputFileError(f"{path}: the file is not comma-separated text ({error})") from error


def _indicator(rows: list[list[str]]) -> list[list[Any] | None] | None:
    """Read a heading of tags over zeros and ones; None if the file is none."""
    if len(rows) < 2 or len(rows[0]) < 2 or not all(map(is_name, rows[0])):
        return None
    names, below = rows[0], [row for row in rows[1:] if row]
    if not below or any(len(row) != len(names) or not set(row) <= {"0", "1"} for row in below):
        return None
    if len(set(names)) < len(names):
        return None
    return [[name for name, cell in zip(names, row, strict=True) if cell == "1"] for row in below]
