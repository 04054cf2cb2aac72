"""What a tag report says beside its scores: why averages differ, in words that fit the numbers, on lines that fit."""

import math
import unicodedata

import pytest
from numpy.testing import assert_allclose, assert_equal

from gpumetrics.evaluation.tags.evaluate import evaluate_tags


def test_a_size_that_only_predictions_have_is_no_matter_of_the_table():
    report = evaluate_tags([["a"], ["b"]], [["a"], list("cdefghij")], zero_division=0)
    assert_equal(report.by_size["true_tags"].tolist(), ["1"])
    assert "in the union, true or predicted" in report.notes["sizes"]


def test_the_rule_for_empty_documents_is_named_where_it_moves_the_mean():
    true = [["a"], ["b"], [], []]
    report = evaluate_tags(true, true, zero_division=0)
    assert_equal((report.scores["jaccard_samples"], report.scores["jaccard_micro"]), (0.5, 1))
    assert "sizes" not in report.notes
    assert "2 documents rightly without tags count as 0.0: Jaccard is 0.500" in report.notes["empty"]
    assert "1.000 without; zero_division=1 gives 1.000" in report.notes["empty"]
    report = evaluate_tags(true[:3], [["b"], ["a"], []], zero_division=1)
    assert "1 document rightly without tags counts as 1.0: Jaccard is 0.333" in report.notes["empty"]
    assert "with it and 0.000 without; zero_division=nan leaves them out" in report.notes["empty"]
    for rule, weights in ((1, None), (math.nan, None), (0, [1, 1, 0, 0]), (0, [0, 0, 1, 1])):
        assert "empty" not in evaluate_tags(true, true, zero_division=rule, sample_weight=weights).notes


@pytest.mark.parametrize("rule", [0, 1])
@pytest.mark.parametrize("weights", [None, [1, 2, 3, 0.5]])
def test_groups_of_documents_add_up(rule, weights):
    true, pred = [["a"], ["a", "b"], [], []], [["a", "c"], ["b"], [], ["d"]]
    report = evaluate_tags(true, pred, zero_division=rule, sample_weight=weights)
    table = report.by_size
    for average in ("samples", "micro"):
        total = table[f"share_of_{average}"] @ table[f"jaccard_{average}"]
        assert_allclose(total, report.scores[f"jaccard_{average}"])


def test_one_of_each_is_told_as_one():
    report = evaluate_tags([["a", "x"], ["b"]], [["c"], None], classes=["a", "x", "z"], exclude=["x"], zero_division=0)
    assert "1 label that is never true weighs nothing" in report.averages["weighted"]
    assert "'c'; 0 times in y_true, 1 in y_pred" in report.notes["unknown"]
    assert "'x'; 1 time in y_true, 0 in y_pred" in report.notes["excluded"]
    assert "1 labelled document without a prediction (None) was left out" in report.notes["unpredicted"]
    assert "Of 3 labels 1 occurs on neither side" in report.notes["unused"]
    assert "wrong of 3 cells" in str(report)
    assert "0 wrong of 1 cell (" in str(evaluate_tags([["a"]], [["a"]]))


def test_long_and_wide_tags_and_texts_do_not_widen_the_report():
    long = ["x" * 3000, "y" * 3000]
    report = evaluate_tags([[long[0]]], [[long[1]]], exclude=["z" * 3000], texts=["q" * 3000], zero_division=0)
    assert max(map(len, str(report).splitlines())) < 140
    korean = str(evaluate_tags([["배송"]], [["환불"]], texts=["한국어 문장 " * 50], zero_division=0))
    line = next(line for line in korean.splitlines() if "한국어" in line)
    assert 80 < sum(1 + (unicodedata.east_asian_width(c) == "W") for c in line) < 110
    assert line.endswith("...")
