"""Silhouettes: how much closer each row lies to its own cluster than to the nearest other one."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import array_module, beside
from gpumetrics.backends.interop import as_library_of
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.clustering.inputs import ClusteredData, check_clustered
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import Metric, check_metric
from gpumetrics.statistics.mean_distances import MeanDistances, mean_distances

if TYPE_CHECKING:
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["silhouette_samples", "silhouette_score"]


def silhouette_samples(
    X: Any, labels: Any, *, metric: Any = "euclidean", noise_label: Any = None, **kwds: Any
) -> Array:
    """Silhouette coefficient of each row.

    With a(x) the mean distance to the other members of the row's own cluster and b(x) the mean distance to the
    members of the nearest other cluster, s(x) = (b - a) / max(a, b).

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, of any numeric dtype and layout; or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row: integers, strings, anything with a label's identity.
    metric : str or callable, default="euclidean"
        A name that scikit-learn takes, "precomputed", or a symmetric function of two rows.
    noise_label : label, optional
        Rows with this label belong to no cluster: they are left out, and their silhouette is nan.
    **kwds
        The metric's own options: ``p``, ``w``, ``V``, ``VI`` (V and VI come from the whole of X if they are not
        given). ``working_memory`` overrides the setting; ``n_jobs`` is accepted and has no effect, since all
        cores are used.

    Returns
    -------
    array of shape (n_samples,), float64
        In the library and on the device of X (NumPy's for lists and dataframes). From -1 (in the wrong cluster) over
        0 (on the border) to 1 (well inside): higher is better. A cluster of one row scores 0, and so does a row with
        a = b = 0.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes, one cluster or as many clusters as rows, an unknown metric, a
        precomputed matrix with a non-zero diagonal or (sparse) with missing pairs.
    TypeError
        For a keyword that the metric does not take.

    Notes
    -----
    Cosine, sqeuclidean and correlation have a closed form, O(n k d). Manhattan is O(n d (log n + k)) for few
    clusters. Every other metric is O(n^2 d): each pair of rows once, in tiles, on all cores. Memory follows
    ``working_memory``, not n. Under cosine a zero row is at distance 1 from every other row, as in scikit-learn.

    On a GPU the call waits while X and labels are checked, and returns before the device has finished. Every metric
    but a function of two rows runs there; Manhattan is O(n^2 d) there.

    References
    ----------
    P. J. Rousseeuw (1987), "Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis", Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import silhouette_samples
    >>> X = [[0.0], [1.0], [4.0], [9.0]]
    >>> silhouette_samples(X, [0, 0, 1, 1]).round(3).tolist()
    [0.846, 0.818, -0.3, 0.412]
    """
    checked, settings = check_metric(metric, kwds, "silhouette_samples")
    with config_context(**settings), on_device_of(X=X, labels=labels):
        if is_dask(X, labels):
            from gpumetrics.dask.silhouettes import samples

            return samples(X, labels, noise_label, checked)  # type: ignore[no-any-return]
        data = check_clustered(X, labels, noise_label, metric=checked)
        s = silhouettes_of(data, checked)
        if data.kept is not None:
            every = array_module(s).full(data.n_given, np.nan)
            every[data.kept] = s
            s = every
        return as_library_of(s, X)  # type: ignore[no-any-return]


def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    noise_label: Any = None,
    **kwds: Any,
) -> float:
    """Mean silhouette coefficient over all rows.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
    sample_size : int, optional
        Score a random subset of the rows against itself, as scikit-learn does: the same rows and the same value
        for the same ``random_state``. Note that thinning both sides is biased, and may lose a cluster.
    random_state : int, RandomState or None
        Seed of the sample.
    noise_label : label, optional
        Rows with this label are left out.
    **kwds
        As in `silhouette_samples`.

    Returns
    -------
    float
        From -1 to 1; higher is better. It compares clusterings of the same data only.

    Raises
    ------
    ValueError, TypeError
        As in `silhouette_samples`.

    Notes
    -----
    Cost and memory as in `silhouette_samples`; on a GPU the call waits for the value.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import silhouette_score
    >>> round(silhouette_score([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]), 6)
    0.657143
    """
    checked, settings = check_metric(metric, kwds, "silhouette_score")
    _check_sample_size(sample_size)
    generator = _random_state(random_state)
    with config_context(**settings), on_device_of(X=X, labels=labels):
        if is_dask(X, labels):
            from gpumetrics.dask.silhouettes import mean_silhouette

            return mean_silhouette(X, labels, noise_label, checked, sample_size)
        data = check_clustered(X, labels, noise_label, metric=checked, check_number=sample_size is None)
        if sample_size is not None:
            data = data.sample(generator.permutation(data.features.n_samples)[:sample_size])
        return float(silhouettes_of(data, checked).mean())


def silhouettes_of(
    data: ClusteredData, metric: Metric, *, queries: Array | None = None, moments: ClusterMoments | None = None
) -> Array:
    """Silhouettes of checked data: of all rows, or of the rows `queries` against all rows; where the codes lie."""
    queries = None if queries is None else beside(queries, data.codes)
    return silhouette_from(
        mean_distances(data.features, data.codes, data.sizes, metric, queries=queries, moments=moments)
    )


def silhouette_from(distances: MeanDistances) -> Array:
    """The formula: (b - a) / max(a, b); 0 where a row is alone or a = b = 0, or they are nan or both inf."""
    xp = array_module(distances.own)
    larger = xp.maximum(distances.own, distances.nearest)
    with np.errstate(divide="ignore", invalid="ignore"):
        s: Array = (distances.nearest - distances.own) / larger
    out: Array = xp.where(distances.alone | (larger == 0) | xp.isnan(s), 0.0, s)
    return out


def _check_sample_size(sample_size: Any) -> None:
    if sample_size is None:
        return
    if isinstance(sample_size, bool) or not isinstance(sample_size, Integral) or int(sample_size) < 1:
        msg = (
            "The 'sample_size' parameter of silhouette_score must be an int in the range [1, inf) or None. "
            f"Got {sample_size!r} instead."
        )
        raise ValueError(msg)


def _random_state(seed: Any) -> Any:
    """The generator that scikit-learn would use for this seed, so that the sample is the same."""
    if seed is None or seed is np.random:
        return np.random.mtrand._rand  # noqa: SLF001  (NumPy's global generator has no public name)
    if isinstance(seed, np.random.RandomState):
        return seed
    if isinstance(seed, Integral) and 0 <= int(seed) < 2**32:
        return np.random.RandomState(int(seed))
    msg = (
        "The 'random_state' parameter of silhouette_score must be an int in the range [0, 4294967295], an instance "
        f"of 'numpy.random.mtrand.RandomState' or None. Got {seed!r} instead."
    )
    raise ValueError(msg)
