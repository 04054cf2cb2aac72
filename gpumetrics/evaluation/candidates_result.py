"""Candidates for a change of a clustering: clusters to split or merge, borders to look at."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.label_arrays import as_objects
from gpumetrics.results import Result
from gpumetrics.text.labels import json_value, printer
from gpumetrics.text.layout import align, format_score, notes_block, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.types import Array

__all__ = ["NAMES", "SHARES", "TITLES", "Candidates", "check_bound", "shown_columns"]

MOST_LINES = 20  # candidates printed
NAMES = ("cluster", "nearest_other", "other", "wider")  # columns of labels
TITLES = {
    "ashman_d": "Ashman's D",
    "n_rows": "rows",
    "n_evaluated": "of evaluated",
    "n_estimated": "in all about",
    "nearest_to_each_other": "mutual nearest",
    "most_similar_to_each_other": "mutual most similar",
}
ESTIMATED = ("n_evaluated", "n_estimated")
SHARES = ("share_negative", "share_of_cluster")  # columns in percent


def check_bound(name: str, value: Any, *, most: float = math.inf, whole: bool = False) -> None:
    """Raise ValueError unless a bound of a rule is a number of at least 0, and at most `most`; a whole one if asked."""
    kind = Integral if whole else Real
    if isinstance(value, bool) or not isinstance(value, kind) or not 0 <= float(value) <= most:
        what = "an integer" if whole else "a number"
        rule = "of at least 0" if most == math.inf else f"from 0 to {most:g}"
        msg = f"{name} must be {what} {rule}, got {value!r}"
        raise ValueError(msg)


@dataclass(frozen=True, eq=False, repr=False)
class Candidates(Result):
    """What to look at in a clustering, the most striking first, with the numbers that say why; ``print`` it.

    ``len`` is the number of candidates, and a loop gives each as a dict.

    Attributes
    ----------
    kind : {"split", "boundary", "merge"}
    table : dict of str to ndarray of shape (n_candidates,)
        The columns that `split_candidates`, `boundary_candidates` and `merge_candidates` describe.
    reasons : list of str
        One sentence for each.
    rule : str
        What makes a candidate.
    rows : list of ndarray of int64
        Rows of X that each candidate is about, the most striking first (of boundaries only).
    notes : dict of str to str
        Remarks under the subject they concern.
    """

    kind: str
    table: dict[str, Array]
    reasons: list[str]
    rule: str
    rows: list[Array] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.reasons)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        columns = {key: _plain(column) for key, column in self.table.items()}
        for at, reason in enumerate(self.reasons):
            yield {**{key: column[at] for key, column in columns.items()}, "reason": reason}

    def to_dict(self) -> dict[str, Any]:
        """Return it as one dict that `json.dumps` takes: the columns as lists, the rows as lists of numbers."""
        out: dict[str, Any] = {"kind": self.kind, "n_candidates": len(self), "rule": str(self.rule)}
        out |= {key: json_value(column) for key, column in self.table.items()}
        out["reason"] = [str(reason) for reason in self.reasons]
        out["notes"] = [str(note) for note in self.notes.values()]
        return out | ({"row_numbers": [rows.tolist() for rows in self.rows]} if self.kind == "boundary" else {})

    def _columns(self) -> dict[str, Array]:
        """Return the table, with the reasons."""
        return {**self.table, "reason": as_objects([str(reason) for reason in self.reasons])}

    def __str__(self) -> str:
        n = len(self)
        parts = [f"{self.kind.capitalize()} candidates: {n or 'none'}\n{wrapped(f'Rule: {self.rule}', '  ')}"]
        if n:
            parts.append(self._lines())
        if self.kind == "split":  # the others' sentences only say their lines again
            parts += ["\n".join(wrapped(f"- {reason}", "  ") for reason in self.reasons[:MOST_LINES])] if n else []
        if self.notes:
            parts.append(notes_block(self.notes.values()))
        return "\n\n".join(parts)

    def _lines(self) -> str:
        table = shown_columns(self)
        show = printer(np.concatenate([table[key] for key in NAMES if key in table]))
        rows = [tuple(TITLES.get(key, key.replace("_", " ")) for key in table)]
        entries = list(self)[:MOST_LINES]
        rows += [tuple(_cell(key, entry[key], show) for key in table) for entry in entries]
        right = {i for i, column in enumerate(table.values()) if column.dtype.kind in "if"}
        right -= {i for i, key in enumerate(table) if key in NAMES}
        more = len(self) - MOST_LINES
        return align(rows, right) + (f"\n... and {more:,} more (all of them in the table)" if more > 0 else "")

    def __repr__(self) -> str:
        n = len(self)
        return f"<Candidates: {n} {self.kind} candidate{'s' * (n != 1)}; print it for the reasons>"


def shown_columns(found: Candidates) -> dict[str, Array]:
    """Return the columns that a reader is shown: of rows that are all counted no estimate of how many they are."""
    exact = "n_estimated" in found.table and bool((found.table["n_estimated"] == found.table["n_rows"]).all())
    return {key: column for key, column in found.table.items() if not (exact and key in ESTIMATED)}


def _plain(column: Array) -> list[Any]:
    return list(column) if column.dtype.kind in "mM" else column.tolist()


def _cell(key: str, value: Any, show: Callable[[Any], str]) -> str:
    if key in NAMES:
        return show(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key in SHARES:
        return f"{100 * value:.1f} %"
    if isinstance(value, float):
        return format_score(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
