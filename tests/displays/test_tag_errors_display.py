"""Errors of tags: the order of the lines, what stands on them, hostile tags, and the panels."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.displays.tag_errors import TagErrorsDisplay
from gpumetrics.text.messages import Message

TRUE = [["a", "b"], ["a"], ["b", "c"], ["a", "c"], []]
PRED = [["a"], ["a", "c"], ["c"], ["a", "b", "c"], ["c"]]
HOSTILE = [
    "<script>alert(1)</script>",
    "$x^2$ {a}",
    "a\nb\x00",
    "배송 문의",
    "😀",
    "z" * 10_000,
    "z" * 5_000 + "y" + "z" * 4_999,
]


def many(k, n=200, seed=0):
    rng = np.random.default_rng(seed)
    y_true = (rng.random((n, k)) < 0.3).astype(int)
    return y_true, np.where(rng.random((n, k)) < 0.1, 1 - y_true, y_true)


def test_lines_are_in_the_order_of_errors():
    report = gm.evaluate_tags(TRUE, PRED, zero_division=0)
    display = TagErrorsDisplay.from_report(report)
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["b", "c", "a"]
    assert_array_equal(display.places, [1, 2, 0])
    assert_array_equal(display.missed, [2, 0, 0])
    assert_array_equal(display.invented, [1, 2, 0])
    assert display.ax_.get_ylim()[0] > display.ax_.get_ylim()[1]  # the first line is on top
    assert display.ax_.get_ylim() == display.errors_ax_.get_ylim()
    assert display.n_others == 0


def test_artists_have_the_values_of_the_report():
    report = gm.evaluate_tags(TRUE, PRED, zero_division=0)
    display = TagErrorsDisplay.from_report(report)
    table = report.per_label
    for line, place in enumerate([1, 2, 0]):
        precision, recall = table["precision"][place], table["recall"][place]
        assert display.precision_[line].get_data() == ([precision], [line])
        assert display.recall_[line].get_data() == ([recall], [line])
        assert_array_equal(display.links_[line].get_xdata(), [precision, recall])
        assert display.missed_[line].get_width() == -table["false_negatives"][place]
        assert display.invented_[line].get_width() == table["false_positives"][place]
        assert display.support_[line].get_text() == f"n = {table['support'][place]}"
        for artists, name in [
            (display.precision_, "precision"),
            (display.recall_, "recall"),
            (display.links_, "link"),
            (display.missed_, "missed"),
            (display.invented_, "invented"),
        ]:
            assert artists[line].get_gid() == f"{name}--t{place}"
    assert [text.get_text() for text in display.counts_] == ["2", "0", "0", "1", "2", "0"]
    assert [text.get_text() for text in display.totals_] == ["2 missed (FN)", "3 invented (FP)"]
    display.figure_.canvas.draw()


def test_colour_is_not_the_only_sign():
    display = TagErrorsDisplay.from_predictions(TRUE, PRED, zero_division=0)
    assert display.precision_[0].get_marker() != display.recall_[0].get_marker()
    assert display.missed_[0].get_hatch()
    assert not display.invented_[0].get_hatch()
    assert [text.get_text() for text in display.legend_.get_texts()] == ["precision", "recall"]


def test_alt():
    display = TagErrorsDisplay.from_predictions(TRUE, PRED, zero_division=0)
    assert isinstance(display.alt, Message)
    assert display.alt == (
        "Precision, recall and errors of 3 tags in 5 documents: 2 missed and 3 invented. Most errors: b."
    )
    right = TagErrorsDisplay.from_predictions([["a"]], [["a"]])
    assert right.alt == "Precision, recall and errors of 1 tag in 1 document: 0 missed and 0 invented."
    right.figure_.canvas.draw()


@pytest.mark.parametrize(("k", "lines"), [(1, 1), (2, 2), (30, 30), (31, 31), (32, 31), (300, 31)])
def test_folding(k, lines):
    report = gm.evaluate_tags(*many(k), zero_division=0)
    display = TagErrorsDisplay.from_report(report)
    table = report.per_label
    errors = display.missed + display.invented
    assert len(display.missed_) == lines
    assert (np.diff(errors[: len(display.labels)]) <= 0).all()
    assert_allclose(
        [display.missed.sum(), display.invented.sum()],
        [report.counts["false_negatives"], report.counts["false_positives"]],
    )
    if k >= 32:
        others = np.setdiff1d(np.arange(k), display.places)
        right, lost, made = (
            table[name][others].sum() for name in ("true_positives", "false_negatives", "false_positives")
        )
        assert display.n_others == k - 30 == len(others)
        assert_allclose([display.precision[-1], display.recall[-1]], [right / (right + made), right / (right + lost)])
        assert errors[29] >= (table["false_negatives"] + table["false_positives"])[others].max()
        assert display.ax_.get_yticklabels()[-1].get_text() == f"{k - 30:,} others"
        assert display.missed_[-1].get_gid() == "missed--others"
        assert display.missed_[-1].get_width() == display.invented_[-1].get_width() == 0
        assert display.counts_[-1].get_text() == f"{table['false_positives'][others].sum():,} in all"
        assert display.support_[-1].get_text() == f"n = {table['support'][others].sum():,}"
    display.figure_.canvas.draw()


def test_undefined_scores_are_said():
    display = TagErrorsDisplay.from_predictions([["a"], ["c"]], [["b"], ["c"]], zero_division=np.nan)
    assert list(display.labels) == ["a", "b", "c"]
    assert_array_equal(np.isnan(display.precision), [True, False, False])
    assert_array_equal(np.isnan(display.recall), [False, True, False])
    texts = [text.get_text() for text in display.undefined_]
    assert texts == ["precision undefined (0/0)", "recall undefined (0/0)"]
    display.figure_.canvas.draw()


def test_a_class_that_never_occurs():
    display = TagErrorsDisplay.from_predictions([["a"]], [["a"]], classes=["a", "b"], zero_division=np.nan)
    assert [text.get_text() for text in display.undefined_] == ["precision and recall undefined (0/0)"]
    display.figure_.canvas.draw()


def test_no_tags_at_all():
    display = TagErrorsDisplay.from_predictions([[]], [[]], zero_division=0)
    assert [text.get_text() for text in display.undefined_] == ["there are no tags"]
    assert len(display.missed_) == 0
    assert "0 tags" in display.alt
    display.figure_.canvas.draw()


def test_hostile_tags():
    display = TagErrorsDisplay.from_predictions([HOSTILE], [HOSTILE[:2]], zero_division=0)
    labels = display.ax_.get_yticklabels()
    texts = [label.get_text() for label in labels]
    assert len(texts) == 7
    assert all(len(text) <= 48 and text.isprintable() for text in texts)
    assert not any(label.get_parse_math() for label in labels)
    assert any(text.startswith("$x^2$") for text in texts)
    assert len(set(texts)) == 7
    assert len(display.alt) < 200
    display.figure_.canvas.draw()


def test_weighted_documents():
    display = TagErrorsDisplay.from_predictions(TRUE, PRED, zero_division=0, sample_weight=[0.25, 1, 1, 1, 1])
    assert_array_equal(display.missed, [1.25, 0, 0])
    assert display.counts_[0].get_text() == "1.25"
    display.figure_.canvas.draw()


def test_one_axes_makes_room_for_two():
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4))
    display = TagErrorsDisplay.from_predictions(TRUE, PRED, zero_division=0, ax=right)
    figure.canvas.draw()
    assert display.figure_ is figure
    assert not right.axison
    assert left.axison
    assert display.ax_.get_position().x0 >= right.get_position().x0 - 0.01
    assert display.errors_ax_.get_position().x1 <= right.get_position().x1 + 0.01


def test_two_axes_are_used():
    figure, axes = plt.subplots(1, 2)
    display = TagErrorsDisplay.from_predictions(TRUE, PRED, zero_division=0, ax=axes)
    assert (display.ax_, display.errors_ax_, display.figure_) == (axes[0], axes[1], figure)
    assert display.plot(ax=plt.subplots(1, 2)[1]) is display
    assert display.ax_ is not axes[0]


def test_letters_fit_on_low_axes():
    figure, ax = plt.subplots(figsize=(7, 4))
    display = TagErrorsDisplay.from_predictions(*many(100), zero_division=0, ax=ax)
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert all(lower.y1 <= upper.y0 + 1.5 for upper, lower in pairwise(boxes))


def test_totals_do_not_lie_on_each_other_where_nearly_all_errors_are_of_one_kind():
    documents = [[str(i % 3)] for i in range(300)]
    report = gm.evaluate_tags(documents, [[], *documents[1:150], *[[]] * 150], zero_division=0)
    display = TagErrorsDisplay.from_report(report)
    display.figure_.canvas.draw()
    missed, invented = (text.get_window_extent() for text in display.totals_)
    assert missed.x1 < invented.x0
    assert invented.x1 <= display.figure_.bbox.width + 2
