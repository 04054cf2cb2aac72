"""Confusion matrices: of all classes, and one for each label or sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import as_library_of
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.backends.numpy_counts import LARGEST
from gpumetrics.classification.averages import Averaging
from gpumetrics.classification.parameters import check_array_like, check_boolean, check_choice
from gpumetrics.classification.targets import check_targets, warn_of_single_label
from gpumetrics.classification.undefined import divide

if TYPE_CHECKING:
    from gpumetrics.classification.targets import Targets
    from gpumetrics.types import Array

__all__ = ["confusion_matrix", "multilabel_confusion_matrix", "places_of"]


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> Array:
    """Count the samples of each true class that are predicted as each class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Labels of any kind.
    labels : array-like of shape (n_classes,), default=None
        The classes of rows and columns, in this order; samples with another one, true or predicted, are left out.
        None: all that occur in either, sorted.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    normalize : {"true", "pred", "all"} or None, default=None
        Divide each row ("true") or column ("pred") by its sum, or the whole by its sum; an empty one stays 0.

    Returns
    -------
    array of shape (n_classes, n_classes)
        In the library and on the device of `y_pred`: int64, or float64 where weights are floats or it is normalized.
        ``C[i, j]``: samples of true class i that are predicted as class j.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, none of `labels` occurs in `y_true`, or
        sums of integer weights do not fit int64.
    TypeError
        If labels are bytes.

    Warns
    -----
    UserWarning
        If there is a single label: the matrix has one cell.

    Notes
    -----
    O(n_samples) time and memory, plus the matrix. Labels on a GPU are counted there; the call waits for the cells.

    Examples
    --------
    >>> from gpumetrics import confusion_matrix
    >>> confusion_matrix([2, 0, 2, 2, 0, 1], [0, 0, 2, 2, 0, 2])
    array([[2, 0, 0],
           [0, 0, 1],
           [1, 0, 2]])
    >>> confusion_matrix(["cat", "ant", "cat"], ["ant", "ant", "cat"], labels=["cat", "ant"], normalize="true")
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    check_array_like(labels, "labels", "confusion_matrix", optional=True)
    check_choice(normalize, ("true", "pred", "all"), "normalize", "confusion_matrix")
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        targets = check_targets(y_true, y_pred, sample_weight, function="confusion_matrix", indicators=False)
        places = places_of(targets, labels, "At least one label specified must be in y_true")
        rows, cols, amounts = targets.vectors.pairs_of(places, targets.weights)
        k = len(places)
        ops = operations_on(rows)
        table = ops.label_sums(rows * k + cols, k * k, amounts).reshape(k, k)
        if normalize is not None:
            axis = {"true": 1, "pred": 0, "all": None}[normalize]
            table = divide(table, np.broadcast_to(table.sum(axis=axis, keepdims=True), table.shape), 0.0)[0]
        warn_of_single_label(k)
        return as_library_of(table, y_pred)  # type: ignore[no-any-return]


def places_of(targets: Targets, labels: Any, unknown: str) -> Array:
    """Where labels stand among those that occur; `unknown` is the error if none of them is a true label."""
    data = targets.vectors
    if labels is None:
        return np.arange(len(data.classes))
    places: Array = data.places(labels, any_kind=True)  # if all are of another kind, `unknown` says so
    if not len(places):
        msg = "'labels' should contain at least one label."
        raise ValueError(msg)
    true = data.label_counts(None).true
    if not true[places[places >= 0]].any():
        raise ValueError(unknown)
    return places


def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: bool = False
) -> Array:
    """Count true and false negatives and positives of each label, or of each sample.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind, each against all others; or a row of zeros and ones for each sample, dense or a sparse
        matrix, which stays sparse.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    labels : array-like of shape (n_chosen,), default=None
        The labels to count, in this order: a subset, or a superset of those that occur. None: all that occur in
        either, sorted. For indicators, numbers of columns.
    samplewise : bool, default=False
        Count for each sample over the labels, for indicators.

    Returns
    -------
    array of shape (n_chosen, 2, 2), or (n_samples, 2, 2) if `samplewise`
        In the library and on the device of `y_pred`: int64, or float64 where samples are weighted.
        ``[[TN, FP], [FN, TP]]`` of each.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, a column does not exist, or vectors are
        to be counted samplewise.
    TypeError
        If labels are bytes, or a sparse matrix has one column.

    Notes
    -----
    O(n_samples + n_labels) time and memory, or O(entries) for indicators; never n_labels x n_labels.
    Labels on a GPU are counted there; the call waits for the counts of labels, not for those of samples.

    Examples
    --------
    >>> from gpumetrics import multilabel_confusion_matrix
    >>> multilabel_confusion_matrix([[1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 1]], samplewise=True)
    array([[[1, 0],
            [1, 1]],
    <BLANKLINE>
           [[1, 1],
            [0, 1]]])
    """
    function = "multilabel_confusion_matrix"
    check_array_like(labels, "labels", function, optional=True)
    check_boolean(samplewise, "samplewise", function)
    if samplewise and is_dask(y_true, y_pred):
        msg = "samplewise=True is not computed on Dask collections, as it gives a matrix for each sample: leave it out."
        raise TypeError(msg)
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        averaging = Averaging(function, labels, average="samples" if samplewise else None, sample_weight=sample_weight)
        targets = check_targets(y_true, y_pred, sample_weight, function=function)
        counts = averaging.scoring_input(targets).counts
        parts = (counts.true_negatives, counts.false_positives, counts.false_negatives, counts.true_positives)
        stacked = array_module(parts[0]).stack(parts, axis=-1)
        if samplewise and targets.weights is not None:
            stacked = stacked * _factors(targets.weights, counts.n_samples)[:, np.newaxis]
        return as_library_of(stacked.reshape(-1, 2, 2), y_pred)  # type: ignore[no-any-return]


def _factors(weights: Array, n_labels: float) -> Array:
    """Weights of samples, if integers times the number of labels stay integers."""
    if weights.dtype.kind == "i" and max(int(weights.max()), -int(weights.min())) * int(n_labels) >= LARGEST:
        msg = f"sample_weight times {n_labels} labels is more than int64 can hold: divide the weights by a constant."
        raise ValueError(msg)
    return weights
