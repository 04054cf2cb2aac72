"""Silhouettes of many labelings of the same rows, from one pass over the distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import as_library_of
from gpumetrics.clustering.labelings import Labelings, check_labelings
from gpumetrics.clustering.shared_silhouettes import silhouettes_of_each
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import Metric, check_metric
from gpumetrics.exceptions import warn

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["mean_silhouettes", "silhouette_samples_many", "silhouette_scores"]


def silhouette_scores(
    X: Any, labelings: Any, *, metric: Any = "euclidean", noise_label: Any = None, **kwds: Any
) -> Array | dict[Any, float]:
    """Mean silhouette coefficient of each of many labelings of the same rows.

    Each value is that of `silhouette_score`, and all of them together cost little more than one: rows that share their
    cluster in every labeling form a cell, distances are summed over cells once, and a cluster of any labeling is made
    of cells.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labelings : array-like of shape (n_samples, n_labelings), DataFrame, list or dict
        One labeling in each column; or a list of labelings; or a dict, or a DataFrame, of labelings by their names.
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
    noise_label : label, optional
        Rows with this label are left out of that labeling, and of no other.
    **kwds
        As in `silhouette_samples`.

    Returns
    -------
    ndarray of shape (n_labelings,), float64, or dict of float
        In the order given; a dict by name for a dict or a DataFrame. From -1 to 1; higher is better.

    Raises
    ------
    ValueError
        For NaN or infinity in X, missing labels, wrong shapes or lengths, an unknown metric.
    TypeError
        For a keyword that the metric does not take.

    Warns
    -----
    UserWarning
        Where a labeling has one cluster, or as many as rows: its value is nan.

    Notes
    -----
    One pass of O(n^2 d) over the pairs of rows, and O(n c) for each labeling, with c cells. Labelings that are cuts of
    one tree have few cells; independent ones have more. Where they would be so many that more passes are cheaper, the
    labelings are divided among several, or get one each; the logger "gpumetrics" says which share one. Metrics with a
    closed form (cosine, sqeuclidean, correlation) take it once for each labeling. Memory follows ``working_memory``,
    besides 8 bytes for each row of a labeling and 16 for each of its cells.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import silhouette_scores
    >>> X = [[0.0], [1.0], [3.0], [4.0], [9.0]]
    >>> scores = silhouette_scores(X, {"two": [0, 0, 0, 0, 1], "three": [0, 0, 1, 1, 2]})
    >>> {name: round(score, 3) for name, score in scores.items()}
    {'two': 0.517, 'three': 0.526}
    """
    checked, settings = check_metric(metric, kwds, "silhouette_scores")
    with config_context(**settings), on_device_of(X=X, labelings=labelings):
        data = check_labelings(X, labelings, noise_label, metric=checked)
        values = mean_silhouettes(data, checked)
    return values if data.named is False else dict(zip(data.names, values.tolist(), strict=True))


def silhouette_samples_many(
    X: Any, labelings: Any, *, metric: Any = "euclidean", noise_label: Any = None, **kwds: Any
) -> Array | dict[Any, Array]:
    """Silhouette coefficient of each row in each of many labelings.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labelings : array-like of shape (n_samples, n_labelings), DataFrame, list or dict
        As in `silhouette_scores`.
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
    noise_label : label, optional
        Rows with this label are left out of that labeling, and of no other.
    **kwds
        As in `silhouette_samples`.

    Returns
    -------
    array of shape (n_labelings, n_samples), float64, or dict of arrays of shape (n_samples,)
        In the library and on the device of X. From -1 to 1, higher is better; nan for noise, and for every row of a
        labeling of one cluster, or of as many as rows.

    Raises
    ------
    ValueError, TypeError
        As in `silhouette_scores`.

    Warns
    -----
    UserWarning
        As `silhouette_scores` does.

    Notes
    -----
    Cost as in `silhouette_scores`; the result itself takes 8 n_labelings n_samples bytes.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import silhouette_samples_many
    >>> X = [[0.0], [1.0], [4.0], [9.0]]
    >>> silhouette_samples_many(X, [[0, 0, 1, 1], [0, 0, 0, 1]]).round(3).tolist()
    [[0.846, 0.818, -0.3, 0.412], [0.722, 0.75, 0.3, 0.0]]
    """
    checked, settings = check_metric(metric, kwds, "silhouette_samples_many")
    with config_context(**settings), on_device_of(X=X, labelings=labelings):
        data = check_labelings(X, labelings, noise_label, metric=checked)
        _warn_of_undefined(data)
        xp = array_module(data.each[0].codes) if data.each else np
        out = xp.full((len(data), data.n_samples), np.nan)
        for at, rows, s in silhouettes_of_each(data, checked):
            out[at, rows] = s
        values = as_library_of(out, X)
    return values if data.named is False else dict(zip(data.names, values, strict=True))


def mean_silhouettes(data: Labelings, metric: Metric) -> Array:
    """Return the mean silhouette of each labeling; nan, with a warning, where it is undefined."""
    _warn_of_undefined(data)
    sums, counts = np.zeros(len(data)), np.zeros(len(data))
    for at, _, s in silhouettes_of_each(data, metric):
        sums[at] += float(s.sum())
        counts[at] += len(s)
    out: Array = np.full(len(data), np.nan)
    return np.divide(sums, counts, out=out, where=counts > 0)


def _warn_of_undefined(data: Labelings) -> None:
    for at, name in enumerate(data.names):
        reason = data.each[at].why_undefined
        if reason:
            warn(f"The silhouette of labelings[{name!r}] is undefined, and nan: {reason}.")
