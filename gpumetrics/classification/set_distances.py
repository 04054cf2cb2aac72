"""The Jaccard distance of two vectors, as SciPy defines it, and the way from Jaccard to F1 and back."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.classification.members import is_member, member_array

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["f1_from_jaccard", "jaccard_distance", "jaccard_from_f1"]


def jaccard_distance(u: Any, v: Any, w: Any = None) -> float:
    """Jaccard distance of two vectors: the share of their members that only one of them has.

    SciPy's `scipy.spatial.distance.jaccard`, value for value. It points the other way from `jaccard_score`, which is
    a similarity.

    Parameters
    ----------
    u, v : array-like of shape (n,)
        A position is a member where it is not zero, whatever the number: 2 and 9 are the same, and so is NaN.
    w : array-like of shape (n,), default=None
        Weight of each *position*, not negative (the `sample_weight` of `jaccard_score` weights rows). A position of
        weight 0 does not count.

    Returns
    -------
    float
        In [0, 1]; lower is better: 0.0 for equal sets, 1.0 for sets without a common member. 0.0 also where neither
        has a member, or all members weigh 0, for which `jaccard_score` is 0.0 too: there it is the *worst* score.

    Raises
    ------
    ValueError
        If a vector is not one-dimensional, lengths differ (SciPy repeats a vector of length 1), a weight is
        negative, or values are no numbers.
    TypeError
        For sparse vectors, and complex weights.

    Notes
    -----
    O(n). The distance is ``1 - jaccard_score`` wherever the union is not empty.
    Vectors on a GPU are compared there; the call waits for the result.

    References
    ----------
    S. Kosub, A note on the triangle inequality for the Jaccard distance, Pattern Recognition Letters 120 (2019).

    Examples
    --------
    >>> from gpumetrics import jaccard_distance
    >>> jaccard_distance([1, 1, 0], [1, 0, 1])
    0.6666666666666666
    >>> jaccard_distance([1, 1, 0], [1, 0, 1], w=[3, 1, 1])
    0.4
    >>> jaccard_distance([0, 0, 0], [0, 0, 0])
    0.0
    """
    with on_device_of(u=u, v=v, w=w):
        ops = choose(u, v, w).ops
        first, second = (ops.asarray(is_member(_vector(values, name))) for values, name in ((u, "u"), (v, "v")))
        _check_shapes(first, second)
        differ, union = first ^ second, first | second
        if w is not None:
            weights = ops.asarray(_weights(w))
            _check_shapes(weights, union)
            with np.errstate(invalid="ignore"):  # infinity times 0: the distance is nan, as SciPy's
                differ, union = weights * differ, weights * union
        xp = array_module(union)
        unlike, members = as_host(xp.stack([differ.sum(), union.sum()]).astype(np.float64))
    with np.errstate(invalid="ignore"):
        return float(unlike / members) if members != 0 else 0.0


def _vector(values: Any, name: str) -> Array:
    array = member_array(values, name)
    if array.ndim != 1:
        msg = f"Input vector should be 1-D. ({name} has shape {array.shape}.)"
        raise ValueError(msg)
    return array


def _weights(w: Any) -> Array:
    weights = _vector(w, "w")
    if weights.dtype.kind == "c":
        msg = "float() argument must be a string or a real number, not 'complex': w holds real weights."
        raise TypeError(msg)
    weights = weights.astype(np.float64)
    if bool((weights < 0).any()):
        msg = "Input weights should be all non-negative"
        raise ValueError(msg)
    return weights


def _check_shapes(a: Array, b: Array) -> None:
    if a.shape != b.shape:
        msg = f"operands could not be broadcast together with shapes {a.shape} {b.shape}: u, v and w go by position."
        raise ValueError(msg)


def f1_from_jaccard(jaccard: float) -> float:
    """F1 score of the set whose Jaccard similarity is known: 2 J / (1 + J).

    Parameters
    ----------
    jaccard : float in [0, 1]
        Of one pair of sets, one label, or the pooled counts of many (``average="micro"``).

    Returns
    -------
    float
        In [0, 1]; higher is better. nan for nan.

    Raises
    ------
    ValueError
        If it is no number in [0, 1]; for an array or list, since averages do not convert (below).

    Notes
    -----
    The curve is bent, so the mean of several F1 is not the F1 of their mean Jaccard: two documents with J = 1 and 0
    have a mean J of 1/2 and a mean F1 of 1/2, not the 2/3 that the formula gives. Averages over samples or labels
    (macro, weighted, samples) are computed from the predictions instead, by `f1_score`.

    Examples
    --------
    >>> from gpumetrics import f1_from_jaccard
    >>> f1_from_jaccard(1 / 3)
    0.5
    """
    score = _single_score(jaccard, "jaccard", "f1_from_jaccard", "f1_score")
    return 2 * score / (1 + score)


def jaccard_from_f1(f1: float) -> float:
    """Jaccard similarity of the set whose F1 score is known: F1 / (2 - F1).

    Parameters
    ----------
    f1 : float in [0, 1]
        Of one pair of sets, one label, or the pooled counts of many (``average="micro"``).

    Returns
    -------
    float
        In [0, 1]; higher is better. nan for nan.

    Raises
    ------
    ValueError
        If it is no number in [0, 1]; for an array or list, since averages do not convert: see `f1_from_jaccard`.

    Examples
    --------
    >>> from gpumetrics import jaccard_from_f1
    >>> jaccard_from_f1(0.5)
    0.3333333333333333
    """
    score = _single_score(f1, "f1", "jaccard_from_f1", "jaccard_score")
    return score / (2 - score)


def _single_score(value: Any, name: str, function: str, instead: str) -> float:
    if getattr(value, "ndim", None) == 0 and not isinstance(value, np.generic):
        value = value.item()  # an array without dimensions is one number
    if hasattr(value, "__len__") and not isinstance(value, str | bytes):
        msg = (
            f"{function} takes one score, of one pair of sets or of pooled counts, not {len(value)} of them. Averages "
            "do not convert: the mean of F1 = 2J/(1 + J) is not the F1 of the mean J. Compute the average from the "
            f"predictions, with {instead}(y_true, y_pred, average=...); the scores of single sets or labels convert "
            f"one by one: [{function}(x) for x in {name}]."
        )
        raise ValueError(msg)
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or value < 0 or value > 1:
        msg = f"{name} must be one number from 0 to 1, got {value!r}."
        raise ValueError(msg)
    return float(value)
