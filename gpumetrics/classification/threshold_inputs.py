"""The doors of `best_threshold`: scores, the truth that they are held against, and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import bfloat16_to_float32
from gpumetrics.classification.members import member_array
from gpumetrics.classification.sides import column_names, is_sparse, read_weights
from gpumetrics.feature_arrays import feature_array, numeric, raise_not_finite
from gpumetrics.label_arrays import as_objects
from gpumetrics.validation import check_consistent_length, encode_labels

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["Validation", "check_columns", "read_validation", "score_array"]

EXACT = 2**53  # integers up to here are float64's


@dataclass(frozen=True)
class Validation:
    """Scores and truth of the validation data.

    Attributes
    ----------
    scores : ndarray of shape (n_samples, n_labels), float32 or float64
    positive : ndarray of shape (n_samples, n_labels), bool
    weights : ndarray of shape (n_samples,), float64, or None
    classes : ndarray of shape (2,), or None
        The negative and the positive class; None for an indicator matrix.
    columns : list or None
        Names of the labels, where a table has any.
    """

    scores: Array
    positive: Array
    weights: Array | None
    classes: Array | None
    columns: list[Any] | None


def read_validation(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, ops: ModuleType) -> Validation:
    """Check the three arguments and bring them to the backend's side."""
    scores = score_array(y_score, "y_score")
    classes: Array | None = None
    if scores.ndim == 1:
        positive, classes = _binary_truth(y_true, pos_label)
        check_consistent_length(len(positive), len(scores))
        positive, scores = positive[:, None], scores[:, None]
    else:
        positive = _indicator(y_true, scores.shape[1])
        check_columns(column_names(y_true), column_names(y_score), "y_true")
        check_consistent_length(len(positive), len(scores))
    if not len(scores):
        msg = f"Found array with 0 sample(s) (shape={scores.shape}) while a minimum of 1 is required."
        raise ValueError(msg)
    weights = _weights(sample_weight, len(scores), ops)
    columns = (column_names(y_true) or column_names(y_score)) if classes is None else None
    return Validation(ops.asarray(scores), ops.asarray(positive), weights, classes, columns)


def score_array(y_score: Any, name: str) -> Array:
    """Return scores as float32 or float64, one- or two-dimensional (a single column as a vector): finite, read only."""
    if is_sparse(y_score):
        msg = f"Sparse data was passed for {name}, but every label has a score: use '.toarray()' to convert it."
        raise TypeError(msg)
    array, bfloat16 = feature_array(y_score, name)
    array = bfloat16_to_float32(array) if bfloat16 else numeric(array, name)
    if array.ndim not in {1, 2} or (array.ndim == 2 and not array.shape[1]):
        msg = f"{name} must have shape (n_samples,) or (n_samples, n_labels), got {array.shape}."
        raise ValueError(msg)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and bool(((array > EXACT) | (array < -EXACT)).any()):
        msg = f"{name} holds integers beyond 2**53, which float64 does not tell apart: give their ranks instead."
        raise ValueError(msg)
    native = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64
    array = array.astype(native, copy=False)
    if not bool(array_module(array).isfinite(array).all()):
        table = array.reshape(len(array), -1)
        raise_not_finite(lambda rows: table[rows], table.shape, name)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _binary_truth(y_true: Any, pos_label: Any) -> tuple[Array, Array]:
    """Return which samples are positive, and the negative and the positive class."""
    if is_sparse(y_true):
        y_true = y_true.toarray()
    labels = encode_labels(y_true, "y_true")
    found = labels.classes.tolist()
    if len(found) > 2:
        msg = (
            f"y_true must hold two classes where y_score is a vector, got {len(found)}. Of several classes, give an "
            "indicator matrix and a column of scores for each."
        )
        raise ValueError(msg)
    if pos_label not in found and len(found) == 2:
        msg = f"pos_label={pos_label} is not a valid label. It should be one of {labels.classes}"
        raise ValueError(msg)
    positive = labels.codes == (found.index(pos_label) if pos_label in found else -1)
    return positive, _pair_of_classes(found, pos_label, labels.classes.dtype)


def _pair_of_classes(found: list[Any], pos_label: Any, dtype: np.dtype[Any]) -> Array:
    others = [value for value in found if value != pos_label]
    if not others:
        if found and isinstance(pos_label, str):
            msg = (
                f"y_true holds no class but {pos_label!r}: which the other is cannot be known, nor a threshold chosen."
            )
            raise ValueError(msg)
        others = [0 if pos_label else 1]
    pair = [others[0], pos_label]
    return as_objects(pair) if dtype.kind == "O" else np.array(pair, dtype=None if dtype.kind == "U" else dtype)


def _indicator(y_true: Any, n_labels: int) -> Array:
    """Return a table of 0 and 1 as booleans."""
    cells = y_true.toarray() if is_sparse(y_true) else member_array(y_true, "y_true")
    if cells.ndim != 2 or cells.shape[1] != n_labels:
        hint = " Of two classes, give the scores of the positive one: y_score[:, 1]." if n_labels == 2 else ""
        msg = (
            f"y_score has {n_labels} columns: y_true must be a table of 0 and 1 with as many, got {cells.shape}.{hint}"
        )
        raise ValueError(msg)
    ones: Array = cells == 1
    other = ~(ones | (cells == 0))
    if bool(other.any()):
        msg = (
            f"y_true must hold 0 or 1 in each cell, got {cells[other][0]}. A cell that nobody has labelled is neither: "
            "leave its sample out."
        )
        raise ValueError(msg)
    return ones


def _weights(sample_weight: Any, n_samples: int, ops: ModuleType) -> Array | None:
    if sample_weight is None:
        return None
    weights = read_weights(sample_weight, n_samples, ops).astype(np.float64, copy=False)
    check_consistent_length(n_samples, n_samples, len(weights))
    low, high = float(weights.min()), float(weights.max())
    if low < 0 or high == np.inf:
        what = f"infinity or a value too large for {weights.dtype!r}" if high == np.inf else "negative numbers"
        msg = f"Input sample_weight contains {what}: running counts would not be counts."
        raise ValueError(msg)
    # By a power of two, which keeps every digit: their sums neither overflow nor vanish.
    exponent = int(np.frexp(high)[1])
    scaled: Array = array_module(weights).ldexp(weights, -exponent)
    return scaled


def check_columns(expected: list[Any] | None, found: list[Any] | None, name: str) -> None:
    """Refuse two tables whose columns differ in name or order: labels are never matched by position then."""
    if expected is not None and found is not None and expected != found:
        msg = (
            f"The columns of y_score must have the names of those of {name}, in the same order: {expected}. "
            f"Got {found}."
        )
        raise ValueError(msg)
