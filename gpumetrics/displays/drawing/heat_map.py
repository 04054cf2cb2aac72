"""A matrix drawn on axes: an image, the names of its rows and columns, the numbers in its cells where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.displays.drawing.canvas import hold_letters, letter_size, points, settle
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.style import MIDDLE, luminance, tones
from gpumetrics.displays.drawing.texts import wrapped
from gpumetrics.text.layout import columns_wide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpumetrics.types import Array

__all__ = ["LETTER_WIDTH", "HeatMap", "axis_ticks", "cell_inks", "heat_map", "points_per_step"]

COLOURS = "Blues"  # from light to dark, in grey too
MOST_HATCHED = 1_600  # cells
SMALLEST_TEXT = 4.5  # points; a cell without room for such letters has none
LETTER_WIDTH = 0.62  # of the height of a letter
# Of letters on a cell's own colour, which is the same on a light page and on a dark one: so never INK or PAPER.
ON_LIGHT, ON_DARK = "#000000", "#ffffff"


class HeatMap(NamedTuple):
    """The artists of a heat map.

    Attributes
    ----------
    image : matplotlib.image.AxesImage
    texts : list of matplotlib.text.Text
        What is written in the cells, row by row; empty where it does not fit.
    colorbar : matplotlib.colorbar.Colorbar or None
    undefined : list of matplotlib.patches.Rectangle
        Hatched cells: those whose value is nan.
    """

    image: Any
    texts: list[Any]
    colorbar: Any
    undefined: list[Any]


def heat_map(  # noqa: PLR0913  (keywords)
    ax: Any,
    matrix: Array,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    written: Sequence[Sequence[str]] | None = None,
    limits: tuple[float, float] | None = None,
    blank: Array | None = None,
    bar: str | None = None,
    write: Callable[[], object] = lambda: None,
) -> HeatMap:
    """Draw a matrix on axes, its first row on top.

    The cells are one image, so that an SVG stays small whatever the size of the matrix. On the axes, the centre of
    the cell in row i and column j is ``(j, i)``.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    matrix : ndarray of shape (n_rows, n_columns)
        nan is left without a colour and hatched; inf has the colour of the largest value.
    rows, columns : sequence of str
        Names, of users too, already shortened; only as many are drawn as can be read.
    written : sequence of sequences of str, optional
        What stands in each cell, in black or white, whichever is read more easily on it. Left out if the cells are
        too small for it.
    limits : tuple of float, optional
        Values of the first and the last colour, which is also that of all beyond; those of the matrix if not given.
    blank : ndarray of shape (n_rows, n_columns), bool, optional
        Cells that are left empty, such as a diagonal.
    bar : str, optional
        Text of the colour bar; None for no bar.
    write : callable, optional
        Writes title and labels on lines that fit; called again when they and the names have taken their room.

    Returns
    -------
    HeatMap
    """
    values = np.array(matrix, dtype=np.float64)
    blank = np.zeros(values.shape, dtype=bool) if blank is None else blank
    low, high = _limits(values[~blank]) if limits is None else limits
    shown = np.ma.masked_where(blank | np.isnan(values), np.clip(values, low, high))
    # Not resampled: an SVG holds one dot per cell, which its viewer enlarges.
    image = ax.imshow(shown, cmap=COLOURS, vmin=low, vmax=high, aspect="auto", interpolation="none", origin="upper")
    ax.grid(visible=False, which="both")
    ax.minorticks_off()
    ax.tick_params(length=2)
    beyond = bool((values[~blank] > high).any())
    colorbar = None if bar is None else _bar(ax, image, bar, beyond=beyond)

    def write_all() -> None:
        axis_ticks(ax, "x", columns)
        axis_ticks(ax, "y", rows)
        write()

    settle(ax, write_all)
    texts = [] if written is None else _write(ax, image, shown, written, blank)
    undefined = [] if texts else _hatch(ax, np.argwhere(np.isnan(values) & ~blank))
    if colorbar is not None:
        colorbar.set_label(wrapped(bar or "", points(ax, "height"), "axes.labelsize"))
    return HeatMap(image, texts, colorbar, undefined)


def axis_ticks(ax: Any, axis: str, names: Sequence[str]) -> list[int]:
    """Name the places 0, 1, ... of an axis: all of them, or every second, third, ... where they would overlap.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        With its limits as they are to stay.
    axis : {"x", "y"}
    names : sequence of str
        Already shortened.

    Returns
    -------
    list of int
        The places that have a name.
    """
    step = points_per_step(ax, axis)
    size = letter_size(f"{axis}tick.labelsize")
    letters = max(map(columns_wide, names), default=0)
    upright = axis == "x" and letters * size * LETTER_WIDTH > step
    size = min(size, max(step, 5.0))
    every = 1 if axis == "x" and not upright else max(1, int(np.ceil(size / step)))
    places = list(range(0, len(names), every))
    texts, options = drawable(names[place] for place in places)
    options |= {"rotation": 90 if upright else 0}
    target = ax.xaxis if axis == "x" else ax.yaxis
    target.set_ticks(places, texts, fontsize=size, **options)
    return places


def points_per_step(ax: Any, axis: str) -> float:
    """Return the length of one unit of an axis, in points; before a layout is made, about so."""
    side, (first, last) = ("width", ax.get_xlim()) if axis == "x" else ("height", ax.get_ylim())
    return points(ax, side) / abs(float(last - first))


def cell_inks(image: Any, values: Array) -> Array:
    """Return for each value black or white: what is read more easily on its colour in an image."""
    red, green, blue, _ = np.moveaxis(image.cmap(image.norm(values)), -1, 0)
    return np.where(luminance(red, green, blue) > MIDDLE, ON_LIGHT, ON_DARK)


def _limits(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if low < high else (min(low, 0.0), max(high, 0.0) or 1.0)


def _bar(ax: Any, image: Any, text: str, *, beyond: bool) -> Any:
    bar = ax.figure.colorbar(image, ax=ax, label=text, pad=0.02, fraction=0.05, extend="max" if beyond else "neither")
    bar.outline.set_visible(False)
    hold_letters(bar.ax)
    return bar


def _write(ax: Any, image: Any, shown: Array, written: Sequence[Sequence[str]], blank: Array) -> list[Any]:
    longest = max((len(text) for row in written for text in row), default=0)
    room = 0.9 * points_per_step(ax, "x") / (LETTER_WIDTH * max(longest, 1))
    size = min(letter_size("xtick.labelsize"), room, 0.7 * points_per_step(ax, "y"))
    if size < SMALLEST_TEXT:
        return []
    inks = np.where(np.ma.getmaskarray(shown), tones(ax).noise, cell_inks(image, np.ma.filled(shown, 0.0)))
    return [
        ax.text(j, i, written[i][j], ha="center", va="center", color=inks[i, j], fontsize=size, parse_math=False)
        for i, j in np.argwhere(~blank)
    ]


def _hatch(ax: Any, cells: Array) -> list[Any]:
    from matplotlib.patches import Rectangle

    look: dict[str, Any] = {"facecolor": "none", "edgecolor": tones(ax).noise, "hatch": "////", "linewidth": 0}
    patches = [Rectangle((j - 0.5, i - 0.5), 1, 1, **look) for i, j in cells[:MOST_HATCHED]]
    return [ax.add_patch(patch) for patch in patches]
