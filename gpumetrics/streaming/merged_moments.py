"""Cluster moments that merge: of the clusters of any batches, in any order and grouping."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.threads import spans
from gpumetrics.label_arrays import union_of_classes
from gpumetrics.statistics.moments import ClusterMoments, cluster_moments
from gpumetrics.streaming.frames import Frame
from gpumetrics.streaming.pairs import added, plus, times_power, two_sum

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.streaming.pairs import Pair
    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["MergedMoments"]

BLOCK = 1 << 14  # elements of a table of clusters that are combined at a time: all that is needed stays in the cache


@dataclass(frozen=True)
class MergedMoments:
    """Moments of each cluster, on the host: what `ClusterMoments` holds, to twice the precision.

    Attributes
    ----------
    classes : ndarray of shape (n_clusters,)
        The label of each cluster, sorted.
    size : ndarray of shape (n_clusters,), int64
    centroid : pair of ndarrays of shape (n_clusters, n_features), float64
        Anchor and shift: their sum is the centroid, in the units of `frame`.
    within : pair of ndarrays of shape (n_clusters,), float64
        Sum of squared distances to the centroid.
    zero : ndarray of shape (n_clusters,), int64
        Rows without a direction; 0 unless rows become unit rows.
    low, high : ndarray of shape (n_features,), float64
        Smallest and largest value of each column, as given; 0 for unit rows.
    """

    classes: Array
    size: Array
    centroid: Pair
    within: Pair
    zero: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, features: Features, labels: Labels, zero: Array | None) -> MergedMoments:
        """Compute the moments of one batch, where its labels lie.

        Parameters
        ----------
        features : Features
        labels : Labels
            Of its rows.
        zero : ndarray of shape (n_clusters,), int64, or None
            Rows without a direction, if `features` are unit rows.
        """
        found = cluster_moments(features, labels.codes, labels.counts, spreads=False)
        centroid = two_sum(as_host(found.anchor), as_host(found.shift))
        within = found.within, np.zeros(len(found.within))
        if zero is None:
            plain = features.plain()
            low, high, zero = plain.low, plain.high, np.zeros(len(found.size), dtype=np.int64)
        else:
            low = high = np.zeros(features.n_features)
        batch = cls(labels.classes, labels.counts, centroid, within, zero, low, high)
        return batch.in_units_of(Frame.of(features), batch.frame)

    @property
    def n_features(self) -> int:
        return len(self.low)

    @cached_property
    def frame(self) -> Frame:
        """The units of the moments."""
        return Frame.for_range(self.low, self.high)

    def in_units_of(self, old: Frame, new: Frame) -> MergedMoments:
        """Return the same in other units."""
        within = times_power(self.within, 2 * (new.exponent - old.exponent))
        return replace(self, centroid=old.to(new, self.centroid), within=within)

    def merge(self, other: MergedMoments) -> MergedMoments:
        """Return the moments of both sets of rows together.

        References
        ----------
        T. F. Chan, G. H. Golub and R. J. LeVeque (1983), "Algorithms for computing the sample variance", The American
        Statistician 37, 242-247.
        """
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        frame = Frame.for_range(low, high)
        ours, theirs = self.in_units_of(self.frame, frame), other.in_units_of(other.frame, frame)
        classes, places, more = union_of_classes(self.classes, other.classes)
        k, d = len(classes), len(low)
        size, zero = np.zeros(k, dtype=np.int64), np.zeros(k, dtype=np.int64)
        for side, at in ((ours, places), (theirs, more)):
            size[at] += side.size
            zero[at] += side.zero
        centroid, within = (np.empty((k, d)), np.empty((k, d))), (np.empty(k), np.empty(k))
        out = MergedMoments(classes, size, centroid, within, zero, low, high)
        index = np.full(k, -1)
        index[places] = np.arange(len(places))
        here = index[more]  # the place on this side of each of the other's clusters
        new, both = np.flatnonzero(here < 0), np.flatnonzero(here >= 0)
        out.put(places, ours.tables())
        out.put(more[new], theirs.take(new)[1:])
        for part in spans(len(both), max(1, BLOCK // d)):
            mine, more_of = here[both[part]], both[part]
            out.put(more[more_of], _combined(ours.take(mine), theirs.take(more_of)))
        return out

    def same(self, other: MergedMoments) -> bool:
        """Whether the two are equal in every bit."""
        tables = zip((self.classes, *self.tables()), (other.classes, *other.tables()), strict=True)
        return self is other or all(np.array_equal(a, b) for a, b in tables)

    def tables(self) -> tuple[Array, Array, Array, Array]:
        """Anchor, shift, and both parts of the sums of squares."""
        return (*self.centroid, *self.within)

    def take(self, at: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Sizes and `tables` of some clusters."""
        anchor, shift, within, rest = (table[at] for table in self.tables())
        return self.size[at], anchor, shift, within, rest

    def put(self, at: Array, tables: tuple[Array, ...]) -> None:
        """Fill in the `tables` of some clusters, while this is being made."""
        for table, values in zip(self.tables(), tables, strict=True):
            table[at] = values

    def moments(self) -> ClusterMoments:
        """Return what `cluster_moments` gives for all rows at once, but for the spreads."""
        return ClusterMoments(
            size=self.size,
            anchor=self.centroid[0],
            shift=self.centroid[1],
            within=self.within[0],
            spread=np.full(len(self.size), np.nan),
            scale=self.frame.scale,
            offset=self.frame.offset,
        )


def _combined(ours: tuple[Array, ...], theirs: tuple[Array, ...]) -> tuple[Array, Array, Array, Array]:
    """Combine clusters that both sides have, as `take` gives them: Chan's formula about the difference of centroids."""
    (n_a, anchor_a, shift_a, *within_a), (n_b, anchor_b, shift_b, *within_b) = ours, theirs
    difference = (anchor_b - anchor_a) + (shift_b - shift_a)
    share = n_b / (n_a + n_b)
    anchor, shift = plus((anchor_a, shift_a), difference * share[:, None])
    moved = n_a * share * np.vecdot(difference, difference)
    within, rest = plus(added((within_a[0], within_a[1]), (within_b[0], within_b[1])), moved)
    return anchor, shift, within, rest
