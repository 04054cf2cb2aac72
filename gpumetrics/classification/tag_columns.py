"""List columns of Arrow and polars, taken apart as they are stored: lists of lists would take three times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_places import is_a

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["FlatLists", "flat_lists"]


class FlatLists(NamedTuple):
    """The tags of all documents in a row, how many each has, and which documents are labelled, None for all."""

    tags: list[Any]
    lengths: Array
    labelled: Array | None


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
