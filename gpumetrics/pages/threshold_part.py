"""The threshold by which scores became tags, as a section of a tag report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.evaluation.tags.words import TITLES
from gpumetrics.pages.common import number_cell, short
from gpumetrics.pages.model import Cell, Column, Paragraph, Section, Table
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.classification.threshold_result import BestThreshold
    from gpumetrics.pages.model import Block, Figure

__all__ = ["threshold_section"]

MOST_LABELS = 1000
PROMISE = (
    "It was chosen to make this score as large as can be on the validation data, so that it promises more than other "
    "data will give."
)


def threshold_section(best: BestThreshold) -> Section:
    """Return the section: what was chosen, by what, and the curve it was chosen from if it was kept."""
    several = isinstance(best.threshold, np.ndarray)
    settings = best.settings
    facts = {
        "metric": TITLES[settings["metric"]],
        "score": best.score,
        "samples": counted(settings["n_samples"], "{n:,} validation sample", "{n:,} validation samples"),
    }
    if several:
        text = said("Each tag is suggested from a threshold of its own on: {metric} {score:.3f} on {samples}.", **facts)
    else:
        text = said(
            "A tag is suggested where its score is at least {threshold:.4g}: {metric} {score:.3f} on {samples}.",
            threshold=float(best.threshold),
            **facts,
        )
    blocks: list[Block] = [Paragraph(text), Paragraph(PROMISE)]
    if best.curve is not None:
        blocks.append(_figure(best))
    if several:
        blocks.append(_table(best))
    return Section("threshold", "From scores to tags: the threshold", blocks)


def _figure(best: BestThreshold) -> Figure:
    from gpumetrics.displays.threshold import ThresholdDisplay
    from gpumetrics.pages.figures import figure_of

    draw = lambda ax: ThresholdDisplay.from_result(best, ax=ax)  # noqa: E731
    caption = "The score at each threshold; the chosen one is marked."
    return figure_of("threshold-curve", draw, caption, size=(7.0, 3.5))


def _table(best: BestThreshold) -> Table:
    thresholds = np.asarray(best.threshold)
    scores = best.label_scores if best.label_scores is not None else np.full(len(thresholds), np.nan)
    labels = best.settings["labels"]
    names = range(len(thresholds)) if labels is None else labels
    lines = [
        [Cell(short(name)), number_cell(at, f"{at:.4g}"), number_cell(score)]
        for name, at, score in list(zip(names, thresholds.tolist(), scores.tolist(), strict=True))[:MOST_LABELS]
    ]
    columns = [Column("tag"), Column("threshold", number=True), Column("score on the validation data", number=True)]
    left = len(thresholds) - len(lines)
    note = counted(left, "{n:,} more is not shown.", "{n:,} more are not shown.") if left else ""
    return Table("thresholds", "The threshold of each tag", columns, lines, note=note)
