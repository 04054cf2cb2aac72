"""The tables of a tag report: per label, per document, by the size of sets, and the worst documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.undefined import divide, mean_of_defined

if TYPE_CHECKING:
    from gpumetrics.classification.tags import EncodedTags
    from gpumetrics.evaluation.tag_scores import TagCounts, TagScores
    from gpumetrics.types import Array

__all__ = ["by_size", "document_counts", "mistakes", "per_document", "per_label", "totals", "worst_documents"]

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


def document_counts(tags: EncodedTags, counts: TagCounts) -> dict[str, int]:
    """Numbers of documents, never weighted."""
    true, predicted = counts.by_document.true, counts.by_document.predicted
    return {
        "n_documents": len(true),
        "n_given": tags.facts.n_documents,
        "n_unlabelled": tags.facts.n_unlabelled,
        "n_unpredicted": tags.facts.n_unpredicted,
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


def by_size(counts: TagCounts) -> dict[str, Array]:
    """Documents in groups by their number of true tags, and what each group weighs in two averages."""
    documents = counts.by_document
    group = np.searchsorted(SIZES, documents.true, side="right") - 1
    sizes = documents.true_positives + counts.errors
    jaccard, _ = divide(documents.true_positives, sizes, np.nan)
    weights = np.ones(len(group)) if counts.weights is None else counts.weights
    k = len(SIZES)
    weight, union, both = (
        np.bincount(group, weights=weights * values, minlength=k) for values in (1, sizes, documents.true_positives)
    )
    n = np.bincount(group, minlength=k)
    means = [mean_of_defined(jaccard[group == at], weights[group == at]) for at in np.flatnonzero(n)]
    used = n > 0
    return {
        "true_tags": np.array([_size_name(at) for at in range(k)], dtype=object)[used],
        "documents": n[used],
        "share_of_samples": weight[used] / max(weight.sum(), 1e-300),
        "share_of_micro": union[used] / max(union.sum(), 1e-300),
        "jaccard_samples": np.array(means),
        "jaccard_micro": divide(both[used], union[used], np.nan)[0],
    }


def _size_name(at: int) -> str:
    low = SIZES[at]
    if at + 1 == len(SIZES):
        return f"{low} or more"
    high = SIZES[at + 1] - 1
    return str(low) if low == high else f"{low}-{high}"


def mistakes(tags: EncodedTags, row: int) -> tuple[list[Any], list[Any]]:
    """Return the tags that the document of a row missed, and those that it invented."""
    true, pred = (
        set(matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]].tolist())
        for matrix in (tags.y_true, tags.y_pred)
    )
    classes = tags.classes
    missed, invented = ([classes[at] for at in sorted(columns)] for columns in (true - pred, pred - true))
    return _plain(missed), _plain(invented)


def _plain(values: list[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.integer) else value for value in values]


def worst_documents(tags: EncodedTags, counts: TagCounts, n: int, texts: list[Any] | None) -> list[dict[str, Any]]:
    """List the documents of the lowest Jaccard similarity: of equal ones, those with most errors, then the first."""
    wrong = np.flatnonzero(counts.errors)
    documents = counts.by_document.take(wrong)
    errors = counts.errors[wrong]
    jaccard = documents.true_positives / (documents.true_positives + errors)
    chosen = wrong[np.lexsort((wrong, -errors, jaccard))[:n]]
    out = []
    for row in chosen.tolist():
        missed, invented = mistakes(tags, row)
        both = int(counts.by_document.true_positives[row])
        at = int(tags.documents[row])
        entry = {
            "document": at,
            "jaccard": both / (both + len(missed) + len(invented)),
            "missed": missed,
            "invented": invented,
        }
        out.append(entry if texts is None else entry | {"text": texts[at]})
    return out
