"""Which of many labelings share a pass over the distances: decided from counts before any distance is computed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gpumetrics.clustering.cost import estimate_seconds, seconds_of_merging
from gpumetrics.config import current
from gpumetrics.distance_metrics import has_closed_form
from gpumetrics.statistics.meet import Meet

if TYPE_CHECKING:
    from gpumetrics.clustering.labelings import Labelings
    from gpumetrics.distance_metrics import Metric

__all__ = ["Group", "expected_seconds", "plan"]

MOST_GROUPS = 4  # to which one more labeling may be added: each is a meet to compute, and an array of n_samples

logger = logging.getLogger("gpumetrics")


class Group(NamedTuple):
    """Numbers of labelings that share a pass, their cells (a labeling by itself needs none), and the expected time."""

    numbers: list[int]
    meet: Meet | None
    seconds: float


def expected_seconds(data: Labelings, metric: Metric, n_queries: int | None = None) -> float:
    """Return how long the silhouettes of all labelings will take, in the groups that `plan` gives."""
    return sum(group.seconds for group in _groups(data, metric, n_queries))


def plan(data: Labelings, metric: Metric, n_queries: int | None = None) -> list[Group]:
    """Group the labelings that are cheaper together: in several groups, or all of them in one.

    Labelings without a silhouette are in no group.
    """
    groups = _groups(data, metric, n_queries)
    for group in groups:
        if group.meet is not None:
            message = "%d of %d labelings share a pass over the distances, by %d cells"
            logger.info(message, len(group.numbers), len(data), group.meet.n_cells)
    return groups


def _groups(data: Labelings, metric: Metric, n_queries: int | None) -> list[Group]:
    costs = _Costs(data, metric, n_queries)
    defined = [at for at, labeling in enumerate(data.each) if not labeling.why_undefined]
    able = sorted((at for at in defined if costs.can_share(at)), key=lambda at: data.each[at].n_clusters)
    drafts = [draft for draft in _gathered(able, costs) if draft.gain > 0]
    if able and [draft.numbers for draft in drafts] != [able]:
        in_one = _in_one(able, costs)
        if in_one is not None and in_one.gain > sum(draft.gain for draft in drafts):
            drafts = [in_one]
    shared = {at for draft in drafts for at in draft.numbers}
    alone = [Group([at], None, costs.alone(at)) for at in defined if at not in shared]
    return [Group(draft.numbers, draft.meet, draft.seconds) for draft in drafts] + alone


class _Draft(NamedTuple):
    """Labelings that may share a pass, and the expected time of their silhouettes: together, and one by one."""

    numbers: list[int]
    meet: Meet
    seconds: float
    alone: float

    @property
    def gain(self) -> float:
        return self.alone - self.seconds

    def and_also(self, at: int, costs: _Costs, limit: float) -> _Draft | None:
        """Return the group with one more labeling, if that takes less than `limit` seconds more."""
        number, labeling, noise = len(self.numbers) + 1, costs.data.each[at], self.meet.noise
        if costs.together(max(self.meet.n_cells, labeling.n_clusters), noise, number) - self.seconds >= limit:
            return None  # whatever its rows
        meet = self.meet.with_labeling(labeling.codes)
        seconds = costs.together(meet.n_cells, meet.noise, number)
        joined = _Draft([*self.numbers, at], meet, seconds, self.alone + costs.alone(at))
        return joined if seconds - self.seconds < limit else None


def _gathered(numbers: list[int], costs: _Costs) -> list[_Draft]:
    """Add each labeling to the group where it costs least, if that is less than by itself; else begin a new one."""
    done: list[_Draft] = []
    drafts: list[_Draft] = []
    for at in numbers:
        labeling, added, place = costs.data.each[at], costs.alone(at), len(drafts)
        meet = Meet.of(labeling.codes, labeling.sizes)
        best = _Draft([at], meet, costs.together(meet.n_cells, meet.noise, 1), added)
        for other, draft in enumerate(drafts):
            joined = draft.and_also(at, costs, added)
            if joined is not None:
                best, added, place = joined, joined.seconds - draft.seconds, other
        drafts[place : place + 1] = [best]
        if len(drafts) > MOST_GROUPS:  # what few have joined so far will hardly be joined by finer ones
            old = drafts.pop(min(range(MOST_GROUPS), key=lambda other: len(drafts[other].numbers)))
            done += [old] if len(old.numbers) > 1 else []
    return [draft for draft in done + drafts if len(draft.numbers) > 1]


def _in_one(numbers: list[int], costs: _Costs) -> _Draft | None:
    """Put all labelings into one group: cells are never more than rows. None if that takes longer than one by one."""
    each, alone = costs.data.each, sum(map(costs.alone, numbers))
    meet = Meet.of(each[numbers[0]].codes, each[numbers[0]].sizes)
    for at in numbers[1:]:
        meet = meet.with_labeling(each[at].codes)
        if costs.together(meet.n_cells, meet.noise, len(numbers)) >= alone:
            return None
    return _Draft(numbers, meet, costs.together(meet.n_cells, meet.noise, len(numbers)), alone)


@dataclass(frozen=True)
class _Costs:
    """Expected seconds of silhouettes of labelings of the same rows, each for itself or together."""

    data: Labelings
    metric: Metric
    n_queries: int | None

    def can_share(self, at: int) -> bool:
        """Whether a labeling needs all pairs of rows at all, at distances that are the same for every other one."""
        features, metric = self.data.features, self.metric
        if self._closed_form:
            return False
        if metric.name == "precomputed" and features.sparse:
            return False
        # Units, and variances that are not given, come from the rows that are not noise.
        own_units = features.scale != 1.0 or (metric.name in {"seuclidean", "mahalanobis"} and not metric.options)
        return not (own_units and self.data.each[at].has_noise)

    def alone(self, at: int) -> float:
        labeling = self.data.each[at]
        return self._seconds(labeling.n_kept, labeling.n_clusters, self._queries_among(labeling.n_kept))

    def together(self, n_cells: int, n_noise: int, n_labelings: int) -> float:
        """Seconds of `n_labelings` by `n_cells` cells; `n_noise` rows are noise in all of them."""
        n = self.data.n_samples - n_noise
        queries = self._queries_among(n)
        rows = n if queries is None else queries
        seconds = self._seconds(n, n_cells, rows)
        if queries is None:  # each pair of rows is met once if the sums of all rows fit into memory, and else twice
            share_in_band = min(1.0, current().working_memory * 2**19 / (8.0 * n * n_cells))
            seconds -= self._seconds(n, 0, n) * share_in_band / 2
        return seconds + n_labelings * seconds_of_merging(rows, n_cells, on_gpu=self._on_gpu)

    def _seconds(self, n: int, n_clusters: int, n_queries: int | None) -> float:
        pairs = self.metric.closed_form and not self._closed_form  # by a matrix product, as of the Euclidean distance
        name = self.metric.function or ("euclidean" if pairs else self.metric.name)
        d = self.data.features.n_features
        return estimate_seconds(n, d, n_clusters, name, n_queries=n_queries, on_gpu=self._on_gpu)

    def _queries_among(self, n: int) -> int | None:
        return None if self.n_queries is None else self.n_queries * n // self.data.n_samples

    @property
    def _closed_form(self) -> bool:
        return has_closed_form(self.metric, self.data.features, on_gpu=self._on_gpu)

    @property
    def _on_gpu(self) -> bool:
        return self.data.choice.ops.NAME == "cupy"  # type: ignore[no-any-return]
