"""The colours of all displays."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = [
    "BANDS",
    "CLUSTERS",
    "GRID",
    "INK",
    "MIDDLE",
    "NOISE",
    "PAPER",
    "WORSE",
    "Tones",
    "cluster_colors",
    "luminance",
    "tones",
]

# Okabe and Ito's colours, which people with any colour vision tell apart; in an order in which neighbours also differ
# in grey. Yellow is left out: it vanishes on white.
CLUSTERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
NOISE = "#9a9a9a"
INK = "#222222"  # lines and letters
PAPER = "#fefefe"
GRID = "#dadada"
WORSE = "#B33A00"  # what needs a look: negative silhouettes, the worst pair
BANDS = ("#f3f3f3", "#e6e6e6", "#d9d9d9")  # behind a plot, from weak to distinct
MIDDLE = 0.18  # luminance as far from black as from white, by contrast


class Tones(NamedTuple):
    """Colours of what belongs to the frame of a plot; the constants of the same names are those on light paper."""

    ink: str
    paper: str
    grid: str
    noise: str
    worse: str
    bands: tuple[str, str, str]


ON_LIGHT = Tones(INK, PAPER, GRID, NOISE, WORSE, BANDS)
ON_DARK = Tones("#e4e6e9", "#101214", "#3a4049", "#8d949d", "#ff9259", ("#1d2126", "#272c33", "#323841"))


def tones(ax: Any) -> Tones:
    """Return the colours that are seen on the paper of axes, such as that of the style "dark_background".

    Paper that is transparent counts as light: what lies behind it is not known.
    """
    from matplotlib.colors import to_rgba

    for face in (ax.get_facecolor(), ax.figure.get_facecolor()):
        *color, opacity = to_rgba(face)
        if opacity >= 0.5:
            return ON_DARK if luminance(*color) < MIDDLE else ON_LIGHT
    return ON_LIGHT


def luminance(red: Any, green: Any, blue: Any) -> Any:
    """Return how light colours are, from 0 to 1."""
    return 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2


def cluster_colors(n: int) -> list[str]:
    """Return a colour for each of n clusters; they come again after six, so that colour is never the only sign."""
    return [CLUSTERS[i % len(CLUSTERS)] for i in range(n)]
