"""One line of a comparison for each labeling: its clusters, its noise, and the scores that need no pairs of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import beside
from gpumetrics.evaluation.parts import Parts, agreement_part, compactness_part
from gpumetrics.evaluation.subject import Subject
from gpumetrics.label_arrays import as_objects
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.statistics.moments import cluster_moments
from gpumetrics.text.messages import said, with_commas
from gpumetrics.validation import drop_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.clustering.labelings import Labelings
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["Line", "measure", "table_of"]

COUNTS = ("n_clusters", "size_min", "size_max", "n_noise", "noise_fraction")


@dataclass
class Line:
    """What is known of one labeling while the comparison is made.

    Attributes
    ----------
    name : object
    parts : Parts
        Scores, and notes that say why one is undefined.
    counts : dict of str to float
        ``n_clusters``, ``size_min``, ``size_max``, ``n_noise``, ``noise_fraction``; empty where there is no labeling.
    nearest : ndarray of int64 or None
        The cluster with the nearest centroid, for each cluster.
    failure : str
        Why there is no labeling.
    sampled : ndarray or None
        Silhouettes of the rows of an estimate; nan for noise.
    columns : dict
        Further columns of the table, such as a sweep's parameters.
    """

    name: Any
    parts: Parts = field(default_factory=Parts)
    counts: dict[str, float] = field(default_factory=dict)
    nearest: Array | None = None
    failure: str = ""
    sampled: Array | None = None
    columns: dict[str, Any] = field(default_factory=dict)

    def reason(self) -> str:
        """Say why scores are missing: once, if it is the same for all."""
        if self.failure:
            return self.failure
        from gpumetrics.choosing.facts import EXTERNAL_NAMES, FACTS

        titles: dict[str, list[str]] = {}
        for name, note in self.parts.notes.items():
            titles.setdefault(note, []).append(FACTS[name].title)
        inside = [name for name in self.parts.scores if name not in EXTERNAL_NAMES]
        if len(titles) == 1 and all(math.isnan(self.parts.scores[name]) for name in inside):
            return next(iter(titles))
        every = ""
        for note, of in reversed(titles.items()):
            reason = said("{scores}: {reason}", scores=with_commas(of), reason=note)
            every = said("{reason}; {others}", reason=reason, others=every) if every else reason
        return every


def measure(
    data: Labelings, at: int, line: Line, *, metric: Metric, scores: Sequence[str], truth: Labels | None
) -> None:
    """Count the clusters of a labeling, and score it by its moments and against the known classes."""
    labeling = data.each[at]
    sizes, n = labeling.sizes, data.n_samples
    n_noise = n - labeling.n_kept
    extremes = (int(sizes.min()), int(sizes.max())) if len(sizes) else (0, 0)
    line.counts = dict(zip(COUNTS, (len(sizes), *extremes, n_noise, n_noise / n), strict=True))
    clustered = data.one(at)
    line.nearest = _compactness(clustered, metric, scores, line.parts)
    if truth is not None:
        known = replace(truth, codes=beside(truth.codes, labeling.codes))
        known = drop_rows(known, labeling.codes < 0) if labeling.has_noise else known
        labels = clustered.labels
        agreement_part(labels.n_samples, line.parts, lambda: Contingency.from_labels(known, labels))
    if labeling.why_undefined and "silhouette" in scores:
        line.parts.undefined(labeling.why_undefined, "silhouette", "silhouette_macro")


def _compactness(data: ClusteredData, metric: Metric, scores: Sequence[str], parts: Parts) -> Array | None:
    """Score what follows from the moments; return each cluster's nearest other."""
    wanted = [name for name in ("calinski_harabasz", "davies_bouldin") if name in scores]
    if not wanted:
        return None
    moments = partial(cluster_moments, data.features, data.codes, data.sizes)
    if "davies_bouldin" not in wanted and metric.name != "precomputed" and 1 < data.labels.n_classes < len(data.codes):
        from gpumetrics.clustering.compactness import calinski_harabasz_from

        parts.score("calinski_harabasz", lambda: calinski_harabasz_from(moments(spreads=False)))
        return None
    _, partners = compactness_part(Subject.of(data), metric, parts, moments)
    for name in {"calinski_harabasz", "davies_bouldin"} - set(wanted):
        parts.scores.pop(name, None)
        parts.notes.pop(name, None)
    return None if partners is None else partners[2]


def _column(values: list[Any]) -> Array:
    """Return values as numbers if all of them are of one kind, else as they are."""
    kinds = set(map(type, values))
    return np.array(values) if kinds in ({int}, {float}) else as_objects(values)


def table_of(lines: Sequence[Line], scores: Sequence[str]) -> dict[str, Array]:
    """Return the lines as columns; a score is nan where it is undefined, a count where there is no labeling."""
    table = {"name": as_objects([line.name for line in lines])}
    further = dict.fromkeys(key for line in lines for key in line.columns)
    table |= {key: _column([line.columns.get(key) for line in lines]) for key in further}
    for key in COUNTS:
        values = [line.counts.get(key, math.nan) for line in lines]
        known = key != "noise_fraction" and all(line.counts for line in lines)
        table[key] = np.array(values, dtype=np.int64 if known else np.float64)
    table |= {name: np.array([line.parts.scores.get(name, math.nan) for line in lines]) for name in scores}
    return table | {"reason": as_objects([line.reason() for line in lines])}
