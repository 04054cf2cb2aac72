"""Agreement of two labelings by the information that they share, in nats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.information import entropy_of, expected_mutual_info_from, log_counts_of, mutual_info_from
from gpumetrics.validation import encode_labels

__all__ = [
    "adjusted_mutual_info_from",
    "adjusted_mutual_info_score",
    "entropy",
    "expected_mutual_information",
    "mutual_info_score",
    "normalized_mutual_info_from",
    "normalized_mutual_info_score",
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
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    C. E. Shannon, A mathematical theory of communication, Bell System Technical Journal 27 (1948).

    Examples
    --------
    >>> from gpumetrics import entropy
    >>> round(entropy([0, 0, 42]), 6)
    0.636514
    """
    if is_dask(labels):
        from gpumetrics.dask.statistics import class_counts

        counts = class_counts(labels)
    else:
        with on_device_of(labels=labels):
            counts = encode_labels(labels).counts
    return entropy_of(counts) if len(counts) else 1.0


def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any = None, noise_label: Any = None) -> float:
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
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison,
    JMLR 11 (2010).

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
        In nats, not negative: the mean over all tables with the same margins (the hypergeometric model).

    Raises
    ------
    ValueError
        If `contingency` holds no counts, or `n_samples` is not their sum.

    Notes
    -----
    The time follows the number of distinct pairs of margins, times the width of the law around its mean: the
    square root of that mean, up to 2**24, where moments take the place of the sum.
    With ``backend="cupy"`` the sums are taken on the GPU, which the call waits for.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison,
    JMLR 11 (2010).

    Examples
    --------
    >>> from gpumetrics import expected_mutual_information
    >>> round(expected_mutual_information([[5, 9], [2, 6], [4, 1]], 27), 6)
    0.041891
    """
    table = Contingency.from_table(contingency)
    try:
        matches = int(n_samples) == n_samples == table.n_samples
    except (TypeError, ValueError):
        matches = False
    if not matches:
        msg = f"n_samples must be the sum of the contingency, {table.n_samples}; got {n_samples!r}."
        raise ValueError(msg)
    return expected_mutual_info_from(table)


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
        negative for less agreement than by chance, without a bound that holds for all margins. 0.0 where the
        margins leave no choice: one side a single cluster or all singletons. The same bits when the
        labelings are swapped.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, or `average_method` is unknown.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples), and the expected mutual information: see `expected_mutual_information`.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    N. X. Vinh, J. Epps and J. Bailey, Information theoretic measures for clusterings comparison,
    JMLR 11 (2010).

    Examples
    --------
    >>> from gpumetrics import adjusted_mutual_info_score
    >>> round(adjusted_mutual_info_score([0] * 6 + [1] * 4, [0, 0, 0, 1, 1, 2, 1, 1, 2, 2]), 6)
    0.09081
    """
    _check_average(average_method, "adjusted_mutual_info_score")
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return adjusted_mutual_info_from(table, average_method)


def adjusted_mutual_info_from(table: Contingency, average_method: str = "arithmetic") -> float:
    """Compute the adjusted mutual information of a table."""
    if table.is_identical:
        return 1.0
    # Margins that force the mutual information: no labeling with them is better than chance.
    if table.has_single_side or table.has_singletons_side:
        return 0.0
    found, by_chance, room = _over_chance(table, average_method)
    gain = found - by_chance
    if abs(gain) <= 8 * np.finfo(np.float64).eps * by_chance:  # rounding only
        return 0.0
    return min(1.0, gain / room)


def _over_chance(table: Contingency, average_method: str) -> tuple[float, float, float]:
    """Return what the tables share, what they share by chance, and the room of the mean entropy above that.

    The three may lack a common term: log(n) and the margins' sums of c log c, which hide all else where nearly
    every cluster is a singleton.
    """
    sides = table.row_margins, table.col_margins
    entropies, logs = [entropy_of(side) for side in sides], [log_counts_of(side) for side in sides]
    if 2 * sum(logs) > math.log(table.n_samples):
        found, by_chance = mutual_info_from(table), expected_mutual_info_from(table)
        return found, by_chance, _mean(entropies, average_method) - by_chance
    found, by_chance = log_counts_of(table.counts), expected_mutual_info_from(table, log_counts=True)
    if average_method != "geometric":
        return found, by_chance, _mean(logs, average_method) - by_chance
    short = ((logs[0] - logs[1]) / sum(map(math.sqrt, entropies))) ** 2 / 2  # of the arithmetic mean
    return found, by_chance, sum(logs) / 2 - by_chance - short


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
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory. It is not adjusted for chance: it grows with the number of clusters.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    A. Strehl and J. Ghosh, Cluster ensembles, JMLR 3 (2002).

    Examples
    --------
    >>> from gpumetrics import normalized_mutual_info_score
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.8
    """
    _check_average(average_method, "normalized_mutual_info_score")
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return normalized_mutual_info_from(table, average_method)


def normalized_mutual_info_from(table: Contingency, average_method: str = "arithmetic") -> float:
    """Compute the normalized mutual information of a table."""
    if table.is_identical:
        return 1.0
    shared = mutual_info_from(table)
    if not shared:
        return 0.0
    return min(1.0, shared / _mean([entropy_of(table.row_margins), entropy_of(table.col_margins)], average_method))


def _mean(values: list[float], average_method: str) -> float:
    true, pred = values
    if average_method == "arithmetic":
        return (true + pred) / 2
    if average_method == "geometric":
        return math.sqrt(true * pred)
    return max(values) if average_method == "max" else min(values)


def _check_average(average_method: str, function: str) -> None:
    if average_method not in AVERAGES:
        known = ", ".join(map(repr, AVERAGES))
        msg = (
            f"The 'average_method' parameter of {function} must be a str among {{{known}}}. "
            f"Got {average_method!r} instead."
        )
        raise ValueError(msg)
