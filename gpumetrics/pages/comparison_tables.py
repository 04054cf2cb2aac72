"""Tables of a comparison's report: all labelings, and what parts and joins between two of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.comparison_text import entries_by_reason, shown_scores
from gpumetrics.choosing.facts import FACTS, percent, printed, printed_estimate
from gpumetrics.pages.common import count_cell, number_cell, own, share_cell, short
from gpumetrics.pages.model import Cell, Column, Paragraph, Table
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.choosing.changes import Change, Group
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.pages.model import Block
    from gpumetrics.text.messages import Message

    Part = tuple[list[Column], Callable[[int], list[Cell]]]  # columns, and their cells for a labeling

__all__ = ["change_blocks", "labelings_table", "range_of", "reasons_of"]

HEADS = {"n_clusters": "K asked for", "labeling": "labeling", "setting": "setting"}
LEGEND = said(
    "\N{UPWARDS ARROW} higher is better, \N{DOWNWARDS ARROW} lower is better; (best) marks the best by each score."
)
MOST_GROUPS, MOST_PIECES = 40, 12  # of a change
MOST_NAMES = 8  # with the same reason
REASON = 160  # characters of a reason in the table; the section on what is missing has more
LONGEST_REASON = 1000


def labelings_table(comparison: Comparison) -> Table:
    """Return a line for each labeling; the best by each score is marked in words."""
    parts = [_name_part, _scores_part, _sizes_part, _times_part, _reasons_part]
    found = [part(comparison) for part in parts]
    columns = [column for heads, _ in found for column in heads]
    lines = [[cell for _, cells in found for cell in cells(at)] for at in range(len(comparison))]
    note = [LEGEND]
    if comparison.silhouette_mode == "estimate":
        note.append(said("Standard errors stand behind +/-."))
    marks = tuple(f"l{at}" for at in range(len(comparison)))
    return Table("labelings", "All labelings", columns, lines, marks, joined(note))


def _name_part(comparison: Comparison) -> Part:
    by_k = comparison.entries.kind == "n_clusters"
    return [Column(HEADS[comparison.entries.kind], number=by_k)], lambda at: [_name(comparison, at)]


def _scores_part(comparison: Comparison) -> Part:
    scores = shown_scores(comparison)
    columns = []
    for name in scores:
        up, title = FACTS[name].better == "higher", FACTS[name].title
        head = (
            said("{score} \N{UPWARDS ARROW}", score=title) if up else said("{score} \N{DOWNWARDS ARROW}", score=title)
        )
        columns.append(Column(head, number=True, help=range_of(name)))
    return columns, lambda at: [_score(comparison, name, at) for name in scores]


def range_of(score: str) -> Message:
    """Return the range of a score, and its direction."""
    facts = FACTS[score]
    if facts.better == "higher":
        return said("{range}, higher is better", range=facts.range)
    return said("{range}, lower is better", range=facts.range)


def _sizes_part(comparison: Comparison) -> Part:
    """Return the clusters and their sizes, without what the names say already, or what is 0 everywhere."""
    rows = comparison.rows
    columns, keys = [Column("smallest", number=True, help="rows of the smallest cluster")], ["size_min", "size_max"]
    columns.append(Column("largest", number=True, help="rows of the largest cluster"))
    if any(k != name for k, name in zip(rows["n_clusters"], rows["name"], strict=True)):
        columns.insert(0, Column("clusters", number=True, help="clusters found, without the noise"))
        keys.insert(0, "n_clusters")
    if not np.nansum(rows["n_noise"]):
        return columns, lambda at: [count_cell(rows[key][at]) for key in keys]
    columns.append(Column("noise", number=True, help="share of the rows that are in no cluster"))
    return columns, lambda at: [*(count_cell(rows[key][at]) for key in keys), share_cell(rows["noise_fraction"][at])]


def _times_part(comparison: Comparison) -> Part:
    if "fit_seconds" not in comparison.rows:
        return [], lambda _: []
    times = [_known(value) for value in comparison.rows["fit_seconds"]]
    return [Column("seconds to fit", number=True)], lambda at: [number_cell(times[at], f"{times[at]:.2f}")]


def _reasons_part(comparison: Comparison) -> Part:
    reasons = comparison.rows["reason"]
    if not any(reasons):
        return [], lambda _: []
    return [Column("why scores are missing")], lambda at: [Cell(_cut(reasons[at], REASON) if reasons[at] else "")]


def _known(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _name(comparison: Comparison, at: int) -> Cell:
    name = comparison.names[at]
    number = isinstance(name, int | float | np.number) and not isinstance(name, bool)
    return Cell(own(comparison.entries.plain(at)), float(name) if number else None)


def _score(comparison: Comparison, name: str, at: int) -> Cell:
    """Return a value, with the error of an estimate, and whether it is the best."""
    value = float(comparison.rows[name][at])
    text = printed(name, value)
    error = comparison.rows.get("silhouette_standard_error") if name == "silhouette" else None
    if error is not None and not math.isnan(_known(error[at])):
        text = printed_estimate(value, float(error[at]))
    best = comparison.best[name] == comparison.names[at]
    return number_cell(value, said("{value} (best)", value=text) if best else text)


def reasons_of(comparison: Comparison) -> list[str]:
    """Return why scores are missing; labelings for which it is the same share a line."""
    words = comparison.entries.words
    return [
        said("{which}: {reason}", which=words(entries, MOST_NAMES), reason=_cut(reason, LONGEST_REASON))
        for reason, entries in entries_by_reason(comparison).items()
    ]


def _cut(reason: str, longest: int) -> str:
    return reason if len(reason) <= longest else short(reason, longest)


def change_blocks(comparison: Comparison, number: int, change: Change) -> list[Block]:
    """Return the clusters that part and join from one choice to the next."""
    names = comparison.names
    source, target = (comparison.entries.word(names.index(name)) for name in (change.source, change.target))
    caption = said("From {source} to {target}", source=source, target=target)
    groups = [("parts into", group) for group in change.splits] + [("joins", group) for group in change.merges]
    if not groups:
        return [Paragraph(said("{change}: no cluster parts or joins. {rest}", change=caption, rest=_rest(change)))]
    columns = [
        Column("cluster"),
        Column("rows", number=True),
        Column("what happens"),
        Column("clusters, and their rows"),
    ]
    lines = [
        [Cell(short(group.whole)), count_cell(group.size), Cell(verb), Cell(_pieces(group))]
        for verb, group in groups[:MOST_GROUPS]
    ]
    left = len(groups) - len(lines)
    more = counted(left, "{n:,} more is not shown.", "{n:,} more are not shown.") if left else ""
    return [Table(f"change-{number}", caption, columns, lines, note=joined([more, _rest(change)]))]


def _pieces(group: Group) -> str:
    pieces = list(zip(group.pieces, group.sizes, strict=True))[:MOST_PIECES]
    words = [f"{short(label)} ({size:,})" for label, size in pieces]
    left = len(group.pieces) - len(words)
    more = [counted(left, "{n:,} more", "{n:,} more")] if left else []
    close = [said("two close groups: each is the other's nearest")] if group.close else []
    return joined([joined([*words, *more], ", "), *close], "; ")


def _rest(change: Change) -> str:
    """Say what stays, and which rows move besides."""
    parts: list[str] = [
        counted(change.same, "{n:,} cluster has exactly the same rows.", "{n:,} clusters have exactly the same rows.")
    ]
    if change.moved:
        parts.append(
            said(
                "{moved:,} of {rows:,} rows ({share}) change company besides.",
                moved=change.moved,
                rows=change.n_rows,
                share=percent(change.moved / change.n_rows, 1),
            )
        )
    if change.noise_gained or change.noise_lost:
        parts.append(
            said(
                "Rows that become noise: {gained:,}; that cease to be: {lost:,}.",
                gained=change.noise_gained,
                lost=change.noise_lost,
            )
        )
    return joined(parts)
