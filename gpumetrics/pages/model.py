"""What a report says, before it is HTML: sections of paragraphs, tables, plots and samples.

Texts are messages (`gpumetrics.text.messages`), which the template says in the page's language; what a user gave is
plain text, and the template escapes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = [
    "Block",
    "Card",
    "Cards",
    "Cell",
    "Code",
    "Column",
    "Figure",
    "Fold",
    "Listing",
    "Page",
    "Paragraph",
    "Sample",
    "Samples",
    "Section",
    "Table",
]


class Paragraph(NamedTuple):
    """A paragraph; `strong` for what a reader should see first."""

    text: str
    strong: bool = False


class Listing(NamedTuple):
    """A list of sentences."""

    items: list[str]
    ordered: bool = False


class Code(NamedTuple):
    """Lines to copy, as they stand: never in another language."""

    text: str


class Card(NamedTuple):
    """A number that is read at a glance.

    `title` names it, `value` is printed large, `range` gives its bounds and direction ("-1 to 1, higher is better"),
    `reading` says it in words; `tone` is "good", "fair", "poor" or "" (no judgement).
    """

    title: str
    value: str
    range: str = ""
    reading: str = ""
    tone: str = ""


class Cards(NamedTuple):
    """Numbers side by side."""

    cards: list[Card]


class Column(NamedTuple):
    """A column of a table; `number` aligns right and sorts by value; `help` explains it."""

    title: str
    number: bool = False
    help: str = ""


class Cell(NamedTuple):
    """A cell: its text, and the number that it sorts by (None: by its text; nan sorts last)."""

    text: str
    sort: float | None = None


class Table(NamedTuple):
    """A table; the first cell of each row is its heading.

    `marks` has for each row the key of the cluster it is about ("" for none), by which a row is tied to the plots:
    every drawing of the cluster has an id that ends in ``--<key>``.
    """

    id: str
    caption: str
    columns: list[Column]
    rows: list[list[Cell]]
    marks: tuple[str, ...] = ()
    note: str = ""


class Figure(NamedTuple):
    """A plot as inline SVG (made by `gpumetrics.pages.figures.svg_of`), what it shows in words, and its caption."""

    id: str
    svg: str
    alt: str
    caption: str = ""


class Sample(NamedTuple):
    """A row of the data as the user gave it: its text, or a picture as a data URI, and what is said of it."""

    row: int
    text: str = ""
    image: str = ""
    remark: str = ""


class Samples(NamedTuple):
    """Samples under a heading, of one cluster."""

    heading: str
    samples: list[Sample]
    mark: str = ""


class Fold(NamedTuple):
    """Blocks that open on a click."""

    heading: str
    blocks: list[Block]


Block = Paragraph | Listing | Code | Cards | Table | Figure | Samples | Fold


@dataclass(frozen=True)
class Section:
    """A part of a page, with its heading."""

    id: str
    heading: str
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """A report: it opens with `lead`, the reading in a few sentences; then come the sections."""

    title: str
    subtitle: str
    lang: str
    lead: list[Block]
    sections: list[Section]
