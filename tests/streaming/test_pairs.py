"""Pairs of float64 against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gpumetrics.streaming.pairs import added, integers, plus, times_power, two_sum

numbers = st.floats(-1e150, 1e150, allow_subnormal=False).map(lambda x: x if abs(x) > 1e-150 else 0.0)
smaller = st.floats(-1.0, 1.0).map(lambda x: x * 2.0**-54)


def pair(high, share):
    return np.array([high]), np.array([high * share])


def exact(pair):
    return Fraction(pair[0].item()) + Fraction(pair[1].item())


@settings(deadline=None)
@given(numbers, numbers)
def test_two_sum_loses_nothing(a, b):
    assert exact(two_sum(np.array([a]), np.array([b]))) == Fraction(a) + Fraction(b)


@settings(deadline=None)
@given(numbers, smaller, numbers, smaller)
def test_sums_are_right_to_thirty_digits(a, a_share, b, b_share):
    ours, theirs = pair(a, a_share), pair(b, b_share)
    total = exact(ours) + exact(theirs)
    found = added(ours, theirs)
    assert abs(exact(found) - total) <= abs(total) * Fraction(1, 10**30)
    assert found[0] == found[0] + found[1]
    total = exact(ours) + Fraction(b)
    assert abs(exact(plus(ours, np.array([b]))) - total) <= max(abs(total), abs(Fraction(b)) / 2**52) / 10**30


def test_what_cancels_out_leaves_the_rest():
    for high in (1.0, 1e100):
        ours, theirs = pair(high, 2.0**-55 * (1 + 2.0**-52)), pair(-high, -(2.0**-58) * (1 + 2.0**-52))
        assert exact(added(ours, theirs)) == exact(ours) + exact(theirs) != 0


@settings(deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_integers_are_exact(values):
    found = integers(np.array(values, dtype=np.int64))
    assert [int(high) + int(low) for high, low in zip(*found, strict=True)] == values
    assert_allclose(found[0], np.array(values, dtype=float), rtol=0)


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1), min_size=1))
def test_unsigned_integers_are_exact(values):
    found = integers(np.array(values, dtype=np.uint64))
    assert [int(high) + int(low) for high, low in zip(*found, strict=True)] == values


@pytest.mark.parametrize("exponent", [0, 5, -1900, 1900])
def test_powers_of_two(exponent):
    start = 2.0**900 if exponent < 0 else 2.0**-900
    high, low = times_power((np.array([start]), np.array([start * 2.0**-60])), exponent)
    assert (Fraction(high.item()), Fraction(low.item())) == (
        Fraction(start) * Fraction(2) ** exponent,
        Fraction(start) / 2**60 * Fraction(2) ** exponent,
    )
