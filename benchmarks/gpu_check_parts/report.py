"""The results as Markdown and as JSON."""

from __future__ import annotations

import json
import math
from pathlib import Path


def section(check, title):
    """A section: its table, notes, and what was left out."""
    lines = [f"\n## {title} ({check.timings.get(title, 0):.0f} s)\n"]
    # Rows of different kinds have different columns: a table for each kind.
    for rows in _alike(check.tables.get(title, [])):
        lines += [*_table(rows), ""]
    lines += [f"- {note}" for note in check.notes.get(title, [])]
    lines += [f"- left out: {s['what']}: {s['why']}" for s in check.skipped if s["section"] == title]
    lines += [f"- ERROR in {e['what']}: {e['error']}" for e in check.errors if e["section"] == title]
    return "\n".join(lines)


def _alike(rows):
    kinds = {}
    for row in rows:
        kinds.setdefault(tuple(name for name in row if name != "products from"), []).append(row)
    return kinds.values()


def _table(rows):
    columns = list(dict.fromkeys(name for row in rows for name in row))
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield f"| {' | '.join(cell(row.get(name)) for name in columns)} |"


def cell(value):
    """A value in a cell."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value).replace("|", "\\|")


def bars(check):
    """All bars and their verdicts."""
    lines = ["\n## Bars\n", "| bar | value | limit | verdict |", "|---|---|---|---|"]
    for bar in check.bars.values():
        limit = "-" if bar.limit is None else f"{'at most' if bar.at_most else 'at least'} {bar.limit:g}"
        verdict = f"{bar.verdict} ({bar.note})" if bar.note else bar.verdict
        lines.append(f"| {bar.name} | {cell(bar.value)} | {limit} | {verdict} |")
    return "\n".join(lines)


def write_json(path, check, **more):
    """Write everything; numbers that JSON lacks become text."""
    text = json.dumps(_strict({**more, **check.result()}), indent=1, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def _strict(value):
    if isinstance(value, dict):
        return {str(name): _strict(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(part) for part in value]
    if isinstance(value, bool | int | str | None):
        return value
    number = float(value)
    return number if math.isfinite(number) else str(number)
