"""From scores to sets: the threshold at which F1, F-beta or Jaccard is best on validation data."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.classification.formulas import JACCARD, Ratio, f_beta
from gpumetrics.classification.parameters import check_beta, check_boolean
from gpumetrics.classification.threshold_curves import Formula, best_of_mean, line_blocks, sorted_lines
from gpumetrics.classification.threshold_inputs import Validation, read_validation
from gpumetrics.classification.threshold_result import BestThreshold, ThresholdCurve
from gpumetrics.classification.undefined import check_zero_division, is_warn, mean_of_defined, warn_ill_defined
from gpumetrics.label_arrays import plain
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["BestThreshold", "ThresholdCurve", "best_threshold"]

METRICS = ("f1", "fbeta", "jaccard")
GLOBAL = ("micro", "macro", "weighted", "samples")
PER_LABEL = ("macro", "weighted")


def best_threshold(  # noqa: PLR0913  (keywords)
    y_true: Any,
    y_score: Any,
    *,
    metric: str = "f1",
    beta: float | None = None,
    average: str | None = None,
    per_label: bool = False,
    pos_label: Any = 1,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    keep_curve: bool = True,
) -> BestThreshold:
    """Find the threshold at which scores, turned into labels, have the best F1, F-beta or Jaccard.

    It is called with *validation* data. The result is applied to test data, which has no part in the choice.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels), dense or sparse
        Two classes of any kind; or 0 and 1 for each label.
    y_score : array-like of shape (n_samples,) or (n_samples, n_labels)
        Probabilities, margins or other numbers, larger for what is more likely.
    metric : {"f1", "fbeta", "jaccard"}, default="f1"
        What is to be best.
    beta : float, default=None
        Of F-beta: above 1 it favours recall, below 1 precision, as in `fbeta_score`.
    average : {"binary", "micro", "macro", "weighted", "samples"}, default=None
        What is to be best where there are several labels: the metric of all cells together (micro), its mean over
        labels (macro), that mean weighted by the labels' positives (weighted), or its mean over samples. One
        threshold for several labels needs one of these. None is "binary" for a vector, "macro" with `per_label`.
    per_label : bool, default=False
        Whether each label gets a threshold of its own, by which macro and weighted means are as large as can be.
    pos_label : class, default=1
        The positive one of two classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples, not negative.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        The metric of a label, or sample, of which nothing is true or predicted; nan leaves it out of means, ``"warn"``
        is 0.0 with a warning.
    keep_curve : bool, default=True
        Whether to keep the metric at every threshold: 16 bytes for each distinct score.

    Returns
    -------
    BestThreshold
        With ``threshold``, ``score`` (higher is better), ``curve``, ``settings`` and ``apply(scores)``. Of several
        thresholds of the same score it is the largest, which predicts least.

    Raises
    ------
    ValueError
        For NaN or infinity in the scores, a truth that is not two classes, or not 0 and 1, tables whose columns have
        different names, weights that are negative or all 0, an average that does not fit.
    TypeError
        For sparse scores.

    Warns
    -----
    UndefinedMetricWarning
        Where the metric of a label or sample is 0/0 at the threshold and `zero_division` is "warn".

    Notes
    -----
    A threshold is one of the scores; a label is predicted where ``score >= threshold``, so that equal scores are always
    on the same side. O(n log n) for n scores: they are sorted once, and running counts give the metric at every
    threshold. Temporary memory follows `working_memory`, except where one threshold serves the mean of several labels
    or samples, or all cells together: there it is some 100 bytes for each score.
    Scores on a GPU are sorted there; the call waits for the result, and the curve comes to the host.

    References
    ----------
    Z. C. Lipton, C. Elkan and B. Narayanaswamy (2014), "Optimal thresholding of classifiers to maximize F1 measure",
    ECML PKDD, 225-239.

    Examples
    --------
    >>> from gpumetrics import best_threshold
    >>> best = best_threshold([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> best.threshold, best.score
    (0.35, 0.8)
    >>> best.apply([0.2, 0.35, 0.9])
    array([0, 1, 1])
    >>> best.curve.scores.round(3)
    array([0.   , 0.667, 0.5  , 0.8  , 0.667])
    """
    undefined = check_zero_division(zero_division, "best_threshold")
    formula = Formula(_ratio(metric, beta), undefined)
    for name, value in (("per_label", per_label), ("keep_curve", keep_curve)):
        check_boolean(value, name, "best_threshold")
    with on_device_of(y_true=y_true, y_score=y_score, sample_weight=sample_weight):
        data = read_validation(y_true, y_score, sample_weight, pos_label)
        average = _check_average(average, data.classes is not None, per_label=per_label)
        found = _find(data, formula, average, per_label=per_label, keep_curve=keep_curve)
    if found.n_undefined and is_warn(zero_division):
        ratio = formula.ratio
        warn_ill_defined(ratio.name, ratio.missing, n_scores=found.n_scores, samplewise=average == "samples")
    settings = {
        "metric": metric,
        "beta": None if beta is None else float(beta),
        "average": average,
        "per_label": bool(per_label),
        "pos_label": None if data.classes is None else plain(pos_label),
        "zero_division": "warn" if is_warn(zero_division) else undefined,
        "weighted": sample_weight is not None,
        "n_samples": len(data.scores),
        "n_labels": data.scores.shape[1],
        "labels": data.columns,
        "rule": said("score >= threshold"),
        "of_equals": said("the largest threshold"),
    }
    return BestThreshold(found.threshold, found.score, found.label_scores, found.curve, data.classes, settings)


class _Found(NamedTuple):
    threshold: float | Array
    score: float
    label_scores: Array | None
    curve: Any
    n_undefined: int  # of the scores that were averaged, at the threshold
    n_scores: int


def _ratio(metric: Any, beta: Any) -> Ratio:
    if not (isinstance(metric, str) and metric in METRICS):
        msg = f"The 'metric' parameter of best_threshold must be one of {METRICS}. Got {metric!r} instead."
        raise ValueError(msg)
    if (metric == "fbeta") != (beta is not None) and not (metric == "f1" and isinstance(beta, Real) and beta == 1):
        msg = f"metric='fbeta' needs beta, and no other metric has one: got metric={metric!r}, beta={beta!r}."
        raise ValueError(msg)
    return JACCARD if metric == "jaccard" else f_beta(1.0 if beta is None else check_beta(beta, "best_threshold"))


def _check_average(average: Any, binary: bool, *, per_label: bool) -> str:  # noqa: FBT001
    fitting = ("binary",) if binary else PER_LABEL if per_label else GLOBAL
    if average is None and (binary or per_label):
        return fitting[0]
    if isinstance(average, str) and average in fitting:
        return average
    if binary:
        why = "y_score is a vector or a single column, of the scores of one class"
    elif per_label:
        why = "labels with thresholds of their own are chosen one by one, which makes these means as large as can be"
    else:
        why = "one threshold serves several labels (or give per_label=True)"
    msg = f"average must be one of {fitting}, since {why}. Got {average!r} instead."
    raise ValueError(msg)


def _find(data: Validation, formula: Formula, average: str, *, per_label: bool, keep_curve: bool) -> _Found:
    if per_label and data.classes is None:
        return _of_each_label(data, formula, average, keep_curve=keep_curve)
    if average in {"binary", "micro"}:
        return _of_all_cells(data, formula, keep_curve=keep_curve)
    return _of_mean(data, formula, average, keep_curve=keep_curve)


def _of_all_cells(data: Validation, formula: Formula, *, keep_curve: bool) -> _Found:
    """Find the one threshold of one label, or of all cells as if they were one label's."""
    xp = array_module(data.scores)
    weights = data.weights
    if weights is not None and data.scores.shape[1] > 1:
        weights = xp.repeat(weights, data.scores.shape[1])
    lines = sorted_lines(data.scores.reshape(1, -1), data.positive.reshape(1, -1), weights, formula)
    threshold, score = (float(values[0]) for values in lines.best())
    curve = ThresholdCurve(*lines.curves()[0]) if keep_curve else None
    return _Found(threshold, score, None, curve, int(threshold == np.inf), 1)


def _of_each_label(data: Validation, formula: Formula, average: str, *, keep_curve: bool) -> _Found:
    thresholds, scores, true, curves = [], [], [], []
    for _, (block, positive) in line_blocks(data.scores, data.positive, columns=True):
        lines = sorted_lines(block, positive, data.weights, formula)
        threshold, score = lines.best()
        thresholds.append(threshold)
        scores.append(score)
        true.append(as_host(lines.true))
        curves += [ThresholdCurve(*curve) for curve in lines.curves()] if keep_curve else []
    threshold, score = np.concatenate(thresholds), np.concatenate(scores)
    mean = mean_of_defined(score, np.concatenate(true) if average == "weighted" else None)
    curve = tuple(curves) if keep_curve else None
    return _Found(threshold, mean, score, curve, int((threshold == np.inf).sum()), len(threshold))


def _of_mean(data: Validation, formula: Formula, average: str, *, keep_curve: bool) -> _Found:
    """Find the one threshold at which the mean over labels, or over samples, is best."""
    columns = average != "samples"
    shares = _shares(data, average)
    weights = data.weights if columns else None
    best, (thresholds, means), (tops, true) = best_of_mean(
        data.scores, data.positive, weights, shares, formula, columns=columns
    )
    taught = true if columns else true[as_host(shares) > 0]  # a sample of weight 0 teaches nothing
    threshold, score = best if taught.any() else (np.inf, float(means[0]))
    some_true, some_predicted = 1.0 * (true > 0), 1.0 * (tops >= threshold)
    score_or_nan = formula._replace(undefined=np.nan)(np.zeros(len(true)), some_predicted, some_true)
    n_undefined = int(np.isnan(score_or_nan).sum())
    curve = ThresholdCurve(thresholds, means) if keep_curve else None
    return _Found(threshold, score, None, curve, n_undefined, len(true))


def _shares(data: Validation, average: str) -> Array:
    """Return each label's, or sample's, share in the mean."""
    n_samples, n_labels = data.scores.shape
    xp = array_module(data.scores)
    support: Array
    if average == "macro":
        support = xp.ones(n_labels)
    elif average == "samples":
        support = xp.ones(n_samples) if data.weights is None else data.weights
    else:
        blocks = (positive for _, (positive,) in line_blocks(data.positive, columns=True))
        weights = 1.0 if data.weights is None else data.weights
        support = xp.concatenate([(positive * weights).sum(axis=1) for positive in blocks])
    return support / (float(support.sum()) or 1.0)
