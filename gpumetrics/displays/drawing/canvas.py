"""Where displays draw: axes under settings that suit them, and their measures."""

from __future__ import annotations

import importlib
import threading
import warnings
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.types import Array

__all__ = ["LOCK", "drawing_on", "hold_letters", "letter_size", "points", "pyplot", "settings", "settle"]

LEAST = (6.0, 3.2)  # inches in which a display of one panel has room for letters of their full size
SMALLEST = 0.5  # size of letters on small axes, relative to the user's
LARGEST = 3.0  # times a display's own size: a new figure for large letters
MOST_ROUNDS = 4  # of layout
STEADY = 0.02  # inches
INSIDE = 0.77  # of a figure is within the axes, before a layout is made
# Letters for which a display's own size is made, in points.
SIZES = {"font.size": 10, "axes.titlesize": 12, "axes.labelsize": 10, "xtick.labelsize": 10, "ytick.labelsize": 10}
LOCK = threading.RLock()  # matplotlib's settings are the same for all threads


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


@contextmanager
def settings(chosen: dict[str, Any]) -> Iterator[None]:
    """Draw under some of matplotlib's settings (``rcParams``); other threads wait, and the user's come back."""
    with LOCK, pyplot().rc_context(chosen):
        yield


@contextmanager
def drawing_on(ax: Any, *, size: tuple[float, float], least: tuple[float, float] = LEAST) -> Iterator[Any]:
    """Give axes to draw on, and hold to settings that suit them: letters that small axes have room for, never TeX.

    Parameters
    ----------
    ax : Axes, several of them as panels, or None
        New ones of `size` if None.
    size, least : tuple of float
        Width and height in inches: of a new figure, and of one in which letters keep their size.

    Raises
    ------
    TypeError
        If `ax` is neither.
    ImportError
        If matplotlib is not installed.
    """
    each = [] if ax is None else np.ravel(np.asarray(ax, dtype=object)).tolist()
    if not all(hasattr(one, "get_window_extent") and hasattr(one, "set_title") for one in each):
        msg = f"ax must be matplotlib Axes, or None for new ones, got {ax!r}"
        raise TypeError(msg)
    with settings({"text.usetex": False}):
        if not each:
            figsize = np.multiply(size, np.clip(_large(), 1, LARGEST))
            _, ax = pyplot().subplots(figsize=figsize, layout="constrained")
        with settings(_smaller(each, least)):
            for one in each:
                hold_letters(one)
            yield ax


def hold_letters(ax: Any) -> None:
    """Give numbers on axes the size that the settings have now: ticks may be made after these are gone."""
    for axis in "xy":
        ax.tick_params(axis=axis, labelsize=letter_size(f"{axis}tick.labelsize"))


def letter_size(setting: str = "font.size") -> float:
    """Return the size of letters in points that a setting of matplotlib (``rcParams``) stands for."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=_settings()[setting]).get_size_in_points())


def settle(ax: Any, write: Callable[[], object] = lambda: None) -> None:
    """Lay the figure out, so that measures of its axes are right.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    write : callable, optional
        Writes what takes room, on lines that fit into it; called again until that changes nothing any more.
    """
    figure = ax.figure.figure or ax.figure  # of a subfigure, the whole
    engine = figure.get_layout_engine()
    for _ in range(MOST_ROUNDS):
        write()
        if engine is None:
            return
        before = _corners(figure)
        with warnings.catch_warnings(), suppress(ValueError):  # which matplotlib passes over when it draws
            warnings.simplefilter("ignore")  # the user has them when the figure is drawn
            engine.execute(figure)
        if np.abs(_corners(figure) - before).max() < STEADY * figure.dpi:
            return


def points(ax: Any, side: str) -> float:
    """Return a measure of axes, such as "width" or "x0", in points; before a layout is made, about so."""
    return float(getattr(ax.get_window_extent(), side) / ax.figure.dpi * 72)


def _corners(figure: Any) -> Array:
    return np.array([ax.get_window_extent().extents for ax in figure.axes])


def _smaller(axes: list[Any], least: Any) -> dict[str, Any]:
    """Return the settings of letters on axes with less room than they need."""
    from matplotlib.transforms import Bbox

    if not axes:
        return {}
    now, least = _settings(), np.multiply(least, _large())
    room = Bbox.union([ax.get_window_extent() for ax in axes]).size / axes[0].figure.dpi / INSIDE
    scale = float(np.clip((room / least).min(), SMALLEST, 1.0))
    return {name: now[name] * scale for name in SIZES if not isinstance(now[name], str)}


def _large() -> float:
    """Return how large the user's letters are, relative to those that sizes are made for."""
    return max(letter_size(name) / usual for name, usual in SIZES.items())


def _settings() -> Any:
    return importlib.import_module("matplotlib").rcParams
