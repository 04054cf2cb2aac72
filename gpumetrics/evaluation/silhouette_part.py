"""The silhouette of a report: exact, estimated from a sample of rows, or left out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.clustering.silhouette import silhouettes_of
from gpumetrics.distance_metrics import has_closed_form
from gpumetrics.evaluation.per_cluster import silhouette_by_cluster
from gpumetrics.evaluation.stratified import strata_of, stratified_mean, stratified_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = [
    "LONGEST_EXACT",
    "MODES",
    "SilhouettePart",
    "affordable_queries",
    "evaluate",
    "from_sample",
    "mode_of",
    "silhouette_seconds",
    "skipped",
]

Mode = Literal["exact", "estimate", "skip"]
MODES = ("auto", "exact", "estimate", "skip")
LONGEST_EXACT = 60.0  # seconds of expected work up to which "auto" is exact
ESTIMATE_SECONDS = 20.0  # expected work of an estimate
FEWEST_QUERIES, MOST_QUERIES = 1_000, 10_000


@dataclass(frozen=True)
class SilhouettePart:
    """Silhouettes of all rows or of a sample, and what follows from them.

    Attributes
    ----------
    mode : {"exact", "estimate", "skip"}
    rows : ndarray of int64
        Rows that were evaluated.
    values : ndarray of float64
        Their silhouettes.
    value, standard_error, macro, macro_standard_error : float
    by_cluster : dict
        As `silhouette_by_cluster` gives it.
    stratified : bool
        Whether the rows of an estimate were drawn cluster by cluster (the small ones of many together).
    """

    mode: Mode
    rows: Array
    values: Array
    value: float
    standard_error: float
    macro: float
    macro_standard_error: float
    by_cluster: dict[str, Array]
    stratified: bool = False

    def by_row(self, data: ClusteredData) -> Array:
        """Silhouette of each of the user's rows; nan for noise and for rows that were not evaluated."""
        out = np.full(data.n_given, np.nan)
        out[self.rows if data.kept is None else as_host(data.kept)[self.rows]] = self.values
        return out


def skipped(n_clusters: int) -> SilhouettePart:
    """Return the part for a silhouette that is undefined or not wanted."""
    none = np.empty(0, dtype=np.int64)
    values = np.empty(0)
    table = silhouette_by_cluster(values, none, n_clusters)
    nan = math.nan
    return SilhouettePart("skip", none, values, nan, nan, nan, nan, table)


def evaluate(
    data: ClusteredData, metric: Metric, moments: ClusterMoments | None, *, wish: str, random_state: Any
) -> SilhouettePart:
    """Evaluate all rows, or a stratified sample of rows against all rows."""
    closed_form = _closed_form(data, metric)
    if mode_of(wish, closed_form=closed_form, seconds=lambda: silhouette_seconds(data, metric)) == "exact":
        return _exact(data, metric, moments)
    wanted = min(data.labels.n_samples, affordable_queries(silhouette_seconds(data, metric, n_queries=1_000)))
    stratum = strata_of(data.sizes, wanted)
    sizes = np.bincount(stratum, weights=data.sizes).astype(np.int64)
    rows = stratified_rows(beside(stratum, data.codes)[data.codes], sizes, wanted, random_state)
    values = as_host(silhouettes_of(data, metric, queries=rows, moments=moments))
    codes = as_host(data.codes[beside(rows, data.codes)])
    return from_sample(rows, values, codes, stratum, sizes)


def _exact(data: ClusteredData, metric: Metric, moments: ClusterMoments | None) -> SilhouettePart:
    values, codes = as_host(silhouettes_of(data, metric, moments=moments)), as_host(data.codes)
    table = silhouette_by_cluster(values, codes, data.labels.n_classes)
    means = float(values.mean()), 0.0, float(table["silhouette_mean"].mean()), 0.0
    return SilhouettePart("exact", np.arange(len(values)), values, *means, table)


def from_sample(rows: Array, values: Array, codes: Array, stratum: Array, sizes: Array) -> SilhouettePart:
    """Estimate from the silhouettes of a stratified sample.

    Parameters
    ----------
    rows, values, codes : ndarray of shape (n_sampled,)
        Numbers, silhouettes and clusters of the rows.
    stratum : ndarray of shape (n_clusters,)
        Stratum of each cluster.
    sizes : ndarray of shape (n_strata,)
    """
    mean = stratified_mean(values, stratum[codes], sizes)
    # Where small clusters share a stratum, the mean over strata is not the one over clusters.
    by_cluster = len(sizes) == len(stratum)
    macro, macro_error = (mean.macro, mean.macro_standard_error) if by_cluster else (math.nan, math.nan)
    table = silhouette_by_cluster(values, codes, len(stratum))
    table["rows_evaluated"] = np.bincount(codes, minlength=len(stratum))
    means = mean.value, mean.standard_error, macro, macro_error
    return SilhouettePart("estimate", rows, values, *means, table, stratified=len(sizes) > 1)


def mode_of(wish: str, *, closed_form: bool, seconds: Callable[[], float]) -> Mode:
    """Turn "auto" into "exact" or "estimate": exact for a closed form, and for work of up to a minute."""
    if wish == "exact" or (wish == "auto" and closed_form):
        return "exact"
    return "exact" if wish == "auto" and seconds() <= LONGEST_EXACT else "estimate"


def _closed_form(data: ClusteredData, metric: Metric) -> bool:
    return has_closed_form(metric, data.features, on_gpu=_on_gpu(data))


def silhouette_seconds(data: ClusteredData, metric: Metric, n_queries: int | None = None) -> float:
    """Expected seconds of the silhouettes of some rows, or of all, each against all rows."""
    from gpumetrics.clustering.cost import estimate_seconds

    name = metric.function or metric.name
    if metric.closed_form and not _closed_form(data, metric):
        name = "euclidean"  # all pairs by a matrix product, as for the Euclidean distance
    shape = data.features.n_samples, data.features.n_features, data.labels.n_classes
    return estimate_seconds(*shape, name, n_queries=n_queries, on_gpu=_on_gpu(data))


def _on_gpu(data: ClusteredData) -> bool:
    return data.choice.ops.NAME == "cupy"  # type: ignore[no-any-return]


def affordable_queries(seconds: float) -> int:
    """Return how many rows an estimate of some 20 seconds can ask, if `seconds` are expected for 1,000 rows.

    One of few numbers, since the expectation follows this machine's speed at the moment, and an estimate should not.
    """
    affordable = 1_000 * ESTIMATE_SECONDS / max(seconds, 1e-9)
    if affordable >= MOST_QUERIES:
        return MOST_QUERIES
    return FEWEST_QUERIES << max(0, int(math.log2(affordable / FEWEST_QUERIES)))
