"""Each score of a tag report explained by the report's own counts, to readers who do not know it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpumetrics.pages.tags_words import counts_of, whole
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.text.messages import Message

__all__ = ["examples", "meaning"]


def examples(report: TagReport) -> list[str]:
    """Explain each score by the counts of this report."""
    right, invented, missed = counts_of(report)
    predicted, true, union = whole(right + invented), whole(right + missed), whole(right + invented + missed)
    found: list[str] = []
    if predicted:
        found.append(
            _ratio(
                said(
                    "Precision: of the {all:,} tags that were suggested, {some:,} are right", some=right, all=predicted
                ),
                right,
                predicted,
            )
        )
    if true:
        found.append(
            _ratio(
                said("Recall: of the {all:,} tags that should be there, {some:,} were found", some=right, all=true),
                right,
                true,
            )
        )
    if union:
        found.append(
            said(
                "F1: one number for both, always between them and nearer to the smaller one; 1 only if both are 1. "
                "Twice {right:,} right tags / (twice {right:,} + {invented:,} invented + {missed:,} missed) = "
                "{value:.3f}. It has no plain meaning of its own, so read precision and recall beside it.",
                right=right,
                invented=invented,
                missed=missed,
                value=2 * right / (2 * right + invented + missed),
            )
        )
        found.append(
            _ratio(
                said(
                    "Jaccard: of the {all:,} tags that are on either side, {some:,} are on both", some=right, all=union
                ),
                right,
                union,
            )
        )
    exact, n = report.documents["n_exact"], report.n_documents
    found.append(
        _ratio(
            said("Exact match: of {all:,} documents, {some:,} have exactly the right tags", some=exact, all=n), exact, n
        )
    )
    return found + _on_cells(report)


def _ratio(sentence: Message, some: float, every: float) -> Message:
    """Return a sentence with its fraction and value."""
    return said(
        "{sentence}: {some:,} / {all:,} = {value:.3f}.", sentence=sentence, some=some, all=every, value=some / every
    )


def _on_cells(report: TagReport) -> list[str]:
    cells, wrong = whole(report.counts["cells"]), whole(report.counts["wrong_cells"])
    if not cells:
        return []
    sentence = said(
        "Hamming loss (lower is better): of {all:,} pairs of a document and a tag, {some:,} are wrong",
        some=wrong,
        all=cells,
    )
    return [
        said(
            "{sentence}: {value:.4f}. It is small wherever most documents have few of many tags, so that it looks "
            "better than the tags are.",
            sentence=sentence,
            value=wrong / cells,
        )
    ]


def meaning(report: TagReport) -> list[str]:
    """Say over what each average is taken, and what F-beta favours."""
    averages, beta = report.averages, report.settings["beta"]
    found: list[str] = [
        said("Pooled (micro): {how}.", how=averages["micro"]),
        said("Mean over tags (macro): {how}.", how=averages["macro"]),
        said("Mean over tags by how often they are true (weighted): {how}.", how=averages["weighted"]),
        said("Mean over documents (samples): {how}.", how=averages["samples"]),
    ]
    if beta not in {0, 1, math.inf}:
        found.append(
            said(
                "F-beta with beta = {beta:g}: like F1, but recall counts {beta:g} times as much as precision.",
                beta=beta,
            )
        )
    return found
