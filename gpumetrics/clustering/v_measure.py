"""Homogeneity, completeness and their mean, the V-measure."""

from __future__ import annotations

import math
from typing import Any

from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.information import entropy_of, mutual_info_from
from gpumetrics.validation import check_non_negative

__all__ = [
    "completeness_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "v_measure_score",
]


def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0, noise_label: Any = None
) -> tuple[float, float, float]:
    """Homogeneity, completeness and V-measure at once.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    beta : float, default=1.0
        Weight of completeness over homogeneity, in [0, inf]: 0 gives homogeneity, inf completeness.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    homogeneity : float
        In [0, 1]: 1.0 where each cluster holds rows of one class.
    completeness : float
        In [0, 1]: 1.0 where each class lies in one cluster.
    v_measure : float
        Their weighted harmonic mean. Higher is better for all three.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, or `beta` is negative or no number.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-measure, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> from gpumetrics import homogeneity_completeness_v_measure
    >>> [round(x, 6) for x in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.666667, 0.8]
    """
    check_non_negative(beta, "'beta' parameter of homogeneity_completeness_v_measure", infinite=True)
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return v_measures_from(table, float(beta))


def v_measures_from(table: Contingency, beta: float = 1.0) -> tuple[float, float, float]:
    """Compute homogeneity, completeness and V-measure of a table."""
    shared = mutual_info_from(table)
    h = 1.0 if table.is_homogeneous else min(1.0, shared / entropy_of(table.row_margins))
    c = 1.0 if table.is_complete else min(1.0, shared / entropy_of(table.col_margins))
    return h, c, _weighted_harmonic_mean(h, c, beta)


def _weighted_harmonic_mean(h: float, c: float, beta: float) -> float:
    if beta in (0.0, math.inf):
        return c if beta else h
    if h + c == 0.0:
        return 0.0
    # The weight of one side is at most 1, so that no beta overflows.
    if beta > 1.0:
        w = 1.0 / beta
        return (1.0 + w) * h * c / (h + w * c)
    return (1.0 + beta) * h * c / (beta * h + c)


def homogeneity_score(labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> float:
    """Homogeneity: the share of the classes' entropy that the clusters explain.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [0, 1]; higher is better. 1.0 where each cluster holds rows of one class.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory. Swapped arguments give `completeness_score`.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-measure, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> from gpumetrics import homogeneity_score
    >>> homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return v_measures_from(Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label))[0]


def completeness_score(labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> float:
    """Completeness: the share of the clusters' entropy that the classes explain.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [0, 1]; higher is better. 1.0 where each class lies in one cluster.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory. Swapped arguments give `homogeneity_score`.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-measure, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> from gpumetrics import completeness_score
    >>> completeness_score([0, 0, 1, 2], [0, 0, 1, 1])
    1.0
    """
    return v_measures_from(Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label))[1]


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0, noise_label: Any = None) -> float:
    """V-measure: the weighted harmonic mean of homogeneity and completeness.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    beta : float, default=1.0
        Weight of completeness over homogeneity, in [0, inf]: 0 gives homogeneity, inf completeness.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [0, 1]; higher is better. With ``beta=1`` it is `normalized_mutual_info_score`, up to rounding.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, or `beta` is negative or no number.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-measure, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> from gpumetrics import v_measure_score
    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    check_non_negative(beta, "'beta' parameter of v_measure_score", infinite=True)
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return v_measures_from(table, float(beta))[2]
