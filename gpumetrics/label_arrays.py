"""Labels from any library become one array of NumPy's, or of CuPy's on a GPU, without changing a value."""

from __future__ import annotations

import math
import sys
from array import array as number_array
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import bfloat16_to_float32, device_array, host_array, host_column, is_device_array
from gpumetrics.backends.lazy_arrays import refuse_dask
from gpumetrics.types import Array  # noqa: TC001

COLUMN_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "cudf", "modin", "narwhals"})
EXACT_IN_FLOAT64 = 2**53
MERGING_KINDS = frozenset("USfm")  # of dtypes that NumPy gives to a list by changing some of its values
NEVER_MISSING = frozenset({str, int, bool})


def label_array(labels: Any, name: str) -> Array:
    """Return labels as an array of one or two dimensions, in native byte order: CuPy's where they lie on a GPU.

    Values keep their kind: a list of numbers and strings becomes an array of objects, not of strings, and
    integers that float64 cannot hold stay integers. The array may share the caller's memory: read only.

    Raises
    ------
    ValueError
        If a label is missing (NA, None, NaN, NaT) or infinite, or the labels are no array.
    TypeError
        If labels are bytes, or a sparse matrix.
    """
    refuse_dask(labels, name)
    array = _to_array(labels, name)
    if array.ndim > 2:
        msg = f"Found array with dim {array.ndim}, while dim <= 2 is required ({name} has shape {array.shape})."
        raise ValueError(msg)
    kind = array.dtype.kind
    if kind == "S":
        _refuse_bytes()
    if kind in "cV":
        msg = f"{name} must hold one label per row, got records of dtype {array.dtype}."
        raise ValueError(f"Complex data not supported\n{array}\n" if kind == "c" else msg)
    if kind == "f":
        _check_finite(array, name)
    elif kind in "mM" and np.isnat(array).any():
        raise_missing(name, int(np.isnat(array).sum()), array.size)
    elif kind == "T":
        array = array.astype(object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def raise_missing(name: str, missing: int, total: int) -> None:
    """Raise the error for missing labels, with scikit-learn's words first."""
    msg = (
        f"Input {name} contains NaN. A label is missing (NA, None, NaN or NaT) in {missing} of {total} rows; "
        "drop these rows or give them a label of their own."
    )
    raise ValueError(msg)


def _to_array(labels: Any, name: str) -> Array:
    if is_device_array(labels):
        column = host_column(labels)  # text is coded on the host
        return device_array(labels, name, table=False)[0] if column is None else _to_array(column, name)
    foreign = host_array(labels, name)
    if foreign is not None:
        return bfloat16_to_float32(foreign[0]) if foreign[1] else foreign[0]
    if isinstance(labels, np.ndarray):
        if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
            raise_missing(name, int(np.sum(labels.mask)), labels.size)
        return np.asarray(labels)
    library = type(labels).__module__.partition(".")[0]
    if library == "scipy" and hasattr(labels, "tocsr"):
        msg = (
            f"Sparse data was passed for {name}, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
        raise TypeError(msg)
    sequence = hasattr(labels, "__len__") and hasattr(labels, "__getitem__")
    scalar = isinstance(labels, str | bytes | dict | np.generic)
    if scalar or not (sequence or hasattr(labels, "__array__")):
        msg = f"The {name!r} parameter must be an array-like of labels. Got {labels!r} instead."
        raise ValueError(msg)
    if library in COLUMN_LIBRARIES:
        return _from_columns(labels, library, name)
    if hasattr(labels, "__array__") or isinstance(labels, memoryview | number_array):
        return np.asarray(labels)
    return _from_sequence(labels if isinstance(labels, list) else list(labels), name)


def _from_sequence(values: list[Any], name: str) -> Array:
    try:
        array = np.asarray(values)
    except ValueError as error:
        msg = f"{name} must hold one label per row: {error}"
        raise ValueError(msg) from None
    column = array.ndim == 2 and array.shape[1] == 1
    if column and array.dtype.kind in MERGING_KINDS:
        return _from_sequence([next(iter(row)) for row in values], name)[:, np.newaxis]
    if array.ndim != 1 or array.dtype.kind not in MERGING_KINDS:
        return array
    types = set(map(type, values))
    if any(hasattr(t, "item") and not issubclass(t, np.generic) for t in types):
        values = [unwrap(value) for value in values]
        types = set(map(type, values))
    return as_objects(values) if _conversion_merges(values, types, array) else array


def unwrap(value: Any) -> Any:
    """Return the scalar that an array without dimensions holds; any other value as it is."""
    if getattr(value, "ndim", None) != 0 or isinstance(value, np.generic):
        return value
    return value[()] if isinstance(value, np.ndarray) else value.item()


def as_objects(values: list[Any]) -> Array:
    """Return a vector of these objects, which may be tuples."""
    return np.fromiter(values, dtype=object, count=len(values))


def _conversion_merges(values: list[Any], types: set[type], array: Array) -> bool:
    """Whether NumPy changed values to give them one dtype: 1 to "1", 2**53 + 1 to 2.0**53, or cut a final NUL."""
    kind = array.dtype.kind
    if kind == "f":
        integers = any(issubclass(t, int | np.integer) for t in types)
        return integers and bool(np.nanmax(np.abs(array), initial=0.0) >= EXACT_IN_FLOAT64)
    if kind == "m":
        return any(not issubclass(t, np.timedelta64) for t in types)
    text = str if kind == "U" else bytes
    return not all(issubclass(t, text) for t in types) or (kind == "U" and "\0" in "".join(values))


def _from_columns(labels: Any, library: str, name: str) -> Array:
    """Convert a column, or a table, of a dataframe library."""
    import narwhals as nw

    try:
        native = _to_narwhals(labels, library)
        table = not isinstance(native, nw.Series)
        columns = list(native.iter_columns()) if table else [native]  # by position: a name may be a number
        missing = sum(column.null_count() for column in columns)
        arrays = [] if missing else [_column_to_numpy(column) for column in columns]
    except Exception as error:
        reason = str(error).partition("\n")[0]
        msg = f"{name} cannot be read as labels ({reason}); convert it to a list or a NumPy array of labels first."
        raise ValueError(msg) from error
    if missing:
        raise_missing(name, int(missing), len(native) * len(columns))
    if not table:
        return arrays[0]
    # A table of several columns has the wrong shape, whatever their values: the caller refuses it.
    return arrays[0][:, np.newaxis] if len(arrays) == 1 else np.empty((len(native), len(arrays)), dtype=object)


def _to_narwhals(labels: Any, library: str) -> Any:
    import narwhals as nw

    if library == "pandas" and not hasattr(labels, "iloc"):  # Index, Categorical and other bare arrays
        labels = sys.modules["pandas"].Series(labels)
    elif library == "pyarrow" and not hasattr(labels, "chunk") and not hasattr(labels, "column_names"):
        labels = sys.modules["pyarrow"].chunked_array([labels])
    return nw.from_native(labels, eager_only=True, allow_series=True)


def _column_to_numpy(column: Any) -> Array:
    import narwhals as nw

    array: Array = column.to_numpy()
    if column.dtype == nw.Time and len(set(array.tolist())) < column.n_unique():
        msg = "times of day finer than a microsecond"
        raise ValueError(msg)
    return array


def _check_finite(array: Array, name: str) -> None:
    xp = array_module(array)
    if xp.isfinite(array).all():
        return
    nan = int(xp.isnan(array).sum())
    if nan:
        raise_missing(name, nan, array.size)
    msg = f"Input {name} contains infinity or a value too large for {array.dtype!r}."
    raise ValueError(msg)


def distinct_objects(values: list[Any], name: str) -> list[Any]:
    """Return the distinct values in sorted order: numbers first if there are several kinds.

    Values are told apart by Python's equality, which never confuses 1 and "1", nor 2**53 + 1 and 2.0**53.
    """
    types = set(map(type, values))
    # Before they are hashed: values that differ from themselves may all have the same hash.
    if not types <= NEVER_MISSING:
        missing = sum(map(is_missing, values))
        if missing:
            raise_missing(name, missing, len(values))
    if any(issubclass(t, bytes) for t in types):
        _refuse_bytes()
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError:
        msg = f"{name} must hold one hashable label per row, such as a number or a string."
        raise ValueError(msg) from None
    if any(isinstance(v, float | np.floating | Decimal) and abs(v) == math.inf for v in distinct):
        msg = f"Input {name} contains infinity or a value too large for dtype('float64')."
        raise ValueError(msg)
    try:
        return sorted(distinct, key=plain)
    except TypeError:
        numbers = [v for v in distinct if is_number(v) or isinstance(v, bool | np.bool_)]
        others = [v for v in distinct if not (is_number(v) or isinstance(v, bool | np.bool_))]
        return sorted(numbers, key=plain) + sorted(others, key=lambda v: (type(v).__name__, str(v)))


def union_of_classes(ours: Array, theirs: Array) -> tuple[Array, Array, Array]:
    """Merge two sorted sets of classes: the union, and the place of each class of both in it."""
    if ours.dtype.kind == theirs.dtype.kind != "O":
        union, places = np.unique(np.concatenate([ours, theirs]), return_inverse=True)
    else:  # a common dtype would change values: numbers to strings, int64 and uint64 to float64
        values = class_values(ours) + class_values(theirs)
        union = as_objects(distinct_objects(values, "classes"))
        place = {value: i for i, value in enumerate(union)}
        places = np.array([place[value] for value in values], dtype=np.int64)
    return union, places[: len(ours)], places[len(ours) :]


def is_number(value: Any) -> bool:
    """Whether a value is a real number, which booleans and time spans are not."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.timedelta64)


def plain(value: Any) -> Any:
    """Return a number as Python's, which are compared exactly whatever their types; any other value as it is."""
    return value.item() if isinstance(value, np.number) and is_number(value) else value


def class_values(classes: Array) -> list[Any]:
    """Return the values of a vector of classes as Python's; dates and time spans stay NumPy's."""
    return list(classes) if classes.dtype.kind in "mM" else classes.tolist()


def is_missing(value: Any) -> bool:
    """Whether a value is None, or differs from itself as NaN and NaT do, or is a tuple with such a value."""
    if value is None:
        return True
    if isinstance(value, tuple):
        return any(map(is_missing, value))
    try:
        return bool(value != value)  # noqa: PLR0124
    except (TypeError, ValueError, ArithmeticError):
        return True  # pandas.NA has no truth value, and a signaling NaN cannot be compared


def _refuse_bytes() -> None:
    msg = "Support for labels represented as bytes is not supported. Convert the labels to a string or integer format."
    raise TypeError(msg)
