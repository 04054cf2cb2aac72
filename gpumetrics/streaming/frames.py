"""The units in which the moments of a stream are held: those that all its rows together would have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.features import Features, scaled
from gpumetrics.streaming.pairs import added, integers, times_power

if TYPE_CHECKING:
    from gpumetrics.streaming.pairs import Pair
    from gpumetrics.types import Array

__all__ = ["Frame"]


@dataclass(frozen=True)
class Frame:
    """A row x stands as ``(x - base) * 2**exponent``.

    Attributes
    ----------
    base : pair of ndarrays of shape (n_features,), float64
    exponent : int
    """

    base: Pair
    exponent: int

    @classmethod
    def of(cls, features: Features) -> Frame:
        """Return the units in which `Features.rows` gives rows."""
        base = np.zeros(features.n_features), np.zeros(features.n_features)
        if features.offset is not None:
            base = integers(features.offset)
        if features.constant is not None:
            base = added(base, (features.constant, np.zeros(features.n_features)))
        return cls(base, _exponent(features.scale))

    @classmethod
    def for_range(cls, low: Array, high: Array) -> Frame:
        """Return the units that `check_features` would choose for rows with these column minima and maxima."""
        chosen = scaled(Features(np.empty((0, len(low))), low, high))
        base = np.zeros(len(low)) if chosen.constant is None else chosen.constant
        return cls((base, np.zeros(len(low))), _exponent(chosen.scale))

    @property
    def scale(self) -> float:
        return float(np.ldexp(1.0, self.exponent))

    @property
    def offset(self) -> Array | None:
        """The base as plain numbers; None if it is zero."""
        return self.base[0] if self.base[0].any() else None

    def same(self, other: Frame) -> bool:
        """Whether rows stand alike in both."""
        bases = zip(self.base, other.base, strict=True)
        return self.exponent == other.exponent and all(np.array_equal(a, b) for a, b in bases)

    def to(self, other: Frame, rows: Pair) -> Pair:
        """Return what stands in this frame as it stands in another one."""
        if self.same(other):
            return rows
        # The bases are exchanged in the smaller units, in which nothing overflows.
        lowest = min(self.exponent, other.exponent)
        rows = times_power(rows, lowest - self.exponent)
        between = added(self.base, (-other.base[0], -other.base[1]))
        if between[0].any():
            rows = added(rows, times_power(between, lowest))
        return times_power(rows, other.exponent - lowest)

    def place(self, features: Features) -> tuple[Features, Frame]:
        """Return rows in this frame's units, and the frame in which they stand: integers keep their own base."""
        if features.offset is not None:
            own = replace(features, scale=self.scale, constant=None)
            return own, Frame.of(own)
        return replace(features, scale=self.scale, constant=self.offset), self


def _exponent(scale: float) -> int:
    return int(np.frexp(scale)[1]) - 1
