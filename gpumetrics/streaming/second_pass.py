"""A second pass over the batches, about centroids that are final."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import beside
from gpumetrics.classification.vectors import find
from gpumetrics.label_arrays import class_values
from gpumetrics.streaming.batches import State
from gpumetrics.streaming.moments_batches import prepared, read_batch
from gpumetrics.streaming.pairs import added

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.streaming.merged_moments import MergedMoments
    from gpumetrics.streaming.pairs import Pair
    from gpumetrics.types import Array

__all__ = ["SecondPass", "Sums"]


@dataclass(frozen=True)
class Sums:
    """Sums over the rows of each cluster: how many there are, and a pair of float64."""

    counts: Array
    sums: Pair

    def merge(self, other: Sums) -> Sums:
        """Return the sums of both."""
        return Sums(self.counts + other.counts, added(self.sums, other.sums))


class SecondPass(State):
    """Sums over the rows of each cluster, of what needs the final centroids.

    Parameters
    ----------
    first : MergedMoments
        Of the first pass.
    noise_label : label or None
    metric : Metric
    """

    def __init__(self, first: MergedMoments, noise_label: Any, metric: Metric) -> None:
        super().__init__()
        self.first = first
        self.noise_label = noise_label
        self._metric = metric
        k = len(first.size)
        self.statistic: Sums = Sums(np.zeros(k, dtype=np.int64), (np.zeros(k), np.zeros(k)))

    @property
    def n_samples(self) -> int:
        """Rows that this pass has seen, without noise."""
        return int(self.statistic.counts.sum())

    @property
    def classes(self) -> Array:
        """The labels of the clusters, sorted."""
        return self.first.classes

    def _blank(self) -> Self:
        return type(self)(self.first, self.noise_label, self._metric)

    def _check_mergeable(self, other: Any) -> None:
        super()._check_mergeable(other)
        if not self.first.same(other.first):
            msg = (
                "Second passes that merge must come from one fitted(), or from copies of it: these differ in the first."
            )
            raise ValueError(msg)

    def _read(self, X: Any, labels: Any) -> tuple[ClusteredData, Array, Array]:
        """Return a batch, the codes of its rows among the final clusters, and how many rows each of these has."""
        data = read_batch(X, labels, self.noise_label, self._metric, self.first.n_features)
        places = find(class_values(data.labels.classes), self.classes)
        if (places < 0).any():
            label = class_values(data.labels.classes)[int(np.argmax(places < 0))]
            msg = f"label {label!r} was in no batch of the first pass."
            raise ValueError(msg)
        counts = np.zeros(len(self.classes), dtype=np.int64)
        counts[places] = data.sizes
        return data, beside(places, data.codes).take(data.codes), counts

    def _placed(self, data: ClusteredData) -> tuple[Features, ClusterMoments, Array | None]:
        """Return the batch's rows, the moments in their units where the work is done, and rows without a direction."""
        features, zero = prepared(data, self._metric)
        first, asarray = self.first, operations_on(data.codes).asarray
        features, frame = first.frame.place(features)
        anchor, shift = (asarray(table) for table in first.frame.to(frame, first.centroid))
        return features, replace(first.moments(), anchor=anchor, shift=shift), zero

    def _complete_sums(self) -> Array:
        """Return the sums of all rows, (n_clusters,) float64, or raise if some did not come again."""
        size, seen = self.first.size, self.statistic.counts
        if not np.array_equal(seen, size):
            at = int(np.argmax(seen != size))
            label = class_values(self.classes)[at]
            msg = (
                f"The second pass must see each row of the first once: of cluster {label!r} it has seen {seen[at]} of "
                f"{size[at]}."
            )
            raise ValueError(msg)
        return self.statistic.sums[0]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n_samples={self.n_samples} of {int(self.first.size.sum())})"
