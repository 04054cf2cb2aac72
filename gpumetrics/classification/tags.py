"""Tag sets to indicator matrices: `encode_tags`."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tag_encoding import Columns, EncodedTags, Layout, TagFacts, tag_array
from gpumetrics.classification.tag_names import class_list, named, plain_tag, repeated
from gpumetrics.classification.tag_rows import refuse_rows
from gpumetrics.classification.tag_sets import Vocabulary, coded_tags, flat_documents
from gpumetrics.label_arrays import distinct_objects
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.classification.tag_sets import TagSets
    from gpumetrics.types import Array

__all__ = ["EncodedTags", "encode_sides", "encode_tags"]

UNKNOWN = ("extend", "ignore", "raise")


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
        documents are rows of an indicator matrix; one side has text and the other numbers; a tag is unknown and
        `unknown` is "raise".
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
    sides = {name: flat_documents(side, name) for name, side in (("y_true", y_true), ("y_pred", y_pred))}
    refuse_rows(sides)
    vocabulary = Vocabulary()
    true, pred = (coded_tags(side, name, vocabulary) for name, side in sides.items())
    return encode_sides(true, pred, vocabulary, classes=classes, unknown=unknown)


def encode_sides(
    true: TagSets,
    pred: TagSets,
    vocabulary: Vocabulary,
    *,
    classes: Any = None,
    unknown: str = "extend",
    exclude: Iterable[Any] = (),
) -> EncodedTags:
    """Bring both sides to the same documents and columns.

    Parameters
    ----------
    true, pred : TagSets
    vocabulary : Vocabulary
        The tags behind the codes of both.
    classes, unknown
        As in `encode_tags`.
    exclude : iterable of tags
        Taken out of both sides.

    Returns
    -------
    EncodedTags

    Raises
    ------
    ValueError
        As in `encode_tags`.
    """
    _check_unknown(unknown)
    _check_comparable(true, pred)
    documents = _labelled_documents(true, pred)
    labelled = [side.take(documents) for side in (true, pred)]
    columns = _choose_columns(_occurring(vocabulary, labelled), classes, exclude, unknown)
    layout = Layout.of(vocabulary, columns)
    (y_true, of_true), (y_pred, of_pred) = (layout.matrix(side) for side in labelled)
    facts = TagFacts(
        n_given=true.n_documents,
        n_unlabelled=true.n_unlabelled,
        n_unpredicted=true.n_documents - true.n_unlabelled - len(documents),
        unknown_tags=tuple(columns.unknown),
        excluded=columns.excluded,
        **{f"{name}_true": number for name, number in of_true.items()},
        **{f"{name}_pred": number for name, number in of_pred.items()},
    )
    return EncodedTags(y_true, y_pred, tag_array(columns.kept), documents, facts)


def _check_unknown(unknown: Any) -> None:
    if not isinstance(unknown, str) or unknown not in UNKNOWN:
        msg = (
            f"The 'unknown' parameter must be a str among {{{', '.join(map(repr, UNKNOWN))}}}. Got {unknown!r} instead."
        )
        raise ValueError(msg)


def _check_comparable(true: TagSets, pred: TagSets) -> None:
    check_consistent_length(true.n_documents, pred.n_documents)
    if {true.kind, pred.kind} == {"text", "numbers"}:
        msg = f"The tags of y_true are {true.kind} and those of y_pred {pred.kind}, so that none can be equal."
        raise ValueError(msg)


def _labelled_documents(true: TagSets, pred: TagSets) -> Array:
    """Return which documents have a set on both sides."""
    both = np.ones(true.n_documents, dtype=bool)
    for side in (true, pred):
        if side.labelled is not None:
            both &= side.labelled
    return np.flatnonzero(both)


def _occurring(vocabulary: Vocabulary, sides: list[TagSets]) -> list[Any]:
    """Return the tags that a document has, or that are columns of a matrix."""
    occurs = np.zeros(len(vocabulary), dtype=bool)
    for side in sides:
        occurs[side.codes if side.columns is None else side.columns] = True
    return list(map(plain_tag, compress(vocabulary, occurs)))


def _choose_columns(tags: list[Any], classes: Any, exclude: Iterable[Any], unknown: str) -> Columns:
    """Choose the columns: the classes and, if they are to be added, the other tags that occur."""
    if classes is None:
        known, others = distinct_objects(tags, "the tags"), []
    else:
        known = _distinct_classes(classes)
        in_classes = set(known)
        others = distinct_objects([tag for tag in tags if tag not in in_classes], "the tags")
    excluded = dict.fromkeys(map(plain_tag, exclude))
    known, others = ([tag for tag in some if tag not in excluded] for some in (known, others))
    if others and unknown == "raise":
        what = "1 tag is" if len(others) == 1 else f"{len(others):,} tags are"
        msg = (
            f"{what} not in classes: {named(others)}. unknown='extend' adds them, 'ignore' leaves them out and counts."
        )
        raise ValueError(msg)
    return Columns(known + others * (unknown == "extend"), others, tuple(excluded))


def _distinct_classes(classes: Any) -> list[Any]:
    given = class_list(classes)
    if len(distinct_objects(given, "classes")) != len(given):
        msg = f"classes holds {named(repeated(given))} more than once."
        raise ValueError(msg)
    return given
