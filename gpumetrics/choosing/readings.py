"""What a reader of a comparison should keep in mind beside the values: notes by the subject they concern."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import DEFAULT_SCORES, printed, score_words
from gpumetrics.choosing.noise_notes import add_noise_notes
from gpumetrics.choosing.range_notes import add_range_notes
from gpumetrics.choosing.spread_notes import add_spread_note
from gpumetrics.evaluation.remarks import BANDS, CAVEAT
from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.text.messages import counted, joined, said, with_commas

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.choosing.entries import Entries
    from gpumetrics.choosing.verdict import Verdict
    from gpumetrics.text.messages import Message

__all__ = ["add_notes"]

MOST_NAMES = 4  # that a note lists
SURE = 2.0  # standard errors from which a difference is one


def add_notes(entries: Entries, verdict: Verdict) -> dict[str, str]:
    """Return all notes on these entries: those of how they came about, then those on the values."""
    notes = dict(entries.notes)
    _truth(notes, entries, verdict)
    add_noise_notes(notes, entries, verdict)
    _duplicates(notes, entries)
    add_range_notes(notes, entries, verdict)
    add_spread_note(notes, entries)
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


def _silhouette(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    at = _at(entries, verdict, "silhouette")
    if at is None:
        return
    value = float(entries.rows["silhouette"][at])
    band = BANDS[silhouette_band(value)]
    notes["bands"] = joined(
        [said("Silhouette {value}: {band}.", value=printed("silhouette", value), band=band), CAVEAT]
    )
    if entries.basis.mode == "estimate":
        notes["estimate"] = said(
            "The silhouettes are estimates, +/- their standard errors, from {n:,} of {n_rows:,} rows drawn at random, "
            "the same for every labeling, each against all rows. {keyword} evaluates every row.",
            n=entries.basis.sample[0],
            n_rows=entries.basis.n_samples,
            keyword='silhouette="exact"',
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
        notes["told_apart"] = said(
            "The sample does not tell the silhouette of {others} from that of {best}: their differences are below "
            "{errors:g} standard errors.",
            others=_listed(entries, unsure),
            best=entries.word(best),
            errors=SURE,
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


def _shape(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    """Warn where the scores cannot judge: of clusters of any shape, as density-based methods find them."""
    scores = [name for name in DEFAULT_SCORES if verdict.best.get(name) is not None]
    if not scores:
        return
    names = entries.names
    noisy = np.flatnonzero(entries.rows["n_noise"] > 0)
    which = sorted({names.index(name) for name in entries.density_based} | set(noisy.tolist()))
    notes["shape"] = counted(
        len(scores),
        "{scores} favours compact, round clusters: right ones like crescents or rings score low.",
        "{scores} favour compact, round clusters: right ones like crescents or rings score low.",
        scores=score_words(scores, first=True),
    )
    if which:
        notes["shape"] = joined([notes["shape"], _no_fair_judge(entries, which)])


def _no_fair_judge(entries: Entries, which: list[int]) -> Message:
    if len(which) <= MOST_NAMES:
        whom = _listed(entries, which)
    elif len(which) == len(entries.labelings):
        whom = said("these labelings")
    else:
        whom = said("{n} of these labelings", n=len(which))
    if "density_validity" in entries.basis.scores:
        return said(
            "Of {whom} (density-based, or with noise) they are no fair judge: the density validity takes clusters of "
            "any shape.",
            whom=whom,
        )
    return said(
        "Of {whom} (density-based, or with noise) they are no fair judge: compare {how}, which takes clusters of any "
        "shape.",
        whom=whom,
        how=said("by density_validity(X, labels)"),
    )


def _metric(notes: dict[str, str], entries: Entries) -> None:
    euclidean = [name for name in ("calinski_harabasz", "davies_bouldin") if name in entries.basis.scores]
    if euclidean and entries.basis.distance[0] not in {"euclidean", "sqeuclidean", "precomputed"}:
        notes["metric"] = counted(
            len(euclidean),
            "Only the silhouette uses the metric {metric}; {scores} is Euclidean.",
            "Only the silhouette uses the metric {metric}; {scores} are Euclidean.",
            metric=entries.basis.metric,
            scores=score_words(euclidean),
        )


def _duplicates(notes: dict[str, str], entries: Entries) -> None:
    """Point out a Davies-Bouldin of 0."""
    db = entries.rows.get("davies_bouldin")
    if db is not None and (db == 0).any():
        notes["davies_bouldin"] = said(
            "Davies-Bouldin is 0, its ideal limit, for {which}: no cluster has any spread. Suspect duplicated rows.",
            which=_listed(entries, np.flatnonzero(db == 0)),
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
    values = [
        said("{name} {value}", name=entries.word(at), value=printed("adjusted_rand", rows["adjusted_rand"][at]))
        for at in order
    ]
    texts = [
        said(
            "Against {keyword}, by adjusted Rand (0 as by chance, 1 the same partition): {values}.",
            keyword="labels_true",
            values=with_commas(values),
        )
    ]
    internal = {verdict.best[name] for name in entries.basis.scores if verdict.best.get(name) is not None}
    if internal and known not in internal:
        others = sorted(names.index(name) for name in internal)
        texts.append(
            said(
                "The scores of the data alone prefer {others}. Where the classes are what is looked for, {best} is the "
                "better one.",
                others=_listed(entries, others),
                best=entries.word(best),
            )
        )
    if verdict.best.get("adjusted_mutual_info") not in {None, known}:
        other = names.index(verdict.best["adjusted_mutual_info"])
        texts.append(said("Adjusted mutual information prefers {other}.", other=entries.word(other)))
    notes["truth"] = joined(texts)
    if _numbers_differ(entries):
        notes["numbers"] = said(
            "The numbers of clusters differ much: of the scores against {keyword} read adjusted Rand and adjusted "
            "mutual information; Rand, normalized mutual information and homogeneity rise with K by chance.",
            keyword="labels_true",
        )


def _numbers_differ(entries: Entries) -> bool:
    k = entries.rows["n_clusters"]
    k = k[k > 1]
    return bool(len(k)) and bool(k.max() >= 2 * k.min())
