"""`evaluate_clustering`: every score of a clustering from data that is checked once."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from gpumetrics.backends import on_device_of
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation import remarks
from gpumetrics.evaluation import silhouette_part as silhouettes
from gpumetrics.evaluation.clustering_report import ClusteringReport, Scored
from gpumetrics.evaluation.parts import (
    Parts,
    agreement_part,
    cluster_table,
    compactness_part,
    encode_truth,
    silhouette_part,
)
from gpumetrics.evaluation.silhouette_part import MODES
from gpumetrics.evaluation.stratified import random_source
from gpumetrics.evaluation.subject import Evaluated, Subject
from gpumetrics.label_arrays import unwrap
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.moments import cluster_moments

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric

__all__ = ["evaluate_clustering"]


def evaluate_clustering(
    X: Any,
    labels: Any,
    *,
    labels_true: Any = None,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: str = "auto",
    random_state: Any = None,
    **kwds: Any,
) -> ClusteringReport:
    """Score a clustering by every index of the package, with what is needed to read the values.

    Parameters
    ----------
    X : {array-like, sparse matrix, Dask array} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, of any numeric dtype and layout; or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row: integers, strings, anything with a label's identity.
    labels_true : array-like of shape (n_samples,), optional
        Known classes; adds the agreement scores.
    metric : str or callable, default="euclidean"
        Distance of the silhouette, as in `silhouette_score`. Take the one that the clustering used.
        Calinski-Harabasz and Davies-Bouldin are Euclidean by definition.
    noise_label : label, default=-1
        Rows with this label are left out of every score, and counted; scikit-learn would score them as
        one more cluster. None: no label is noise.
    silhouette : {"auto", "exact", "estimate", "skip"}, default="auto"
        "exact" evaluates every row. "estimate" evaluates a sample of rows, stratified by cluster, each
        against all rows: unbiased, with its standard error. "auto" is exact where a closed form exists
        (cosine, sqeuclidean, correlation) or the work is expected to take up to a minute, else an estimate.
    random_state : int, Generator, RandomState or None
        Seed of the sample of an estimate; checked whatever the mode.
    **kwds
        Options of the metric, as in `silhouette_score`.

    Returns
    -------
    ClusteringReport
        ``print`` it, take values from ``scores`` and ``per_cluster``, or call ``to_dict()``. A score that is
        undefined for the input (one cluster, noise only, ...) is nan, and ``notes`` says why; so are
        Davies-Bouldin and the matched accuracy where their clusters are so many that comparing or matching
        them would take more than about a minute.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes or lengths, missing labels, an unknown metric or mode.
    TypeError
        For a keyword that the metric does not take.
    BackendError
        If a GPU is asked for and none can be used.

    Notes
    -----
    Labels are encoded once, the moments of the clusters computed once, in two passes over X, and silhouettes
    evaluated once: the cost is that of `silhouette_samples`. Memory follows ``working_memory`` beyond a few
    numbers per row and n_clusters x n_features for the centroids.

    On Dask's collections nothing as long as X comes here: the report has no ``silhouette_samples``, and of an exact
    silhouette the clusters' medians are approximate, within 0.0003.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65 (silhouette);
    T. Calinski and J. Harabasz (1974), Communications in Statistics 3, 1-27; D. L. Davies and D. W. Bouldin
    (1979), IEEE Transactions on Pattern Analysis and Machine Intelligence 1, 224-227.

    Examples
    --------
    >>> from gpumetrics import evaluate_clustering
    >>> report = evaluate_clustering([[0.0], [1.0], [8.0], [9.0], [50.0]], [0, 0, 1, 1, -1])
    >>> round(report.scores["davies_bouldin"], 3), report.silhouette_band, report.noise_fraction
    (0.125, 'distinct', 0.2)
    >>> report.per_cluster["size"].tolist()
    [2, 2]
    """
    started = time.perf_counter()
    if silhouette not in MODES:
        msg = f"silhouette must be one of {MODES}, got {silhouette!r}"
        raise ValueError(msg)
    generator = random_source(random_state)
    checked, settings = check_metric(metric, kwds, "evaluate_clustering")
    parts, given = Parts(), Scored(X, labels, labels_true, metric, kwds)
    with config_context(**settings):
        if is_dask(X, labels):
            from gpumetrics.dask.evaluation import evaluated

            found = evaluated(given, checked, noise_label, silhouette, generator, parts)
        else:
            found = _in_memory(given, checked, noise_label, silhouette, generator, parts)
    subject, table, part, samples = found
    remarks.add(parts, subject, checked, part, table)
    return ClusteringReport(
        scores=parts.in_order(),
        per_cluster=table,
        silhouette_samples=samples,
        silhouette_mode=part.mode,
        silhouette_standard_error=part.standard_error,
        n_samples=subject.n_given,
        n_features=subject.n_features,
        n_clusters=subject.n_clusters,
        n_noise=subject.n_given - subject.n_samples,
        noise_label=unwrap(noise_label),
        metric=getattr(metric, "__name__", repr(metric)) if callable(metric) else str(metric),
        notes=parts.notes,
        readings=parts.readings,
        backend=subject.backend,
        backend_reason=subject.backend_reason,
        timings=parts.timings,
        seconds=time.perf_counter() - started,
        scored=None if samples is None else given,
    )


def _in_memory(given: Scored, metric: Metric, noise_label: Any, wish: str, generator: Any, parts: Parts) -> Evaluated:
    X, labels, labels_true, *_ = given
    with on_device_of(X=X, labels=labels, labels_true=labels_true):
        with parts.timed("checks"):
            data = check_clustered(X, labels, noise_label, metric=metric, check_number=False)
            truth = None if labels_true is None else encode_truth(labels_true, data)
        subject = Subject.of(data)
        moments_of = partial(cluster_moments, data.features, data.codes, data.sizes)
        moments, partners = compactness_part(subject, metric, parts, moments_of)
        evaluate = partial(silhouettes.evaluate, data, metric, moments, wish=wish, random_state=generator)
        part = silhouette_part(subject, wish, parts, evaluate)
        if truth is not None:
            agreement_part(subject.n_samples, parts, lambda: Contingency.from_labels(truth, data.labels))
    return Evaluated(subject, cluster_table(subject, moments, partners, part), part, part.by_row(data))
