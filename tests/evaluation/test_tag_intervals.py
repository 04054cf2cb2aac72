"""The intervals of a tag report: those of the textbook where there is one, and they cover what they should."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

from gpumetrics.evaluation.tags.evaluate import evaluate_tags
from gpumetrics.evaluation.tags.intervals import ratio_interval

TRUE = [["delivery", "refund"], ["delivery"]]
PRED = [["delivery", "refund", "account"], ["delivery"]]


@pytest.mark.parametrize(("right", "n"), [(0, 10), (3, 10), (10, 10), (50, 200)])
def test_the_interval_of_a_share_is_agresti_coull(right, n):
    z = 1.959963984540054
    centre = (right + z * z / 2) / (n + z * z)
    half = z * math.sqrt(centre * (1 - centre) / (n + z * z))
    values = np.repeat([1.0, 0.0], [right, n - right])
    expected = max(0.0, centre - half), min(1.0, centre + half)
    assert_allclose(ratio_interval(values), expected, rtol=1e-9)
    assert_allclose(ratio_interval(values * 7, np.full(n, 7.0)), expected, rtol=1e-9)
    assert_allclose(ratio_interval(values, weights=np.full(n, 3.0)), expected, rtol=1e-9)


def test_no_weight_is_too_small_or_large():
    numerators, sizes = np.array([1.0, 0.0, 2.0]), np.array([2.0, 1.0, 4.0])
    weights = np.array([1.0, 2.0, 3.0])
    expected = ratio_interval(numerators, sizes, weights)
    for scale in (2.0**-1060, 2.0**-600, 2.0**600):
        assert_allclose(ratio_interval(numerators, sizes, weights * scale), expected, rtol=1e-9)
    table = evaluate_tags(TRUE, PRED, zero_division=0, sample_weight=[1e-305, 3e-305]).by_size
    assert_allclose(table["share_of_samples"], [3 / 4, 1 / 4])
    assert_allclose(table["share_of_micro"], [1 / 2, 1 / 2])


def test_intervals_cover_the_truth():
    rng = np.random.default_rng(0)
    inside = np.zeros(2)
    for _ in range(400):
        size = rng.integers(1, 8, 60)
        right = rng.binomial(size, 0.7)
        inside += [low <= 0.7 <= high for low, high in (ratio_interval(right / size), ratio_interval(right, size))]
    assert (inside / 400 > 0.92).all()
    assert (inside / 400 < 0.985).all()


def test_intervals_narrow_with_the_documents_and_hold_the_score():
    widths = []
    for n in (4, 40, 400):
        report = evaluate_tags(TRUE * (n // 2), PRED * (n // 2), zero_division=0)
        for name, (low, high) in report.intervals.items():
            assert 0 <= low <= report.scores[name] <= high <= 1
        low, high = report.intervals["jaccard_samples"]
        widths.append(high - low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    assert_equal(evaluate_tags([[]], [[]], zero_division=math.nan).intervals["jaccard_samples"], (math.nan, math.nan))
