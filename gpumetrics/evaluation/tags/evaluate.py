"""`evaluate_tags`: every score of predicted tag sets, from documents that are read once."""

from __future__ import annotations

import time
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.classification.parameters import check_array_like, check_beta
from gpumetrics.classification.sides import n_samples_of, read_weights
from gpumetrics.classification.tag_names import as_list, class_list, plain_tag, shown
from gpumetrics.classification.undefined import check_zero_division
from gpumetrics.evaluation.tags import notes as tag_notes
from gpumetrics.evaluation.tags import tables as tag_tables
from gpumetrics.evaluation.tags.inputs import read_tags, rows_in_order
from gpumetrics.evaluation.tags.report import TagReport
from gpumetrics.evaluation.tags.scores import count_tags, score_tags
from gpumetrics.evaluation.tags.words import averages, plural, with_verb
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.backends import Choice
    from gpumetrics.classification.tag_encoding import EncodedTags
    from gpumetrics.evaluation.tags.scores import TagCounts
    from gpumetrics.types import Array

__all__ = ["evaluate_tags"]


def evaluate_tags(  # noqa: PLR0913  (each is a setting that the report records)
    y_true: Any,
    y_pred: Any,
    *,
    classes: Any = None,
    exclude: Any = (),
    zero_division: Any = "warn",
    sample_weight: Any = None,
    unknown: str = "extend",
    beta: float = 2.0,
    texts: Any = None,
    worst: int = 10,
) -> TagReport:
    """Score predicted tag sets by every measure of overlap, with what is needed to read and repeat the scores.

    Parameters
    ----------
    y_true, y_pred : sequence of n_documents collections, list column, or indicator matrix
        Tag sets as in `encode_tags`; or a matrix of zeros and ones with a row for each document and a column for each
        tag, dense, sparse, a table, or lists of one length of only 0 and 1 (tags that are called 0 and 1 come as sets).
        A document that is None (of a matrix: a row of NaN) is not labelled, which is not the same as empty: it is
        left out and counted. Tables are compared by the names of their columns; rows by pandas' index, where the
        same index stands in different orders.
    classes : sequence of tags, default=None
        All tags there are, in the order of the per-label table; of a matrix without names, those of its columns. None:
        all that occur, sorted.
    exclude : sequence of tags, default=()
        Tags that are taken out of both sides before anything is counted; the report records them.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        What 0/0 is, as for a document without tags on either side; nan is left out of means. "warn" is 0.0, with a
        warning.
    sample_weight : array-like of shape (n_documents,), default=None
        Weights of the documents, not negative. Scores and counts of tags are weighted; numbers of documents are not.
        A Series of pandas is compared by its index, too, as is `texts`.
    unknown : {"extend", "ignore", "raise"}, default="extend"
        What becomes of tags that are not in `classes`, as in `encode_tags`.
    beta : float, default=2.0
        Of F-beta: how many times as much recall counts as precision. From 0 to infinity.
    texts : sequence of n_documents, default=None
        The documents themselves, or their names: shown beside the worst ones.
    worst : int, default=10
        How many of the worst documents are listed with what each missed and invented.

    Returns
    -------
    TagReport
        ``print`` it, take values from ``scores``, ``per_label`` and ``per_document``, or call ``to_dict()``.

    Raises
    ------
    ValueError
        As in `encode_tags`; for columns of different names; for continuous scores, which `best_threshold` turns into
        sets; for matrices of which single cells are missing; where no document is labelled.
    TypeError
        If tags are bytes, or weights are no numbers.

    Warns
    -----
    UndefinedMetricWarning
        Once, where anything is 0/0 and `zero_division` is "warn".
    UserWarning
        If a matrix holds counts, whose size is lost.

    Notes
    -----
    O(number of tags) time and memory. Tags are coded on the host; they are counted on a GPU where one is asked for, or
    matrices lie on one, of which the entries that are not 0 come to the host once.

    References
    ----------
    G. Tsoumakas and I. Katakis, Multi-label classification: an overview, International Journal of Data Warehousing
    and Mining 3 (2007).

    Examples
    --------
    >>> from gpumetrics import evaluate_tags
    >>> y_true, y_pred = [["delivery", "refund"], ["delivery"], None], [["refund", "delivery", "account"]] * 3
    >>> report = evaluate_tags(y_true, y_pred, zero_division=0)
    >>> {name: round(report.scores[f"jaccard_{name}"], 3) for name in ("micro", "macro", "weighted", "samples")}
    {'micro': 0.5, 'macro': 0.5, 'weighted': 0.833, 'samples': 0.5}
    >>> report.n_unlabelled, report.worst[0]["invented"]
    (1, ['account', 'refund'])
    """
    started = time.perf_counter()
    check_zero_division(zero_division, "evaluate_tags")
    settings: dict[str, Any] = {
        "classes": None if classes is None else class_list(classes),
        "exclude": _tag_list(exclude),
        "unknown": unknown,
        "zero_division": zero_division if isinstance(zero_division, str) else float(zero_division),
        "beta": check_beta(beta, "evaluate_tags"),
        "weighted": sample_weight is not None,
        "worst": _whole_number(worst),
    }
    others, row_notes = rows_in_order(y_true, y_pred=y_pred, sample_weight=sample_weight, texts=texts)
    y_pred, sample_weight = others["y_pred"], others["sample_weight"]
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        choice = choose(y_true, y_pred)
        tags, notes = read_tags(
            y_true, y_pred, classes=settings["classes"], unknown=unknown, exclude=settings["exclude"]
        )
        _check_documents(tags)
        weights = _weights(sample_weight, tags.facts.n_given, choice.ops)
        counts = count_tags(tags, _of_scored(weights, tags), choice.ops)
        settings["sample_weight"] = None if weights is None else as_host(weights)
    texts = _texts(others["texts"], tags.facts.n_given)
    return _report(tags, counts, settings, row_notes | notes, texts, choice, started)


def _report(
    tags: EncodedTags,
    counts: TagCounts,
    settings: dict[str, Any],
    notes: dict[str, str],
    texts: list[Any] | None,
    choice: Choice,
    started: float,
) -> TagReport:
    """Score what was counted; warn where anything is 0/0; add the notes on scores to those on the inputs."""
    undefined = check_zero_division(settings["zero_division"], "evaluate_tags")
    found = score_tags(counts, settings["beta"], undefined)
    if settings["zero_division"] == "warn":
        tag_notes.warn_of_undefined(found)
    by_size = tag_tables.by_size(counts, found.by_document["jaccard"], undefined)
    return TagReport(
        scores=found.scores,
        intervals=found.intervals,
        counts=tag_tables.totals(counts),
        documents=tag_tables.document_counts(tags.facts, counts),
        undefined_documents=found.undefined_documents,
        undefined_labels=found.undefined_labels,
        averages=averages(tags, counts, undefined),
        by_size=by_size,
        per_label=tag_tables.per_label(tags, counts, found),
        per_document=tag_tables.per_document(tags, counts, found),
        worst=tag_tables.worst_documents(tags, counts, found.by_document["jaccard"], settings["worst"], texts),
        settings=settings,
        notes=notes | tag_notes.remarks(tags, counts, found, by_size, settings),
        tags=tags,
        sample_weight=counts.weights,
        backend=choice.ops.NAME,
        backend_reason=choice.reason,
        seconds=time.perf_counter() - started,
    )


def _whole_number(worst: Any) -> int:
    if not isinstance(worst, Integral) or isinstance(worst, bool) or worst < 0:
        msg = f"worst must be a number of documents, at least 0, got {worst!r}."
        raise ValueError(msg)
    return int(worst)


def _texts(texts: Any, n_given: int) -> list[Any] | None:
    if texts is None:
        return None
    unordered = isinstance(texts, str | bytes | dict | set | frozenset)
    if unordered or not hasattr(texts, "__iter__") or getattr(texts, "ndim", 1) != 1:
        msg = f"texts must be a sequence with a text for each document, got {shown(texts)}."
        raise ValueError(msg)
    found = as_list(texts)
    check_consistent_length(n_given, len(found))
    return found


def _tag_list(exclude: Any) -> list[Any]:
    """Return the tags to take out as a list."""
    if isinstance(exclude, str | bytes | dict) or not hasattr(exclude, "__iter__"):
        msg = f"exclude must be a list or set of tags, got {shown(exclude)}."
        raise ValueError(msg)
    found = list(map(plain_tag, as_list(exclude)))
    for tag in found:
        try:
            hash(tag)
        except TypeError:
            msg = f"exclude must hold hashable tags, such as strings or integers, not {shown(tag)}."
            raise ValueError(msg) from None
    return sorted(found, key=str) if isinstance(exclude, set | frozenset) else found


def _check_documents(tags: EncodedTags) -> None:
    if len(tags.documents):
        return
    facts = tags.facts
    if not facts.n_given:
        msg = "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        raise ValueError(msg)
    unlabelled, unpredicted = with_verb(facts.n_unlabelled, "is", "are"), with_verb(facts.n_unpredicted, "has", "have")
    msg = (
        f"There is nothing to score: of {plural(facts.n_given, 'document')} {unlabelled} not labelled (None) and "
        f"{unpredicted} no prediction."
    )
    raise ValueError(msg)


def _weights(sample_weight: Any, n_given: int, ops: ModuleType) -> Array | None:
    """Return the weights of all documents, in the library of the backend."""
    if sample_weight is None:
        return None
    check_array_like(sample_weight, "sample_weight", "evaluate_tags")
    check_consistent_length(n_given, n_samples_of(sample_weight))
    weights: Array = read_weights(sample_weight, n_given, ops).astype(np.float64)
    if bool((weights < 0).any()):
        msg = "sample_weight must not be negative."
        raise ValueError(msg)
    return weights


def _of_scored(weights: Array | None, tags: EncodedTags) -> Array | None:
    """Return the weights of the documents that are scored."""
    if weights is None:
        return None
    scored: Array = weights.take(beside(tags.documents, weights))
    if not bool((scored > 0).any()):
        msg = "Sample weights must contain at least one non-zero number, of a labelled document."
        raise ValueError(msg)
    return scored
