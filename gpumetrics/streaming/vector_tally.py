"""Counts of true and predicted labels, one label a sample: the pairs that occur."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import numpy_ops
from gpumetrics.backends.array_modules import as_host
from gpumetrics.classification.targets import Targets
from gpumetrics.classification.vectors import LabelVectors, refuse_mixture
from gpumetrics.label_arrays import union_of_classes
from gpumetrics.streaming.weights import Weights, merged_weights

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.statistics.label_counts import LabelCounts
    from gpumetrics.types import Array

__all__ = ["VectorTally"]


@dataclass(frozen=True)
class VectorTally:
    """How many samples have each pair of labels.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels of both sides, sorted.
    keys : ndarray of shape (n_pairs,), int64
        ``true * n_classes + predicted`` of the pairs that occur, by the numbers of the classes; ascending.
    counts : ndarray of shape (n_pairs,), int64
    weights : Weights or None
        Of each pair, if samples are weighted.
    dtypes : tuple of two dtypes
        In which the labels came.
    """

    classes: Array
    keys: Array
    counts: Array
    weights: Weights | None
    dtypes: tuple[np.dtype[Any], np.dtype[Any]]

    @classmethod
    def of(cls, targets: Targets) -> VectorTally:
        """Count the pairs of a batch."""
        data = targets.vectors
        weights = None
        if targets.weights is None:
            (true, pred, counts), classes = data.pairs, data.coded_classes
        else:
            true, pred, classes = data.coded
            codes, keys = targets.ops.encode(true * len(classes) + pred)
            counts = targets.ops.label_sums(codes, len(keys))
            found = counts > 0
            weights = Weights.of(targets.ops.label_sums(codes, len(keys), targets.weights)[found])
            true, pred = np.divmod(as_host(keys)[found], len(classes))
            counts = counts[found]
        used, places = np.unique(np.concatenate([true, pred]), return_inverse=True)
        rows, cols = places.reshape(2, -1)
        return cls(classes[used], rows * len(used) + cols, counts, weights, data.dtypes)

    @property
    def n_samples(self) -> int:
        return int(self.counts.sum())

    def check_joins(self, others: Iterable[VectorTally]) -> None:
        """Raise unless the labels of others are of the same kind: all text, or all numbers, and so on."""
        for other in others:
            refuse_mixture(self.classes, other.classes)

    def merge(self, other: VectorTally) -> VectorTally:
        """Return the pairs of both sets of samples."""
        classes, *places = union_of_classes(self.classes, other.classes)
        keys, *at = union_of_classes(self._keys(places[0], len(classes)), other._keys(places[1], len(classes)))
        counts = np.zeros(len(keys), dtype=np.int64)
        counts[at[0]] += self.counts
        counts[at[1]] += other.counts
        weights = merged_weights(self.weights, other.weights, at, len(keys))
        true, pred = (np.result_type(*pair) for pair in zip(self.dtypes, other.dtypes, strict=True))
        return VectorTally(classes, keys, counts, weights, (true, pred))

    def _keys(self, places: Array, n_classes: int) -> Array:
        """The pairs by the numbers that their classes have among others; these keep their order, and so do the keys."""
        true, pred = np.divmod(self.keys, len(self.classes))
        keys: Array = places[true] * n_classes + places[pred]
        return keys

    def targets(self) -> Targets:
        """Return what the scores are computed from, as if each pair were a sample of its weight."""
        rows, cols = np.divmod(self.keys, len(self.classes))
        vectors = _Pairs(self.classes[rows], self.classes[cols], self.dtypes, numpy_ops, self.counts)
        if self.weights is None:
            return _Counted(vectors, self.counts, numpy_ops)
        return Targets(vectors, self.weights.numbers(), numpy_ops)


@dataclass(frozen=True)
class _Pairs(LabelVectors):
    """Labels of which each row stands for as many samples as `counts` says."""

    counts: Array

    @property
    def n_samples(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def pairs(self) -> tuple[Array, Array, Array]:
        return (*self.coded[:2], self.counts)

    @cached_property
    def occurrences(self) -> LabelCounts:
        return replace(self.weighted(self.counts), n_samples=self.n_samples)


@dataclass(frozen=True)
class _Counted(Targets):
    """Targets whose weights are numbers of samples: sums of them are counts."""

    @property
    def float_weights(self) -> None:
        return None
