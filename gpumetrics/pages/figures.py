"""Displays as inline SVG that follows the page: its colours in light and dark, its font, its ids."""

from __future__ import annotations

import importlib
import io
import re
import warnings
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from gpumetrics.displays.drawing.canvas import LOCK
from gpumetrics.displays.drawing.style import BANDS, GRID, INK, NOISE, PAPER, WORSE
from gpumetrics.pages import model

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["figure_of", "plotting", "svg_of"]

# Colours that the page's style sheet gives anew for light and dark.
VARIABLES = {
    INK: "var(--ink)",
    PAPER: "var(--paper)",
    GRID: "var(--grid)",
    NOISE: "var(--noise)",
    WORSE: "var(--worse)",
    BANDS[0]: "var(--band-1)",
    BANDS[1]: "var(--band-2)",
    BANDS[2]: "var(--band-3)",
}
SVG = "{http://www.w3.org/2000/svg}"
DROPPED = (f"{SVG}metadata", f"{SVG}style")
REFERENCE = re.compile(r"(?:^#|url\(#)([^)]+)")
FONT = re.compile(r"font-family: [^;]*(; )?")
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",  # real text: small, found by a search, drawn by the reader's fonts
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "legend.edgecolor": GRID,
    "legend.facecolor": PAPER,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
}
POINTS = 72  # to an inch, as in SVG
FONTS = "font.family", "font.sans-serif", "font.serif", "font.monospace"


def plotting() -> Any:
    """Return the module `matplotlib`; raise ImportError, with what to install, if there is none."""
    try:
        return importlib.import_module("matplotlib")
    except ImportError as error:
        msg = 'a page needs matplotlib: pip install "gpumetrics[report]"'
        raise ImportError(msg) from error


def figure_of(
    key: str,
    make: Callable[[Any], Any],
    caption: str,
    *,
    size: tuple[float, float] = (7.0, 4.0),
    settled: bool = False,
) -> model.Figure:
    """Return the figure of a display: `make` takes axes, draws on them and returns the display, whose `alt` is told."""
    made: list[Any] = []
    svg = svg_of(lambda ax: made.append(make(ax)), key, size=size, settled=settled)
    return model.Figure(key, svg, made[0].alt, caption)


def svg_of(
    draw: Callable[[Any], object], name: str, *, size: tuple[float, float] = (7.0, 4.0), settled: bool = False
) -> str:
    """Return what `draw` draws as an ``<svg>`` element.

    Parameters
    ----------
    draw : callable
        Takes axes; such as a display's ``plot``.
    name : str
        Goes into the ids, so that those of several plots on a page differ. Artists whose gid holds ``--`` keep it.
    size : tuple of float
        Width and height in inches at most; the page scales it down.
    settled : bool
        Whether what `draw` lays out is final, so that it is not laid out again, which takes a fifth of the time.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    mpl = plotting()
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure  # not pyplot's, which would keep it

    buffer = io.StringIO()
    with LOCK, mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing from")  # of a font that does not draw here
        fonts = {key: mpl.rcParams[key] for key in FONTS}
        mpl.rcdefaults()  # the page has a style of its own; fonts may have letters that only the user knows to need
        mpl.rcParams.update(fonts | SETTINGS | {"svg.hashsalt": name})
        # On the canvas that it is written by, so that what `draw` measures is what is drawn.
        figure = Figure(figsize=size, dpi=POINTS, layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)
        ax = figure.subplots()
        before = ax.get_position().bounds
        draw(ax)
        if settled and ax.get_position().bounds != before:
            figure.set_layout_engine("none")
        canvas.print_svg(buffer, metadata={"Date": None})  # as savefig, which draws all twice
    return _inline(buffer.getvalue(), name)


def _inline(text: str, name: str) -> str:
    """Return an SVG file as an element of a page. Only attributes are changed: texts are the user's."""
    root = ET.fromstring(text)  # noqa: S314  (matplotlib wrote it)
    for parent in root.iter():
        for child in [child for child in parent if child.tag in DROPPED]:
            parent.remove(child)
    used = {found for element in root.iter() for value in element.attrib.values() for found in REFERENCE.findall(value)}
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        element.attrib = dict(filter(None, (_attribute(*pair, name, used) for pair in element.attrib.items())))
        if not (element.text or "").strip():
            element.text = None
        element.tail = None
    for size in ("width", "height"):
        del root.attrib[size]
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _attribute(key: str, value: str, name: str, used: set[str]) -> tuple[str, str] | None:
    """Return an attribute as it is on the page; None for an id that nothing refers to and that is no mark's."""
    key = key.rpartition("}")[2]
    if key == "id":
        return ("id", f"{name}-{value}") if value in used or "--" in value else None
    if key == "d":
        return key, " ".join(value.split())
    if key == "fill":  # behind a hatch: a colour, which begins as a reference does
        return key, value
    if key == "style":
        value = FONT.sub("", value)
        for colour, variable in VARIABLES.items():
            value = value.replace(colour.lower(), variable)  # matplotlib writes small letters
    return key, REFERENCE.sub(lambda match: match[0].replace(match[1], f"{name}-{match[1]}"), value)
