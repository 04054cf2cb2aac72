"""The silhouettes of a comparison: of which labelings, and whether exact or estimated from the same rows for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.clustering.shared_silhouettes import silhouettes_of_each
from gpumetrics.clustering.sharing import expected_seconds
from gpumetrics.distance_metrics import has_closed_form
from gpumetrics.evaluation.silhouette_part import LONGEST_EXACT, affordable_queries
from gpumetrics.evaluation.stratified import strata_of, stratified_mean
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.choosing.lines import Line
    from gpumetrics.choosing.wishes import Wishes
    from gpumetrics.clustering.labelings import Labelings
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

__all__ = ["Sample", "add_silhouettes"]

SILHOUETTES = ("silhouette", "silhouette_macro")
EXPECTED = 10  # rows in the sample of a cluster that is weighted by itself; smaller ones share a weight


@dataclass(frozen=True)
class Sample:
    """The rows whose silhouettes are evaluated: all of them, or a random sample that is the same for every labeling.

    Attributes
    ----------
    mode : {"exact", "estimate", "skip"}
    rows : ndarray of int64 or None
        Of the user's table, ascending; None for all, or for none if the mode is "skip".
    """

    mode: str
    rows: Array | None = None


def add_silhouettes(data: Labelings, lines: list[Line], wishes: Wishes, notes: dict[str, str]) -> Sample:
    """Add the silhouettes that are asked for to the lines; say of the others why they are left out."""
    if "silhouette" not in wishes.scores:
        return Sample("skip")
    which = [at for at, labeling in enumerate(data.each) if not labeling.why_undefined]
    if wishes.silhouette == "skip":
        _leave_out([lines[at] for at in which], said("left out, as asked"))
        return Sample("skip")
    if wishes.narrow is not None and len(which) > wishes.narrow:
        which = _narrowed(lines, which, wishes.narrow, notes)
    some = replace(data, names=[data.names[at] for at in which], each=[data.each[at] for at in which])
    sample = _draw(some, wishes)
    if sample.mode == "exact":
        _exact(some, [lines[at] for at in which], wishes.metric)
    elif sample.rows is not None:
        _estimated(some, [lines[at] for at in which], wishes.metric, sample.rows)
    return sample


def _leave_out(lines: Sequence[Line], why: str) -> None:
    """Note why these lines have no silhouette."""
    for line in lines:
        line.parts.scores |= dict.fromkeys(SILHOUETTES, np.nan)
        line.parts.notes |= dict.fromkeys(SILHOUETTES, why)


def _narrowed(lines: list[Line], which: list[int], number: int, notes: dict[str, str]) -> list[int]:
    """Return the labelings that are best by Calinski-Harabasz; tell the others that they are left out."""
    values = np.array([lines[at].parts.scores.get("calinski_harabasz", np.nan) for at in which])
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")[:number]
    best = sorted(which[at] for at in order)
    why = said("left out: it is not among the {n} best by Calinski-Harabasz (narrow)", n=number)
    _leave_out([lines[at] for at in which if at not in best], why)
    notes["narrow"] = counted(
        number,
        "Only the labeling that is best by Calinski-Harabasz has a silhouette: it chooses among them. {remedy}.",
        "Only the {n} labelings that are best by Calinski-Harabasz have a silhouette: it chooses among them. {remedy}.",
        remedy=said("narrow=False evaluates all"),
    )
    return best


def _draw(data: Labelings, wishes: Wishes) -> Sample:
    """Decide how the silhouettes of these labelings are evaluated, and draw the rows."""
    if not len(data):
        return Sample("skip")
    closed_form = has_closed_form(wishes.metric, data.features, on_gpu=data.choice.ops.NAME == "cupy")
    exact = wishes.silhouette == "auto" and (closed_form or expected_seconds(data, wishes.metric) <= LONGEST_EXACT)
    if exact or wishes.silhouette == "exact":
        return Sample("exact")
    wanted = min(data.n_samples, affordable_queries(expected_seconds(data, wishes.metric, 1_000)))
    rows: Array = np.sort(wishes.generator.choice(data.n_samples, size=wanted, replace=False)).astype(np.int64)
    return Sample("estimate", rows)


def _exact(data: Labelings, lines: Sequence[Line], metric: Metric) -> None:
    sums = [np.zeros(labeling.n_clusters) for labeling in data.each]
    for at, rows, s in silhouettes_of_each(data, metric):
        # Summed on the host, and so in one order whatever the device.
        sums[at] += np.bincount(as_host(data.each[at].codes[rows]), weights=as_host(s), minlength=len(sums[at]))
    for labeling, line, total in zip(data.each, lines, sums, strict=True):
        line.parts.scores["silhouette"] = float(total.sum() / labeling.n_kept)
        line.parts.scores["silhouette_macro"] = float((total / labeling.sizes).mean())


def _estimated(data: Labelings, lines: Sequence[Line], metric: Metric, queries: Array) -> None:
    sampled = np.full((len(data), len(queries)), np.nan)
    for at, rows, s in silhouettes_of_each(data, metric, queries=queries):
        sampled[at, rows if isinstance(rows, slice) else as_host(rows)] = as_host(s)
    for labeling, line, values in zip(data.each, lines, sampled, strict=True):
        asked = ~np.isnan(values)
        line.sampled = values
        _estimate(line, values[asked], as_host(labeling.codes[beside(queries[asked], labeling.codes)]), labeling.sizes)


def _estimate(line: Line, values: Array, codes: Array, sizes: Array) -> None:
    """Estimate both means from a random sample, weighted by the known sizes of clusters, which lessens the error."""
    parts = line.parts
    if not len(values):
        parts.undefined(said("no row of the sample is in a cluster"), "silhouette", "silhouette_macro")
        return
    stratum = strata_of(sizes, len(values), EXPECTED if len(values) < sizes.sum() else 0)
    counts = np.bincount(stratum, weights=sizes).astype(np.int64)
    if (np.bincount(stratum[codes], minlength=len(counts)) < np.minimum(counts, 2)).any():
        stratum, counts = np.zeros(len(sizes), dtype=np.int64), np.array([sizes.sum()])
    mean = stratified_mean(values, stratum[codes], counts)
    parts.scores |= {"silhouette": mean.value, "silhouette_standard_error": mean.standard_error}
    if len(counts) == len(sizes):
        parts.scores["silhouette_macro"] = mean.macro
    else:
        why = said("there are too many clusters for a sample to tell the mean of each")
        parts.undefined(why, "silhouette_macro")
