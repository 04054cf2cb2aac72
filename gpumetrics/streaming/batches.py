"""What all states have in common: numbered batches, and merging of equal settings only."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Self

from gpumetrics.clustering.fitted import n_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["State", "check_not_empty", "metric_of"]


class State:
    """A statistic of the batches so far.

    What a state holds is never written to: a batch replaces it. So a batch that is refused leaves the state as it was,
    and `copy.copy` gives an independent state.

    Attributes
    ----------
    n_batches : int
    n_rows : int
        Rows so far, noise among them.
    statistic : object or None
        What the results are computed from; it merges with others. None before there is any row that counts.
    """

    _settings: tuple[str, ...] = ()
    """Names of the attributes that are arguments of the class, and in which states that merge are equal."""

    def __init__(self) -> None:
        self.n_batches = 0
        self.n_rows = 0
        self.statistic: Any = None

    def merge(self, other: Self) -> Self:
        """Return the state of the rows of both; the two stay as they are.

        Parameters
        ----------
        other : state of the same class
            With the same settings.

        Returns
        -------
        Self
            A new state, which takes further batches. Order and grouping of several merges do not matter.

        Raises
        ------
        ValueError
            If settings differ, or batches of the two could not come to one state.
        TypeError
            If the other is another kind of state.
        """
        self._check_mergeable(other)
        out = self._blank()
        out.n_batches = self.n_batches + other.n_batches
        out.n_rows = self.n_rows + other.n_rows
        out.statistic = _merged(self.statistic, other.statistic)
        return out

    def reset(self) -> Self:
        """Forget all batches, and keep the settings.

        Returns
        -------
        Self
            This state.
        """
        self.__dict__.update(self._blank().__dict__)
        return self

    def _blank(self) -> Self:
        """Return a state of the same settings without batches."""
        return type(self)(**{name: getattr(self, name) for name in self._settings})

    @contextlib.contextmanager
    def _batch(self, rows: Any) -> Iterator[None]:
        """Count a batch; an error that it causes begins with its number."""
        try:
            n = check_not_empty(rows)
            yield
        except (TypeError, ValueError) as error:
            if type(error) not in {TypeError, ValueError}:  # a subclass may need more than a text
                raise
            where = f"Batch {self.n_batches + 1} of this {type(self).__name__}, after {self.n_rows:,} rows"
            raise type(error)(f"{where}: {error}") from error
        self.n_batches += 1
        self.n_rows += n

    def _add(self, statistic: Any) -> None:
        """Add the statistic of a batch, or None of one without rows that count; the last thing that may fail."""
        self.statistic = _merged(self.statistic, statistic)

    def _check_mergeable(self, other: Any) -> None:
        ours = type(self).__name__
        if type(other) is not type(self):
            msg = f"A {ours} merges with another {ours} only, got {type(other).__name__}."
            raise TypeError(msg)
        for name in self._settings:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not theirs and mine != theirs:
                msg = f"States that merge must have the same {name}: this {ours} has {mine!r}, the other {theirs!r}."
                raise ValueError(msg)

    def _seen(self) -> Any:
        """Return the statistic, or raise before the first batch."""
        if not self.n_batches:
            msg = f"This {type(self).__name__} has seen no batch: call update first."
            raise ValueError(msg)
        return self.statistic

    def _text(self, **facts: Any) -> str:
        settings = {name: getattr(self, name) for name in self._settings}
        given = {name: value for name, value in settings.items() if value is not None}
        shown = ", ".join(f"{name}={value!r}" for name, value in (given | facts).items())
        return f"{type(self).__name__}({shown})"


def _merged(ours: Any, theirs: Any) -> Any:
    """Return the statistic of both, of which each may be None."""
    if ours is None or theirs is None:
        return theirs if ours is None else ours
    return ours.merge(theirs)


def check_not_empty(rows: Any) -> int:
    """Return the number of rows of a batch, or raise if it has none."""
    try:
        n = n_rows(rows)
    except TypeError:  # it is no array, which is said in the words of the argument
        return 0
    if not n:
        msg = "it has no rows; leave empty batches out."
        raise ValueError(msg)
    return n


def metric_of(
    metrics: Mapping[str, Callable[..., Any]], name: str, options: Mapping[str, Any], settled: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """Return the metric of this name, with or without "_score".

    Parameters
    ----------
    metrics : mapping of str to function
    name : str
    options : mapping
        Keyword arguments for it.
    settled : tuple of str
        Those that belong to the state, or to its batches.

    Raises
    ------
    ValueError
        If there is none.
    TypeError
        For a keyword that is settled.
    """
    found = (metrics.get(name) or metrics.get(f"{name}_score")) if isinstance(name, str) else None
    if found is None:
        msg = f"metric must be one of {', '.join(map(repr, sorted(metrics)))}; got {name!r}."
        raise ValueError(msg)
    for option in settled:
        if option in options:
            msg = f"result() takes no {option!r}: what it says belongs to the state, or to update()."
            raise TypeError(msg)
    return found
