"""Words on axes: titles and captions on lines that fit, shares, and why there is nothing to draw."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from gpumetrics.displays.drawing.canvas import letter_size, points
from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.style import tones
from gpumetrics.text.layout import columns_wide
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.text.messages import Message

__all__ = ["length", "percent", "say", "wrapped", "write_label", "write_title"]

LETTER = 0.55  # width of a letter on average, of its height
FEWEST_LETTERS = 12  # on a line


def percent(share: float) -> Message:
    """Return a share from 0 to 1 as text; one that is not 0 never reads as 0, nor one that is not 1 as all.

    Examples
    --------
    >>> from gpumetrics.displays.drawing.texts import percent
    >>> percent(0.4), percent(0.031), percent(0.0001), percent(0.9999)
    ('40 %', '3.1 %', '<0.1 %', '>99.9 %')
    """
    number = f"{100 * share:.0f}" if share in (0, 1) or 0.0995 <= share < 0.995 else f"{100 * share:.1f}"
    if 0 < share < 0.0005:
        number = "<0.1"
    elif 0.9995 <= share < 1:
        number = ">99.9"
    return said("{number} %", number=number)


def say(ax: Any, text: str) -> Any:
    """Write on empty axes why there is nothing to draw; return the text."""
    ax.set_axis_off()
    (shown,), options = drawable([wrapped(text, min(points(ax, "width"), 60 * LETTER * letter_size()), "font.size")])
    options |= {"transform": ax.transAxes, "ha": "center", "va": "center", "color": tones(ax).ink}
    return ax.text(0.5, 0.5, shown, **options)


def write_title(ax: Any, text: str, *, size: str = "axes.titlesize", room: float | None = None, **options: Any) -> Any:
    """Write a title on lines that fit the width of axes, or some other width in points; return the artist.

    `size` names the setting of matplotlib (``rcParams``) that has the letters' size.
    """
    (shown,), more = drawable([wrapped(text, points(ax, "width") if room is None else room, size)])
    return ax.set_title(shown, **{"loc": "left", "fontsize": letter_size(size), **more, **options})


def write_label(ax: Any, axis: str, text: str, **options: Any) -> Any:
    """Write what an axis is, in letters of the size that the settings have now; return the artist."""
    (shown,), more = drawable([text])
    write = ax.set_xlabel if axis == "x" else ax.set_ylabel
    return write(shown, fontsize=letter_size("axes.labelsize"), **more, **options)


def wrapped(text: str, room: float, size: str) -> str:
    """Return a text, of one line or several, on lines that are about so many points long; none parts "K = 4".

    Parameters
    ----------
    text : str
    room : float
    size : str
        The setting of matplotlib (``rcParams``) that has the letters' size, such as "axes.titlesize".
    """
    letters = max(FEWEST_LETTERS, int(room / length("x", size)))
    lines = [
        part
        for line in text.replace("K = ", "K\0=\0").split("\n")
        for part in textwrap.wrap(line, letters, break_on_hyphens=False) or [""]
    ]
    return "\n".join(lines).replace("\0", " ")


def length(text: str, size: str) -> float:
    """Return about how long a text is in points, in letters of a size as in `wrapped`."""
    return LETTER * columns_wide(text) * letter_size(size)
