"""Tasks of Dask's: how functions run on workers, how their errors come back, and how statistics merge."""

from __future__ import annotations

import contextlib
import contextvars
import operator
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dask

from gpumetrics.config import config_context, get_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Failure", "at_client", "broadcast", "computed", "later", "lazily", "merged", "running", "split_every"]

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
    """Run the graphs of this context on a client, and merge so many statistics at a time.

    Raises
    ------
    ValueError
        If `split_every` is no integer of at least 2.
    TypeError
        If the client is none, or one that gives no values but promises.
    """
    integer = hasattr(split_every, "__index__") and not isinstance(split_every, bool)
    if not integer or operator.index(split_every) < 2:
        msg = f"split_every must be an integer of at least 2, got {split_every!r}"
        raise ValueError(msg)
    if client is not None and not callable(getattr(client, "get", None)):
        msg = f"client must be a distributed.Client or None, got {client!r}"
        raise TypeError(msg)
    if getattr(client, "asynchronous", False):
        msg = (
            "client is asynchronous, and scores are waited for: give a Client that is not, or leave client out, take "
            "compute=False and pass the result to the client's compute."
        )
        raise TypeError(msg)
    token = _running.set(Running(client, operator.index(split_every)))
    try:
        yield
    finally:
        _running.reset(token)


def split_every() -> int:
    """How many statistics a task merges."""
    return _running.get().split_every


@contextlib.contextmanager
def at_client() -> Iterator[None]:
    """Let what Dask computes by itself run on the client, too."""
    client = _running.get().client
    with contextlib.nullcontext() if client is None else dask.config.set(scheduler=client):
        yield


@dataclass(frozen=True)
class Failure:
    """The error of a block, as a value: of several blocks that fail, the first one speaks, whatever their timing."""

    error: Exception


def lazily(function: Callable[..., Any], *arguments: Any, start: int | None = None) -> Any:
    """Call a function on a worker under the settings in force here; an error of the user's becomes a `Failure`.

    `start` is the number of the first row that the function sees, where it does not see all of them.
    """
    return dask.delayed(_settled)(function, get_config(), start, *arguments)


def _settled(function: Callable[..., Any], settings: dict[str, Any], start: int | None, *arguments: Any) -> Any:
    failure = next((a for a in arguments if isinstance(a, Failure)), None)
    if failure is not None:
        return failure
    try:
        with config_context(**settings):
            return function(*arguments)
    except (TypeError, ValueError) as error:
        # What a state says of its batches is of no use here.
        cause = error.__cause__ if isinstance(error.__cause__, TypeError | ValueError) else error
        return Failure(cause if start is None else _among_all_rows(cause, start))


def _among_all_rows(error: Exception, start: int) -> Exception:
    """Name a row by its number among all rows, and say which rows are counted; the block knows neither."""
    if type(error) not in {TypeError, ValueError}:  # a subclass may need more than a text
        return error
    text = re.sub(r"\bat row (\d+)\b", lambda found: f"at row {int(found[1]) + start}", str(error))
    text = re.sub(r"\bin \d+ of \d+ rows\b", rf"\g<0> from row {start} on", text)
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
    (result,) = dask.compute(value, scheduler=_running.get().client)
    failures = [part for part in (result if isinstance(result, list) else [result]) if isinstance(part, Failure)]
    if failures:
        raise failures[0].error
    return result


def later(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a worker, for the user: an error is raised there."""
    return dask.delayed(_raising)(function, *arguments)


def _raising(function: Callable[..., Any], *arguments: Any) -> Any:
    for argument in arguments:
        if isinstance(argument, Failure):
            raise argument.error
    return function(*arguments)


def broadcast(value: Any, n_bytes: int) -> Any:
    """Make an argument of many tasks: a node of the graph, or sent ahead if it is large.

    What is part of the graph is there again after a worker has died; what was sent ahead is on every worker.
    """
    client = _running.get().client or _current_client()
    if client is not None and n_bytes > SCATTERED:
        return client.scatter(value, broadcast=True)
    return dask.delayed(value, traverse=False)


def _current_client() -> Any:
    distributed = sys.modules.get("distributed")
    if distributed is None or dask.config.get("scheduler", None) not in {None, "distributed", "dask.distributed"}:
        return None
    try:
        return distributed.Client.current()
    except ValueError:
        return None
