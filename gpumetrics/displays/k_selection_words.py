"""What the plot of a comparison says in words: which score prefers what, and the text for those who cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import FACTS, printed, score_words
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.displays.k_selection import KSelectionDisplay
    from gpumetrics.text.messages import Message

__all__ = ["alt_of", "statement_of"]

BEST = {
    "higher": "{score} is best at {name} with {value} (higher is better)",
    "lower": "{score} is best at {name} with {value} (lower is better)",
}


def statement_of(display: KSelectionDisplay) -> Message:
    """Say which score prefers which labeling."""
    votes = {name: at for name in display.scores if (at := display.best[name]) is not None}
    chosen = sorted(set(votes.values()), key=lambda at: (display.n_clusters[at], at))
    if not chosen:
        few = "No score is defined for this labeling"
        return counted(len(display.names), few, "No score is defined for any of these labelings")
    only = display.word(chosen[0])
    scored = np.any([~np.isnan(display.values[name]) for name in display.scores], axis=0)
    if scored.sum() == 1:
        return said("Only {name} has scores: there is nothing to choose from", name=only)
    if len(votes) == 1:
        return said("{score}, the only score, prefers {name}", score=score_words(votes, first=True), name=only)
    if len(chosen) == 1:
        return said("The {n} scores agree: all prefer {name}", n=len(votes), name=only)
    parts = []
    for at in chosen:
        names = [name for name, vote in votes.items() if vote == at]
        template = "{scores} prefer {name}" if len(names) > 1 else "{scores} prefers {name}"
        parts.append(said(template, scores=score_words(names), name=display.word(at)))
    return said("The scores disagree: {choices}", choices=joined(parts, ", "))


def alt_of(display: KSelectionDisplay) -> Message:
    """Say what the plot shows, with the best value of each score."""
    many = counted(len(display.names), "Scores of {n:,} labeling.", "Scores of {n:,} labelings.")
    if not any(display.best[name] is not None for name in display.scores):
        return joined([many, said("{statement}.", statement=display.statement)])
    parts = []
    for name in display.scores:
        at, score = display.best[name], FACTS[name].title
        if at is None:
            parts.append(said("{score} is undefined for all of them", score=score))
        else:
            value = printed(name, float(display.values[name][at]))
            parts.append(said(BEST[FACTS[name].better], score=score, value=value, name=display.word(at)))
    return joined([many, said("{statement}; {parts}.", statement=display.statement, parts=joined(parts, "; "))])
