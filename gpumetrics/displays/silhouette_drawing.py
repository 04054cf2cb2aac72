"""The parts of a silhouette plot, each drawn on axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.heat_map import LETTER_WIDTH, points_per_step
from gpumetrics.displays.names import short_names
from gpumetrics.displays.silhouette_layout import GAP
from gpumetrics.displays.style import BANDS, INK, NOISE, WORSE, drawable
from gpumetrics.displays.texts import percent
from gpumetrics.evaluation import remarks
from gpumetrics.evaluation.score_facts import silhouette_band

if TYPE_CHECKING:
    from gpumetrics.displays.silhouette_data import ClusterSilhouettes
    from gpumetrics.displays.silhouette_layout import BandLayout, Span
    from gpumetrics.types import Array

__all__ = ["draw_bands", "draw_means", "draw_noise", "draw_others", "draw_readings", "frame", "name_bands"]

WORDS = (("no structure", -1.0, 0.25), ("weak", 0.25, 0.5), ("reasonable", 0.5, 0.7), ("distinct", 0.7, 1.0))
AXIS = (
    "silhouette of each row (thick mark: mean of the cluster)\n"
    "below 0: closer to another cluster; 1: well inside its own"
)
SMALL = 0.85  # size of notes, relative to the text of the axes
NAME = 20  # letters
BESIDE = 1.012  # of the width: where the notes begin


def frame(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> None:
    """Set the limits, and say what is drawn: the mean in the title, how to read a row below the axis."""
    lowest = min([0.0, *(found.quantiles.of(cluster).min(initial=0.0) for cluster in layout.clusters)])
    ax.set_xlim(np.floor(10 * (lowest - 0.02)) / 10, 1.0)
    ax.set_ylim(layout.height, -GAP)
    ax.set_xlabel(AXIS)
    ax.set_title(_title(found, layout), loc="left", pad=18)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.axvline(0.0, color=INK, linewidth=0.8, zorder=3)


def _title(found: ClusterSilhouettes, layout: BandLayout) -> str:
    estimate = found.n_evaluated < found.n_rows
    error = f" +/- {found.standard_error:.2g}" if estimate and not math.isnan(found.standard_error) else ""
    lines = [f"Silhouette {found.mean:z.3f}{error} (dashed): {remarks.BANDS[silhouette_band(found.mean)]}"]
    if estimate:
        lines.append(f"an estimate: {found.n_evaluated:,} of {found.n_rows:,} rows were evaluated")
    if len(layout.others):
        shown = len(layout.clusters)
        lines.append(f"the {shown} lowest of {len(found.labels):,} clusters; all others share one band")
    return "\n".join(lines)


def draw_readings(ax: Any) -> tuple[list[Any], list[Any]]:
    """Draw the bands that a mean is read by, and their words above them."""
    bands, words = [], []
    room = min(points_per_step(ax, "x") * (right - left) / len(word) for word, left, right in WORDS[1:])
    style = {"color": INK, "fontsize": min(_small(), room / LETTER_WIDTH), "ha": "center", "va": "bottom"}
    for at, (word, left, right) in enumerate(WORDS):
        if at:
            bands.append(ax.axvspan(left, right, facecolor=BANDS[at - 1], edgecolor="none", zorder=0))
        middle = (max(left, ax.get_xlim()[0]) + right) / 2
        words.append(ax.text(middle, 1.01, word, transform=ax.get_xaxis_transform(), **style))
    return bands, words


def draw_bands(
    ax: Any, found: ClusterSilhouettes, layout: BandLayout, colors: list[str]
) -> tuple[dict[int, Any], dict[int, Any]]:
    """Draw the band of each cluster, and what is below 0 of it in another colour and hatched."""
    bands, negatives = {}, {}
    for cluster, span in zip(layout.clusters.tolist(), layout.spans, strict=True):
        values = found.quantiles.of(cluster)
        if not len(values):
            continue
        x, y = _outline(values, span, steps=found.quantiles.complete(cluster))
        (bands[cluster],) = _fill(ax, *_where(x > 0, x, y), facecolor=colors[cluster], gid=f"band--c{cluster}")
        if values[0] < 0:
            style: dict[str, Any] = {"facecolor": "none", "edgecolor": WORSE, "hatch": "//////", "linewidth": 0.6}
            (negatives[cluster],) = _fill(ax, *_where(x < 0, x, y), gid=f"negative--c{cluster}", **style)
    return bands, negatives


def draw_means(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> tuple[Any, Any]:
    """Draw the mean of all rows as a line, and that of each cluster as a mark in its band."""
    line = ax.axvline(found.mean, color=INK, linestyle=(0, (4, 2)), linewidth=1.2, zorder=4, gid="mean")
    tops, bottoms = np.array(layout.spans).T
    means = found.means[layout.clusters]
    known = ~np.isnan(means)
    marks = ax.vlines(means[known], tops[known], bottoms[known], color=INK, linewidth=2.0, zorder=5)
    return line, marks


def draw_others(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> Any:
    """Draw the means of the clusters that have no band of their own, in ascending order, as one band; or None."""
    means = found.means[layout.others]
    means = means[~np.isnan(means)]
    if layout.others_span is None or not len(means):
        return None
    values = np.quantile(means, np.linspace(0, 1, min(len(means), 101)))
    x, y = _outline(values, layout.others_span, steps=len(means) <= 101)
    (artist,) = _fill(ax, x, y, facecolor="none", edgecolor=INK, hatch="\\\\\\\\", linewidth=0.6, gid="others")
    return artist


def draw_noise(ax: Any, layout: BandLayout) -> Any:
    """Draw the flat band of the noise, over the whole width; or None."""
    if layout.noise_span is None:
        return None
    left, right = ax.get_xlim()
    x, y = np.array([left, right]), np.array(layout.noise_span)
    (artist,) = _fill(ax, np.repeat(x, 2), np.r_[y, y[::-1]], facecolor=NOISE, gid="noise", zorder=6, closed=False)
    return artist


def name_bands(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> list[Any]:
    """Write the clusters' names on the left, and their numbers on the right; return the artists of the latter."""
    spans = [*layout.spans]
    names = short_names(found.labels[layout.clusters], NAME)
    notes = [_note(found, cluster) for cluster in layout.clusters]
    if layout.others_span is not None:
        spans.append(layout.others_span)
        names.append(f"{len(layout.others):,} {'other' if len(layout.others) == 1 else 'others'}")
        notes.append(_others_note(found, layout.others))
    if layout.noise_span is not None:
        spans.append(layout.noise_span)
        names.append("noise")
        notes.append(f"{_rows(found.n_noise)}, not scored")
    size = _font_size(ax, [span.middle for span in spans])
    names, options = drawable(names)
    ax.set_yticks([span.middle for span in spans], names, fontsize=size, **options)
    ax.tick_params(axis="y", length=0)
    place = {"transform": ax.get_yaxis_transform(), "va": "center", "fontsize": min(size, _small()), "color": INK}
    return [ax.text(BESIDE, span.middle, note, **place) for span, note in zip(spans, notes, strict=True)]


def _note(found: ClusterSilhouettes, cluster: int) -> str:
    """Say how large a cluster is, and how much of it lies closer to another one."""
    rows = _rows(found.sizes[cluster])
    evaluated = found.quantiles.counts[cluster]
    if not evaluated:
        return f"{rows}, none evaluated"
    share = found.share_negative[cluster]
    return f"{rows}, {percent(share)} below 0" if share else rows


def _others_note(found: ClusterSilhouettes, others: Array) -> str:
    means = found.means[others]
    known = means[~np.isnan(means)]
    return f"their means: {known.min():z.2f} to {known.max():z.2f}" if len(known) else "none evaluated"


def _rows(n: int) -> str:
    return f"{n:,} {'row' if n == 1 else 'rows'}"


def _outline(values: Array, span: Span, *, steps: bool) -> tuple[Array, Array]:
    """Return the edge of a band, its largest value on top; each of few values is a step as high as all others."""
    values = values[::-1]
    if steps:
        edges = np.linspace(*span, len(values) + 1)
        return np.repeat(values, 2), np.repeat(edges, 2)[1:-1]
    return values, np.linspace(*span, len(values))


def _where(side: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the part of an edge on one side of 0; where there is none, the edge at 0."""
    places = np.flatnonzero(side)
    x = np.where(side, x, 0.0)
    if not len(places):
        return x, y
    part = slice(max(places[0] - 1, 0), places[-1] + 2)
    return x[part], y[part]


def _fill(ax: Any, x: Array, y: Array, *, closed: bool = True, **style: Any) -> Any:
    """Fill between a line and 0; or, if not closed, what the line goes round."""
    if closed:
        x, y = np.r_[0.0, x, 0.0], np.r_[y[0], y, y[-1]]
    return ax.fill(x, y, **{"edgecolor": "none", "linewidth": 0.0, "zorder": 2, **style})


def _font_size(ax: Any, middles: list[float]) -> float:
    """Return the size at which the names of neighbouring bands do not overlap."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    size = float(FontProperties(size=rcParams["ytick.labelsize"]).get_size_in_points())
    if len(middles) < 2:
        return size
    return min(size, max(4.0, float(np.diff(middles).min()) * points_per_step(ax, "y")))


def _small() -> float:
    from matplotlib import rcParams

    return SMALL * float(rcParams["font.size"])
