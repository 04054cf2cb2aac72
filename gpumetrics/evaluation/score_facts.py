"""What a reader must know of each score in a report: its name, range and direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

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
    ScoreFacts("silhouette", "silhouette", "higher", "-1 to 1"),
    ScoreFacts("silhouette_macro", "macro silhouette", "higher", "-1 to 1"),
    ScoreFacts("calinski_harabasz", "Calinski-Harabasz", "higher", "0 to inf"),
    ScoreFacts("davies_bouldin", "Davies-Bouldin", "lower", "0 to inf"),
)

EXTERNAL = (
    ScoreFacts("rand", "Rand", "higher", "0 to 1"),
    ScoreFacts("adjusted_rand", "adjusted Rand", "higher", "-0.5 to 1"),
    ScoreFacts("adjusted_mutual_info", "adjusted mutual information", "higher", "-1 to 1"),
    ScoreFacts("normalized_mutual_info", "normalized mutual information", "higher", "0 to 1"),
    ScoreFacts("homogeneity", "homogeneity", "higher", "0 to 1"),
    ScoreFacts("completeness", "completeness", "higher", "0 to 1"),
    ScoreFacts("v_measure", "V-measure", "higher", "0 to 1"),
    ScoreFacts("fowlkes_mallows", "Fowlkes-Mallows", "higher", "0 to 1"),
    ScoreFacts("clustering_accuracy", "matched accuracy", "higher", "0 to 1"),
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
