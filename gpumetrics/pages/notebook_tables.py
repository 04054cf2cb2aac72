"""What a notebook shows of a result, before it is HTML: a heading, sentences, small tables, notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.label_arrays import as_objects
from gpumetrics.text.labels import cut_at_the_end, label_text, on_one_line, printer
from gpumetrics.text.layout import format_score

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from gpumetrics.types import Array

__all__ = ["MOST_ROWS", "Grid", "Summary", "cut", "cut_sentence", "grid_of", "lowest", "namer", "shown"]

MOST_ROWS = 20  # of a table
LONGEST = 80  # letters of a name or text of the user's
LONGEST_SENTENCE = 400  # letters of a sentence, which may hold such names


class Grid(NamedTuple):
    """A table; its first column is the rows' heading.

    `numbers` are the columns that align right, `more` says where the rows are that are left out, and a `folded` table
    opens on a click.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Collection[int] = ()
    more: str = ""
    folded: bool = False


class Summary(NamedTuple):
    """What is shown of a result; `facts` is a line under the title, `reading` what it says in words."""

    title: str
    facts: str
    reading: Sequence[str]
    grids: Sequence[Grid]
    notes: Sequence[str] = ()


def grid_of(
    caption: str,
    table: Mapping[str, Array],
    titles: Mapping[str, str],
    *,
    order: Array | None = None,
    names: Collection[str] = ("label",),
    shares: Collection[str] = (),
    kept_in: str = "",
) -> Grid:
    """Return columns of a table as text, at most `MOST_ROWS` rows of them; columns without any value are left out.

    Parameters
    ----------
    caption : str
    table : mapping of str to ndarray of shape (n,)
    titles : mapping of str to str
        Columns to show, those of them that the table has, and what they are called.
    order : ndarray of int64, optional
        Rows from the most telling one on, by which they are chosen if there are too many; else they stay in order.
    names, shares : collection of str
        Columns that hold labels, and shares of 1.
    kept_in : str
        The attribute of the result that has all rows.
    """
    keys = [key for key in titles if key in table and _says_something(table[key])]
    n = len(next(iter(table.values())))
    rows, more = np.arange(n), ""
    if n > MOST_ROWS:
        rows = (rows if order is None else order)[:MOST_ROWS]
        more = f"... and {n - MOST_ROWS:,} more" + (f" (all of them in {kept_in})" if kept_in else "")
    name = namer(*(table[key] for key in keys if key in names))
    lines = [
        [name(table[key][at]) if key in names else shown(table[key][at], share=key in shares) for key in keys]
        for at in rows.tolist()
    ]
    numbers = {at for at, key in enumerate(keys) if key not in names and table[key].dtype.kind in "iuf"}
    return Grid(caption, [titles[key] for key in keys], lines, numbers, more)


def _says_something(column: Array) -> bool:
    if column.dtype.kind == "O":
        return any(value is not None for value in column)
    return column.dtype.kind != "f" or not len(column) or not bool(np.isnan(column).all())


def namer(*columns: Array) -> Callable[[Any], str]:
    """Return what prints the labels in these columns, each cut where it still differs from the others."""
    every = columns[0] if len(columns) == 1 else as_objects([label for column in columns for label in column.tolist()])
    name = printer(every)
    return lambda label: "-" if label is None else cut(name(label))


def shown(value: Any, *, share: bool = False) -> str:
    """Return a number, a share in percent, or a text, as a cell has it."""
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{100 * value:.1f} %" if share else format_score(value)
    return f"{value:,}" if isinstance(value, int) else cut(value)


def cut(value: Any) -> str:
    """Return what a user gave on one line, and no longer than a cell can take."""
    return cut_at_the_end(on_one_line(label_text(value)[: 4 * LONGEST]), LONGEST)


def cut_sentence(sentence: str) -> str:
    """Return a sentence, the end left out if a name in it makes it long."""
    return cut_at_the_end(sentence, LONGEST_SENTENCE)


def lowest(column: Array) -> Array:
    """Return the rows of the lowest values first; undefined ones last."""
    return np.argsort(column, kind="stable")
