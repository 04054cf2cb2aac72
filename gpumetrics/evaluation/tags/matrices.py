"""Indicator matrices of tags: dense, sparse or tables, with rows that nobody has labelled."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.backends.interop import bfloat16_to_float32
from gpumetrics.classification.indicators import sparse_rows
from gpumetrics.classification.sides import column_names, is_sparse
from gpumetrics.classification.tag_names import shown
from gpumetrics.classification.tag_rows import CellRows
from gpumetrics.classification.tag_sets import refuse_scores
from gpumetrics.exceptions import warn
from gpumetrics.feature_arrays import feature_array

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["Cells", "headings", "read_cells"]


class Cells(NamedTuple):
    """The cells of a matrix that are not 0, on the host.

    Attributes
    ----------
    indptr : ndarray of int64, shape (n_documents + 1,)
        Where the cells of each row begin in `indices`.
    indices : ndarray of int, shape (n_cells,)
        Their columns.
    n_columns : int
    labelled : ndarray of bool, shape (n_documents,), or None
        Which rows are; None for all.
    """

    indptr: Array
    indices: Array
    n_columns: int
    labelled: Array | None


def read_cells(matrix: Any, name: str) -> Cells:
    """Read a matrix of zeros and ones; a row of missing values only (NaN, null) is not labelled.

    Parameters
    ----------
    matrix : array, sparse matrix, table, or CellRows
    name : str
        The argument's name in messages.

    Raises
    ------
    ValueError
        If it is no matrix of numbers, holds fractions, negative numbers or infinity, or misses single cells.

    Warns
    -----
    UserWarning
        If it holds counts.
    """
    if isinstance(matrix, CellRows):
        return _cells_of_rows(matrix)
    if is_sparse(matrix):
        if len(matrix.shape) != 2:
            _refuse_shape(name, tuple(matrix.shape))
        rows, values = sparse_rows(matrix)
        _check_values(values, name)
        return Cells(as_host(rows.indptr).astype(np.int64), as_host(rows.indices), rows.shape[1], None)
    array, labelled = _dense(matrix, name)
    if array.ndim != 2:
        _refuse_shape(name, array.shape)
    if array.dtype.kind not in "biuf":
        msg = f"{name} must be a matrix of zeros and ones, got dtype {array.dtype}."
        raise ValueError(msg)
    array, labelled = _without_unlabelled(array, labelled, name)
    xp = array_module(array)
    at, indices = xp.nonzero(array)
    if array.dtype.kind != "b":
        _check_values(array[at, indices], name)
    indptr = np.searchsorted(as_host(at), np.arange(len(array) + 1))
    return Cells(indptr, as_host(indices), array.shape[1], labelled)


def _cells_of_rows(rows: CellRows) -> Cells:
    """Return rows that came in lists in the same form."""
    n_documents = len(rows.cells) if rows.labelled is None else len(rows.labelled)
    sizes = np.zeros(n_documents, dtype=np.int64)
    sizes[slice(None) if rows.labelled is None else rows.labelled] = rows.cells.sum(axis=1)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return Cells(indptr, rows.cells.nonzero()[1], rows.cells.shape[1], rows.labelled)


def headings(values: Any) -> list[Any]:
    """Return the names of the columns of a table of several; a table of one is a column of tag sets."""
    names = column_names(values) or []
    return names if len(names) > 1 else []


def _refuse_shape(name: str, shape: tuple[int, ...]) -> None:
    msg = (
        f"{name} must have a row of zeros and ones for each document, got an array of shape {tuple(shape)}. For one "
        "label per document there are f1_score and its relatives."
    )
    raise ValueError(msg)


def _dense(matrix: Any, name: str) -> tuple[Array, Array | None]:
    if not headings(matrix):
        array, bfloat16 = feature_array(matrix, name)
        return (bfloat16_to_float32(array) if bfloat16 else array), None
    import narwhals as nw

    frame = nw.from_native(matrix, eager_only=True)
    missing = np.column_stack([column.is_null().to_numpy() for column in frame.iter_columns()]).astype(bool)
    if not missing.any():
        array = feature_array(matrix, name)[0]
        if array.dtype.kind != "O":
            return array, None
    _check_missing(missing, name)
    labelled = ~missing[:, 0]
    array = np.zeros(missing.shape)
    for at, column in enumerate(frame.iter_columns()):
        array[labelled, at] = _numbers(np.asarray(column.to_numpy())[labelled], name, column.name)
    return array, None if labelled.all() else labelled


def _numbers(column: Array, name: str, heading: Any) -> Array:
    """Return the cells of a column that are not missing as floats; text is none, though it may spell numbers."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    wrong = [cell for cell in column.tolist() if not isinstance(cell, Real | np.bool_)]
    if wrong:
        msg = (
            f"{name} must be a table of zeros and ones, but its column {shown(heading)} holds {shown(wrong[0])}. Give "
            "the columns of the tags only; one with a list of tags for each document comes alone, as table['tags']."
        )
        raise ValueError(msg)
    return column.astype(np.float64)


def _without_unlabelled(array: Array, labelled: Array | None, name: str) -> tuple[Array, Array | None]:
    """Find the rows of NaN only, and fill them."""
    xp = array_module(array)
    if array.dtype.kind != "f" or not bool(xp.isnan(array).any()):
        return array, labelled
    missing = xp.isnan(array)
    _check_missing(as_host(missing), name)
    return xp.where(missing, 0, array), ~as_host(missing[:, 0])


def _check_missing(missing: Array, name: str) -> None:
    partly = missing.any(axis=1) & ~missing.all(axis=1)
    if partly.any():
        msg = (
            f"Input {name} contains NaN. In {int(partly.sum()):,} rows some cells are missing and others not, from row "
            f"{int(np.argmax(partly))} on: a cell that nobody has reviewed is no negative. Give these documents "
            "a row of NaN, which leaves them out, or fill the cells."
        )
        raise ValueError(msg)


def _check_values(values: Array, name: str) -> None:
    """Refuse what cannot stand for membership among the values that are not 0; warn of counts."""
    if values.dtype.kind == "b" or not len(values):
        return
    xp = array_module(values)
    if values.dtype.kind == "f":
        whole = xp.isfinite(values) & (values == xp.floor(values))
        if not bool(whole.all()):
            wrong = float(as_host(values[~whole][:1])[0])
            if not np.isfinite(wrong):
                msg = f"Input {name} contains infinity or NaN in a matrix of zeros and ones."
                raise ValueError(msg)
            refuse_scores(name, wrong)
    low, high = (as_host(end).item() for end in (values.min(), values.max()))
    if low < 0:
        msg = f"{name} must hold zeros and ones, got {low}: a negative number is neither in a set nor out of it."
        raise ValueError(msg)
    if low != high:
        warn(
            f"{name} holds counts up to {high}. A tag is in a set or not: every number above 0 counts as in, and the "
            "size of the counts is lost."
        )
