"""What the scores say together, in words: on what they agree, what each prefers and why, and what to ask then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.facts import percent, score_value, score_words
from gpumetrics.text.labels import label_text, on_one_line
from gpumetrics.text.messages import counted, enumerated, joined, said, with_commas

if TYPE_CHECKING:
    from gpumetrics.choosing.changes import Change, Group
    from gpumetrics.choosing.entries import Entries
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["agreement_of", "question_between", "question_of_shape", "stands_alone"]

NUMBERS = {2: said("Both"), 3: said("All three"), 4: said("All four")}
VIEWS = {
    "silhouette": said("the silhouette compares each row with the next cluster"),
    "calinski_harabasz": said("Calinski-Harabasz compares the variance between clusters with that inside them"),
    "davies_bouldin": said("Davies-Bouldin compares each cluster with its most similar other"),
    "density_validity": said("the density validity compares the density inside clusters with that between them"),
}
MOST_NAMED = 3  # groups that a question names


def agreement_of(
    entries: Entries,
    votes: dict[str, int],
    voting: dict[str, Array],
    chosen: list[int],
    changes: tuple[Change, ...],
    n_scored: int,
) -> Message:
    """Say on what the scores agree, or what each of them prefers, and why.

    Parameters
    ----------
    entries : Entries
    votes : dict of str to int
        The choice of each score.
    voting : dict of str to ndarray
        All entries that are as good by it.
    chosen : list of int
        The choices, by their numbers of clusters.
    changes : tuple of Change
        From each choice to the next.
    n_scored : int
        Entries that have any score.
    """
    if not votes:
        return said("No score is defined for any of these labelings; the table says why.")
    if len(chosen) > 1:
        return _disagreement(entries, votes, voting, chosen, changes)
    at, doubt = chosen[0], _doubt(entries, chosen[0], list(votes))
    values = with_commas([score_value(name, entries.rows[name][at]) for name in votes])
    if n_scored == 1:
        return _no_choice(_named(entries, at), doubt, values)
    choice = _with_ties(entries, at, list(votes), voting)
    return _one_choice(choice, NUMBERS.get(len(votes)), doubt, values)


def _no_choice(only: str, doubt: Message | None, values: Message) -> Message:
    if doubt:
        return said(
            "Only {only} has scores, so that there is nothing to choose from, and {doubt}: {values}.",
            only=only,
            doubt=doubt,
            values=values,
        )
    return said("Only {only} has scores, so that there is nothing to choose from: {values}.", only=only, values=values)


def _one_choice(choice: str, number: Message | None, doubt: Message | None, values: Message) -> Message:
    """Say what all scores prefer; `number` is how many they are, None for one."""
    facts = {"choice": choice, "values": values}
    if number is None and doubt:
        return said("By {values}, the only score here, {choice} is the best, but {doubt}.", doubt=doubt, **facts)
    if number is None:
        return said("By {values}, the only score here, {choice} is the best.", **facts)
    if doubt:
        return said("{number} scores agree on {choice}, but {doubt}: {values}.", number=number, doubt=doubt, **facts)
    return said("{number} scores agree on {choice}: {values}.", number=number, **facts)


def _disagreement(
    entries: Entries,
    votes: dict[str, int],
    voting: dict[str, Array],
    chosen: list[int],
    changes: tuple[Change, ...],
) -> Message:
    choices = []
    for at in chosen:
        names = [name for name, vote in votes.items() if vote == at]
        scores, choice = score_words(names), _with_ties(entries, at, names, voting)
        choices.append(
            counted(len(names), "{scores} prefers {choice}", "{scores} prefer {choice}", scores=scores, choice=choice)
        )
    text = said(
        "The scores disagree: {choices}. None of them is wrong and they are not averaged, since each answers a "
        "question of its own: {why}.",
        choices=with_commas(choices),
        why=_why(votes, chosen, changes),
    )
    doubts = {at: _doubt(entries, at, list(votes)) for at in chosen}
    doubted = [
        said("Doubt {choice}: {doubt}.", choice=entries.word(at, noise=False), doubt=doubt)
        for at, doubt in doubts.items()
        if doubt
    ]
    return joined([text, *doubted])


def _doubt(entries: Entries, at: int, names: list[str]) -> Message | None:
    """Say why a labeling with the best scores may not be the best: it leaves most rows out, or nothing to measure."""
    if entries.mostly_noise[at]:
        return said("it calls {share} of the rows noise", share=percent(entries.rows["noise_fraction"][at]))
    infinite = [name for name in names if np.isinf(entries.rows[name][at])]
    if infinite:
        return said(
            "its {scores} is infinite, since no cluster has any spread (suspect duplicated rows)",
            scores=score_words(infinite),
        )
    return None


def _named(entries: Entries, at: int) -> str:
    """Return an entry's name, without the noise of which a doubt tells."""
    return entries.word(at, noise=not entries.mostly_noise[at])


def _with_ties(entries: Entries, at: int, names: list[str], voting: dict[str, Array]) -> str:
    """Return an entry's name, and how many others are as good by these scores."""
    others = set.intersection(*(set(voting[name].tolist()) for name in names)) - {at}
    if not others:
        return _named(entries, at)
    name = _named(entries, at)
    return counted(len(others), "{name} (another is as good)", "{name} ({n} others are as good)", name=name)


def _why(votes: dict[str, int], chosen: list[int], changes: tuple[Change, ...]) -> Message:
    """Say what makes the scores differ: for a close pair as the reader knows it, else what each of them looks at."""
    few = [name for name, at in votes.items() if at == chosen[0]]
    many = [name for name, at in votes.items() if at == chosen[-1]]
    if stands_alone("density_validity", votes, chosen):
        others = [name for name in votes if name != "density_validity"]
        return counted(
            len(others),
            "{scores} favours compact, round clusters, the density validity dense ones of any shape",
            "{scores} favour compact, round clusters, the density validity dense ones of any shape",
            scores=score_words(others),
        )
    pairs = len(chosen) == 2 and bool(changes[0].splits) and all(group.close for group in changes[0].splits)
    if pairs and many == ["calinski_harabasz"] and set(few) <= {"silhouette", "davies_bouldin"}:
        return counted(
            len(few),
            "{scores} takes close groups for one, since apart they lie too near to each other; Calinski-Harabasz "
            "rewards how much the spread inside the clusters falls when they part",
            "{scores} take close groups for one, since apart they lie too near to each other; Calinski-Harabasz "
            "rewards how much the spread inside the clusters falls when they part",
            scores=score_words(few),
        )
    *views, why = [VIEWS[name] for name in votes]
    for view in reversed(views):
        why = said("{view}; {others}", view=view, others=why)
    return why


def stands_alone(score: str, votes: dict[str, int], chosen: list[int]) -> bool:
    """Whether a score stands against all others."""
    alone = sum(at == votes.get(score) for at in votes.values()) == 1
    return len(chosen) == 2 and alone


def question_between(entries: Entries, pair: tuple[int, int], change: Change) -> Message:
    """Ask what decides between two choices."""
    few, many = (entries.word(at) for at in pair)
    if not change.splits:
        return counted(
            change.moved,
            "{few} and {many} draw other borders ({n:,} of {n_rows:,} rows changes company): look at these rows. "
            "Which of the two serves your purpose?",
            "{few} and {many} draw other borders ({n:,} of {n_rows:,} rows change company): look at these rows. "
            "Which of the two serves your purpose?",
            few=few,
            many=many,
            n_rows=change.n_rows,
        )
    if len(change.splits) > 1:
        return said(
            "Do the groups that {many} keeps apart and {few} does not ({apart}) differ for your purpose? "
            "Yes: take {many}. No: take {few}.",
            few=few,
            many=many,
            apart=_apart(change.splits),
        )
    group = change.splits[0]
    every = [f"{size:,}" for size in group.sizes]
    values = {
        "groups": _listed(group.pieces),
        "sizes": enumerated(every) if len(every) <= MOST_NAMED else f"{group.size:,}",
        "few": few,
        "many": many,
    }
    if group.close:
        return said(
            "Do the two close groups {groups} ({sizes} rows), which {few} keeps in one cluster, differ for your "
            "purpose? Yes: take {many}. No: take {few}.",
            **values,
        )
    return said(
        "Do the groups {groups} ({sizes} rows), which {few} keeps in one cluster, differ for your purpose? "
        "Yes: take {many}. No: take {few}.",
        **values,
    )


def _apart(splits: tuple[Group, ...]) -> Message:
    """Return what parts, the largest clusters first."""
    apart = joined([_listed(group.pieces) for group in splits[:MOST_NAMED]], "; ")
    if len(splits) <= MOST_NAMED:
        return apart
    return said("of the {n} clusters that part the largest: {apart}", n=len(splits), apart=apart)


def question_of_shape(entries: Entries, votes: dict[str, int], chosen: list[int]) -> Message:
    """Ask for the shape of the groups, where the density validity stands against all other scores."""
    dense = votes["density_validity"]
    compact = next(at for at in chosen if at != dense)
    return said(
        "Are the groups that you look for compact, or of any shape (crescents, rings, chains)? Compact: take "
        "{compact}. Any shape: take {dense}.",
        compact=entries.word(compact),
        dense=entries.word(dense),
    )


def _listed(labels: tuple[Any, ...]) -> Message:
    words = [on_one_line(label_text(label)) for label in labels[:MOST_NAMED]]
    if len(labels) > MOST_NAMED:
        return said("{words} and {n} more", words=", ".join(words), n=len(labels) - MOST_NAMED)
    return enumerated(words)
