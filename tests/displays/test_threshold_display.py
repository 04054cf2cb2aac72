"""Curves over thresholds: step-wise exact, thinned without losing their shape, and what is marked on them."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.displays.threshold import ThresholdDisplay
from gpumetrics.displays.threshold_curves import band_of, steps_of
from gpumetrics.text.messages import Message

Y, SCORES = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]


def several(k, n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < 0.4).astype(int)
    y[0] = 1
    return y, np.round(0.4 * y + rng.random((n, k)) * 0.6, 2)


def drawn_at(line, t):
    """The height of a line drawn with steps-pre at t."""
    assert line.get_drawstyle() == "steps-pre"
    x, y = line.get_data()
    return y[np.searchsorted(x, t)]


def test_the_curve_is_the_metric_at_every_threshold():
    display = ThresholdDisplay.from_predictions(Y, SCORES)
    (line,) = display.lines_
    for t in [0.08, 0.1, 0.100001, 0.3, 0.35, 0.36, 0.4, 0.5, 0.8, 0.81]:
        expected = gm.f1_score(Y, (np.array(SCORES) >= t).astype(int), zero_division=0)
        assert_allclose(drawn_at(line, t), expected, err_msg=str(t))
    assert line.get_ydata()[0] == pytest.approx(2 / 3)
    assert line.get_ydata()[-1] == 0
    assert line.get_gid() == "curve--t0"


def test_the_chosen_threshold_is_marked():
    display = ThresholdDisplay.from_predictions(Y, SCORES)
    (mark,) = display.best_
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (0.35, pytest.approx(0.8))
    assert mark.get_gid() == "best--t0"
    assert display.vertical_.get_xdata()[0] == 0.35
    assert display.text_.get_text() == "best: F1 0.8000\nat 0.35"
    assert display.ax_.get_ylabel() == "F1 (higher is better)"
    assert display.ax_.get_title(loc="left") == "F1 by threshold, 4 samples"
    assert display.legend_ is None
    assert isinstance(display.alt, Message)
    assert display.alt == "Curve of F1 over the threshold on 4 samples: the best is 0.8000, at 0.35."
    display.figure_.canvas.draw()


def test_a_result_is_drawn_without_computing():
    best = gm.best_threshold(Y, SCORES, metric="fbeta", beta=2)
    figure, ax = plt.subplots()
    display = ThresholdDisplay.from_result(best, ax=ax)
    assert (display.ax_, display.figure_) == (ax, figure)
    assert display.ax_.get_ylabel().startswith("F-beta")
    assert_array_equal(display.thresholds, [best.threshold])
    other = plt.figure().subplots()
    assert display.plot(ax=other) is display
    assert display.ax_ is other


def test_a_result_without_its_curve():
    best = gm.best_threshold(Y, SCORES, keep_curve=False)
    with pytest.raises(ValueError, match=r"^best_threshold must have kept its curve.*keep_curve=True\.$"):
        ThresholdDisplay.from_result(best)


def test_thinning_keeps_the_shape_and_the_best():
    rng = np.random.default_rng(1)
    n = 200_000
    thresholds = np.concatenate([[np.inf], np.sort(rng.random(n) ** 3)[::-1]])
    scores = 0.3 * rng.random(n + 1)
    scores[1234] = 0.9
    curve = gm.ThresholdCurve(thresholds, scores)
    steps = steps_of(curve, thresholds[1234])
    assert len(steps.thresholds) < 800
    assert (np.diff(steps.thresholds) > 0).all()
    at = np.searchsorted(steps.thresholds, thresholds[1234])
    assert (steps.thresholds[at], steps.scores[at]) == (thresholds[1234], 0.9)
    assert steps.thresholds[[0, -1]].tolist() == [thresholds[-1], thresholds[1]]
    assert steps.beyond == scores[0]
    place = np.searchsorted(-thresholds, -steps.thresholds)
    assert_array_equal(steps.scores, scores[place])  # points of the curve, none invented
    edges = np.linspace(thresholds[-1], thresholds[1], 251)
    for low, high in pairwise(edges):
        mine = scores[1:][(thresholds[1:] > low) & (thresholds[1:] < high)]
        kept = steps.scores[(steps.thresholds > low) & (steps.thresholds < high)]
        if len(mine):
            assert (kept.min(), kept.max()) == (mine.min(), mine.max())


def test_thinning_keeps_the_value_beyond_a_gap():
    thresholds = np.concatenate([[np.inf], np.linspace(1, 0.9, 5_000), np.linspace(0.1, 0, 5_000)])
    scores = np.concatenate([[0.0], np.linspace(0.1, 0.6, 5_000), np.linspace(0.7, 0.2, 5_000)])
    steps = steps_of(gm.ThresholdCurve(thresholds, scores), 0.1)
    assert len(steps.thresholds) < 800
    assert steps.scores[np.searchsorted(steps.thresholds, 0.5)] == pytest.approx(0.6, abs=0.03)


def test_few_labels_are_drawn_in_full():
    y, scores = several(3)
    names = ["<script>alert(1)</script>", "$x^2$\nnext", "배송" + "z" * 10_000]
    y, scores = pd.DataFrame(y, columns=names), pd.DataFrame(scores, columns=names)
    best = gm.best_threshold(y, scores, per_label=True)
    display = ThresholdDisplay.from_result(best)
    assert [line.get_gid() for line in display.lines_] == ["curve--t0", "curve--t1", "curve--t2"]
    assert display.band is None
    assert (display.median_, display.bands_, display.text_) == (None, [], None)
    assert_array_equal([mark.get_xdata()[0] for mark in display.best_], best.threshold)
    assert_allclose([mark.get_ydata()[0] for mark in display.best_], best.label_scores)
    assert len({mark.get_marker() for mark in display.best_}) == 3
    assert len({str(line.get_linestyle()) for line in display.lines_}) == 3
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts[0].startswith("<script>")
    assert all(len(text) < 60 and "\n" not in text for text in texts)
    assert not any(text.get_parse_math() for text in display.legend_.get_texts())
    assert "3 labels" in display.alt
    display.figure_.canvas.draw()


def test_many_labels_are_a_band_and_the_worst():
    y, scores = several(40)
    best = gm.best_threshold(y, scores, per_label=True, metric="jaccard")
    display = ThresholdDisplay.from_result(best)
    worst = np.argsort(best.label_scores)[:3].tolist()
    assert [line.get_gid() for line in display.lines_] == [f"curve--t{i}" for i in worst]
    assert len(display.bands_) == 2
    assert_array_equal(display.median_.get_ydata(), display.band.scores[2])
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts[3] == f"label {worst[0]}: {best.label_scores[worst[0]]:.4f} at {best.threshold[worst[0]]:.4g}"
    assert display.ax_.get_title(loc="left") == "Jaccard by threshold, 40 labels and the 3 worst, 300 samples"
    display.figure_.canvas.draw()


def test_the_band_is_made_of_exact_values():
    y, scores = several(9, n=50)
    curves = gm.best_threshold(y, scores, per_label=True).curve
    band = band_of(curves)
    for at in range(0, 200, 7):
        predicted = (scores >= band.thresholds[at]).astype(int)
        expected = [gm.f1_score(y[:, i], predicted[:, i], zero_division=0) for i in range(9)]
        assert_allclose(band.scores[:, at], np.quantile(expected, [0.1, 0.25, 0.5, 0.75, 0.9]))


@pytest.mark.parametrize("k", [1, 2, 7, 300])
def test_numbers_of_labels(k):
    y, scores = several(k, n=40)
    options = {} if k == 1 else {"per_label": True}
    display = ThresholdDisplay.from_predictions(y[:, 0] if k == 1 else y, scores[:, 0] if k == 1 else scores, **options)
    assert len(display.lines_) == (k if k < 7 else 3)
    display.figure_.canvas.draw()


def test_one_threshold_for_several_labels():
    y, scores = several(4)
    display = ThresholdDisplay.from_predictions(y, scores, average="macro")
    assert len(display.lines_) == 1
    assert display.ax_.get_ylabel() == "macro F1 (higher is better)"


def test_nothing_is_predicted():
    display = ThresholdDisplay.from_predictions([0, 0, 0], [0.1, 0.2, 0.3], zero_division=0)
    assert display.vertical_ is None
    assert display.text_.get_text() == "best: predict nothing, F1 0.0000"
    assert display.best_[0].get_xdata()[0] == display.ax_.get_xlim()[1]
    display.figure_.canvas.draw()


def test_an_undefined_metric_is_said():
    y, scores = np.zeros((3, 8), dtype=int), np.tile(np.array([[0.1], [0.2], [0.3]]), 8)
    y[:2, :7] = [[1], [0]]
    display = ThresholdDisplay.from_predictions(y, scores, per_label=True, zero_division=np.nan)
    assert np.isfinite(display.band.scores[:, :150]).all()
    display.figure_.canvas.draw()
    display = ThresholdDisplay.from_predictions([0, 0], [0.5, 0.5], metric="fbeta", beta=1.0, zero_division=np.nan)
    assert display.text_.get_text()
    display.figure_.canvas.draw()


@pytest.mark.parametrize(
    "scores", [[-1e150, 0.0, 1e150], [1e-300, 2e-300, 3e-300], [5.0, 5.0, 5.0], [1e15, 1e15, 1e15 + 1]]
)
def test_hostile_scores(scores):
    display = ThresholdDisplay.from_predictions([0, 1, 1], scores)
    low, high = display.ax_.get_xlim()
    assert low < display.thresholds[0] < high
    display.figure_.canvas.draw()


def test_scores_at_the_ends_of_float64():
    display = ThresholdDisplay.from_predictions([1, 0, 1], [-1.7e308, 1.7e308, 0.0])
    display.figure_.canvas.draw()
    assert np.isfinite(display.ax_.get_xlim()).all()


def test_alt_texts_of_thresholds_that_are_none():
    undefined = {"zero_division": np.nan, "keep_curve": True}
    one = ThresholdDisplay.from_result(gm.best_threshold([0, 0], [0.1, 0.2], **undefined))
    assert one.alt == "F1 on 2 samples is undefined at every threshold."
    both = ThresholdDisplay.from_result(gm.best_threshold([[0, 0]] * 2, [[0.1, 0.2]] * 2, per_label=True, **undefined))
    assert both.alt == "F1 of 2 labels on 2 samples is undefined at every threshold."
    assert [text.get_text() for text in both.legend_.get_texts()] == [f"label {i}: undefined (0/0)" for i in (0, 1)]
    nothing = ThresholdDisplay.from_result(gm.best_threshold([0, 0], [0.1, 0.2], zero_division=1.0))
    assert nothing.alt == "Curve of F1 over the threshold on 2 samples: it is best, 1.0000, where nothing is predicted."
