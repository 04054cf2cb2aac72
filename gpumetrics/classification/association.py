"""Agreement of two labelings by class beyond chance: Cohen's kappa and Matthews' correlation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.backends.array_modules import array_module
from gpumetrics.classification.confusion import places_of
from gpumetrics.classification.parameters import check_array_like, check_choice, check_undefined
from gpumetrics.classification.targets import check_targets, warn_of_single_label
from gpumetrics.exceptions import warn_undefined
from gpumetrics.statistics.integers import LARGEST_SQUARED

if TYPE_CHECKING:
    from gpumetrics.statistics.label_counts import LabelCounts
    from gpumetrics.types import Array

__all__ = ["cohen_kappa_score", "matthews_corrcoef"]

NOT_IN_FIRST = (
    "At least one label in `labels` must be present in `y1` (even though `cohen_kappa_score` is otherwise agnostic to "
    "the order of `y1` and `y2`)."
)


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
) -> float:
    """Cohen's kappa: agreement of two annotators, less what chance would bring, over the most there could be.

    Parameters
    ----------
    y1, y2 : array-like of shape (n_samples,)
        Labels of any kind, by each of the two.
    labels : array-like of shape (n_classes,), default=None
        The classes that count, in this order, which matters for `weights`; samples with another one are left out.
        None: all that occur in either, sorted.
    weights : {"linear", "quadratic"} or None, default=None
        How much a disagreement weighs: all the same, or by how many places apart the classes stand, or the square.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    replace_undefined_by : float, default=nan
        The value where kappa is 0/0, from -1 to 1, or nan.

    Returns
    -------
    float
        In [-1, 1]; higher is better. 0 for chance, 1 for the same labels.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, or no label of `labels` is in `y1`.
    TypeError
        If labels are bytes.

    Warns
    -----
    UndefinedMetricWarning
        Where kappa is 0/0: the two have a single class in common, or none.
    UserWarning
        If there is a single label, so that nothing can be mistaken for another.

    Notes
    -----
    O(n_samples + n_classes) time and memory: the table of classes is not made. Labels on a GPU are counted there; the
    call waits for the counts.

    References
    ----------
    J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20 (1960).

    Examples
    --------
    >>> from gpumetrics import cohen_kappa_score
    >>> cohen_kappa_score(["no", "no", "yes", "no", "yes", "no"], ["no", "yes", "yes", "no", "yes", "yes"])
    0.4
    """
    function = "cohen_kappa_score"
    check_array_like(labels, "labels", function, optional=True)
    check_choice(weights, ("linear", "quadratic"), "weights", function)
    check_undefined(replace_undefined_by, "replace_undefined_by", function)
    with on_device_of(y1=y1, y2=y2, sample_weight=sample_weight):
        targets = check_targets(y1, y2, sample_weight, function=function, indicators=False)
        places = places_of(targets, labels, NOT_IN_FIRST)
        warn_of_single_label(len(places))
        rows, cols, amounts = targets.vectors.pairs_of(places, targets.weights)
        ops = operations_on(rows)
        first, second = (ops.label_sums(codes, len(places), amounts).astype(np.float64) for codes in (rows, cols))
        disagreement = float((_apart(rows, cols, weights) * amounts.astype(np.float64)).sum())
    total = float(first.sum())
    if total == 0:
        what = "`y2` contains no labels that are present in both `y1` and `labels`."
        return _undefined_kappa(what, "", replace_undefined_by)
    scale = total if amounts.dtype.kind == "f" else 1.0  # products of weights may leave the range of float64
    by_chance = _apart_by_chance(first / scale, second / scale, weights) / (total / scale)
    if by_chance == 0:
        what = "`y1`, `y2` and `labels` have only one label in common. "
        return _undefined_kappa(what, "the ", replace_undefined_by)
    return 1 - disagreement / scale / by_chance


def _undefined_kappa(what: str, article: str, undefined: float) -> float:
    warn_undefined(
        f"{what}`cohen_kappa_score` is undefined and set to the value defined by the {article}`replace_undefined_by` "
        f"param, which is set to {undefined}."
    )
    return float(undefined)


def _apart(rows: Array, cols: Array, weights: str | None) -> Array:
    """How much the disagreement of each pair of classes weighs."""
    steps: Array = array_module(rows).abs(rows - cols).astype(np.float64)
    if weights is None:
        steps = steps != 0
    return steps * steps if weights == "quadratic" else steps


def _apart_by_chance(first: Array, second: Array, weights: str | None) -> float:
    """Sum of first[i] second[j] times the weight of (i, j), without making the table, nor subtracting like numbers."""
    if weights == "quadratic":
        place = np.arange(len(first)) - np.dot(np.arange(len(first)), first) / first.sum()
        squares = np.dot(place * place, first) * second.sum() + np.dot(place * place, second) * first.sum()
        return float(squares - 2 * np.dot(place, first) * np.dot(place, second))
    if weights is None:
        return float(np.dot(first, _sums_of_others(second)))
    below, above = _sums_below(second), _sums_below(second[::-1])[::-1]
    # The steps from i to j are those boundaries between classes that have i on one side and j on the other.
    first_below, first_above = _sums_below(first)[1:], _sums_below(first[::-1])[::-1][:-1]
    return float(np.dot(first_below, above[:-1]) + np.dot(first_above, below[1:]))


def _sums_below(values: Array) -> Array:
    """Sum of the values before each one."""
    return np.concatenate([[0.0], values.cumsum()[:-1]])


def _sums_of_others(values: Array) -> Array:
    """Sum of all values but each one."""
    return _sums_below(values) + _sums_below(values[::-1])[::-1]


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Matthews correlation coefficient: the correlation of true and predicted classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any kind, of two classes or more.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    float
        In [-1, 1]; higher is better. 1 for the same labels, 0 for chance, and where either side has one class only.
        With more than two classes the least is above -1.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, or lengths differ.
    TypeError
        If labels are bytes.

    Warns
    -----
    UserWarning
        If there is a single label, so that nothing can be mistaken for another.

    Notes
    -----
    O(n_samples + n_classes) time and memory; without weights exact integers to the last division. Labels on a GPU are
    counted there; the call waits for the counts.

    References
    ----------
    J. Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient, Computational Biology
    and Chemistry 28 (2004).

    Examples
    --------
    >>> from gpumetrics import matthews_corrcoef
    >>> matthews_corrcoef([+1, +1, +1, -1], [+1, -1, +1, +1])
    -0.3333333333333333
    """
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        targets = check_targets(y_true, y_pred, sample_weight, function="matthews_corrcoef", indicators=False)
        weights = targets.float_weights
        counts = targets.data.label_counts(weights)
        warn_of_single_label(len(counts.true))
        if weights is None:
            return _matthews(counts)
        return _weighted_matthews(counts.true_positives, *targets.vectors.mistakes(weights))


def _matthews(counts: LabelCounts) -> float:
    true, pred, total = counts.true, counts.predicted, int(counts.n_samples)
    covariance = int(counts.true_positives.sum()) * total - _dot(true, pred)
    return _correlation(covariance, total * total - _dot(true, true), total * total - _dot(pred, pred))


def _weighted_matthews(right: Array, missed: Array, invented: Array) -> float:
    """The same of sums of weights, as sums of products: a difference of squares loses the digits of a rare class."""
    scale = float(np.abs([right, missed, invented]).max()) or 1.0  # squares of weights may leave the range of float64
    right, missed, invented = right / scale, missed / scale, invented / scale
    true, pred = right + missed, right + invented
    neither = _sums_of_others(right) + (missed.sum() - missed - invented)
    covariance = float(np.dot(right, neither) - np.dot(missed, invented))
    return _correlation(covariance, *(float(np.dot(side, _sums_of_others(side))) for side in (true, pred)))


def _correlation(covariance: float, spread_true: float, spread_pred: float) -> float:
    if spread_true <= 0 or spread_pred <= 0:
        return 0.0
    return max(-1.0, min(1.0, covariance / math.sqrt(spread_true * spread_pred)))


def _dot(a: Array, b: Array) -> int:
    """Product of integers as a Python integer, whatever its size."""
    if int(a.sum()) <= LARGEST_SQUARED:
        return int(np.dot(a, b))
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))
