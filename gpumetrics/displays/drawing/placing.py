"""Names beside points of a plot, moved apart where they would lie on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.displays.drawing.canvas import letter_size, points
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.style import tones
from gpumetrics.text.layout import columns_wide

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.types import Array

__all__ = ["Places", "paper_box"]

WIDTH, HEIGHT = 0.6, 1.6  # of a letter, and of a line with its margin, in sizes of the font
STEPS = [0.0, *(sign * half / 2 for half in range(1, 13) for sign in (1, -1))]  # lines to move a name until it is free


class Places:
    """The room on axes whose limits stay as they are: what is taken, and where the next name fits.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    """

    def __init__(self, ax: Any) -> None:
        self.ax = ax
        self.taken: list[tuple[float, float, float, float]] = []  # centre, half of width and of height, in points
        self.low, self.high = points(ax, "y0"), points(ax, "y1")

    def keep_free(self, places: Array, half: float = 4.0) -> None:
        """Keep names off what is drawn at places (n, 2), that many points (of print) around them."""
        self.taken += [(x, y, half, half) for x, y in self._on_paper(places)]

    def write(
        self, places: Array, names: Sequence[str], *, size: float = 0.8, aside: float = 0.0, **options: Any
    ) -> list[Any]:
        """Write names at places, or as near to them as there is room; where there is none, at the place.

        Parameters
        ----------
        places : ndarray of shape (n, 2)
        names : sequence of str
            Users' texts, already shortened.
        size : float, default=0.8
            Of the letters, relative to that of the settings.
        aside : float, default=0.0
            Points by which the left end of a name lies right of its place; 0 centres it.
        **options
            Of the artists.

        Returns
        -------
        list of matplotlib.text.Annotation
        """
        texts, more = drawable(names)
        size *= letter_size()
        fixed: dict[str, Any] = {"textcoords": "offset points", "va": "center", "ha": "left" if aside else "center"}
        fixed |= {"fontsize": size, "color": tones(self.ax).ink, "bbox": paper_box(self.ax)}
        fixed |= {"zorder": 6, "annotation_clip": True, **more, **options}
        out = []
        for text, place, (x, y) in zip(texts, places, self._on_paper(places), strict=True):
            box = WIDTH * size * columns_wide(text) / 2, HEIGHT * size / 2
            middle = x + aside + box[0] if aside else x
            shifts = [step * HEIGHT * size for step in STEPS]
            shift = next((s for s in shifts if self._free(middle, y + s, *box)), 0.0)
            self.taken.append((middle, y + shift, *box))
            out.append(self.ax.annotate(text, place, xytext=(aside, shift), **fixed))
        return out

    def _on_paper(self, places: Array) -> list[tuple[float, float]]:
        scale = 72 / self.ax.figure.dpi
        return [(x * scale, y * scale) for x, y in self.ax.transData.transform(places)] if len(places) else []

    def _free(self, x: float, y: float, half_width: float, half_height: float) -> bool:
        if y - half_height < self.low or y + half_height > self.high:
            return False
        apart = (
            abs(x - u) >= 0.99 * (half_width + w) or abs(y - v) >= 0.99 * (half_height + h) for u, v, w, h in self.taken
        )
        return all(apart)


def paper_box(ax: Any) -> dict[str, Any]:
    """Return the box behind a name that lies on a drawing."""
    return {"boxstyle": "round,pad=0.15", "facecolor": tones(ax).paper, "edgecolor": "none", "alpha": 0.75}
