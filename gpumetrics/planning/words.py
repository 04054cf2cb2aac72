"""Numbers of a plan as they are read: bytes, operations, times."""

from __future__ import annotations

import math

from gpumetrics.text.messages import Message, said

__all__ = ["amount_text", "bytes_text", "time_text"]

YEAR = 31_536_000
UNITS = ("B", "KB", "MB", "GB", "TB", "PB", "EB")


def bytes_text(n_bytes: float) -> str:
    """Return bytes in units of 1,000.

    Examples
    --------
    >>> from gpumetrics.planning.words import bytes_text
    >>> [bytes_text(n) for n in (512, 307.2e9, 1e25)]
    ['512 B', '307 GB', '1e+07 EB']
    """
    step = 0 if n_bytes < 1 else min(int(math.log10(n_bytes) / 3 + 1e-9), len(UNITS) - 1)
    return f"{n_bytes / 1000**step:.3g} {UNITS[step]}"


def amount_text(amount: float) -> str:
    """Return a large number: with commas up to a million, as a power of ten beyond.

    Examples
    --------
    >>> from gpumetrics.planning.words import amount_text
    >>> [amount_text(n) for n in (12_345, 5.44e8, 1e19)]
    ['12,345', '5.4e8', '1e19']
    """
    return f"{amount:,.0f}" if amount < 1e6 else f"{amount:.2g}".replace("e+0", "e").replace("e+", "e")


def time_text(seconds: float) -> Message:
    """Return seconds in the unit that fits them.

    Examples
    --------
    >>> from gpumetrics.planning.words import time_text
    >>> [time_text(n) for n in (0.0012, 90, 9000, 1e6, 1e12)]
    ['1.2 ms', '90 s', '2.5 h', '12 days', '31,710 years']
    """
    if seconds < 1:
        return said("{n} ms", n=_figures(1000 * seconds))
    if seconds < 120:
        return said("{n} s", n=_figures(seconds))
    if seconds < 7200:
        return said("{n} min", n=_figures(seconds / 60))
    if seconds < 172_800:
        return said("{n} h", n=_figures(seconds / 3600))
    if seconds < YEAR:
        return said("{n} days", n=_figures(seconds / 86_400))
    return said("{n} years", n=_figures(seconds / YEAR))


def _figures(number: float) -> str:
    """Two figures, and those before the point."""
    return f"{number:,.0f}" if 99.5 <= number < 1e6 else f"{number:.2g}"
