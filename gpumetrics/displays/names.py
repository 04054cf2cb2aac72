"""Texts beside a plot: users' names short enough for an axis, sentences on lines that fit."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

from gpumetrics.text.labels import label_text, on_one_line
from gpumetrics.text.layout import columns_wide

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["length", "points", "short_names", "wrapped"]

LETTER = 0.52  # width of a letter on average, of its height
FEWEST_LETTERS = 12  # on a line


def short_names(labels: Iterable[Any], most: int = 24) -> list[str]:
    """Return labels on one line each, of at most `most` characters.

    What is longer is cut in the middle, and ends in its place among the labels if another one would look the same.

    Parameters
    ----------
    labels : iterable
    most : int, default=24

    Returns
    -------
    list of str

    Examples
    --------
    >>> from gpumetrics.displays.names import short_names
    >>> short_names(["customers of the first shop", "customers of the second shop", 3], most=20)
    ['customers...rst shop', 'customers...ond shop', '3']
    >>> short_names(["a" * 50 + "b" + "c" * 50, "a" * 50 + "d" + "c" * 50], most=20)
    ['aaaaaaaaaaaa... (#0)', 'aaaaaaaaaaaa... (#1)']
    """
    texts = [on_one_line(label_text(label)) for label in labels]
    cut = [_cut(text, most) for text in texts]
    twice = {text for text, times in Counter(cut).items() if times > 1}
    return [
        _numbered(text, at, most) if len(text) > most and short in twice else short
        for at, (text, short) in enumerate(zip(texts, cut, strict=True))
    ]


def wrapped(text: str, room: float, size: Any) -> str:
    """Return a text on lines that are about so many points long, none of which parts "K = 4".

    Parameters
    ----------
    text : str
    room : float
    size : str
        The setting of matplotlib (``rcParams``) that has the letters' size, such as "axes.titlesize".
    """
    letters = max(FEWEST_LETTERS, int(room / length("x", size)))
    lines = textwrap.wrap(text.replace("K = ", "K\0=\0"), letters, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def length(text: str, size: Any) -> float:
    """Return about how long a text is in points, in letters of a size as in `wrapped`."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return LETTER * columns_wide(text) * float(FontProperties(size=rcParams[size]).get_size_in_points())


def points(ax: Any, side: str) -> float:
    """Return a measure of axes, such as "width" or "x0", in points; before a layout is made, about so."""
    return float(getattr(ax.get_window_extent(), side) / ax.figure.dpi * 72)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    head = (most - 2) // 2
    return f"{text[:head]}...{text[len(text) - (most - 3 - head) :]}"


def _numbered(text: str, at: int, most: int) -> str:
    end = f"... (#{at})"
    return text[: most - len(end)] + end
