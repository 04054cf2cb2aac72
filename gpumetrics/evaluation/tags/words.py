"""Words of a tag report: numbers with their nouns, names of scores, over what each average is taken."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpumetrics.evaluation.tags.scores import METRICS
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.classification.tag_encoding import EncodedTags
    from gpumetrics.evaluation.tags.scores import TagCounts
    from gpumetrics.text.messages import Message

__all__ = ["TITLES", "averages", "favoured", "number", "plural", "with_verb"]

NAMES = (said("precision"), said("recall"), said("F1"), said("F-beta"), said("Jaccard"))
NOUNS = {
    "cell": ("{n} cell", "{n} cells"),
    "column": ("{n} column", "{n} columns"),
    "document": ("{n} document", "{n} documents"),
    "false positive": ("{n} false positive", "{n} false positives"),
    "label": ("{n} label", "{n} labels"),
    "tag": ("{n} tag", "{n} tags"),
    "time": ("{n} time", "{n} times"),
}
TITLES = dict(zip(METRICS, NAMES, strict=True))


def plural(n: float, word: str) -> Message:
    """Return a number with its noun, one of `NOUNS`."""
    single, several = NOUNS[word]
    number = f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"
    return said(single if n == 1 else several, n=number)


def with_verb(n: int, one: str, more: str) -> str:
    """Return a number with the form of a verb that goes with it."""
    return f"{n:,} {one if n == 1 else more}"


def favoured(beta: float) -> Message:
    """Say what F-beta favours."""
    if beta == 1:
        return said("the same as F1")
    if beta in {0, math.inf}:
        return said("precision alone") if beta == 0 else said("recall alone")
    if beta > 1:
        return said("favours recall: recall counts {beta:g} times as much as precision", beta=beta)
    return said("favours precision: recall counts {beta:g} times as much as precision", beta=beta)


def averages(tags: EncodedTags, counts: TagCounts, undefined: float) -> dict[str, str]:
    """Say over what each average is taken."""
    size = counts.total(counts.by_document.true_positives + counts.errors)
    means = {
        "macro": said("mean over {labels}, rare ones like frequent ones", labels=plural(len(tags.classes), "label")),
        "weighted": _weighted(counts),
        "samples": _over_documents(plural(len(tags.documents), "document"), weighted=counts.weights is not None),
    }
    if math.isnan(undefined):
        left = "{average} (those for which a score is 0/0 are left out of it)"
        means = {name: said(left, average=text) for name, text in means.items()}
    micro = said(
        "one quotient of counts added up over all documents and labels first ({tags} in the union): documents with "
        "many tags weigh more",
        tags=plural(size, "tag"),
    )
    return {"micro": micro, **means}


def _weighted(counts: TagCounts) -> Message:
    """Say of the weighted average what weighs in it, and what does not."""
    tags = plural(number(counts.by_label.pooled().true[0]), "tag")
    text = said("mean over the labels, each by its true documents ({tags})", tags=tags)
    never = int(((counts.by_label.true == 0) & (counts.by_label.predicted > 0)).sum())
    if not never:
        return text
    return counted(
        never,
        "{average}; {n:,} label that is never true weighs nothing",
        "{average}; {n:,} labels that are never true weigh nothing",
        average=text,
    )


def _over_documents(documents: Message, *, weighted: bool) -> Message:
    if weighted:
        return said("mean over {documents}, each by its weight, whatever the size of their sets", documents=documents)
    return said("mean over {documents}, whatever the size of their sets", documents=documents)


def number(value: Any) -> float:
    """Return a count, which may be weighted, as an integer where it is whole."""
    plain = value.item()
    return int(plain) if plain == int(plain) else float(plain)
