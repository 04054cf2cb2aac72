"""The doors of `best_threshold`: scores, the truth that they are held against, and weights."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpumetrics.backends import choose
from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import bfloat16_to_float32
from gpumetrics.classification.members import member_array
from gpumetrics.classification.sides import TAGS, check_columns, column_names, is_sparse, read_weights
from gpumetrics.feature_arrays import feature_array, numeric, raise_not_finite
from gpumetrics.label_arrays import as_objects, class_values
from gpumetrics.validation import check_consistent_length, encode_labels

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["Validation", "read_validation", "score_array"]

EXACT = 2**53  # integers up to here are float64's
SECONDS_PER_CELL = 2e-7  # on a CPU, for the choice of the backend


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


def read_validation(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> Validation:
    """Check the arguments and bring them to the side of the backend that fits them."""
    scores = score_array(y_score, "y_score")
    ops = choose(y_true, y_score, sample_weight, seconds=lambda: scores.size * SECONDS_PER_CELL).ops
    if not len(scores):
        msg = f"Found array with 0 sample(s) (shape={scores.shape}) while a minimum of 1 is required."
        raise ValueError(msg)
    classes: Array | None = None
    if scores.ndim == 1:
        positive, classes = _binary_truth(y_true, pos_label, len(scores))
        positive, scores = positive[:, None], scores[:, None]
    else:
        positive = _indicator(y_true, scores.shape[1])
        check_columns(column_names(y_true), column_names(y_score), ("y_true", "y_score"))
        check_consistent_length(len(positive), len(scores))
    weights = _weights(sample_weight, len(scores), ops)
    columns = (column_names(y_true) or column_names(y_score) or None) if classes is None else None
    return Validation(ops.asarray(scores), ops.asarray(positive), weights, classes, columns)


def score_array(y_score: Any, name: str) -> Array:
    """Return scores as float32 or float64, one- or two-dimensional (a single column as a vector): finite, read only."""
    if is_sparse(y_score):
        msg = f"Sparse data was passed for {name}, but every label has a score: use '.toarray()' to convert it."
        raise TypeError(msg)
    if y_score is None or isinstance(y_score, str | bytes):
        _refuse_shape(name, repr(y_score))
    array, bfloat16 = feature_array(y_score, name)
    if array.dtype.kind in "mM":
        msg = f"{name} must hold numbers, got dates or time spans of dtype {array.dtype}."
        raise ValueError(msg)
    array = bfloat16_to_float32(array) if bfloat16 else numeric(array, name)
    if array.ndim not in {1, 2} or (array.ndim == 2 and not array.shape[1]):
        _refuse_shape(name, str(array.shape))
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and bool(((array > EXACT) | (array < -EXACT)).any()):
        msg = f"{name} holds integers beyond 2**53, which float64 does not tell apart: give their ranks instead."
        raise ValueError(msg)
    native = np.float32 if array.dtype.kind == "f" and array.dtype.itemsize <= 4 else np.float64
    array = array.astype(native, copy=False)
    if not bool(array_module(array).isfinite(array).all()):
        table = array.reshape(len(array), -1)
        raise_not_finite(lambda rows: table[rows], table.shape, name)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _refuse_shape(name: str, got: str) -> NoReturn:
    msg = f"{name} must have shape (n_samples,) or (n_samples, n_labels), got {got}."
    raise ValueError(msg)


def _binary_truth(y_true: Any, pos_label: Any, n_samples: int) -> tuple[Array, Array]:
    """Return which samples are positive, and the negative and the positive class."""
    if is_sparse(y_true):
        y_true = y_true.toarray()
    labels = _one_class_each(y_true)
    check_consistent_length(len(labels.codes), n_samples)
    found = class_values(labels.classes)
    if len(found) > 2:
        msg = (
            f"y_true must hold two classes where y_score is a vector, got {len(found)}. Of several classes, give an "
            "indicator matrix and a column of scores for each."
        )
        raise ValueError(msg)
    known = not getattr(pos_label, "ndim", 0) and pos_label in found
    if not known and (len(found) == 2 or not _of_one_kind(found[0], pos_label)):
        msg = f"pos_label={pos_label} is not a valid label. It should be one of {labels.classes}"
        raise ValueError(msg)
    positive = labels.codes == (found.index(pos_label) if known else -1)
    return positive, _pair_of_classes(found, pos_label, labels.classes.dtype)


def _one_class_each(y_true: Any) -> Labels:
    """Code a vector of classes, or say what to give where there are several in a row."""
    try:
        return encode_labels(y_true, "y_true")
    except ValueError as error:
        scalar = not hasattr(y_true, "__iter__") or getattr(y_true, "ndim", None) == 0
        first = None if scalar else next(iter(y_true), None)
        if not hasattr(first, "__len__") or isinstance(first, str | bytes):
            raise
        why = str(error) if "1d array" in str(error) else "y_true must hold one class in each row, not several."
        msg = f"{why} Where there are several labels, y_score has a column for each. {TAGS}"
        raise ValueError(msg) from None


def _of_one_kind(a: Any, b: Any) -> bool:
    """Whether two values can be classes of one vector."""
    if isinstance(a, Real | np.bool_):
        return isinstance(b, Real | np.bool_) and abs(float(b)) < 2.0**63
    return isinstance(b, type(a))


def _pair_of_classes(found: list[Any], pos_label: Any, dtype: np.dtype[Any]) -> Array:
    others = [value for value in found if value != pos_label]
    if not others:
        if not isinstance(pos_label, Real | np.bool_):
            msg = (
                f"y_true holds no class but {pos_label!r}: which the other is cannot be known, nor a threshold chosen."
            )
            raise ValueError(msg)
        others = [0 if pos_label else 1]
    pair = [others[0], pos_label]
    if dtype.kind == "O":
        return as_objects(pair)
    values = np.array(pair, dtype=dtype if dtype.kind in "mM" else None)
    if dtype.kind == "U":
        return values
    with np.errstate(over="ignore"):
        alike = values.astype(dtype)
    return alike if bool((alike == values).all()) else values  # a class that is not there need not fit the dtype


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
