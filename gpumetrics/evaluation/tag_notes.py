"""What a reader of a tag report should keep in mind, and over what each average is taken."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.classification.tags import named
from gpumetrics.evaluation.tag_scores import METRICS
from gpumetrics.exceptions import warn_undefined

if TYPE_CHECKING:
    from gpumetrics.classification.tags import EncodedTags
    from gpumetrics.evaluation.tag_scores import TagCounts, TagScores

__all__ = ["TITLES", "add", "averages", "favoured", "plural"]

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
    return f"; {plural(never, 'label')} that {'is' if never == 1 else 'are'} never true weigh nothing" if never else ""


def add(
    notes: dict[str, str], tags: EncodedTags, counts: TagCounts, found: TagScores, settings: dict[str, Any]
) -> None:
    """Add to the notes that the door has left, and warn where anything is 0/0."""
    _undefined(notes, found, settings["zero_division"])
    _tags(notes, tags, settings)
    _labels(notes, tags, counts)
    _averages(notes, found)
    if settings["weighted"]:
        notes["weights"] = (
            "Scores, intervals and counts of tags are weighted by sample_weight; numbers of documents are not."
        )
    notes["intervals"] = (
        "The intervals (95 %) hold for documents drawn at random and independently; they say nothing of errors in the "
        "truth. Averages over labels have none here."
    )
    notes["caveat"] = CAVEAT


def _undefined(notes: dict[str, str], found: TagScores, rule: Any) -> None:
    parts = []
    for name in METRICS:
        documents, labels = found.undefined_documents[name], found.undefined_labels[name]
        where = [plural(n, word) for n, word in ((documents, "document"), (labels, "label")) if n]
        if where:
            parts.append(f"{TITLES[name]} of {' and '.join(where)}")
    if not parts:
        return
    value = "0.0" if rule == "warn" else "left out of the means" if math.isnan(rule) else f"{rule}"
    counted = value if value.startswith("left") else f"counted as {value}"
    notes["zero_division"] = f"0/0, {counted} (zero_division={rule!r}): {'; '.join(parts)}."
    if rule == "warn":
        warn_undefined(
            f"Scores are ill-defined and being set to 0.0: {'; '.join(parts)}. Use `zero_division` parameter to "
            "control this behavior."
        )


def _tags(notes: dict[str, str], tags: EncodedTags, settings: dict[str, Any]) -> None:
    facts = tags.facts
    if facts.repeated_true or facts.repeated_pred:
        notes["repeated"] = (
            f"Repeated within a document, and counted once: {plural(facts.repeated_true, 'tag')} in y_true, "
            f"{facts.repeated_pred:,} in y_pred."
        )
    if facts.unknown_tags:
        fate = "added behind them" if settings["unknown"] == "extend" else "left out"
        notes["unknown"] = (
            f"Not in classes, and {fate} (unknown={settings['unknown']!r}): {named(facts.unknown_tags)}; "
            f"{facts.unknown_true:,} times in y_true, {facts.unknown_pred:,} in y_pred."
        )
    if facts.excluded:
        notes["excluded"] = (
            f"Taken out of both sides: {named(facts.excluded)}; {facts.excluded_true:,} times in y_true, "
            f"{facts.excluded_pred:,} in y_pred."
        )
    if facts.n_unpredicted:
        notes["unpredicted"] = (
            f"{plural(facts.n_unpredicted, 'labelled document')} without a prediction (None) left out: if the model "
            "failed on them, give an empty set, which counts as missing every tag."
        )
    if alike := _alike(tags.classes.tolist()):
        pairs = "; ".join(f"{a!r} and {b!r}" for a, b in alike[:3])
        notes["spelling"] = (
            f"Different tags that differ in case, spaces or the form of their characters only: {pairs}. If they are "
            "the same, make them so before scoring."
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


def _labels(notes: dict[str, str], tags: EncodedTags, counts: TagCounts) -> None:
    labels = counts.by_label
    unused = (labels.true == 0) & (labels.predicted == 0)
    if unused.any():
        notes["unused"] = (
            f"Of {plural(len(unused), 'label')} {int(unused.sum()):,} occur on neither side: macro averages have them "
            "by the rule for 0/0, and the Hamming loss is smaller for them."
        )
    never = (labels.true == 0) & (labels.predicted > 0)
    if never.any():
        total = _number(labels.predicted[never].sum())
        notes["weighted"] = (
            f"Predicted but never true: {plural(int(never.sum()), 'label')} ({plural(total, 'false positive')}), such "
            f"as {tags.classes[int(np.argmax(never))]!r}: the weighted average does not see them."
        )


def _averages(notes: dict[str, str], found: TagScores) -> None:
    scores = found.scores
    micro, samples = scores["jaccard_micro"], scores["jaccard_samples"]
    if abs(micro - samples) > FAR_APART:
        notes["sizes"] = (
            f"Jaccard is {micro:.3f} pooled (micro) and {samples:.3f} per document (samples): documents with many tags "
            "differ from those with few, and another mix of documents would move both. See the table by size."
        )
    precision, recall = scores["precision_micro"], scores["recall_micro"]
    if abs(precision - recall) > 3 * FAR_APART:
        high, low = ("recall", "precision") if recall > precision else ("precision", "recall")
        notes["balance"] = (
            f"Precision {precision:.3f} and recall {recall:.3f} (micro) lie far apart: {high} is bought at the cost of "
            f"{low}, by {'too many' if high == 'recall' else 'too few'} tags."
        )
