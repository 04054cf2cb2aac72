"""Pairs of clusters that lie near each other, with the numbers by which they may be one group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.clustering.compactness import worst_partners
from gpumetrics.evaluation.along_lines import along_lines
from gpumetrics.text.labels import printer
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import joined, said

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.features import Features
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["ClusterPairs"]

WIDER = 1.5  # times the other's spread from which splitting the wider of a pair is suggested


class ClusterPairs(NamedTuple):
    """Pairs of clusters, and what is known of them; all on the host."""

    classes: Array
    i: Array
    j: Array
    ashman_d: Array
    distance: Array
    alike: Array
    spread: Array
    worst: Array
    ratio: Array
    nearest: Array

    @classmethod
    def none(cls, data: ClusteredData) -> ClusterPairs:
        k, no = data.labels.n_classes, np.empty(0)
        ints = np.empty(0, dtype=np.int64)
        nothing = np.zeros(k, dtype=np.int64)
        return cls(data.labels.classes, ints, ints, no, no, no.astype(bool), np.zeros(k), nothing, np.zeros(k), nothing)

    @classmethod
    def of(
        cls, data: ClusteredData, features: Features, moments: ClusterMoments, alike: list[tuple[int, int]]
    ) -> ClusterPairs:
        ratio, worst, nearest = worst_partners(moments)
        k = np.arange(len(worst))
        both = np.concatenate(
            [np.stack([k, worst]), np.stack([k, nearest]), np.array(alike, dtype=np.int64).reshape(-1, 2).T], axis=1
        )
        i, j = np.unique(np.sort(both, axis=0), axis=1)
        same = set(alike)
        named = np.array([pair in same for pair in zip(i.tolist(), j.tolist(), strict=True)], dtype=bool)
        distance, deviation = along_lines(features, data.codes, moments, i, j)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.where(distance == 0, 0.0, distance / deviation)
        scale = moments.scale
        spread = moments.spread / scale
        return cls(data.labels.classes, i, j, apart, distance / scale, named, spread, worst, ratio, nearest)

    def chosen(self, max_ashman_d: float) -> ClusterPairs:
        """Return the candidates, the smallest Ashman's D first."""
        found = np.flatnonzero((self.ashman_d < max_ashman_d) | self.alike)
        found = found[np.argsort(self.ashman_d[found], kind="stable")]
        pairs = {name: getattr(self, name)[found] for name in ("i", "j", "ashman_d", "distance", "alike")}
        return self._replace(**pairs)

    def _wider(self) -> tuple[Array, Array]:
        """The wider of each pair, and its spread over the other's (inf where that has none, nan where neither has)."""
        a, b = self.spread[self.i], self.spread[self.j]
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.maximum(a, b) / np.minimum(a, b)
        return np.where(b > a, self.j, self.i), times

    def table(self) -> dict[str, Array]:
        wider, times = self._wider()
        with np.errstate(divide="ignore", invalid="ignore"):
            similarity = (self.spread[self.i] + self.spread[self.j]) / self.distance
        return {
            "cluster": self.classes[self.i],
            "other": self.classes[self.j],
            "ashman_d": self.ashman_d,
            "similarity": similarity,
            "distance": self.distance,
            "wider": self.classes[wider],
            "times_wider": times,
            "nearest_to_each_other": (self.nearest[self.i] == self.j) & (self.nearest[self.j] == self.i),
            "most_similar_to_each_other": (self.worst[self.i] == self.j) & (self.worst[self.j] == self.i),
            "same_name": self.alike,
        }

    def reasons(self) -> list[str]:
        name, table = printer(self.classes), self.table()
        out: list[str] = []
        for at in range(len(self.i)):
            a, b = name(table["cluster"][at]), name(table["other"][at])
            facts = [
                said(
                    "{a} and {b}: centres {apart:.2f} standard deviations apart along the line between them",
                    a=a,
                    b=b,
                    apart=float(self.ashman_d[at]),
                )
            ]
            if table["nearest_to_each_other"][at]:
                facts.append(said("each other's nearest"))
            if table["most_similar_to_each_other"][at]:
                facts.append(said("each other's most similar"))
            if self.alike[at]:
                facts.append(said("people gave both the same name"))
            out.append(said("{facts}: perhaps one group", facts=joined(facts, ", ")))
        return out

    def worst_pair(self) -> str:
        """Name the pair with the largest R, and which clusters take their value from it."""
        a = int(np.argmax(self.ratio))
        b, name = int(self.worst[a]), printer(self.classes)
        both = int(self.worst[b]) == a
        wide, narrow = (a, b) if self.spread[a] >= self.spread[b] else (b, a)
        advice = said("they would have to lie further apart")
        if self.spread[wide] >= WIDER * self.spread[narrow]:
            advice = said(
                "they would have to lie further apart, or {cluster}, the wider one, to be split",
                cluster=name(self.classes[wide]),
            )
        one, other = name(self.classes[a]), name(self.classes[b])
        return said(
            "Davies-Bouldin is largest for {a} and {b} (R {ratio}, spreads {spread_a} and {spread_b}): {takers}. To "
            "lower it {advice}.",
            a=one,
            b=other,
            ratio=format_score(float(self.ratio[a])),
            spread_a=format_score(float(self.spread[a])),
            spread_b=format_score(float(self.spread[b])),
            takers=said("both clusters take this value") if both else said("{cluster} takes this value", cluster=one),
            advice=advice,
        )
