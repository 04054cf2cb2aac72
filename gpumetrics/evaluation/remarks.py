"""What a reader of the scores should keep in mind: short readings beside them, and notes below."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.evaluation.score_facts import silhouette_band
from gpumetrics.text.labels import printer
from gpumetrics.text.layout import format_score

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.parts import Parts
    from gpumetrics.evaluation.silhouette_part import SilhouettePart
    from gpumetrics.types import Array

__all__ = ["add"]

MUCH_NOISE = 0.1  # share of noise from which a reader is told to doubt the clustering's settings
BANDS = {
    "distinct": "distinct structure (above 0.7)",
    "reasonable": "reasonable structure (0.5 to 0.7)",
    "weak": "weak structure (0.25 to 0.5)",
    "none": "no substantial structure (below 0.25)",
}
CAVEAT = (
    "The bands of the silhouette are a convention. Its values fall as the dimension grows, and compare only "
    "within one data set."
)
SHAPE = (
    "Silhouette, Calinski-Harabasz and Davies-Bouldin favour compact, round clusters: a right clustering "
    "into crescents or rings, as density-based methods find them, scores low."
)


def add(parts: Parts, data: ClusteredData, metric: Metric, part: SilhouettePart, table: dict[str, Array]) -> None:
    """Add readings and notes to those that the computation left in `parts`."""
    notes, readings, scores = parts.notes, parts.readings, parts.scores
    _read_silhouette(notes, readings, part, data.labels.n_samples)
    _read_compactness(notes, readings, scores, table)
    if math.isfinite(part.macro):
        readings.setdefault("silhouette_macro", "each cluster counts the same")
    _read_agreement(readings, scores)
    share = 1 - data.labels.n_samples / data.n_given
    if share > MUCH_NOISE:
        notes["noise"] = (
            f"{100 * share:.1f} % of the rows are noise. However good the scores, doubt the settings that "
            "discarded them (such as an eps too small for DBSCAN): dropping hard rows tends to raise scores."
        )
    if metric.name not in {"euclidean", "sqeuclidean", "precomputed"}:
        name = getattr(metric.function, "__name__", metric.name)
        notes["metric"] = (
            f"Only the silhouette uses the metric {name}; Calinski-Harabasz, Davies-Bouldin and the "
            "distances to centroids are Euclidean."
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
        readings["silhouette"] = f"+/- {part.standard_error:.2g}, {BANDS[band]}"
        if math.isfinite(part.macro):
            readings["silhouette_macro"] = f"+/- {part.macro_standard_error:.2g}"
        drawn = "drawn at random by cluster" if part.stratified else "drawn at random from all of them"
        notes["estimate"] = (
            f"The silhouette is an estimate, +/- its standard error: {len(part.rows):,} of {n_rows:,} rows, "
            f'{drawn}, each against all rows. silhouette="exact" evaluates every row.'
        )


def _read_compactness(
    notes: dict[str, str], readings: dict[str, str], scores: dict[str, float], table: dict[str, Array]
) -> None:
    if math.isfinite(scores["calinski_harabasz"]):
        readings["calinski_harabasz"] = "no scale of its own: compare within this data"
    if scores["davies_bouldin"] == 0:
        notes["davies_bouldin"] = (
            "Davies-Bouldin is 0, its ideal limit: no cluster has any spread. Suspect duplicated rows."
        )
    if not math.isnan(scores["davies_bouldin"]):
        worst = int(np.argmax(table["worst_ratio"]))
        name = printer(table["label"])
        pair = f"{name(table['label'][worst])} and {name(table['worst_partner'][worst])}"
        ratio = format_score(float(table["worst_ratio"][worst]))
        readings["davies_bouldin"] = f"worst pair: {pair}, R {ratio}"


def _read_agreement(readings: dict[str, str], scores: dict[str, float]) -> None:
    if "adjusted_rand" not in scores or math.isnan(scores["adjusted_rand"]):
        return
    readings |= {
        "adjusted_rand": "0: as by chance; 1: the same partition",
        "adjusted_mutual_info": "0: as by chance; for different numbers of clusters",
        "normalized_mutual_info": "not adjusted for chance; equals V-measure",
        "homogeneity": "1: each cluster holds one class",
        "completeness": "1: each class lies in one cluster",
    }
    readings.setdefault("clustering_accuracy", "best one-to-one matching")
    if scores["adjusted_rand"] < 0:
        readings["adjusted_rand"] = "below 0: read as 0, as by chance"
