"""Tag sets to indicator matrices: `encode_tags`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from gpumetrics.classification.tag_sets import TagSets, Vocabulary, plain_tag, read_tag_sets
from gpumetrics.label_arrays import as_objects, distinct_objects
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scipy.sparse import csr_array

    from gpumetrics.types import Array

__all__ = ["EncodedTags", "TagFacts", "encode_sides", "encode_tags", "named", "tag_array"]

UNKNOWN = ("extend", "ignore", "raise")
MOST_NAMED = 5  # tags that a message names


@dataclass(frozen=True)
class TagFacts:
    """What the matrices of tag sets no longer show.

    Attributes
    ----------
    n_documents : int
        As given.
    n_unlabelled, n_unpredicted : int
        Documents whose truth is None; those with a truth whose prediction is None.
    repeated_true, repeated_pred : int
        Tags that a document has once more than once; they count once.
    unknown_true, unknown_pred : int
        Tags in documents that are not in the classes that were given.
    excluded_true, excluded_pred : int
        Tags in documents that were taken out.
    unknown_tags : tuple
        The tags that are not in the classes, sorted.
    excluded : tuple
        The tags that were to be taken out.
    """

    n_documents: int
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

    def __new__(cls, matrices: _Matrices, documents: Array, facts: TagFacts) -> Self:
        self = super().__new__(cls, *matrices)
        self.documents, self.facts = documents, facts
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:  # for pickle
        return _Matrices(*self), self.documents, self.facts


def encode_tags(y_true: Any, y_pred: Any, *, classes: Any = None, unknown: str = "extend") -> EncodedTags:
    """Turn the tag sets of the same documents into two indicator matrices, for every score of label sets.

    Parameters
    ----------
    y_true, y_pred : sequence of n_documents collections, or list column
        For each document a set, list or tuple of tags (strings, integers, other hashable values), in any order and
        of any length; an empty one has no tag, None (NaN, NA, null) is not labelled. Or a column of lists of pandas,
        polars or Arrow. A tag that a document repeats counts once. Tags are the same where Python finds them equal:
        spelling and case are settled before.
    classes : sequence of tags, default=None
        The columns, in this order. None: all tags that occur, sorted.
    unknown : {"extend", "ignore", "raise"}, default="extend"
        What becomes of tags that are not in `classes`: they are added behind them, sorted; or left out and counted
        in ``facts``; or an error.

    Returns
    -------
    EncodedTags
        Unpacks into ``y_true, y_pred, classes``: two CSR matrices of shape (n_labelled, n_classes) and the tag of each
        column. Documents that are None on either side have no row; ``documents`` says which have, ``facts`` counts.

    Raises
    ------
    ValueError
        If lengths differ; a document is no collection of tags; a tag is missing, a boolean or a fraction (a score);
        one side has text and the other numbers; a tag is unknown and `unknown` is "raise".
    TypeError
        If tags are bytes.

    Notes
    -----
    O(number of tags) time and memory: one dictionary for both sides. On the host; the scores bring the matrices to a
    GPU where one is chosen.

    Examples
    --------
    >>> from gpumetrics import encode_tags, jaccard_score
    >>> y_true, y_pred, classes = encode_tags([{"refund", "delivery"}], [["delivery", "account", "delivery"]])
    >>> classes.tolist(), y_true.toarray().tolist(), y_pred.toarray().tolist()
    (['account', 'delivery', 'refund'], [[0, 1, 1]], [[1, 1, 0]])
    >>> jaccard_score(y_true, y_pred, average="samples")
    0.3333333333333333
    """
    vocabulary = Vocabulary()
    true = read_tag_sets(y_true, "y_true", vocabulary)
    pred = read_tag_sets(y_pred, "y_pred", vocabulary)
    return encode_sides(true, pred, vocabulary, classes=classes, unknown=unknown)


def encode_sides(
    true: TagSets,
    pred: TagSets,
    vocabulary: Vocabulary,
    *,
    classes: Any = None,
    unknown: str = "extend",
    exclude: Iterable[Any] = (),
    in_order: bool = False,
) -> EncodedTags:
    """Bring both sides to the same columns and documents; `in_order` keeps the vocabulary's order of the tags."""
    if unknown not in UNKNOWN:
        msg = (
            f"The 'unknown' parameter must be a str among {{{', '.join(map(repr, UNKNOWN))}}}. Got {unknown!r} instead."
        )
        raise ValueError(msg)
    check_consistent_length(true.n_documents, pred.n_documents)
    _check_kinds(true, pred)
    rows, n_unlabelled, n_unpredicted = _labelled_rows(true, pred)
    n_given = true.n_documents
    tags = list(map(plain_tag, vocabulary))
    if len(rows) < n_given:
        true, pred = true.take(rows), pred.take(rows)
        tags = [tag for tag, occurs in zip(tags, _occurring(len(tags), true, pred), strict=True) if occurs]
    columns, new = _columns(tags, classes, in_order=in_order)
    excluded = tuple(dict.fromkeys(map(plain_tag, exclude)))
    taken_out = frozenset(excluded)
    new = [tag for tag in new if tag not in taken_out]
    if new and unknown == "raise":
        what = "1 tag is" if len(new) == 1 else f"{len(new):,} tags are"
        msg = f"{what} not in classes: {named(new)}. unknown='extend' adds them, 'ignore' leaves them out and counts."
        raise ValueError(msg)
    kept = [tag for tag in columns + new * (unknown == "extend") if tag not in taken_out]
    layout = _Layout.of(vocabulary, kept, new, excluded)
    sides = [layout.matrix(side) for side in (true, pred)]
    counts = {f"{name}_true": number for name, number in sides[0][1].items()}
    counts |= {f"{name}_pred": number for name, number in sides[1][1].items()}
    facts = TagFacts(n_given, n_unlabelled, n_unpredicted, unknown_tags=tuple(new), excluded=excluded, **counts)
    return EncodedTags(_Matrices(sides[0][0], sides[1][0], tag_array(kept)), rows, facts)


def _check_kinds(true: TagSets, pred: TagSets) -> None:
    if {true.kind, pred.kind} == {"text", "numbers"}:
        msg = f"The tags of y_true are {true.kind} and those of y_pred {pred.kind}, so that none can be equal."
        raise ValueError(msg)


def _occurring(n_tags: int, true: TagSets, pred: TagSets) -> Array:
    """Which tags are those of a document, or of a column."""
    occurs = np.zeros(n_tags, dtype=bool)
    for side in (true, pred):
        occurs[side.codes if side.columns is None else side.columns] = True
    return occurs


def _columns(tags: list[Any], classes: Any, *, in_order: bool) -> tuple[list[Any], list[Any]]:
    """The classes, and, sorted, the tags that are not among them."""
    if classes is None:
        return (tags if in_order else distinct_objects(tags, "the tags")), []
    if isinstance(classes, str | bytes | set | frozenset | dict) or not hasattr(classes, "__iter__"):
        msg = f"classes must be a list or array of tags, in the order of the columns, got {classes!r}."
        raise ValueError(msg)
    given = list(map(plain_tag, np.asarray(classes).tolist() if hasattr(classes, "__array__") else classes))
    if len(distinct_objects(given, "classes")) != len(given):
        twice = [tag for at, tag in enumerate(given) if tag in given[:at]]
        msg = f"classes holds {named(twice)} more than once."
        raise ValueError(msg)
    known = set(given)
    return given, distinct_objects([tag for tag in tags if tag not in known], "the tags")


@dataclass(frozen=True)
class _Layout:
    """Where the tags of a vocabulary stand: the columns first, behind them those that are left out."""

    place: Array
    n_columns: int
    width: int
    unknown: Array
    excluded: Array

    @classmethod
    def of(cls, vocabulary: Vocabulary, kept: list[Any], new: list[Any], excluded: tuple[Any, ...]) -> _Layout:
        column = Vocabulary({tag: at for at, tag in enumerate(kept)})
        place = np.fromiter(map(column.__getitem__, vocabulary), dtype=np.int32, count=len(vocabulary))
        where = [np.array([column[tag] for tag in tags if tag in column], dtype=np.int64) for tags in (new, excluded)]
        return cls(place, len(kept), len(column), *where)

    def matrix(self, side: TagSets) -> tuple[csr_array, dict[str, int]]:
        """Return the indicator matrix of a side; and its repeated, unknown and excluded tags."""
        from scipy.sparse import csr_array

        indices = self.place.take(side.codes)
        ones = np.ones(len(indices), dtype=np.int8)
        whole = csr_array((ones, indices, side.indptr), shape=(side.n_documents, self.width))
        given = whole.nnz
        whole.sum_duplicates()  # which sorts each row, too
        indptr, indices = whole.indptr, whole.indices
        repeated = given - len(indices)
        per_tag = np.bincount(indices, minlength=self.width)
        counts = {
            "repeated": repeated,
            "unknown": int(per_tag[self.unknown].sum()),
            "excluded": int(per_tag[self.excluded].sum()),
        }
        if self.width > self.n_columns:
            kept = indices < self.n_columns
            indptr, indices = np.concatenate([[0], np.cumsum(kept)])[indptr], indices[kept]
        shape = (side.n_documents, self.n_columns)
        matrix = csr_array((np.ones(len(indices), dtype=np.int64), indices, indptr), shape=shape)
        matrix.has_canonical_format = True
        return matrix, counts


def _labelled_rows(true: TagSets, pred: TagSets) -> tuple[Array, int, int]:
    """The documents with a set on both sides; how many have no truth, and how many of the others no prediction."""
    n = true.n_documents
    everyone = np.ones(n, dtype=bool)
    truth = everyone if true.labelled is None else true.labelled
    both = truth if pred.labelled is None else truth & pred.labelled
    return np.flatnonzero(both), n - int(truth.sum()), int(truth.sum() - both.sum())


def tag_array(tags: list[Any]) -> Array:
    """Return tags as an array: int64 where all are integers that fit, else objects."""
    if tags and all(type(tag) is int for tag in tags):
        try:
            return np.array(tags, dtype=np.int64)
        except OverflowError:
            pass
    return as_objects(tags)


def named(tags: Sequence[Any]) -> str:
    """Return the first of some tags for a message."""
    more = f" and {len(tags) - MOST_NAMED:,} more" if len(tags) > MOST_NAMED else ""
    return ", ".join(map(repr, tags[:MOST_NAMED])) + more
