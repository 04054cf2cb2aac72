"""Shares of rows, labels or classes that are right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import array_module
from gpumetrics.classification.indicators import Indicators
from gpumetrics.classification.parameters import check_boolean
from gpumetrics.classification.targets import check_targets, warn_of_single_label
from gpumetrics.exceptions import warn, warn_undefined

if TYPE_CHECKING:
    from gpumetrics.classification.targets import Targets
    from gpumetrics.types import Array

__all__ = ["accuracy_score", "balanced_accuracy_score", "hamming_loss", "zero_one_loss"]

EXACT_SUM = 2.0**62  # of integers, in int64


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Share of samples whose label, or whole label set, is right.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix.
    normalize : bool, default=True
        Give a share; otherwise the number of right samples, or their weights' sum.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    float
        In [0, 1] (to n_samples without `normalize`); higher is better. Of unbalanced classes it says little:
        see `f1_score` and `balanced_accuracy_score`.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix has one column.
    ZeroDivisionError
        If negative weights cancel out, and a share is asked for.

    Notes
    -----
    O(n_samples) time and memory, or O(entries) for indicators. Labels on a GPU are compared there; the call waits for
    the share.

    Examples
    --------
    >>> from gpumetrics import accuracy_score
    >>> accuracy_score([0, 1, 2, 3], [0, 2, 1, 3])
    0.5
    >>> accuracy_score([[0, 1], [1, 1]], [[0, 1], [1, 0]])  # a set is right as a whole
    0.5
    """
    return _accuracy(y_true, y_pred, normalize, sample_weight, "accuracy_score")[0]


def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Share of samples whose label, or whole label set, is wrong.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix.
    normalize : bool, default=True
        Give a share; otherwise the number of wrong samples, or their weights' sum.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    float
        In [0, 1] (to n_samples without `normalize`); lower is better.

    Raises
    ------
    ValueError, TypeError, ZeroDivisionError
        As in `accuracy_score`.

    Notes
    -----
    As `accuracy_score`.

    Examples
    --------
    >>> from gpumetrics import zero_one_loss
    >>> zero_one_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    """
    right, total = _accuracy(y_true, y_pred, normalize, sample_weight, "zero_one_loss")
    return (1.0 if normalize else total) - right


def _accuracy(y_true: Any, y_pred: Any, normalize: Any, sample_weight: Any, function: str) -> tuple[float, float]:
    """The share, or sum, of right samples, and the sum of all."""
    check_boolean(normalize, "normalize", function)
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        targets = check_targets(y_true, y_pred, sample_weight, function=function)
        data = targets.data
        right = data.differences() == 0 if isinstance(data, Indicators) else data.agreement()
        found, total = _sums(right, targets.weights)
        return (_share(found, total) if normalize else found), total


def _sums(rows: Array, weights: Array | None) -> tuple[float, float]:
    """How many rows are marked, and how many there are; or their weights."""
    if weights is None:
        return float(array_module(rows).count_nonzero(rows)), float(len(rows))
    if float(abs(weights.astype(np.float64)).sum()) >= EXACT_SUM:  # of integers it could wrap
        weights = weights.astype(np.float64)
    return float((rows * weights).sum()), float(weights.sum())


def _share(found: float, total: float) -> float:
    if not total:
        msg = "Weights sum to zero, can't be normalized: sample_weight must not have negative weights that cancel out."
        raise ZeroDivisionError(msg)
    return found / total


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Hamming loss: the share of labels that are wrong, of all cells of the indicator matrices.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.

    Returns
    -------
    float
        In [0, 1]; lower is better. Labels that neither side has count as right, so that it falls with every label
        that is seldom used; `jaccard_score` leaves them out. For labels in vectors it is `zero_one_loss`.

    Raises
    ------
    ValueError, TypeError, ZeroDivisionError
        As in `accuracy_score`.

    Notes
    -----
    As `accuracy_score`.

    References
    ----------
    G. Tsoumakas and I. Katakis, Multi-label classification: an overview, International Journal of Data Warehousing
    and Mining 3 (2007).

    Examples
    --------
    >>> from gpumetrics import hamming_loss
    >>> hamming_loss([1, 2, 3, 4], [2, 2, 3, 4])
    0.25
    >>> hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]])
    0.75
    """
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        targets = check_targets(y_true, y_pred, sample_weight, function="hamming_loss")
        data = targets.data
        if not isinstance(data, Indicators):
            return _share(*_sums(~data.agreement(), targets.weights))
        if targets.weights is None:
            return data.n_different() / (data.n_samples * data.n_labels)
        wrong, total = _sums(data.differences(), targets.float_weights)
        return _share(wrong, total * data.n_labels)


def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False) -> float:
    """Balanced accuracy: the mean over true classes of the share of their samples that is right.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any kind.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    adjusted : bool, default=False
        Scale it so that chance is 0 and the best is 1.

    Returns
    -------
    float
        In [0, 1] (from 1 / (1 - n_classes) if adjusted); higher is better. nan (-inf below 1), with a warning, where a
        single class is adjusted for chance.

    Raises
    ------
    ValueError, TypeError
        As in `accuracy_score`; and for indicators.

    Warns
    -----
    UserWarning
        If a predicted class has no true samples; it is left out. If there is a single label.
    UndefinedMetricWarning
        If a single true class is adjusted for chance.

    Notes
    -----
    O(n_samples + n_classes) time and memory. Labels on a GPU are counted there; the call waits for the counts.

    References
    ----------
    K. H. Brodersen et al., The balanced accuracy and its posterior distribution, ICPR (2010).

    Examples
    --------
    >>> from gpumetrics import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])
    0.625
    """
    check_boolean(adjusted, "adjusted", "balanced_accuracy_score")
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        targets = check_targets(y_true, y_pred, sample_weight, function="balanced_accuracy_score", indicators=False)
        recalls = _recalls(targets)
    score = float(recalls.mean()) if len(recalls) else math.nan
    if not adjusted:
        return score
    if len(recalls) < 2:
        score = -math.inf if score < 1 else math.nan
        warn_undefined(f"Balanced accuracy adjusted for chance is {score}: with one true class chance is always right.")
        return score
    chance = 1 / len(recalls)
    return (score - chance) / (1 - chance)


def _recalls(targets: Targets) -> Array:
    counts = targets.data.label_counts(targets.float_weights)
    warn_of_single_label(len(counts.true))
    known = counts.true != 0
    if not known.all():
        warn("y_pred contains classes not in y_true")
    recalls: Array = counts.true_positives[known] / counts.true[known]
    return recalls
