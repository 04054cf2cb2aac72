"""What to look at in a clustering: clusters that may be two, borders that may be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.candidates_result import Candidates, check_bound
from gpumetrics.evaluation.judged import judge
from gpumetrics.evaluation.label_text import printer
from gpumetrics.evaluation.leaning import nearest_others
from gpumetrics.evaluation.remarks import CAVEAT, SHAPE
from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.label_arrays import as_objects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.evaluation.judged import Judged
    from gpumetrics.types import Array

__all__ = ["boundary_candidates", "split_candidates", "splits_in"]

BAND_WORDS = {"distinct": "distinct", "reasonable": "reasonable", "weak": "weak", "none": "no substantial structure"}


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
    """Find clusters that may be several groups in one: large, and with a low mean silhouette.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row.
    size_ratio : float, default=1.5
        A candidate has at least so many times the rows of the median of the other clusters.
    drop : float, default=0.1
        Its mean silhouette is by at least so much (0 to 2) below the median of the other clusters' means.
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
        ``share_negative``. None, with a note, where there are no silhouettes.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes or lengths, missing labels, an unknown metric or mode, a bound out of range.
    TypeError
        For a keyword that the metric does not take.

    Notes
    -----
    The rule is this package's: the method only says "large, and low". Cost as in `evaluate_clustering`, or O(n) with
    known silhouettes. A merged pair of far groups can have a high silhouette and no negative row, so that size and mean
    are what shows it.

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


def splits_in(
    table: Mapping[str, Array], *, size_ratio: float = 1.5, drop: float = 0.1, notes: dict[str, str] | None = None
) -> Candidates:
    """Find them in a table of clusters such as ``ClusteringReport.per_cluster``."""
    check_bound("size_ratio", size_ratio)
    check_bound("drop", drop, most=2)
    mean, size = table["silhouette_mean"], table["size"]
    times = size / _median_of_others(size.astype(np.float64))
    below = _median_of_others(mean) - mean
    found = np.flatnonzero((times >= size_ratio) & (below >= drop))  # nan is neither
    found = found[np.argsort(mean[found], kind="stable")]
    name = printer(table["label"])
    bands = [silhouette_band(value) for value in mean[found].tolist()]
    reasons = [
        f"{name(table['label'][at])}: {_rows(int(size[at]))}, {times[at]:.1f} times the other clusters' median, with a "
        f"mean silhouette of {mean[at]:.3f} ({BAND_WORDS[band]}), {below[at]:.3f} below theirs: perhaps several groups"
        for at, band in zip(found, bands, strict=True)
    ]
    columns = {
        "cluster": table["label"][found],
        "size": size[found],
        "times_median": times[found],
        "silhouette_mean": mean[found],
        "band": as_objects(bands),
        "below_others": below[found],
        "share_negative": table["share_negative"][found],
    }
    rule = (
        f"at least {size_ratio:g} times as large as the median of the other clusters, and a mean silhouette at least "
        f"{drop:g} below the median of theirs"
    )
    remarks = {"bands": CAVEAT, "shape": SHAPE} if len(found) else {}
    return Candidates("split", columns, reasons, rule, notes={**(notes or {}), **remarks})


def _median_of_others(values: Array) -> Array:
    """Median of all values but each one; nan for one value only. Values that are nan are left out of it."""
    known = np.flatnonzero(~np.isnan(values))
    out = np.full(len(values), np.nan)
    if len(known) < 2:
        return out
    order = known[np.argsort(values[known], kind="stable")]
    ordered, place = values[order], np.arange(len(order))
    rest = len(order) - 1
    low, high = (rest - 1) // 2, rest // 2
    # Without the value at its place, those behind it move up by one.
    out[order] = (ordered[low + (place <= low)] + ordered[high + (place <= high)]) / 2
    return out


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
        ``n_rows``, ``share_of_cluster`` (of its rows that were evaluated), ``silhouette_mean`` and
        ``silhouette_lowest`` of these rows; ``rows`` has their numbers, the lowest silhouette first.
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
        negative = np.flatnonzero(judged.values < 0)
        leaning = nearest_others(judged.data, checked, judged.rows[negative])
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
    columns = {
        "cluster": classes[own[first]],
        "nearest_other": classes[leaning[first]],
        "n_rows": counts[found],
        "share_of_cluster": share[found],
        "silhouette_mean": means,
        "silhouette_lowest": s[first],
    }
    numbers = judged.numbers(judged.rows[negative])
    rows = [numbers[a : a + n] for a, n in zip(first, counts[found], strict=True)]
    rule = (
        f"at least {100 * min_share:g} % of a cluster's rows, and at least {min_rows}, are nearer to one other cluster "
        "than to their own (negative silhouette)"
    )
    reasons = [
        f"{a} to {b}: {_rows(n)} of {a} ({100 * part:.1f} %) {'lies' if n == 1 else 'lie'} nearer to {b}: the border "
        "may be in the wrong place"
        for a, b, n, part in _spoken(columns, classes)
    ]
    notes = judged.notes()
    if not judged.undefined:
        told, n = int(counts[found].sum()), len(judged.rows)
        have = "has" if len(own) == 1 else "have"
        notes["negative"] = (
            f"{len(own):,} of {_rows(n)} {have} a negative silhouette, {told:,} of them in these candidates."
        )
    if len(found):
        notes["shape"] = SHAPE
    return Candidates("boundary", columns, reasons, rule, rows, notes)


def _rows(n: int) -> str:
    return f"{n:,} row{'s' * (n != 1)}"


def _spoken(columns: dict[str, Array], classes: Array) -> list[tuple[str, str, int, float]]:
    name = printer(classes)
    return [
        (name(a), name(b), int(n), float(part))
        for a, b, n, part in zip(
            columns["cluster"], columns["nearest_other"], columns["n_rows"], columns["share_of_cluster"], strict=True
        )
    ]
