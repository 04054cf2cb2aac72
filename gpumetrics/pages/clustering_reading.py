"""The reading of a clustering for someone who does not know the scores: what they say together, in a few sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import percent, printed
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.pages.clustering_cards import cards_of
from gpumetrics.pages.clustering_doubts import doubts_of
from gpumetrics.pages.model import Cards, Paragraph
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block
    from gpumetrics.text.messages import Message

__all__ = ["NO_APPROVAL", "lead_of", "negative_share"]

VERDICTS = {
    "distinct": "The clusters stand clearly apart from each other.",
    "reasonable": "The clusters are set apart reasonably well, with some rows between them.",
    "weak": "The clusters are set apart only weakly: many rows lie between two of them.",
    "none": "The clusters are hardly set apart: they run into each other, or have shapes that these scores cannot see.",
}
MACRO = 0.05  # by which the means over rows and over clusters differ enough to be told
UNEVEN = 5.0  # times the median from which the largest cluster is told
MANY_COLUMNS = 20
STABLE_BUT_LOW = (
    "Taken together: the same groups are found every time, but there is hardly a gap between them. They may serve to "
    "sort the rows into kinds; they are no proof of separate groups."
)
HIGH_BUT_MOVING = (
    "Taken together: the clusters found here are set apart, but another run draws other ones. Do not build on them "
    "before it is known why."
)
NO_APPROVAL = (
    "No score approves a clustering. A sound conclusion rests on three things together: the scores, people who look at "
    "samples and can name the clusters, and clusters that come back when it is done again."
)


def lead_of(view: View) -> list[Block]:
    """Return what the page opens with."""
    report = view.report
    band = report.silhouette_band
    if band:
        first: str = VERDICTS[band]
    elif report.n_clusters == 0:
        first = "There are no clusters: every row is noise."
    elif report.n_clusters == 1:
        first = "There is one cluster only: nothing to compare it with, so nothing to score."
    else:
        first = said("The clusters have no silhouette here: {why}.", why=_why(view))
    blocks: list[Block] = [Paragraph(first, strong=True)]
    blocks += [Paragraph(doubt, strong=True) for doubt in doubts_of(view)]
    parts = (_evidence(view), _sizes(view), _known(view), _stability(view), _together(view))
    blocks += [Paragraph(text) for text in parts if text]
    return [*blocks, Cards(cards_of(view))]


def _why(view: View) -> str:
    note = view.report.notes.get("silhouette", "")
    return note.values.get("reason", note) if hasattr(note, "values") else note.removeprefix("undefined, since ")


def _evidence(view: View) -> Message | None:
    """Say what the scores that look at the data alone say, and whether they agree."""
    report, scores = view.report, view.report.scores
    s, db = scores["silhouette"], scores["davies_bouldin"]
    parts: list[Message] = []
    if not math.isnan(s):
        parts.append(
            said(
                "The silhouette asks of each row whether it is nearer to its own cluster than to the next one (1: far "
                "nearer, 0: on the border, below 0: nearer to another one). The mean is {s}, and {negative} of the "
                "rows are below 0.",
                s=printed("silhouette", s),
                negative=percent(negative_share(report), 1),
            )
        )
    if not math.isnan(db):
        parts.append(_davies_bouldin(s, db))
    return joined(parts) if parts else None


def _davies_bouldin(s: float, db: float) -> Message:
    """Say whether Davies-Bouldin, which looks at the worst neighbour of each cluster, agrees with the silhouette."""
    value = printed("davies_bouldin", db)
    if math.isnan(s):
        return said(
            "Davies-Bouldin is {value}: so many times the distance between the centres do the widths of a cluster and "
            "of its worst neighbour add up to, on average (lower is better).",
            value=value,
        )
    apart = db < 1
    if s >= 0.5:
        template = (
            "Davies-Bouldin, which looks at the worst neighbour of each cluster, agrees: {value} (below 1, most are "
            "farther apart than they are wide)."
            if apart
            else "Davies-Bouldin, which looks at the worst neighbour of each cluster, is less content: {value} (above "
            "1, a cluster and its worst neighbour are wider than they are apart). Most rows are well placed, but some "
            "clusters are too near to each other."
        )
    else:
        template = (
            "Davies-Bouldin, which looks at the centres of each cluster and of its worst neighbour, is more content: "
            "{value} (below 1, they are farther apart than they are wide). The centres are apart, but many rows lie "
            "between them."
            if apart
            else "Davies-Bouldin, which looks at the worst neighbour of each cluster, agrees: {value} (above 1, a "
            "cluster and its worst neighbour are wider than they are apart)."
        )
    return said(template, value=value)


def negative_share(report: ClusteringReport) -> float:
    """Return the share of the rows whose silhouette is negative; of an estimate weighted by cluster."""
    table = report.per_cluster
    share, size = table["share_negative"], table["size"].astype(np.float64)
    known = ~np.isnan(share)
    return float(np.average(share[known], weights=size[known])) if known.any() else math.nan


def _sizes(view: View) -> Message | None:
    report = view.report
    size = report.per_cluster["size"]
    parts: list[Message] = []
    if len(size) > 1:
        largest, median = int(np.argmax(size)), float(np.median(size))
        if size[largest] >= UNEVEN * median or size[largest] > 0.5 * size.sum():
            parts.append(
                said(
                    "The sizes are uneven: cluster {cluster} alone holds {share} of the clustered rows.",
                    cluster=view.clusters.text(report.per_cluster["label"][largest]),
                    share=percent(size[largest] / size.sum()),
                )
            )
        alone = int((size == 1).sum())
        if alone:
            parts.append(counted(alone, "{n:,} cluster has a single row.", "{n:,} clusters have a single row each."))
    macro, mean = report.scores["silhouette_macro"], report.scores["silhouette"]
    if abs(macro - mean) >= MACRO:
        template = (
            "The small clusters are better set apart than the large ones: with each cluster counted the same, the "
            "silhouette is {macro}."
            if macro > mean
            else "The small clusters are worse set apart than the large ones: with each cluster counted the same, the "
            "silhouette is {macro}."
        )
        parts.append(said(template, macro=printed("silhouette", macro)))
    if 0 < report.noise_fraction <= MUCH_NOISE:
        share = percent(report.noise_fraction, 1)
        parts.append(said("{share} of the rows were set aside as noise and are not scored.", share=share))
    return joined(parts) if parts else None


def _known(view: View) -> Message | None:
    """Say how the clusters agree with the known classes."""
    scores = view.report.scores
    if math.isnan(scores.get("adjusted_rand", math.nan)):
        return None
    value, h, c = (scores[name] for name in ("adjusted_rand", "homogeneity", "completeness"))
    if value < 0.05:
        word = said("The clusters have no more to do with the known classes than chance would give")
    else:
        word = next(
            text
            for least, text in (
                (0.9, said("The clusters are nearly the known classes")),
                (0.6, said("The clusters follow the known classes in the main")),
                (0.3, said("The clusters follow the known classes in part")),
                (0.0, said("The clusters have little to do with the known classes")),
            )
            if value >= least
        )
    first = said("{what}: adjusted Rand {value} (0: as by chance, 1: the same).", what=word, value=f"{value:.3f}")
    if value >= 0.05 and abs(h - c) >= 0.05:
        template = (
            "They tend to mix classes (homogeneity {h}) more than to split them (completeness {c})."
            if h < c
            else "They tend to split classes (completeness {c}) more than to mix them (homogeneity {h})."
        )
        return joined([first, said(template, h=f"{h:.3f}", c=f"{c:.3f}")])
    return first


def _stability(view: View) -> Message | None:
    if view.stability is None:
        return None
    return said(
        "Done {runs:,} times, the clusterings agree by {mean} (adjusted Rand): {reading}.",
        runs=view.stability.n_runs,
        mean=f"{view.stability.mean:.3f}",
        reading=view.stability.reading,
    )


def _together(view: View) -> str | None:
    """Say what the scores and the stability mean together, and for data of many columns."""
    report = view.report
    low = report.silhouette_band in {"weak", "none"}
    stable = "" if view.stability is None else view.stability.band
    parts: list[str] = []
    if low and report.metric != "precomputed" and report.n_features >= MANY_COLUMNS:
        template = (
            "With {n:,} columns silhouettes are low even for real groups: compare the value with other clusterings of "
            "the same rows rather than with a scale."
        )
        parts.append(said(template, n=report.n_features))
    if low and stable == "structure":
        parts.append(said(STABLE_BUT_LOW))
    elif report.silhouette_band in {"distinct", "reasonable"} and stable in {"wavering", "low"}:
        parts.append(said(HIGH_BUT_MOVING))
    return joined(parts) if parts else None
