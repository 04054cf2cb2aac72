"""The panels of a `TagErrorsDisplay`: precision and recall, and the errors beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.drawing.canvas import letter_size, points, settle
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.style import CLUSTERS, tones
from gpumetrics.displays.drawing.texts import write_label

if TYPE_CHECKING:
    from gpumetrics.displays.tag_errors import TagErrorsDisplay

__all__ = ["draw", "number_text"]

PRECISION, RECALL = CLUSTERS[0], CLUSTERS[1]
MISSED, INVENTED = RECALL, PRECISION  # what lowers recall has recall's colour, and likewise precision


def draw(display: TagErrorsDisplay) -> None:
    """Draw both panels, and set the attributes of a display."""
    n = len(display.precision)
    display.links_, display.precision_, display.recall_ = [], [], []
    display.support_, display.undefined_, display.counts_, display.totals_ = [], [], [], []
    _name_axes(display, n)
    settle(display.ax_)
    letters = min(max(4.0, 0.8 * points(display.ax_, "height") / max(n, 1)), 0.9 * letter_size())
    _draw_errors(display, n, letters)
    for line in range(n):
        _draw_scores(display, line, letters)
    _name_lines(display, n, letters)
    if not n:
        for panel in (display.ax_, display.errors_ax_):
            panel.set(xticks=[], yticks=[])
        where = {"ha": "center", "va": "center", "transform": display.ax_.transAxes}
        display.undefined_.append(display.ax_.text(0.5, 0.5, "there are no tags", **where))


def _mark_of(display: TagErrorsDisplay, line: int) -> str:
    return f"--t{display.places[line]}" if line < len(display.places) else "--others"


def _draw_scores(display: TagErrorsDisplay, line: int, letters: float) -> None:
    mark, precision, recall = _mark_of(display, line), float(display.precision[line]), float(display.recall[line])
    ink = tones(display.ax_).ink
    display.links_ += display.ax_.plot([precision, recall], [line, line], color=ink, linewidth=0.8, gid=f"link{mark}")
    looks: dict[str, Any] = {"linestyle": "", "markeredgecolor": ink, "markeredgewidth": 0.6, "clip_on": False}
    display.recall_ += display.ax_.plot(
        [recall], [line], marker="s", color=RECALL, markersize=7, zorder=3, gid=f"recall{mark}", **looks
    )
    display.precision_ += display.ax_.plot(
        [precision], [line], marker="o", color=PRECISION, markersize=5, zorder=4, gid=f"precision{mark}", **looks
    )
    missing = [name for name, value in (("precision", precision), ("recall", recall)) if np.isnan(value)]
    if missing:
        text = f"{' and '.join(missing)} undefined (0/0)"
        at = 0.5 if len(missing) == 2 else (0.05 if np.nansum([precision, recall]) > 0.5 else 0.55)
        side = "center" if len(missing) == 2 else "left"
        display.undefined_.append(display.ax_.text(at, line, text, ha=side, va="center", fontsize=letters))


def _draw_errors(display: TagErrorsDisplay, n: int, letters: float) -> None:
    ax, lines = display.errors_ax_, np.arange(n)
    looks: dict[str, Any] = {"height": 0.7, "edgecolor": tones(ax).paper, "linewidth": 0}
    # A bar of many tags together would press the bars of single ones together: there the numbers stand alone.
    single = np.arange(n) < len(display.labels)
    missed, invented = np.where(single, display.missed, 0.0), np.where(single, display.invented, 0.0)
    display.missed_ = list(ax.barh(lines, -missed, color=MISSED, hatch="////", **looks))
    display.invented_ = list(ax.barh(lines, invented, color=INVENTED, **looks))
    for bars, name, values, side in (
        (display.missed_, "missed", display.missed, -1),
        (display.invented_, "invented", display.invented, 1),
    ):
        for line, (bar, value) in enumerate(zip(bars, values, strict=True)):
            bar.set_gid(f"{name}{_mark_of(display, line)}")
            place = {"xytext": (3 * side, 0), "textcoords": "offset points", "fontsize": letters, "va": "center"}
            text = number_text(value) if single[line] else f"{number_text(value)} in all"
            aligned = "left" if side > 0 else "right"
            display.counts_.append(ax.annotate(text, (bar.get_width(), line), ha=aligned, **place))
    reach = [float(np.max(values, initial=0.0)) for values in (missed, invented)]
    reach = reach if any(reach) else [1.0, 1.0]
    room = 0.28 * sum(reach)
    ax.set_xlim(-reach[0] - room, reach[1] + room)
    ax.axvline(0, color=tones(ax).ink, linewidth=0.8)


def _name_lines(display: TagErrorsDisplay, n: int, letters: float) -> None:
    names = short_names(display.labels, most=32)
    names += [f"{display.n_others:,} others"] if display.n_others else []
    texts, options = drawable(names)
    display.ax_.set_yticks(range(n), texts, fontsize=letters, **options)
    for line in range(n):
        place = {"xytext": (8, 0), "textcoords": "offset points", "xycoords": ("axes fraction", "data")}
        text = f"n = {number_text(display.support[line])}"
        display.support_.append(display.ax_.annotate(text, (1, line), va="center", fontsize=letters, **place))


def _name_axes(display: TagErrorsDisplay, n: int) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    paper, ax, errors = tones(display.ax_), display.ax_, display.errors_ax_
    ax.set(xlim=(-0.03, 1.03), ylim=(n - 0.4, -0.6))
    write_label(ax, "x", "precision and recall")
    ax.grid(axis="x", color=paper.grid, linewidth=0.6)
    ax.set_axisbelow(True)
    looks: dict[str, Any] = {"linestyle": "", "markeredgecolor": paper.ink, "markeredgewidth": 0.6}
    handles = [
        Line2D([], [], marker="o", color=PRECISION, markersize=5, label="precision", **looks),
        Line2D([], [], marker="s", color=RECALL, markersize=7, label="recall", **looks),
    ]
    where: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1}
    where |= {"fontsize": 0.9 * letter_size(), "columnspacing": 1.2, "handletextpad": 0.3}
    display.legend_ = ax.legend(handles=handles, ncols=2, frameon=False, **where)
    errors.set_ylim(n - 0.4, -0.6)
    write_label(errors, "x", "documents")
    errors.tick_params(axis="y", left=False, labelleft=False)
    errors.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    errors.xaxis.set_major_formatter(FuncFormatter(_size_of))
    for word, values, end in (("missed (FN)", display.missed, 0), ("invented (FP)", display.invented, 1)):
        place = {"xytext": (0, 4), "textcoords": "offset points", "xycoords": "axes fraction", "va": "bottom"}
        text, side = f"{number_text(values.sum())} {word}", "right" if end else "left"
        display.totals_.append(errors.annotate(text, (end, 1), ha=side, fontsize=0.8 * letter_size(), **place))


def _size_of(value: float, _: int) -> str:
    """Return a number on the axis of errors, whose left half has no minus."""
    return f"{abs(value):,g}"


def number_text(value: Any) -> str:
    """Return a count as text: a whole number, or, of weighted documents, four digits."""
    return f"{int(value):,}" if float(value).is_integer() else f"{float(value):,.4g}"
