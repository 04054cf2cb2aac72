"""What a reader of a stability should keep in mind: noise, trivial agreement, whose words and rules are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.text.messages import joined, said

if TYPE_CHECKING:
    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.text.messages import Message

__all__ = ["BOOTSTRAP", "with_notes"]

BOOTSTRAP = "bootstrap"
CONCLUSION = said(
    "That clusters come back says that they are there, not that they are of use: conclude from scores, stability, and "
    "whether people who know the data can name the clusters, together."
)
RULE_OF_THUMB = said(
    "What is said of the adjusted Rand index (structure above 0.9, borders that move near 0.5) is a rule of thumb."
)
HENNIG = said(
    "The words for Jaccard indices (0.85 and above highly stable, 0.75 stable, 0.6 a pattern, below not to be trusted) "
    "are Hennig's, for bootstrap samples"
)
NOISE = said(
    "A row that is noise in a run shares its cluster with no row there: agreement counts it as a cluster of its own, "
    "and a Jaccard index as outside every cluster."
)


def with_notes(found: Stability, resample: str | None) -> Stability:
    """Add what a reader should keep in mind."""
    notes, runs = found.notes, found.runs
    if (runs["noise_fraction"] > 0).any():
        low, high = (100 * f(runs["noise_fraction"]) for f in (np.min, np.max))
        text = said("{low:.1f} to {high:.1f} % of the rows are noise in a run.", low=low, high=high)
        notes["noise"] = joined([text, NOISE])
    clusters = runs["n_clusters"]
    if clusters.min() != clusters.max():
        low, high = int(clusters.min()), int(clusters.max())
        notes["clusters"] = said("The runs found from {low} to {high} clusters.", low=low, high=high)
    if clusters.max() <= 1 or (clusters == runs["n_rows"]).all():
        notes["trivial"] = (
            said("Every run found one cluster or none: that runs agree on that is no sign of structure.")
            if clusters.max() <= 1
            else said(
                "Every run found every row a cluster of its own: that runs agree on that is no sign of structure."
            )
        )
        notes.pop("same", None)
    notes["words"] = joined([RULE_OF_THUMB, _whose_words(resample)])
    notes["conclusion"] = CONCLUSION
    return found


def _whose_words(resample: str | None) -> Message:
    """Say for which runs the words for Jaccard indices are meant."""
    if resample is None:
        return said("{words}; runs that differ only in their start agree more easily.", words=HENNIG)
    if resample == BOOTSTRAP:
        return said("{words}.", words=HENNIG)
    return said("{words}; other runs may agree more easily, or less.", words=HENNIG)
