"""Labels from any library become one NumPy array, without changing a value."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from gpumetrics.types import Array  # noqa: TC001

COLUMN_LIBRARIES = frozenset({"pandas", "polars", "pyarrow", "cudf", "modin", "narwhals"})
EXACT_IN_FLOAT64 = 2**53


def label_array(labels: Any, name: str) -> Array:
    """Return labels as a NumPy array of one or two dimensions, in native byte order.

    Values keep their kind: a list of numbers and strings becomes an array of objects, not of strings, and
    integers that float64 cannot hold stay integers. The array may share the caller's memory: read only.

    Raises
    ------
    ValueError
        If a label is missing (NA, None, NaN, NaT) or infinite, or the labels are no array.
    TypeError
        If labels are bytes, or a sparse matrix.
    """
    array = _to_numpy(labels, name)
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


def _to_numpy(labels: Any, name: str) -> Array:
    if isinstance(labels, np.ndarray):
        if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
            raise_missing(name, int(np.sum(labels.mask)), labels.size)
        return np.asarray(labels)
    if isinstance(labels, list | tuple):
        return _from_sequence(labels, name)
    library = type(labels).__module__.partition(".")[0]
    if library in COLUMN_LIBRARIES:
        return _from_columns(labels, library, name)
    if library == "torch":
        labels = labels.detach().cpu()
        return np.asarray((labels.float() if str(labels.dtype) == "torch.bfloat16" else labels).numpy())
    if library == "cupy":
        return np.asarray(labels.get())
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
    return np.asarray(labels)


def _from_sequence(labels: list[Any] | tuple[Any, ...], name: str) -> Array:
    try:
        array = np.asarray(labels)
    except ValueError as error:
        msg = f"{name} must hold one label per row: {error}"
        raise ValueError(msg) from None
    if array.ndim == 1 and array.dtype.kind in "USf" and _conversion_merges(labels, array):
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
    return array


def _conversion_merges(labels: list[Any] | tuple[Any, ...], array: Array) -> bool:
    """Whether NumPy changed values to give them one dtype: 1 to "1", or 2**53 + 1 to 2.0**53."""
    types = set(map(type, labels))
    if array.dtype.kind != "f":
        text = {next((base for base in (str, bytes) if issubclass(t, base)), None) for t in types}
        return len(text) > 1 or None in text
    integers = any(issubclass(t, int | np.integer) for t in types)
    return integers and bool(np.nanmax(np.abs(array), initial=0.0) >= EXACT_IN_FLOAT64)


def _from_columns(labels: Any, library: str, name: str) -> Array:
    """Convert a column, or a table, of a dataframe library by narwhals."""
    import narwhals as nw

    if library == "pandas" and not hasattr(labels, "iloc"):  # Index, Categorical and other bare arrays
        labels = sys.modules["pandas"].Series(labels)
    elif library == "pyarrow" and not hasattr(labels, "chunk") and not hasattr(labels, "column_names"):
        labels = sys.modules["pyarrow"].chunked_array([labels])
    native = nw.from_native(labels, eager_only=True, allow_series=True)
    if isinstance(native, nw.Series):
        return _column_to_numpy(native, name)
    columns = [_column_to_numpy(native[column], name) for column in native.columns]
    return np.stack(columns, axis=1) if columns else np.empty((len(native), 0))


def _column_to_numpy(column: Any, name: str) -> Array:
    missing = column.null_count()
    if missing:
        raise_missing(name, int(missing), len(column))
    array: Array = column.to_numpy()
    return array


def _check_finite(array: Array, name: str) -> None:
    if np.isfinite(array).all():
        return
    nan = int(np.isnan(array).sum())
    if nan:
        raise_missing(name, nan, array.size)
    msg = f"Input {name} contains infinity or a value too large for {array.dtype!r}."
    raise ValueError(msg)


def distinct_objects(values: list[Any], name: str) -> list[Any]:
    """Return the distinct values in sorted order: numbers first if there are several kinds.

    Values are told apart by Python's equality, which never confuses 1 and "1", nor 2**53 + 1 and 2.0**53.
    """
    try:
        distinct = list(dict.fromkeys(values))
    except TypeError:
        msg = f"{name} must hold one hashable label per row, such as a number or a string."
        raise ValueError(msg) from None
    bad = [v for v in distinct if _is_missing(v)]
    if bad:
        raise_missing(name, sum(any(v is b for b in bad) for v in values), len(values))
    if any(isinstance(v, bytes) for v in distinct):
        _refuse_bytes()
    if any(isinstance(v, float | np.floating) and np.isinf(v) for v in distinct):
        msg = f"Input {name} contains infinity or a value too large for dtype('float64')."
        raise ValueError(msg)
    try:
        return sorted(distinct)
    except TypeError:
        numbers = [v for v in distinct if isinstance(v, int | float | np.number | np.bool_)]
        others = [v for v in distinct if not isinstance(v, int | float | np.number | np.bool_)]
        return sorted(numbers) + sorted(others, key=lambda v: (type(v).__name__, str(v)))


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  (NaN, NaT and Decimal("NaN") differ from themselves)
    except (TypeError, ValueError):
        return True  # pandas.NA has no truth value


def _refuse_bytes() -> None:
    msg = "Support for labels represented as bytes is not supported. Convert the labels to a string or integer format."
    raise TypeError(msg)
