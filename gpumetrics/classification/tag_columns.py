"""List columns of Arrow and polars, taken apart as they are stored: lists of lists would take three times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_places import is_a
from gpumetrics.backends.lazy_arrays import refuse_dask

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["FlatLists", "eager", "flat_lists"]


class FlatLists(NamedTuple):
    """The tags of all documents, one document behind the other.

    Attributes
    ----------
    tags : list of length sum(lengths)
    lengths : ndarray of int64, shape (n_documents,)
        How many of the tags are those of each document.
    labelled : ndarray of bool, shape (n_documents,), or None
        Which documents have a set, be it an empty one; None where all have.
    form : {"lists", "sets", "array"}
        In what the tags came: a set among the documents has them in no order, an array has a row for each document.
    """

    tags: list[Any]
    lengths: Array
    labelled: Array | None
    form: str = "lists"


def eager(values: Any, name: str) -> Any:
    """Return a batch of Arrow's as a table, and all else as it is; queries of polars' and of Dask's are refused."""
    refuse_dask(values, name)
    if is_a(values, "polars", "LazyFrame"):
        msg = f"{name} is a query, not a table: give what its collect() returns."
        raise ValueError(msg)
    if is_a(values, "pyarrow", "RecordBatch"):
        import pyarrow as pa

        return pa.Table.from_batches([values])
    return values


def flat_lists(column: Any) -> FlatLists | None:
    """Take a list column apart; None for everything else."""
    if is_a(column, "polars", "Series"):
        return _from_polars(column)
    if is_a(column, "pandas", "Series") and hasattr(column.dtype, "pyarrow_dtype"):
        column = column.array.__arrow_array__()
    if is_a(column, "pyarrow", "Array", "ChunkedArray"):
        return _from_arrow(column)
    return None


def _from_polars(column: Any) -> FlatLists | None:
    import polars as pl

    if not isinstance(column.dtype, pl.List | pl.Array):
        return None
    column = column.cast(pl.List(column.dtype.inner))
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    missing = column.is_null().to_numpy()
    return FlatLists(column.filter(lengths > 0).explode().to_list(), lengths, ~missing if missing.any() else None)


def _from_arrow(column: Any) -> FlatLists | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = pa.types
    if not any(is_list(column.type) for is_list in (kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list)):
        return None
    tags: list[Any] = []
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        flat = chunk.flatten()
        flat = flat.dictionary_decode() if kinds.is_dictionary(flat.type) else flat
        tags += flat.to_pylist() if flat.null_count else flat.to_numpy(zero_copy_only=False).tolist()
    lengths = np.asarray(pc.fill_null(pc.list_value_length(column), 0)).astype(np.int64)
    missing = np.asarray(pc.is_null(column)).astype(bool)
    return FlatLists(tags, lengths, ~missing if missing.any() else None)
