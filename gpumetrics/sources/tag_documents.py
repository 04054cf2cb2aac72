"""The documents of a file of tags, and which documents of two files belong together."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from gpumetrics.sources.files import InputFileError
from gpumetrics.text.messages import Message, counted, said

__all__ = ["TagFile", "first_repeated", "how_read", "same_documents"]


class TagFile(NamedTuple):
    """The documents of a file.

    Attributes
    ----------
    tags : list
        A list of tags for each document, None where it is not labelled.
    ids, texts : list, or None
        Where every document has one.
    columns : list of str, or None
        The heading of an indicator table.
    """

    tags: list[list[Any] | None]
    ids: list[Any] | None = None
    texts: list[Any] | None = None
    columns: list[str] | None = None


def how_read(true: TagFile, pred: TagFile) -> Message:
    """Say as what the two files were read."""
    ours, theirs = (_form(file) for file in (true, pred))
    if ours == theirs:
        return said("TRUE and PRED were each read as {form}, a document in each line.", form=ours)
    return said("TRUE was read as {ours}, PRED as {theirs}, a document in each line.", ours=ours, theirs=theirs)


def _form(file: TagFile) -> Message:
    if file.columns is None:
        return said("lists of tags")
    return counted(len(file.columns), "an indicator table of {n:,} tag", "an indicator table of {n:,} tags")


def same_documents(true: TagFile, pred: TagFile, names: tuple[str, str]) -> tuple[TagFile, Message]:
    """Return the predicted documents in the order of the truth, and a note on how they were matched.

    They are matched by ids where both files have them, else line by line.

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
        return pred, _by_line(true, pred, names)
    _check_ids(true.ids, pred.ids, names)
    if true.ids == pred.ids:
        return pred, said("The documents were matched by their ids.")
    place = {i: at for at, i in enumerate(pred.ids)}
    order = [place[i] for i in true.ids]
    moved = pred._replace(
        tags=[pred.tags[at] for at in order],
        ids=true.ids,
        texts=None if pred.texts is None else [pred.texts[at] for at in order],
    )
    note = said("The documents of PRED stand in another order than those of TRUE: they were matched by their ids.")
    return moved, note


def _by_line(true: TagFile, pred: TagFile, names: tuple[str, str]) -> Message:
    n_true, n_pred = len(true.tags), len(pred.tags)
    if n_true != n_pred:
        counts = f"{names[0]} has {n_true:,} document{'s' * (n_true != 1)}, {names[1]} {n_pred:,}"
        raise InputFileError(f"{counts}; give each an id, or write a line for every document in both")
    if true.ids is pred.ids:
        return said("The documents were matched by line number: they have no ids.")
    have, lack = ("TRUE", "PRED") if pred.ids is None else ("PRED", "TRUE")
    template = "The documents were matched by line number: those of {have} have ids, those of {lack} none."
    return said(template, have=have, lack=lack)


def _check_ids(true: list[Any], pred: list[Any], names: tuple[str, str]) -> None:
    for ids, name in zip((true, pred), names, strict=True):
        if (twice := first_repeated(ids)) is not None:
            raise InputFileError(f"{name}: the id {twice!r} is that of more than one document")
    for ids, others, name in ((true, set(pred), names[1]), (pred, set(true), names[0])):
        lacking = [i for i in ids if i not in others]
        if not lacking:
            continue
        alike = {str(i): i for i in others}.get(str(lacking[0]))
        hint = "" if alike is None else f"; it has {alike!r}: a number and its text are two ids"
        such = f" ({len(lacking):,} such ids)" * (len(lacking) > 1)
        raise InputFileError(f"{name}: has no document with the id {lacking[0]!r}{such}{hint}")


def first_repeated(values: list[Any]) -> Any:
    """Return the first value that stands in a list more than once; None if none does."""
    return next((value for value, times in Counter(values).items() if times > 1), None)
