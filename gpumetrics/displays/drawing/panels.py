"""Several panels in the place of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.drawing.canvas import hold_letters

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["panels_in"]


def panels_in(ax: Any, shape: tuple[int, int], *, widths: tuple[float, ...] | None = None, share: str = "") -> Array:
    """Return axes for the panels of a display.

    Parameters
    ----------
    ax : Axes or array of Axes
        One is hidden, and the panels stand in its place; several are the panels.
    shape : tuple of int
        Rows and columns.
    widths : tuple of float, optional
        Of the columns, to each other.
    share : {"", "x", "y"}
        The axis that all panels have in common.

    Returns
    -------
    ndarray of Axes, shape (rows * columns,)

    Raises
    ------
    ValueError
        If several are given, and not as many as there are panels.
    """
    count = shape[0] * shape[1]
    if not hasattr(ax, "get_subplotspec"):
        given = np.ravel(np.asarray(ax, dtype=object))
        if len(given) != count:
            msg = f"ax must be one Axes, or one for each of the {count} panels, got {len(given)}"
            raise ValueError(msg)
        return given
    place = ax.get_subplotspec()
    if place is None:
        box = ax.get_position()
        sides = {"left": box.x0, "right": box.x1, "bottom": box.y0, "top": box.y1}
        grid = ax.figure.add_gridspec(*shape, width_ratios=widths, **sides)
    else:
        grid = place.subgridspec(*shape, width_ratios=widths)
    ax.set_axis_off()
    panels: Array = grid.subplots(sharex=share == "x", sharey=share == "y", squeeze=False).ravel()
    for panel in panels:
        hold_letters(panel)
    return panels
