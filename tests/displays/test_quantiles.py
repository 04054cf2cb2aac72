"""Quantiles of groups are NumPy's, from one sort."""

import numpy as np
import pytest

from gpumetrics.displays.drawing.quantiles import group_quantiles


@pytest.mark.parametrize("n_groups", [1, 7, 300, 70_000])
def test_each_group_has_the_quantiles_that_numpy_gives(rng, n_groups):
    codes = np.sort(rng.integers(0, n_groups, 90_000))
    codes[:5_000] = 0
    rng.shuffle(codes)
    values = rng.normal(size=len(codes))
    found = group_quantiles(values, codes, n_groups)
    np.testing.assert_array_equal(found.counts, np.bincount(codes, minlength=n_groups))
    for group in [0, n_groups // 2, n_groups - 1]:
        own = values[codes == group]
        kept = np.sort(own) if len(own) <= 101 else np.quantile(own, np.linspace(0, 1, 101))
        np.testing.assert_allclose(found.of(group), kept, rtol=1e-12)
        assert found.complete(group) == (len(own) <= 101)


def test_the_values_given_are_left_as_they_are(rng):
    values = rng.normal(size=500)
    before = values.copy()
    group_quantiles(values, rng.integers(0, 2, 500), 2)
    np.testing.assert_array_equal(values, before)


def test_groups_without_values_are_empty():
    found = group_quantiles(np.array([1.0, 2.0]), np.array([1, 1]), 3)
    assert [len(found.of(group)) for group in range(3)] == [0, 2, 0]
    assert len(group_quantiles(np.empty(0), np.empty(0, dtype=np.int64), 0).values) == 0
