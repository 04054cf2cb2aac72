"""What to look at in a clustering: clusters that may be two, borders that may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.candidates_result import Candidates, check_bound
from gpumetrics.evaluation.judged import judge
from gpumetrics.evaluation.leaning import nearest_others
from gpumetrics.evaluation.remarks import SHAPE
from gpumetrics.evaluation.split_rule import splits_in
from gpumetrics.text.labels import printer
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.judged import Judged
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["boundaries_in", "boundary_candidates", "split_candidates"]


def split_candidates(
    X: Any,
    labels: Any,
    *,
    size_ratio: float = 1.5,
    drop: float = 0.1,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: Any = "auto",
    random_state: Any = None,
    **kwds: Any,
) -> Candidates:
    """Find clusters that may be several groups in one: large, and with low silhouettes.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    size_ratio : float, default=1.5
        A candidate has at least so many times the rows of the median of the other clusters.
    drop : float, default=0.1
        And its mean silhouette is by at least so much (0 to 2) below the median of the other clusters' means; or its
        silhouettes are low by one of the other measures (see Notes).
    metric : str or callable, default="euclidean"
        As in `silhouette_samples`.
    noise_label : label, default=-1
        Rows with this label are left out. None: no label is noise.
    silhouette : {"auto", "exact", "estimate"} or array-like of shape (n_samples,), default="auto"
        As in `evaluate_clustering`; or the silhouettes, if they are known (nan where a row was not evaluated), as
        `silhouette_samples` or ``ClusteringReport.silhouette_samples`` give them: nothing is computed then.
    random_state : int, Generator, RandomState or None
        Seed of the sample of an estimate; without one (``silhouette="exact"``, known silhouettes, or "auto" for a table
        small enough) it changes nothing.
    **kwds
        Options of the metric, as in `silhouette_samples`.

    Returns
    -------
    Candidates
        The lowest means first. ``table`` has ``cluster``, ``size``, ``times_median`` (its size over the others'
        median), ``silhouette_mean``, ``band`` (its word), ``below_others`` (how far it is below their median),
        ``share_negative``. Where there are none, a note names the cluster that comes nearest to one, or says why there
        are no silhouettes.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes or lengths, missing labels, an unknown metric or mode, a bound out of range.
    TypeError
        For a keyword that the metric does not take.

    Notes
    -----
    The rule is this package's: the method only says "large, and low". In many dimensions all silhouettes are small and
    no mean can be `drop` below the others, so that a large cluster is also a candidate if more than half of its rows
    have a negative silhouette; or, of five clusters or more, if its mean is more than three median absolute deviations
    of all means below the median of the others', and less than half of it. A merged pair of far groups can have a
    high silhouette and no negative row: size and mean are what shows it. Cost as in `evaluate_clustering`, or O(n) with
    known silhouettes.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import split_candidates
    >>> X = [[0.0], [1.0], [6.0], [7.0], [20.0], [21.0], [40.0], [41.0]]
    >>> found = split_candidates(X, ["a", "a", "a", "a", "b", "b", "c", "c"])
    >>> found.table["cluster"].tolist(), found.table["times_median"].tolist()
    (['a'], [2.0])
    """
    checked, settings = check_metric(metric, kwds, "split_candidates")
    check_bound("size_ratio", size_ratio)
    check_bound("drop", drop, most=2)
    with config_context(**settings), on_device_of(X=X, labels=labels, silhouette=silhouette):
        judged = judge(X, labels, checked, noise_label, silhouette, random_state)
    return splits_in(judged.by_cluster(), size_ratio=size_ratio, drop=drop, notes=judged.notes())


def boundary_candidates(
    X: Any,
    labels: Any,
    *,
    min_share: float = 0.05,
    min_rows: int = 2,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: Any = "auto",
    random_state: Any = None,
    **kwds: Any,
) -> Candidates:
    """Find borders between clusters that may be misplaced: rows nearer to another cluster than to their own.

    Rows with a negative silhouette are gathered by their cluster and the one that they are nearest to.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    min_share : float, default=0.05
        A candidate is a pair of clusters where at least this share (0 to 1) of the rows of the one are nearer to the
        other.
    min_rows : int, default=2
        And at least so many rows.
    metric, noise_label, silhouette, random_state : optional
    **kwds
        As in `split_candidates`.

    Returns
    -------
    Candidates
        Those with most rows first. ``table`` has ``cluster``, ``nearest_other`` (the cluster they are nearest to),
        ``n_rows`` (that were evaluated and lie nearer to it), ``n_evaluated`` (rows of the cluster that were
        evaluated: all but of an estimate), ``share_of_cluster`` (of these), ``n_estimated`` (that share of the whole
        cluster, in rows), ``silhouette_mean`` and ``silhouette_lowest`` of the `n_rows`; ``rows`` has their numbers,
        the lowest silhouette first.
        ``notes["negative"]`` counts all negative rows.

    Raises
    ------
    ValueError, TypeError
        As in `split_candidates`.

    Notes
    -----
    The rule is this package's. Beyond the silhouettes, each negative row is compared with all rows once more, in
    O(n d) (O(k d) for metrics with a closed form); memory follows ``working_memory``.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import boundary_candidates
    >>> X = [[0.0], [1.0], [8.0], [9.0], [10.0], [11.0], [12.0]]
    >>> found = boundary_candidates(X, ["a", "a", "a", "a", "b", "b", "b"])
    >>> found.table["nearest_other"].tolist(), found.rows[0].tolist()
    (['b'], [3, 2])
    """
    checked, settings = check_metric(metric, kwds, "boundary_candidates")
    check_bound("min_share", min_share, most=1)
    check_bound("min_rows", min_rows, whole=True)
    with config_context(**settings), on_device_of(X=X, labels=labels, silhouette=silhouette):
        judged = judge(X, labels, checked, noise_label, silhouette, random_state)
        return boundaries_in(judged, checked, min_share=min_share, min_rows=min_rows)


def boundaries_in(
    judged: Judged,
    metric: Metric,
    *,
    min_share: float = 0.05,
    min_rows: int = 2,
    moments: ClusterMoments | None = None,
) -> Candidates:
    """Find them among rows whose silhouettes are known; `metric` says which other cluster a row is nearest to.

    `moments` are as in `nearest_others`.
    """
    negative = np.flatnonzero(judged.values < 0)
    leaning = nearest_others(judged.data, metric, judged.rows[negative], moments)
    return _boundaries(judged, negative, leaning, min_share, min_rows)


def _boundaries(judged: Judged, negative: Array, leaning: Array, min_share: float, min_rows: int) -> Candidates:
    classes, own, s = judged.data.labels.classes, judged.codes[negative], judged.values[negative]
    order = np.lexsort((s, leaning, own))  # by pair, the lowest first
    own, leaning, s, negative = own[order], leaning[order], s[order], negative[order]
    starts = np.flatnonzero((np.diff(own, prepend=-1) != 0) | (np.diff(leaning, prepend=-1) != 0))
    counts = np.diff(starts, append=len(own))
    share = counts / judged.evaluated[own[starts]]
    found = np.flatnonzero((share >= min_share) & (counts >= min_rows))
    found = found[np.argsort(-counts[found], kind="stable")]
    first = starts[found]
    means = np.array([s[a : a + n].mean() for a, n in zip(first, counts[found], strict=True)])
    numbers, evaluated, size = judged.numbers(judged.rows[negative]), judged.evaluated, judged.data.sizes
    mine = own[first]
    columns = {
        "cluster": classes[mine],
        "nearest_other": classes[leaning[first]],
        "n_rows": counts[found],
        "n_evaluated": evaluated[mine],
        "share_of_cluster": share[found],
        "n_estimated": np.rint(share[found] * size[mine]).astype(np.int64),
        "silhouette_mean": means,
        "silhouette_lowest": s[first],
    }
    rows = [numbers[a : a + n] for a, n in zip(first, counts[found], strict=True)]
    whole = len(judged.rows) == judged.data.labels.n_samples
    rule = said(
        "at least {share:g} % of a cluster's {rows}, and at least {n}, are nearer to one other cluster than to their "
        "own (negative silhouette)",
        share=100 * min_share,
        rows=said("rows") if whole else said("evaluated rows"),
        n=min_rows,
    )
    notes = judged.notes()
    if not judged.undefined:
        notes["negative"] = _negative(len(own), len(judged.rows), int(counts[found].sum()), whole=whole)
    if len(found):
        notes["shape"] = SHAPE
    return Candidates("boundary", columns, _boundary_reasons(columns, classes, size[mine]), rule, rows, notes)


def _negative(n: int, n_evaluated: int, told: int, *, whole: bool) -> str:
    rows = counted(n_evaluated, "{n:,} row", "{n:,} rows")
    if not whole:
        rows = counted(n_evaluated, "{n:,} row evaluated", "{n:,} rows evaluated")
    return counted(
        n,
        "{n:,} of {rows} has a negative silhouette, {told:,} of them in these candidates.",
        "{n:,} of {rows} have a negative silhouette, {told:,} of them in these candidates.",
        rows=rows,
        told=told,
    )


def _boundary_reasons(columns: dict[str, Array], classes: Array, size: Array) -> list[str]:
    """Say each; where only some rows of a cluster were evaluated, that its number is of those."""
    name = printer(classes)
    out: list[str] = []
    numbers = (columns[key].tolist() for key in ("n_rows", "n_evaluated", "share_of_cluster", "n_estimated"))
    for a, b, n, n_evaluated, share, estimated, n_all in zip(
        map(name, columns["cluster"]), map(name, columns["nearest_other"]), *numbers, size.tolist(), strict=True
    ):
        if n_evaluated < n_all:
            rows = counted(
                n,
                "{n:,} of the {n_evaluated:,} rows of {a} that were evaluated ({share:.1f} %, about {estimated:,} of "
                "all {n_all:,}) lies nearer to {b}",
                "{n:,} of the {n_evaluated:,} rows of {a} that were evaluated ({share:.1f} %, about {estimated:,} of "
                "all {n_all:,}) lie nearer to {b}",
                a=a,
                b=b,
                n_evaluated=n_evaluated,
                share=100 * share,
                estimated=estimated,
                n_all=n_all,
            )
        else:
            rows = counted(
                n,
                "{n:,} row of {a} ({share:.1f} %) lies nearer to {b}",
                "{n:,} rows of {a} ({share:.1f} %) lie nearer to {b}",
                a=a,
                b=b,
                share=100 * share,
            )
        out.append(said("{a} to {b}: {rows}: the border may be in the wrong place", a=a, b=b, rows=rows))
    return out
