"""Tag sets from files: JSON lines, or comma-separated text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpumetrics.sources.files import InputFileError
from gpumetrics.sources.tag_csv import read_csv
from gpumetrics.sources.tag_documents import TagFile

__all__ = ["read_tag_file"]

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv"}
KEYS = ("tags", "labels")  # under which an object has its tags
PLAIN = {str, int, float}
TEXTS = ("text", "title", "document")
ONE_LIST = "; JSON lines have a document in each line, not one list of all"


def read_tag_file(
    path: str | Path, form: str | None = None, field: str | None = None, id_field: str | None = None
) -> TagFile:
    r"""Read the tags of each document.

    Parameters
    ----------
    path : str or Path
    form : {"jsonl", "csv"}, optional
        Told from the ending of the name where it is not given.
    field : str, optional
        The key, in JSON objects, of the tags; "tags" or "labels" where it is not given.
    id_field : str, optional
        The key, in JSON objects, of the documents' ids, which all must have; "id", where they have it, if not given.
        Of a table, the heading of the first column.

    Raises
    ------
    InputFileError
        If the file is missing, empty or of another form; the message names the line.

    Notes
    -----
    JSON lines: each line is a list of tags, null for a document that is not labelled, or an object with the list under
    "tags" and perhaps an "id" and a "text". CSV: a table with a heading of tags over zeros and ones, perhaps after a
    column headed id, or nothing, that names the documents, and with empty cells for one that is not labelled; or else
    a document in each line with its tags in the cells, a blank line for a document without tags, and null, or another
    word for a missing value, alone on a line for one that is not labelled.

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
        found = _json_lines(path, field, id_field) if form == "jsonl" else read_csv(path, id_field)
    except OSError as error:
        why = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        raise InputFileError(f"{path}: {why}") from error
    except UnicodeDecodeError as error:
        raise InputFileError(f"{path}: the file is not UTF-8 text") from error
    if not found.tags:
        raise InputFileError(f"{path}: the file has no documents")
    return found


def _json_lines(path: Path, field: str | None, id_field: str | None) -> TagFile:
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
            ids.append(found.get(id_field or "id"))
            texts.append(next((found[key] for key in TEXTS if isinstance(found.get(key), str)), None))
    _check_ids(path, ids, id_field)
    return TagFile(documents, _all_or_none(ids), _all_or_none(texts))


def _check_ids(path: Path, ids: list[Any], id_field: str | None) -> None:
    if any(isinstance(i, list | dict | bool) or i != i for i in ids):  # noqa: PLR0124  (NaN)
        raise InputFileError(f"{path}: an id must be a string or a number")
    if None not in ids:
        return
    lacking = f"{path}: line {ids.index(None) + 1} has no id"
    if id_field is not None:
        raise InputFileError(f"{lacking} under {id_field!r} (--id)")
    if len(set(ids)) > 1:
        raise InputFileError(f"{lacking}, but others have: give each document one, or none")


def _all_or_none(values: list[Any]) -> list[Any] | None:
    return values if values and all(value is not None for value in values) else None


def _parsed(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = ONE_LIST * (line.strip() in {"[", "{"})
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
            hint = ONE_LIST * (number == 1 and isinstance(tag, list | dict))
            raise InputFileError(f"{path}: line {number} holds {json.dumps(tag)[:40]}, which is no tag{hint}")
    return entry
