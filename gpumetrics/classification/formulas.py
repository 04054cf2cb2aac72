"""Precision, recall, F-beta and Jaccard: each a quotient of counts, never of one another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.classification.undefined import divide

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.statistics.label_counts import LabelCounts
    from gpumetrics.types import Array

__all__ = ["JACCARD", "PRECISION", "RECALL", "Ratio", "f_beta"]

LARGE_BETA = 1e8  # from here on 1 / beta**2 is used, since beta**2 would overflow
TINY = 5e-324  # the smallest weight: a count times it is still not 0


class Ratio(NamedTuple):
    """A score as a quotient of counts.

    Attributes
    ----------
    key : str
        In `warn_for`.
    name : str
        As scikit-learn's warnings begin.
    missing : str
        What there is none of where the score is undefined: it stands for the denominator.
    parts : function
        Numerator and denominator, from `LabelCounts`.
    """

    key: str
    name: str
    missing: str
    parts: Callable[[LabelCounts], tuple[Array, Array]]

    def of(self, counts: LabelCounts, undefined: float) -> tuple[Array, bool]:
        """Score each label or sample; and whether the score of one is undefined."""
        with np.errstate(under="ignore"):  # of a weight that is next to nothing
            return divide(*self.parts(counts), undefined)


PRECISION = Ratio("precision", "Precision", "predicted", lambda counts: (counts.true_positives, counts.predicted))
RECALL = Ratio("recall", "Recall", "true", lambda counts: (counts.true_positives, counts.true))
JACCARD = Ratio(
    "jaccard",
    "Jaccard",
    "true or predicted",
    lambda counts: (counts.true_positives, counts.true + counts.predicted - counts.true_positives),
)


def f_beta(beta: float) -> Ratio:
    """Weighted harmonic mean of precision and recall; `beta` says how many times as much recall counts.

    With w = beta**2 it is (1 + w) TP / (w true + predicted): precision at beta = 0, recall at infinity.
    """
    if beta == 0:
        return PRECISION._replace(key="f-score", name="F-score")
    if math.isinf(beta):
        return RECALL._replace(key="f-score", name="F-score")
    large = beta > LARGE_BETA
    weight = max((1 / beta) ** 2 if large else beta**2, TINY)

    def parts(counts: LabelCounts) -> tuple[Array, Array]:
        favoured, other = (counts.predicted, counts.true) if large else (counts.true, counts.predicted)
        return (1 + weight) * counts.true_positives, weight * favoured + other

    return Ratio("f-score", "F-score", "true nor predicted", parts)
