"""`evaluate_clustering` of Dask's collections: the same report from statistics of blocks."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering.cost import estimate_seconds
from gpumetrics.config import current
from gpumetrics.dask.estimate import DaskProblem
from gpumetrics.dask.pairs import Scored, pair_blocks, seconds_of_tasks, silhouettes_by_block
from gpumetrics.dask.statistics import moments
from gpumetrics.dask.tasks import computed, lazily, merged, split_every
from gpumetrics.evaluation.parts import agreement_part, cluster_table, compactness_part, silhouette_part
from gpumetrics.evaluation.row_draws import RowDraws
from gpumetrics.evaluation.silhouette_part import SilhouettePart, affordable_queries, from_sample, mode_of
from gpumetrics.evaluation.stratified import allocate, strata_of
from gpumetrics.evaluation.subject import Evaluated, Subject
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.silhouette_spread import SilhouetteSpread, cells_within
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.dask.clustered import Plan
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.clustering_report import Scored as Given
    from gpumetrics.evaluation.parts import Parts
    from gpumetrics.types import Array

__all__ = ["evaluated"]

NONE: Any = np.empty(0)


def evaluated(given: Given, metric: Metric, noise_label: Any, wish: str, generator: Any, parts: Parts) -> Evaluated:
    """Evaluate a clustering in blocks; see `evaluate_clustering`."""
    X, labels, labels_true, *_ = given
    with parts.timed("checks"):
        problem = DaskProblem(X, labels, noise_label, metric, check_number=False)
        X, labels, _ = problem.given
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
        # The middle of a cell is as far as half a cell from what lies in it: rounded up.
        within = f"{math.ceil(1e4 / _cells(problem)) / 1e4:.4f}".rstrip("0")
        template = (
            "The medians of the clusters' silhouettes come from counts on a grid: they are within {within} of the "
            "exact ones."
        )
        parts.notes["medians"] = said(template, within=within)
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

    def exact_seconds() -> float:
        return seconds() + seconds_of_tasks(problem.table)

    if mode_of(wish, closed_form=problem.metric.closed_form, seconds=exact_seconds) == "exact":
        return _exact(problem)
    wanted = min(n, affordable_queries(seconds(1_000)))
    stratum = strata_of(problem.table.plan.sizes, wanted)
    problem.strata(stratum)
    sizes = np.bincount(stratum, weights=problem.table.plan.sizes).astype(np.int64)
    rows = RowDraws(None, sizes, generator).up_to(allocate(sizes, wanted))
    values = problem.ask(rows)[0]
    return from_sample(rows, values, problem.clusters(0, rows), stratum, sizes)


def _exact(problem: DaskProblem) -> SilhouettePart:
    k, n_cells = problem.n_clusters, _cells(problem)
    if problem.closed_form is not None:
        parts = problem.closed_form.of_each_block(_of_rows, problem.shared_plan(), n_cells)
    else:
        scored = silhouettes_by_block(pair_blocks(problem.table))
        parts = [lazily(_of_scored, part, k, n_cells) for _, part in scored]
    # Tables of the clusters come here; the counts on the grid may be as many as rows.
    total, size, table = computed(lazily(_table, merged(parts, SilhouetteSpread.merged)))
    value, macro = float(total.sum() / size.sum()), float(table["silhouette_mean"].mean())
    return SilhouettePart("exact", NONE, NONE, value, 0.0, macro, 0.0, table)


def _cells(problem: DaskProblem) -> int:
    """Choose how fine the grid of medians is: what a task merges keeps to half of the working memory."""
    most = current().working_memory * 2**19 / (split_every() + 1)
    return cells_within(most, problem.n_rows, problem.n_clusters)


def _table(spread: SilhouetteSpread) -> tuple[Array, Array, dict[str, Array]]:
    return spread.total, spread.size, spread.by_cluster()


def _of_scored(part: Scored, n_clusters: int, n_cells: int) -> SilhouetteSpread:
    return SilhouetteSpread.of(part.values, part.codes, n_clusters, n_cells)


def _of_rows(labels: Any, values: Any, plan: Plan, n_cells: int) -> SilhouetteSpread:
    """Summarise the silhouettes of a block; those of noise are nan."""
    codes = plan.codes(labels)
    return SilhouetteSpread.of(as_host(values)[codes >= 0], codes[codes >= 0], len(plan.sizes), n_cells)
