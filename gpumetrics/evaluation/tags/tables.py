"""The tables of a tag report: per label, per document, by the size of sets, and the worst documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tag_names import plain_tag
from gpumetrics.classification.undefined import divide, mean_of_defined
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.classification.tag_encoding import EncodedTags, TagFacts
    from gpumetrics.evaluation.tags.scores import TagCounts, TagScores
    from gpumetrics.types import Array

__all__ = ["by_size", "document_counts", "failure", "per_document", "per_label", "totals", "worst_documents"]

SIZES = (0, 1, 2, 3, 5, 9, 17, 33)  # the smallest number of true tags of each group


def totals(counts: TagCounts) -> dict[str, float]:
    """Sums over all documents and tags, weighted if the documents are."""
    documents = counts.by_document
    right, missed, invented = documents.true_positives, documents.false_negatives, documents.false_positives
    return {
        "true_positives": counts.total(right),
        "false_positives": counts.total(invented),
        "false_negatives": counts.total(missed),
        "intersection": counts.total(right),
        "union": counts.total(right + missed + invented),
        "wrong_cells": counts.total(counts.errors),
        "cells": counts.total(np.full(len(right), documents.n_samples)),
    }


def document_counts(facts: TagFacts, counts: TagCounts) -> dict[str, int]:
    """Numbers of documents, never weighted: of all given, of those left out, and, the others, of those scored."""
    true, predicted = counts.by_document.true, counts.by_document.predicted
    return {
        "n_documents": len(true),
        "n_given": facts.n_given,
        "n_unlabelled": facts.n_unlabelled,
        "n_unpredicted": facts.n_unpredicted,
        "n_empty_both": int(((true == 0) & (predicted == 0)).sum()),
        "n_empty_true": int(((true == 0) & (predicted > 0)).sum()),
        "n_empty_pred": int(((true > 0) & (predicted == 0)).sum()),
        "n_exact": int((counts.errors == 0).sum()),
        "n_fewer_predicted": int((predicted < true).sum()),
        "n_more_predicted": int((predicted > true).sum()),
    }


def per_label(tags: EncodedTags, counts: TagCounts, found: TagScores) -> dict[str, Array]:
    """Scores and counts of each tag."""
    labels = counts.by_label
    return {
        "label": tags.classes,
        **found.by_label,
        "support": labels.true,
        "predicted": labels.predicted,
        "true_positives": labels.true_positives,
        "false_positives": labels.false_positives,
        "false_negatives": labels.false_negatives,
    }


def per_document(tags: EncodedTags, counts: TagCounts, found: TagScores) -> dict[str, Array]:
    """Scores and counts of each document."""
    documents = counts.by_document
    return {
        "document": tags.documents,
        **found.by_document,
        "n_true": documents.true,
        "n_pred": documents.predicted,
        "n_both": documents.true_positives,
        "n_missed": documents.false_negatives,
        "n_invented": documents.false_positives,
    }


def by_size(counts: TagCounts, jaccard: Array, undefined: float) -> dict[str, Array]:
    """Documents in groups by their number of true tags; what each group weighs in two averages, and has alone.

    Parameters
    ----------
    counts : TagCounts
    jaccard : ndarray of float64, shape (n_documents,)
        Of each document.
    undefined : float
        What 0/0 is.

    Returns
    -------
    dict of str to ndarray of shape (n_groups,)
        ``true_tags`` (text), ``documents``, ``share_of_samples``, ``share_of_micro``, ``jaccard_samples``,
        ``jaccard_micro``; groups without documents are left out.
    """
    documents = counts.by_document
    group = np.searchsorted(SIZES, documents.true, side="right") - 1
    union = documents.true_positives + counts.errors
    weights = np.ones(len(group)) if counts.weights is None else counts.weights
    n = np.bincount(group, minlength=len(SIZES))
    used = np.flatnonzero(n).tolist()
    weight, of_union, of_both = (
        np.bincount(group, weights=weights * values, minlength=len(SIZES))[used]
        for values in (1, union, documents.true_positives)
    )
    return {
        "true_tags": np.array([_size_name(at) for at in used], dtype=object),
        "documents": n[used],
        "share_of_samples": _shares(weight),
        "share_of_micro": _shares(of_union),
        "jaccard_samples": np.array([mean_of_defined(jaccard[group == at], weights[group == at]) for at in used]),
        "jaccard_micro": divide(of_both, of_union, undefined)[0],
    }


def _shares(weights: Array) -> Array:
    total = weights.sum()
    return weights / total if total else weights


def _size_name(at: int) -> str:
    low = SIZES[at]
    if at + 1 == len(SIZES):
        return said("{n} or more", n=low)
    high = SIZES[at + 1] - 1
    return str(low) if low == high else f"{low}-{high}"


def worst_documents(
    tags: EncodedTags, counts: TagCounts, jaccard: Array, n: int, texts: list[Any] | None
) -> list[dict[str, Any]]:
    """List the documents of the lowest Jaccard similarity: of equal ones, those with most errors."""
    wrong = np.flatnonzero(counts.errors)
    chosen = wrong[np.lexsort((-counts.errors[wrong], jaccard[wrong]))[:n]]  # stable: of equal ones, the first
    entries = [failure(tags, row, float(jaccard[row])) for row in chosen.tolist()]
    return entries if texts is None else [entry | {"text": texts[entry["document"]]} for entry in entries]


def failure(tags: EncodedTags, row: int, jaccard: float) -> dict[str, Any]:
    """Return a row's document as given, its score, and the tags that it missed and invented."""
    missed, invented = _mistakes(tags, row)
    return {"document": int(tags.documents[row]), "jaccard": jaccard, "missed": missed, "invented": invented}


def _mistakes(tags: EncodedTags, row: int) -> tuple[list[Any], list[Any]]:
    """Return the tags that the document of a row missed, and those that it invented."""
    true, pred = (
        set(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist())
        for matrix in (tags.y_true, tags.y_pred)
    )
    classes = tags.classes
    missed, invented = ([plain_tag(classes[at]) for at in sorted(columns)] for columns in (true - pred, pred - true))
    return missed, invented
