"""Stability: whether a clusterer finds the same clusters again, from another start or another sample of the rows."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from gpumetrics.choosing.stability_measure import RunLabels, checked_rows, measure
from gpumetrics.choosing.stability_notes import BOOTSTRAP, with_notes
from gpumetrics.choosing.stability_runs import (
    Job,
    can_predict,
    check_labels,
    check_settings,
    outcomes,
    planned_jobs,
    rows_in,
    seeds_for,
)
from gpumetrics.clustering.labelings import named_labelings
from gpumetrics.progress import progress
from gpumetrics.sources.chunks import as_array
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.choosing.stability_runs import Outcome
    from gpumetrics.text.messages import Message

__all__ = ["stability", "stability_of"]

ALL_ROWS = said("the clusterer on all rows")
SAME_LABELS = said(
    "Every run gave each row the very same label: if the clusterer makes no use of its random_state, this agreement "
    'says nothing of the data; that of resample="bootstrap" does.'
)


def stability(  # noqa: PLR0913  (settings, by keyword)
    X: Any,
    clusterer: Any,
    *,
    n_runs: int = 10,
    resample: str | None = None,
    subsample_size: float | None = None,
    predict: bool | None = None,
    reference: Any = None,
    noise_label: Any = -1,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Stability:
    """Run a clusterer again and again, and measure whether it finds the same clusters.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        Handed to the clusterer as it is. If its ``metric`` or ``affinity`` is "precomputed": (n_samples, n_samples).
    clusterer : object or class
        With ``fit_predict``, or ``fit`` and then ``labels_``: one of scikit-learn's, of cuML's, HDBSCAN. Each run fits
        a copy of it with a seed of its own in every ``random_state`` that it, or a part of it, has.
    n_runs : int, default=10
        Two at least.
    resample : {None, "bootstrap", "subsample"}, default=None
        None: every run has all rows, and another seed. Else each has rows drawn at random, with replacement as many
        as there are or without; use it for a clusterer that has no ``random_state``.
    subsample_size : float or int, optional
        Share, or number, of the rows in a subsample. None: 0.8.
    predict : bool, optional
        Whether runs on a sample label all rows by the clusterer's ``predict``; else only rows that two runs both drew
        are compared. None: if it has one. Only with `resample`.
    reference : array-like of shape (n_samples,), optional
        Labels whose clusters are judged. None: without resampling those of the run that agrees most with the others;
        with it, those of one more run on all rows.
    noise_label : label, default=-1
        A row with this label is in no cluster of that run, and shares it with no row. None: no label is noise.
    n_jobs : int, optional
        Runs at a time, in processes of joblib's. For arrays on a GPU always one.
    random_state : int, Generator, RandomState, None, or list of n_runs int
        Seed of everything; or the seeds of the runs themselves.

    Returns
    -------
    Stability
        ``print`` it. ``mean`` over pairs of runs of the adjusted Rand index (higher is better; by a rule of thumb above
        0.9 real structure, near 0.5 borders that depend on the start), ``per_cluster`` with the Jaccard stability of
        each cluster, ``instability`` of each row.

    Raises
    ------
    ValueError
        For a setting out of range or without effect, a clusterer that would do the same in every run, a reference of
        another length than X: before any run; and if fewer than two runs succeed.
    TypeError
        If the clusterer is none.

    Warns
    -----
    UserWarning
        If `n_jobs` asks for several runs at a time and joblib is not installed.

    Notes
    -----
    A run that fails is left out, and `Stability.notes` says why. A keyboard interrupt ends the runs and returns the
    stability of those that are done, if they are two at least.

    A row that a bootstrap sample has twice is given to the clusterer twice, and compared once. The Jaccard indices of a
    cluster are on the rows of the sample, as clusterboot's; on all rows where `predict` labels these.

    Beyond the runs the cost is O(n_runs n), and O(c) for
    each pair of runs with c the number of distinct rows of labels, which are few where runs agree.

    References
    ----------
    C. Hennig (2007), "Cluster-wise assessment of cluster stability", Computational Statistics and Data Analysis 52,
    258-271 (R's fpc::clusterboot); A. Ben-Hur, A. Elisseeff and I. Guyon (2002), "A stability based method for
    discovering structure in clustered data", Pacific Symposium on Biocomputing 7, 6-17.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from gpumetrics import stability
    >>> X = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]
    >>> found = stability(X, KMeans(n_clusters=2, n_init=5), n_runs=5, random_state=0)
    >>> found.mean, found.band, found.per_cluster["jaccard"].tolist()
    (1.0, 'structure', [1.0, 1.0])
    """
    check_settings(clusterer, n_runs, resample, subsample_size, predict, n_jobs)
    X = as_array(X)  # what clusterers take
    n_samples = rows_in(X)
    if n_samples < 2:
        msg = f"X must have two rows at least, got {n_samples}"
        raise ValueError(msg)
    check_labels(reference, noise_label, n_samples)
    predict = can_predict(clusterer) if predict is None else predict
    seeds, source = seeds_for(random_state, int(n_runs))
    jobs = planned_jobs(n_samples, seeds, source, resample, subsample_size)
    name = clusterer.__name__ if isinstance(clusterer, type) else " ".join(repr(clusterer).split())
    facts = {"clusterer": name, "resample": _how(resample, jobs, predict=predict)}
    first = [Job(seeds[0])] if resample is not None and reference is None else []
    notes: dict[str, str] = {}
    work = outcomes(clusterer, X, first + jobs, predict=resample is not None and predict, n_jobs=n_jobs)
    done = _as_far_as_it_goes(work, len(first), len(jobs), notes)
    if first:
        reference, done = _labels_of_all_rows(done[0]), done[1:]
        facts["reference_name"] = ALL_ROWS
    runs = _good_runs(done, jobs, notes)
    found = measure(runs, n_samples, reference=reference, noise_label=noise_label, notes=notes, **facts)
    if _same_labels(list(runs.values()), jobs[0], n_samples, resample):
        notes["same"] = SAME_LABELS
    return with_notes(found, resample)


def stability_of(
    labelings: Any, *, rows: Sequence[Any] | None = None, reference: Any = None, noise_label: Any = -1
) -> Stability:
    """Measure whether labelings that are there already, of the same rows, have the same clusters.

    Parameters
    ----------
    labelings : array-like of shape (n_samples, n_labelings), DataFrame, list or dict
        One labeling in each column; or a list of labelings; or a dict, or a DataFrame, of labelings by their names.
    rows : list of array-like of int, optional
        For labelings of samples: which rows of the whole each of them is of, none twice. None: all are of all rows.
    reference : array-like of shape (n_samples,), or name or number of a labeling, optional
        Labels whose clusters are judged. None: the labeling that agrees most with the others (of those of all rows,
        if there are any).
    noise_label : label, default=-1
        As in `stability`.

    Returns
    -------
    Stability
        As `stability` returns it.

    Raises
    ------
    ValueError
        For fewer than two labelings, missing labels, or lengths that differ.

    Notes
    -----
    Cost as in `stability`, without the runs.

    References
    ----------
    C. Hennig (2007), Computational Statistics and Data Analysis 52, 258-271.

    Examples
    --------
    >>> from gpumetrics import stability_of
    >>> found = stability_of([[0, 0, 1, 1, 2, 2], [5, 5, 3, 3, 3, 3]])
    >>> round(found.mean, 3), found.per_cluster["jaccard"].tolist(), found.instability.round(2).tolist()
    (0.444, [1.0, 0.5, 0.5], [0.0, 0.0, 0.67, 0.67, 0.67, 0.67])
    """
    named, _ = named_labelings(labelings)
    if len(named) < 2:
        msg = f"stability needs two labelings at least, got {len(named)}"
        raise ValueError(msg)
    if rows is None:
        runs = {name: RunLabels(labels) for name, labels in named.items()}
        n_samples = len(next(iter(named.values())))
    else:
        parts = checked_rows(rows, len(named))
        runs = {name: RunLabels(labels, part) for (name, labels), part in zip(named.items(), parts, strict=True)}
        n_samples = 1 + max(int(part.max(initial=-1)) for part in parts)
        if reference is not None and not isinstance(reference, str | Integral | tuple):
            n_samples = max(n_samples, len(reference))
    how = said("labelings as given") if rows is None else said("labelings as given, each of rows of its own")
    found = measure(runs, n_samples, reference=reference, noise_label=noise_label, clusterer="", resample=how, notes={})
    return with_notes(found, "" if rows is None else "given")


def _as_far_as_it_goes(work: Iterator[Outcome], n_first: int, n_runs: int, notes: dict[str, str]) -> list[Outcome]:
    """Return the outcomes of all jobs, or of those that were done before an interrupt; `n_first` are no runs."""
    done: list[Outcome] = []
    try:
        with progress(n_first + n_runs, "run", long_work=True) as tick:
            for outcome in work:
                done.append(outcome)
                tick(1)
    except KeyboardInterrupt:
        if sum(not outcome.error for outcome in done[n_first:]) < 2:
            raise
        n = len(done) - n_first
        notes["interrupted"] = said("Interrupted: {n} of {n_runs} runs are done.", n=n, n_runs=n_runs)
    return done


def _labels_of_all_rows(outcome: Outcome) -> Any:
    if outcome.error:
        msg = f"the clusterer fails on all rows, so that there is nothing to judge: {outcome.error}"
        raise ValueError(msg)
    return outcome.labels


def _good_runs(done: list[Outcome], jobs: list[Job], notes: dict[str, str]) -> dict[Any, RunLabels]:
    """Return the runs that have labels, by number; note why the others have none."""
    runs: dict[Any, RunLabels] = {}
    for at, (outcome, job) in enumerate(zip(done, jobs, strict=False)):
        if outcome.error:
            notes[f"run {at}"] = said("Run {run} failed and is left out: {error}", run=at, error=outcome.error)
        else:
            runs[at] = RunLabels(outcome.labels, outcome.rows, job.seed)
    warned = [outcome.warning for outcome in done if outcome.warning]
    if warned:
        notes["warnings"] = said(
            "The clusterer warned in {n} of {n_runs} runs; first of all: {text}",
            n=len(warned),
            n_runs=len(done),
            text=warned[0],
        )
    if len(runs) < 2:
        first = next((outcome.error for outcome in done if outcome.error), "")
        msg = f"{len(runs)} of {len(done)} runs succeeded, and stability needs two; the first failure: {first}"
        raise ValueError(msg)
    return runs


def _same_labels(runs: list[RunLabels], job: Job, n_samples: int, resample: str | None) -> bool:
    """Whether runs on the same rows, all of them, came to the same labels, number for number."""
    every_row = job.drawn is None or (resample != BOOTSTRAP and len(job.drawn) == n_samples)
    return every_row and all(bool((run.labels == runs[0].labels).all()) for run in runs[1:])


def _how(resample: str | None, jobs: list[Job], *, predict: bool) -> Message:
    if resample is None:
        return said("all rows in each, other seeds")
    compared = said("all rows labelled by predict") if predict else said("compared on the rows that both drew")
    n = 0 if jobs[0].drawn is None else len(jobs[0].drawn)
    if resample == BOOTSTRAP:
        return said("bootstrap of {n:,} rows (with replacement) in each, {compared}", n=n, compared=compared)
    return said("subsample of {n:,} rows (without replacement) in each, {compared}", n=n, compared=compared)
