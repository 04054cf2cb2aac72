"""The reading of a clustering for someone who does not know the scores: what they say together, in a few sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import percent, printed
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.pages.clustering_cards import cards_of
from gpumetrics.pages.clustering_doubts import doubts_of
from gpumetrics.pages.clustering_evidence import evidence, known
from gpumetrics.pages.model import Cards, Paragraph
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["NO_APPROVAL", "lead_of"]

VERDICTS = {
    "distinct": "On the whole the clusters stand clearly apart from each other.",
    "reasonable": "The clusters are set apart reasonably well, with some rows between them.",
    "weak": "The clusters are set apart only weakly: many rows are hardly nearer to their own one than to the next.",
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
    parts = (evidence(view), _sizes(view), known(view), _stability(view), _together(view))
    blocks += [Paragraph(text) for text in parts if text]
    return [*blocks, Cards(cards_of(view))]


def _why(view: View) -> str:
    note = view.report.notes.get("silhouette", "")
    return note.values.get("reason", note) if hasattr(note, "values") else note.removeprefix("undefined, since ")


def _sizes(view: View) -> Message | None:
    report = view.report
    size = report.per_cluster["size"]
    parts: list[Message] = []
    if len(size) > 1:
        largest = int(np.argmax(size))
        if _outweighs(size, largest):
            parts.append(
                said(
                    "The sizes are uneven: cluster {cluster} alone holds {share} of the clustered rows.",
                    cluster=view.clusters.text(report.per_cluster["label"][largest]),
                    share=percent(size[largest] / size.sum()),
                )
            )
        alone = int((size == 1).sum())
        if alone:
            parts.append(
                counted(
                    alone,
                    "{n:,} cluster has a single row, whose silhouette is 0 by definition.",
                    "{n:,} clusters have a single row each, whose silhouette is 0 by definition.",
                )
            )
    macro, mean = report.scores["silhouette_macro"], report.scores["silhouette"]
    if abs(macro - mean) >= MACRO:
        template = (
            "On the whole small clusters are better set apart than large ones: with each cluster counted the same, the "
            "silhouette is {macro}."
            if macro > mean
            else "On the whole small clusters are worse set apart than large ones: with each cluster counted the same, "
            "the silhouette is {macro}."
        )
        parts.append(said(template, macro=printed("silhouette", macro)))
    if 0 < report.noise_fraction <= MUCH_NOISE:
        share = percent(report.noise_fraction, 1)
        parts.append(said("{share} of the rows were set aside as noise and are not scored.", share=share))
    return joined(parts) if parts else None


def _outweighs(size: Array, largest: int) -> bool:
    """Whether a cluster is far larger than the others: of two clusters one always has half of the rows."""
    others = np.delete(size, largest)
    half = len(size) > 2 and size[largest] > others.sum()
    return bool(half or size[largest] >= UNEVEN * np.median(others))


def _stability(view: View) -> Message | None:
    if view.stability is None:
        return None
    if math.isnan(view.stability.mean):
        return said("Clustered {runs:,} times: {reading}.", runs=view.stability.n_runs, reading=view.stability.reading)
    return said(
        "Clustered {runs:,} times, the clusterings agree by an adjusted Rand index of {mean} ({reading}).",
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
            "With {n:,} columns silhouettes tend to be low even for real groups: compare the value with other "
            "clusterings of the same rows rather than with a scale."
        )
        parts.append(said(template, n=report.n_features))
    if low and stable == "structure":
        parts.append(said(STABLE_BUT_LOW))
    elif report.silhouette_band in {"distinct", "reasonable"} and stable in {"wavering", "low"}:
        parts.append(said(HIGH_BUT_MOVING))
    return joined(parts) if parts else None
