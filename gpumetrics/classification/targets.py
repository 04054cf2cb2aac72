"""The door of the classification scores: what kind of targets they are, checked in scikit-learn's order."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gpumetrics.backends import choose
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.classification.indicators import Indicators
from gpumetrics.classification.parameters import check_array_like
from gpumetrics.classification.sides import (
    CONTINUOUS,
    INDICATOR,
    OUTPUTS,
    TAGS,
    UNKNOWN,
    VECTOR,
    Side,
    check_columns,
    column_names,
    n_samples_of,
    read_side,
    read_weights,
)
from gpumetrics.classification.vectors import LabelVectors, refuse_mixture
from gpumetrics.exceptions import warn
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["Targets", "check_targets", "warn_of_single_label"]

SCORES = "Scores become labels by a threshold, which best_threshold finds on validation data."
MAPS = "Maps of classes, such as segmentations, are compared as vectors: y_true.ravel(), y_pred.ravel()."
SET_LIKE = (str, AbstractSet, np.ndarray)  # of tags


@dataclass(frozen=True)
class Targets:
    """Checked targets and weights.

    Attributes
    ----------
    data : LabelVectors or Indicators
    weights : ndarray of shape (n_samples,), int64 or float64, or None
        In the library of `ops`.
    ops : module
        The operations of the backend.
    """

    data: LabelVectors | Indicators
    weights: Array | None
    ops: ModuleType

    @property
    def n_samples(self) -> int:
        return self.data.n_samples

    @property
    def vectors(self) -> LabelVectors:
        """The data, where no matrices are accepted."""
        return cast("LabelVectors", self.data)

    @property
    def kind(self) -> str:
        """scikit-learn's word for the targets."""
        if isinstance(self.data, Indicators):
            return INDICATOR
        return "binary" if len(self.data.classes) <= 2 else "multiclass"

    @property
    def float_weights(self) -> Array | None:
        """The weights as float64, whose sums do not wrap."""
        return None if self.weights is None else self.weights.astype(np.float64, copy=False)


def check_targets(
    y_true: Any, y_pred: Any, sample_weight: Any = None, *, function: str, indicators: bool = True
) -> Targets:
    """Check true and predicted labels; `Targets` that are checked already are taken as they are, on both sides.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind, or 0/1 matrices, dense or sparse.
    sample_weight : array-like of shape (n_samples,), optional
    function : str
        The name of the public function, for messages.
    indicators : bool
        Whether matrices will do.

    Raises
    ------
    ValueError, TypeError
        scikit-learn's, with its texts.
    """
    if isinstance(y_true, Targets) and y_pred is y_true:
        _check_supported(y_true.kind, indicators=indicators)
        return y_true
    names = ("y1", "y2") if function == "cohen_kappa_score" else ("y_true", "y_pred")
    for name, y in zip(names, (y_true, y_pred), strict=True):
        check_array_like(y, name, function, sparse=indicators)
    if sample_weight is not None:
        check_array_like(sample_weight, "sample_weight", function, optional=True)
    if is_dask(y_true, y_pred, sample_weight):
        from gpumetrics.dask.statistics import targets

        found = targets(y_true, y_pred, sample_weight)
        _check_supported(found.kind, indicators=indicators)
        return found
    ops = choose(y_true, y_pred).ops
    lengths = [n_samples_of(y) for y in (y_true, y_pred, sample_weight) if y is not None]
    check_consistent_length(*lengths)
    true, pred = read_side(y_true, "y_true"), read_side(y_pred, "y_pred")
    if not lengths[0]:
        msg = "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        raise ValueError(msg)
    weights = None if sample_weight is None else read_weights(sample_weight, lengths[0], ops)
    _check_kinds(true, pred)
    if true.kind == VECTOR:
        return Targets(_vectors(true, pred, ops), weights, ops)
    _check_supported(INDICATOR, indicators=indicators)
    if true.values.shape[1] != pred.values.shape[1]:
        msg = "Multi-label binary indicator input with different numbers of labels"
        raise ValueError(msg)
    check_columns(column_names(y_true), column_names(y_pred), ("y_true", "y_pred"))
    return Targets(Indicators.of(true.values, pred.values, ops), weights, ops)


def _check_supported(kind: str, *, indicators: bool) -> None:
    if kind == INDICATOR and not indicators:
        msg = f"{INDICATOR} is not supported"
        raise ValueError(msg)


def _check_kinds(true: Side, pred: Side) -> None:
    if true.kind != pred.kind:
        msg = f"Classification metrics can't handle a mix of {true.word} and {pred.word} targets"
    elif true.kind not in {VECTOR, INDICATOR}:
        msg = f"{true.kind} is not supported"
    else:
        return
    hints = dict.fromkeys(filter(None, map(_advice, (true, pred))))
    raise ValueError(". ".join([msg, *hints]))


def _advice(side: Side) -> str:
    """Return what to do with targets that no score takes; an empty string where that is not known."""
    values = side.values
    if side.kind.startswith(CONTINUOUS):
        return SCORES
    if side.kind == UNKNOWN and np.ndim(values) > 2:
        return MAPS
    if side.kind not in {UNKNOWN, f"multiclass{OUTPUTS}"} or not getattr(values, "size", 0):
        return ""
    if values.dtype.kind == "U" or (values.dtype.kind == "O" and isinstance(values.flat[0], SET_LIKE)):
        return TAGS
    return MAPS if side.kind != UNKNOWN else ""


def _vectors(true: Side, pred: Side, ops: ModuleType) -> LabelVectors:
    numbers = [side.values.dtype.kind in "iu" for side in (true, pred)]
    if all(numbers):
        values = ops.asarray(true.values), ops.asarray(pred.values)
    else:
        refuse_mixture(true.values, pred.values)
        values = true.values, pred.values
    return LabelVectors(*values, (true.dtype, pred.dtype), ops)


def warn_of_single_label(n_labels: int) -> None:
    """Warn as scikit-learn's confusion matrix does, on which several of its scores are built."""
    if n_labels == 1:
        warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape, "
            "use the 'labels' parameter to pass all known labels."
        )
