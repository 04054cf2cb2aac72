"""Counts over which precision, recall, F-beta and Jaccard are formulas: per label, or per sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array, Index

__all__ = ["LabelCounts"]


@dataclass(frozen=True)
class LabelCounts:
    """How often each label is right, predicted and true; or, per sample, how many of its labels are.

    Parameters
    ----------
    true_positives, predicted, true : ndarray of shape (n,), int64; float64 where samples are weighted
        Samples (or their weights) that have the label in both sides, in the prediction, in the truth.
    n_samples : int or float, default=nan
        All samples, or the sum of their weights; per sample: the number of labels. Only true negatives need it.
    """

    true_positives: Array
    predicted: Array
    true: Array
    n_samples: float = math.nan

    @property
    def false_positives(self) -> Array:
        return self.predicted - self.true_positives

    @property
    def false_negatives(self) -> Array:
        return self.true - self.true_positives

    @property
    def true_negatives(self) -> Array:
        return self.n_samples - self.predicted - self.true + self.true_positives

    def take(self, index: Index) -> LabelCounts:
        """Return the counts of some labels."""
        return LabelCounts(self.true_positives[index], self.predicted[index], self.true[index], self.n_samples)

    def pooled(self) -> LabelCounts:
        """Return the counts of all labels together, as one."""
        both, predicted, true = (np.atleast_1d(x.sum()) for x in (self.true_positives, self.predicted, self.true))
        return LabelCounts(both, predicted, true, self.n_samples * len(self.true))

    def merge(self, other: LabelCounts) -> LabelCounts:
        """Return the counts, per label, of both sets of samples together; the labels must be the same."""
        return LabelCounts(
            self.true_positives + other.true_positives,
            self.predicted + other.predicted,
            self.true + other.true,
            self.n_samples + other.n_samples,
        )
