"""Texts of users as matplotlib can draw them: never as TeX, in fonts that have their letters."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["drawable"]

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
LONGEST = 34  # characters to which escapes may lengthen a text: a row of emojis must not push the plot away


def drawable(texts: Iterable[str]) -> tuple[list[str], dict[str, Any]]:
    r"""Return texts as matplotlib can draw them, and the options of the artists that do.

    A user's text is never read as TeX. Letters that the font lacks are drawn by another installed font; if there is
    none they are escaped, as in ``\ud55c``, but in SVG with ``svg.fonttype`` "none", where the viewer has the fonts.
    """
    from matplotlib import rcParams

    given = list(texts)
    family = list(rcParams["font.family"])
    options: dict[str, Any] = {"parse_math": False, "usetex": False}
    lacking = _lacking("".join(given), family)
    if not lacking or rcParams["svg.fonttype"] == "none":
        return given, options
    for other in _installed(FALLBACKS):
        left = _lacking("".join(sorted(lacking)), [other])
        if len(left) < len(lacking):
            family, lacking = [*family, other], left
    return [_escaped(text, lacking) for text in given], options | {"fontfamily": family}


def _escaped(text: str, lacking: set[str]) -> str:
    """Escape the letters that no font has, or put a question mark where they are too many."""
    out, room = [], LONGEST - len(text)
    for letter in text:
        escape = letter.encode("unicode_escape").decode()
        if letter in lacking:
            room -= len(escape) - 1
            out.append(escape if room >= 0 else "?")
        else:
            out.append(letter)
    return "".join(out)


def _lacking(text: str, family: list[str]) -> set[str]:
    """Return the letters of a text that the fonts of a family lack."""
    if text.isascii():
        return set()
    known = [_letters(file) for file in _files(family)]
    # A line break is in few fonts, and drawn by none.
    return {letter for letter in text if letter != "\n" and not any(ord(letter) in letters for letters in known)}


def _files(family: list[str]) -> list[str]:
    """Return the files of the fonts that matplotlib takes for a family, as the settings have it now."""
    from matplotlib.font_manager import FontProperties, findfont

    found = []
    for name in family:
        with contextlib.suppress(ValueError):  # not installed
            found.append(str(findfont(FontProperties(family=[name]), fallback_to_default=False)))
    return found or [str(findfont(FontProperties()))]


@functools.lru_cache(maxsize=64)
def _letters(file: str) -> frozenset[int]:
    """Return the letters that a font has."""
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(file).get_charmap())


def _installed(families: tuple[str, ...]) -> list[str]:
    from matplotlib import font_manager

    there = set(font_manager.get_font_names())
    return [name for name in families if name in there]
