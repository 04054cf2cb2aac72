"""The report of predicted tag sets: how far they are right, which tags and documents fail, what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.evaluation.tags.words import TITLES
from gpumetrics.pages.common import UNDEFINED, limits_section, title_of
from gpumetrics.pages.model import Card, Cards, Listing, Page, Paragraph, Section
from gpumetrics.pages.tags_examples import examples, meaning
from gpumetrics.pages.tags_settings import settings_of
from gpumetrics.pages.tags_tables import averages_table, labels_table, sizes_table, worst_table, worst_texts
from gpumetrics.pages.tags_words import counts_of, differing, failing, leftovers, next_steps, overlap
from gpumetrics.pages.threshold_part import threshold_section
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.classification.threshold_result import BestThreshold
    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.pages.model import Block

__all__ = ["page_of"]

CARDS = (
    ("precision_micro", "of the suggested tags, how many are right"),
    ("recall_micro", "of the true tags, how many were found"),
    ("f1_micro", "between the two, nearer to the smaller one"),
    ("jaccard_micro", "of all tags on either side, how many are on both"),
)
LIMITS = (
    (
        "Whether the truth is right. The scores say how far the predictions repeat the truth that was given: where "
        "it is wrong, a right prediction counts as an error, and a mistake that both make counts as right."
    ),
    (
        "What an error costs. A missed tag on safety counts the same as a harmless extra one: which errors are "
        "serious, and who reviews them, is judged apart."
    ),
    "Anything about meaning. Tags are the same only if they are spelled the same.",
    "How it is for other documents than those drawn like these. The intervals hold for chance in the drawing alone.",
    (
        "Whether it is better than another model, unless that one was scored on the same documents, the same truth and "
        "tags, the same average and the same rule for documents without tags (TagReport.change_from checks this)."
    ),
)
CHECKLIST = (
    (
        "Have somebody who knows the tags read the worst documents, and some drawn at random, and note for each error "
        "whether it is the prediction or the truth that is wrong."
    ),
    (
        "Write down which errors are serious before you look at the scores of these tags, and look at each such tag by "
        "itself, whatever the averages are."
    ),
    "Choose thresholds, models and lists of tags on validation data, and score the test data once, at the end.",
    "Keep reading a few documents of every new batch: the scores are of these documents, and of no later ones.",
)


def page_of(
    report: TagReport,
    *,
    lang: str = "en",
    title: str | None = None,
    threshold: BestThreshold | None = None,
    told: Mapping[str, str] | None = None,
    command: str = "",
) -> Page:
    """Return the page of a tag report.

    Parameters
    ----------
    report : TagReport
    lang : {"en", "ko"}
    title : str, optional
    threshold : BestThreshold, optional
        The threshold by which scores became the predicted tags; it is shown with its curve.
    told : mapping of str to str, optional
        What is known besides of where the tags came from, for the table of settings.
    command : str
        Lines for a shell that repeat the report.

    Returns
    -------
    Page
    """
    sections = [
        Section("next", "What to do next", [Listing(next_steps(report), ordered=True)]),
        _labels(report),
        _worst(report),
        Section("meaning", "What the numbers mean, by the counts of this report", _meaning(report)),
        _sizes(report),
        *([threshold_section(threshold)] if threshold is not None else []),
        Section("notes", "Notes", [Listing(list(report.notes.values()))]),
        limits_section(LIMITS, CHECKLIST, what="Do not approve tags from one score. Before these are used:"),
        settings_of(report, told or {}, command),
    ]
    return Page(
        title=title_of(title, "Tag report"),
        subtitle=_subtitle(report),
        lang=lang,
        lead=_lead(report),
        sections=[section for section in sections if section.blocks],
    )


def _subtitle(report: TagReport) -> str:
    return said(
        "{documents}, {labels}, {true} and {predicted}",
        documents=counted(report.n_documents, "{n:,} document", "{n:,} documents"),
        labels=counted(report.n_labels, "{n:,} different tag", "{n:,} different tags"),
        true=counted(int(report.per_document["n_true"].sum()), "{n:,} true tag", "{n:,} true tags"),
        predicted=counted(int(report.per_document["n_pred"].sum()), "{n:,} suggested", "{n:,} suggested"),
    )


def _lead(report: TagReport) -> list[Block]:
    first, *others = overlap(report)
    blocks: list[Block] = [Paragraph(first, strong=True), *([Paragraph(joined(others))] if others else [])]
    blocks.append(Cards([_card(report, name, reading) for name, reading in CARDS]))
    return blocks + [Paragraph(text) for text in (*failing(report), *differing(report), *leftovers(report))]


def _card(report: TagReport, name: str, reading: str) -> Card:
    value, title = report.scores[name], TITLES[name.removesuffix("_micro")]
    if np.isnan(value):
        return Card(title, UNDEFINED, reading="undefined: there is nothing to divide by")
    low, high = report.intervals[name]
    bounds = "0 to 1, higher is better"
    if not np.isnan(low):
        bounds = said("0 to 1, higher is better; 95 % interval {low:.3f} to {high:.3f}", low=low, high=high)
    right, invented, missed = counts_of(report)
    if not right + {"precision_micro": invented, "recall_micro": missed}.get(name, invented + missed):
        reading = "0/0: the value is that of the rule for nothing to divide by"
    return Card(title, f"{value:.3f}", bounds, reading)


def _labels(report: TagReport) -> Section:
    from gpumetrics.displays.tag_errors import TagErrorsDisplay
    from gpumetrics.pages.figures import figure_of

    if not report.n_labels:
        return Section("labels", "Tag by tag")
    draw = lambda ax: TagErrorsDisplay.from_report(report, ax=ax)  # noqa: E731
    caption = "The tags with most errors. A missed tag is true and was not suggested; an invented one was, and is not."
    figure = figure_of("tag-errors", draw, caption, size=(7.0, 5.0))
    return Section("labels", "Tag by tag", [figure, labels_table(report)])


def _worst(report: TagReport) -> Section:
    if not report.worst:
        return Section("worst", "The worst documents")
    wrong = report.n_documents - report.documents["n_exact"]
    text = said(
        "Read these first: the {shown:,} of {wrong:,} documents with errors that have the least in common with their "
        "truth. All of them are in report.failures().",
        shown=len(report.worst),
        wrong=wrong,
    )
    texts = [worst_texts(report)] if "text" in report.worst[0] else []
    return Section("worst", "The worst documents", [Paragraph(text), worst_table(report), *texts])


def _meaning(report: TagReport) -> list[Block]:
    return [Listing(examples(report)), averages_table(report), Listing(meaning(report))]


def _sizes(report: TagReport) -> Section:
    text = (
        "Documents in groups, by how many true tags they have. Where the groups differ, another mix of documents would "
        "change the averages with the same model."
    )
    return Section("sizes", "Documents with few tags and with many", [Paragraph(text), sizes_table(report)])
