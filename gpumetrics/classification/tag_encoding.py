"""What tag sets become: two indicator matrices, the tags of their columns, and what the matrices no longer show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from gpumetrics.classification.tag_sets import Vocabulary
from gpumetrics.label_arrays import as_objects

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from gpumetrics.classification.tag_sets import TagSets
    from gpumetrics.types import Array

__all__ = ["Columns", "EncodedTags", "Layout", "TagFacts", "tag_array"]


@dataclass(frozen=True)
class TagFacts:
    """What the matrices of tag sets no longer show.

    Attributes
    ----------
    n_given : int
        Documents, labelled or not.
    n_unlabelled, n_unpredicted : int
        Documents whose truth is None; those with a truth whose prediction is None.
    repeated_true, repeated_pred : int
        Repetitions of tags within a document, where each counts once.
    unknown_true, unknown_pred : int
        Tags in documents that are not in the classes that were given.
    excluded_true, excluded_pred : int
        Tags in documents that were taken out.
    unknown_tags : tuple
        The tags that are not in the classes, sorted.
    excluded : tuple
        The tags that were to be taken out.
    """

    n_given: int
    n_unlabelled: int = 0
    n_unpredicted: int = 0
    repeated_true: int = 0
    repeated_pred: int = 0
    unknown_true: int = 0
    unknown_pred: int = 0
    excluded_true: int = 0
    excluded_pred: int = 0
    unknown_tags: tuple[Any, ...] = ()
    excluded: tuple[Any, ...] = ()


class _Matrices(NamedTuple):
    y_true: csr_array
    y_pred: csr_array
    classes: Array


class EncodedTags(_Matrices):
    """Two indicator matrices and the tags of their columns: ``y_true, y_pred, classes = encode_tags(...)``.

    Attributes
    ----------
    y_true, y_pred : scipy.sparse.csr_array of int64, shape (n_labelled, n_classes)
    classes : ndarray of shape (n_classes,)
        int64 where all tags are integers, else objects.
    documents : ndarray of int64, shape (n_labelled,)
        Which documents the rows are: those that have a set on both sides.
    facts : TagFacts
        Unlabelled documents, repeated and unknown tags.
    """

    documents: Array
    facts: TagFacts

    def __new__(cls, y_true: csr_array, y_pred: csr_array, classes: Array, documents: Array, facts: TagFacts) -> Self:
        self = super().__new__(cls, y_true, y_pred, classes)
        self.documents, self.facts = documents, facts
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:  # for pickle
        return *self, self.documents, self.facts


class Columns(NamedTuple):
    """Which tags have columns.

    Attributes
    ----------
    kept : list
        The tags of the columns, in their order.
    unknown : list
        Those that are not in the classes, sorted; with a column or without.
    excluded : tuple
        Those that were to be taken out, whether they occur or not.
    """

    kept: list[Any]
    unknown: list[Any]
    excluded: tuple[Any, ...]


@dataclass(frozen=True)
class Layout:
    """A place for every tag of a vocabulary: the columns first, behind them the tags that are left out.

    Attributes
    ----------
    place : ndarray of int32, shape (n_tags,)
        By the tags' codes.
    n_columns, width : int
        Places that are columns; all places.
    unknown, excluded : ndarray of int64
        The places of the tags that are not in the classes, and of those that are taken out.
    """

    place: Array
    n_columns: int
    width: int
    unknown: Array
    excluded: Array

    @classmethod
    def of(cls, vocabulary: Vocabulary, columns: Columns) -> Layout:
        """Give the columns the first places, and all other tags those behind them."""
        places = Vocabulary({tag: at for at, tag in enumerate(columns.kept)})
        place = np.fromiter(map(places.__getitem__, vocabulary), dtype=np.int32, count=len(vocabulary))
        unknown, excluded = (
            np.array([places[tag] for tag in tags if tag in places], dtype=np.int64)
            for tags in (columns.unknown, columns.excluded)
        )
        return cls(place, len(columns.kept), len(places), unknown, excluded)

    def matrix(self, side: TagSets) -> tuple[csr_array, dict[str, int]]:
        """Return the indicator matrix of a side, and how many of its tags are repeated, unknown and excluded."""
        from scipy.sparse import csr_array

        n_codes = len(side.codes)
        shape = (side.n_documents, self.width)
        distinct = csr_array((np.ones(n_codes, dtype=np.int8), self.place.take(side.codes), side.indptr), shape=shape)
        distinct.sum_duplicates()  # which sorts each row, too
        indptr, indices = distinct.indptr, distinct.indices
        documents_with = np.bincount(indices, minlength=self.width)
        numbers = {
            "repeated": n_codes - len(indices),
            "unknown": int(documents_with[self.unknown].sum()),
            "excluded": int(documents_with[self.excluded].sum()),
        }
        if self.width > self.n_columns:
            kept = indices < self.n_columns
            indptr, indices = np.concatenate([[0], np.cumsum(kept)])[indptr], indices[kept]
        ones = np.ones(len(indices), dtype=np.int64)
        matrix = csr_array((ones, indices, indptr), shape=(side.n_documents, self.n_columns))
        matrix.has_canonical_format = True
        return matrix, numbers


def tag_array(tags: list[Any]) -> Array:
    """Return tags as an array: int64 where all are integers that fit, else objects."""
    if tags and all(type(tag) is int for tag in tags):
        try:
            return np.array(tags, dtype=np.int64)
        except OverflowError:
            pass
    return as_objects(tags)
