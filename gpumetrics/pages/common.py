"""What the reports have in common: cells of tables, what scores cannot say, how to repeat it."""

from __future__ import annotations

import math
import platform
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.facts import percent
from gpumetrics.pages.model import Cell, Code, Column, Listing, Paragraph, Section, Table
from gpumetrics.text.labels import cut_at_the_end, label_text, on_one_line, quoted_if_blank
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gpumetrics.pages.model import Block
    from gpumetrics.text.messages import Message

__all__ = [
    "CHECKLIST",
    "COMPUTED_WITH",
    "UNDEFINED",
    "backend_rows",
    "count_cell",
    "limits_section",
    "number_cell",
    "own",
    "settings_section",
    "share_cell",
    "short",
    "title_of",
    "versions",
    "visible",
    "written",
]

UNDEFINED = "-"
LONGEST = 120  # characters of a name, or a value, of the user's
LONGEST_TITLE = 300
RIGHT_TO_LEFT = {"R", "AL"}  # of letters
# What may have taken part; versions of those that are loaded are told.
COMPUTED_WITH = ("numpy", "scipy", "cupy", "sklearn", "cuml", "hdbscan", "matplotlib")
TITLES = {"numpy": "NumPy", "scipy": "SciPy", "cupy": "CuPy", "sklearn": "scikit-learn", "cuml": "cuML"}
CHECKLIST = (
    (
        "Read samples of each cluster, some from its middle and some from its border, with somebody who knows the "
        "data, and let them name it. Clusters that get the same name may be one."
    ),
    (
        "Cluster again with other seeds, or on other samples, and compare: gpumetrics.stability does. Above 0.9 "
        "(adjusted Rand index) the clusters are found again; near 0.5 their borders depend on the start."
    ),
    (
        "Compare the clusters with what is known of the rows anyway, such as a region or a year. What was known "
        "before is not a finding."
    ),
    "Ask what is to be done with the clusters. A good score is no use yet, and no score knows what they are for.",
)


def own(text: str) -> Message:
    """Return a user's text as one that is the same in every language, whatever words of a page it may be.

    One with letters that are written from right to left is isolated: it must not turn around the numbers beside it.
    """
    if not text.isascii() and any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in text):
        text = f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"
    return said("{text}", text=text)


def visible(text: str) -> Message:
    """Return a user's name; one without any letter in quotes."""
    return own(quoted_if_blank(text))


def short(value: Any, longest: int = LONGEST) -> Message:
    """Return what a user gave as text on one line, cut if it is long."""
    text = on_one_line(label_text(value)[: 4 * longest])
    return visible(cut_at_the_end(text, longest))


def written(value: Any, longest: int = 60) -> str:
    """Return a value as a line of Python has it; ``...`` for one that is long, or of a kind that cannot be written."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    text = repr(value) if value is None or isinstance(value, str | int | float) else "..."
    return text if len(text) <= longest else "..."


def title_of(title: Any, usual: str) -> str:
    """Return a user's title on one line, or the usual one if there is none."""
    return short(title, LONGEST_TITLE) if title is not None and str(title).strip() else usual


def number_cell(value: float, text: str = "") -> Cell:
    """Return a number, as printed or with three decimals; what is undefined sorts last."""
    value = float(value)
    return Cell(UNDEFINED if math.isnan(value) else text or f"{value:z.3f}", value)


def count_cell(value: float) -> Cell:
    """Return a number of things: whole with commas, a sum of weights with six digits."""
    value = float(value)
    if math.isnan(value):
        return Cell(UNDEFINED, value)
    return Cell(f"{value:,.0f}" if value == int(value) else f"{value:,.6g}", value)


def share_cell(share: float, decimals: int = 1) -> Cell:
    """Return a share in percent."""
    share = float(share)
    return Cell(UNDEFINED if math.isnan(share) else percent(share, decimals), share)


def limits_section(limits: Sequence[str], checklist: Sequence[str] = CHECKLIST, *, what: str) -> Section:
    """Return the section on what scores cannot say, and what to do besides.

    Parameters
    ----------
    limits : sequence of str
        Sentences.
    checklist : sequence of str
        What to do before the results are used, one after the other.
    what : str
        The sentence between the two: what should not be done before.
    """
    blocks: list[Block] = [Listing(list(limits)), Paragraph(what, strong=True), Listing(list(checklist), ordered=True)]
    return Section("limits", "What the scores cannot say", blocks)


def settings_section(rows: Iterable[tuple[str, str]], code: Mapping[str, str]) -> Section:
    """Return the section by which everything can be repeated: settings, versions, and lines to run.

    Parameters
    ----------
    rows : iterable of (str, str)
        What a setting is called, and its value.
    code : mapping of str to str
        Lines of Python, or for a shell, by the sentence that says what they do.
    """
    cells = [[Cell(name), Cell(value)] for name, value in [*rows, *versions()]]
    table = Table("settings-table", "Settings and versions", [Column("setting"), Column("value")], cells)
    blocks: list[Block] = [table]
    for heading, lines in code.items():
        blocks += [Paragraph(heading), Code(lines)]
    return Section("settings", "Settings and versions, to repeat it", blocks)


def backend_rows(backend: str, reason: str, seconds: float) -> list[tuple[str, str]]:
    """Return the rows of the settings that say where it was computed, and in what time."""
    return [
        ("computed by", said("{backend} ({reason})", backend=backend, reason=reason) if reason else backend),
        ("time", said("{seconds:.2f} s", seconds=seconds)),
    ]


def versions() -> list[tuple[str, str]]:
    """Return this package, Python, and the libraries that may have taken part, with their versions."""
    from gpumetrics import __version__

    python = own(f"{platform.python_version()} ({platform.system()})")
    found: list[tuple[str, str]] = [("gpumetrics", __version__), ("Python", python)]
    loaded = [(name, getattr(sys.modules.get(name), "__version__", "")) for name in COMPUTED_WITH]
    return found + [(TITLES.get(name, name), str(version)) for name, version in loaded if version]
