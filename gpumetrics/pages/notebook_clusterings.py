"""What notebooks show of one clustering: scores, candidates, rows to look at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.evaluation.score_facts import EXTERNAL, INTERNAL
from gpumetrics.pages.notebook_tables import Grid, Summary, cut_sentence, grid_of, lowest, namer
from gpumetrics.text.layout import format_score

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.clustering.davies_bouldin_pairs import DaviesBouldinPairs
    from gpumetrics.clustering.density_validity_result import DensityValidity
    from gpumetrics.clustering.estimate.result import Estimate
    from gpumetrics.evaluation.attributes import AttributeCheck
    from gpumetrics.evaluation.candidates_result import Candidates
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.evaluation.samples import ClusterRows

__all__ = ["CLUSTERINGS", "plural"]

CLUSTERS = {
    "label": "cluster",
    "size": "size",
    "silhouette_mean": "mean s",
    "silhouette_median": "median s",
    "share_negative": "s < 0",
    "rows_evaluated": "rows asked",
    "distance_to_centroid": "to centroid",
    "worst_partner": "worst partner",
    "worst_ratio": "R",
    "nearest_cluster": "nearest",
}
CANDIDATES = {"ashman_d": "Ashman's D", "n_rows": "rows", "n_evaluated": "of evaluated", "n_estimated": "in all about"}


def plural(n: int, word: str) -> str:
    """Return a number with its noun."""
    return f"{n:,} {word}{'s' * (n != 1)}"


def clustering_report(report: ClusteringReport) -> Summary:
    """Return the scores with their readings, and the clusters, the weakest of many."""
    from gpumetrics.evaluation.report_text import noise_line, notes_of

    # Of a distance matrix the number of columns says nothing about the data.
    width = "" if report.metric == "precomputed" else f" x {plural(report.n_features, 'feature')}"
    facts = f"{plural(report.n_samples, 'row')}{width}, {plural(report.n_clusters, 'cluster')}, metric {report.metric}"
    rows = [
        [
            kind.title,
            format_score(report.scores[kind.name]),
            kind.better,
            kind.range,
            report.readings.get(kind.name, ""),
        ]
        for kind in INTERNAL + EXTERNAL
        if kind.name in report.scores
    ]
    scores = Grid("Scores", ["score", "value", "better", "range", "reading"], rows, {1})
    table = report.per_cluster
    clusters = grid_of(
        "Clusters",
        table,
        CLUSTERS,
        order=lowest(np.nan_to_num(table["silhouette_mean"], nan=np.inf)),
        names=("label", "worst_partner", "nearest_cluster"),
        shares=("share_negative",),
        kept_in="per_cluster",
    )
    foot = f"Backend: {report.backend} ({report.backend_reason}). Time: {report.seconds:.2f} s."
    grids = [scores, clusters] if report.n_clusters else [scores]
    return Summary("Clustering report", facts, [noise_line(report)], grids, [*notes_of(report), foot])


def candidates(found: Candidates) -> Summary:
    """Return the candidates, the most striking first, with the reasons of those to split."""
    from gpumetrics.evaluation.candidates_result import NAMES, SHARES, shown_columns

    table = shown_columns(found)
    titles = {key: CANDIDATES.get(key, key.replace("_", " ")) for key in table}
    grid = grid_of("Candidates", table, titles, names=NAMES, shares=SHARES, kept_in="table")
    # The sentences on the others only say their lines again.
    reasons = [cut_sentence(reason) for reason in found.reasons[:5]] if found.kind == "split" else []
    title = f"{found.kind.capitalize()} candidates: {len(found) or 'none'}"
    notes = [f"Rule: {found.rule}", *found.notes.values()]
    return Summary(title, "", reasons, [grid] if len(found) else [], notes)


def cluster_rows(found: ClusterRows) -> Summary:
    """Return the rows of each cluster, the first clusters of many."""
    titles = {key: key.replace("_", " ") for key in found.table}
    names = ("cluster", "nearest_other")
    what = "Representative rows" if found.kind == "representatives" else "Ambiguous rows"
    grid = grid_of("Rows", found.table, titles, names=names, kept_in="table")
    facts = f"{plural(len(found), 'row')} of {plural(len(found.clusters), 'cluster')}"
    return Summary(what, facts, [], [grid] if len(found) else [], list(found.notes.values()))


def attribute_check(found: AttributeCheck) -> Summary:
    """Return the attributes, the closest to the clusters first, and what is typical of the clusters."""
    titles = {"attribute": "attribute", "n_values": "values", "adjusted_mutual_info": "AMI"}
    titles |= {key: key for key in ("homogeneity", "completeness", "reading")}
    attributes = grid_of("Attributes", found.table, titles, names=("attribute",), kept_in="table")
    typical = grid_of(
        "Typical values",
        found.typical,
        {key: key.replace("_", " ") for key in ("cluster", "attribute", "value", "share", "share_of_all")},
        names=("attribute", "cluster", "value"),
        shares=("share", "share_of_all"),
        kept_in="typical",
    )
    grids = [attributes, typical._replace(folded=True)]
    return Summary("Clusters against known attributes", "", [], grids, list(found.notes.values()))


def estimate(found: Estimate) -> Summary:
    """Return the value with its error, and the clusters, the lowest of many."""
    rows = f"{plural(found.n_samples, 'row')}, {plural(found.n_clusters, 'cluster')}, metric {found.metric}"
    if math.isnan(found.value):
        return Summary("Silhouette: undefined", rows, list(found.notes), [])
    reading = [f"{found.band if found.band != 'none' else 'no substantial'} structure (-1 to 1, higher is better)"]
    if not found.exact:
        low, high = found.interval
        against = "all rows" if found.n_references is None else f"{found.n_references:,} reference rows"
        reading.append(
            f"Standard error {found.stderr:.2g}, {100 * found.confidence:g} % interval {low:.4f} to {high:.4f}"
        )
        rows += f"; estimated from {plural(found.n_queries, 'row')}, each against {against}"
    titles = {"label": "cluster", "size": "size", "n_queries": "rows asked", "value": "mean s", "stderr": "std. error"}
    table = found.per_cluster
    grid = grid_of("Clusters", table, titles, order=lowest(table["value"]), kept_in="per_cluster")
    exact = ", exact" if found.exact else ""
    return Summary(f"Silhouette: {found.value:.4f}{exact}", rows, reading, [grid], list(found.notes))


def density_validity(found: DensityValidity) -> Summary:
    """Return the score, and the densities of the clusters, the lowest of many."""
    noise = f"{plural(found.n_noise, 'row')} of noise"
    clusters = plural(len(found.labels), "cluster")
    facts = f"{plural(found.n_samples, 'row')}, {clusters}, {noise}, metric {found.metric}; -1 to 1, higher is better"
    keys = ("label", "sizes", "validity", "sparseness", "separation", "nearest")
    table = {key: getattr(found, f"{key}s" if key == "label" else key) for key in keys}
    titles = {key: {"label": "cluster", "sizes": "size"}.get(key, key) for key in keys}
    order = lowest(found.validity)
    grid = grid_of("Clusters", table, titles, order=order, names=("label", "nearest"), kept_in="to_frame()")
    reading = [f"Undefined: {found.reason}"] if found.reason else []
    title = f"Density validity (DBCV): {format_score(found.score)}"
    return Summary(title, facts, reading, [grid] if len(found.labels) else [])


def davies_bouldin_pairs(found: DaviesBouldinPairs) -> Summary:
    """Return the score, the pair that drives it, and each cluster with its most similar other."""
    name = namer(found.labels)
    pair = " and ".join(map(name, found.pair))
    reading = f"Pair with the largest R of all: {pair}, {format_score(float(found.worst_ratio.max()))}"
    titles = {"label": "cluster", "spread": "spread", "worst_partner": "most similar", "worst_ratio": "R"}
    order = np.argsort(-found.worst_ratio, kind="stable")
    names = ("label", "worst_partner")
    grid = grid_of("Clusters", found.per_cluster, titles, order=order, names=names, kept_in="per_cluster")
    facts = f"{plural(len(found.labels), 'cluster')}; lower is better; the mean of the clusters' largest R"
    return Summary(f"Davies-Bouldin: {format_score(found.score)}", facts, [reading], [grid])


CLUSTERINGS: dict[str, Callable[[Any], Summary]] = {
    "AttributeCheck": attribute_check,
    "Candidates": candidates,
    "ClusterRows": cluster_rows,
    "ClusteringReport": clustering_report,
    "DaviesBouldinPairs": davies_bouldin_pairs,
    "DensityValidity": density_validity,
    "Estimate": estimate,
}
