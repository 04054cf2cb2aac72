"""Fits: one after the other or by joblib; what fails has its reason, and an interrupt keeps what is done."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from gpumetrics.backends import is_device_array
from gpumetrics.choosing.clusterers import fresh, labels_from
from gpumetrics.exceptions import warn
from gpumetrics.progress import progress
from gpumetrics.text.messages import said
from gpumetrics.validation import check_consistent_length, encode_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gpumetrics.choosing.settings import Setting

__all__ = ["Attempt", "Fit", "attempt", "check_jobs", "fit_all", "in_order"]

T = TypeVar("T")

LONG = 10.0  # seconds of expected fits from which a bar is shown
LONGEST_REASON = 300
UNUSABLE = "its labels cannot be used: {error}"


@dataclass
class Fit:
    """What became of one setting.

    Attributes
    ----------
    labels : array or None
        None where it failed.
    failure : str
        Why it failed.
    warnings : list of str
        What the clusterer warned of.
    seconds : float
    """

    labels: Any = None
    failure: str = ""
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Attempt(NamedTuple):
    """What a piece of work gave, or why it failed; and what it warned of, each warning on one line."""

    value: Any
    failure: str
    warnings: list[str]


def attempt(work: Callable[[], Any]) -> Attempt:
    """Do what may raise anything, and warn of anything."""
    value, failure = None, ""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            value = work()
        except Exception as error:  # noqa: BLE001  (a clusterer may raise anything; the other fits go on)
            failure = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")[:LONGEST_REASON]
    return Attempt(value, failure, [" ".join(str(warning.message).split()) for warning in seen])


def check_jobs(n_jobs: Any) -> None:
    """Raise ValueError unless it is None or a number of jobs."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")


def in_order(work: Callable[..., T], calls: Sequence[tuple[Any, ...]], X: Any, n_jobs: int | None) -> Iterator[T]:
    """Yield ``work(*call)`` for each call in its order: one after the other, or several at once in other processes.

    Raises
    ------
    KeyboardInterrupt
        Also where it reaches one of the processes first.
    """
    parallel = _parallel(X, n_jobs)
    if parallel is None:
        for call in calls:
            yield work(*call)
        return
    from joblib import delayed

    results = parallel(delayed(_elsewhere)(work, call) for call in calls)
    with _closed_at_the_end(results):
        for result in results:
            if result is None:
                raise KeyboardInterrupt
            yield result


def _parallel(X: Any, n_jobs: int | None) -> Any:
    """Return joblib's pool, or None for one fit after the other."""
    if n_jobs is None or n_jobs == 1 or is_device_array(X):  # a GPU's memory is not handed to other processes
        return None
    try:
        from joblib import Parallel
    except ImportError:
        warn(f"n_jobs={n_jobs} needs joblib (pip install joblib): the fits are made one after the other.")
        return None
    return Parallel(n_jobs=n_jobs, return_as="generator")


def _elsewhere(work: Callable[..., T], call: tuple[Any, ...]) -> T | None:
    """Work in another process, which an interrupt at the terminal reaches too: without a traceback of its own."""
    try:
        return work(*call)
    except KeyboardInterrupt:
        return None


@contextlib.contextmanager
def _closed_at_the_end(results: Any) -> Iterator[None]:
    """End the work that nobody waits for any more, without joblib's advice on it."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results.close()


def fit_all(
    X: Any, clusterer: Any, settings: Sequence[Setting], *, n_samples: int, n_jobs: int | None, seed: int | None
) -> tuple[list[Fit], bool]:
    """Fit every setting; return what became of each, in order, and whether an interrupt cut them short.

    Raises
    ------
    KeyboardInterrupt
        If no setting was done before it.
    """
    fits = in_order(_fit, [(clusterer, setting.parameters, seed, X, n_samples) for setting in settings], X, n_jobs)
    done: list[Fit] = []
    try:
        if n_jobs in {None, 1}:  # the first tells whether the others will take long
            done.append(next(fits))
        long_work = not done or done[0].seconds * len(settings) > LONG
        with progress(len(settings), "fit", long_work=long_work) as tick:
            tick(len(done))
            for fit in fits:
                done.append(fit)
                tick(1)
    except KeyboardInterrupt:
        if not done:
            raise
        return done, True
    return done, False


def _fit(clusterer: Any, parameters: dict[str, Any], seed: int | None, X: Any, n_samples: int) -> Fit:
    """Fit a fresh clusterer; what it raises becomes the reason, what it warns of is kept."""
    started = time.perf_counter()
    labels, failure, warned = attempt(lambda: labels_from(fresh(clusterer, parameters, seed), X))
    seconds = time.perf_counter() - started
    if failure:
        return Fit(failure=said("the clusterer failed: {error}", error=failure), warnings=warned, seconds=seconds)
    try:
        check_consistent_length(n_samples, encode_labels(labels, "labels").n_samples)
    except (ValueError, TypeError) as error:
        text = " ".join(str(error).split())[: LONGEST_REASON - len(said(UNUSABLE, error=""))]
        return Fit(failure=said(UNUSABLE, error=text), warnings=warned, seconds=seconds)
    if getattr(labels, "ndim", 1) == 2:
        labels = labels[:, 0]
    return Fit(labels, "", warned, seconds)
