"""What all displays share: matplotlib when it is needed, colours, and texts that its font may lack."""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BANDS",
    "CLUSTERS",
    "GRID",
    "INK",
    "NOISE",
    "PAPER",
    "WORSE",
    "axes_for",
    "cluster_colors",
    "drawable",
    "pyplot",
]

# Okabe and Ito's colours, which people with any colour vision tell apart; in an order in which neighbours also differ
# in grey. Yellow is left out: it vanishes on white.
CLUSTERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
NOISE = "#9a9a9a"
INK = "#222222"  # lines and letters
PAPER = "#fefefe"
GRID = "#dadada"
WORSE = "#B33A00"  # what needs a look: negative silhouettes, the worst pair
# Families with letters beyond the Latin ones that systems bring: the first that is there draws what the default lacks.
FALLBACKS = (
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "NanumGothic",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "Noto Sans CJK JP",
    "Microsoft YaHei",
    "Arial Unicode MS",
    "Unifont",
)
BANDS = ("#f3f3f3", "#e6e6e6", "#d9d9d9")  # behind a plot, from weak to distinct


def pyplot() -> Any:
    """Return `matplotlib.pyplot`.

    Raises
    ------
    ImportError
        If it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        msg = 'a display needs matplotlib: pip install "gpumetrics[plot]"'
        raise ImportError(msg) from error


def axes_for(ax: Any, *, size: tuple[float, float]) -> tuple[Any, Any]:
    """Return the figure and the axes to draw on: those of `ax`, or new ones of `size` inches."""
    if ax is not None:
        return ax.figure, ax
    figure, ax = pyplot().subplots(figsize=size, layout="constrained")
    return figure, ax


def cluster_colors(n: int) -> list[str]:
    """Return a colour for each of n clusters; they come again after six, so that colour is never the only sign."""
    return [CLUSTERS[i % len(CLUSTERS)] for i in range(n)]


def drawable(texts: Iterable[str]) -> tuple[list[str], dict[str, Any]]:
    r"""Return texts as matplotlib can draw them, and the options of the artists that do.

    A user's text is never read as TeX. Letters that the font lacks are drawn by another installed font; if there is
    none they are escaped, as in ``\ud55c``, but in SVG with ``svg.fonttype`` "none", where the viewer has the fonts.
    """
    given = list(texts)
    matplotlib = importlib.import_module("matplotlib")
    family = list(matplotlib.rcParams["font.family"])
    options: dict[str, Any] = {"parse_math": False}
    lacking = _lacking("".join(given), tuple(family))
    if not lacking or matplotlib.rcParams["svg.fonttype"] == "none":
        return given, options
    for other in _installed(FALLBACKS):
        left = _lacking("".join(sorted(lacking)), (other,))
        if len(left) < len(lacking):
            family, lacking = [*family, other], left
    escaped = {ord(letter): letter.encode("ascii", "backslashreplace").decode() for letter in lacking}
    return [text.translate(escaped) for text in given], options | {"fontfamily": family}


def _lacking(text: str, family: tuple[str, ...]) -> set[str]:
    """Return the letters of a text that the fonts of a family lack."""
    if text.isascii():
        return set()
    known = _letters(family)
    return {letter for letter in text if ord(letter) not in known}


@functools.lru_cache(maxsize=16)
def _letters(family: tuple[str, ...]) -> frozenset[int]:
    """Return the letters that fonts have."""
    fonts = importlib.import_module("matplotlib.font_manager")
    ft2font = importlib.import_module("matplotlib.ft2font")
    found: set[int] = set()
    for name in family:
        path = fonts.findfont(fonts.FontProperties(family=[name]))
        found |= ft2font.FT2Font(path).get_charmap().keys()
    return frozenset(found)


@functools.cache
def _installed(families: tuple[str, ...]) -> list[str]:
    fonts = importlib.import_module("matplotlib.font_manager")
    there = set(fonts.get_font_names())
    return [name for name in families if name in there]
