"""`plan`: what each metric of some rows would cost on this machine, on workers like it, and on GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.config import current
from gpumetrics.planning.advice import advice_of, notes_of
from gpumetrics.planning.machines import ASSUMED_GPU, Machine, this_machine
from gpumetrics.planning.problem import check_count, check_problem
from gpumetrics.planning.result import DAY, Place, Plan, standard_error
from gpumetrics.planning.seconds import fits, rows_within, seconds_of, workers_to_hold
from gpumetrics.planning.work import works_of

if TYPE_CHECKING:
    from gpumetrics.planning.problem import Problem
    from gpumetrics.types import Array

__all__ = ["plan"]

MOST_GPUS = 64  # that a plan counts on where nobody said how many there are
QUERIES = 2_000  # as in silhouette_estimate
MOST_WORKERS = 10**6


class _Line(NamedTuple):
    """What a metric costs at a place: a line of `Plan.table`."""

    work: str
    place: str
    workers: int
    flops: float
    read_bytes: float
    moved_bytes: float
    memory_bytes: float
    fits: str
    seconds: float
    rows_in_a_day: float
    limited_by: str


def plan(  # noqa: PLR0913  (each is a size or a number of its own)
    n_samples: Any,
    n_features: Any,
    n_clusters: Any,
    *,
    metric: str = "euclidean",
    dtype: Any = "float32",
    n_queries: Any = QUERIES,
    n_workers: Any = None,
    n_gpus: Any = None,
    machine: Machine | None = None,
    gpu: Machine = ASSUMED_GPU,
) -> Plan:
    """What the metrics of a clustering will cost, from its sizes alone; no data is read.

    Parameters
    ----------
    n_samples, n_features, n_clusters : int
        Floats that are whole, such as 1e9, will do.
    metric : str, default="euclidean"
        Of the silhouette, as in `silhouette_score`; not "precomputed".
    dtype : dtype, default="float32"
        Of X; "bfloat16" will do.
    n_queries : int, default=2000
        Rows that `silhouette_estimate` would ask.
    n_workers : int, optional
        Plan for so many machines like this one, too.
    n_gpus : int, optional
        As many GPUs as hold X if it is None (64 at most).
    machine : Machine, optional
        This machine, measured in some milliseconds, if it is None. A CPU: `gpu` is for GPUs.
    gpu : Machine
        What a GPU can do. `ASSUMED_GPU` is from data sheets; change it with `dataclasses.replace`.

    Returns
    -------
    Plan
        ``table`` has a line for each metric and place, ``advice`` what to do; ``print`` it.

    Raises
    ------
    ValueError
        For a number that is none or out of range, an unknown metric or dtype, a GPU given as the machine or the
        other way round.

    Notes
    -----
    Seconds on this machine are right within a factor of about two where X is in memory (docs/scaling.md compares them
    with measurements). What a GPU, a network or a disk will do is assumed, and was not measured.

    Examples
    --------
    >>> from gpumetrics.planning import plan
    >>> found = plan(1e8, 768, 1000, metric="cosine")
    >>> found.gpus_to_hold, round(found.data_bytes / 1e9)
    (5, 307)
    >>> round(found.line("silhouette_closed_form", "this machine")["flops"] / 1e12)
    155
    """
    problem = check_problem(n_samples, n_features, n_clusters, metric, dtype, n_queries, current().working_memory)
    machine = this_machine() if machine is None else machine
    for name, given, on_gpu in (("machine", machine, False), ("gpu", gpu, True)):
        if not isinstance(given, Machine) or given.gpu is not on_gpu:
            msg = f"{name} must be a Machine with gpu={on_gpu}, got {given!r}"
            raise ValueError(msg)
    places = _places(problem, machine, gpu, n_workers, n_gpus)
    lines = [line for place in places for line in _lines(problem, place)]
    table = {name: _column(lines, name) for name in _Line._fields}
    found = Plan(
        problem=problem,
        places=places,
        table=table,
        workers_to_hold=workers_to_hold(problem, machine),
        gpus_to_hold=workers_to_hold(problem, gpu),
        stderr=standard_error(problem),
    )
    return found.saying(advice_of(found), notes_of(found))


def _places(problem: Problem, machine: Machine, gpu: Machine, n_workers: Any, n_gpus: Any) -> tuple[Place, ...]:
    """Return where the work could be done: here, on more workers if they were asked for, on GPUs."""
    places = [Place(machine, 1)]
    if n_workers is not None and (workers := _check_number("n_workers", n_workers)) > 1:
        places.append(Place(machine, workers))
    if n_gpus is not None:
        gpus = _check_number("n_gpus", n_gpus)
    else:
        gpus = min(workers_to_hold(problem, gpu) or MOST_GPUS, MOST_GPUS)
    return (*places, Place(gpu, gpus))


def _check_number(name: str, value: Any) -> int:
    number = check_count(name, value)
    if number > MOST_WORKERS:
        msg = f"{name} must be from 1 to {MOST_WORKERS}, got {value!r}"
        raise ValueError(msg)
    return number


def _lines(problem: Problem, place: Place) -> list[_Line]:
    machine, w = place.machine, place.n_workers
    lines = []
    for work in works_of(problem, w, on_gpu=machine.gpu):
        fit = fits(work, problem, machine, w)
        memory = work.memory(problem, w) if fit == "held" else work.streaming_memory(problem, w)
        rows, limit = rows_within(DAY, work.name, problem, machine, w)
        lines.append(
            _Line(
                work=work.name,
                place=str(place.title),
                workers=w,
                flops=work.flops,
                read_bytes=work.read,
                moved_bytes=work.moved(w),
                memory_bytes=memory,
                fits=fit,
                seconds=seconds_of(work, problem, machine, w),
                rows_in_a_day=rows,
                limited_by=limit,
            )
        )
    return lines


def _column(lines: list[_Line], name: str) -> Array:
    values = [getattr(line, name) for line in lines]
    dtype: Any = {str: object, int: np.int64, float: np.float64}[type(values[0])]
    return np.array(values, dtype=dtype)
