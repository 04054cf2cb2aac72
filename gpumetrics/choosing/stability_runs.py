"""The runs of a clusterer that a stability is made of: what is asked, fresh copies, other seeds, other samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import beside
from gpumetrics.choosing.clusterers import (
    LARGEST_SEED,
    check_clusterer,
    fresh,
    kind_name,
    labels_from,
    parameters_of,
    seeds_of,
)
from gpumetrics.choosing.fitting import attempt, check_jobs, in_order
from gpumetrics.choosing.stability_notes import BOOTSTRAP
from gpumetrics.evaluation.stratified import draw_integers, random_source
from gpumetrics.label_arrays import label_array
from gpumetrics.validation import check_consistent_length, encode_labels, noise_mask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.types import Array

__all__ = [
    "Job",
    "Outcome",
    "can_predict",
    "check_labels",
    "check_settings",
    "is_pairwise",
    "outcomes",
    "planned_jobs",
    "rows_in",
    "seeded",
    "seeds_for",
]

RESAMPLES = (None, BOOTSTRAP, "subsample")
SUBSAMPLE = 0.8  # of the rows, where nothing else is asked for


@dataclass(frozen=True)
class Job:
    """One run: its seed, and the rows that are drawn for it (None: all of them, as they are)."""

    seed: int
    drawn: Array | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a run.

    Attributes
    ----------
    labels : array or None
        One label for each of `rows`; None where the run failed.
    rows : ndarray of int64 or None
        Rows of X that have a label; None for all of them.
    error : str
        Why it failed.
    warning : str
        The first thing that the clusterer warned of.
    """

    labels: Any = None
    rows: Array | None = None
    error: str = ""
    warning: str = ""


def check_settings(clusterer: Any, n_runs: Any, resample: Any, subsample_size: Any, predict: Any, n_jobs: Any) -> None:
    """Check the settings of `stability` that need no data."""
    check_clusterer(clusterer)
    if resample is not None and (not isinstance(resample, str) or resample not in RESAMPLES):
        msg = f"resample must be one of {RESAMPLES}, got {resample!r}"
        raise ValueError(msg)
    if resample is None and not seeds_of(clusterer):
        msg = (
            f"{kind_name(clusterer)} has no random_state, so that every run on the same rows would give the same "
            'clusters: give resample="subsample" or resample="bootstrap".'
        )
        raise ValueError(msg)
    if not _is_whole(n_runs) or n_runs < 2:
        msg = f"n_runs must be an integer of at least 2, got {n_runs!r}"
        raise ValueError(msg)
    check_jobs(n_jobs)
    _check_size(subsample_size, resample)
    _check_predict(predict, clusterer, resample)


def _check_size(subsample_size: Any, resample: str | None) -> None:
    if subsample_size is None:
        return
    share = isinstance(subsample_size, Real) and 0 < float(subsample_size) < 1
    if not share and not (_is_whole(subsample_size) and subsample_size >= 2):
        rule = "a share between 0 and 1, or a number of rows of at least 2"
        msg = f"subsample_size must be {rule}, got {subsample_size!r}"
        raise ValueError(msg)
    if resample != "subsample":
        msg = (
            f'subsample_size={subsample_size!r} is for resample="subsample", and resample is {resample!r}: leave it out'
        )
        raise ValueError(msg)


def _check_predict(predict: Any, clusterer: Any, resample: str | None) -> None:
    if predict is None:
        return
    if not isinstance(predict, bool | np.bool_):
        msg = f"predict must be None, True or False, got {predict!r}"
        raise ValueError(msg)  # noqa: TRY004  (as for every other argument)
    if resample is None:
        msg = f"predict={predict!r} is for runs on a sample, and resample is None: leave it out, or give resample"
        raise ValueError(msg)
    if predict and not can_predict(clusterer):
        why = "takes distances of pairs of rows" if hasattr(clusterer, "predict") else "has none"
        msg = f"predict=True needs a clusterer with predict, and {kind_name(clusterer)} {why}: leave predict at None"
        raise ValueError(msg)


def check_labels(reference: Any, noise_label: Any, n_samples: int) -> None:
    """Raise unless the reference is None or has a label for each row, and the noise label is None or one label."""
    with on_device_of(reference=reference):
        encoded = encode_labels([0] if reference is None else reference, "reference")
        if reference is not None:
            check_consistent_length(n_samples, encoded.n_samples)
        noise_mask(encoded, noise_label)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def seeds_for(random_state: Any, n: int) -> tuple[list[int], Any]:
    """Return the seeds of n runs and the generator that draws their rows.

    Raises
    ------
    ValueError
        For a random state that is neither None, an integer from 0, a generator, nor as many integers as runs.
    """
    if isinstance(random_state, str) or not hasattr(random_state, "__len__"):
        source = random_source(random_state)
        return draw_integers(source, 0, LARGEST_SEED, size=n).tolist(), source
    seeds = list(random_state)
    whole = all(isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0 for seed in seeds)
    if len(seeds) != n or not whole:
        rule = f"one seed for all runs, or a list of n_runs={n} integers from 0"
        msg = f"random_state must be {rule}, got {random_state!r}"
        raise ValueError(msg)
    return [int(seed) for seed in seeds], np.random.default_rng([int(seed) for seed in seeds])


def planned_jobs(n_samples: int, seeds: list[int], source: Any, resample: str | None, size: float | None) -> list[Job]:
    """Plan the runs: with all rows, or each with rows of its own."""
    if resample is None:
        return [Job(seed) for seed in seeds]
    if resample == BOOTSTRAP:
        return [Job(seed, np.sort(draw_integers(source, 0, n_samples, size=n_samples))) for seed in seeds]
    size = SUBSAMPLE if size is None else size
    n_rows = max(2, min(n_samples, round(size * n_samples) if size < 1 else int(size)))
    return [Job(seed, np.sort(source.permutation(n_samples)[:n_rows]).astype(np.int64)) for seed in seeds]


def outcomes(clusterer: Any, X: Any, jobs: list[Job], *, predict: bool, n_jobs: int | None) -> Iterator[Outcome]:
    """Yield the outcome of each job, in their order; in processes of joblib's if `n_jobs` asks for several."""
    return in_order(_run, [(clusterer, X, job, predict) for job in jobs], X, n_jobs)


def _run(clusterer: Any, X: Any, job: Job, predict: bool) -> Outcome:  # noqa: FBT001  (a call of `in_order`)
    out, error, warned = attempt(lambda: _fit(seeded(clusterer, job.seed), X, job, predict=predict))
    return replace(out or Outcome(error=error), warning=warned[0] if warned else "")


def _fit(clusterer: Any, X: Any, job: Job, *, predict: bool) -> Outcome:
    if job.drawn is None:
        return Outcome(_checked(labels_from(clusterer, X), rows_in(X)))
    drawn = _take(X, job.drawn, pairwise=is_pairwise(clusterer))
    if predict:
        clusterer.fit(drawn)
        return Outcome(_checked(clusterer.predict(X), rows_in(X)))
    labels = _checked(labels_from(clusterer, drawn), len(job.drawn))
    rows, first = np.unique(job.drawn, return_index=True)  # a row that was drawn twice is one row
    return Outcome(labels[beside(first, labels)], rows)


def _checked(labels: Any, n_samples: int) -> Array:
    array = label_array(labels, "labels")
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if array.shape != (n_samples,):
        msg = f"the clusterer gave labels of shape {array.shape} for {n_samples} rows"
        raise ValueError(msg)
    return array


def seeded(clusterer: Any, seed: int) -> Any:
    """Return an unfitted copy with this seed wherever it, or a part of it, has a ``random_state``."""
    return fresh(clusterer, dict.fromkeys(seeds_of(clusterer), seed))


def is_pairwise(clusterer: Any) -> bool:
    """Whether it takes distances, or likenesses, of all pairs of rows in place of the rows."""
    names = parameters_of(clusterer) or {}
    return any(names.get(name) == "precomputed" for name in ("metric", "affinity"))


def can_predict(clusterer: Any) -> bool:
    """Whether it can tell the cluster of rows that it was not fitted to."""
    return hasattr(clusterer, "predict") and not is_pairwise(clusterer)


def rows_in(X: Any) -> int:
    """Return the number of rows of a table of any library."""
    if getattr(X, "shape", None):
        return int(X.shape[0])
    if hasattr(X, "shape") or not hasattr(X, "__len__"):
        msg = f"X must be a table of rows, got {X!r}"
        raise ValueError(msg)
    return len(X)


def _take(X: Any, rows: Array, *, pairwise: bool) -> Any:
    """Return these rows of a table of any library, and of distances these columns too."""
    if hasattr(X, "iloc"):
        return X.iloc[rows, rows] if pairwise else X.iloc[rows]
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    rows = beside(rows, X)
    return X[rows][:, rows] if pairwise else X[rows]
