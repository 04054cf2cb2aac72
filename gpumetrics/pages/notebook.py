"""Results as small tables in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.pages.notebook_tables import Grid
    from gpumetrics.results import Result

__all__ = ["notebook_html"]

# Colours are the notebook's own, light or dark: lines are drawn with a share of the letters' colour.
STYLE = """<style>
.gpumetrics-result { font-size: 0.95em; line-height: 1.45; max-width: 100%; overflow-x: auto; }
.gpumetrics-result p { margin: 0.25em 0; max-width: 80ch; }
.gpumetrics-result .facts { opacity: 0.75; }
.gpumetrics-result table { margin: 0.6em 0; border-collapse: collapse; border: 0; color: inherit; font-size: inherit; }
.gpumetrics-result table { font-variant-numeric: tabular-nums; }
.gpumetrics-result caption { padding: 0; text-align: left; font-weight: 600; color: inherit; }
.gpumetrics-result th, .gpumetrics-result td { padding: 0.15em 0.7em; border: 0; text-align: left; font-size: 0.9em; }
.gpumetrics-result thead th { border-bottom: 1px solid rgba(128, 128, 128, 0.6); font-weight: 600; }
.gpumetrics-result tbody th { font-weight: 500; }
.gpumetrics-result .number { text-align: right; white-space: nowrap; }
.gpumetrics-result summary { cursor: pointer; }
.gpumetrics-result ul { margin: 0.25em 0; padding-left: 1.5em; max-width: 80ch; }
</style>"""


def notebook_html(result: Result) -> str:
    """Return a result as HTML for a notebook's cell: its main numbers, what they say, and notes to open.

    Everything is escaped. Of tables with many rows the most telling ones are there. What belongs to no class known
    here is shown as it is printed.

    Examples
    --------
    >>> from gpumetrics import split_candidates
    >>> found = split_candidates([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    >>> "<b>Split candidates: none</b>" in found._repr_html_()
    True
    """
    from gpumetrics.pages.notebook_choices import CHOICES
    from gpumetrics.pages.notebook_clusterings import CLUSTERINGS
    from gpumetrics.pages.notebook_plans import PLANS

    known = CLUSTERINGS | CHOICES | PLANS
    name = next((kind.__name__ for kind in type(result).__mro__ if kind.__name__ in known), None)
    if name is None:
        return f"<pre>{escape(str(result))}</pre>"
    summary = known[name](result)
    parts = [f"<p><b>{escape(summary.title)}</b></p>"]
    parts += [f'<p class="facts">{escape(summary.facts)}</p>'] if summary.facts else []
    parts += [f"<p>{escape(line)}</p>" for line in summary.reading]
    parts += map(_grid, summary.grids)
    if summary.notes:
        parts.append(_fold(f"Notes ({len(summary.notes)})", _list(summary.notes)))
    return f'<div class="gpumetrics-result">{STYLE}{"".join(parts)}</div>'


def _grid(grid: Grid) -> str:
    kinds = ['class="number"' if at in grid.numbers else "" for at in range(len(grid.heads))]
    head = "".join(_element("th", text, 'scope="col"', kind) for text, kind in zip(grid.heads, kinds, strict=True))
    body = "".join(f"<tr>{_row(row, kinds)}</tr>" for row in grid.rows)
    # What folds has the caption for a handle.
    caption = "" if grid.folded else _element("caption", grid.caption)
    table = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    table += f'<p class="facts">{escape(grid.more)}</p>' if grid.more else ""
    return _fold(grid.caption, table) if grid.folded else table


def _row(row: Iterable[str], kinds: list[str]) -> str:
    (first, kind), *others = zip(row, kinds, strict=True)
    return _element("th", first, 'scope="row"', kind) + "".join(_element("td", text, kind) for text, kind in others)


def _element(tag: str, text: Any, *attributes: str) -> str:
    return f"<{' '.join([tag, *filter(None, attributes)])}>{escape(text)}</{tag}>"


def _fold(title: str, inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def _list(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
