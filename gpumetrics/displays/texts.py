"""Words on axes: shares, and why there is nothing to draw."""

from __future__ import annotations

import textwrap
from typing import Any

from gpumetrics.displays.style import INK, drawable

__all__ = ["percent", "say"]


def percent(share: float) -> str:
    """Return a share from 0 to 1 as text; one that is not 0 never reads as 0.

    Examples
    --------
    >>> from gpumetrics.displays.texts import percent
    >>> percent(0.4), percent(0.031), percent(0.0001)
    ('40 %', '3.1 %', '<0.1 %')
    """
    if 0 < share < 0.0005:
        return "<0.1 %"
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.0995 else f"{100 * share:.1f} %"


def say(ax: Any, text: str) -> Any:
    """Write on empty axes why there is nothing to draw; return the text."""
    ax.set_axis_off()
    (shown,), options = drawable([textwrap.fill(text, 60)])
    return ax.text(0.5, 0.5, shown, transform=ax.transAxes, ha="center", va="center", color=INK, **options)
