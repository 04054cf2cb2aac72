"""The scores of a tag report: every average of every ratio, from one count per label and one per document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.classification.formulas import JACCARD, PRECISION, RECALL, Ratio, f_beta
from gpumetrics.classification.indicators import Indicators, SparseRows
from gpumetrics.classification.undefined import mean_of_defined
from gpumetrics.evaluation.tag_intervals import ratio_interval
from gpumetrics.statistics.label_counts import LabelCounts

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.classification.tags import EncodedTags
    from gpumetrics.types import Array

__all__ = ["AVERAGES", "METRICS", "TagCounts", "TagScores", "count_tags", "score_tags"]

METRICS = ("precision", "recall", "f1", "fbeta", "jaccard")
AVERAGES = ("micro", "macro", "weighted", "samples")


@dataclass(frozen=True)
class TagCounts:
    """Counts over the documents for each tag, and over the tags for each document; weights of the documents.

    Attributes
    ----------
    by_label : LabelCounts
        Weighted, if the documents are.
    by_document : LabelCounts
    weights : ndarray of float64, shape (n_documents,), or None
    """

    by_label: LabelCounts
    by_document: LabelCounts
    weights: Array | None

    @property
    def errors(self) -> Array:
        """How many tags of each document are missed or invented."""
        return self.by_document.false_positives + self.by_document.false_negatives

    def total(self, by_document: Array) -> float:
        """Sum over the documents, each times its weight."""
        return int(by_document.sum()) if self.weights is None else float(self.weights @ by_document)


@dataclass
class TagScores:
    """Scores by name, their intervals, and how many documents and tags a metric is 0/0 for."""

    scores: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    undefined_documents: dict[str, int] = field(default_factory=dict)
    undefined_labels: dict[str, int] = field(default_factory=dict)
    by_label: dict[str, Array] = field(default_factory=dict)
    by_document: dict[str, Array] = field(default_factory=dict)


def count_tags(tags: EncodedTags, weights: Any, ops: ModuleType) -> TagCounts:
    """Count on the backend; the counts come to the host."""
    n_documents, n_labels = tags.y_true.shape
    # A matrix without columns has no tags to count, but backends have no such matrices.
    sides = [SparseRows(m.indptr, m.indices, (n_documents, max(n_labels, 1)), 1) for m in (tags.y_true, tags.y_pred)]
    data = Indicators.of(sides[0], sides[1], ops)
    by_label = data.label_counts(weights).take(slice(0, n_labels))
    counted = data.sample_counts()
    both, predicted, true = (
        as_host(column).astype(np.int64) for column in (counted.true_positives, counted.predicted, counted.true)
    )
    by_document = LabelCounts(both, predicted, true, n_labels)
    return TagCounts(by_label, by_document, None if weights is None else as_host(weights))


def ratios(beta: float) -> dict[str, Ratio]:
    """The formulas by their names."""
    return dict(zip(METRICS, (PRECISION, RECALL, f_beta(1.0), f_beta(beta), JACCARD), strict=True))


def score_tags(counts: TagCounts, beta: float, undefined: float) -> TagScores:
    """Score by every metric and average; `undefined` is what 0/0 is."""
    out = TagScores()
    for name, ratio in ratios(beta).items():
        _score(out, name, ratio, counts, undefined)
    documents = counts.by_document
    n_labels = documents.n_samples
    out.scores["exact_match"] = mean_of_defined((counts.errors == 0).astype(np.float64), counts.weights)
    out.intervals["exact_match"] = ratio_interval((counts.errors == 0).astype(np.float64), weights=counts.weights)
    wrong = counts.errors / n_labels if n_labels else np.full(len(counts.errors), np.nan)
    out.scores["hamming_loss"] = mean_of_defined(wrong, counts.weights)
    out.intervals["hamming_loss"] = ratio_interval(wrong, weights=counts.weights)
    return out


def _score(out: TagScores, name: str, ratio: Ratio, counts: TagCounts, undefined: float) -> None:
    labels, documents, weights = counts.by_label, counts.by_document, counts.weights
    of_labels, _ = ratio.of(labels, undefined)
    of_documents, _ = ratio.of(documents, undefined)
    out.by_label[name], out.by_document[name] = of_labels, of_documents
    out.scores[f"{name}_micro"] = float(ratio.of(labels.pooled(), undefined)[0][0])
    out.scores[f"{name}_macro"] = mean_of_defined(of_labels)
    out.scores[f"{name}_weighted"] = mean_of_defined(of_labels, labels.true)
    out.scores[f"{name}_samples"] = mean_of_defined(of_documents, weights)
    parts = ratio.parts(documents)
    out.intervals[f"{name}_micro"] = ratio_interval(parts[0].astype(np.float64), parts[1], weights)
    out.intervals[f"{name}_samples"] = ratio_interval(of_documents, weights=weights)
    out.undefined_documents[name] = int((parts[1] == 0).sum())
    out.undefined_labels[name] = int((ratio.parts(labels)[1] == 0).sum())
