"""What a reader of a tag report should keep in mind."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tag_names import named, shown
from gpumetrics.classification.undefined import mean_of_defined
from gpumetrics.evaluation.tags.scores import METRICS
from gpumetrics.evaluation.tags.words import TITLES, number, plural
from gpumetrics.exceptions import warn_undefined
from gpumetrics.text.messages import counted, enumerated, joined, said

if TYPE_CHECKING:
    from gpumetrics.classification.tag_encoding import EncodedTags, TagFacts
    from gpumetrics.evaluation.tags.scores import TagCounts, TagScores
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["remarks", "warn_of_undefined"]

MOST_PAIRS = 3  # of tags that are spelled alike
FAR_APART = 0.1  # between two averages, or precision and recall, from which a reader is told
CAVEAT = said(
    "Every tag counts the same, a missed safety tag like a harmless extra one: what errors cost, and who reviews them, "
    "is judged apart. A high score is overlap with the given truth, and no more right than it is."
)


def remarks(
    tags: EncodedTags, counts: TagCounts, found: TagScores, by_size: dict[str, Array], settings: dict[str, Any]
) -> dict[str, str]:
    """Return the notes on scores, tags and labels, under the subject they concern."""
    notes: dict[str, str | None] = {
        "zero_division": _undefined(found, settings["zero_division"]),
        **_on_facts(tags.facts, settings["unknown"]),
        "spelling": _on_spelling(tags.classes.tolist()),
        **_on_labels(tags, counts),
        "sizes": _on_sizes(counts, found, by_size),
        "empty": _on_empty(counts, found, settings["zero_division"]),
        "balance": _on_balance(found),
    }
    if settings["weighted"]:
        notes["weights"] = said(
            "Scores, intervals and counts of tags are weighted by sample_weight; numbers of documents are not."
        )
    notes["intervals"] = said(
        "The intervals (95 %) hold for documents drawn at random and independently; they say nothing of errors in the "
        "truth. Averages over labels have none here."
    )
    notes["caveat"] = CAVEAT
    return {subject: text for subject, text in notes.items() if text}


def warn_of_undefined(found: TagScores) -> None:
    """Warn, once, if any score is 0/0."""
    if where := _where_undefined(found):
        warn_undefined(
            f"Scores are ill-defined and being set to 0.0: {where}. Use `zero_division` parameter to control this "
            "behavior."
        )


def _where_undefined(found: TagScores) -> Message | None:
    """Of which metrics how many documents and labels are 0/0."""
    parts = []
    for name in METRICS:
        documents, labels = found.undefined_documents[name], found.undefined_labels[name]
        where = [plural(n, word) for n, word in ((documents, "document"), (labels, "label")) if n]
        if where:
            parts.append(said("{score} of {where}", score=TITLES[name], where=enumerated(where)))
    return joined(parts, "; ") if parts else None


def _undefined(found: TagScores, rule: Any) -> Message | None:
    where = _where_undefined(found)
    if not where:
        return None
    if rule != "warn" and math.isnan(rule):
        return said("0/0, left out of the means (zero_division={rule!r}): {where}.", rule=rule, where=where)
    return said(
        "0/0, counted as {value} (zero_division={rule!r}): {where}.", value=_value(rule), rule=rule, where=where
    )


def _value(rule: Any) -> float:
    return 0.0 if rule == "warn" else float(rule)


def _on_facts(facts: TagFacts, unknown: str) -> dict[str, str]:
    notes: dict[str, str] = {}
    if facts.repeated_true or facts.repeated_pred:
        notes["repeated"] = said(
            "Repeated within a document, and counted once: {tags} in y_true, {n_pred:,} in y_pred.",
            tags=plural(facts.repeated_true, "tag"),
            n_pred=facts.repeated_pred,
        )
    if facts.unknown_tags:
        notes["unknown"] = said(
            "Not in classes, and added behind them (unknown={unknown!r}): {tags}; {times} in y_true, {n_pred:,} in "
            "y_pred."
            if unknown == "extend"
            else "Not in classes, and left out (unknown={unknown!r}): {tags}; {times} in y_true, {n_pred:,} in y_pred.",
            unknown=unknown,
            tags=named(facts.unknown_tags),
            times=plural(facts.unknown_true, "time"),
            n_pred=facts.unknown_pred,
        )
    if facts.excluded:
        notes["excluded"] = said(
            "Taken out of both sides: {tags}; {times} in y_true, {n_pred:,} in y_pred.",
            tags=named(facts.excluded),
            times=plural(facts.excluded_true, "time"),
            n_pred=facts.excluded_pred,
        )
    if facts.n_unpredicted:
        notes["unpredicted"] = counted(
            facts.n_unpredicted,
            "{n:,} labelled document without a prediction (None) was left out: if the model failed on it, give an "
            "empty set, which counts as missing every tag.",
            "{n:,} labelled documents without a prediction (None) were left out: if the model failed on them, give an "
            "empty set, which counts as missing every tag.",
        )
    return notes


def _on_spelling(classes: list[Any]) -> Message | None:
    pairs = [enumerated(map(shown, pair)) for pair in _alike(classes)[:MOST_PAIRS]]
    if not pairs:
        return None
    return said(
        "Different tags that differ in case, spaces or the form of their characters only: {pairs}. If they are the "
        "same, make them so before scoring.",
        pairs=joined(pairs, "; "),
    )


def _alike(classes: list[Any]) -> list[tuple[str, str]]:
    """Pairs of tags that a reader may take for the same."""
    seen: dict[str, str] = {}
    pairs = []
    for tag in classes:
        if isinstance(tag, str):
            text = tag if tag.isascii() else unicodedata.normalize("NFKC", tag)
            first = seen.setdefault("".join(text.casefold().split()), tag)
            if first != tag:
                pairs.append((first, tag))
    return pairs


def _on_labels(tags: EncodedTags, counts: TagCounts) -> dict[str, str]:
    notes: dict[str, str] = {}
    labels = counts.by_label
    unused = (labels.true == 0) & (labels.predicted == 0)
    if unused.any():
        notes["unused"] = counted(
            int(unused.sum()),
            "Of {labels} {n:,} occurs on neither side: macro averages take the rule for 0/0 there, and the Hamming "
            "loss is smaller for it.",
            "Of {labels} {n:,} occur on neither side: macro averages take the rule for 0/0 there, and the Hamming loss "
            "is smaller for it.",
            labels=plural(len(unused), "label"),
        )
    never = (labels.true == 0) & (labels.predicted > 0)
    if never.any():
        notes["weighted"] = said(
            "Predicted but never true: {labels} ({errors}), such as {tag}: the weighted average does not see them.",
            labels=plural(int(never.sum()), "label"),
            errors=plural(number(labels.predicted[never].sum()), "false positive"),
            tag=shown(tags.classes[int(np.argmax(never))]),
        )
    return notes


def _on_sizes(counts: TagCounts, found: TagScores, by_size: dict[str, Array]) -> Message | None:
    """Say where documents with many tags differ from those with few; those without tags on both sides aside."""
    micro, samples = found.scores["jaccard_micro"], _mean_jaccard(counts, found, math.nan)
    if not abs(micro - samples) > FAR_APART:
        return None
    values = said(
        "Jaccard is {micro:.3f} pooled (micro) and {samples:.3f} per document (samples, without those that are empty "
        "on both sides)"
        if found.undefined_documents["jaccard"]
        else "Jaccard is {micro:.3f} pooled (micro) and {samples:.3f} per document (samples)",
        micro=micro,
        samples=samples,
    )
    groups = by_size["jaccard_micro"][by_size["share_of_micro"] > 0]
    if len(groups) > 1 and np.ptp(groups) > FAR_APART / 2:
        return said(
            "{values}: documents with many tags differ from those with few, and another mix of documents would move "
            "both. See the table by size.",
            values=values,
        )
    return said(
        "{values}: documents with many tags in the union, true or predicted, differ from those with few.",
        values=values,
    )


def _on_empty(counts: TagCounts, found: TagScores, rule: Any) -> Message | None:
    """Say how far documents without tags move the mean."""
    n, samples = found.undefined_documents["jaccard"], found.scores["jaccard_samples"]
    others = _mean_jaccard(counts, found, math.nan)
    if not abs(samples - others) > FAR_APART:
        return None
    if _value(rule) == 0:
        remedy = said("zero_division=1 gives {jaccard:.3f}", jaccard=_mean_jaccard(counts, found, 1.0))
    else:
        remedy = said("zero_division=nan leaves them out")
    return counted(
        n,
        "{n:,} document rightly without tags counts as {value}: Jaccard is {samples:.3f} per document (samples) with "
        "it and {others:.3f} without; {remedy}.",
        "{n:,} documents rightly without tags count as {value}: Jaccard is {samples:.3f} per document (samples) with "
        "them and {others:.3f} without; {remedy}.",
        value=_value(rule),
        samples=samples,
        others=others,
        remedy=remedy,
    )


def _mean_jaccard(counts: TagCounts, found: TagScores, undefined: float) -> float:
    """Mean over documents, as another rule for 0/0 would have it."""
    nothing = (counts.by_document.true == 0) & (counts.by_document.predicted == 0)
    jaccard = np.where(nothing, undefined, found.by_document["jaccard"])
    if counts.weights is None:
        return mean_of_defined(jaccard)
    weighing = counts.weights > 0
    return mean_of_defined(jaccard[weighing], counts.weights[weighing])


def _on_balance(found: TagScores) -> Message | None:
    precision, recall = found.scores["precision_micro"], found.scores["recall_micro"]
    if not abs(precision - recall) > 3 * FAR_APART:
        return None
    return said(
        "Precision {precision:.3f} and recall {recall:.3f} (micro) lie far apart: recall is bought at the cost of "
        "precision, by too many tags."
        if recall > precision
        else "Precision {precision:.3f} and recall {recall:.3f} (micro) lie far apart: precision is bought at the cost "
        "of recall, by too few tags.",
        precision=precision,
        recall=recall,
    )
