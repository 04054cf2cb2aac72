"""The scores of a tag report: every average of every ratio, from one count per label and one per document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.classification.formulas import JACCARD, PRECISION, RECALL, Ratio, f_beta
from gpumetrics.classification.indicators import Indicators, SparseRows
from gpumetrics.classification.undefined import mean_of_defined
from gpumetrics.evaluation.tags.intervals import ratio_interval
from gpumetrics.statistics.label_counts import LabelCounts

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.classification.tag_encoding import EncodedTags
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
        Of n_labels, int64; float64, times their weights, if the documents have weights.
    by_document : LabelCounts
        Of n_documents, int64; their number of samples is that of the labels.
    weights : ndarray of float64, shape (n_documents,), or None
    """

    by_label: LabelCounts
    by_document: LabelCounts
    weights: Array | None

    @cached_property
    def errors(self) -> Array:
        """How many tags of each document are missed or invented."""
        return self.by_document.false_positives + self.by_document.false_negatives

    def total(self, by_document: Array) -> float:
        """Sum over the documents, each times its weight."""
        return int(by_document.sum()) if self.weights is None else float(self.weights @ by_document)


@dataclass(frozen=True)
class TagScores:
    """Scores, and how often they are 0/0.

    Attributes
    ----------
    scores : dict of str to float
        By metric and average, such as ``jaccard_micro``; ``exact_match`` and ``hamming_loss``.
    intervals : dict of str to tuple of float
        Of those over documents, and of the pooled ones.
    undefined_documents, undefined_labels : dict of str to int
        By metric: for how many it is 0/0.
    by_label : dict of str to ndarray of float64, shape (n_labels,)
        By metric.
    by_document : dict of str to ndarray of float64, shape (n_documents,)
    """

    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    undefined_documents: dict[str, int]
    undefined_labels: dict[str, int]
    by_label: dict[str, Array]
    by_document: dict[str, Array]


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
    metrics = {name: MetricScores.of(ratio, counts, undefined) for name, ratio in ratios(beta).items()}
    scores: dict[str, float] = {}
    intervals: dict[str, tuple[float, float]] = {}
    for name, found in metrics.items():
        scores |= {f"{name}_{average}": value for average, value in found.averages.items()}
        intervals |= {f"{name}_{average}": ends for average, ends in found.intervals.items()}
    n_labels = counts.by_document.n_samples
    right = (counts.errors == 0).astype(np.float64)
    wrong = counts.errors / n_labels if n_labels else np.full(len(right), np.nan)
    for name, of_documents in (("exact_match", right), ("hamming_loss", wrong)):
        scores[name] = mean_of_defined(of_documents, counts.weights)
        intervals[name] = ratio_interval(of_documents, weights=counts.weights)
    return TagScores(
        scores,
        intervals,
        undefined_documents={name: found.undefined_documents for name, found in metrics.items()},
        undefined_labels={name: found.undefined_labels for name, found in metrics.items()},
        by_label={name: found.of_labels for name, found in metrics.items()},
        by_document={name: found.of_documents for name, found in metrics.items()},
    )


class MetricScores(NamedTuple):
    """The scores of one metric: of each label and document, and their averages."""

    of_labels: Array
    of_documents: Array
    averages: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    undefined_labels: int
    undefined_documents: int

    @classmethod
    def of(cls, ratio: Ratio, counts: TagCounts, undefined: float) -> MetricScores:
        """Score the labels and the documents, and average both."""
        labels, documents, weights = counts.by_label, counts.by_document, counts.weights
        of_labels, _ = ratio.of(labels, undefined)
        of_documents, _ = ratio.of(documents, undefined)
        numerators, denominators = ratio.parts(documents)
        averages = {
            "micro": float(ratio.of(labels.pooled(), undefined)[0][0]),
            "macro": mean_of_defined(of_labels),
            "weighted": mean_of_defined(of_labels, labels.true),
            "samples": mean_of_defined(of_documents, weights),
        }
        intervals = {
            "micro": ratio_interval(numerators.astype(np.float64), denominators, weights),
            "samples": ratio_interval(of_documents, weights=weights),
        }
        return cls(
            of_labels,
            of_documents,
            averages,
            intervals,
            undefined_labels=int((ratio.parts(labels)[1] == 0).sum()),
            undefined_documents=int((denominators == 0).sum()),
        )
