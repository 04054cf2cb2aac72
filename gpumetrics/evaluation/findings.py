"""What there is to see in a clustering beyond its scores: computed for a page, from the report and its rows.

Silhouettes are those of the report. What must look at single rows looks at few of them, or is told to be approximate.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.clustering.fitted import n_rows
from gpumetrics.config import config_context
from gpumetrics.distance_metrics import Metric, check_metric
from gpumetrics.evaluation.candidates import boundaries_in
from gpumetrics.evaluation.columns import column_shares
from gpumetrics.evaluation.judged import judge
from gpumetrics.evaluation.leaning import CENTRED, as_meant
from gpumetrics.evaluation.lowest_rows import lowest_rows
from gpumetrics.evaluation.merging import merges_in
from gpumetrics.evaluation.representatives import ambiguous_in, representatives_in
from gpumetrics.evaluation.silhouette_part import silhouette_seconds
from gpumetrics.statistics.moments import cluster_moments
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.evaluation.candidates_result import Candidates
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.evaluation.columns import ColumnShares
    from gpumetrics.evaluation.judged import Judged
    from gpumetrics.evaluation.lowest_rows import LowRow
    from gpumetrics.evaluation.samples import ClusterRows
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["Dispersion", "Findings", "findings_of"]

TYPICAL, DOUBTFUL, LOWEST = 4, 3, 5  # rows: of each cluster the first two, of all the third
SHARE = 0.25  # of a cluster's rows that count as near its centre
SAME = 1e-3  # between a silhouette and its distances
LONG = 0.5  # seconds of expected work from which a part is approximate, or left out
NEAR_CENTRES = (
    "Which other cluster a row is nearest to is told by the root mean square of its distances here, which costs little "
    "at this size, not by their mean as in the silhouette. The two rarely differ."
)
EUCLIDEAN_CENTRES = "Typical rows are those near the Euclidean centre here: by the metric itself it would take long."
CHANGED = (
    "The rows or the labels were changed after this report was made, so that what looks at them is left out. Evaluate "
    "again for borders, merge candidates, samples, attributes and plots."
)
NOT_PICKLED = (
    "This report was pickled, and has left its rows behind: evaluate again for borders, merge candidates, samples, "
    "attributes and plots."
)
ON_DASK = (
    "This report is of Dask collections, whose rows stay where they are: evaluate a sample that fits into memory for "
    "borders, merge candidates, samples, attributes and plots."
)


class Dispersion(NamedTuple):
    """What Calinski-Harabasz is made of: sums of squares, and their degrees of freedom."""

    between: float
    within: float
    n_between: int
    n_within: int


@dataclass
class Findings:
    """What was found; None, with a reason in `lacking`, where it could not be.

    Attributes
    ----------
    split : Candidates
    boundary, merge : Candidates or None
    representatives, ambiguous : ClusterRows or None
    lowest : list of LowRow
        The rows with the lowest silhouettes.
    columns : ColumnShares or None
    moments : ClusterMoments or None
        Of the rows by the Euclidean distance, whatever the metric, where they lie.
    dispersion : Dispersion or None
    lacking : dict of str to str
        Why a part is missing, or approximate, by the part's name.
    seconds : float
    """

    split: Candidates
    boundary: Candidates | None = None
    merge: Candidates | None = None
    representatives: ClusterRows | None = None
    ambiguous: ClusterRows | None = None
    lowest: list[LowRow] = field(default_factory=list)
    columns: ColumnShares | None = None
    moments: ClusterMoments | None = None
    dispersion: Dispersion | None = None
    lacking: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def findings_of(report: ClusteringReport, *, names: Any = None) -> Findings:
    """Look for what a reader of a report should see; no silhouette is computed again.

    Parameters
    ----------
    report : ClusteringReport
    names : dict of label to str, optional
        As in `merge_candidates`.

    Returns
    -------
    Findings
        Of a report that was pickled, or whose rows were changed since, only what its table of clusters says.

    Raises
    ------
    ValueError
        For names of labels that no cluster has, or if the rows are no numbers any more.

    Notes
    -----
    O(n d + k^2 d), and O(n d) for each of a few rows. What would take longer (the nearest other cluster of very many
    rows under a metric without centres) is approximate or left out, and `lacking` says so.
    """
    started = time.perf_counter()
    found = Findings(report.split_candidates())
    if report.scored is None:
        found.lacking["rows"] = ON_DASK if report.silhouette_samples is None else NOT_PICKLED
        return found
    X, labels, _, metric, kwds = report.scored
    if {n_rows(X), n_rows(labels)} != {report.n_samples}:
        return Findings(found.split, lacking={"rows": CHANGED})
    checked, settings = check_metric(metric, kwds, "evaluate_clustering")
    with config_context(**settings), on_device_of(X=X, labels=labels):
        judged = judge(X, labels, checked, report.noise_label, report.silhouette_samples, None)
        if judged.n_clusters:
            _look(found, judged, checked, names)
            if checked.name != "precomputed":
                found.columns = column_shares(judged.data.features, X)
    if _is_changed(report, judged, found):
        return Findings(found.split, lacking={"rows": CHANGED})
    found.seconds = time.perf_counter() - started
    return found


def _is_changed(report: ClusteringReport, judged: Judged, found: Findings) -> bool:
    """Whether the rows are others than those that were scored, told by what is computed anyway."""
    table, moments = report.per_cluster, found.moments
    pairs = [(table["label"], judged.data.labels.classes), (table["size"], judged.data.sizes)]
    if not all(np.array_equal(one, other) for one, other in pairs):
        return True
    if moments is not None and not _alike(moments.spread / moments.scale, table["distance_to_centroid"]):
        return True
    return any(abs(low.expected - low.silhouette) > SAME for low in found.lowest)


def _alike(widths: Array, before: Array) -> bool:
    return bool(np.allclose(widths, before, rtol=1e-5, atol=1e-9 * np.nan_to_num(before).max(), equal_nan=True))


def _look(found: Findings, judged: Judged, metric: Metric, names: Any) -> None:
    data = judged.data
    centred = metric.name in CENTRED
    if metric.name == "precomputed":
        found.lacking["merge"] = said("There are no merge candidates: distances alone have no centres.")
        meant = None
    else:
        meant = cluster_moments(as_meant(data.features, metric) if centred else data.features, data.codes, data.sizes)
        found.merge = merges_in(data, metric, names=names, moments=meant)
        found.moments = meant
        if metric.options or metric.name in {"cosine", "correlation"}:
            found.moments = cluster_moments(data.features, data.codes, data.sizes)
        found.dispersion = _dispersion(found.moments)
    _typical(found, data, metric, meant)
    if not judged.undefined:
        _silhouettes(found, judged, metric, meant)


def _dispersion(moments: ClusterMoments) -> Dispersion | None:
    """Return the Euclidean sums of squares; None where they leave float64."""
    sums = moments.between(), float(moments.within.sum())
    between, within = (value / moments.scale / moments.scale for value in sums)
    if not math.isfinite(between + within) or (between == 0 and sums[0]) or (within == 0 and sums[1]):
        return None
    return Dispersion(between, within, len(moments.size) - 1, moments.n_samples - len(moments.size))


def _typical(found: Findings, data: ClusteredData, metric: Metric, meant: ClusterMoments | None) -> None:
    if metric.name not in CENTRED and silhouette_seconds(data, metric) > LONG:
        if metric.name == "precomputed":
            found.lacking["representatives"] = said("Typical rows are left out: representatives(X, labels) finds them.")
            return
        found.lacking["representatives"] = EUCLIDEAN_CENTRES
        metric = Metric("euclidean")
    found.representatives = representatives_in(data, metric, TYPICAL, SHARE, meant if metric.name in CENTRED else None)


def _silhouettes(found: Findings, judged: Judged, metric: Metric, meant: ClusterMoments | None) -> None:
    """Point at rows and borders by their silhouettes."""
    data = judged.data
    if metric.closed_form or silhouette_seconds(data, metric, LOWEST) <= LONG:
        found.lowest = lowest_rows(judged, metric, LOWEST, meant)
    n_negative = int(np.count_nonzero(judged.values < 0))
    n_doubtful = min(len(judged.rows), DOUBTFUL * judged.n_clusters)
    near = metric
    if silhouette_seconds(data, metric, max(n_negative, n_doubtful)) > LONG:
        if metric.name not in CENTRED or data.features.sparse:
            found.lacking["boundary"] = said(
                "Borders and doubtful rows are left out, since they would take long under this metric: "
                "boundary_candidates and ambiguous find them."
            )
            return
        near = Metric("sqeuclidean") if metric.name == "euclidean" else metric
        if near is not metric:
            found.lacking["nearest"] = NEAR_CENTRES
    found.boundary = boundaries_in(judged, near, moments=meant)
    found.ambiguous = ambiguous_in(judged, near, DOUBTFUL, meant)
