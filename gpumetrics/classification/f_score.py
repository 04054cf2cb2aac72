"""The F-score, with and without beta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.classification.averages import Averaging
from gpumetrics.classification.formulas import f_beta
from gpumetrics.classification.parameters import check_beta

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["f1_score", "fbeta_score"]


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> float | Array:
    """F1 score 2 TP / (2 TP + FP + FN): the harmonic mean of precision and recall.

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
        1.0 only if precision and recall are both 1; nearer to the smaller of the two.

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
    It comes from the counts: 0, not 0/0, where nothing that is predicted is true.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd edition (1979).

    Examples
    --------
    >>> from gpumetrics import f1_score
    >>> f1_score([0, 1, 1, 0, 1], [0, 1, 1, 1, 1])
    0.8571428571428571
    >>> f1_score([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], average="macro")
    0.26666666666666666
    """
    averaging = Averaging("f1_score", labels, pos_label, average, sample_weight, zero_division)
    return averaging.score(y_true, y_pred, f_beta(1.0))  # type: ignore[no-any-return]


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> float | Array:
    """F-beta score: the harmonic mean of precision and recall, recall weighing beta**2 times as much.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix, which stays sparse.
    beta : float
        How many times as much recall counts as precision: above 1 recall, below 1 precision. From 0 to infinity.
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
        Precision at beta = 0, recall at infinity.

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
    F = (1 + beta**2) TP / ((1 + beta**2) TP + beta**2 FN + FP), from the counts. Some texts exchange precision and
    recall in the formula; their F-beta is this one's with 1 / beta.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd edition (1979).

    Examples
    --------
    >>> from gpumetrics import fbeta_score
    >>> y_true, y_pred = [1, 1, 1, 1, 0], [1, 0, 0, 0, 1]  # precision 1/2, recall 1/4
    >>> fbeta_score(y_true, y_pred, beta=0.5), fbeta_score(y_true, y_pred, beta=2)
    (0.4166666666666667, 0.2777777777777778)
    """
    averaging = Averaging("fbeta_score", labels, pos_label, average, sample_weight, zero_division)
    return averaging.score(y_true, y_pred, f_beta(check_beta(beta, "fbeta_score")))  # type: ignore[no-any-return]
