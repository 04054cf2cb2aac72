"""The tags of documents as people have them, one side at a time: sets, lists and list columns become codes."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Rational, Real
from typing import Any, NoReturn

import numpy as np

from gpumetrics.backends.array_places import is_cudf, is_device_array
from gpumetrics.classification.tag_columns import FlatLists, eager, flat_lists
from gpumetrics.classification.tag_names import as_list, named, shown
from gpumetrics.label_arrays import COLUMN_LIBRARIES, is_missing, is_number, unwrap
from gpumetrics.types import Array  # noqa: TC001

__all__ = ["TagSets", "Vocabulary", "coded_tags", "flat_documents", "kind_of", "refuse_scores"]

CONTAINERS = frozenset({list, tuple, set, frozenset})
SIMPLE = frozenset({str, int})  # types of tags that need no look at each one
SEPARATORS = ",;|\n"  # between tags in one text
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
    codes : ndarray of int32, shape (n_tags_of_documents,)
        Numbers of a `Vocabulary`, in the order of the documents, repeated where the user repeats them.
    labelled : ndarray of bool, shape (n_documents,), or None
        Which documents have a set, be it an empty one; None where all have.
    columns : ndarray of int32, shape (n_columns,), or None
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

    @property
    def n_unlabelled(self) -> int:
        return 0 if self.labelled is None else self.n_documents - int(self.labelled.sum())

    def take(self, documents: Array) -> TagSets:
        """Return these documents, all of which are labelled."""
        if len(documents) == self.n_documents:
            return self
        sizes = np.diff(self.indptr)[documents]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[:-1][documents] - indptr[:-1], sizes)
        return replace(self, indptr=indptr, codes=self.codes[at], labelled=None)


def flat_documents(documents: Any, name: str) -> FlatLists:
    """Take the documents of one side apart.

    Parameters
    ----------
    documents : sequence of collections, or list column
        None (NaN, NA, null) for a document that nobody has labelled.
    name : str
        The argument's name in error messages.

    Raises
    ------
    ValueError
        If a document is no collection of tags.
    """
    column = _only_column(eager(documents, name), name)
    lists = flat_lists(column) or _flattened(_as_documents(column, name), name)
    return lists._replace(form="array") if getattr(column, "ndim", 1) == 2 else lists


def coded_tags(documents: FlatLists, name: str, vocabulary: Vocabulary) -> TagSets:
    """Code the tags of each document; the vocabulary, which both sides share, takes in new ones.

    Raises
    ------
    ValueError
        If a tag is missing, a boolean, a score or unhashable.
    TypeError
        If tags are bytes.
    """
    tags = documents.tags
    indptr = np.concatenate([[0], np.cumsum(documents.lengths)])
    kinds = set(map(type, tags))
    if any(map(_holds_a_scalar, kinds)):
        tags = [tag.as_py() if hasattr(tag, "as_py") else unwrap(tag) for tag in tags]
        kinds = set(map(type, tags))
    if not kinds <= SIMPLE:
        _check_tags(tags, indptr, name)
    try:
        codes = np.fromiter(map(vocabulary.__getitem__, tags), dtype=np.int32, count=len(tags))
    except TypeError as error:
        msg = f"{name} must hold sets of hashable tags, such as strings or integers: {error}."
        raise ValueError(msg) from None
    return TagSets(indptr, codes, documents.labelled, kind=kind_of(kinds))


def _holds_a_scalar(kind: type) -> bool:
    """Whether it is a scalar of Arrow's, or may be an array without dimensions: not equal to what they hold."""
    return hasattr(kind, "as_py") or (hasattr(kind, "item") and not issubclass(kind, np.generic))


def refuse_scores(name: str, value: Any) -> NoReturn:
    """Raise the error for continuous values where sets are expected."""
    msg = f"{name} must hold sets of tags, but it holds continuous values such as {shown(value)}. {THRESHOLD}"
    raise ValueError(msg)


def kind_of(kinds: set[type]) -> str:
    """Return the word for tags of these types: text, numbers or neither."""
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return "text"
    return "numbers" if kinds and all(issubclass(kind, Real) for kind in kinds) else ""


def _as_documents(documents: Any, name: str) -> list[Any]:
    """Return a column or sequence of documents as a list."""
    if isinstance(documents, list):
        return documents
    if is_cudf(documents) and documents.ndim == 1:
        return list(documents.to_arrow().to_pylist())
    if hasattr(documents, "tocsr") or is_device_array(documents):
        msg = f"{name} is a matrix already, not sets of tags: give it to the scores, or to evaluate_tags, as it is."
        raise ValueError(msg)
    if isinstance(documents, str | bytes | dict | set | frozenset) or not isinstance(documents, Iterable):
        msg = f"{name} must be a sequence with a set or list of tags for each document, got {shown(documents)}."
        raise ValueError(msg)  # noqa: TRY004  (as for every other input of a wrong form)
    return as_list(documents)


def _only_column(documents: Any, name: str) -> Any:
    """Return the one column of a table; anything else as it is."""
    names = getattr(documents, "column_names", getattr(documents, "columns", None))
    if names is None or type(documents).__module__.partition(".")[0] not in COLUMN_LIBRARIES:
        return documents
    if len(names) != 1:
        msg = (
            f"{name} must be one column with a list of tags for each document, got a table of {len(names)} columns "
            f"({named(list(names))}): give that of the tags alone, as table['tags']."
        )
        raise ValueError(msg)
    return documents[next(iter(names))]


def _flattened(documents: list[Any], name: str) -> FlatLists:
    """Take collections apart."""
    labelled = None
    kinds = set(map(type, documents))
    if not kinds <= CONTAINERS:
        found = [_collection(document, at, name) for at, document in enumerate(documents)]
        labelled = np.fromiter((document is not None for document in found), dtype=bool, count=len(found))
        documents = [() if document is None else document for document in found]
    lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
    form = "sets" if any(issubclass(kind, AbstractSet) for kind in kinds) else "lists"
    return FlatLists(list(chain.from_iterable(documents)), lengths, labelled, form)


def _collection(document: Any, at: int, name: str) -> Any:
    """Return the tags of one document, or None where it is unlabelled."""
    if document is None or type(document) in CONTAINERS:
        return document
    if hasattr(document, "as_py"):  # a list, or null, of Arrow's
        return _collection(document.as_py(), at, name)
    if isinstance(document, str | bytes | bytearray):
        several = isinstance(document, str) and any(sign in document for sign in SEPARATORS)
        hint = "; text that holds several tags is split first, as str.split does" * several
        _refuse_document(document, at, name, f"the text {shown(document)}", hint)
    if isinstance(document, dict):
        _refuse_document(document, at, name, "a dict: give the tags alone. Scores become tags by best_threshold")
    n_dimensions = getattr(document, "ndim", None)
    if n_dimensions == 1 or (n_dimensions is None and isinstance(document, Iterable)):
        return as_list(document)
    if not n_dimensions:
        value = unwrap(document)
        if is_missing(value):
            return None
        if _is_fraction(value):
            refuse_scores(name, value)
    return _refuse_document(document, at, name, shown(document))


def _refuse_document(document: Any, at: int, name: str, what: str, hint: str = "") -> NoReturn:
    many = isinstance(document, dict) or bool(getattr(document, "ndim", None))
    one = "" if many or hint else f"; a set of one tag is [{shown(document)}]"
    msg = (
        f"{name} must hold a set or list of tags for each document, but document {at} is {what}{hint}{one}. "
        "For one label per document there are f1_score and its relatives."
    )
    raise ValueError(msg)


def _is_fraction(value: Any) -> bool:
    """Whether it is a number, but no whole one: a score."""
    if isinstance(value, Rational):  # of which some are too large for a float
        return value.denominator != 1
    return is_number(value) and (not np.isfinite(float(value)) or value != int(value))


def _check_tags(tags: list[Any], indptr: Array, name: str) -> None:
    """Raise for a tag that is none; called only where there are others than strings and integers."""
    for position, tag in enumerate(tags):
        if type(tag) in SIMPLE:
            continue
        if isinstance(tag, bool | np.bool_):
            msg = f"{name} holds the boolean {tag!r} as a tag. Give an indicator matrix as an array, tags by name."
            raise ValueError(msg)  # noqa: TRY004
        if isinstance(tag, bytes):
            msg = f"{name} holds tags represented as bytes, such as {shown(tag)}: convert them to strings."
            raise TypeError(msg)
        if type(tag).__hash__ is None or getattr(tag, "ndim", None):
            msg = f"{name} must hold sets of hashable tags, such as strings or integers, not {shown(tag)}."
            raise ValueError(msg)
        if is_missing(tag):
            at = int(np.searchsorted(indptr, position, side="right")) - 1
            msg = (
                f"Input {name} contains NaN. A tag of document {at} is missing ({tag!r}): leave it out, or give None "
                "in place of the whole set if nobody has labelled the document."
            )
            raise ValueError(msg)
        if _is_fraction(tag):
            refuse_scores(name, tag)
