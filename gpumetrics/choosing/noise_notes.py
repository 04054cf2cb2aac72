"""What a reader of a comparison should know of noise: where there is much of it, and which scores leave it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import percent, score_words
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.choosing.entries import Entries
    from gpumetrics.choosing.verdict import Verdict
    from gpumetrics.text.messages import Message

__all__ = ["add_noise_notes"]

MOST_NAMES = 4  # that a note lists


def add_noise_notes(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    """Add the notes on noise, where there is any."""
    share = entries.rows["noise_fraction"]
    much = np.flatnonzero(share > MUCH_NOISE)
    if len(much):
        best = {entries.names.index(name) for name in verdict.best.values() if name is not None}
        first = sorted(much.tolist(), key=lambda at: (at not in best, -share[at]))
        notes["noise"] = said(
            "More than a tenth of the rows is noise in {which}. However good the scores, doubt the settings that "
            "discarded them (such as an eps too small for DBSCAN): dropping hard rows tends to raise scores.",
            which=entries.words(first, MOST_NAMES),
        )
    _set_aside(notes, entries)
    known = share[~np.isnan(share)]
    if len(known) and known.max() > 0:
        spread = None
        if known.min() < known.max():
            spread = said("{low} to {high}", low=percent(known.min(), 1), high=percent(known.max(), 1))
        notes["noise_rows"] = joined([*_without_noise(entries, spread), _with_noise()])


def _set_aside(notes: dict[str, str], entries: Entries) -> None:
    """Say which labelings are not among those that choose, since they are mostly noise."""
    scored = np.any([~np.isnan(entries.rows[name]) for name in entries.basis.scores], axis=0)
    aside = np.flatnonzero(scored & entries.mostly_noise)
    if len(aside) and (scored & ~entries.mostly_noise).any():
        notes["mostly_noise"] = said(
            "More than half of the rows is noise in {which}: the best are chosen among the others.",
            which=entries.words(aside, MOST_NAMES),
        )


def _without_noise(entries: Entries, spread: Message | None) -> list[Message]:
    """Say which scores leave noise out, and which counts it."""
    out = [name for name in entries.basis.scores if name != "density_validity"]
    density = len(out) < len(entries.basis.scores)
    counts_it = [said("The density validity counts noise as rows that no cluster explains.")] if density else []
    truth = bool(entries.basis.truth)
    if out and density and not truth:
        return [_some_scores(out, spread), *counts_it]
    if not density:
        which = said("All scores, also those against known classes,") if truth else said("All scores")
    elif out:
        which = said("{scores}, and the scores against known classes,", scores=score_words(out, first=True))
    elif truth:
        which = said("The scores against known classes")
    else:
        return counts_it
    if spread:
        template = "{which} leave noise out, and so they are of different rows here ({spread} noise)."
        return [said(template, which=which, spread=spread), *counts_it]
    return [said("{which} leave noise out.", which=which), *counts_it]


def _some_scores(names: list[str], spread: Message | None) -> Message:
    """Say that these scores, of several, leave noise out."""
    scores = score_words(names, first=True)
    if not spread:
        return counted(len(names), "{scores} leaves noise out.", "{scores} leave noise out.", scores=scores)
    return counted(
        len(names),
        "{scores} leaves noise out, and so they are of different rows here ({spread} noise).",
        "{scores} leave noise out, and so they are of different rows here ({spread} noise).",
        scores=scores,
        spread=spread,
    )


def _with_noise() -> Message:
    return said("{keyword} scores noise as one more cluster, as scikit-learn does.", keyword="noise_label=None")
