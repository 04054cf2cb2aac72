"""One side of the targets as it was given, and scikit-learn's word for what it is; and the samples' weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from numbers import Rational
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_places import is_cudf, is_sparse_on_device
from gpumetrics.classification.indicators import has_two_values, sparse_rows
from gpumetrics.classification.vectors import as_integers
from gpumetrics.feature_arrays import feature_array
from gpumetrics.label_arrays import COLUMN_LIBRARIES, distinct_objects, label_array
from gpumetrics.validation import encode_labels

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = [
    "INDICATOR",
    "VECTOR",
    "Side",
    "check_columns",
    "check_total_weight",
    "column_names",
    "is_sparse",
    "n_samples_of",
    "read_side",
    "read_weights",
    "total_weight",
]

VECTOR, INDICATOR, UNKNOWN, CONTINUOUS = "vector", "multilabel-indicator", "unknown", "continuous"
OUTPUTS = "-multioutput"
LEGACY = (
    "You appear to be using a legacy multi-label data representation. Sequence of sequences are no longer supported; "
    "use a binary array or sparse matrix instead - the MultiLabelBinarizer transformer can convert to this format."
)
TAGS = "Sets of tags become 0/1 matrices by encode_tags; evaluate_tags takes the sets as they are."
LARGEST_TOTAL = 1e270  # of weights: products of their sums with the factors of a score stay finite
ONLY_MULTILABEL = "Sparse input is only supported when targets are of multilabel type"


@dataclass(frozen=True)
class Side:
    """Targets of one side.

    Attributes
    ----------
    values : ndarray, or sparse matrix
        A vector, whose whole floats and booleans are integers; or a matrix as it was given.
    kind : str
        scikit-learn's word, but for binary and multiclass vectors: both are of the kind "vector", since which of the
        two a side is, is only asked in error messages.
    dtype : dtype
        In which a vector came.
    """

    values: Any
    kind: str
    dtype: Any = None

    @property
    def word(self) -> str:
        """scikit-learn's word."""
        if self.kind != VECTOR:
            return self.kind
        return "binary" if encode_labels(self.values, "y").n_classes <= 2 else "multiclass"


def is_sparse(values: Any) -> bool:
    """Whether it is a sparse matrix of SciPy's or CuPy's."""
    return is_sparse_on_device(values) or type(values).__module__.startswith("scipy.sparse")


def n_samples_of(values: Any) -> int:
    """Number of rows, in scikit-learn's way of asking."""
    shape = getattr(values, "shape", None)
    if shape is None:
        return len(values if hasattr(values, "__len__") else np.asarray(values))
    if not len(shape):
        msg = (
            f"Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `{values!r}` instead."
        )
        raise TypeError(msg)
    return int(shape[0])


def column_names(values: Any) -> list[Any] | None:
    """Return the names of the columns of a table of more than one; None for everything else."""
    columns = _columns(values)
    return columns if len(columns) > 1 else None


def check_columns(expected: list[Any] | None, found: list[Any] | None, names: tuple[str, str]) -> None:
    """Refuse two tables whose columns differ in name or order: columns are compared by position.

    Parameters
    ----------
    expected, found : list or None
        As `column_names` gives them.
    names : tuple of two str
        What the tables are called in the message.
    """
    if not expected or not found or expected == found:
        return
    pairs = enumerate(zip_longest(expected, found))
    at, (ours, theirs) = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
    msg = (
        f"The columns of {names[1]} must have the names of those of {names[0]}, in the same order, since they are "
        f"compared by position: column {at} is {theirs!r}, and not {ours!r}. Arrays without names, as to_numpy() gives "
        "them, are taken as they stand."
    )
    raise ValueError(msg)


def _columns(values: Any) -> list[Any]:
    """The names of a table's columns; none for everything else."""
    if type(values).__module__.partition(".")[0] not in COLUMN_LIBRARIES and not is_cudf(values):
        return []
    columns = getattr(values, "column_names", getattr(values, "columns", None))
    return [] if columns is None else list(columns)


def read_side(values: Any, name: str) -> Side:
    """Read the targets of one side and find out what they are.

    Raises
    ------
    ValueError
        If a label is missing or infinite, or labels stand in sequences of sequences.
    TypeError
        If labels are bytes, or a sparse matrix has one column.
    """
    if is_sparse(values):
        return _sparse_side(values, name)
    columns = len(_columns(values))
    if columns > 1:
        array: Array | None = label_array(feature_array(values, name)[0], name)
    else:
        array = _read_array(_only_column(values) if columns else values, name)
    if array is None:
        return Side(values, UNKNOWN)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return _vector_side(array, name) if array.ndim == 1 else Side(array, _kind_of_matrix(array))


def _only_column(table: Any) -> Any:
    """Return the column of a table that has one, whatever its name is."""
    import narwhals as nw

    return next(nw.from_native(table, eager_only=True).iter_columns()).to_native()


def _read_array(values: Any, name: str) -> Array | None:
    """Read what is no table; None for an array of more than two dimensions."""
    if isinstance(values, AbstractSet | Mapping):
        msg = f"Expected array-like (array or non-string sequence), got {values!r}"
        raise ValueError(msg)  # noqa: TRY004  (scikit-learn's type)
    try:
        array = label_array(values, name)
    except ValueError as error:
        if str(error).startswith("Found array with dim"):
            return None
        ragged = isinstance(values, list | tuple) and len(values) > 0 and _is_nested(values[0])
        if ragged and "contains" not in str(error):
            raise ValueError(f"{LEGACY} {TAGS}") from None
        raise
    if array.dtype.kind == "O" and any(map(_is_nested, array.flat)):
        raise ValueError(f"{LEGACY} {TAGS}")
    return array


def _is_nested(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _vector_side(array: Array, name: str) -> Side:
    if array.dtype.kind == "O":
        return Side(array, _kind_of_objects(array.tolist(), name), array.dtype)
    if array.dtype.kind not in "biuf":
        return Side(array, VECTOR, array.dtype)
    integers = as_integers(array)
    return Side(array, CONTINUOUS) if integers is None else Side(integers, VECTOR, array.dtype)


def _kind_of_objects(values: list[Any], name: str) -> str:
    if any(kind.__hash__ is None or issubclass(kind, AbstractSet) for kind in set(map(type, values))):
        return UNKNOWN
    return CONTINUOUS if any(map(_is_continuous, distinct_objects(values, name))) else VECTOR


def _is_continuous(value: Any) -> bool:
    """Whether it is a number that is not whole; or, as in arrays of floats, a float that is no int64."""
    if isinstance(value, Rational):
        return value.denominator != 1
    if isinstance(value, Decimal):
        return value != value.to_integral_value()
    if not isinstance(value, float | np.floating):
        return False
    return float(value) != int(value) or abs(float(value)) >= 2**63


def _kind_of_matrix(array: Array) -> str:
    if not min(array.shape):
        return UNKNOWN
    kind = array.dtype.kind
    if kind == "O":
        return f"multiclass{OUTPUTS}" if isinstance(array[0, 0], str) else UNKNOWN
    if kind in "biuf" and has_two_values(array):
        return INDICATOR
    return f"{CONTINUOUS}{OUTPUTS}" if kind == "f" and as_integers(array) is None else f"multiclass{OUTPUTS}"


def _sparse_side(matrix: Any, name: str) -> Side:
    if len(matrix.shape) != 2 or matrix.shape[1] == 1:
        raise TypeError(ONLY_MULTILABEL)
    rows, values = sparse_rows(matrix)
    label_array(values, name)  # raises where a value is not finite
    if not bool((values == values[:1]).all()):
        whole = values.dtype.kind != "f" or as_integers(values) is not None
        return Side(rows, f"{'multiclass' if whole else CONTINUOUS}{OUTPUTS}")
    if rows.value is not None and rows.value != int(rows.value):
        return Side(rows, f"{CONTINUOUS}{OUTPUTS}")
    return Side(rows, INDICATOR if min(matrix.shape) else UNKNOWN)


def read_weights(sample_weight: Any, n_samples: int, ops: ModuleType, *, part: bool = False) -> Array:
    """Return one weight for each sample: int64 for integers and booleans, else float64; in the library of `ops`.

    Of a `part` of the samples all weights may be 0.

    Raises
    ------
    ValueError
        If they are not finite, not one for each sample, or all 0; or if their sum is near the end of float64.
    TypeError
        If they are no numbers.
    """
    weights = None if _columns(sample_weight) else _finite_weights(sample_weight)
    dimensions = 2 if weights is None else weights.ndim
    if weights is None or dimensions != 1:
        msg = (
            f"Sample weights must be 1D array or scalar, got {dimensions}D array. Expected either a scalar value "
            f"or a 1D array of length {n_samples}."
        )
        raise ValueError(msg)
    placed: Array = ops.asarray(_as_numbers(weights))
    if not part:
        check_total_weight(total_weight(placed))
    return placed


def total_weight(weights: Array) -> float:
    """Return the sum of the sizes of weights, which may be inf."""
    with np.errstate(over="ignore"):
        return float(abs(weights.astype(np.float64)).sum())


def check_total_weight(total: float) -> None:
    """Raise if all weights are 0, or their sum is near the end of float64."""
    if not total:
        msg = "Sample weights must contain at least one non-zero number."
        raise ValueError(msg)
    if total >= LARGEST_TOTAL:
        msg = f"sample_weight adds up to {total:.3g}: divide the weights by a constant, so that it is below 1e270."
        raise ValueError(msg)


def _finite_weights(sample_weight: Any) -> Array:
    try:
        return label_array(sample_weight, "sample_weight")
    except ValueError as error:
        message, missing, _ = str(error).partition(" A label is missing")
        raise ValueError(message if missing else str(error)) from None


def _as_numbers(weights: Array) -> Array:
    kind = weights.dtype.kind
    if kind in "bi" or (kind == "u" and int(weights.max()) < 2**63):
        return weights.astype(np.int64, copy=False)
    texts = kind == "O" and any(isinstance(weight, str | None) for weight in weights)
    if kind in "ufO" and not texts:
        try:
            numbers = weights.astype(np.float64, copy=False)
        except (TypeError, ValueError, OverflowError) as error:
            msg = f"sample_weight must hold one finite number for each sample: {error}"
            raise TypeError(msg) from None
        return _finite_weights(numbers) if kind == "O" else numbers
    msg = f"Cannot cast array data from {weights.dtype!r} to dtype('float64') according to the rule 'safe'"
    raise TypeError(msg)
