"""The best labeling by each score, whether the scores agree, and if not what to ask instead of averaging them."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.changes import Change, change_between
from gpumetrics.choosing.facts import FACTS, percent, printed, score_words
from gpumetrics.text.labels import label_text, on_one_line

if TYPE_CHECKING:
    from gpumetrics.choosing.entries import Entries
    from gpumetrics.types import Array

__all__ = ["Verdict", "change_of", "judge", "ranked"]

NUMBERS = {2: "Both", 3: "All three", 4: "All four"}
VIEWS = {
    "silhouette": "the silhouette compares each row with the next cluster",
    "calinski_harabasz": "Calinski-Harabasz compares the variance between clusters with that inside them",
    "davies_bouldin": "Davies-Bouldin compares each cluster with its most similar other",
    "density_validity": "the density validity compares the density inside clusters with that between them",
}
MOST_NAMED = 3  # groups that a question names


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
    agreed = len(chosen) == 1 and len(votes) > 1 and _scored(entries) > 1
    if _is_about_shape(votes, chosen):
        questions = [_question_of_shape(entries, votes, chosen)]
    else:
        questions = [_question(entries, pair, change) for pair, change in zip(pairs, changes, strict=True)]
    return Verdict(best, agreed, _agreement(entries, votes, voting, chosen, changes), "\n".join(questions), changes)


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


def _agreement(
    entries: Entries,
    votes: dict[str, int],
    voting: dict[str, Array],
    chosen: list[int],
    changes: tuple[Change, ...],
) -> str:
    if not votes:
        return "No score is defined for any of these labelings; the table says why."
    first = chosen[0]
    values = ", ".join(f"{FACTS[name].title} {printed(name, entries.rows[name][first])}" for name in votes)
    doubt = _doubt(entries, first, list(votes))
    if _scored(entries) == 1:
        doubt = doubt and f", and {doubt}"
        return f"Only {_named(entries, first)} has scores, so that there is nothing to choose from{doubt}: {values}."
    doubt = doubt and f", but {doubt}"
    same = _with_ties(entries, first, list(votes), voting)
    if len(votes) == 1:
        return f"By {values}, the only score here, {same} is the best{doubt}."
    if len(chosen) == 1:
        return f"{NUMBERS[len(votes)]} scores agree on {same}{doubt}: {values}."
    parts = []
    for at in chosen:
        names = [name for name, vote in votes.items() if vote == at]
        verb = "prefer" if len(names) > 1 else "prefers"
        parts.append(f"{score_words(names)} {verb} {_with_ties(entries, at, names, voting)}")
    return (
        f"The scores disagree: {', '.join(parts)}. None of them is wrong and they are not averaged, since each answers "
        f"a question of its own: {_why(votes, chosen, changes)}.{_doubts(entries, chosen, list(votes))}"
    )


def _doubt(entries: Entries, at: int, names: list[str]) -> str:
    """Say why a labeling with the best scores may not be the best: it leaves most rows out, or nothing to measure."""
    if entries.mostly_noise[at]:
        return f"it calls {percent(entries.rows['noise_fraction'][at])} of the rows noise"
    infinite = [name for name in names if np.isinf(entries.rows[name][at])]
    if infinite:
        return f"its {score_words(infinite)} is infinite, since no cluster has any spread (suspect duplicated rows)"
    return ""


def _doubts(entries: Entries, chosen: list[int], names: list[str]) -> str:
    """Return a sentence for each choice that is to be doubted."""
    doubts = {at: _doubt(entries, at, names) for at in chosen}
    return "".join(f" Doubt {entries.word(at, noise=False)}: {doubt}." for at, doubt in doubts.items() if doubt)


def _named(entries: Entries, at: int) -> str:
    """Return an entry's name, without the noise of which a doubt tells."""
    return entries.word(at, noise=not entries.mostly_noise[at])


def _with_ties(entries: Entries, at: int, names: list[str], voting: dict[str, Array]) -> str:
    """Return an entry's name, and how many others are as good by these scores."""
    others = set.intersection(*(set(voting[name].tolist()) for name in names)) - {at}
    if not others:
        return _named(entries, at)
    what = "another is" if len(others) == 1 else f"{len(others)} others are"
    return f"{_named(entries, at)} ({what} as good)"


def _why(votes: dict[str, int], chosen: list[int], changes: tuple[Change, ...]) -> str:
    """Say what makes the scores differ: for a close pair as the reader knows it, else what each of them looks at."""
    few = [name for name, at in votes.items() if at == chosen[0]]
    many = [name for name, at in votes.items() if at == chosen[-1]]
    if _is_about_shape(votes, chosen):
        others = [name for name in votes if name != "density_validity"]
        verb = "favours" if len(others) == 1 else "favour"
        return f"{score_words(others)} {verb} compact, round clusters, the density validity dense ones of any shape"
    pairs = len(chosen) == 2 and bool(changes[0].splits) and all(group.close for group in changes[0].splits)
    if pairs and many == ["calinski_harabasz"] and set(few) <= {"silhouette", "davies_bouldin"}:
        take = "take" if len(few) > 1 else "takes"
        return (
            f"{score_words(few)} {take} close groups for one, since apart they lie too near to each other; "
            "Calinski-Harabasz rewards how much the spread inside the clusters falls when they part"
        )
    return "; ".join(VIEWS[name] for name in votes)


def _is_about_shape(votes: dict[str, int], chosen: list[int]) -> bool:
    """Whether the density validity stands against all other scores."""
    alone = sum(at == votes.get("density_validity") for at in votes.values()) == 1
    return len(chosen) == 2 and alone


def _question(entries: Entries, pair: tuple[int, int], change: Change) -> str:
    """Ask what decides between two choices."""
    few, many = (entries.word(at) for at in pair)
    splits = change.splits
    if not splits:
        verb = "changes" if change.moved == 1 else "change"
        return (
            f"{few} and {many} draw other borders ({change.moved:,} of {change.n_rows:,} rows {verb} company): look at "
            "these rows. Which of the two serves your purpose?"
        )
    if len(splits) > 1:
        apart = "; ".join(_listed(group.pieces) for group in splits[:MOST_NAMED])
        if len(splits) > MOST_NAMED:
            apart = f"of the {len(splits)} clusters that part the largest: {apart}"
        what = f"Do the groups that {many} keeps apart and {few} does not ({apart})"
    else:
        group = splits[0]
        kind = "two close groups" if group.close else "groups"
        sizes = f"{group.size:,}"
        if len(group.sizes) <= MOST_NAMED:
            sizes = _enumerated([f"{size:,}" for size in group.sizes])
        what = f"Do the {kind} {_listed(group.pieces)} ({sizes} rows), which {few} keeps in one cluster,"
    return f"{what} differ for your purpose? Yes: take {many}. No: take {few}."


def _question_of_shape(entries: Entries, votes: dict[str, int], chosen: list[int]) -> str:
    dense = votes["density_validity"]
    compact = next(at for at in chosen if at != dense)
    return (
        "Are the groups that you look for compact, or of any shape (crescents, rings, chains)? Compact: take "
        f"{entries.word(compact)}. Any shape: take {entries.word(dense)}."
    )


def _listed(labels: tuple[Any, ...]) -> str:
    words = [on_one_line(label_text(label)) for label in labels[:MOST_NAMED]]
    return _enumerated([*words, *([f"{len(labels) - MOST_NAMED} more"] if len(labels) > MOST_NAMED else [])])


def _enumerated(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
