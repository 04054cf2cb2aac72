"""What a tag report says is said in Korean too, in whatever situation."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_equal

from gpumetrics.classification.thresholds import best_threshold
from gpumetrics.evaluation.tags.evaluate import evaluate_tags
from gpumetrics.evaluation.tags.words import NOUNS, TITLES, favoured, plural
from gpumetrics.text.messages import Message, translated

# Names stay as they are: of scores, arguments and their values; the tags here have one letter each.
NAMES = """
Jaccard beta samples zero_division nan warn classes unknown extend ignore y_true y_pred None sample_weight texts
"""
NAMES = set(NAMES.split())
WORD = re.compile("[A-Za-z_]{2,}")
MANY = list("abcdefghijklmnop")
TABLE = pd.DataFrame([[1, 0], [0, 1]], columns=["u", "v"])
ENDS = [["a"], ["b"]]
LETTERS = [["a"], MANY]


def untranslated(texts):
    """Return texts that are no messages, or whose Korean has no Hangul, or English words that are no names."""
    korean = {str(text): translated(text, "ko") for text in texts}
    rest = {text: sorted(set(WORD.findall(said)) - NAMES) for text, said in korean.items()}
    plain = [text for text in texts if not isinstance(text, Message)]
    return plain + [(text, rest[text]) for text, said in korean.items() if rest[text] or not re.search("[가-힣]", said)]


REPORTS = {
    "each by its weight": (ENDS, [["a"], ["c"]], {"sample_weight": [0.5, 2]}),
    "are weighted by sample_weight": (ENDS, ENDS, {"sample_weight": [1, 2]}),
    "1 label that is never true weighs nothing": (ENDS, [["a"], ["c"]], {}),
    "2 labels that are never true weigh nothing": (ENDS, [["a"], ["c", "d"]], {}),
    "are left out of it": (ENDS, [["a"], ["c"]], {"zero_division": np.nan}),
    "0/0, left out of the means": (ENDS, [["a"], []], {"zero_division": np.nan}),
    "0/0, counted as 1.0 (zero_division=1.0): precision of 1 document and 1 label": (
        ENDS,
        [["a"], []],
        {"zero_division": 1},
    ),
    "Repeated within a document": ([["a", "a"]], [["a"] * 5], {}),
    "Not in classes, and added": (ENDS, [["q"], ["r"]], {"classes": ["a"]}),
    "Not in classes, and left out": (ENDS, LETTERS, {"classes": ["a"], "unknown": "ignore"}),
    "and 10 more": (ENDS, LETTERS, {"classes": ["a"]}),
    "Taken out of both sides": (ENDS, ENDS, {"exclude": ["b"]}),
    "1 labelled document without a prediction (None) was": (ENDS, [["a"], None], {}),
    "2 labelled documents without a prediction (None) were": ([*ENDS, ["c"]], [["a"], None, None], {}),
    "differ in case": ([["a", "b"]], [["A", "B"]], {}),
    "Of 3 labels 1 occurs on neither side": (ENDS, ENDS, {"classes": ["a", "b", "z"]}),
    "Of 4 labels 2 occur on neither side": (ENDS, ENDS, {"classes": ["a", "b", "y", "z"]}),
    "Predicted but never true: 15 labels (15 false positives), such as 'b'": ([["a"]], [MANY], {}),
    "differ from those with few, and another mix": ([["a"], MANY], [["a"], ["a"]], {}),
    "in the union, true or predicted": ([["a"], ["b"]], [["a"], list("cdefghij")], {}),
    "without those that are empty on both sides": ([["a"], MANY, []], [["a"], ["a"], []], {}),
    "1 document rightly without tags counts as 0.0": ([["a"], []], [["a"], []], {}),
    "2 documents rightly without tags count as 0.0": ([["a"], [], []], [["a"], [], []], {}),
    "zero_division=nan leaves them out": ([["a"], [], []], [["b"], [], []], {"zero_division": 1}),
    "by too many tags": ([["a"]], [MANY], {}),
    "by too few tags": ([MANY], [["a"]], {}),
    "read as rows of an indicator matrix": ([[1, 0], [0, 1]], [[1, 0], [0, 1]], {}),
    "compared by their names": (TABLE, TABLE[["v", "u"]], {}),
    "Only the columns of y_true": (TABLE, TABLE.to_numpy(), {}),
    "Only the columns of y_pred": (TABLE.to_numpy(), TABLE, {}),
    "The rows of y_pred stand in another order": (TABLE, TABLE.iloc[::-1], {}),
    "The indices of y_true and y_pred differ": (TABLE, TABLE.set_axis([7, 8]), {}),
    "The rows of sample_weight stand": (TABLE, TABLE, {"sample_weight": pd.Series([1, 2], index=[1, 0])}),
    "The indices of y_true and texts differ": (TABLE, TABLE, {"texts": pd.Series(["p", "q"], index=[7, 8])}),
}


@pytest.mark.parametrize("words", REPORTS)
def test_reports(words):
    y_true, y_pred, options = REPORTS[words]
    report = evaluate_tags(y_true, y_pred, **({"zero_division": 0} | options))
    texts = [*report.notes.values(), *report.averages.values()]
    assert words in " ".join(texts)
    assert not untranslated(texts)


@pytest.mark.filterwarnings("ignore:Scores are ill-defined")
def test_the_rule_with_a_warning():
    report = evaluate_tags([["a"], []], [["a"], []])
    assert "zero_division='warn'" in report.notes["zero_division"]
    assert not untranslated(report.notes.values())


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, np.inf])
def test_what_f_beta_favours(beta):
    said = favoured(beta)
    assert not set(WORD.findall(translated(said, "ko")))
    assert re.search("[가-힣]", translated(said, "ko"))


@pytest.mark.parametrize("word", NOUNS)
@pytest.mark.parametrize(("n", "shown"), [(1, "1"), (2, "2"), (12345, "12,345"), (0.5, "0.5"), (1234.5678, "1,234.57")])
def test_numbers_with_their_nouns(word, n, shown):
    one, korean = str(plural(n, word)), translated(plural(n, word), "ko")
    assert_equal(one, f"{shown} {word}" if n == 1 else f"{shown} {word}s")
    assert shown in korean
    assert re.search("[가-힣]", korean)
    assert not WORD.findall(korean)


def test_names_of_scores():
    korean = {name: translated(title, "ko") for name, title in TITLES.items()}
    assert_equal((korean["precision"], korean["recall"], korean["f1"]), ("정밀도", "재현율", "F1"))


def test_groups_by_size():
    report = evaluate_tags([["a"], [f"t{at}" for at in range(40)]], [["a"], []], zero_division=0)
    assert_equal([translated(name, "ko") for name in report.by_size["true_tags"]], ["1", "33 이상"])


def test_the_rule_of_a_threshold():
    settings = best_threshold([0, 1], [0.1, 0.9]).settings
    assert not untranslated([settings["rule"], settings["of_equals"]])
