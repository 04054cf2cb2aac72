"""What a reader of a comparison over K should know of its range: what is best at an end of it is not yet a peak."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpumetrics.choosing.facts import score_words
from gpumetrics.text.messages import counted

if TYPE_CHECKING:
    from gpumetrics.choosing.entries import Entries
    from gpumetrics.choosing.verdict import Verdict
    from gpumetrics.text.messages import Message

__all__ = ["add_range_notes"]


def add_range_notes(notes: dict[str, str], entries: Entries, verdict: Verdict) -> None:
    """Add the notes on the ends of the range of K, of three at least."""
    if entries.kind != "n_clusters" or len(entries) < 3:
        return
    _narrowed(notes, entries)
    scores = [name for name in entries.basis.scores if verdict.best.get(name) is not None]
    low, high = min(entries.names), max(entries.names)
    at_high = [name for name in scores if verdict.best[name] == high]
    if at_high:
        notes["largest_k"] = _best_at_largest(at_high, high)
    at_low = [name for name in scores if verdict.best[name] == low]
    if at_low and low > 2:
        notes["smallest_k"] = _best_at_smallest(at_low, low)


def _best_at_largest(scores: list[str], k: int) -> Message:
    return counted(
        len(scores),
        "{scores} is best at the largest K that was tried, {k}, which is not necessarily a peak: try larger ones as "
        "well.",
        "{scores} are best at the largest K that was tried, {k}, which is not necessarily a peak: try larger ones as "
        "well.",
        scores=score_words(scores, first=True),
        k=k,
    )


def _best_at_smallest(scores: list[str], k: int) -> Message:
    return counted(
        len(scores),
        "{scores} is best at the smallest K that was tried, {k}, which is not necessarily a peak: try smaller ones as "
        "well.",
        "{scores} are best at the smallest K that was tried, {k}, which is not necessarily a peak: try smaller ones as "
        "well.",
        scores=score_words(scores, first=True),
        k=k,
    )


def _narrowed(notes: dict[str, str], entries: Entries) -> None:
    """Warn where all that Calinski-Harabasz has left for the silhouette lies at one end of the range."""
    if "narrow" not in entries.notes or "silhouette" not in entries.rows:
        return
    scored = zip(entries.names, entries.rows["calinski_harabasz"], entries.rows["silhouette"], strict=True)
    tried, kept = [], set()
    for name, calinski_harabasz, silhouette in scored:
        if calinski_harabasz > 0:
            tried.append(name)
        if not math.isnan(silhouette):
            kept.add(name)
    if not kept or len(kept) >= len(tried):  # none where an interrupt left all of them out
        return
    if kept == set(sorted(tried)[len(tried) - len(kept) :]):
        notes["narrow_end"] = _largest_have_a_silhouette(kept)
    elif kept == set(sorted(tried)[: len(kept)]):
        notes["narrow_end"] = _smallest_have_a_silhouette(kept)


def _largest_have_a_silhouette(kept: set[int]) -> Message:
    return counted(
        len(kept),
        "The only one that has a silhouette is the largest K of those that were tried ({low}): Calinski-Harabasz may "
        "have left out what the silhouette prefers. Keep more, or evaluate all.",
        "The {n} that have a silhouette are the largest K of those that were tried ({low} to {high}): "
        "Calinski-Harabasz may have left out what the silhouette prefers. Keep more, or evaluate all.",
        low=min(kept),
        high=max(kept),
    )


def _smallest_have_a_silhouette(kept: set[int]) -> Message:
    return counted(
        len(kept),
        "The only one that has a silhouette is the smallest K of those that were tried ({low}): Calinski-Harabasz may "
        "have left out what the silhouette prefers. Keep more, or evaluate all.",
        "The {n} that have a silhouette are the smallest K of those that were tried ({low} to {high}): "
        "Calinski-Harabasz may have left out what the silhouette prefers. Keep more, or evaluate all.",
        low=min(kept),
        high=max(kept),
    )
