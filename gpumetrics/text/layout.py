"""Plain text for a terminal: columns, lines of a width, numbers."""

from __future__ import annotations

import math
import re
import textwrap
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FOLDED_ROWS", "MOST_ROWS", "WIDTH", "align", "columns_wide", "format_score", "notes_block", "wrapped"]

WIDTH = 110
MOST_ROWS = 25  # lines of a table that are printed in full; of more, the worst
FOLDED_ROWS = 15


def format_score(value: float) -> str:
    """Return four decimals for values near 1, thousands with commas, powers of ten beyond."""
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if value == 0 or 1e-3 <= abs(value) < 100:
        return f"{value:.4f}"
    return f"{value:,.1f}" if 100 <= abs(value) < 1e9 else f"{value:.4g}"


def wrapped(text: str, indent: str) -> str:
    """Return the text on lines of at most `WIDTH`, all but the first indented, none of which parts "K = 4"."""
    whole = re.sub(r"K = (?=\d)", "K\0=\0", text)
    lines = textwrap.fill(whole, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\0", " ")


def align(rows: Sequence[Sequence[str]], right: set[int]) -> str:
    """Lay cells out in columns; those in `right` are aligned to the right."""
    widths = [max(columns_wide(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            " " * (w - columns_wide(c)) + c if i in right else c + " " * (w - columns_wide(c))
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def columns_wide(text: str) -> int:
    """Return how many columns text takes on a terminal: two for a wide (Korean, ...) character, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def notes_block(notes: Iterable[str], title: str = "Notes") -> str:
    """Return notes as a list under their title."""
    return "\n".join([title, *(wrapped(f"- {note}", "  ") for note in notes)])
