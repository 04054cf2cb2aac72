"""Scores of clustered tables in Dask's collections, with a client and more."""

from __future__ import annotations

from typing import Any

import gpumetrics as gm
from gpumetrics.clustering.compactness import calinski_harabasz_from, davies_bouldin_from
from gpumetrics.clustering.davies_bouldin_pairs import davies_bouldin_pairs_from
from gpumetrics.config import config_context
from gpumetrics.dask.silhouettes import Means, lazy_mean, refuse_sample
from gpumetrics.dask.statistics import lazy_moments
from gpumetrics.dask.tasks import later, running
from gpumetrics.distance_metrics import check_metric

__all__ = [
    "calinski_harabasz_score",
    "davies_bouldin_pairs",
    "davies_bouldin_score",
    "evaluate_clustering",
    "silhouette_estimate",
    "silhouette_samples",
    "silhouette_score",
]


def calinski_harabasz_score(
    X: Any, labels: Any, *, noise_label: Any = None, client: Any = None, compute: bool = True, split_every: int = 8
) -> Any:
    """Compute `gpumetrics.calinski_harabasz_score` of Dask collections; see `gpumetrics.dask`."""
    with running(client, split_every):
        if compute:
            return gm.calinski_harabasz_score(X, labels, noise_label=noise_label)
        return later(_calinski_harabasz, lazy_moments(X, labels, noise_label, spreads=False))


def davies_bouldin_score(
    X: Any, labels: Any, *, noise_label: Any = None, client: Any = None, compute: bool = True, split_every: int = 8
) -> Any:
    """Compute `gpumetrics.davies_bouldin_score` of Dask collections; see `gpumetrics.dask`."""
    with running(client, split_every):
        if compute:
            return gm.davies_bouldin_score(X, labels, noise_label=noise_label)
        return later(_davies_bouldin, lazy_moments(X, labels, noise_label, spreads=True))


def davies_bouldin_pairs(
    X: Any, labels: Any, *, noise_label: Any = None, client: Any = None, compute: bool = True, split_every: int = 8
) -> Any:
    """Compute `gpumetrics.davies_bouldin_pairs` of Dask collections; see `gpumetrics.dask`."""
    with running(client, split_every):
        if compute:
            return gm.davies_bouldin_pairs(X, labels, noise_label=noise_label)
        return later(_davies_bouldin_pairs, lazy_moments(X, labels, noise_label, spreads=True))


def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise_label: Any = None,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **kwds: Any,
) -> Any:
    """Compute `gpumetrics.silhouette_score` of Dask collections; see `gpumetrics.dask`."""
    with running(client, split_every):
        if compute:
            return gm.silhouette_score(X, labels, metric=metric, noise_label=noise_label, **kwds)
        refuse_sample(kwds.pop("sample_size", None))
        kwds.pop("random_state", None)
        checked, settings = check_metric(metric, kwds, "silhouette_score")
        with config_context(**settings):
            return later(_value, lazy_mean(X, labels, noise_label, checked))


def silhouette_samples(X: Any, labels: Any, *, client: Any = None, split_every: int = 8, **options: Any) -> Any:
    """Compute `gpumetrics.silhouette_samples` of Dask collections, as an array of Dask's; see `gpumetrics.dask`."""
    with running(client, split_every):
        return gm.silhouette_samples(X, labels, **options)


def silhouette_estimate(X: Any, labels: Any, *, client: Any = None, split_every: int = 8, **options: Any) -> Any:
    """Compute `gpumetrics.silhouette_estimate` of Dask collections; see `gpumetrics.dask`."""
    with running(client, split_every):
        return gm.silhouette_estimate(X, labels, **options)


def evaluate_clustering(X: Any, labels: Any, *, client: Any = None, split_every: int = 8, **options: Any) -> Any:
    """Compute `gpumetrics.evaluate_clustering` of Dask collections; see `gpumetrics.dask`."""
    with running(client, split_every):
        return gm.evaluate_clustering(X, labels, **options)


def _calinski_harabasz(found: Any) -> float:
    return calinski_harabasz_from(found[0])


def _value(means: Means) -> float:
    return means.value


def _davies_bouldin(found: Any) -> float:
    return davies_bouldin_from(found[0])


def _davies_bouldin_pairs(found: Any) -> Any:
    return davies_bouldin_pairs_from(*found)
