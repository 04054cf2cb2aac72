"""The mean silhouette with an error bar, from rows drawn at random, each held against all rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from gpumetrics.backends import on_device_of
from gpumetrics.clustering.estimate.problem import check_problem
from gpumetrics.clustering.estimate.references import GROUPS
from gpumetrics.clustering.estimate.result import Estimate
from gpumetrics.clustering.estimate.rounds import Settings, estimates
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import Metric, check_metric
from gpumetrics.evaluation.stratified import random_source
from gpumetrics.exceptions import warn

__all__ = ["Estimate", "silhouette_estimate"]

QUERIES = 2_000  # rows that are asked unless the caller says how many
FIRST_ROUND = 500  # likewise in the first round towards a tolerance
REFERENCES = 256  # reference rows of each cluster, likewise


def silhouette_estimate(  # noqa: PLR0913  (each is a choice of its own)
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    noise_label: Any = None,
    n_queries: int | None = None,
    tol: float | None = None,
    confidence: float = 0.95,
    stratify: bool = True,
    references: str | None = None,
    n_references: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> Estimate | list[Estimate] | dict[Any, Estimate]:
    """Mean silhouette coefficient with its standard error, from a random sample of rows.

    The silhouette of each sampled row is exact, since it is held against all rows: their mean is an unbiased estimate.
    (``silhouette_score(sample_size=)`` thins the clusters too, and is biased by it.)

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,); or an array of shape (n_samples, n_labelings), a list or a dict of them
        Cluster of each row; or several labelings, as in `silhouette_scores`: the same rows are then asked for all.
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
    noise_label : label, optional
        Rows with this label are left out.
    n_queries : int, optional
        Rows to ask, 2,000 if it is None; all rows give the exact score. With `tol`, rows of the first round, 500 if
        it is None.
    tol : float, optional
        Ask more rows until the interval reaches no further than this to each side, or all rows have been asked.
    confidence : float, default=0.95
        Confidence level of the interval, between 0 and 1.
    stratify : bool, default=True
        Draw from each cluster in proportion to its size, two rows of each at least. Where that would leave too few
        rows for the large ones, small clusters share one stratum. For several labelings the rows are drawn from all
        at once, and weighted by each labeling's own clusters (those of which ten rows are expected; the others share
        a weight).
        False: a plain mean of rows drawn from all at once.
    references : {None, "pps"}
        "pps" holds the rows not against all rows but against a sample of each cluster: for tables that are too large
        to be read for each query. It is no longer unbiased; see the notes.
    n_references : int, optional
        Reference rows of each cluster, about 256 if it is None. A cluster of up to twice as many is taken whole.
    random_state : int, Generator, RandomState or None
        Source of the randomness.
    **kwds
        Options of the metric, as in `silhouette_samples`.

    Returns
    -------
    Estimate, or a list or dict of them
        ``value`` (from -1 to 1; higher is better; ``float()`` gives it), ``stderr``, ``interval``, ``per_cluster``,
        ``n_queries``, ``exact``. A list for several labelings, a dict where they have names.

    Raises
    ------
    ValueError
        For NaN or infinity in X, missing labels, wrong shapes or lengths, one cluster or as many as rows, an unknown
        metric, an argument outside its range; for ``references="pps"`` with a metric that has a closed form, or with
        given distances.
    TypeError
        For a keyword that the metric does not take.

    Warns
    -----
    UserWarning
        Where one of several labelings has one cluster, or as many as rows: its estimate is nan.

    Notes
    -----
    O(m n d) for m queries, in tiles, on all cores or the GPU; each round reads X once more. Memory follows
    ``working_memory``, beyond one number for each row to draw from clusters.

    *Error.* ``stderr`` is that of stratified sampling without replacement (Cochran, 1977): it falls to 0 as all rows
    are asked. The interval is Student's t with Satterthwaite's degrees of freedom, over that variance and the square
    that one more row at the far end of the range would add: a sample of well placed rows may just have missed the few
    that are not. So it is wide where less than some hundred rows are asked, or all silhouettes are nearly the same, and
    covers the exact score in more than nine tenths of samples even where one row in a hundred is in a wrong cluster.

    *Tolerance.* Looking at the data to decide when to stop has its price: samples that look more uniform than the whole
    stop early. Where one row in a hundred is in a wrong cluster the value was found to lean by a seventh of `tol`, and
    elsewhere by a twentieth at most; a 95 % interval covered in 92 % of samples or more. Rows are drawn without
    replacement throughout; once more than half of them are called for, all are asked, which takes no longer.

    *Reference rows.* O(m k r d) for r references of each of k clusters, and two passes over X to draw them: with
    probability proportional to size, which is for one half the same for all rows and for the other half their distance
    to a point amid the cluster; in classes of size, so that each class's mean is a plain one and its weight is known.
    Outliers are taken for certain, and mean distances are right within about 1 / sqrt(r), whatever the data. The
    nearest cluster is the smallest of several noisy means, hence too near, and the silhouette leans down: by the
    standard error of a mean distance at most, where clusters tie, and in the order of 1 / r elsewhere. What leaving
    out one sixteenth of the references after the other shows of that (the jackknife) is taken off: about half of it
    where clusters tie, nearly all elsewhere. ``stderr`` covers the choice of the rows and of the references (where all
    clusters tie it was found a fifth too small); the interval, besides, as much bias again as was taken off.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65; W. G. Cochran (1977),
    "Sampling Techniques", chapters 5 and 5A. Of reference rows drawn by size: S. Chechik, E. Cohen, H. Kaplan (2015),
    "Average distance queries through weighted samples in graphs and metric spaces", APPROX; F. Altieri, A.
    Pietracaprina, G. Pucci, F. Vandin (2021), "Scalable distributed approximation of internal measures for clustering
    evaluation", SIAM International Conference on Data Mining.

    Examples
    --------
    >>> import numpy as np
    >>> from gpumetrics import silhouette_estimate
    >>> X = np.linspace(0, 1, 4000)[:, None] ** 2
    >>> estimate = silhouette_estimate(X, np.arange(4000) // 1000, n_queries=200, random_state=1)
    >>> round(float(estimate), 2), round(estimate.stderr, 3), estimate.n_queries
    (0.55, 0.018, 200)
    >>> silhouette_estimate(X, np.arange(4000) // 1000, tol=0.02, random_state=1).n_queries
    750
    """
    checked, options = check_metric(metric, kwds, "silhouette_estimate")
    _check_sampling(n_queries, tol, confidence)
    _check_references(references, n_references, checked)
    source, several = random_source(random_state), _are_several(labels)
    settings = Settings(
        n_queries=int(n_queries or (QUERIES if tol is None else FIRST_ROUND)),
        tol=None if tol is None else float(tol),
        confidence=float(confidence),
        stratify=bool(stratify),
        n_references=None if references is None else int(n_references or REFERENCES),
        source=source,
        metric=getattr(metric, "__name__", repr(metric)) if callable(metric) else metric,
    )
    with config_context(**options), on_device_of(X=X, labels=labels):
        problem = check_problem(X, labels, noise_label, checked, settings.likely_queries, several=several)
        for name, labeling in zip(problem.names, problem.each, strict=True):
            if labeling.why_undefined:
                warn(f"The silhouette of labels[{name!r}] is undefined, and nan: {labeling.why_undefined}.")
        found = estimates(problem, settings)
    if not several:
        return found[0]
    return dict(zip(problem.names, found, strict=True)) if problem.named else found


def _are_several(labels: Any) -> bool:
    """Whether these are labelings rather than labels: a table, a mapping, or a list of what has a length itself."""
    if isinstance(labels, Mapping) or len(getattr(labels, "shape", ())) == 2:
        return True
    if not isinstance(labels, list | tuple) or not labels:
        return False
    first = labels[0]
    return bool(getattr(first, "ndim", 0)) or (hasattr(first, "__len__") and not isinstance(first, str | bytes))


def _check_sampling(n_queries: Any, tol: Any, confidence: Any) -> None:
    _check_count("n_queries", n_queries, 2)
    if tol is not None and (isinstance(tol, bool) or not isinstance(tol, Real) or not 0 < float(tol) < math.inf):
        msg = f"tol must be a finite number above 0, or None, got {tol!r}"
        raise ValueError(msg)
    if isinstance(confidence, bool) or not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
        msg = f"confidence must be a number between 0 and 1, such as 0.95, got {confidence!r}"
        raise ValueError(msg)


def _check_count(name: str, value: Any, least: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        msg = f"{name} must be an integer of at least {least}, or None, got {value!r}"
        raise ValueError(msg)


def _check_references(references: Any, n_references: Any, metric: Metric) -> None:
    if references is not None and not (isinstance(references, str) and references == "pps"):
        msg = f'references must be None (all rows) or "pps" (a sample of each cluster), got {references!r}'
        raise ValueError(msg)
    _check_count("n_references", n_references, GROUPS)
    if references is None:
        if n_references is not None:
            msg = f'n_references={n_references} needs references="pps"; without, each row is held against all rows'
            raise ValueError(msg)
        return
    if metric.closed_form:
        msg = f'references="pps" is of no use with metric {metric.name!r}, whose closed form takes all rows at once'
        raise ValueError(msg)
    if metric.name == "precomputed":
        msg = 'references="pps" needs the rows themselves: with metric="precomputed" leave it out'
        raise ValueError(msg)
