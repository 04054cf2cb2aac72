"""What makes the scores doubtful before they are read: noise, scaling, a distance that is not the clustering's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpumetrics.choosing.facts import percent
from gpumetrics.evaluation.remarks import MUCH_NOISE
from gpumetrics.pages.common import short
from gpumetrics.text.messages import Message, said

if TYPE_CHECKING:
    from gpumetrics.evaluation.columns import ColumnShares
    from gpumetrics.pages.clustering_view import View

__all__ = ["EUCLIDEAN", "column_name", "doubts_of", "many_more"]

EUCLIDEAN = ("euclidean", "sqeuclidean", "l2", "nan_euclidean")
BY_EUCLID = ("KMeans", "MiniBatchKMeans", "BisectingKMeans", "GaussianMixture", "Birch")  # known to cluster so
EQUAL = "All clustered rows are the same: there is nothing to tell clusters apart by."
UNIT = (
    "All rows have length 1, as embeddings do that are made for the cosine. If they were clustered by the cosine, give "
    'metric="cosine": the Euclidean distance orders pairs of such rows alike, but the silhouettes differ.'
)
SPARSE = (
    "The rows are sparse, as counts of words are. Such rows are mostly clustered by the cosine: if yours were, give "
    'metric="cosine", since the score must use the distance of the clustering.'
)


def doubts_of(view: View) -> list[Message | str]:
    """Return what to settle before the scores are believed."""
    report, columns = view.report, view.found.columns
    doubts: list[Message | str] = []
    if report.noise_fraction > MUCH_NOISE and report.n_clusters:
        doubts.append(
            said(
                "{share} of the rows were set aside as noise: however good the scores of the rest, doubt that setting "
                "first.",
                share=percent(report.noise_fraction, 1),
            )
        )
    moments = view.found.moments
    if moments is not None and not moments.within.any() and not moments.between():
        doubts.append(EQUAL)
    if columns is not None and columns.dominating is not None:
        at = columns.dominating
        doubts.append(
            said(
                "One column, {name}, holds {share} of all variance: it alone decides which rows are near each other. "
                "If the columns have different units, scale them (to equal variances, say), cluster again, and score "
                "the scaled rows.",
                name=column_name(columns, at),
                share=percent(float(columns.share[at]), 1),
            )
        )
    doubts += _distance(view)
    return doubts


def _distance(view: View) -> list[Message | str]:
    """Say where the distance of the score cannot be, or may not be, that of the clustering."""
    report, columns = view.report, view.found.columns
    by_euclid = view.stability is not None and view.stability.clusterer.startswith(BY_EUCLID)
    if report.metric not in EUCLIDEAN:
        if by_euclid and view.stability is not None and report.metric in {"cosine", "correlation", "manhattan"}:
            return [
                said(
                    "{clusterer} clusters by the Euclidean distance, but the silhouette is by {metric}: a score should "
                    "use the distance of the clustering.",
                    clusterer=short(view.stability.clusterer),
                    metric=report.metric,
                )
            ]
        return []
    if by_euclid or columns is None:
        return []
    if columns.unit_length:
        return [UNIT]
    return [SPARSE] if report.scored is not None and hasattr(report.scored.X, "nnz") else []


def column_name(columns: ColumnShares, at: int) -> Message:
    """Return the name of a column as it is shown."""
    name = columns.names[at]
    return name if isinstance(name, Message) else short(name)


def many_more(view: View) -> bool:
    """Whether the clusters are at least twice as many as the known classes, or the other way round."""
    k, n = view.report.n_clusters, view.n_classes
    return bool(n and k) and max(k, n) >= 2 * min(k, n)
