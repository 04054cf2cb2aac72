"""The words of a contingency table: on it, and in place of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpumetrics.displays.drawing.texts import percent
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.displays.contingency import ContingencyDisplay
    from gpumetrics.text.messages import Message

__all__ = ["alt_of", "matching_of"]


def alt_of(display: ContingencyDisplay) -> Message:
    """Return what the table shows, in words."""
    if not display.counts.size:
        return said("There are no rows to compare.")
    clusters = counted(display.n_clusters, "{n:,} cluster", "{n:,} clusters")
    classes = counted(display.n_classes, "{n:,} known class", "{n:,} known classes")
    what = said("Table of {clusters} against {classes}.", clusters=clusters, classes=classes)
    return joined([what, said("{matched}.", matched=matching_of(display))])


def matching_of(display: ContingencyDisplay) -> Message:
    """Say how many rows the matched cells hold."""
    if not display.n_clusters:
        return said("All rows are noise")
    share = percent(display.matched_share)
    if len(display.clusters) < display.n_clusters:
        template = "The best one-to-one matching holds {share} of the rows in the {n:,} largest clusters"
        return said(template, share=share, n=len(display.clusters))
    if display.has_noise:
        return said("The best one-to-one matching holds {share} of the rows that are not noise", share=share)
    return said("The best one-to-one matching holds {share} of the rows", share=share)
