"""What a reader must know of each score in a report: its name, range and direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from gpumetrics.text.messages import said

__all__ = ["EXTERNAL", "INTERNAL", "SCORES", "ScoreFacts", "silhouette_band"]


@dataclass(frozen=True)
class ScoreFacts:
    """Name, direction and range of one score.

    Attributes
    ----------
    name : str
        Key in `ClusteringReport.scores`.
    title : str
        As printed.
    better : {"higher", "lower"}
    range : str
    """

    name: str
    title: str
    better: Literal["higher", "lower"]
    range: str


INTERNAL = (
    ScoreFacts("silhouette", said("silhouette"), "higher", said("-1 to 1")),
    ScoreFacts("silhouette_macro", said("macro silhouette"), "higher", said("-1 to 1")),
    ScoreFacts("calinski_harabasz", said("Calinski-Harabasz"), "higher", said("0 to inf")),
    ScoreFacts("davies_bouldin", said("Davies-Bouldin"), "lower", said("0 to inf")),
)

EXTERNAL = (
    ScoreFacts("rand", said("Rand"), "higher", said("0 to 1")),
    ScoreFacts("adjusted_rand", said("adjusted Rand"), "higher", said("-0.5 to 1")),
    ScoreFacts("adjusted_mutual_info", said("adjusted mutual information"), "higher", said("-1 to 1")),
    ScoreFacts("normalized_mutual_info", said("normalized mutual information"), "higher", said("0 to 1")),
    ScoreFacts("homogeneity", said("homogeneity"), "higher", said("0 to 1")),
    ScoreFacts("completeness", said("completeness"), "higher", said("0 to 1")),
    ScoreFacts("v_measure", said("V-measure"), "higher", said("0 to 1")),
    ScoreFacts("fowlkes_mallows", said("Fowlkes-Mallows"), "higher", said("0 to 1")),
    ScoreFacts("clustering_accuracy", said("matched accuracy"), "higher", said("0 to 1")),
)

SCORES = {facts.name: facts for facts in INTERNAL + EXTERNAL}


def silhouette_band(value: float) -> str:
    """Return the word for a silhouette: "distinct", "reasonable", "weak" or "none" ("" for nan).

    Above 0.7 distinct; 0.5 to 0.7, both ends included, reasonable; 0.25 up to 0.5 weak; below 0.25
    no substantial structure. A convention (Kaufman and Rousseeuw, 1990), not a test.

    Examples
    --------
    >>> from gpumetrics.evaluation.score_facts import silhouette_band
    >>> [silhouette_band(s) for s in (0.71, 0.7, 0.5, 0.25, 0.24)]
    ['distinct', 'reasonable', 'reasonable', 'weak', 'none']
    """
    if math.isnan(value):
        return ""
    if value > 0.7:
        return "distinct"
    if value >= 0.5:
        return "reasonable"
    return "weak" if value >= 0.25 else "none"
