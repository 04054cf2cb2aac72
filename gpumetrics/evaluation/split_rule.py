"""The rule by which a cluster may be several groups in one, over a table of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.evaluation.candidates_result import Candidates, check_bound
from gpumetrics.evaluation.remarks import CAVEAT, SHAPE
from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.label_arrays import as_objects
from gpumetrics.text.labels import printer
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["splits_in"]

BAND_WORDS = {
    "distinct": said("distinct"),
    "reasonable": said("reasonable"),
    "weak": said("weak"),
    "none": said("no substantial structure"),
}
SPREADS = 3  # median absolute deviations below the others, from which a mean stands out however small all of them are
FEWEST_MEANS = 5  # clusters from which on the deviation of their means is one


def splits_in(
    table: Mapping[str, Array], *, size_ratio: float = 1.5, drop: float = 0.1, notes: dict[str, str] | None = None
) -> Candidates:
    """Find them in a table of clusters such as ``ClusteringReport.per_cluster``."""
    check_bound("size_ratio", size_ratio)
    check_bound("drop", drop, most=2)
    facts = _Facts.of(table)
    found = np.flatnonzero((facts.times >= size_ratio) & facts.low(drop))  # nan is neither
    found = found[np.argsort(facts.mean[found], kind="stable")]
    remarks = {**(notes or {}), **({"bands": CAVEAT, "shape": SHAPE} if len(found) else facts.nearest_miss(size_ratio))}
    name = printer(facts.label)
    reasons: list[str] = [said("{facts}: perhaps several groups", facts=facts.of_cluster(at, name)) for at in found]
    return Candidates("split", facts.columns(found), reasons, _rule(size_ratio, drop), notes=remarks)


def _rule(size_ratio: float, drop: float) -> str:
    return said(
        "at least {size_ratio:g} times as large as the median of the other clusters; and a mean silhouette at least "
        "{drop:g} below the median of theirs, or more than half of the rows with a negative silhouette, or (of "
        "{fewest} clusters or more) a mean more than {spreads} median absolute deviations of all means below "
        "the others' median, and less than half of it",
        size_ratio=size_ratio,
        drop=drop,
        fewest=FEWEST_MEANS,
        spreads=SPREADS,
    )


class _Facts(NamedTuple):
    """What the rule asks of each cluster."""

    label: Array
    size: Array
    times: Array
    mean: Array
    below: Array
    negative: Array

    @classmethod
    def of(cls, table: Mapping[str, Array]) -> _Facts:
        mean, size = table["silhouette_mean"], table["size"]
        times = size / _median_of_others(size.astype(np.float64))
        return cls(table["label"], size, times, mean, _median_of_others(mean) - mean, table["share_negative"])

    def low(self, drop: float) -> Array:
        """Whether the silhouettes of each are low beside the others'."""
        out: Array = (self.below >= drop) | (self.negative > 0.5)
        known = self.mean[~np.isnan(self.mean)]
        if len(known) >= FEWEST_MEANS:
            deviation = np.median(np.abs(known - np.median(known)))
            out |= (self.below > SPREADS * deviation) & (2 * self.mean < self.mean + self.below)
        return out

    def nearest_miss(self, size_ratio: float) -> dict[str, str]:
        """Name the lowest of the large clusters, or else the largest one, as what comes nearest to a candidate."""
        known = np.flatnonzero(~np.isnan(self.below))
        if not len(known):
            return {}
        large = known[self.times[known] >= size_ratio]
        at = large[np.argmax(self.below[large])] if len(large) else known[np.argmax(self.times[known])]
        facts = self.of_cluster(at, printer(self.label))
        return {"nearest_miss": said("The nearest to a candidate is {facts}.", facts=facts)}

    def of_cluster(self, at: Any, name: Callable[[Any], str]) -> Message:
        """Say what is known of one."""
        size, times, mean, below, negative = (float(column[at]) for column in self[1:])
        lower = said("{gap:.3f} below the median of theirs", gap=below)
        higher = said("{gap:.3f} above the median of theirs", gap=-below)
        return said(
            "{cluster}: {rows}, {times:.1f} times the other clusters' median, with a mean silhouette of {mean:.3f} "
            "({band}), {place}, {negative:.1f} % of the rows negative",
            cluster=name(self.label[at]),
            rows=counted(int(size), "{n:,} row", "{n:,} rows"),
            times=times,
            mean=mean,
            band=BAND_WORDS[silhouette_band(mean)],
            place=lower if below >= 0 else higher,
            negative=100 * negative,
        )

    def columns(self, found: Array) -> dict[str, Array]:
        return {
            "cluster": self.label[found],
            "size": self.size[found],
            "times_median": self.times[found],
            "silhouette_mean": self.mean[found],
            "band": as_objects([silhouette_band(value) for value in self.mean[found].tolist()]),
            "below_others": self.below[found],
            "share_negative": self.negative[found],
        }


def _median_of_others(values: Array) -> Array:
    """Median of all values but each one; nan for one value only. Values that are nan are left out of it."""
    known = np.flatnonzero(~np.isnan(values))
    out = np.full(len(values), np.nan)
    if len(known) < 2:
        return out
    order = known[np.argsort(values[known], kind="stable")]
    ordered, place = values[order], np.arange(len(order))
    rest = len(order) - 1
    low, high = (rest - 1) // 2, rest // 2
    # Without the value at its place, those behind it move up by one.
    out[order] = (ordered[low + (place <= low)] + ordered[high + (place <= high)]) / 2
    return out
