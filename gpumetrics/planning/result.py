"""What `plan` finds: the cost of each metric at each place, and what to do."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpumetrics.planning.problem import Problem  # noqa: TC001  (a field's type)
from gpumetrics.planning.words import amount_text, bytes_text, time_text
from gpumetrics.planning.work import TITLES
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value
from gpumetrics.text.layout import align, notes_block, wrapped
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.planning.machines import Machine
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["DAY", "HEADS", "Place", "Plan", "cells_of", "standard_error"]

DAY = 86_400.0
HEADS = ("work", "time", "memory each", "moved", "data", "rows in a day")
SPREAD, WIDEST = 0.25, 1.0  # of rows' silhouettes, as a standard deviation: as is common, and the largest there is


@dataclass(frozen=True)
class Place:
    """So many machines of one kind."""

    machine: Machine
    n_workers: int

    @property
    def title(self) -> Message:
        """Name of the place, which is that of its lines in `Plan.table`."""
        if self.machine.gpu:
            return counted(self.n_workers, "{n:,} GPU", "{n:,} GPUs")
        if self.n_workers > 1:
            return said("{n:,} machines", n=self.n_workers)
        return said("this machine")

    @property
    def speed_is(self) -> Message:
        if self.machine.measured and self.n_workers == 1:
            return said("speed of products measured, storage assumed")
        return said("assumed: nothing was measured on a GPU") if self.machine.gpu else said("speed and network assumed")


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """Costs of the metrics of a clustering, from its sizes; ``print`` it.

    Attributes
    ----------
    problem : Problem
        The sizes: ``n_samples``, ``n_features``, ``n_clusters``, ``metric``, ``dtype``, ``n_queries``.
    places : tuple of Place
        This machine, more workers like it where they were asked for, and GPUs; each with its `Machine`.
    table : dict of str to ndarray
        A line for each metric and place: ``work``, ``place``, ``workers``, ``flops`` (operations, in all),
        ``read_bytes``, ``moved_bytes`` (between workers), ``memory_bytes`` (of each worker, beside its part of X),
        ``fits`` ("held": so are its rows; "in pieces": they pass in batches; "no"), ``seconds``,
        ``rows_in_a_day`` (up to how many rows it takes a day at most), and ``limited_by`` ("time" or "memory").
    workers_to_hold, gpus_to_hold : int or None
        How many such machines, or GPUs, hold X and what is needed besides; None if no number does.
    stderr : tuple of (float, float)
        Standard error of `silhouette_estimate`: where rows' silhouettes have a standard deviation of 0.25, as is
        common, and the largest that there can be.
    advice, notes : tuple of str
        What to do; what the figures rest on.
    """

    problem: Problem
    places: tuple[Place, ...]
    table: dict[str, Array]
    workers_to_hold: int | None
    gpus_to_hold: int | None
    stderr: tuple[float, float]
    advice: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def data_bytes(self) -> float:
        """Bytes of X."""
        return self.problem.data_bytes

    def saying(self, advice: Sequence[str], notes: Sequence[str]) -> Plan:
        """Return the same plan with words."""
        return replace(self, advice=tuple(advice), notes=tuple(notes))

    def line(self, work: str, place: str) -> dict[str, Any]:
        """Return one line of `table` by its ``work`` and ``place``.

        Raises
        ------
        KeyError
            If there is none.
        """
        for at, key in enumerate(zip(self.table["work"], self.table["place"], strict=True)):
            if key == (work, place):
                return {name: json_value(column[at : at + 1])[0] for name, column in self.table.items()}
        raise KeyError((work, place))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as one dict that `json.dumps` takes, the table as lists under ``line_<column>``."""
        names = ("n_samples", "n_features", "n_clusters", "metric", "dtype", "n_queries", "working_memory")
        out: dict[str, Any] = {name: getattr(self.problem, name) for name in names}
        out |= {name: getattr(self, name) for name in ("data_bytes", "workers_to_hold", "gpus_to_hold")}
        out |= {"stderr": self.stderr[0], "stderr_at_most": self.stderr[1]}
        out |= {"advice": [str(line) for line in self.advice], "notes": [str(note) for note in self.notes]}
        out["places"] = [
            {"place": str(place.title), "workers": place.n_workers, **place.machine.to_dict()} for place in self.places
        ]
        return out | {f"line_{name}": json_value(column) for name, column in self.table.items()}

    def _columns(self) -> dict[str, Array]:
        return self.table

    def lines_of(self, place: str) -> list[dict[str, Any]]:
        """Return the lines of `table` at a place."""
        works = self.table["work"][self.table["place"] == place]
        return [self.line(work, place) for work in works]

    def head(self) -> str:
        """Return the sizes as a line."""
        n, d, k = self.problem.n_samples, self.problem.n_features, self.problem.n_clusters
        size = f"{n:,} rows x {d:,} features of {self.problem.dtype}, {k:,} clusters"
        return f"{size}; metric {self.problem.metric}; X takes {bytes_text(self.data_bytes)}"

    def __str__(self) -> str:
        work = [("work", "operations", "bytes read")]
        work += [
            (TITLES[line["work"]], amount_text(line["flops"]), bytes_text(line["read_bytes"]))
            for line in self.lines_of(str(self.places[0].title))
        ]
        parts = [f"Plan for {self.head()}", "\n".join(wrapped(f"- {line}", "  ") for line in self.advice)]
        parts.append(align(work, right={1, 2}))
        parts += map(self._place_text, self.places)
        parts.append(notes_block(self.notes))
        return "\n\n".join(parts)

    def _place_text(self, place: Place) -> str:
        rows: list[tuple[str, ...]] = [HEADS]
        rows += map(cells_of, self.lines_of(str(place.title)))
        return f"On {place.title} ({place.speed_is})\n{align(rows, right={1, 2, 3, 5})}"

    def __repr__(self) -> str:
        return f"<Plan for {self.head()}>"


def cells_of(line: dict[str, Any]) -> tuple[str, ...]:
    """Return a line of a plan as text, under `HEADS`."""
    time = str(time_text(line["seconds"])) if line["fits"] != "no" else "-"
    memory, moved = bytes_text(line["memory_bytes"]), bytes_text(line["moved_bytes"])
    X = "too little memory" if line["fits"] == "no" else line["fits"]
    rows = amount_text(line["rows_in_a_day"]) + (" (memory)" if line["limited_by"] == "memory" else "")
    return TITLES[line["work"]], time, memory, moved, X, rows


def standard_error(problem: Problem) -> tuple[float, float]:
    """Return the standard error of a mean over the queries, of a sample without replacement; and the largest."""
    m, n = problem.n_queries, problem.n_samples
    of_one = math.sqrt((1 - m / n) / m)
    return SPREAD * of_one, WIDEST * of_one
