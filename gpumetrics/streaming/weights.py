"""Sums of weights that do not depend on the order of the batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.streaming.pairs import added, integers

if TYPE_CHECKING:
    from gpumetrics.streaming.pairs import Pair
    from gpumetrics.types import Array

__all__ = ["Weights", "merged_weights"]

LARGEST = 2.0**62  # of sums that are given as int64


@dataclass(frozen=True)
class Weights:
    """Sums of weights.

    Attributes
    ----------
    sums : pair of ndarrays, float64
    whole : bool
        Whether all of them were integers: their sums are exact then.
    """

    sums: Pair
    whole: bool

    @classmethod
    def of(cls, sums: Array) -> Weights:
        """Take sums of int64 or float64."""
        whole = sums.dtype.kind == "i"
        return cls(integers(sums) if whole else (sums, np.zeros_like(sums)), whole)

    def plus(self, other: Weights) -> Weights:
        """Return the sums of both."""
        return Weights(added(self.sums, other.sums), self.whole and other.whole)

    def numbers(self) -> Array:
        """Return the sums as int64 if they are integers that fit, else as float64."""
        high, low = self.sums
        if self.whole and abs(high).sum() < LARGEST:
            return high.astype(np.int64) + low.astype(np.int64)
        return high


def merged_weights(ours: Weights | None, theirs: Weights | None, places: list[Array], n: int) -> Weights | None:
    """Return the n sums of both, which stand at these places among them; None where samples have no weights."""
    if ours is None or theirs is None:
        return None
    spread = []
    for weights, at in zip((ours, theirs), places, strict=True):
        high, low = np.zeros(n), np.zeros(n)
        high[at], low[at] = weights.sums
        spread.append(Weights((high, low), weights.whole))
    return spread[0].plus(spread[1])
