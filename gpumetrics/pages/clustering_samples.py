"""Samples of the clusters: typical and doubtful ones, as texts or pictures, or their row numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.choosing.facts import percent
from gpumetrics.pages.common import own, short
from gpumetrics.pages.given import ALL_PICTURES
from gpumetrics.pages.model import Cell, Column, Fold, Paragraph, Sample, Samples, Section, Table
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from typing import Any

    from gpumetrics.evaluation.samples import ClusterRows
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.given import Given
    from gpumetrics.pages.model import Block
    from gpumetrics.text.messages import Message

__all__ = ["samples_section"]

OPEN = 20  # clusters whose samples are not folded
MOST_CLUSTERS = 400  # with samples, or in the table of row numbers
HOW = (
    "Typical rows lie near the centre of their cluster, and far from each other; doubtful rows have the lowest "
    "silhouettes of it. If a doubtful row looks as if it belonged to the cluster named beside it, the border is "
    "misplaced. Can you name each cluster by its typical rows?"
)
TOO_LARGE = "its picture is left out, since the page would become too large"


class _Row(NamedTuple):
    row: int
    remark: str


def samples_section(view: View) -> Section:
    """Return the section of samples; without any if the rows are not known."""
    report = view.report
    rows = _rows(view)
    shown = [at for at in _order(view) if rows[at]][:MOST_CLUSTERS]
    if not shown:
        lacking = view.found.lacking.get("representatives", "")
        return Section("samples", "What the clusters hold", [Paragraph(lacking)] if lacking else [])
    blocks: list[Block] = [Paragraph(HOW)]
    if "representatives" in view.found.lacking:
        blocks.append(Paragraph(view.found.lacking["representatives"]))
    if view.samples is None:
        blocks.append(_numbers(view, shown))
    else:
        blocks += _shown(view, view.samples, shown, rows)
    if len(shown) < report.n_clusters:
        left = said(
            "Shown are {n:,} of {all:,} clusters, those with candidates first.", n=len(shown), all=report.n_clusters
        )
        blocks.append(Paragraph(left))
    return Section("samples", "What the clusters hold", blocks)


def _rows(view: View) -> list[list[_Row]]:
    """Return what to show of each cluster, the typical rows first; none twice."""
    out: list[list[_Row]] = [[] for _ in range(view.report.n_clusters)]
    for chosen in (view.found.representatives, view.found.ambiguous):
        if chosen is None:
            continue
        for i, row in enumerate(chosen.table["row"].tolist()):
            at = view.clusters.at(chosen.table["cluster"][i])
            if all(row != known.row for known in out[at]):
                out[at].append(_Row(row, _remark(view, chosen, i)))
    return out


def _remark(view: View, chosen: ClusterRows, i: int) -> Message:
    if chosen.kind == "representatives":
        return said("typical")
    s, other = float(chosen.table["silhouette"][i]), view.clusters.word(chosen.table["nearest_other"][i])
    if s < 0:
        return said("doubtful: nearer to {other} (silhouette {s:.3f})", s=s, other=other)
    return said("least sure: next is {other} (silhouette {s:.3f})", s=s, other=other)


def _order(view: View) -> list[int]:
    """Return the clusters, those that are candidates first where not all can be shown."""
    k = view.report.n_clusters
    if k <= MOST_CLUSTERS:
        return list(range(k))
    found = view.found
    named: list[Any] = []
    for candidates in (found.split, found.merge, found.boundary):
        if candidates is not None:
            keys = [key for key in ("cluster", "other", "nearest_other") if key in candidates.table]
            named += [label for key in keys for label in candidates.table[key]]
    first = dict.fromkeys(view.clusters.at(label) for label in named)
    largest = np.argsort(-view.report.per_cluster["size"], kind="stable").tolist()
    return list(first | dict.fromkeys(largest))


def _shown(view: View, given: Given, shown: list[int], rows: list[list[_Row]]) -> list[Block]:
    longest = given.longest(sum(len(rows[at]) for at in shown))
    table, room = view.report.per_cluster, ALL_PICTURES
    blocks: list[Samples] = []
    for at in shown:
        samples = []
        for row, remark in rows[at]:
            image = given.image(row) if room > 0 else ""
            room -= len(image)
            text = given.text(row, longest)
            lost = not image and given.is_picture(row)
            said_of_it = joined([remark, said(TOO_LARGE)], "; ") if lost else remark
            samples.append(Sample(row, text, image, said_of_it))
        blocks.append(Samples(_heading(view, at), samples, view.clusters.mark(table["label"][at])))
    if len(blocks) <= OPEN:
        return list(blocks)
    heading = counted(len(blocks) - OPEN, "{n:,} more cluster", "{n:,} more clusters")
    return [*blocks[:OPEN], Fold(heading, list(blocks[OPEN:]))]


def _heading(view: View, at: int) -> Message:
    table = view.report.per_cluster
    size = counted(int(table["size"][at]), "{n:,} row", "{n:,} rows")
    heading = said("Cluster {cluster}: {rows}", cluster=view.clusters.text(table["label"][at]), rows=size)
    if view.classes is None:
        return heading
    typical = view.classes.typical
    share = percent(float(typical["share"][at]))
    value = short(typical["value"][at], 40)
    return said("{heading}, mainly of class {value} ({share})", heading=heading, value=value, share=share)


def _numbers(view: View, shown: list[int]) -> Table:
    """Return the row numbers alone."""
    typical, doubtful = (
        {} if chosen is None else dict(enumerate(chosen.by_cluster.values()))
        for chosen in (view.found.representatives, view.found.ambiguous)
    )
    labels = view.report.per_cluster["label"]
    columns = [
        Column("cluster"),
        Column("typical rows", help="row numbers, counted from 0"),
        Column("doubtful rows", help="the lowest silhouettes of the cluster, the lowest first"),
    ]
    cells = [
        [
            Cell(view.clusters.text(labels[at])),
            *(Cell(own(", ".join(map(str, chosen.get(at, np.empty(0)).tolist())))) for chosen in (typical, doubtful)),
        ]
        for at in shown
    ]
    marks = tuple(view.clusters.mark(labels[at]) for at in shown)
    return Table("sample-rows", "Rows to look at in each cluster", columns, cells, marks)
