"""Numbers as unevaluated sums of two float64, of twice the precision: sums that do not depend on their order.

A pair is (high, low), with low at most half a unit in the last place of high; both are arrays of one shape.

References
----------
J. R. Shewchuk (1997), "Adaptive precision floating-point arithmetic and fast robust geometric predicates", Discrete and
Computational Geometry 18, 305-363.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

    Pair = tuple[Array, Array]

__all__ = ["added", "integers", "plus", "times_power", "two_sum"]


def two_sum(a: Array, b: Array) -> Pair:
    """Return the sum of two numbers, and what its rounding lost."""
    high = a + b
    back = high - a
    return high, (a - (high - back)) + (b - back)


def added(a: Pair, b: Pair) -> Pair:
    """Return the sum of two pairs, to some 30 digits of it also where they nearly cancel out."""
    high, low = two_sum(a[0], b[0])
    more, rest = two_sum(a[1], b[1])
    high, low = _renewed(high, low + more)
    return _renewed(high, low + rest)


def plus(a: Pair, b: Array) -> Pair:
    """Return the sum of a pair and a number."""
    high, low = two_sum(a[0], b)
    return _renewed(high, low + a[1])


def times_power(a: Pair, exponent: int) -> Pair:
    """Return a pair times a power of two."""
    if not exponent:
        return a
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(a[0], exponent), np.ldexp(a[1], exponent)


def integers(values: Array) -> Pair:
    """Return integers of 64 bits as pairs, exactly."""
    upper, lower = values >> values.dtype.type(32), values & values.dtype.type(0xFFFFFFFF)
    return two_sum(upper.astype(np.float64) * 2.0**32, lower.astype(np.float64))


def _renewed(high: Array, low: Array) -> Pair:
    """Return the pair of two numbers the first of which is the larger one."""
    total = high + low
    return total, low - (total - high)
