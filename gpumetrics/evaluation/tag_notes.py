"""What a reader of a tag report should keep in mind, and over what each average is taken."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tag_names import named, shown
from gpumetrics.classification.undefined import mean_of_defined
from gpumetrics.evaluation.tag_scores import METRICS
from gpumetrics.exceptions import warn_undefined

if TYPE_CHECKING:
    from gpumetrics.classification.tag_encoding import EncodedTags, TagFacts
    from gpumetrics.evaluation.tag_scores import TagCounts, TagScores
    from gpumetrics.types import Array

__all__ = ["TITLES", "averages", "favoured", "plural", "remarks", "warn_of_undefined", "with_verb"]

TITLES = dict(zip(METRICS, ("precision", "recall", "F1", "F-beta", "Jaccard"), strict=True))
FAR_APART = 0.1  # between two averages, or precision and recall, from which a reader is told
CAVEAT = (
    "Every tag counts the same, a missed safety tag like a harmless extra one: what errors cost, and who reviews them, "
    "is judged apart. A high score is overlap with the given truth, and no more right than it is."
)


def plural(n: float, word: str) -> str:
    """Return a number with its noun."""
    shown = f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"
    return f"{shown} {word}" if n == 1 else f"{shown} {word}s"


def with_verb(n: int, one: str, more: str) -> str:
    """Return a number with the form of a verb that goes with it."""
    return f"{n:,} {one if n == 1 else more}"


def favoured(beta: float) -> str:
    """Say what F-beta favours."""
    if beta == 1:
        return "the same as F1"
    if beta in {0, math.inf}:
        return "precision alone" if beta == 0 else "recall alone"
    side = "recall" if beta > 1 else "precision"
    return f"favours {side}: recall counts {beta:g} times as much as precision"


def averages(tags: EncodedTags, counts: TagCounts, undefined: float) -> dict[str, str]:
    """Say over what each average is taken."""
    n, k = len(tags.documents), len(tags.classes)
    pooled = counts.by_label.pooled()
    size = counts.total(counts.by_document.true_positives + counts.errors)
    left = " (those for which a score is 0/0 are left out of it)" if math.isnan(undefined) else ""
    weighing = "" if counts.weights is None else ", each by its weight"
    return {
        "micro": f"one quotient of counts added up over all documents and labels first ({plural(size, 'tag')} in the "
        "union): documents with many tags weigh more",
        "macro": f"mean over {plural(k, 'label')}, rare ones like frequent ones{left}",
        "weighted": f"mean over the labels, each by its true documents ({plural(_number(pooled.true[0]), 'tag')})"
        f"{_unseen(counts)}{left}",
        "samples": f"mean over {plural(n, 'document')}{weighing}, whatever the size of their sets{left}",
    }


def _number(value: Any) -> float:
    plain = value.item()
    return int(plain) if plain == int(plain) else float(plain)


def _unseen(counts: TagCounts) -> str:
    never = int(((counts.by_label.true == 0) & (counts.by_label.predicted > 0)).sum())
    verbs = ("is", "weighs") if never == 1 else ("are", "weigh")
    return f"; {plural(never, 'label')} that {verbs[0]} never true {verbs[1]} nothing" if never else ""


def remarks(
    tags: EncodedTags, counts: TagCounts, found: TagScores, by_size: dict[str, Array], settings: dict[str, Any]
) -> dict[str, str]:
    """Return the notes on scores, tags and labels, under the subject they concern."""
    notes = {
        "zero_division": _undefined(found, settings["zero_division"]),
        **_on_facts(tags.facts, settings["unknown"]),
        "spelling": _on_spelling(tags.classes.tolist()),
        **_on_labels(tags, counts),
        "sizes": _on_sizes(counts, found, by_size),
        "empty": _on_empty(counts, found, settings["zero_division"]),
        "balance": _on_balance(found),
    }
    if settings["weighted"]:
        notes["weights"] = (
            "Scores, intervals and counts of tags are weighted by sample_weight; numbers of documents are not."
        )
    notes["intervals"] = (
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


def _where_undefined(found: TagScores) -> str:
    """Of which metrics how many documents and labels are 0/0."""
    parts = []
    for name in METRICS:
        documents, labels = found.undefined_documents[name], found.undefined_labels[name]
        where = [plural(n, word) for n, word in ((documents, "document"), (labels, "label")) if n]
        if where:
            parts.append(f"{TITLES[name]} of {' and '.join(where)}")
    return "; ".join(parts)


def _undefined(found: TagScores, rule: Any) -> str:
    where = _where_undefined(found)
    counted = "left out of the means" if rule != "warn" and math.isnan(rule) else f"counted as {_value(rule)}"
    return f"0/0, {counted} (zero_division={rule!r}): {where}." if where else ""


def _value(rule: Any) -> float:
    return 0.0 if rule == "warn" else float(rule)


def _on_facts(facts: TagFacts, unknown: str) -> dict[str, str]:
    notes = {}
    if facts.repeated_true or facts.repeated_pred:
        notes["repeated"] = (
            f"Repeated within a document, and counted once: {plural(facts.repeated_true, 'tag')} in y_true, "
            f"{facts.repeated_pred:,} in y_pred."
        )
    if facts.unknown_tags:
        fate = "added behind them" if unknown == "extend" else "left out"
        notes["unknown"] = (
            f"Not in classes, and {fate} (unknown={unknown!r}): {named(facts.unknown_tags)}; "
            f"{plural(facts.unknown_true, 'time')} in y_true, {facts.unknown_pred:,} in y_pred."
        )
    if facts.excluded:
        notes["excluded"] = (
            f"Taken out of both sides: {named(facts.excluded)}; {plural(facts.excluded_true, 'time')} in y_true, "
            f"{facts.excluded_pred:,} in y_pred."
        )
    if facts.n_unpredicted:
        verb, pronoun = ("was", "it") if facts.n_unpredicted == 1 else ("were", "them")
        notes["unpredicted"] = (
            f"{plural(facts.n_unpredicted, 'labelled document')} without a prediction (None) {verb} left out: if the "
            f"model failed on {pronoun}, give an empty set, which counts as missing every tag."
        )
    return notes


def _on_spelling(classes: list[Any]) -> str:
    pairs = "; ".join(f"{shown(a)} and {shown(b)}" for a, b in _alike(classes)[:3])
    text = (
        f"Different tags that differ in case, spaces or the form of their characters only: {pairs}. If they are the "
        "same, make them so before scoring."
    )
    return text if pairs else ""


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
    labels, notes = counts.by_label, {}
    unused = (labels.true == 0) & (labels.predicted == 0)
    if unused.any():
        notes["unused"] = (
            f"Of {plural(len(unused), 'label')} {with_verb(int(unused.sum()), 'occurs', 'occur')} on neither side: "
            "macro averages take the rule for 0/0 there, and the Hamming loss is smaller for it."
        )
    never = (labels.true == 0) & (labels.predicted > 0)
    if never.any():
        total = _number(labels.predicted[never].sum())
        notes["weighted"] = (
            f"Predicted but never true: {plural(int(never.sum()), 'label')} ({plural(total, 'false positive')}), such "
            f"as {shown(tags.classes[int(np.argmax(never))])}: the weighted average does not see them."
        )
    return notes


def _on_sizes(counts: TagCounts, found: TagScores, by_size: dict[str, Array]) -> str:
    """Say where documents with many tags differ from those with few; those without tags on both sides aside."""
    micro, samples = found.scores["jaccard_micro"], _mean_jaccard(counts, found, math.nan)
    if not abs(micro - samples) > FAR_APART:
        return ""
    text = f"Jaccard is {micro:.3f} pooled (micro) and {samples:.3f} per document (samples"
    text += ", without those that are empty on both sides)" if found.undefined_documents["jaccard"] else ")"
    groups = by_size["jaccard_micro"][by_size["share_of_micro"] > 0]
    if len(groups) > 1 and np.ptp(groups) > FAR_APART / 2:
        return (
            f"{text}: documents with many tags differ from those with few, and another mix of documents would move "
            "both. See the table by size."
        )
    return f"{text}: documents with many tags in the union, true or predicted, differ from those with few."


def _on_empty(counts: TagCounts, found: TagScores, rule: Any) -> str:
    """Say how far documents without tags move the mean."""
    n, samples = found.undefined_documents["jaccard"], found.scores["jaccard_samples"]
    others = _mean_jaccard(counts, found, math.nan)
    if not abs(samples - others) > FAR_APART:
        return ""
    remedy = "zero_division=nan leaves them out"
    if _value(rule) == 0:
        remedy = f"zero_division=1 gives {_mean_jaccard(counts, found, 1.0):.3f}"
    return (
        f"{plural(n, 'document')} rightly without tags {'counts' if n == 1 else 'count'} as {_value(rule)}: Jaccard is "
        f"{samples:.3f} per document (samples) with {'it' if n == 1 else 'them'} and {others:.3f} without; {remedy}."
    )


def _mean_jaccard(counts: TagCounts, found: TagScores, undefined: float) -> float:
    """Mean over documents, as another rule for 0/0 would have it."""
    nothing = (counts.by_document.true == 0) & (counts.by_document.predicted == 0)
    jaccard = np.where(nothing, undefined, found.by_document["jaccard"])
    if counts.weights is None:
        return mean_of_defined(jaccard)
    weighing = counts.weights > 0
    return mean_of_defined(jaccard[weighing], counts.weights[weighing])


def _on_balance(found: TagScores) -> str:
    precision, recall = found.scores["precision_micro"], found.scores["recall_micro"]
    if not abs(precision - recall) > 3 * FAR_APART:
        return ""
    high, low = ("recall", "precision") if recall > precision else ("precision", "recall")
    return (
        f"Precision {precision:.3f} and recall {recall:.3f} (micro) lie far apart: {high} is bought at the cost of "
        f"{low}, by {'too many' if high == 'recall' else 'too few'} tags."
    )
