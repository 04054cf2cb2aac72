"""Tables of a tag report: averages, tags, documents, groups of documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.evaluation.tags.scores import AVERAGES, METRICS
from gpumetrics.evaluation.tags.words import TITLES
from gpumetrics.pages.common import UNDEFINED, count_cell, number_cell, share_cell, short
from gpumetrics.pages.model import Cell, Column, Sample, Samples, Table
from gpumetrics.pages.tags_words import name_of
from gpumetrics.text.labels import cut_at_the_end
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.text.messages import Message

__all__ = ["averages_table", "labels_table", "sizes_table", "worst_table", "worst_texts"]

MOST_LABELS = 1000
MOST_TAGS = 12  # missed or invented tags of a document that are named
LONGEST_TEXT = 400
SCORES = ("precision", "recall", "f1", "jaccard")
COUNTS = {
    "support": ("true", "documents that should have the tag"),
    "predicted": ("suggested", "documents for which the tag was suggested"),
    "true_positives": ("right", "suggested, and true"),
    "false_positives": ("invented", "suggested, and not true"),
    "false_negatives": ("missed", "true, and not suggested"),
}
HELP = {
    "precision": "of the suggested, the share that is right; higher is better, 0 to 1",
    "recall": "of the true, the share that was found; higher is better, 0 to 1",
    "f1": "between precision and recall, nearer to the smaller; higher is better, 0 to 1",
    "jaccard": "of those on either side, the share that is on both; higher is better, 0 to 1",
}
HEADS = {
    "micro": ("pooled", "micro: one quotient of counts added up over all documents and tags"),
    "macro": ("over tags", "macro: mean over the tags, rare ones like frequent ones"),
    "weighted": ("weighted", "mean over the tags, each by the number of documents it is true of"),
    "samples": ("over documents", "samples: mean over the documents"),
}


def averages_table(report: TagReport) -> Table:
    """Return every score by every average, with intervals where there are any."""
    columns = [
        Column("score"),
        *(Column(HEADS[average][0], number=True, help=HEADS[average][1]) for average in AVERAGES),
    ]
    lines = []
    for name in METRICS:
        title = said("F-beta, beta = {beta:g}", beta=report.settings["beta"]) if name == "fbeta" else TITLES[name]
        lines.append([Cell(title), *(_with_interval(report, f"{name}_{average}") for average in AVERAGES)])
    note = (
        "All of these are from 0 to 1, higher is better. In brackets: the 95 % interval for documents drawn at random, "
        "where there is one."
    )
    return Table("averages", "The same score, averaged in four ways", columns, lines, note=note)


def _with_interval(report: TagReport, name: str) -> Cell:
    value = report.scores[name]
    low, high = report.intervals.get(name, (math.nan, math.nan))
    return number_cell(value, f"{value:.3f}" if math.isnan(low) else f"{value:.3f} ({low:.3f} - {high:.3f})")


def labels_table(report: TagReport) -> Table:
    """Return a line for each tag, those with most errors first."""
    table, name = report.per_label, name_of(report)
    errors = table["false_positives"] + table["false_negatives"]
    order = np.lexsort((-table["support"], -errors))  # of equal ones the most frequent first, as in the plot
    shown = order[:MOST_LABELS]
    columns = [
        Column("tag"),
        *(Column(title, number=True, help=text) for title, text in COUNTS.values()),
        *(Column(TITLES[key], number=True, help=HELP[key]) for key in SCORES),
    ]
    lines = [
        [
            Cell(name(table["label"][at])),
            *(count_cell(table[key][at]) for key in COUNTS),
            *(number_cell(table[key][at]) for key in SCORES),
        ]
        for at in shown.tolist()
    ]
    left = len(order) - len(shown)
    more = counted(
        left,
        "{n:,} more tag, with fewer errors, is in report.per_label.",
        "{n:,} more tags, with fewer errors, are in report.per_label.",
    )
    note = more if left else ""
    return Table("tags", "All tags, most errors first", columns, lines, tuple(f"t{at}" for at in shown), note)


def worst_table(report: TagReport) -> Table:
    """Return the worst documents with what they missed and invented."""
    name = name_of(report)
    shown: dict[str, tuple[Column, Callable[[Any], Cell]]] = {
        "id": (Column("id"), lambda value: Cell(short(value))),
        "document": (Column("document", number=True, help="its place in the data, counted from 0"), _place),
        "jaccard": (Column("Jaccard", number=True, help=HELP["jaccard"]), number_cell),
        "missed": (Column("missed", help=COUNTS["false_negatives"][1]), lambda tags: Cell(_named(tags, name))),
        "invented": (Column("invented", help=COUNTS["false_positives"][1]), lambda tags: Cell(_named(tags, name))),
    }
    keys = [key for key in shown if key in report.worst[0]]
    lines = [[shown[key][1](entry[key]) for key in keys] for entry in report.worst]
    return Table("worst-documents", "Worst documents", [shown[key][0] for key in keys], lines)


def _place(at: int) -> Cell:
    return Cell(str(at), float(at))


def _named(tags: Sequence[Any], name: Callable[[Any], Message]) -> str:
    more = [counted(len(tags) - MOST_TAGS, "{n:,} more", "{n:,} more")] if len(tags) > MOST_TAGS else []
    return joined([*map(name, tags[:MOST_TAGS]), *more], ", ") if len(tags) else UNDEFINED


def worst_texts(report: TagReport) -> Samples:
    """Return the texts of the worst documents, with what each missed and invented."""
    name = name_of(report)
    samples = [
        Sample(
            entry["document"],
            _text(entry["text"]),
            remark=said(
                "missed: {missed}; invented: {invented}",
                missed=_named(entry["missed"], name),
                invented=_named(entry["invented"], name),
            ),
        )
        for entry in report.worst
    ]
    return Samples("Their texts", samples)


def _text(value: Any) -> str:
    """Return a document's text, its spaces as one each, cut if it is long."""
    if value is None:
        return ""
    text = " ".join(str(value)[: 4 * LONGEST_TEXT].split())
    return cut_at_the_end(text, LONGEST_TEXT)


def sizes_table(report: TagReport) -> Table:
    """Return the groups of documents by their number of true tags."""
    table = report.by_size
    columns = [
        Column("true tags"),
        Column("documents", number=True),
        Column("weight in means", number=True, help="share of the group in a mean over documents"),
        Column("weight pooled", number=True, help="share of the group in a pooled score"),
        Column("mean Jaccard", number=True, help="mean over the documents of the group; higher is better, 0 to 1"),
        Column("pooled Jaccard", number=True, help="of the group alone; higher is better, 0 to 1"),
    ]
    lines = [
        [
            Cell(said("{low} or more", low=low) if (low := size.removesuffix(" or more")) != size else size, at),
            count_cell(table["documents"][at]),
            share_cell(table["share_of_samples"][at]),
            share_cell(table["share_of_micro"][at]),
            number_cell(table["jaccard_samples"][at]),
            number_cell(table["jaccard_micro"][at]),
        ]
        for at, size in enumerate(table["true_tags"])
    ]
    return Table("sizes-table", "Documents by their number of true tags", columns, lines)
