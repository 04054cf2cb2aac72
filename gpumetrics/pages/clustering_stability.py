"""What repeated clusterings say of this one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.pages.common import count_cell, number_cell, share_cell, short
from gpumetrics.pages.model import Cell, Column, Listing, Paragraph, Table
from gpumetrics.text.messages import joined, said

if TYPE_CHECKING:
    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block

__all__ = ["is_same", "stability_blocks"]

MOST = 200  # clusters in the table
OTHERS = (
    "These are the clusters of one of the runs, numbered otherwise than on this page: gpumetrics.stability(X, "
    "clusterer, reference=labels) judges those of this page."
)


def stability_blocks(view: View, found: Stability) -> list[Block]:
    """Return the agreement of the runs, and how far each cluster comes back."""
    blocks: list[Block] = [Paragraph(_agreement(found))]
    table = found.per_cluster
    order = np.argsort(np.nan_to_num(table["jaccard"], nan=2.0), kind="stable")[:MOST]
    columns = [
        Column("cluster"),
        Column("rows", number=True),
        Column("Jaccard", number=True, help="mean overlap with the most similar cluster of each other run, 0 to 1"),
        Column("lowest", number=True),
        Column("recovered", number=True, help="share of the runs with an overlap above 0.75"),
        Column("in words"),
    ]
    same = is_same(view)
    rows = [
        [
            Cell(view.clusters.text(table["label"][i]) if same else short(table["label"][i])),
            count_cell(table["size"][i]),
            number_cell(table["jaccard"][i]),
            number_cell(table["jaccard_lowest"][i]),
            share_cell(table["recovered"][i], 0),
            Cell(table["reading"][i]),
        ]
        for i in order
    ]
    marks = tuple(view.clusters.mark(table["label"][i]) for i in order) if same else ()
    heading = "How far each cluster comes back, the least stable first"
    blocks.append(Table("stability-table", heading, columns, rows, marks))
    if not same:
        blocks.append(Paragraph(OTHERS))
    return [*blocks, Listing([note for note in found.notes.values() if note])]


def is_same(view: View) -> bool:
    """Whether the clusters that the runs are compared with are those of the report."""
    if view.stability is None:
        return False
    ours, theirs = view.report.per_cluster, view.stability.per_cluster
    return bool(np.array_equal(ours["label"], theirs["label"]) and np.array_equal(ours["size"], theirs["size"]))


def _agreement(found: Stability) -> str:
    if math.isnan(found.mean):
        return said("Agreement of {n:,} runs: {reading}.", n=found.n_runs, reading=found.reading)
    first = said(
        "{n:,} runs agree pair by pair by {mean:.3f} on average (adjusted Rand; {lowest:.3f} to {highest:.3f}).",
        n=found.n_runs,
        mean=found.mean,
        lowest=found.lowest,
        highest=found.highest,
    )
    return joined([first, said("In words: {reading}.", reading=found.reading)])
