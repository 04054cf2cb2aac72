"""Where to look in a clustering: candidates with the numbers that say so, the lowest rows, the scale of the columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpumetrics.choosing.facts import percent
from gpumetrics.evaluation.candidates_result import NAMES, SHARES, TITLES, shown_columns
from gpumetrics.pages.clustering_doubts import column_name
from gpumetrics.pages.common import count_cell, number_cell, own, share_cell
from gpumetrics.pages.model import Cell, Column, Fold, Listing, Paragraph, Section, Table
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.evaluation.candidates_result import Candidates
    from gpumetrics.evaluation.lowest_rows import LowRow
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block

__all__ = ["look_section"]

MOST = 20  # candidates in a table
MOST_COLUMNS = 5
MOSTLY = 0.75  # share of the variance
MANY_MATTER = "No column decides the distances alone: the largest share of the variance is {share}, of {name}{seen}."
ONE_HAS_MOST = (
    "The largest share of the variance is {share}, of {name}{seen}: distances are mainly differences in it. Check that "
    "it deserves that weight."
)
HEADINGS = {
    "split": "Clusters that may be several groups",
    "merge": "Pairs of clusters that may be one group",
    "boundary": "Borders that may be misplaced",
}
MEANING = {
    "split": "A cluster that is large, and whose rows hold together less than others do, may be two groups in one.",
    "merge": "Two clusters whose centres are near, for how far their rows spread towards each other, may be one group.",
    "boundary": "Many rows nearer to another cluster than to their own: the border of the two may be misplaced.",
}
HELP = {
    "times_median": "rows, as a multiple of the median of the other clusters",
    "below_others": "how far the mean silhouette is below the median of the other clusters' means",
    "share_negative": "share of the rows that are nearer to another cluster",
    "ashman_d": "distance of the centres, in standard deviations along the line between them; small: no gap",
    "similarity": (
        "Davies and Bouldin's R: both spreads over the distance of the centres; above 1 they may overlap, in many "
        "dimensions they need not"
    ),
    "wider": "the one whose rows spread more, which may rather have to be split",
    "nearest_to_each_other": "whether neither has a nearer cluster",
    "most_similar_to_each_other": "whether neither has a more similar cluster, by R",
    "same_name": "whether people gave both the same name",
    "silhouette_lowest": "lowest silhouette of these rows",
    "share_of_cluster": "these rows, as a share of the cluster",
    "n_estimated": "in the whole cluster, as estimated from the rows that were evaluated",
}


def look_section(view: View) -> Section:
    """Return the section of where to look."""
    found = view.found
    blocks: list[Block] = []
    if "rows" in found.lacking:
        blocks.append(Paragraph(found.lacking["rows"]))
    for candidates in (found.split, found.merge, found.boundary):
        if candidates is not None:
            blocks += _candidates(view, candidates)
    blocks += [Paragraph(found.lacking[key]) for key in ("merge", "boundary", "nearest") if key in found.lacking]
    blocks += _lowest(view, found.lowest)
    blocks += _columns(view)
    return Section("look", "Where to look", blocks)


def _candidates(view: View, found: Candidates) -> list[Block]:
    if not len(found):
        why = [found.notes[key] for key in ("undefined", "nearest_miss") if key in found.notes]
        if found.kind == "boundary" and not why and view.report.n_clusters > 1:
            why = [said("No pair of clusters has enough rows on the wrong side of its border.")]
        if found.kind == "merge" and not why:
            why = [found.notes["worst_pair"]]
        heading = said(HEADINGS[found.kind])
        return [Paragraph(said("{heading}: none. {why}", heading=heading, why=reason)) for reason in why[:1]]
    keys = [key for key in shown_columns(found) if key != "band"]
    entries = list(found)[:MOST]
    table = Table(
        f"candidates-{found.kind}",
        HEADINGS[found.kind],
        [_column(key) for key in keys],
        [[_cell(view, key, entry[key]) for key in keys] for entry in entries],
        tuple(view.clusters.mark(entry["cluster"]) for entry in entries),
        _first(MOST, len(found)) if len(found) > MOST else "",
    )
    rule: list[Block] = [Paragraph(said("Rule: {rule}.", rule=found.rule))]
    rule += [Listing([found.notes[key] for key in ("worst_pair", "scale", "estimate") if key in found.notes])]
    return [Paragraph(MEANING[found.kind]), table, Fold(said("How these were found"), rule)]


def _column(key: str) -> Column:
    return Column(TITLES.get(key, key.replace("_", " ")), key not in NAMES, HELP.get(key, ""))


def _cell(view: View, key: str, value: Any) -> Cell:
    if key in NAMES:
        return Cell(view.clusters.text(value))
    if isinstance(value, bool):
        return Cell("yes" if value else "no", float(value))
    if key in SHARES:
        return share_cell(value)
    return count_cell(value) if isinstance(value, int) else number_cell(value)


def _lowest(view: View, rows: list[LowRow]) -> list[Block]:
    """Explain the rows with the lowest silhouettes by the two distances that they are made of."""
    if not rows:
        return []
    texts = None if view.samples is None or view.samples.pictures else view.samples
    columns = [
        Column("row", number=True),
        Column("cluster"),
        Column("a", number=True, help="mean distance to the other rows of its own cluster"),
        Column("nearest other"),
        Column("b", number=True, help="mean distance to the rows of the nearest other cluster"),
        Column("silhouette", number=True, help="(b - a) / the larger of the two"),
    ] + [Column("sample")] * (texts is not None)
    cells = [
        [
            Cell(f"{low.row:,}", low.row),
            Cell(view.clusters.text(low.cluster)),
            number_cell(low.own, own(f"{low.own:,.4g}")),
            Cell(view.clusters.text(low.nearest_other)),
            number_cell(low.nearest, own(f"{low.nearest:,.4g}")),
            number_cell(low.silhouette),
        ]
        + ([] if texts is None else [Cell(own(texts.text(low.row, 80)))])
        for low in rows
    ]
    marks = tuple(view.clusters.mark(low.cluster) for low in rows)
    table = Table("lowest", "The rows with the lowest silhouettes", columns, cells, marks)
    return [Paragraph(_explained(view, rows[0])), table]


def _explained(view: View, low: LowRow) -> str:
    values = {
        "row": low.row,
        "cluster": view.clusters.text(low.cluster),
        "other": view.clusters.text(low.nearest_other),
        "a": low.own,
        "b": low.nearest,
        "s": low.silhouette,
    }
    if low.silhouette < 0:
        template = (
            "Row {row:,} is placed worst: the other rows of its cluster {cluster} are a = {a:,.4g} away from it on "
            "average, but those of cluster {other} only b = {b:,.4g}. Its silhouette is (b - a) / a = {s:.3f}."
        )
    else:
        template = (
            "Even the row that is placed worst, {row:,}, is not nearer to another cluster: the other rows of its "
            "cluster {cluster} are a = {a:,.4g} away from it on average, those of the next cluster {other} b = "
            "{b:,.4g}. Its silhouette is {s:.3f}."
        )
    return said(template, **values)


def _columns(view: View) -> list[Block]:
    """Say how the variance is shared among the columns."""
    columns = view.found.columns
    if columns is None or len(columns.share) < 2 or math.isnan(float(columns.share[0])):
        return []
    top = int(columns.largest[0])
    seen = "" if columns.exact else said(" (from {n:,} rows, evenly spaced)", n=columns.n_rows)
    if columns.dominating is None:
        template = MANY_MATTER if columns.share[top] < MOSTLY else ONE_HAS_MOST
        share = percent(float(columns.share[top]), 1)
        return [Paragraph(said(template, share=share, name=column_name(columns, top), seen=seen))]
    largest = columns.largest[:MOST_COLUMNS].tolist()
    rows = [[Cell(column_name(columns, at)), share_cell(columns.share[at])] for at in largest]
    heading = said("Share of each column in the variance{seen}", seen=seen)
    note = "" if len(largest) == len(columns.share) else _first(MOST_COLUMNS, len(columns.share))
    return [Table("columns", heading, [Column("column"), Column("share of variance", number=True)], rows, (), note)]


def _first(n: int, n_all: int) -> str:
    return said("The first {n:,} of {all:,}.", n=n, all=n_all)
