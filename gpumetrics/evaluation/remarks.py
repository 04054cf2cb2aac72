"""What a reader of the scores should keep in mind: short readings beside them, and notes below."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.text.labels import printer
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.parts import Parts
    from gpumetrics.evaluation.silhouette_part import SilhouettePart
    from gpumetrics.evaluation.subject import Subject
    from gpumetrics.types import Array

__all__ = ["BANDS", "CAVEAT", "MUCH_NOISE", "SHAPE", "add"]

MUCH_NOISE = 0.1  # share of noise from which a reader is told to doubt the clustering's settings
BANDS = {
    "distinct": said("distinct structure (above 0.7)"),
    "reasonable": said("reasonable structure (0.5 to 0.7)"),
    "weak": said("weak structure (0.25 to 0.5)"),
    "none": said("no substantial structure (below 0.25)"),
}
CAVEAT = said(
    "The bands of the silhouette are a convention. Its values fall as the dimension grows, and compare only "
    "within one data set."
)
SHAPE = said(
    "Silhouette, Calinski-Harabasz and Davies-Bouldin favour compact, round clusters: a right clustering "
    "into crescents or rings, as density-based methods find them, scores low."
)


def add(parts: Parts, subject: Subject, metric: Metric, part: SilhouettePart, table: dict[str, Array]) -> None:
    """Add readings and notes to those that the computation left in `parts`."""
    notes, readings, scores = parts.notes, parts.readings, parts.scores
    _read_silhouette(notes, readings, part, subject.n_samples)
    _read_compactness(notes, readings, scores, table)
    if math.isfinite(part.macro):
        readings.setdefault("silhouette_macro", said("each cluster counts the same"))
    _read_agreement(readings, scores)
    share = 1 - subject.n_samples / subject.n_given
    if share > MUCH_NOISE:
        notes["noise"] = said(
            "{share:.1f} % of the rows are noise. However good the scores, doubt the settings that "
            "discarded them (such as an eps too small for DBSCAN): dropping hard rows tends to raise scores.",
            share=100 * share,
        )
    if metric.name not in {"euclidean", "sqeuclidean", "precomputed"}:
        notes["metric"] = said(
            "Only the silhouette uses the metric {metric}; Calinski-Harabasz, Davies-Bouldin and the "
            "distances to centroids are Euclidean.",
            metric=getattr(metric.function, "__name__", metric.name),
        )
    if any(math.isfinite(scores[name]) for name in ("silhouette", "calinski_harabasz", "davies_bouldin")):
        notes["shape"] = SHAPE


def _read_silhouette(notes: dict[str, str], readings: dict[str, str], part: SilhouettePart, n_rows: int) -> None:
    band = silhouette_band(part.value)
    if not band:
        return
    readings["silhouette"] = BANDS[band]
    notes["bands"] = CAVEAT
    if part.mode == "estimate":
        readings["silhouette"] = said("+/- {error:.2g}, {band}", error=part.standard_error, band=BANDS[band])
        if math.isfinite(part.macro):
            readings["silhouette_macro"] = said("+/- {error:.2g}", error=part.macro_standard_error)
        by_cluster = part.stratified
        notes["estimate"] = said(
            "The silhouette is an estimate, +/- its standard error: {n:,} of {n_rows:,} rows, "
            "{drawn}, each against all rows. {keyword} evaluates every row.",
            n=len(part.rows),
            n_rows=n_rows,
            drawn=said("drawn at random by cluster") if by_cluster else said("drawn at random from all of them"),
            keyword='silhouette="exact"',
        )


def _read_compactness(
    notes: dict[str, str], readings: dict[str, str], scores: dict[str, float], table: dict[str, Array]
) -> None:
    if math.isfinite(scores["calinski_harabasz"]):
        readings["calinski_harabasz"] = said("no scale of its own: compare within this data")
    if scores["davies_bouldin"] == 0:
        notes["davies_bouldin"] = said(
            "Davies-Bouldin is 0, its ideal limit: no cluster has any spread. Suspect duplicated rows."
        )
    if not math.isnan(scores["davies_bouldin"]):
        worst = int(np.argmax(table["worst_ratio"]))
        name = printer(table["label"])
        readings["davies_bouldin"] = said(
            "worst pair: {a} and {b}, R {ratio}",
            a=name(table["label"][worst]),
            b=name(table["worst_partner"][worst]),
            ratio=format_score(float(table["worst_ratio"][worst])),
        )


def _read_agreement(readings: dict[str, str], scores: dict[str, float]) -> None:
    if "adjusted_rand" not in scores or math.isnan(scores["adjusted_rand"]):
        return
    readings |= {
        "adjusted_rand": said("0: as by chance; 1: the same partition"),
        "adjusted_mutual_info": said("0: as by chance; for different numbers of clusters"),
        "normalized_mutual_info": said("not adjusted for chance; equals V-measure"),
        "homogeneity": said("1: each cluster holds one class"),
        "completeness": said("1: each class lies in one cluster"),
    }
    readings.setdefault("clustering_accuracy", said("best one-to-one matching"))
    if scores["adjusted_rand"] < 0:
        readings["adjusted_rand"] = said("below 0: read as 0, as by chance")
