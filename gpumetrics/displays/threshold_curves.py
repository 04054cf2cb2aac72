"""Curves of a metric over thresholds, reduced to what a plot can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.displays.drawing.names import short_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.classification.threshold_result import BestThreshold, ThresholdCurve
    from gpumetrics.types import Array

__all__ = ["Band", "Steps", "ThresholdLines", "band_of", "steps_of", "threshold_lines"]

MOST_CURVES = 6  # labels whose curves are drawn one by one
WORST = 3  # labels that are drawn over the band of many
METRICS = {"f1": "F1", "fbeta": "F-beta", "jaccard": "Jaccard"}

COLUMNS = 250  # of a plot; in each the first value and the extremes are kept
GRID = 200  # thresholds at which many curves are compared
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)


class Steps(NamedTuple):
    """A step curve: ``scores[i]`` holds from just above ``thresholds[i - 1]`` up to ``thresholds[i]``.

    Attributes
    ----------
    thresholds : ndarray of float64, shape (n,)
        Ascending and finite.
    scores : ndarray of float64, shape (n,)
    beyond : float
        The metric above the last threshold, where nothing is predicted.
    """

    thresholds: Array
    scores: Array
    beyond: float


class Band(NamedTuple):
    """Quantiles over many labels' curves.

    Attributes
    ----------
    thresholds : ndarray of float64, shape (n,)
        Ascending.
    scores : ndarray of float64, shape (5, n)
        The quantiles 0.1, 0.25, 0.5, 0.75 and 0.9 over the labels; nan where no label has a score.
    """

    thresholds: Array
    scores: Array


@dataclass(eq=False, kw_only=True)
class ThresholdLines:
    """What a plot of curves over thresholds shows.

    Parameters
    ----------
    steps : dict of int to Steps
        Curves that are drawn, under the numbers of their labels (0 for a single curve), thinned to some 500 points.
    names : dict of int to str
        The labels of these curves.
    thresholds, scores : ndarray of float64, shape (n_labels,)
        What was chosen for each label, and the metric there; of length 1 where one threshold serves all.
    band : Band or None
        Quantiles over the curves of all labels, where not all are drawn.
    metric : str
        Its name, with the average.
    n_samples : int
        Of the validation data.
    """

    steps: dict[int, Steps]
    names: dict[int, str]
    thresholds: Array
    scores: Array
    band: Band | None
    metric: str
    n_samples: int


def threshold_lines(best: BestThreshold) -> dict[str, Any]:
    """Compute the fields of `ThresholdLines`.

    Raises
    ------
    ValueError
        If the result has no curve.
    """
    if best.curve is None:
        msg = "best_threshold must have kept its curve, got a result without: choose it with keep_curve=True."
        raise ValueError(msg)
    curves = best.curve if isinstance(best.curve, tuple) else (best.curve,)
    thresholds = np.atleast_1d(np.asarray(best.threshold, dtype=np.float64))
    own, settings = best.label_scores, best.settings
    scores = np.array([best.score]) if own is None else own
    drawn = list(range(len(scores)))
    if len(scores) > MOST_CURVES:
        drawn = np.argsort(scores, kind="stable")[:WORST].tolist()  # nan is the last
    average = "" if own is not None or settings["average"] == "binary" else f"{settings['average']} "
    return {
        "steps": {i: steps_of(curves[i], float(thresholds[i])) for i in drawn},
        "names": _names(settings["labels"], drawn, len(curves)),
        "thresholds": thresholds,
        "scores": scores,
        "band": None if len(drawn) == len(curves) else band_of(curves),
        "metric": average + METRICS[settings["metric"]],
        "n_samples": settings["n_samples"],
    }


def steps_of(curve: ThresholdCurve, threshold: float) -> Steps:
    """Return a curve thinned to some 500 points that look the same, among them that of a threshold.

    Parameters
    ----------
    curve : ThresholdCurve
    threshold : float
        The one that was chosen; infinity where nothing is predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics import ThresholdCurve
    >>> from gpumetrics.displays.threshold_curves import steps_of
    >>> steps = steps_of(ThresholdCurve(np.array([np.inf, 0.8, 0.4]), np.array([0.0, 0.5, 0.7])), 0.4)
    >>> steps.thresholds.tolist(), steps.scores.tolist(), steps.beyond
    ([0.4, 0.8], [0.7, 0.5], 0.0)
    """
    thresholds, scores, beyond = curve.thresholds[:0:-1], curve.scores[:0:-1], float(curve.scores[0])
    if len(thresholds) > 2 * COLUMNS:
        kept = _kept(thresholds, scores, threshold)
        thresholds, scores = thresholds[kept], scores[kept]
    return Steps(thresholds, scores, beyond)


def band_of(curves: Sequence[ThresholdCurve]) -> Band:
    """Return quantiles over curves, at thresholds evenly spaced from the smallest of all to the largest."""
    low = min(float(curve.thresholds[-1]) for curve in curves)
    high = max(float(curve.thresholds[1]) for curve in curves)
    share = np.linspace(0, 1, GRID)
    grid = low * (1 - share) + high * share  # which does not overflow
    values = np.empty((len(curves), GRID))
    for row, curve in zip(values, curves, strict=True):
        # The last threshold that is not below the grid's: of those descending thresholds, one left of where it fits.
        row[:] = curve.scores[np.searchsorted(-curve.thresholds, -grid, side="right") - 1]
    out = np.full((len(QUANTILES), GRID), np.nan)
    defined = ~np.isnan(values).all(axis=0)
    out[:, defined] = np.nanquantile(values[:, defined], QUANTILES, axis=0)
    return Band(grid, out)


def _kept(thresholds: Array, scores: Array, threshold: float) -> Array:
    """Return the places of the first, lowest and highest point of each column of the plot, and of the threshold."""
    low, high = thresholds[0], thresholds[-1]
    place = (thresholds / 2 - low / 2) / (high / 2 - low / 2)  # halves, since the difference may overflow
    column = np.minimum((place * COLUMNS).astype(np.int64), COLUMNS - 1)
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    order = np.lexsort((np.nan_to_num(scores), column))  # of each column its scores, ascending
    lowest, highest = order[first], order[np.append(first[1:], len(order)) - 1]
    chosen = np.searchsorted(thresholds, min(threshold, high))
    return np.unique(np.concatenate([first, lowest, highest, [chosen, len(thresholds) - 1]]))


def _names(labels: list[Any] | None, drawn: list[int], n_labels: int) -> dict[int, str]:
    if labels is None or len(labels) != n_labels:
        return {i: f"label {i}" for i in drawn}
    names = short_names(labels)
    return {i: names[i] for i in drawn}
