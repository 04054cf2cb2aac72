"""Rows to look at before a cluster gets a name: typical ones near its centre, and doubtful ones at its border."""

from __future__ import annotations

from hashlib import blake2b
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.backends.threads import spans
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.judged import judge
from gpumetrics.evaluation.leaning import nearest_others
from gpumetrics.evaluation.near_rows import typical_rows
from gpumetrics.evaluation.samples import ClusterRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.judged import Judged
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["ambiguous", "ambiguous_in", "representatives", "representatives_in"]


def representatives(
    X: Any,
    labels: Any,
    *,
    per_cluster: int = 5,
    share: float = 0.25,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    **kwds: Any,
) -> ClusterRows:
    """Choose typical rows of each cluster: near its centre, and unlike each other.

    The first is the row nearest to the centre. Each next one is, of the `share` of the rows that are nearest to the
    centre, the one farthest from those that are chosen.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    per_cluster : int, default=5
        Rows of each cluster; all of a cluster that has fewer.
    share : float, default=0.25
        Share of a cluster's rows that count as near its centre (always enough for `per_cluster`); 1 looks at all rows.
    metric : str or callable, default="euclidean"
        "euclidean" and "sqeuclidean" mean the centroid; "cosine" and "correlation" the mean direction. Under any other
        metric the distance to the centre is the mean distance to the other rows of the cluster.
    noise_label : label, default=-1
        Rows with this label are left out. None: no label is noise.
    **kwds
        Options of the metric, as in `silhouette_samples`.

    Returns
    -------
    ClusterRows
        ``by_cluster`` has the row numbers of each label; ``table`` also the ``distance`` to the centre: of directions
        under "cosine" and "correlation", in a unit of its own under metrics without a centre.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes or lengths, missing labels, an unknown metric, a setting out of range.
    TypeError
        For a keyword that the metric does not take.

    Notes
    -----
    O(n d) with centroids, O(n^2 d) under other metrics. Of very many near rows 50 for each that is wanted are tried,
    evenly spaced by their distance. The same input gives the same rows; equal ones are taken in their order.

    For a sheet on which people name the clusters, put the texts, pictures or records of these rows and of `ambiguous`
    ones beside them, and leave a column for the name (see Examples). A cluster that gets a name is of use; two that get
    the same one are a candidate for a merge, see ``merge_candidates(X, labels, names=...)``.

    References
    ----------
    T. F. Gonzalez (1985), "Clustering to minimize the maximum intercluster distance", Theoretical Computer Science 38,
    293-306 (the choice of far rows).

    Examples
    --------
    >>> from gpumetrics import representatives
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [20.0]]
    >>> found = representatives(X, ["a", "a", "a", "a", "a", "b"], per_cluster=3, share=0.8)
    >>> {label: rows.tolist() for label, rows in found.by_cluster.items()}
    {'a': [2, 0, 1], 'b': [5]}
    >>> texts = ["zero", "one", "two", "three", "four", "twenty"]
    >>> [(label, texts[row]) for label, rows in found.by_cluster.items() for row in rows]
    [('a', 'two'), ('a', 'zero'), ('a', 'one'), ('b', 'twenty')]
    """
    checked, settings = check_metric(metric, kwds, "representatives")
    _check_number(per_cluster)
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) <= 1:
        msg = f"share must be above 0 and at most 1, got {share!r}"
        raise ValueError(msg)
    with config_context(**settings), on_device_of(X=X, labels=labels):
        data = check_clustered(X, labels, noise_label, metric=checked, check_number=False)
        return representatives_in(data, checked, per_cluster, float(share))


def representatives_in(
    data: ClusteredData, metric: Metric, per_cluster: int, share: float, moments: ClusterMoments | None = None
) -> ClusterRows:
    """Choose them from checked data; `moments` are those of the rows as the metric means them, if they are known."""
    none = np.empty(0, dtype=np.int64), np.empty(0)
    rows, distance = typical_rows(data, metric, per_cluster, share, moments) if data.labels.n_classes else none
    return _rows(data, "representatives", rows, {"distance": distance})


def ambiguous(
    X: Any,
    labels: Any,
    *,
    per_cluster: int = 5,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: Any = "auto",
    random_state: Any = None,
    **kwds: Any,
) -> ClusterRows:
    """Choose the doubtful rows of each cluster: those with the lowest silhouettes, and the cluster nearest to each.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    per_cluster : int, default=5
        Rows of each cluster that differ from each other; all that a cluster has, if they are fewer.
    metric, noise_label, silhouette, random_state : optional
    **kwds
        As in `split_candidates`. Of an estimate only the rows of its sample can be chosen.

    Returns
    -------
    ClusterRows
        ``by_cluster`` has the row numbers of each label, the lowest silhouette first; ``table`` also ``silhouette`` and
        ``nearest_other``, the other cluster with the smallest mean distance. Empty, with a note, where there are no
        silhouettes.

    Raises
    ------
    ValueError, TypeError
        As in `split_candidates`.

    Notes
    -----
    Cost as in `evaluate_clustering` (nothing with known silhouettes), and O(n d) for each row that is chosen. Of rows
    of a cluster that are equal, value for value, the one with the lowest silhouette (the first) stands for all.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65.

    Examples
    --------
    >>> from gpumetrics import ambiguous
    >>> X = [[0.0], [1.0], [5.0], [9.0], [10.0]]
    >>> found = ambiguous(X, ["a", "a", "a", "b", "b"], per_cluster=1)
    >>> {label: rows.tolist() for label, rows in found.by_cluster.items()}
    {'a': [2], 'b': [3]}
    """
    checked, settings = check_metric(metric, kwds, "ambiguous")
    _check_number(per_cluster)
    with config_context(**settings), on_device_of(X=X, labels=labels, silhouette=silhouette):
        judged = judge(X, labels, checked, noise_label, silhouette, random_state)
        return ambiguous_in(judged, checked, per_cluster)


def ambiguous_in(
    judged: Judged, metric: Metric, per_cluster: int, moments: ClusterMoments | None = None
) -> ClusterRows:
    """Choose them among rows whose silhouettes are known; `metric` says which other cluster a row is nearest to.

    `moments` are as in `nearest_others`.
    """
    at = _lowest(judged, per_cluster)
    rows = judged.rows[at]
    leaning = nearest_others(judged.data, metric, rows, moments)
    columns = {"silhouette": judged.values[at], "nearest_other": judged.data.labels.classes[leaning]}
    return _rows(judged.data, "ambiguous", rows, columns, judged.notes())


def _check_number(per_cluster: Any) -> None:
    if isinstance(per_cluster, bool) or not isinstance(per_cluster, Integral) or per_cluster < 1:
        msg = f"per_cluster must be an integer of at least 1, got {per_cluster!r}"
        raise ValueError(msg)


def _rows(
    data: ClusteredData, kind: str, rows: Array, columns: dict[str, Array], notes: dict[str, str] | None = None
) -> ClusterRows:
    """Make the result from positions among the rows of `data`, in the order of their clusters."""
    codes = as_host(data.codes)[rows]
    numbers = rows if data.kept is None else as_host(data.kept)[rows]
    classes = data.labels.classes
    table = {"cluster": classes[codes], "row": numbers.astype(np.int64), **columns}
    return ClusterRows(kind, table, classes, notes or {})


def _lowest(judged: Judged, n: int) -> Array:
    """Positions of the n lowest silhouettes of each cluster, but of equal rows only the first."""
    order = np.lexsort((judged.values, judged.codes))
    codes = judged.codes[order]
    sizes = judged.evaluated
    place = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    taken: list[dict[bytes, int]] = [{} for _ in sizes]
    short, start, stop = np.ones(len(sizes), dtype=bool), 0, n
    while len(at := order[(place >= start) & (place < stop) & short[codes]]):
        for position, content in zip(at.tolist(), _contents(judged.data, judged.rows[at]), strict=True):
            mine = taken[judged.codes[position]]
            if len(mine) < n:
                mine.setdefault(content, position)
        short = np.array([len(mine) < n for mine in taken])
        start, stop = stop, 2 * stop
    return np.array([position for mine in taken for position in mine.values()], dtype=np.int64)


def _contents(data: ClusteredData, rows: Array) -> Iterator[bytes]:
    """Yield what is the same for equal rows, and differs for others."""
    for part in spans(len(rows), data.features.block_rows):
        block = as_host(data.features.rows(beside(rows[part], data.features.data))) + 0.0  # no -0.0
        for row in block:
            yield blake2b(row.tobytes(), digest_size=16).digest()
