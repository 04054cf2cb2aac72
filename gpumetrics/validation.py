"""The labels door: labels of any kind become codes 0..k-1, or a clear error."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, operations_on
from gpumetrics.backends.array_modules import array_module, beside
from gpumetrics.exceptions import warn, warn_conversion
from gpumetrics.label_arrays import (
    as_objects,
    distinct_objects,
    is_missing,
    is_number,
    label_array,
    plain,
    unwrap,
)
from gpumetrics.types import Array  # noqa: TC001

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "Labels",
    "as_vector",
    "check_consistent_length",
    "check_non_negative",
    "check_one_dimensional",
    "code_pair",
    "count_labels",
    "drop_empty",
    "drop_rows",
    "encode_labels",
    "label_pair",
    "noise_mask",
    "warn_of_fractions",
]


@dataclass(frozen=True)
class Labels:
    """Labels as codes, with the values they stand for.

    Parameters
    ----------
    codes : ndarray of int64, shape (n_samples,)
        Read only: it may be the caller's memory. On a GPU if the labels are, or the work will be.
    classes : ndarray of shape (n_classes,)
        The distinct values, sorted, of the caller's kind; like the counts, on the host.
    counts : ndarray of int64, shape (n_classes,)
        Rows of each class; all positive.
    """

    codes: Array
    classes: Array
    counts: Array

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        """Number of distinct labels."""
        return len(self.classes)


def encode_labels(labels: Any, name: str = "labels", *, warn_column: bool = False) -> Labels:
    """Code the labels of one labeling.

    Parameters
    ----------
    labels : array-like of shape (n_samples,) or (n_samples, 1)
        Integers, booleans, floats, strings or other hashable values, from any array or column library.
    name : str
        The argument's name in error messages.
    warn_column : bool
        Whether a single column in place of a vector gives a DataConversionWarning, as in scikit-learn's
        ``column_or_1d``.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        If a label is missing or infinite, or there is more than one label per row.
    TypeError
        If labels are bytes, or a sparse matrix.
    """
    ops = choose(labels).ops
    array = as_vector(label_array(labels, name), name, warn_column=warn_column)
    return count_labels(*_code_array(array, name, ops))


def as_vector(array: Any, name: str, *, warn_column: bool) -> Any:
    """Return an array of labels, or one of Dask's, as a vector; ValueError if it has several columns."""
    if array.ndim == 2 and array.shape[1] == 1:
        if warn_column:
            warn_conversion(
                f"A column-vector {name} was passed when a 1d array was expected. Please change the shape of "
                f"{name} to (n_samples, ), for example using ravel().",
            )
        array = array[:, 0]
    if array.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {array.shape} instead."
        raise ValueError(msg)
    return array


def count_labels(codes: Array, classes: Array) -> Labels:
    """Count the rows of each class, and drop the classes that have none."""
    counts = operations_on(codes).label_sums(codes, len(classes))
    return Labels(*drop_empty(codes, classes, counts))


def drop_empty(codes: Array, classes: Array, counts: Array) -> tuple[Array, Array, Array]:
    """Return codes, classes and counts without the classes whose count is 0."""
    present = counts > 0
    last = int(np.flatnonzero(present)[-1]) + 1 if present.any() else 0
    if present[:last].all():  # what comes after all that occur changes no code
        return codes, classes[:last], counts[:last]
    rank = np.cumsum(present) - 1
    return beside(rank, codes).take(codes), classes[present], counts[present]


def label_pair(labels_true: Any, labels_pred: Any) -> tuple[Array, Array]:
    """Two labelings of the same rows as arrays, with the checks of scikit-learn's agreement scores, in its order.

    Raises
    ------
    ValueError
        As in `encode_labels`; if a labeling is not one-dimensional; if the lengths differ.
    """
    named = {"labels_true": labels_true, "labels_pred": labels_pred}
    arrays = {name: label_array(labels, name) for name, labels in named.items()}
    check_one_dimensional(arrays)
    check_consistent_length(*map(len, arrays.values()))
    return arrays["labels_true"], arrays["labels_pred"]


def code_pair(true: Array, pred: Array, ops: ModuleType) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Code what `label_pair` returned: (codes, classes) of each, uncounted; some classes may have no rows."""
    return _code_array(true, "labels_true", ops), _code_array(pred, "labels_pred", ops)


def check_one_dimensional(arrays: dict[str, Any]) -> None:
    """Raise scikit-learn's error unless each labeling is a vector."""
    for name, array in arrays.items():
        if array.ndim != 1:
            msg = f"{name} must be 1D: shape is {array.shape}"
            raise ValueError(msg)


def warn_of_fractions(true: Array, pred: Array) -> None:
    """Warn as scikit-learn's agreement scores do, if a class of either labeling is a float with a fractional part."""
    if _has_fractions(true) or _has_fractions(pred):
        kinds = [_kind_of_target(classes) for classes in (true, pred)]
        warn(
            f"Clustering metrics expects discrete values but received {kinds[0]} values for label, and "
            f"{kinds[1]} values for target"
        )


def check_consistent_length(*lengths: int) -> None:
    """Raise scikit-learn's error if the lengths differ."""
    if len(set(lengths)) > 1:
        msg = f"Found input variables with inconsistent numbers of samples: {[int(n) for n in lengths]}"
        raise ValueError(msg)


def check_non_negative(value: Any, what: str, *, infinite: bool) -> None:
    """Raise scikit-learn's error unless the value is a number of at least 0; `infinite` says whether inf will do."""
    number = float(value) if isinstance(value, Real) else math.nan
    if not number >= 0 or (number == math.inf and not infinite):
        interval = "[0.0, inf]" if infinite else "[0.0, inf) or None"
        msg = f"The {what} must be a float in the range {interval}. Got {value!r} instead."
        raise ValueError(msg)


def noise_mask(labels: Labels, noise_label: Any) -> Array | None:
    """Mark the rows whose label is `noise_label`; None if it is None or no row has it.

    The label is compared by value: -1 equals -1.0, but never "-1"; True and False are no numbers.

    Raises
    ------
    ValueError
        If `noise_label` is missing (NaN, NA), or a list or an array, or a tuple where no label can be one.
    """
    if noise_label is None:
        return None
    label = unwrap(noise_label)
    objects = labels.classes.dtype.kind == "O"
    if getattr(label, "ndim", 0) or not _is_hashable(label) or (isinstance(label, tuple) and not objects):
        msg = f"noise_label must be one label, or None for no noise, got {noise_label!r}"
        raise ValueError(msg)
    if is_missing(label):
        msg = f"noise_label must be a label, or None for no noise: a missing value such as {label!r} is none"
        raise ValueError(msg)
    at = _find_class(labels.classes, label)
    return None if at is None else labels.codes == at


def drop_rows(labels: Labels, mask: Array) -> Labels:
    """Return the labels without the rows that the mask marks, coded anew."""
    return count_labels(labels.codes[~mask], labels.classes)


def _code_array(array: Array, name: str, ops: ModuleType) -> tuple[Array, Array]:
    """Code the labels where they are to be used; text and objects are coded on the host first."""
    dtype = array.dtype
    kind = dtype.kind
    if kind == "O":
        codes, classes = _code_objects(array.tolist(), name)
        return ops.asarray(codes), classes
    if kind == "f":
        return _code_floats(array, ops)
    values = array
    if kind == "b":
        values = array_module(array).minimum(array.view(np.uint8), 1)  # any byte but 0 is True
    elif kind in "mM":
        values = array.view(np.int64)
    elif dtype.itemsize == 0:  # a string array of width 0 has no words to hash
        values = array.astype("U1")
    codes, classes = ops.encode(values)
    return codes, classes if kind in "iuU" else classes.view(dtype)


def _code_floats(array: Array, ops: ModuleType) -> tuple[Array, Array]:
    if array.dtype.itemsize > 8:  # float64 may not tell its values apart
        classes, codes = np.unique(array, return_inverse=True)
        return ops.asarray(codes.astype(np.int64, copy=False)), classes
    values: Array = array.astype(np.float64, copy=False)
    if len(values) and values.min() >= -(2.0**63) and values.max() < 2.0**63:
        integers = values.astype(np.int64)
        values = integers if (integers == values).all() else values
    codes, classes = ops.encode(values)
    return codes, classes.astype(array.dtype, copy=False)


def _code_objects(values: list[Any], name: str) -> tuple[Array, Array]:
    distinct = distinct_objects(values, name)
    rank = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(rank.__getitem__, values), dtype=np.int64, count=len(values))
    return codes, as_objects(distinct)


def _has_fractions(classes: Array) -> bool:
    if classes.dtype.kind == "O":
        return any(isinstance(v, float | np.floating) and v != np.floor(v) for v in classes)
    return classes.dtype.kind == "f" and bool(np.any(classes != np.floor(classes)))


def _kind_of_target(classes: Array) -> str:
    """Return scikit-learn's word for what labels with these classes look like."""
    if _has_fractions(classes):
        return "continuous"
    if classes.dtype.kind == "O" and len(classes) and not isinstance(classes[0], str):
        return "unknown"
    return "binary" if len(classes) <= 2 else "multiclass"


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _find_class(classes: Array, label: Any) -> int | None:
    kind = classes.dtype.kind
    label = plain(label)
    if kind in "iuf" if is_number(label) else kind == "U" and isinstance(label, str):
        # Bisection by Python's comparison, which is exact between integers and floats of any size.
        at = bisect.bisect_left(classes, label, key=lambda value: value.item())
        return at if at < len(classes) and classes[at].item() == label else None
    if kind not in "bmMO":
        return None
    return next((at for at, value in enumerate(classes) if _same(plain(value), label)), None)


def _same(value: Any, label: Any) -> bool:
    if is_number(value) != is_number(label):  # NumPy finds a time span of 1 and the number 1 equal
        return False
    equal = value == label
    return isinstance(equal, bool | np.bool_) and bool(equal)
