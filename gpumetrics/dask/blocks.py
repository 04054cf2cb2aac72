"""Blocks of rows of Dask's collections: cut at the same places, and what is computed from each.

Graphs are made of blocks or slices, and `dask.delayed`, so that they work with and without the query planning of Dask's
arrays.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from gpumetrics.backends.lazy_arrays import dask_kind, is_dask
from gpumetrics.dask.tasks import at_client, computed, lazily
from gpumetrics.exceptions import warn
from gpumetrics.feature_arrays import feature_array
from gpumetrics.label_arrays import label_array
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.types import Array

__all__ = ["Blocks", "known_labels", "known_table", "query_planned"]


@dataclass(frozen=True)
class Blocks:
    """Rows of several collections, cut at the same places.

    Attributes
    ----------
    arrays : tuple
        Dask's arrays of known chunks, or arrays in memory.
    edges : list of int
        Where each block begins and the last ends; no block is empty.
    """

    arrays: tuple[Any, ...]
    edges: list[int]

    @classmethod
    def of(cls, arrays: dict[str, Any]) -> Blocks:
        """Align arrays whose rows are counted: those in memory are cut where the first of Dask's has its chunks.

        Parameters
        ----------
        arrays : dict of str to array
            By the argument's name.

        Raises
        ------
        ValueError
            If the lengths differ.
        TypeError
            If none of them is Dask's.
        """
        check_consistent_length(*(array.shape[0] for array in arrays.values()))
        lazy = [array for array in arrays.values() if is_dask(array)]
        if not lazy:
            names = ", ".join(arrays)
            msg = f"One of {names} must be a Dask collection: the functions of gpumetrics itself take arrays."
            raise TypeError(msg)
        chunks = lazy[0].chunks[0]
        edges = [0, *np.cumsum([rows for rows in chunks if rows]).tolist()]
        return cls(tuple(arrays.values()), edges)

    @property
    def n_samples(self) -> int:
        return self.edges[-1]

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(np.diff(self.edges).tolist())

    def cut(self, most: int, least: int) -> Blocks:
        """Return the same rows in blocks of at most `most` rows; neighbours of less than `least` are joined."""
        edges = [0]
        for edge in self.edges[1:]:
            rows = edge - edges[-1]
            if rows >= least or edge == self.n_samples:
                pieces = -(-rows // most)
                edges += [int(place) for place in np.linspace(edges[-1], edge, pieces + 1)[1:]]
        return Blocks(self.arrays, edges)

    def each(self, function: Callable[..., Any], *shared: Any) -> list[Any]:
        """Apply a function to every block, lazily: to the parts of all arrays, and then to what is shared."""
        return [self.one(at, function, *shared) for at in range(len(self.edges) - 1)]

    def one(self, at: int, function: Callable[..., Any], *others: Any) -> Any:
        """Apply a function to one block."""
        start = self.edges[at] if len(self.edges) > 2 else None
        return lazily(function, *(parts[at] for parts in self._parts), *others, start=start)

    @cached_property
    def _parts(self) -> list[list[Any]]:
        """Each array in blocks."""
        return [self._parts_of(array) for array in self.arrays]

    def _parts_of(self, array: Any) -> list[Any]:
        if not is_dask(array) or query_planned(array):
            return [array[start:stop] for start, stop in zip(self.edges, self.edges[1:], strict=False)]
        # The graph of all blocks is optimised once; that of each slice would be by itself, with all chunks in it.
        parts: list[Any] = array.rechunk((self.rows, *array.shape[1:]), method="tasks").to_delayed().ravel().tolist()
        return parts


def query_planned(array: Any) -> bool:
    """Whether an array of Dask's is one of its query planning, which can do less."""
    return not hasattr(type(array), "to_delayed")


def known_table(X: Any, name: str) -> Any:
    """Return X as an array of Dask's whose rows are counted, or as one in memory.

    Raises
    ------
    TypeError
        For a collection that is neither an array nor a table.
    """
    if is_dask(X):
        return _known(X, name)
    return X.tocsr() if hasattr(X, "tocsr") else feature_array(X, name)[0]


def known_labels(labels: Any, name: str, *, sparse: bool = False) -> Any:
    """Return labels in the same way; `sparse` says whether a sparse matrix in memory will do."""
    if is_dask(labels):
        return _known(labels, name)
    return labels.tocsr() if sparse and hasattr(labels, "tocsr") else label_array(labels, name)


def _known(array: Any, name: str) -> Any:
    if hasattr(type(array), "to_dask_array"):  # of an instance a delayed value has every attribute
        return _from_frame(array)
    if not isinstance(array, da.Array) or not array.ndim:
        what = dask_kind(array)
        msg = f"{name} must be an array, a table or a column of Dask's, got a Dask {what}: convert it."
        raise TypeError(msg)
    return array if not any(np.isnan(array.shape)) else _counted(array, name)


def _counted(array: Any, name: str) -> Any:
    """Return an array whose chunks have known sizes; the user's own stays as it is."""
    if not hasattr(array, "compute_chunk_sizes"):
        msg = f"{name} has chunks of unknown size, which Dask's query planning cannot count: give it known ones."
        raise ValueError(msg)
    warn(
        f"{name} has chunks of unknown size, which are computed first to count their rows: its compute_chunk_sizes() "
        "does so once for several scores."
    )
    with at_client():
        return copy.copy(array).compute_chunk_sizes()


def _from_frame(frame: Any) -> Any:
    """Return a table or a column as an array; of types that NumPy lacks, numbers of a table become floats."""
    if frame.ndim == 1 and not isinstance(frame.dtype, np.dtype):
        frame = frame.astype(object)
    elif frame.ndim == 2:
        frame = frame.astype({name: np.float64 for name, dtype in frame.dtypes.items() if _is_nullable_number(dtype)})
    lengths: Array = np.asarray(computed(frame.map_partitions(len, enforce_metadata=False)))
    return frame.to_dask_array(lengths=tuple(lengths.tolist()))


def _is_nullable_number(dtype: Any) -> bool:
    from pandas.api.types import is_numeric_dtype

    return not isinstance(dtype, np.dtype) and bool(is_numeric_dtype(dtype))
