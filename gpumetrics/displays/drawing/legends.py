"""A legend below axes, in as many columns as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.displays.drawing.canvas import letter_size, points
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.texts import length

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["legend_below"]

SIZE = 0.85  # of the letters, relative to those of the settings
SIGN = 4.5  # width of an entry without its text, in letters' heights


def legend_below(ax: Any, handles: Sequence[Any], texts: Sequence[str], *, lines: float) -> Any:
    """Explain marks below axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    handles : sequence of artists, or of tuples of them
    texts : sequence of str
        What each is; of users too, already shortened.
    lines : float
        Lines of text between the axes and the legend.

    Returns
    -------
    matplotlib.legend.Legend
    """
    from matplotlib.transforms import ScaledTranslation

    shown, options = drawable(texts)
    size = SIZE * letter_size()
    widest = max(SIZE * length(text, "font.size") for text in shown) + SIGN * size
    columns = max(1, min(len(shown), int(points(ax, "width") / widest)))
    down = ScaledTranslation(0, -1.25 * lines * letter_size() / 72, ax.figure.dpi_scale_trans)
    where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 0), "bbox_transform": ax.transAxes + down}
    legend = ax.legend(
        handles, shown, ncols=columns, fontsize=size, frameon=False, borderaxespad=0, borderpad=0, **where
    )
    for text in legend.get_texts():
        text.set(**options)
    return legend
