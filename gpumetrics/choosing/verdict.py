"""The best labeling by each score, whether the scores agree, and if not what to ask instead of averaging them."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.changes import Change, change_between
from gpumetrics.choosing.facts import FACTS
from gpumetrics.choosing.verdict_words import agreement_of, question_between, question_of_shape, stands_alone
from gpumetrics.text.messages import joined

if TYPE_CHECKING:
    from gpumetrics.choosing.entries import Entries
    from gpumetrics.types import Array

__all__ = ["Verdict", "change_of", "judge", "ranked"]


@dataclass(frozen=True)
class Verdict:
    """What the scores say together; the attributes are those of `Comparison`."""

    best: dict[str, Any]
    agreed: bool
    agreement: str
    question: str
    changes: tuple[Change, ...]


def judge(entries: Entries) -> Verdict:
    """Find the best by each score and compare the choices; nothing is averaged."""
    basis = entries.basis
    ties = {name: _ties(_eligible(entries, name), name, basis.tolerance) for name in basis.columns}
    voting = {name: ties[name] for name in basis.scores if len(ties[name])}
    votes = {name: _pick(ties[name], voting) for name in voting}
    picked = {name: _pick(found, voting) if len(found) else None for name, found in ties.items()}
    best = {name: None if at is None else entries.rows["name"][at] for name, at in picked.items()}
    chosen = sorted(set(votes.values()), key=lambda at: (entries.rows["n_clusters"][at], at))
    pairs = list(itertools.pairwise(chosen))
    changes = tuple(change_of(entries, *pair) for pair in pairs)
    n_scored = _scored(entries)
    agreed = len(chosen) == 1 and len(votes) > 1 and n_scored > 1
    if stands_alone("density_validity", votes, chosen):
        questions = [question_of_shape(entries, votes, chosen)]
    else:
        questions = [question_between(entries, pair, change) for pair, change in zip(pairs, changes, strict=True)]
    agreement = agreement_of(entries, votes, voting, chosen, changes, n_scored)
    question = joined(questions, "\n") if questions else ""
    return Verdict(best, agreed, agreement, question, changes)


def ranked(entries: Entries, score: str) -> list[Any]:
    """Return the names from the best to the worst by one score, what is mostly noise last; without those without."""
    values = entries.rows[score]
    order = np.lexsort((-values if FACTS[score].better == "higher" else values, entries.mostly_noise))
    return [entries.rows["name"][at] for at in order if not np.isnan(values[at])]


def change_of(entries: Entries, source: int, target: int) -> Change:
    """Compare the clusters of two entries."""
    names = entries.rows["name"][source], entries.rows["name"][target]
    return change_between(
        (names[0], entries.labelings[names[0]]),
        (names[1], entries.labelings[names[1]]),
        noise_label=entries.basis.noise_label,
        nearest=(entries.nearest.get(names[0]), entries.nearest.get(names[1])),
    )


def _eligible(entries: Entries, score: str) -> Array:
    """Return a score, as nan where most rows are noise if it is defined for a labeling where they are not."""
    values, mostly = entries.rows[score], entries.mostly_noise
    return values if np.isnan(values[~mostly]).all() else np.where(mostly, np.nan, values)


def _ties(values: Array, name: str, tolerance: float) -> Array:
    """Return the entries that are best by this score, up to rounding."""
    known = np.flatnonzero(~np.isnan(values))
    if not len(known):
        return known
    top = values[known].max() if FACTS[name].better == "higher" else values[known].min()
    equal = values == top
    if np.isfinite(top):
        equal |= np.abs(values - top) <= tolerance * abs(top)
    return np.flatnonzero(equal)


def _pick(ties: Array, voting: dict[str, Array]) -> int:
    """Of equally good entries take the one that is among the best by the most scores, then the first."""
    support = Counter(at for found in voting.values() for at in found.tolist())
    return int(max(ties.tolist(), key=lambda at: (support[at], -at)))


def _scored(entries: Entries) -> int:
    """Return how many entries have any score."""
    known = [~np.isnan(entries.rows[name]) for name in entries.basis.scores]
    return int(np.any(known, axis=0).sum())
