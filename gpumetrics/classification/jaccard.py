"""The Jaccard similarity of label sets, and of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.classification.averages import Averaging
from gpumetrics.classification.formulas import JACCARD

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["jaccard_score"]


def jaccard_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> float | Array:
    """Jaccard similarity TP / (TP + FP + FN): what true and predicted share, over what either holds.

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
        A similarity: `jaccard_distance` is 1 less it.

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
    Maps of classes, such as segmentations, are scored as vectors, ``y_true.ravel()``: "macro" is the mean IoU then.
    Labels that neither side has, of all samples or of one, count nowhere. For one label, or for "micro", F1 is
    2 J / (1 + J); means of the two do not convert.

    References
    ----------
    P. Jaccard, The distribution of the flora in the alpine zone, New Phytologist 11 (1912).

    Examples
    --------
    >>> from gpumetrics import jaccard_score
    >>> jaccard_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.3333333333333333
    >>> jaccard_score([[1, 1, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]], average="samples")
    0.75
    """
    averaging = Averaging("jaccard_score", labels, pos_label, average, sample_weight, zero_division)
    return averaging.score(y_true, y_pred, JACCARD)  # type: ignore[no-any-return]
