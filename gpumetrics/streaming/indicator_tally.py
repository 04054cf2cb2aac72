"""Counts of true and predicted label sets: of each label, and of samples with the same numbers of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gpumetrics.backends import numpy_ops
from gpumetrics.backends.array_modules import as_host
from gpumetrics.classification.indicators import Indicators, SparseRows
from gpumetrics.classification.targets import Targets
from gpumetrics.statistics.label_counts import LabelCounts
from gpumetrics.streaming.weights import Weights, merged_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["IndicatorTally"]


@dataclass(frozen=True)
class IndicatorTally:
    """Samples by label, and by how many labels they have.

    Attributes
    ----------
    label_counts : ndarray of shape (3, n_labels), int64
        Samples that have each label on both sides, in the prediction, in the truth.
    label_weights : Weights or None
        The same of weighted samples.
    kinds : ndarray of shape (n_kinds, 4), int64
        How many labels a sample shares, has predicted, has truly, and how many differ: all that a score of a sample
        is a formula over. The distinct ones.
    counts : ndarray of shape (n_kinds,), int64
        Samples of each kind.
    weights : Weights or None
        Of each kind.
    values : tuple of two frozensets
        The numbers that stand in the matrices, true and predicted.
    """

    label_counts: Array
    label_weights: Weights | None
    kinds: Array
    counts: Array
    weights: Weights | None
    values: tuple[frozenset[Any], frozenset[Any]]

    @classmethod
    def of(cls, targets: Targets) -> IndicatorTally:
        """Count the label sets of a batch."""
        data, ops = cast("Indicators", targets.data), targets.ops
        label_counts, label_weights = _stacked(data.label_counts(None)), None
        of_samples = data.sample_counts()
        columns = (of_samples.true_positives, of_samples.predicted, of_samples.true, data.differences())
        codes, kinds = _distinct(columns, data.n_labels, ops)
        counts = ops.label_sums(codes, len(kinds))
        found, weights = counts > 0, None
        if targets.weights is not None:
            label_weights = Weights.of(_stacked(data.label_counts(targets.float_weights)))
            weights = Weights.of(ops.label_sums(codes, len(kinds), targets.weights)[found])
        values = _values(data.true), _values(data.pred)
        return cls(label_counts, label_weights, kinds[found], counts[found], weights, values)

    @property
    def n_samples(self) -> int:
        return int(self.counts.sum())

    @property
    def n_labels(self) -> int:
        return int(self.label_counts.shape[1])

    def check_joins(self, others: Sequence[IndicatorTally]) -> None:
        """Raise unless the matrices of all have the same columns, and hold no more than two numbers together."""
        for other in others:
            if self.n_labels != other.n_labels:
                msg = f"the label sets have {other.n_labels} columns, where those before have {self.n_labels}."
                raise ValueError(msg)
        for name, *values in zip(("y_true", "y_pred"), self.values, *(other.values for other in others), strict=True):
            found = frozenset[Any]().union(*values)
            if len(found) > 2:
                msg = f"the batches of {name} hold {sorted(found)}, where label sets are matrices of two numbers."
                raise ValueError(msg)

    def merge(self, other: IndicatorTally) -> IndicatorTally:
        """Return the counts of both sets of samples."""
        kinds, at = np.unique(np.concatenate([self.kinds, other.kinds]), axis=0, return_inverse=True)
        places = np.split(at.reshape(-1), [len(self.kinds)])
        counts = np.zeros(len(kinds), dtype=np.int64)
        counts[places[0]] += self.counts
        counts[places[1]] += other.counts
        ours, theirs = self.label_weights, other.label_weights
        return IndicatorTally(
            self.label_counts + other.label_counts,
            None if ours is None or theirs is None else ours.plus(theirs),
            kinds,
            counts,
            merged_weights(self.weights, other.weights, places, len(kinds)),
            (self.values[0] | other.values[0], self.values[1] | other.values[1]),
        )

    def targets(self) -> Targets:
        """Return what the scores are computed from, as if each kind were a sample of its weight."""
        weights = self.counts if self.weights is None else self.weights.numbers()
        return Targets(_Kinds(None, None, numpy_ops, self), weights, numpy_ops)


@dataclass(frozen=True)
class _Kinds(Indicators):
    """Label sets of which only the counts are known."""

    tally: IndicatorTally

    @property
    def n_samples(self) -> int:
        return self.tally.n_samples

    @property
    def n_labels(self) -> int:
        return self.tally.n_labels

    @property
    def times(self) -> Array:
        return self.tally.counts

    def label_counts(self, weights: Array | None) -> LabelCounts:
        tally = self.tally
        n_samples: float = tally.n_samples
        both, predicted, true = tally.label_counts
        if weights is not None and tally.label_weights is not None:
            both, predicted, true = tally.label_weights.sums[0]
            n_samples = float(weights.sum())
        return LabelCounts(both, predicted, true, n_samples)

    def sample_counts(self, columns: Array | None = None) -> LabelCounts:
        if columns is not None:
            msg = (
                "average='samples' of chosen labels needs the samples: give the columns of these labels alone, and no "
                "labels."
            )
            raise ValueError(msg)
        both, predicted, true, _ = self.tally.kinds.T
        return LabelCounts(both, predicted, true, self.n_labels)

    def differences(self) -> Array:
        different: Array = self.tally.kinds[:, 3]
        return different


def _stacked(counts: LabelCounts) -> Array:
    return np.stack([counts.true_positives, counts.predicted, counts.true])


def _distinct(columns: tuple[Array, ...], n_labels: int, ops: ModuleType) -> tuple[Array, Array]:
    """Code rows of integers from 0 to n_labels; and what each code stands for, on the host."""
    codes, values = columns[0], np.arange(n_labels + 1)[:, None]
    for column in columns[1:]:
        codes, keys = ops.encode(codes * (n_labels + 1) + column)
        first, last = np.divmod(as_host(keys), n_labels + 1)
        # Of integers in a small range there are keys that no row has, and these may lie beyond what there is.
        values = np.column_stack([values[np.minimum(first, len(values) - 1)], last])
    return codes, values


def _values(side: Any) -> frozenset[Any]:
    """The numbers that stand in a matrix of at most two."""
    if isinstance(side, SparseRows):
        return frozenset({0} if side.value is None else {0, side.value})
    return frozenset({side.min().item(), side.max().item()})
