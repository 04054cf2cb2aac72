"""The panels of a `KSelectionDisplay`: where each labeling stands, its marks, the words above and below."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.entries import MOSTLY_NOISE
from gpumetrics.choosing.facts import FACTS
from gpumetrics.displays.drawing.canvas import letter_size, points, settle
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.panels import panels_in
from gpumetrics.displays.drawing.style import CLUSTERS, tones
from gpumetrics.displays.drawing.texts import length, wrapped
from gpumetrics.displays.k_selection_captions import ERRORS, noisy, tick_texts, write

if TYPE_CHECKING:
    from gpumetrics.displays.k_selection import KSelectionDisplay
    from gpumetrics.types import Array

__all__ = ["Places", "draw", "panels_of"]

MOST_IN_ORDER = 12  # names that stay in the order given; of more, the best come first
EDGE = 0.07  # of a panel, from its end to the marks that have no value
SECOND = {"silhouette": "silhouette_macro", "adjusted_rand": "adjusted_mutual_info"}
WIDEST_GAP = 16  # ratio of the largest K to the smallest from which unequal steps are drawn as such


def panels_of(display: KSelectionDisplay) -> list[str]:
    """Return the score of each panel."""
    return [*display.scores, *(["adjusted_rand"] if "adjusted_rand" in display.values else [])]


@dataclass(frozen=True)
class Places:
    """Where the labelings stand.

    Attributes
    ----------
    shown : ndarray of int64
        The labelings, in the order of the shared axis.
    along : ndarray of float64
        The place of each on that axis.
    sideways : bool
        Whether the shared axis is the vertical one.
    """

    shown: Array
    along: Array
    sideways: bool

    def xy(self, along: Any, values: Any) -> tuple[Any, Any]:
        """Return what is x and what is y."""
        return (values, along) if self.sideways else (along, values)

    def edge(self, ax: Any) -> Any:
        """Return the transform for places on the shared axis, and parts of the other one."""
        return ax.get_yaxis_transform() if self.sideways else ax.get_xaxis_transform()


def draw(display: KSelectionDisplay, axes: Any, most: int) -> None:
    """Draw a display on axes, or in the place of one, and set its attributes."""
    names = panels_of(display)
    places = _places(display, most)
    sideways = places.sideways
    panels = panels_in(axes, (1, len(names)) if sideways else (len(names), 1), share="y" if sideways else "x")
    display.axes_, display.ax_, display.figure_ = panels, panels[0], panels[0].figure
    display.shown_ = places.shown
    display.points_, display.lines_, display.second_, display.best_ = {}, {}, {}, {}
    display.error_bars_ = None
    for ax, name in zip(panels, names, strict=True):
        _panel(display, ax, name, places)
    for ax in panels:
        for place in _preferred(display, places):
            line = ax.axhline if places.sideways else ax.axvline
            line(place, color=CLUSTERS[1], linewidth=1, linestyle=":", zorder=1)

    def write_all() -> None:
        _shared_axis(display, panels, places)
        write(display, panels, names, places)

    settle(panels[0], write_all)


def _places(display: KSelectionDisplay, most: int) -> Places:
    count = len(display.names)
    if display.kind == "n_clusters":
        along = np.array(display.names, dtype=np.float64)
        order = np.argsort(along, kind="stable")
        return Places(order, along[order], sideways=False)
    order = np.arange(count)
    if count > min(most, MOST_IN_ORDER):
        order = _best_first(display)
        best = [at for at in display.best.values() if at is not None]
        order = order[(np.arange(count) < most) | np.isin(order, best)]
    return Places(order, np.arange(len(order), dtype=np.float64), sideways=True)


def _best_first(display: KSelectionDisplay) -> Array:
    """Return the labelings from the best to the worst by the first score that any has, mostly noise last."""
    lead = next((name for name in display.scores if display.best[name] is not None), display.scores[0])
    values = display.values[lead]
    signed = -values if FACTS[lead].better == "higher" else values
    return np.lexsort((signed, np.nan_to_num(display.noise_fraction) > MOSTLY_NOISE, np.isnan(values)))


def _panel(display: KSelectionDisplay, ax: Any, name: str, places: Places) -> None:
    values = display.values[name][places.shown]
    finite = np.where(np.isfinite(values), values, np.nan)
    ax.grid(visible=True, axis="y" if places.sideways else "x", color=tones(ax).grid, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.margins(**{"x" if places.sideways else "y": 0.13})
    ax.spines[["top", "right"]].set_visible(False)
    if not places.sideways:
        [display.lines_[name]] = ax.plot(*places.xy(places.along, finite), color=CLUSTERS[0], linewidth=1.4, zorder=2)
    _second(display, ax, name, places)
    if name == "silhouette" and display.standard_errors is not None:
        errors = display.standard_errors[places.shown]
        errors = np.where(np.isfinite(errors) & np.isfinite(values), ERRORS * errors, np.nan)
        side = {"xerr" if places.sideways else "yerr": errors}
        x, y = places.xy(places.along, finite)
        display.error_bars_ = ax.errorbar(
            x, y, **side, fmt="none", ecolor=tones(ax).ink, elinewidth=0.9, capsize=4, zorder=4.5
        )
    display.points_[name] = {
        int(at): _point(display, ax, name, int(at), place, places)
        for at, place in zip(places.shown, places.along, strict=True)
    }
    if display.best[name] is not None:
        _star(display, ax, name, places)
    if not np.isfinite(values).any():
        _without_values(ax, places, undefined=bool(np.isnan(values).all()))


def _second(display: KSelectionDisplay, ax: Any, name: str, places: Places) -> None:
    """Draw the score that stands beside another one in its panel."""
    beside = SECOND.get(name)
    if beside is None or beside not in display.values:
        return
    values = display.values[beside][places.shown]
    style = "none" if places.sideways else (0, (4, 2))
    [display.second_[beside]] = ax.plot(
        *places.xy(places.along, np.where(np.isfinite(values), values, np.nan)),
        color=CLUSTERS[5], linestyle=style, linewidth=0.8, marker="D", markersize=2.5, zorder=2.5, gid=beside,
    )  # fmt: skip


def _point(display: KSelectionDisplay, ax: Any, name: str, at: int, place: float, places: Places) -> Any:
    value = float(display.values[name][at])
    gid = f"{name}--l{at}"
    if math.isfinite(value):
        fill = tones(ax).paper if noisy(display, at) else CLUSTERS[0]
        size = 5.5 if len(places.shown) <= 60 else 3
        [point] = ax.plot(
            *places.xy([place], [value]), marker="o", markersize=size, markerfacecolor=fill,
            markeredgecolor=CLUSTERS[0], linestyle="none", zorder=4, gid=gid,
        )  # fmt: skip
        return point
    marker, where = _mark_at_edge(value, sideways=places.sideways)
    [point] = ax.plot(
        *places.xy([place], [where]), transform=places.edge(ax), marker=marker, markersize=6, color=tones(ax).worse,
        markeredgewidth=1.5, linestyle="none", zorder=4, gid=gid,
    )  # fmt: skip
    return point


def _mark_at_edge(value: float, *, sideways: bool) -> tuple[str, float]:
    """Return the marker of a value that has no place, and the part of the axis at which it stands."""
    if math.isnan(value):
        return "x", EDGE
    if value > 0:
        return ">" if sideways else "^", 1 - EDGE
    return "<" if sideways else "v", EDGE


def _star(display: KSelectionDisplay, ax: Any, name: str, places: Places) -> None:
    """Mark the best of a panel."""
    at = display.best[name]
    value = float(display.values[name][at])
    place = places.along[places.shown == at]
    where, options, paper = [value], {}, tones(ax)
    if not math.isfinite(value):
        where, options = [_mark_at_edge(value, sideways=places.sideways)[1]], {"transform": places.edge(ax)}
    look = {"linestyle": "none", "markeredgecolor": paper.ink, "markeredgewidth": 0.8, "zorder": 5, **options}
    [display.best_[name]] = ax.plot(
        *places.xy(place, where), marker="*", markersize=1.5 * letter_size(), gid=f"best-{name}--l{at}",
        markerfacecolor=paper.paper if noisy(display, at) else CLUSTERS[1], **look,
    )  # fmt: skip


def _without_values(ax: Any, places: Places, *, undefined: bool) -> None:
    text = "undefined for all of these labelings" if undefined else "infinite or undefined for all"
    text = wrapped(text, points(ax, "width"), "font.size")
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center")
    (ax.xaxis if places.sideways else ax.yaxis).set_ticks([])


def _preferred(display: KSelectionDisplay, places: Places) -> Array:
    """Return the places of the labelings that a score prefers."""
    preferred = sorted({at for name in display.scores if (at := display.best[name]) is not None})
    out: Array = places.along[np.isin(places.shown, preferred)]
    return out


def _shared_axis(display: KSelectionDisplay, panels: Array, places: Places) -> None:
    """Name the labelings once, and give all panels the same places for them, also those that share no axis."""
    for ax in panels:
        values = ax.xaxis if places.sideways else ax.yaxis
        if len(values.get_ticklocs()):
            values.set_major_formatter("{x:,.6g}")
        if not places.sideways:
            _axis_of_numbers(ax, places.along, _preferred(display, places))
            continue
        texts, options = drawable(tick_texts(display, places))
        room = 0.9 * points(panels[0], "height") / max(1, len(texts))
        size = max(4.0, min(0.9 * letter_size(), room))
        ax.set_yticks(places.along, texts, fontsize=size, **options)
        ax.set_ylim(len(texts) - 0.4, -0.6)
        ax.tick_params(labelleft=ax is panels[0])


def _axis_of_numbers(ax: Any, along: Array, chosen: Array) -> None:
    """Scale the axis of K: by factors where the steps grow with K; name the places that fit, the chosen ones first."""
    steps = np.diff(along)
    grows = len(along) > 2 and along[0] > 0 and along[-1] >= WIDEST_GAP * along[0] and steps.max() > 4 * steps.min()
    if grows:
        ax.set_xscale("log")
        ax.minorticks_off()
    at = np.log(along) if grows else along
    kept: list[int] = []
    widest = length(f"{along[-1]:.0f}", "xtick.labelsize") + length("x", "xtick.labelsize")
    room = max(at[-1] - at[0], 1.0) * widest / points(ax, "width")
    first = np.isin(along, chosen)
    for i in [*np.flatnonzero(first), *range(len(along))]:
        if all(abs(at[i] - at[j]) >= (room / 2 if first[i] else room) for j in kept):
            kept.append(int(i))
    ax.set_xticks(along[sorted(kept)], [f"{k:.0f}" for k in along[sorted(kept)]])
    if len(along) == 1:
        ax.set_xlim(along[0] - 1, along[0] + 1)
