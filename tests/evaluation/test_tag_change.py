"""Reports compare where their truth is the same, tag by tag, and their labels are."""

import pytest
from numpy.testing import assert_allclose

from gpumetrics.evaluation.tags.evaluate import evaluate_tags


def test_the_truth_is_compared_by_tag():
    true = [["c", "a"], ["b"], []]
    before = evaluate_tags(true, [["a"], ["b"], []], classes=["c", "a", "b"], zero_division=0)
    after = evaluate_tags(true, true, classes=["a", "b", "c"], zero_division=0, sample_weight=[1, 1, 1])
    assert_allclose(after.change_from(before)["jaccard_micro"], 1 - 2 / 3)
    # A tag that a model invents is before all others: it shifts the columns, but the truth is the same.
    invented = evaluate_tags(true, [["0"], ["b"], []], zero_division=0)
    with pytest.raises(ValueError, match=r"differ in labels \('0' in one of them only\).*unknown='ignore'"):
        invented.change_from(before)
    ignored = evaluate_tags(true, [["0"], ["b"], []], classes=["a", "b", "c"], unknown="ignore", zero_division=0)
    assert ignored.change_from(before)["jaccard_micro"] < 0
