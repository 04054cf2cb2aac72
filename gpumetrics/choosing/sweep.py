"""`sweep`: fit a clusterer under many settings, and compare what comes of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.choosing.clusterers import (
    LARGEST_SEED,
    check_clusterer,
    clusters_parameter,
    is_density_based,
    parameters_of,
)
from gpumetrics.choosing.compare import compared
from gpumetrics.choosing.facts import DEFAULT_SCORES
from gpumetrics.choosing.fitting import Fit, check_jobs, fit_all
from gpumetrics.choosing.lines import Line
from gpumetrics.choosing.settings import DEFAULT_CLUSTERS, Setting, settings_of
from gpumetrics.choosing.wishes import check_wishes
from gpumetrics.config import config_context
from gpumetrics.evaluation.stratified import draw_integers
from gpumetrics.features import check_features
from gpumetrics.sources.chunks import as_array
from gpumetrics.text.messages import said, with_commas
from gpumetrics.validation import check_consistent_length, encode_labels, noise_mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.choosing.comparison import Comparison

__all__ = ["sweep"]

MOST_WARNINGS = 5
MOST_NAMES = 8  # of settings with the same warning


def sweep(  # noqa: PLR0913  (keywords)
    X: Any,
    clusterer: Any,
    param_grid: Any = None,
    *,
    n_clusters: Any = None,
    scores: Any = DEFAULT_SCORES,
    labels_true: Any = None,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: str = "auto",
    narrow: bool | int = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> Comparison:
    """Fit a clusterer under many settings and compare the labelings, as `compare_labelings` does.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, which the clusterer gets as they are; or their distances if ``metric="precomputed"``.
    clusterer : object or class
        Of scikit-learn, cuML, hdbscan or any other library, with ``fit_predict``, or ``fit`` and then ``labels_`` or
        ``predict``; also a pipeline. It is not changed: each setting gets a copy.
    param_grid : dict or list of dict, optional
        Values, or lists of values, for the clusterer's parameters; all combinations of each dict are taken.
    n_clusters : iterable of int, optional
        Numbers of clusters (components, for a mixture). range(2, 16) if neither this nor `param_grid` is given.
    scores : str or sequence of str, default=("silhouette", "calinski_harabasz", "davies_bouldin")
        The scores that choose, as in `compare_labelings`.
    labels_true : array-like of shape (n_samples,), optional
        Known classes; adds the scores against them.
    metric : str or callable, default="euclidean"
        Distance of the silhouette; take the one that the clusterer uses.
    noise_label : label, default=-1
        Rows with this label are left out of the scores of that labeling, and counted.
    silhouette : {"auto", "exact", "estimate", "skip"}, default="auto"
        As in `compare_labelings`; the rows of an estimate are the same for every setting.
    narrow : bool or int, default=False
        For large data: only the best settings by Calinski-Harabasz get a silhouette, 5 or the number given.
    n_jobs : int, optional
        Fits at the same time, in processes of joblib's if it is installed; -1 for all cores. One after the other
        if it is None, or if X lies on a GPU. The scores use all cores anyway.
    random_state : int, Generator, RandomState or None
        Seed of the sample of an estimate, and of clusterers that have a ``random_state`` of None: the same seed for
        every setting.
    **kwds
        Options of the metric, as in `silhouette_score`.

    Returns
    -------
    Comparison
        With a line for each setting. Only what varies names it: the number of clusters if that is `n_clusters` alone,
        else the parameters that vary. A setting that fails, or gives one cluster, is a line without scores that says
        why. ``labels(name)`` gives the labels, where the clusterer left them.

    Raises
    ------
    ValueError
        For parameters that the clusterer does not have, a grid without a setting, or if every setting fails; and as
        in `compare_labelings`.
    TypeError
        If the clusterer cannot cluster; for a keyword that the metric does not take.
    KeyboardInterrupt
        If no setting was fitted before the interrupt. A later one ends the fits, or the scores: what is done is
        compared, and ``notes["interrupted"]`` says so.

    Notes
    -----
    The cost is that of the fits and of `compare_labelings`. The labels of all settings are kept.

    References
    ----------
    As `compare_labelings`.

    Examples
    --------
    >>> from gpumetrics import sweep
    >>> class Cuts:
    ...     "Cut a line into n_clusters pieces of equal length."
    ...     n_clusters = 2
    ...     def fit_predict(self, X):
    ...         return [min(int(x * self.n_clusters / 10), self.n_clusters - 1) for [x] in X]
    >>> comparison = sweep([[0.0], [1.0], [5.0], [5.5], [9.0], [10.0]], Cuts(), n_clusters=range(2, 4))
    >>> print(comparison.agreement)
    All three scores agree on K = 3: silhouette 0.810, Calinski-Harabasz 108, Davies-Bouldin 0.170.
    """
    started = time.perf_counter()
    check_clusterer(clusterer)
    check_jobs(n_jobs)
    wishes, context = check_wishes("sweep", scores, metric, kwds, noise_label, silhouette, narrow, random_state)
    settings, kind = _settings(clusterer, param_grid, n_clusters)
    seed = None if random_state is None else _seed(random_state, wishes.generator)
    with config_context(**context):
        X = as_array(X)  # what clusterers take
        n_samples = _check_before_fits(X, labels_true, noise_label)
        fits, interrupted = fit_all(X, clusterer, settings, n_samples=n_samples, n_jobs=n_jobs, seed=seed)
        _refuse_nothing(fits)
        lines = [_line(setting, fit) for setting, fit in zip(settings, fits, strict=False)]
        labelings = {line.name: fit.labels for line, fit in zip(lines, fits, strict=True) if not fit.failure}
        return compared(
            X,
            labelings,
            lines,
            wishes,
            labels_true=labels_true,
            kind=kind,
            density_based=list(labelings) if is_density_based(clusterer) else (),
            notes=_notes(settings, fits, kind, interrupted=interrupted),
            keep_interrupted=True,
            started=started,
        )


def _check_before_fits(X: Any, labels_true: Any, noise_label: Any) -> int:
    """Check what the scores will need before hours are spent on fits; return the number of rows."""
    with on_device_of(X=X, labels_true=labels_true):
        n_samples = check_features(X, accept_sparse=True).n_samples
        if labels_true is not None:
            check_consistent_length(n_samples, encode_labels(labels_true, "labels_true").n_samples)
    noise_mask(encode_labels([0, "of any kind"]), noise_label)
    return n_samples


def _settings(clusterer: Any, param_grid: Any, n_clusters: Any) -> tuple[list[Setting], str]:
    if n_clusters is None and param_grid is None:
        n_clusters = DEFAULT_CLUSTERS
    parameter = "" if n_clusters is None else clusters_parameter(clusterer)
    settings, kind = settings_of(param_grid, n_clusters, parameter)
    known = parameters_of(clusterer)
    if known is not None:
        given = [(name, setting.parameters) for setting in settings for name in setting.parameters]
        unknown = [name for name, own in given if name not in known and name.rpartition("__")[0] not in own]
        if unknown:
            own = ", ".join(name for name in known if "__" not in name)
            raise ValueError(f"param_grid has {unknown[0]!r}, which the clusterer does not take; it takes {own}")
    return settings, kind


def _seed(random_state: Any, generator: Any) -> int:
    """Return the seed for the clusterers: the one that is given, or one from the generator."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(draw_integers(generator, 0, LARGEST_SEED))


def _refuse_nothing(fits: Sequence[Fit]) -> None:
    if all(fit.failure for fit in fits):
        many = f"none of the {len(fits)} settings could be fitted" if len(fits) > 1 else "the setting cannot be fitted"
        raise ValueError(f"{many}: {fits[0].failure}")


def _line(setting: Setting, fit: Fit) -> Line:
    columns = {f"param_{name}": value for name, value in setting.parameters.items()}
    return Line(setting.name, failure=fit.failure, columns={**columns, "fit_seconds": fit.seconds})


def _notes(settings: Sequence[Setting], fits: Sequence[Fit], kind: str, *, interrupted: bool) -> dict[str, str]:
    notes: dict[str, str] = {}
    words = [said("K = {k}", k=setting.name) if kind == "n_clusters" else setting.name for setting in settings]
    if interrupted:
        notes["interrupted"] = said(
            "Interrupted: {n} of {n_settings} settings were fitted and are compared; missing from {name} on.",
            n=len(fits),
            n_settings=len(settings),
            name=words[len(fits)],
        )
    warned: dict[str, list[str]] = {}
    for word, fit in zip(words, fits, strict=False):
        for text in dict.fromkeys(fit.warnings):
            warned.setdefault(text, []).append(word)
    for number, (text, names) in enumerate(list(warned.items())[:MOST_WARNINGS]):
        where = with_commas(names[:MOST_NAMES])
        if len(names) > MOST_NAMES:
            where = said("{words} and {n} more", words=where, n=len(names) - MOST_NAMES)
        notes[f"fit_warning_{number + 1}"] = said("The clusterer warned at {where}: {text}", where=where, text=text)
    if len(warned) > MOST_WARNINGS:
        notes["fit_warnings"] = said("The clusterer gave {n} more warnings.", n=len(warned) - MOST_WARNINGS)
    return notes
