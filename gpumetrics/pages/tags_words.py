"""What a tag report says in words that need no knowledge of metrics, by the report's own counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.facts import percent
from gpumetrics.pages.common import visible
from gpumetrics.text.labels import printer
from gpumetrics.text.messages import counted, enumerated, joined, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.text.messages import Message

__all__ = ["counts_of", "differing", "failing", "leftovers", "name_of", "next_steps", "overlap", "rule_of", "whole"]

MOST_NAMED = 3  # tags with most errors that the lead names
LEANS = 1.5  # times as many errors of one kind as of the other from which it is said
FAR_APART = 0.1  # between two averages from which it is said


def whole(value: float) -> int | float:
    """Return a count as an int, a sum of weights with six digits."""
    return int(value) if value == int(value) else float(f"{value:.6g}")


def name_of(report: TagReport) -> Callable[[Any], Message]:
    """Return what prints a tag of the report."""
    name = printer(report.per_label["label"])
    return lambda tag: visible(name(tag))


def overlap(report: TagReport) -> list[str]:
    """Say how far both sides overlap, and to which side the errors lean."""
    right, invented, missed = counts_of(report)
    if not right + invented + missed:
        return ["No document has a tag, true or suggested: there is nothing to score."]
    weighted = said("Counts are weighted, as the documents are.")
    found: list[str] = [_first(right, invented, missed)]
    found += [weighted] if report.settings["weighted"] else []
    exact, n = report.documents["n_exact"], report.n_documents
    found.append(
        said(
            "{exact:,} of {documents} exactly the right tags ({share}).",
            exact=exact,
            documents=counted(n, "{n:,} document has", "{n:,} documents have"),
            share=percent(exact / n),
        )
    )
    return found + _leaning(report, invented, missed)


def counts_of(report: TagReport) -> tuple[float, float, float]:
    """Return how many tags are right, invented and missed."""
    right, invented, missed = (
        whole(report.counts[name]) for name in ("true_positives", "false_positives", "false_negatives")
    )
    return right, invented, missed


def _first(right: float, invented: float, missed: float) -> Message:
    predicted, true = whole(right + invented), whole(right + missed)
    if not predicted:
        return counted(
            true,
            "No tag was suggested; the one true tag was missed.",
            "No tag was suggested; all {n:,} true tags were missed.",
        )
    if not true:
        return counted(
            predicted,
            "One tag was suggested, and no document has a true tag.",
            "{n:,} tags were suggested, and no document has a true tag.",
        )
    return said(
        "Of {predicted} suggested, {right} ({precision}). Of {true} be there, {found} ({recall}).",
        predicted=counted(predicted, "{n:,} tag that was", "{n:,} tags that were"),
        right=counted(right, "{n:,} is right", "{n:,} are right"),
        precision=percent(right / predicted),
        true=counted(true, "{n:,} tag that should", "{n:,} tags that should"),
        found=counted(right, "{n:,} was found", "{n:,} were found"),
        recall=percent(right / true),
    )


def _leaning(report: TagReport, invented: float, missed: float) -> list[str]:
    if not invented + missed and not is_right(report):
        return [said("The only errors are in documents of weight 0.")]
    if not invented + missed:
        return [
            said("There is no error at all. Check that the truth and the predictions are not from the same source.")
        ]
    wrong = said(
        "{missed} missed, and {invented} invented:",
        missed=counted(missed, "{n:,} true tag was", "{n:,} true tags were"),
        invented=counted(invented, "{n:,} tag was", "{n:,} tags were"),
    )
    if missed > LEANS * invented:
        leans = said("mostly too few tags were suggested (recall is the weaker side).")
    elif invented > LEANS * missed:
        leans = said("mostly too many tags were suggested (precision is the weaker side).")
    else:
        leans = said("about as many of the one as of the other.")
    return [joined([wrong, leans])]


def is_right(report: TagReport) -> bool:
    """Whether every document has exactly the right tags."""
    return bool(report.documents["n_exact"] == report.n_documents)


def failing(report: TagReport) -> list[str]:
    """Name the tags with most errors, and their share of all errors."""
    worst, errors = _most_errors(report)
    if not len(worst):
        return []
    table, name = report.per_label, name_of(report)
    words = [
        said(
            "{tag} ({missed:,} missed, {invented:,} invented)",
            tag=name(table["label"][at]),
            missed=whole(float(table["false_negatives"][at])),
            invented=whole(float(table["false_positives"][at])),
        )
        for at in worst
    ]
    share = percent(float(errors[worst].sum() / errors.sum()))
    if len(worst) == 1:
        return [said("Most errors are those of {tag}: {share} of all.", tag=words[0], share=share)]
    return [said("Most errors are those of {tags}: together {share} of all.", tags=enumerated(words), share=share)]


def _most_errors(report: TagReport) -> tuple[Any, Any]:
    errors = report.per_label["false_positives"] + report.per_label["false_negatives"]
    order = np.argsort(-errors, kind="stable")[:MOST_NAMED]
    return order[errors[order] > 0], errors


def differing(report: TagReport) -> list[str]:
    """Say where the averages differ, and why; notes of the report say it of documents."""
    found = [report.notes[key] for key in ("sizes", "empty") if key in report.notes]
    weighted, by_tag = report.scores["f1_weighted"], report.scores["f1_macro"]
    facts = {"weighted": weighted, "by_tag": by_tag}
    if by_tag < weighted - FAR_APART:
        found.append(
            said(
                "Rare tags do worse than frequent ones: F1 is {by_tag:.3f} as a mean over tags, {weighted:.3f} if each "
                "tag counts as often as it is true.",
                **facts,
            )
        )
    elif by_tag > weighted + FAR_APART:
        found.append(
            said(
                "Frequent tags do worse than rare ones: F1 is {by_tag:.3f} as a mean over tags, {weighted:.3f} if each "
                "tag counts as often as it is true.",
                **facts,
            )
        )
    return found


def leftovers(report: TagReport) -> list[str]:
    """Say what became of documents that nobody labelled, and of those without tags."""
    documents = report.documents
    found: list[str] = []
    if documents["n_unlabelled"]:
        found.append(
            counted(
                documents["n_unlabelled"],
                "{n:,} document that nobody has labelled is left out: not labelled is not the same as without tags.",
                "{n:,} documents that nobody has labelled are left out: not labelled is not the same as without tags.",
            )
        )
    if documents["n_unpredicted"]:
        found.append(
            counted(
                documents["n_unpredicted"],
                "{n:,} labelled document without a prediction is left out.",
                "{n:,} labelled documents without a prediction are left out.",
            )
        )
    if documents["n_empty_both"]:
        found.append(
            said(
                "{documents} rightly without tags on both sides; such documents {rule}.",
                documents=counted(documents["n_empty_both"], "{n:,} document is", "{n:,} documents are"),
                rule=rule_of(report.settings["zero_division"]),
            )
        )
    return found


def rule_of(zero_division: Any) -> Message:
    """Say what 0/0 is."""
    if zero_division == "warn":
        return said("count as 0 in means (no rule was chosen: zero_division='warn')")
    if math.isnan(zero_division):
        return said("are left out of means (zero_division=nan)")
    return said("count as {value:g} in means (zero_division={value:g})", value=zero_division)


def next_steps(report: TagReport) -> list[str]:
    """Say what to do, by where the errors are."""
    right, invented, missed = counts_of(report)
    worst, _ = _most_errors(report)
    steps: list[str] = []
    if len(worst):
        tag = name_of(report)(report.per_label["label"][worst[0]])
        steps.append(
            said("Begin with {tag}: it has most errors. The table of tags below says of which kind they are.", tag=tag)
        )
        steps.append(
            "Read the worst documents with somebody who knows the tags: is the prediction wrong, or the truth? Correct "
            "the truth first, then score again."
        )
    if missed > LEANS * invented:
        steps.append(
            "Too few tags are suggested. If they come from scores, a lower threshold finds more; best_threshold "
            "chooses it on validation data."
        )
    elif invented > LEANS * missed:
        steps.append(
            "Too many tags are suggested. If they come from scores, a higher threshold leaves out more; best_threshold "
            "chooses it on validation data."
        )
    if "spelling" in report.notes:
        steps.append("Settle which tags are the same: some differ in case or spaces only (see the notes).")
    if report.n_unlabelled:
        steps.append("Label the documents that are left out, or say in what you write that they are.")
    if right and is_right(report):
        steps.append("Check that the truth was made without a look at the predictions.")
    return [*steps, "Read what the scores cannot say, below, before anything is approved by them."]
