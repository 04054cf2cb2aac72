"""The parts of a silhouette plot, each drawn on axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.drawing.canvas import letter_size, points, settle
from gpumetrics.displays.drawing.heat_map import LETTER_WIDTH, points_per_step
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.style import tones
from gpumetrics.displays.drawing.texts import length, wrapped, write_label, write_title
from gpumetrics.displays.silhouette_layout import GAP
from gpumetrics.displays.silhouette_text import note_of, others_note, rows_of, title_of

if TYPE_CHECKING:
    from gpumetrics.displays.silhouette_data import ClusterSilhouettes
    from gpumetrics.displays.silhouette_layout import BandLayout, Span
    from gpumetrics.types import Array

__all__ = ["draw_bands", "draw_means", "draw_noise", "draw_others", "draw_readings", "frame"]

WORDS = (("no structure", -1.0, 0.25), ("weak", 0.25, 0.5), ("reasonable", 0.5, 0.7), ("distinct", 0.7, 1.0))
AXIS = (
    "silhouette of each row (thick mark: mean of the cluster)\n"
    "below 0: closer to another cluster; 1: well inside its own"
)
SMALL = 0.85  # size of notes, relative to the text of the axes
NAME = 20  # letters
SMALLEST = 4.0  # points; names that would lie on each other even so are left out
BESIDE = 1.012  # of the width: where the notes begin


def frame(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> list[Any]:
    """Set the limits, and write all that stands around the bands; return the artists of the notes beside them."""
    lowest = min([0.0, *(found.quantiles.of(cluster).min(initial=0.0) for cluster in layout.clusters)])
    ax.set_xlim(np.floor(10 * (lowest - 0.02)) / 10, 1.0)
    ax.set_ylim(layout.height, -GAP)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.axvline(0.0, color=tones(ax).ink, linewidth=0.8, zorder=3)
    notes = _name_bands(ax, found, layout)
    beside = SMALL * max(length(note.get_text(), "font.size") for note in notes)

    def write() -> None:
        write_title(ax, title_of(found, layout), room=points(ax, "width") + beside, pad=1.8 * letter_size())
        write_label(ax, "x", wrapped(AXIS, points(ax, "width"), "axes.labelsize"))

    settle(ax, write)
    _fit(ax, notes)
    return notes


def draw_readings(ax: Any) -> tuple[list[Any], list[Any]]:
    """Draw the bands that a mean is read by, and their words above them."""
    bands, words = [], []
    room = min(points_per_step(ax, "x") * (right - left) / len(word) for word, left, right in WORDS[1:])
    paper = tones(ax)
    style = {
        "color": paper.ink,
        "fontsize": min(SMALL * letter_size(), room / LETTER_WIDTH),
        "ha": "center",
        "va": "bottom",
    }
    for at, (word, left, right) in enumerate(WORDS):
        if at:
            bands.append(ax.axvspan(left, right, facecolor=paper.bands[at - 1], edgecolor="none", zorder=0))
        middle = (max(left, ax.get_xlim()[0]) + right) / 2
        words.append(ax.text(middle, 1.01, word, transform=ax.get_xaxis_transform(), **style))
    return bands, words


def draw_bands(
    ax: Any, found: ClusterSilhouettes, layout: BandLayout, colors: list[str]
) -> tuple[dict[int, Any], dict[int, Any]]:
    """Draw the band of each cluster, and what is below 0 of it in another colour and hatched."""
    bands, negatives = {}, {}
    below: dict[str, Any] = {"facecolor": "none", "edgecolor": tones(ax).worse, "hatch": "//////", "linewidth": 0.6}
    for cluster, span in zip(layout.clusters.tolist(), layout.spans, strict=True):
        values = found.quantiles.of(cluster)
        if not len(values):
            continue
        x, y = _outline(values, span, steps=found.quantiles.complete(cluster))
        (bands[cluster],) = _fill(ax, *_where(x > 0, x, y), facecolor=colors[cluster], gid=f"band--c{cluster}")
        if values[0] < 0:
            (negatives[cluster],) = _fill(ax, *_where(x < 0, x, y), gid=f"negative--c{cluster}", **below)
    return bands, negatives


def draw_means(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> tuple[Any, Any]:
    """Draw the mean of all rows as a line, and that of each cluster as a mark in its band."""
    ink = tones(ax).ink
    line = ax.axvline(found.mean, color=ink, linestyle=(0, (4, 2)), linewidth=1.2, zorder=4, gid="mean")
    tops, bottoms = np.array(layout.spans).T
    means = found.means[layout.clusters]
    known = ~np.isnan(means)
    marks = ax.vlines(means[known], tops[known], bottoms[known], color=ink, linewidth=2.0, zorder=5)
    return line, marks


def draw_others(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> Any:
    """Draw the means of the clusters that have no band of their own, in ascending order, as one band; or None."""
    means = found.means[layout.others]
    means = means[~np.isnan(means)]
    if layout.others_span is None or not len(means):
        return None
    values = np.quantile(means, np.linspace(0, 1, min(len(means), 101)))
    x, y = _outline(values, layout.others_span, steps=len(means) <= 101)
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": tones(ax).ink, "hatch": "\\\\\\\\", "linewidth": 0.6}
    (artist,) = _fill(ax, x, y, gid="others", **look)
    return artist


def draw_noise(ax: Any, layout: BandLayout) -> Any:
    """Draw the flat band of the noise, over the whole width; or None."""
    if layout.noise_span is None:
        return None
    left, right = ax.get_xlim()
    x, y = np.array([left, right]), np.array(layout.noise_span)
    look: dict[str, Any] = {"facecolor": tones(ax).noise, "gid": "noise", "zorder": 6}
    (artist,) = _fill(ax, np.repeat(x, 2), np.r_[y, y[::-1]], closed=False, **look)
    return artist


def _name_bands(ax: Any, found: ClusterSilhouettes, layout: BandLayout) -> list[Any]:
    """Write the clusters' names on the left, and their numbers on the right; return the artists of the latter."""
    spans = [*layout.spans]
    names = short_names(found.labels[layout.clusters], NAME)
    notes = [note_of(found, cluster) for cluster in layout.clusters]
    if layout.others_span is not None:
        spans.append(layout.others_span)
        names.append(f"{len(layout.others):,} {'other' if len(layout.others) == 1 else 'others'}")
        notes.append(others_note(found, layout.others))
    if layout.noise_span is not None:
        spans.append(layout.noise_span)
        names.append("noise")
        notes.append(f"{rows_of(found.n_noise)}, not scored")
    names, options = drawable(names)
    ax.set_yticks([span.middle for span in spans], names, **options)
    ax.tick_params(axis="y", length=0)
    place = {"transform": ax.get_yaxis_transform(), "va": "center", "color": tones(ax).ink}
    size = SMALL * letter_size()
    return [ax.text(BESIDE, span.middle, note, fontsize=size, **place) for span, note in zip(spans, notes, strict=True)]


def _fit(ax: Any, notes: list[Any]) -> None:
    """Make names and notes so small that those of neighbouring bands do not overlap, or leave some out."""
    step, largest = points_per_step(ax, "y"), letter_size("ytick.labelsize")
    middles = ax.get_yticks() * step
    size = max(SMALLEST, float(np.diff(middles).min(initial=largest)))
    end = -np.inf
    for tick, note, middle in zip(ax.yaxis.get_major_ticks(), notes, middles, strict=True):
        tick.label1.set_fontsize(min(size, largest))
        note.set_fontsize(min(size, note.get_fontsize()))
        if middle - end > 0.99 * size:
            end = middle
        else:
            tick.label1.set_visible(False)
            note.set_visible(False)


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
