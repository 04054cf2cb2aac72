"""Calinski-Harabasz and Davies-Bouldin: formulas over the cluster moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.exceptions import warn_undefined
from gpumetrics.statistics.moments import ClusterMoments, cluster_moments
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["calinski_harabasz_score", "davies_bouldin_score"]


def calinski_harabasz_score(X: Any, labels: Any, *, noise_label: Any = None) -> float:
    """Calinski-Harabasz index: dispersion between clusters over dispersion within, each by its degrees of freedom.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows, of any numeric dtype and layout.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    noise_label : label, optional
        Rows with this label are left out.

    Returns
    -------
    float
        From 0, without bound; higher is better. It compares clusterings of the same rows only, and grows with
        their number. inf, with a warning, where no cluster has any spread; nan where all rows are equal besides
        (scikit-learn gives 1.0 in both cases).

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes, one cluster or as many clusters as rows.

    Notes
    -----
    O(n d), in one pass over X (two or three where the data is far from the origin); memory O(k d).
    All sums are float64: of the rows where these are near the origin, else of differences from a row of the cluster.
    On a GPU the call waits while X and labels are checked, once after each pass, and for the value.

    References
    ----------
    T. Calinski and J. Harabasz (1974), "A dendrite method for cluster analysis", Communications in Statistics 3,
    1-27.

    Examples
    --------
    >>> from gpumetrics import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    18.0
    """
    if is_dask(X, labels):
        from gpumetrics.dask.statistics import moments

        return calinski_harabasz_from(moments(X, labels, noise_label, spreads=False)[0])
    with on_device_of(X=X, labels=labels):
        data = check_clustered(X, labels, noise_label)
        return calinski_harabasz_from(cluster_moments(data.features, data.codes, data.sizes, spreads=False))


def calinski_harabasz_from(moments: ClusterMoments) -> float:
    """Calinski-Harabasz index of known moments."""
    k = len(moments.size)
    within, between = float(moments.within.sum()), moments.between()
    if within == 0.0:
        value = float("inf") if between > 0 else float("nan")
        what = said("no cluster has any spread")
        if np.isnan(value):
            what = said("no cluster has any spread, and all rows are equal")
        warn_undefined(
            said("Calinski-Harabasz is {value}: {what}. See 'Differences from scikit-learn'.", value=value, what=what)
        )
        return value
    return between / within * ((moments.n_samples - k) / (k - 1))


def davies_bouldin_score(X: Any, labels: Any, *, noise_label: Any = None) -> float:
    """Davies-Bouldin index: how similar each cluster is to its most similar other, on average.

    Two clusters are similar when they are wide and close: R_ij = (S_i + S_j) / d(c_i, c_j), with S the mean
    distance of the members to their centroid c. Each cluster counts with its largest R only.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows, of any numeric dtype and layout.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    noise_label : label, optional
        Rows with this label are left out.

    Returns
    -------
    float
        From 0; lower is better. inf, with a warning, where two centroids coincide and there is spread
        (scikit-learn ignores such a pair and may give 0.0, the best value); nan where there is none either.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes, one cluster or as many clusters as rows.

    Notes
    -----
    O(n d + k^2 d), in two passes over X; memory O(k d): the k x k matrix never exists. On a GPU the call waits while
    X and labels are checked, and for the clusters' values.

    References
    ----------
    D. L. Davies and D. W. Bouldin (1979), "A cluster separation measure", IEEE Transactions on Pattern Analysis
    and Machine Intelligence 1, 224-227.

    Examples
    --------
    >>> from gpumetrics import davies_bouldin_score
    >>> round(davies_bouldin_score([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]), 6)
    0.333333
    """
    if is_dask(X, labels):
        from gpumetrics.dask.statistics import moments

        return davies_bouldin_from(moments(X, labels, noise_label, spreads=True)[0])
    with on_device_of(X=X, labels=labels):
        data = check_clustered(X, labels, noise_label)
        return davies_bouldin_from(cluster_moments(data.features, data.codes, data.sizes))


def davies_bouldin_from(moments: ClusterMoments) -> float:
    """Davies-Bouldin index of known moments."""
    return davies_bouldin_of(worst_partners(moments)[0])


def worst_partners(moments: ClusterMoments) -> tuple[Array, Array, Array]:
    """Largest R of each cluster, the cluster it is reached with, and the one with the nearest centroid."""
    ops = operations_on(moments.anchor)
    ratio, partner, nearest = ops.worst_partners(moments.anchor, moments.shift, moments.spread, moments.rms)
    return ratio, partner, nearest


def davies_bouldin_of(ratio: Array) -> float:
    """Mean of the clusters' largest R, with a warning where it is undefined."""
    value = float(np.mean(ratio))
    if not np.isfinite(value):
        what = said("the centroids of two clusters coincide")
        if np.isnan(value):
            what = said("two centroids coincide, and neither cluster has any spread")
        warn_undefined(
            said("Davies-Bouldin is {value}: {what}. See 'Differences from scikit-learn'.", value=value, what=what)
        )
    return value
