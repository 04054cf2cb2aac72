"""Which columns of a table are features, and what a reader of their scores should know of them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.sources.chunks import RowChunks
from gpumetrics.sources.specs import InputFileError
from gpumetrics.text.labels import on_one_line
from gpumetrics.text.messages import counted, said, with_commas

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Choice", "FeatureTable", "drop_hint", "listed"]

MOST_NAMES = 12
MUCH_VARIANCE = 0.9  # share of the total from which one column decides every distance
SAMPLED_VALUES = 4_000_000  # of the table, from which the shares of the variance are told
STRETCHES = 16  # that such a sample is made of, where rows are read from files
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>0|[1-9][0-9]{0,8})")


@dataclass(frozen=True)
class Choice:
    """Which columns of a table are features: all, or those of `columns`, without `drop` and the labels."""

    labels: Sequence[str] = ()
    drop: Sequence[str] = ()
    columns: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """The columns that are asked for, or out, by name."""
        return [*self.columns, *self.drop]

    def kept(self, path: Path, names: Sequence[str], known: Sequence[str] = ()) -> list[int]:
        """Return the positions of the features among the names; InputFileError for names that the table lacks.

        `known` are columns, such as an index, that may be named too.
        """
        for name in self.names:
            if name not in names and name not in known:
                raise InputFileError(f"{path}: no column is named {name!r} (columns: {listed(names)})")
        out = {*self.drop, *self.labels}
        at = [i for i, name in enumerate(names) if name not in out and (not self.columns or name in self.columns)]
        if not at:
            raise InputFileError(f"{path}: no column is left as a feature (columns: {listed(names)})")
        return at


class FeatureTable(NamedTuple):
    """Features, with the names of their columns where the file has them."""

    data: Any  # ndarray, or RowChunks
    used: tuple[str, ...] = ()  # one name alone where a column holds lists
    left_out: tuple[str, ...] = ()

    def notes(self, *, scale: bool = True) -> dict[str, str]:
        """Say which columns were used; with `scale` also which ones look like no feature, or outweigh the others.

        And, of rows that were read from files, whether they were copied on the way.
        """
        copied = self.data.notes() if isinstance(self.data, RowChunks) else {}
        return self._on_columns(scale=scale) | copied

    def _on_columns(self, *, scale: bool) -> dict[str, str]:
        if not self.used:
            return {}
        n = self.data.shape[1]
        used = counted(
            n, "Features: {n:,} column, {names}", "Features: {n:,} columns, {names}", names=listed(self.used)
        )
        if n != len(self.used):
            used = said("Features: column {name}, lists of {n:,} numbers", name=on_one_line(self.used[0]), n=n)
        left = said("; left out: {names}", names=listed(self.left_out)) if self.left_out else ""
        return {"features": said("{used}{left_out}.", used=used, left_out=left)} | (self._remarks() if scale else {})

    def _remarks(self) -> dict[str, str]:
        """Return remarks on the columns, if each has a name and there are several."""
        if not len(self.used) == self.data.shape[1] > 1 or not len(self.data):
            return {}
        rows = self._sample().astype(np.float64)
        out: dict[str, str] = {}
        with np.errstate(all="ignore"):  # what is not finite is refused where the scores are computed
            variances = rows.var(axis=0)
            shares = variances / variances.sum()
        top = int(np.argmax(shares))
        heavy = bool(shares[top] > MUCH_VARIANCE)
        if heavy:
            out["variance"] = said(
                "Column {name} holds {share:.1f} % of the variance: drop it with --drop {option}, or scale the "
                "columns.",
                name=on_one_line(self.used[top]),
                share=float(100 * shares[top]),
                option=_option([self.used[top]]),
            )
        return out | self._whole_numbers(rows, but=top if heavy else -1)

    def _sample(self) -> np.ndarray:
        """Return every n-th row; of rows that are read from files, those of stretches here and there."""
        step = max(1, self.data.size // SAMPLED_VALUES)
        if not isinstance(self.data, RowChunks) or step == 1:
            return np.asarray(self.data[::step])
        n = len(self.data)
        length = max(1, n // step // STRETCHES)
        starts = np.linspace(0, n - length, STRETCHES).astype(int).tolist()
        return np.concatenate([self.data[start : start + length] for start in starts])

    def _in_all_rows(self, columns: list[int]) -> tuple[list[int], list[int]]:
        """Return those of the columns that hold whole numbers only, and those that vary."""
        whole, low, high = np.ones(len(columns), bool), np.full(len(columns), np.inf), np.full(len(columns), -np.inf)
        blocks = (block for _, block in self.data) if isinstance(self.data, RowChunks) else [self.data]
        for block in blocks if columns else ():
            values = block[:, columns]
            whole &= (values == np.floor(values)).all(axis=0)
            low, high = np.minimum(low, values.min(axis=0)), np.maximum(high, values.max(axis=0))
        return [columns[at] for at in np.flatnonzero(whole)], [columns[at] for at in np.flatnonzero(high > low)]

    def _whole_numbers(self, rows: np.ndarray, but: int) -> dict[str, str]:
        """Name the columns of whole numbers among others; a constant one changes no distance."""
        likely = np.flatnonzero((rows == np.floor(rows)).all(axis=0)).tolist()
        whole, varying = self._in_all_rows(likely)
        names = [self.used[at] for at in whole if at != but and at in varying]
        if not names or len(whole) == len(self.used):
            return {}
        note = counted(
            len(names),
            "Column {names} holds whole numbers among columns of fractions: if it is a label or an id, use --drop "
            "{option}.",
            "Columns {names} hold whole numbers among columns of fractions: if they are labels or ids, use --drop "
            "{option}.",
            names=listed(names),
            option=_option(names),
        )
        return {"whole_numbers": note}


def listed(names: Sequence[str]) -> str:
    """Return names on one line; numbered ones in a row are shown by their ends.

    Examples
    --------
    >>> from gpumetrics.sources.feature_columns import listed
    >>> listed(["id", "e0", "e1", "e2", "e3", "topic"])
    'id, e0 to e3, topic'
    """
    parts: list[str] = []
    for run in _runs([on_one_line(name) for name in names]):
        parts += [said("{first} to {last}", first=run[0], last=run[-1])] if len(run) > 2 else run
    shown = with_commas(parts[:MOST_NAMES])
    if len(parts) > MOST_NAMES:
        return said("{names} and {n:,} more", names=shown, n=len(parts) - MOST_NAMES)
    return shown or said("none")


def _runs(names: Sequence[str]) -> list[list[str]]:
    """Part the names into runs that count up by one."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _next(runs[-1][-1]) == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    return runs


def _next(name: str) -> str | None:
    match = _NUMBERED.fullmatch(name)
    return f"{match['stem']}{int(match['number']) + 1}" if match else None


def drop_hint(names: Sequence[str]) -> str:
    """Say how columns that hold no numbers are left out."""
    return f"leave {'it' if len(names) == 1 else 'such columns'} out with --drop {_option(names)}"


def _option(names: Sequence[str]) -> str:
    """Return names as the command line takes them."""
    if len(names) > MOST_NAMES or not all(map(str.isprintable, names)):
        return "NAME,..."
    return shlex.quote(",".join(f'"{name}"' if "," in name else name for name in names))
