"""The tags of documents as people have them, one side at a time: sets, lists and list columns become codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from gpumetrics.backends.array_places import is_cudf, is_device_array
from gpumetrics.classification.tag_columns import FlatLists, flat_lists
from gpumetrics.label_arrays import COLUMN_LIBRARIES, is_missing, is_number
from gpumetrics.types import Array  # noqa: TC001

__all__ = ["TagSets", "Vocabulary", "kind_of", "plain_tag", "read_tag_sets", "refuse_scores"]

CONTAINERS = frozenset({list, tuple, set, frozenset})
SIMPLE = frozenset({str, int})  # types of tags that need no look at each one
THRESHOLD = "Scores become tags by a threshold, which best_threshold finds on validation data."


class Vocabulary(dict[Any, int]):
    """Numbers tags in the order in which they are asked for."""

    def __missing__(self, tag: Any) -> int:
        code = self[tag] = len(self)
        return code


@dataclass(frozen=True)
class TagSets:
    """The tags of the documents on one side.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_documents + 1,)
        Where the tags of each document begin in `codes`.
    codes : ndarray of int32
        Numbers of a `Vocabulary`, in the order of the documents, repeated where the user repeats them.
    labelled : ndarray of bool, shape (n_documents,), or None
        Which documents have a set, be it an empty one; None where all have.
    columns : ndarray of int32, or None
        Of a matrix, the tag of each column, whether it occurs or not.
    kind : {"text", "numbers", ""}
        Of what the tags are, where they are all of a kind.
    """

    indptr: Array
    codes: Array
    labelled: Array | None
    columns: Array | None = None
    kind: str = ""

    @property
    def n_documents(self) -> int:
        return len(self.indptr) - 1

    def take(self, documents: Array) -> TagSets:
        """Return some of the documents, all of which are labelled."""
        sizes = np.diff(self.indptr)[documents]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][documents] - indptr[:-1], sizes)
        return replace(self, indptr=indptr, codes=self.codes[at], labelled=None)


def read_tag_sets(documents: Any, name: str, vocabulary: Vocabulary) -> TagSets:
    """Code the tags of each document.

    Parameters
    ----------
    documents : sequence of collections, or list column
        None (NaN, NA, null) for a document that nobody has labelled.
    name : str
        The argument's name in error messages.
    vocabulary : Vocabulary
        Takes in new tags; shared by both sides.

    Raises
    ------
    ValueError
        If a document is no collection of tags, or a tag is missing, a boolean, a score or unhashable.
    TypeError
        If tags are bytes.
    """
    column = _only_column(documents, name)
    tags, lengths, labelled = flat_lists(column) or _flattened(_as_list(column, name), name)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    kinds = set(map(type, tags))
    if not kinds <= SIMPLE:
        _check_tags(tags, indptr, name)
    try:
        codes = np.fromiter(map(vocabulary.__getitem__, tags), dtype=np.int32, count=len(tags))
    except TypeError as error:
        msg = f"{name} must hold sets of hashable tags, such as strings or integers: {error}."
        raise ValueError(msg) from None
    return TagSets(indptr, codes, labelled, kind=kind_of(kinds))


def plain_tag(tag: Any) -> Any:
    """Return a tag of NumPy's as Python's; dates and all others as they are."""
    return tag.item() if isinstance(tag, np.number | np.str_) and not isinstance(tag, np.timedelta64) else tag


def refuse_scores(name: str, value: Any) -> NoReturn:
    """Raise the error for continuous values where sets are expected."""
    msg = f"{name} must hold sets of tags, but it holds continuous values such as {value!r}. {THRESHOLD}"
    raise ValueError(msg)


def kind_of(kinds: set[type]) -> str:
    """Return the word for tags of these types: text, numbers or neither."""
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return "text"
    return "numbers" if kinds and all(issubclass(kind, Real) for kind in kinds) else ""


def _as_list(documents: Any, name: str) -> list[Any]:
    """Return a column or sequence of documents as a list."""
    if isinstance(documents, list):
        return documents
    if is_cudf(documents) and documents.ndim == 1:
        return list(documents.to_arrow().to_pylist())
    if hasattr(documents, "tocsr") or is_device_array(documents):
        msg = f"{name} is a matrix already, not sets of tags: give it to the scores, or to evaluate_tags, as it is."
        raise ValueError(msg)
    if isinstance(documents, str | bytes | dict | set | frozenset) or not isinstance(documents, Iterable):
        msg = f"{name} must be a sequence with a set or list of tags for each document, got {documents!r}."
        raise ValueError(msg)  # noqa: TRY004  (as for every other input of a wrong form)
    for method in ("to_pylist", "to_list", "tolist"):  # of Arrow, of dataframes, of arrays
        if hasattr(documents, method):
            return list(getattr(documents, method)())
    return list(documents)


def _only_column(documents: Any, name: str) -> Any:
    """Return the one column of a table; anything else as it is."""
    names = getattr(documents, "column_names", getattr(documents, "columns", None))
    if names is None or type(documents).__module__.partition(".")[0] not in COLUMN_LIBRARIES:
        return documents
    if len(names) != 1:
        msg = f"{name} must be one column of lists of tags, got a table of {len(names)} columns."
        raise ValueError(msg)
    return documents[next(iter(names))]


def _flattened(documents: list[Any], name: str) -> FlatLists:
    """Take collections apart."""
    labelled = None
    if not set(map(type, documents)) <= CONTAINERS:
        found = [_collection(document, at, name) for at, document in enumerate(documents)]
        labelled = np.fromiter((document is not None for document in found), dtype=bool, count=len(found))
        documents = [() if document is None else document for document in found]
    lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
    return FlatLists(list(chain.from_iterable(documents)), lengths, labelled)


def _collection(document: Any, at: int, name: str) -> Any:
    """Return the tags of one document, or None where it is unlabelled."""
    if document is None or type(document) in CONTAINERS:
        return document
    if isinstance(document, np.ndarray) and document.ndim == 1:
        return document.tolist()
    if isinstance(document, str | bytes):
        _refuse_document(document, at, name, f"the text {document!r}")
    if isinstance(document, dict):
        _refuse_document(document, at, name, "a dict: give the tags alone. Scores become tags by best_threshold")
    if isinstance(document, Iterable) and getattr(document, "ndim", 1) == 1:
        return list(document)
    if is_missing(document):
        return None
    if is_number(document) and document != int(document):
        refuse_scores(name, document)
    return _refuse_document(document, at, name, f"{document!r}")


def _refuse_document(document: Any, at: int, name: str, what: str) -> NoReturn:
    one = "" if isinstance(document, dict) else f"; a set of one tag is [{document!r}]"
    msg = (
        f"{name} must hold a set or list of tags for each document, but document {at} is {what}{one}. "
        "For one label per document there are f1_score and its relatives."
    )
    raise ValueError(msg)


def _check_tags(tags: list[Any], indptr: Array, name: str) -> None:
    """Raise for a tag that is none; called only where there are others than strings and integers."""
    for position, tag in enumerate(tags):
        if type(tag) in SIMPLE:
            continue
        if isinstance(tag, bool | np.bool_):
            msg = f"{name} holds the boolean {tag!r} as a tag. Give an indicator matrix as an array, tags by name."
            raise ValueError(msg)  # noqa: TRY004
        if isinstance(tag, bytes):
            msg = f"{name} holds tags represented as bytes, such as {tag!r}: convert them to strings."
            raise TypeError(msg)
        if is_number(tag) and not is_missing(tag) and (not np.isfinite(float(tag)) or tag != int(tag)):
            refuse_scores(name, tag)
        if isinstance(tag, list | set | dict):
            msg = f"{name} must hold sets of hashable tags, such as strings or integers, not {tag!r}."
            raise ValueError(msg)  # noqa: TRY004
        if is_missing(tag):
            at = int(np.searchsorted(indptr, position, side="right")) - 1
            msg = (
                f"Input {name} contains NaN. A tag of document {at} is missing ({tag!r}): leave it out, or give None "
                "in place of the whole set if nobody has labelled the document."
            )
            raise ValueError(msg)
