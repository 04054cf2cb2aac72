"""Blocks of rows of Dask's collections: cut at the same places, and what is computed from each.

Graphs are made of slices, `dask.delayed` and nothing else, so that they are the same with and without the query
planning of Dask's arrays.
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dask
import dask.array as da
import numpy as np

from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.config import config_context, get_config
from gpumetrics.exceptions import warn
from gpumetrics.feature_arrays import feature_array
from gpumetrics.label_arrays import label_array
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Blocks", "Failure", "broadcast", "computed", "lazily", "merged", "running", "split_every"]

SCATTERED = 8 * 2**20  # bytes from which an argument of many tasks is sent to the workers ahead of the graph


@dataclass(frozen=True)
class Running:
    """Where graphs run, and how many statistics a task merges."""

    client: Any = None
    split_every: int = 8


HERE = Running()
_running: contextvars.ContextVar[Running] = contextvars.ContextVar("gpumetrics_dask", default=HERE)


@contextlib.contextmanager
def running(client: Any, split_every: Any) -> Iterator[None]:
    """Run the graphs of this context on a client, and merge so many statistics at a time."""
    if isinstance(split_every, bool) or not isinstance(split_every, int) or split_every < 2:
        msg = f"split_every must be an integer of at least 2, got {split_every!r}"
        raise ValueError(msg)
    token = _running.set(Running(client, split_every))
    try:
        yield
    finally:
        _running.reset(token)


def split_every() -> int:
    """How many statistics a task merges."""
    return _running.get().split_every


@dataclass(frozen=True)
class Failure:
    """The error of a block, as a value: of several blocks that fail, the first one speaks, whatever their timing."""

    error: Exception


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
    def of(cls, *, tables: dict[str, Any] | None = None, labels: dict[str, Any]) -> Blocks:
        """Align collections: those in memory are cut where the first of Dask's has its chunks.

        Parameters
        ----------
        tables, labels : dict of str to array-like or Dask collection
            By the argument's name.

        Raises
        ------
        ValueError
            If the lengths differ, or there are no rows.
        TypeError
            For a collection that is neither an array nor a column.
        """
        arrays = [_known(table, name, table=True) for name, table in (tables or {}).items()]
        arrays += [_known(column, name, table=False) for name, column in labels.items()]
        check_consistent_length(*(array.shape[0] for array in arrays))
        lazy = [array for array in arrays if is_dask(array)]
        if not lazy:
            names = ", ".join([*(tables or {}), *labels])
            msg = f"One of {names} must be a Dask collection: the functions of gpumetrics itself take arrays."
            raise TypeError(msg)
        chunks = lazy[0].chunks[0]
        edges = [0, *np.cumsum([rows for rows in chunks if rows]).tolist()]
        return cls(tuple(arrays), edges)

    @property
    def n_samples(self) -> int:
        return self.edges[-1]

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
        rows = slice(self.edges[at], self.edges[at + 1])
        return lazily(function, *(array[rows] for array in self.arrays), *others, start=rows.start)


def lazily(function: Callable[..., Any], *arguments: Any, start: int = 0) -> Any:
    """Call a function on a worker under the settings in force here; an error of the user's becomes a `Failure`."""
    return dask.delayed(_settled)(function, get_config(), start, *arguments)


def _settled(function: Callable[..., Any], settings: dict[str, Any], start: int, *arguments: Any) -> Any:
    failure = next((a for a in arguments if isinstance(a, Failure)), None)
    if failure is not None:
        return failure
    try:
        with config_context(**settings):
            return function(*arguments)
    except (TypeError, ValueError) as error:
        # What a state says of its batches is of no use here.
        cause = error.__cause__ if isinstance(error.__cause__, TypeError | ValueError) else error
        return Failure(_among_all_rows(cause, start))


def _among_all_rows(error: Exception, start: int) -> Exception:
    """Name a row by its number among all rows, which the block does not know."""
    text = re.sub(r"\bat row (\d+)\b", lambda found: f"at row {int(found[1]) + start}", str(error))
    return type(error)(text) if text != str(error) else error


def merged(parts: list[Any], merge: Callable[[list[Any]], Any]) -> Any:
    """Merge lazy statistics as a tree of fixed shape: the same chunks give the same bits."""
    step = split_every()
    while len(parts) > 1:
        parts = [dask.delayed(_merge)(merge, parts[at : at + step]) for at in range(0, len(parts), step)]
    return parts[0]


def _merge(merge: Callable[[list[Any]], Any], parts: list[Any]) -> Any:
    failure = next((part for part in parts if isinstance(part, Failure)), None)
    return merge(parts) if failure is None else failure


def computed(value: Any) -> Any:
    """Compute something lazy where graphs run here, and raise the error that it may be."""
    client = _running.get().client
    with contextlib.nullcontext() if client is None else client.as_current():
        (result,) = dask.compute(value)
    failures = [part for part in (result if isinstance(result, list) else [result]) if isinstance(part, Failure)]
    if failures:
        raise failures[0].error
    return result


def broadcast(value: Any, n_bytes: int, *, literal: bool = False) -> Any:
    """Make an argument of many tasks: a node of the graph (or the value, if `literal`), or sent ahead if it is large.

    What is part of the graph is there again after a worker has died; what was sent ahead is on every worker.
    """
    client = _running.get().client or _current_client()
    if client is not None and n_bytes > SCATTERED:
        return client.scatter(value, broadcast=True)
    return value if literal else dask.delayed(value, traverse=False)


def _current_client() -> Any:
    distributed = sys.modules.get("distributed")
    if distributed is None or dask.config.get("scheduler", None) not in {None, "distributed", "dask.distributed"}:
        return None
    try:
        return distributed.Client.current()
    except ValueError:
        return None


def _known(array: Any, name: str, *, table: bool) -> Any:
    """Return an array whose rows are counted; of Dask's if it was one, else in memory."""
    if not is_dask(array):
        return feature_array(array, name)[0] if table else label_array(array, name)
    if type(array).__module__.startswith("dask.dataframe"):
        return _from_frame(array)
    if not isinstance(array, da.Array) or not array.ndim:
        msg = (
            f"{name} must be an array, a table or a column, got a Dask {type(array).__name__} without rows: convert it."
        )
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
    return copy.copy(array).compute_chunk_sizes()


def _from_frame(frame: Any) -> Any:
    """Return a table or a column as an array; values of types that NumPy lacks become objects."""
    if frame.ndim == 1 and not isinstance(frame.dtype, np.dtype):
        frame = frame.astype(object)
    return frame.to_dask_array(lengths=True)
