"""Agreement of two labelings by the information that they share, in nats."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import resolve
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.divergence import divergence
from gpumetrics.validation import encode_labels

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = [
    "adjusted_mutual_info_score",
    "completeness_score",
    "entropy",
    "expected_mutual_information",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "v_measure_score",
]

AVERAGES = ("arithmetic", "geometric", "max", "min")


def entropy(labels: Any) -> float:
    """Entropy of a labeling.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels of any kind.

    Returns
    -------
    float
        In nats, from 0.0 for a single cluster to log(n_samples) when every row is one; 1.0 without rows, as
        in scikit-learn.

    Raises
    ------
    ValueError
        If labels are missing or not one per row.

    References
    ----------
    C. E. Shannon, A mathematical theory of communication, Bell System Technical Journal 27 (1948).

    Examples
    --------
    >>> from gpumetrics import entropy
    >>> round(entropy([0, 0, 42]), 6)
    0.636514
    """
    counts = encode_labels(labels).counts
    return entropy_of(counts) if len(counts) else 1.0


def entropy_of(counts: Array) -> float:
    """Entropy of positive counts; the order of the counts does not change a bit of it."""
    if len(counts) <= 1:
        return 0.0
    n = int(counts.sum())
    share = counts / n
    # log(1 - x) for shares near 1, where log(share) has lost the digits of the rest.
    logs = np.where(share > 0.5, np.log1p(-(n - counts) / n), np.log(share))
    return float(np.sort(-share * logs).sum())


def mutual_info_score(
    labels_true: Any, labels_pred: Any, *, contingency: Any = None, noise_label: Any = None
) -> float:
    """Mutual information of two labelings.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters. Not read if `contingency` is given.
    contingency : array-like or sparse matrix of shape (n_classes, n_clusters), default=None
        Counts, as `contingency_matrix` gives them.
    noise_label : label, default=None
        Rows with this predicted label are left out; not with `contingency`.

    Returns
    -------
    float
        In nats, from 0.0 for independent labelings to the smaller of the two entropies; higher is better.
        The same bits when the labelings are swapped. 0.0 without rows.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, or `contingency` holds no counts.

    Notes
    -----
    O(n_samples) time and memory.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from gpumetrics import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.693147
    """
    if contingency is None:
        return mutual_info_from(Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label))
    if noise_label is not None:
        msg = "noise_label needs the labels: it cannot be used with contingency; drop its column instead."
        raise ValueError(msg)
    return mutual_info_from(Contingency.from_table(contingency))


def mutual_info_from(table: Contingency) -> float:
    """Mutual information of a table."""
    if table.is_empty or table.has_single_side:
        return 0.0
    if table.is_identical:
        return entropy_of(table.row_margins)
    excess, product = table.excess()
    if not excess.any():
        return 0.0
    # The empty cells together: each has divergence 1 at its share of the product of the margins.
    square = table.n_samples**2
    empty = (square - _exact_sum(product)) / square
    ratio = (excess / product).astype(np.float64)
    terms = (product / square).astype(np.float64) * divergence(ratio)
    return float(np.sort(terms).sum() + empty)


def _exact_sum(values: Array) -> int:
    # Products of margins over the cells of one table sum to at most n squared: no overflow.
    return int(values.sum())


def expected_mutual_information(contingency: Any, n_samples: int) -> float:
    """Mutual information that two labelings with these cluster sizes have by chance.

    Parameters
    ----------
    contingency : array-like or sparse matrix of shape (n_classes, n_clusters)
        Counts; only the sums of rows and columns matter.
    n_samples : int
        The sum of the counts.

    Returns
    -------
    float
        In nats: the mean over all tables with the same margins (the hypergeometric model).

    Raises
    ------
    ValueError
        If `contingency` holds no counts, or `n_samples` is not their sum.

    Notes
    -----
    The time follows the number of distinct pairs of margins, times the width of the law around its mean.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from gpumetrics import expected_mutual_information
    >>> round(expected_mutual_information([[5, 9], [2, 6], [4, 1]], 27), 6)
    0.041891
    """
    table = Contingency.from_table(contingency)
    if not isinstance(n_samples, Integral | Real) or n_samples != table.n_samples:
        msg = f"n_samples must be the sum of the contingency, {table.n_samples}; got {n_samples!r}."
        raise ValueError(msg)
    return expected_mutual_info_from(table)


def expected_mutual_info_from(table: Contingency) -> float:
    """Expected mutual information of the margins of a table."""
    if table.is_empty or table.has_single_side:
        return 0.0
    ops = resolve(table.counts)
    return float(ops.expected_mutual_information(table.row_margins, table.col_margins, table.n_samples))


def adjusted_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic", noise_label: Any = None
) -> float:
    """Mutual information adjusted for chance.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    average_method : {"arithmetic", "geometric", "max", "min"}, default="arithmetic"
        The mean of the two entropies that normalizes the score.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        At most 1; higher is better. 1.0 for the same partition, about 0.0 for unrelated labelings, and
        negative for less agreement than by chance. The same bits when the labelings are swapped.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, or `average_method` is unknown.

    Notes
    -----
    O(n_samples), and the expected mutual information: see `expected_mutual_information`.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison, JMLR 11 (2010).

    Examples
    --------
    >>> from gpumetrics import adjusted_mutual_info_score
    >>> round(adjusted_mutual_info_score([0] * 6 + [1] * 4, [0, 0, 0, 1, 1, 2, 1, 1, 2, 2]), 6)
    0.09081
    """
    _check_average(average_method)
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return adjusted_mutual_info_from(table, average_method)


def adjusted_mutual_info_from(table: Contingency, average_method: str = "arithmetic") -> float:
    """Adjusted mutual information of a table."""
    if table.is_identical:
        return 1.0
    # Margins that force the mutual information: no labeling with them is better than chance.
    if table.has_single_side or table.has_singletons_side:
        return 0.0
    found, by_chance = mutual_info_from(table), expected_mutual_info_from(table)
    gain = found - by_chance
    if abs(gain) <= 8 * np.finfo(np.float64).eps * by_chance:  # rounding only
        return 0.0
    return min(1.0, gain / (_mean_entropy(table, average_method) - by_chance))


def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic", noise_label: Any = None
) -> float:
    """Mutual information over a mean of the two entropies.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    average_method : {"arithmetic", "geometric", "max", "min"}, default="arithmetic"
        The mean of the two entropies that normalizes the score.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [0, 1]; higher is better. Exactly 1.0 for the same partition and 0.0 for independent ones. The
        same bits when the labelings are swapped.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, or `average_method` is unknown.

    Notes
    -----
    O(n_samples) time and memory. It is not adjusted for chance: it grows with the number of clusters.

    References
    ----------
    A. Strehl and J. Ghosh, Cluster ensembles, JMLR 3 (2002).

    Examples
    --------
    >>> from gpumetrics import normalized_mutual_info_score
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    _check_average(average_method)
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return normalized_mutual_info_from(table, average_method)


def normalized_mutual_info_from(table: Contingency, average_method: str = "arithmetic") -> float:
    """Normalized mutual information of a table."""
    if table.is_identical:
        return 1.0
    shared = mutual_info_from(table)
    return min(1.0, shared / _mean_entropy(table, average_method)) if shared else 0.0


def _mean_entropy(table: Contingency, average_method: str) -> float:
    true, pred = entropy_of(table.row_margins), entropy_of(table.col_margins)
    if average_method == "arithmetic":
        return (true + pred) / 2
    if average_method == "geometric":
        return math.sqrt(true * pred)
    return max(true, pred) if average_method == "max" else min(true, pred)


def _check_average(average_method: str) -> None:
    if average_method not in AVERAGES:
        msg = (
            f"The 'average_method' parameter must be a str among {{{', '.join(map(repr, AVERAGES))}}}. "
            f"Got {average_method!r} instead."
        )
        raise ValueError(msg)


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

    Notes
    -----
    O(n_samples) time and memory.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-measure, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> from gpumetrics import homogeneity_completeness_v_measure
    >>> [round(x, 6) for x in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.666667, 0.8]
    """
    if not isinstance(beta, Real) or not beta >= 0:
        msg = f"The 'beta' parameter must be a float in the range [0.0, inf]. Got {beta!r} instead."
        raise ValueError(msg)
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return v_measures_from(table, float(beta))


def v_measures_from(table: Contingency, beta: float = 1.0) -> tuple[float, float, float]:
    """Homogeneity, completeness and V-measure of a table."""
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

    Notes
    -----
    O(n_samples) time and memory. Swapped arguments give `completeness_score`.

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

    Notes
    -----
    O(n_samples) time and memory. Swapped arguments give `homogeneity_score`.

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

    Notes
    -----
    O(n_samples) time and memory.

    References
    ----------
    A. Rosenberg and J. Hirschberg, V-measure, EMNLP-CoNLL (2007).

    Examples
    --------
    >>> from gpumetrics import v_measure_score
    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta, noise_label=noise_label)[2]
