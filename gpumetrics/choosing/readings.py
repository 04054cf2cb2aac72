"""What a reader of a comparison should keep in mind beside the values: notes by the subject they concern."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import DEFAULT_SCORES, percent, printed, score_words
from gpumetrics.evaluation.remarks import BANDS, CAVEAT, MUCH_NOISE
from gpumetrics.evaluation.score_facts import silhouette_band

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpumetrics.choosing.entries import Entries
    from gpumetrics.choosing.verdict import Verdict

__all__ = ["add_notes"]

MOST_NAMES = 4  # that a note lists
SURE = 2.0  # standard errors from which a difference is one


def add_notes(entries: Entries, verdict: Verdict) -> dict[str, str]:
    """Return all notes on these entries: those of how they came about, then those on the values."""
    notes = dict(entries.notes)
    _truth(notes, entries, verdict)
    _noise(notes, entries, verdict)
    _limits(notes, entries, verdict)
    _silhouette(notes, entries, verdict)
    _shape(notes, entries, verdict)
    _metric(notes, entries)
    return notes


def _at(entries: Entries, verdict: Verdict, score: str) -> int | None:
    """Return the entry that is best by a score."""
    name = verdict.best.get(score)
    return None if name is None else entries.names.index(name)


def _listed(entries: Entries, which: Iterable[int]) -> str:
    return entries.words(which, MOST_NAMES)


def _sentence(scores: Sequence[str]) -> str:
    """Return the names of scores at the beginning of a sentence."""
    text = score_words(scores)
    return text[0].upper() + text[1:]


def _silhouette(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    at = _at(entries, verdict, "silhouette")
    if at is None:
        return
    value = float(entries.rows["silhouette"][at])
    notes["bands"] = f"Silhouette {printed('silhouette', value)}: {BANDS[silhouette_band(value)]}. {CAVEAT}"
    if entries.basis.mode == "estimate":
        notes["estimate"] = (
            f"The silhouettes are estimates, +/- their standard errors, from {entries.basis.sample[0]:,} of "
            f"{entries.basis.n_samples:,} rows drawn at random, the same for every labeling, each against all rows. "
            'silhouette="exact" evaluates every row.'
        )
        _told_apart(notes, entries, at)


def _told_apart(notes: dict[str, str], entries: Entries, best: int) -> None:
    """Name what a sample cannot tell from the best: the rows are the same, so that their differences count."""
    unsure = []
    for at in range(len(entries)):
        value = entries.rows["silhouette"][at]
        if at == best or math.isnan(value):
            continue
        difference, error = _difference(entries, best, at)
        if 0 < abs(difference) < SURE * error:
            unsure.append(at)
    if unsure:
        notes["told_apart"] = (
            f"The sample does not tell the silhouette of {_listed(entries, unsure)} from that of "
            f"{entries.word(best)}: their differences are below {SURE:g} standard errors."
        )


def _difference(entries: Entries, first: int, second: int) -> tuple[float, float]:
    """Return the difference of two estimates and its standard error."""
    values = entries.rows["silhouette"]
    ours, theirs = (entries.sampled.get(entries.names[at]) for at in (first, second))
    if ours is None or theirs is None:
        return 0.0, 0.0
    difference = float(values[first] - values[second])
    if (np.isnan(ours) != np.isnan(theirs)).any():  # means over different rows
        return difference, float(np.hypot(*(entries.rows["silhouette_standard_error"][[first, second]])))
    pairs = (ours - theirs)[~np.isnan(ours)]
    share = 1 - entries.basis.sample[0] / entries.basis.n_samples
    return difference, math.sqrt(share * pairs.var(ddof=1) / len(pairs)) if len(pairs) > 1 else math.inf


def _noise(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    share = entries.rows["noise_fraction"]
    much = np.flatnonzero(share > MUCH_NOISE)
    if len(much):
        best = {entries.names.index(name) for name in verdict.best.values() if name is not None}
        first = sorted(much.tolist(), key=lambda at: (at not in best, -share[at]))
        notes["noise"] = (
            f"More than a tenth of the rows is noise in {_listed(entries, first)}. However good the scores, doubt the "
            "settings that discarded them (such as an eps too small for DBSCAN): dropping hard rows tends to raise "
            "scores."
        )
    _set_aside(notes, entries)
    known = share[~np.isnan(share)]
    if len(known) and known.max() > 0:
        spread = f"{percent(known.min(), 1)} to {percent(known.max(), 1)}" if known.min() < known.max() else ""
        notes["noise_rows"] = (
            f"{_without_noise(entries, spread)}noise_label=None scores noise as one more cluster, as scikit-learn does."
        )


def _without_noise(entries: Entries, spread: str) -> str:
    """Say which scores leave noise out, and which counts it."""
    out = [name for name in entries.basis.scores if name != "density_validity"]
    density = len(out) < len(entries.basis.scores)
    truth = bool(entries.basis.truth)
    text = ""
    if not density:
        text = "All scores" + ", also those against known classes," * truth + " leave noise out"
    elif out:
        verb = "leave" if truth or len(out) > 1 else "leaves"
        text = f"{_sentence(out)}{', and the scores against known classes,' * truth} {verb} noise out"
    elif truth:
        text = "The scores against known classes leave noise out"
    if text:
        text += f", and so they are of different rows here ({spread} noise). " if spread else ". "
    return text + "The density validity counts noise as rows that no cluster explains. " * density


def _set_aside(notes: dict[str, str], entries: Entries) -> None:
    """Say which labelings are not among those that choose, since they are mostly noise."""
    scored = np.any([~np.isnan(entries.rows[name]) for name in entries.basis.scores], axis=0)
    aside = np.flatnonzero(scored & entries.mostly_noise)
    if len(aside) and (scored & ~entries.mostly_noise).any():
        notes["mostly_noise"] = (
            f"More than half of the rows is noise in {_listed(entries, aside)}: the best are chosen among the others."
        )


def _shape(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    """Warn where the scores cannot judge: of clusters of any shape, as density-based methods find them."""
    scores = [name for name in DEFAULT_SCORES if verdict.best.get(name) is not None]
    if not scores:
        return
    names = entries.names
    noisy = np.flatnonzero(entries.rows["n_noise"] > 0)
    which = sorted({names.index(name) for name in entries.density_based} | set(noisy.tolist()))
    favour = "favours" if len(scores) == 1 else "favour"
    text = f"{_sentence(scores)} {favour} compact, round clusters: right ones like crescents or rings score low."
    if which:
        if "density_validity" in entries.basis.scores:
            advice = "the density validity takes clusters of any shape."
        else:
            advice = "compare by density_validity(X, labels), which takes clusters of any shape."
        many = "these labelings" if len(which) == len(entries.labelings) else f"{len(which)} of these labelings"
        whom = _listed(entries, which) if len(which) <= MOST_NAMES else many
        text = f"{text} Of {whom} (density-based, or with noise) they are no fair judge: {advice}"
    notes["shape"] = text


def _metric(notes: dict[str, str], entries: Entries) -> None:
    euclidean = [name for name in ("calinski_harabasz", "davies_bouldin") if name in entries.basis.scores]
    if euclidean and entries.basis.distance[0] not in {"euclidean", "sqeuclidean", "precomputed"}:
        verb = "is" if len(euclidean) == 1 else "are"
        notes["metric"] = (
            f"Only the silhouette uses the metric {entries.basis.metric}; {score_words(euclidean)} {verb} Euclidean."
        )


def _limits(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    """Point out what is no peak: a best K at the end of those that were tried, a Davies-Bouldin of 0."""
    db = entries.rows.get("davies_bouldin")
    if db is not None and (db == 0).any():
        notes["davies_bouldin"] = (
            f"Davies-Bouldin is 0, its ideal limit, for {_listed(entries, np.flatnonzero(db == 0))}: no cluster has "
            "any spread. Suspect duplicated rows."
        )
    if entries.kind != "n_clusters" or len(entries) < 3:
        return
    _narrowed(notes, entries)
    scores = [name for name in entries.basis.scores if verdict.best.get(name) is not None]
    ends = (max(entries.names), "largest", "larger ones"), (min(entries.names), "smallest", "smaller ones")
    for end, word, others in ends:
        at_end = [name for name in scores if verdict.best[name] == end]
        if at_end and not (word == "smallest" and end <= 2):
            verb = "is" if len(at_end) == 1 else "are"
            notes[f"{word}_k"] = (
                f"{_sentence(at_end)} {verb} best at the {word} K that was tried, {end}, which is not necessarily a "
                f"peak: try {others} as well."
            )


def _narrowed(notes: dict[str, str], entries: Entries) -> None:
    """Warn where all that Calinski-Harabasz has left for the silhouette lies at one end of the range."""
    if "narrow" not in entries.notes or "silhouette" not in entries.rows:
        return
    tried = [name for name, value in zip(entries.names, entries.rows["calinski_harabasz"], strict=True) if value > 0]
    kept = {
        name for name, value in zip(entries.names, entries.rows["silhouette"], strict=True) if not math.isnan(value)
    }
    ends = {"smallest": sorted(tried)[: len(kept)], "largest": sorted(tried)[len(tried) - len(kept) :]}
    for word, end in ends.items():
        if kept == set(end) and len(kept) < len(tried):
            only = (
                f"The {len(kept)} that have a silhouette are the {word} K"
                if len(kept) > 1
                else (f"The only one that has a silhouette is the {word} K")
            )
            span = f"{min(kept)} to {max(kept)}" if len(kept) > 1 else f"{min(kept)}"
            notes["narrow_end"] = (
                f"{only} of those that were tried ({span}): Calinski-Harabasz may have left out "
                "what the silhouette prefers. Keep more, or evaluate all."
            )


def _truth(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    """Read the scores against known classes, and say where those of the data alone prefer another labeling."""
    known = verdict.best.get("adjusted_rand")
    if known is None:
        return
    from gpumetrics.choosing.verdict import ranked

    rows, names = entries.rows, entries.names
    best = names.index(known)
    order = [names.index(name) for name in ranked(entries, "adjusted_rand")[:3]]
    values = ", ".join(f"{entries.word(at)} {printed('adjusted_rand', rows['adjusted_rand'][at])}" for at in order)
    text = f"Against labels_true, by adjusted Rand (0 as by chance, 1 the same partition): {values}."
    internal = {verdict.best[name] for name in entries.basis.scores if verdict.best.get(name) is not None}
    if internal and known not in internal:
        others = sorted(names.index(name) for name in internal)
        text += (
            f" The scores of the data alone prefer {_listed(entries, others)}. Where the classes are what is looked "
            f"for, {entries.word(best)} is the better one."
        )
    if verdict.best.get("adjusted_mutual_info") not in {None, known}:
        other = names.index(verdict.best["adjusted_mutual_info"])
        text += f" Adjusted mutual information prefers {entries.word(other)}."
    notes["truth"] = text
    if _numbers_differ(entries):
        notes["numbers"] = (
            "The numbers of clusters differ much: of the scores against labels_true read adjusted Rand and adjusted "
            "mutual information; Rand, normalized mutual information and homogeneity rise with K by chance."
        )


def _numbers_differ(entries: Entries) -> bool:
    k = entries.rows["n_clusters"]
    k = k[k > 1]
    return bool(len(k)) and bool(k.max() >= 2 * k.min())
