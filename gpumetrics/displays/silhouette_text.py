"""The words of a silhouette plot: on it, and in place of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.texts import percent
from gpumetrics.evaluation import remarks
from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.displays.silhouette_data import ClusterSilhouettes
    from gpumetrics.displays.silhouette_layout import BandLayout
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["alt_of", "note_of", "others_note", "rows_of", "title_of"]


def alt_of(found: ClusterSilhouettes) -> Message:
    """Return what the plot shows, in a sentence."""
    if found.why_undefined:
        return said("There are no silhouettes: {reason}.", reason=found.why_undefined)
    lowest = int(np.nanargmin(found.means))
    return said(
        "Silhouettes of {clusters}, {mean:z.2f} on average: the lowest mean is {low:z.2f}, of {name}; "
        "{share} of the rows lie closer to another cluster.",
        clusters=counted(len(found.labels), "{n:,} cluster", "{n:,} clusters"),
        mean=found.mean,
        name=short_names(found.labels[[lowest]])[0],
        low=float(found.means[lowest]),
        share=percent(found.negative),
    )


def title_of(found: ClusterSilhouettes, layout: BandLayout) -> str:
    """Return the mean in figures and words, and what of the clusters is shown."""
    estimate = found.n_evaluated < found.n_rows
    error = f" +/- {found.standard_error:.2g}" if estimate and not math.isnan(found.standard_error) else ""
    lines = [f"Silhouette {found.mean:z.3f}{error} (dashed): {remarks.BANDS[silhouette_band(found.mean)]}"]
    if estimate:
        lines.append(f"an estimate: {found.n_evaluated:,} of {found.n_rows:,} rows were evaluated")
    if len(layout.others):
        shown = len(layout.clusters)
        lines.append(f"the {shown} lowest of {len(found.labels):,} clusters; all others share one band")
    return "\n".join(lines)


def note_of(found: ClusterSilhouettes, cluster: int) -> str:
    """Say how large a cluster is, and how much of it lies closer to another one."""
    rows = rows_of(found.sizes[cluster])
    evaluated = found.quantiles.counts[cluster]
    if not evaluated:
        return f"{rows}, none evaluated"
    share = found.share_negative[cluster]
    return f"{rows}, {percent(share)} below 0" if share else rows


def others_note(found: ClusterSilhouettes, others: Array) -> str:
    """Say what the clusters are like that have no band of their own."""
    means = found.means[others]
    known = means[~np.isnan(means)]
    return f"their means: {known.min():z.2f} to {known.max():z.2f}" if len(known) else "none evaluated"


def rows_of(n: int) -> str:
    """Return a number of rows."""
    return f"{n:,} {'row' if n == 1 else 'rows'}"
