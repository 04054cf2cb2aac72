"""`evaluate_clustering` of Dask's collections: the same report from statistics of blocks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering.cost import estimate_seconds
from gpumetrics.dask.blocks import computed, lazily, merged
from gpumetrics.dask.estimate import DaskProblem
from gpumetrics.dask.pairs import Scored, pair_blocks, silhouettes_by_block
from gpumetrics.dask.statistics import moments
from gpumetrics.evaluation.parts import agreement_part, cluster_table, compactness_part, silhouette_part
from gpumetrics.evaluation.row_draws import RowDraws
from gpumetrics.evaluation.silhouette_part import SilhouettePart, affordable_queries, from_sample, mode_of
from gpumetrics.evaluation.stratified import allocate, strata_of
from gpumetrics.evaluation.subject import Evaluated, Subject
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.silhouette_spread import SilhouetteSpread
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.dask.clustered import Plan
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.clustering_report import Scored as Given
    from gpumetrics.evaluation.parts import Parts

__all__ = ["evaluated"]

NONE: Any = np.empty(0)


def evaluated(given: Given, metric: Metric, noise_label: Any, wish: str, generator: Any, parts: Parts) -> Evaluated:
    """Evaluate a clustering in blocks; see `evaluate_clustering`."""
    X, labels, labels_true, *_ = given
    with parts.timed("checks"):
        problem = DaskProblem(X, labels, noise_label, metric, check_number=False)
        subject = _subject(problem)
        truth: Any = None  # before the work, since its length may be wrong
        if labels_true is not None and subject.n_samples:
            truth = Contingency.from_clusterings(labels_true, labels, noise_label=noise_label)
    moments_of = partial(moments, X, labels, noise_label, spreads=True, check_number=False)
    found, partners = compactness_part(subject, metric, parts, lambda: moments_of()[0])
    part = silhouette_part(subject, wish, parts, lambda: _silhouettes(problem, wish, generator))
    if labels_true is not None:
        agreement_part(subject.n_samples, parts, lambda: truth)
    if part.mode == "exact":
        parts.notes["medians"] = said(
            "The medians of the clusters' silhouettes come from counts on a grid: they are within 0.0003 of the exact "
            "ones."
        )
    return Evaluated(subject, cluster_table(subject, found, partners, part), part, None)


def _subject(problem: DaskProblem) -> Subject:
    blocks, plan = problem.table.blocks, problem.table.plan
    d, reason = int(blocks.arrays[0].shape[1]), said("X or labels are Dask collections")
    return Subject(plan.classes, plan.sizes, blocks.n_samples, d, "dask", reason)


def _silhouettes(problem: DaskProblem, wish: str, generator: Any) -> SilhouettePart:
    name = problem.metric.function or problem.metric.name
    n, d, k = problem.n_rows, int(problem.table.blocks.arrays[0].shape[1]), problem.n_clusters

    def seconds(n_queries: int | None = None) -> float:
        return estimate_seconds(n, d, k, name, n_queries=n_queries)

    if mode_of(wish, closed_form=problem.metric.closed_form, seconds=seconds) == "exact":
        return _exact(problem)
    wanted = min(n, affordable_queries(seconds(1_000)))
    stratum = strata_of(problem.table.plan.sizes, wanted)
    problem.strata(stratum)
    sizes = np.bincount(stratum, weights=problem.table.plan.sizes).astype(np.int64)
    rows = RowDraws(None, sizes, generator).up_to(allocate(sizes, wanted))
    values = problem.ask(rows)[0]
    return from_sample(rows, values, problem.clusters(0, rows), stratum, sizes)


def _exact(problem: DaskProblem) -> SilhouettePart:
    k = problem.n_clusters
    if problem.closed_form is not None:
        parts = problem.closed_form.of_each_block(partial(_of_rows, plan=problem.table.plan))
    else:
        parts = [lazily(_of_scored, part, k) for _, part in silhouettes_by_block(pair_blocks(problem.table))]
    spread = computed(merged(parts, SilhouetteSpread.merged))
    table = spread.by_cluster()
    value, macro = float(spread.total.sum() / spread.size.sum()), float(table["silhouette_mean"].mean())
    return SilhouettePart("exact", NONE, NONE, value, 0.0, macro, 0.0, table)


def _of_scored(part: Scored, n_clusters: int) -> SilhouetteSpread:
    return SilhouetteSpread.of(part.values, part.codes, n_clusters)


def _of_rows(labels: Any, values: Any, plan: Plan) -> SilhouetteSpread:
    """Summarise the silhouettes of a block; those of noise are nan."""
    codes = plan.codes(labels)
    return SilhouetteSpread.of(as_host(values)[codes >= 0], codes[codes >= 0], len(plan.sizes))
