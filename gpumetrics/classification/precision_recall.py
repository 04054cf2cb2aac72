"""Precision and recall, one by one and together with F and support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.classification.averages import Averaging
from gpumetrics.classification.formulas import PRECISION, RECALL, f_beta
from gpumetrics.classification.parameters import check_beta, check_warn_for

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["precision_recall_fscore_support", "precision_score", "recall_score"]


def precision_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> float | Array:
    """Precision TP / (TP + FP): of what is predicted, the share that is true.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix, which stays sparse.
    labels : array-like of shape (n_chosen,), default=None
        The labels to score, in this order: a subset, or a superset of those that occur. None: all that occur in
        either, sorted. For indicators, numbers of columns.
    pos_label : int, float, bool or str, default=1
        The class to score with ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        "binary": the class `pos_label` only, of two. None: each label by itself. "macro": the mean over labels.
        "weighted": that mean, each label times its true samples. "micro": the score of all labels' counts together.
        "samples": the mean over samples of each sample's own score, for indicators.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        What 0/0 is; nan is left out of means. "warn" is 0.0, with a warning.

    Returns
    -------
    float, or array of float64, shape (n_chosen,), for ``average=None``
        In [0, 1]; higher is better. In the library and on the device of `y_pred` where it is an array.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, the targets do not suit `average`, or an
        argument has a value that it cannot have.
    TypeError
        If labels are bytes, or a sparse matrix has one column.

    Warns
    -----
    UndefinedMetricWarning
        Where the score of a label or sample is 0/0 and `zero_division` is "warn".
    UserWarning
        If `pos_label` is given with another `average` than "binary", which ignores it.

    Notes
    -----
    O(n_samples + n_labels) time and memory, or O(entries) for indicators; whole counts, one division each.
    Labels on a GPU are counted there; the call waits for the counts, which come to the host.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd edition (1979).

    Examples
    --------
    >>> from gpumetrics import precision_score
    >>> precision_score([0, 1, 1, 0, 1], [0, 1, 1, 1, 1])
    0.75
    >>> precision_score(["a", "b", "c", "a"], ["a", "c", "c", "a"], average="macro", zero_division=0)
    0.5
    """
    averaging = Averaging("precision_score", labels, pos_label, average, sample_weight, zero_division)
    return averaging.score(y_true, y_pred, PRECISION)  # type: ignore[no-any-return]


def recall_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> float | Array:
    """Recall TP / (TP + FN): of what is true, the share that is predicted.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix, which stays sparse.
    labels : array-like of shape (n_chosen,), default=None
        The labels to score, in this order: a subset, or a superset of those that occur. None: all that occur in
        either, sorted. For indicators, numbers of columns.
    pos_label : int, float, bool or str, default=1
        The class to score with ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        "binary": the class `pos_label` only, of two. None: each label by itself. "macro": the mean over labels.
        "weighted": that mean, each label times its true samples. "micro": the score of all labels' counts together.
        "samples": the mean over samples of each sample's own score, for indicators.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        What 0/0 is; nan is left out of means. "warn" is 0.0, with a warning.

    Returns
    -------
    float, or array of float64, shape (n_chosen,), for ``average=None``
        In [0, 1]; higher is better. In the library and on the device of `y_pred` where it is an array.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, the targets do not suit `average`, or an
        argument has a value that it cannot have.
    TypeError
        If labels are bytes, or a sparse matrix has one column.

    Warns
    -----
    UndefinedMetricWarning
        Where the score of a label or sample is 0/0 and `zero_division` is "warn".
    UserWarning
        If `pos_label` is given with another `average` than "binary", which ignores it.

    Notes
    -----
    O(n_samples + n_labels) time and memory, or O(entries) for indicators; whole counts, one division each.
    Labels on a GPU are counted there; the call waits for the counts, which come to the host.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd edition (1979).

    Examples
    --------
    >>> from gpumetrics import recall_score
    >>> recall_score([0, 1, 1, 0, 1], [0, 1, 1, 1, 0], average=None)
    array([0.5       , 0.66666667])
    """
    averaging = Averaging("recall_score", labels, pos_label, average, sample_weight, zero_division)
    return averaging.score(y_true, y_pred, RECALL)  # type: ignore[no-any-return]


def precision_recall_fscore_support(  # noqa: PLR0913  (scikit-learn's arguments)
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Any = ("precision", "recall", "f-score"),
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall, F-beta and support, from one pass over the labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix, which stays sparse.
    beta : float, default=1.0
        How many times as much recall counts as precision in F; see `fbeta_score`.
    labels : array-like of shape (n_chosen,), default=None
        The labels to score, in this order: a subset, or a superset of those that occur. None: all that occur in
        either, sorted. For indicators, numbers of columns.
    pos_label : int, float, bool or str, default=1
        The class to score with ``average="binary"``.
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default=None
        "binary": the class `pos_label` only, of two. None: each label by itself. "macro": the mean over labels.
        "weighted": that mean, each label times its true samples. "micro": the score of all labels' counts together.
        "samples": the mean over samples of each sample's own score, for indicators.
    warn_for : list, tuple or set of str, default=("precision", "recall", "f-score")
        Of which scores to warn where they are undefined.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        What 0/0 is; nan is left out of means. "warn" is 0.0, with a warning.

    Returns
    -------
    precision, recall, fscore : float, or array of float64, shape (n_chosen,), for ``average=None``
        In [0, 1]; higher is better.
    support : None, or array of shape (n_chosen,) for ``average=None``
        True samples of each label: int64, float64 where samples are weighted.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, the targets do not suit `average`, or an
        argument has a value that it cannot have.
    TypeError
        If labels are bytes, or a sparse matrix has one column.

    Warns
    -----
    UndefinedMetricWarning
        Where the score of a label or sample is 0/0 and `zero_division` is "warn".
    UserWarning
        If `pos_label` is given with another `average` than "binary", which ignores it.

    Notes
    -----
    O(n_samples + n_labels) time and memory, or O(entries) for indicators; whole counts, one division each.
    Labels on a GPU are counted there; the call waits for the counts, which come to the host.
    F comes from the counts, not from precision and recall.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd edition (1979).

    Examples
    --------
    >>> from gpumetrics import precision_recall_fscore_support
    >>> precision, recall, fscore, support = precision_recall_fscore_support([0, 1, 1, 0], [0, 1, 0, 0])
    >>> precision, recall
    (array([0.66666667, 1.        ]), array([1. , 0.5]))
    >>> fscore, support
    (array([0.8       , 0.66666667]), array([2, 2]))
    """
    function = "precision_recall_fscore_support"
    check_warn_for(warn_for, function)
    fscore = f_beta(check_beta(beta, function))
    averaging = Averaging(function, labels, pos_label, average, sample_weight, zero_division)
    ratios = (PRECISION, RECALL, fscore)
    silent = {ratio.key for ratio in ratios if ratio.key not in warn_for}
    if fscore.missing in {PRECISION.missing, RECALL.missing}:  # a second warning about the same counts
        silent.add(fscore.key)
    precision, recall, f, support = averaging.scores(y_true, y_pred, ratios, silent=silent)
    return precision, recall, f, support
