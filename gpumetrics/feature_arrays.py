"""Tables from any library become one NumPy array of numbers, and the errors of those that cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import device_array, host_array, is_device_array
from gpumetrics.backends.lazy_arrays import refuse_dask
from gpumetrics.backends.threads import spans
from gpumetrics.sources.chunks import RowChunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.types import Array

BLOCK = 1 << 18  # elements of a block: 2 MiB of float64, about a core's L2 cache


def feature_array(X: Any, name: str) -> tuple[Array, bool]:
    """Return a table as an array that shares its memory where it can, and whether its uint16 are bfloat16.

    NumPy's array for a table on the host, CuPy's for one on a GPU; rows of files that are too large to be read whole
    stay `RowChunks`, which give them by slices and index arrays. Its values are not checked yet.
    """
    if isinstance(X, RowChunks):
        return X.table(), False
    refuse_dask(X, name)
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        masked = int(np.count_nonzero(np.ma.getmaskarray(X)))
        msg = f"Input {name} contains NaN. {masked} entries of the masked array are masked."
        raise ValueError(msg)
    if is_device_array(X):
        return device_array(X, name, table=True)
    foreign = host_array(X, name)
    if foreign is not None:
        return foreign
    if isinstance(X, np.ndarray):
        return np.asarray(X), False  # drops the subclass (memmap, matrix), shares the memory
    if _is_dataframe(X):
        return _dataframe_to_numpy(X, name), False
    if isinstance(X, str | bytes) or X is None:
        msg = f"{name} must be a 2-D array of numbers, got {X!r}"
        raise ValueError(msg)
    try:
        return np.asarray(X), False
    except ValueError as error:
        msg = f"{name} must be a 2-D array of numbers with rows of equal length: {error}"
        raise ValueError(msg) from None


def _is_dataframe(X: Any) -> bool:
    return hasattr(X, "columns") and type(X).__module__.partition(".")[0] not in {"numpy", "builtins"}


def _dataframe_to_numpy(X: Any, name: str) -> Array:
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError:
        return np.asarray(X)
    # Column by column: nullable columns turn into object arrays if the frame is converted whole.
    columns = [_column_to_numpy(column, name) for column in frame.iter_columns()]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _column_to_numpy(column: Any, name: str) -> Array:
    missing = column.null_count()
    if missing:
        msg = f"Input {name} contains NaN. Column {column.name!r} has {missing} missing values."
        raise ValueError(msg)
    values: Array = column.to_numpy()
    return values


def numeric(data: Array, name: str) -> Array:
    """Return the array with a dtype of integers or floats of at most 64 bits, or say why it has none."""
    kind = data.dtype.kind
    if kind in "iub" or (kind == "f" and data.dtype.itemsize <= 8):
        return data
    if kind == "c":
        msg = f"Complex data not supported\n{data}\n"
        raise ValueError(msg)
    if kind in "USV":
        msg = (
            "dtype='numeric' is not compatible with arrays of bytes/strings. Convert your data to numeric values "
            f"explicitly instead ({name} has dtype {data.dtype})."
        )
        raise ValueError(msg)
    if kind == "f":  # long double: the results are float64 anyway
        return data.astype(np.float64)
    try:
        return data.astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = f"{name} must hold numbers; dtype {data.dtype} could not be converted to float64: {error}"
        raise ValueError(msg) from None


def check_shape(data: Any, name: str) -> None:
    """Raise scikit-learn's error unless there are two dimensions, and rows and columns."""
    if data.ndim != 2:
        if data.ndim == 0:
            head = f"Expected 2D array, got scalar array instead:\narray={data}.\n"
        elif data.ndim == 1:
            head = f"Expected 2D array, got 1D array instead:\narray={data}.\n"
        else:
            msg = f"Found array with dim {data.ndim}, while dim <= 2 is required ({name} has shape {data.shape})."
            raise ValueError(msg)
        msg = (
            f"{head}Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            f"or array.reshape(1, -1) if it contains a single sample (argument {name})."
        )
        raise ValueError(msg)
    for axis, what in ((0, "sample"), (1, "feature")):
        if data.shape[axis] == 0:
            msg = f"Found array with 0 {what}(s) (shape={data.shape}) while a minimum of 1 is required."
            raise ValueError(msg)


def place_in_files(data: Any, row: int) -> str:
    """Say in which file a row is, of rows that are read from files; empty for all others."""
    if not isinstance(data, RowChunks):
        return ""
    file, at = data.file_and_row(row)
    return f" (row {at:,} of {file})"


def raise_not_finite(
    read: Callable[[slice], Any],
    shape: tuple[int, ...],
    name: str,
    *,
    where: bool = True,
    place: Callable[[int], str] = lambda _: "",
) -> NoReturn:
    """Say what is wrong and where it first occurs; `read` gives the rows of a slice, `place` the file of a row."""
    first, has_nan = None, False
    for block in spans(shape[0], max(1, BLOCK // shape[1])):
        values = read(block)
        xp = array_module(values)
        bad = ~xp.isfinite(values)
        if first is None and bad.any():
            row, column = divmod(int(bad.argmax()), shape[1])
            first = values[row, column], row + block.start, column
        has_nan = has_nan or bool(xp.isnan(values).any())
        dtype = values.dtype
    what = "NaN" if has_nan else f"infinity or a value too large for {dtype!r}"
    msg = f"Input {name} contains {what}."
    if where and first:
        msg += f" The first bad value is {first[0]} at row {first[1]}, column {first[2]}{place(first[1])}."
    raise ValueError(msg)
