"""The parts of a clustering report, computed one after the other from data that is checked once."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import explain, resolve
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.config import config_context
from gpumetrics.distances import check_metric
from gpumetrics.evaluation import remarks
from gpumetrics.evaluation import silhouette_part as silhouettes
from gpumetrics.validation import check_consistent_length, drop_rows, encode_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distances import Metric
    from gpumetrics.evaluation.silhouette_part import SilhouettePart
    from gpumetrics.statistics.contingency import Contingency
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["assemble"]


@dataclass
class Parts:
    """What the steps have found so far."""

    scores: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    readings: dict[str, str] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)

    @contextlib.contextmanager
    def timed(self, step: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.timings[step] = time.perf_counter() - started

    def score(self, name: str, formula: Callable[[], float]) -> float:
        """Keep a score; what its formula warns of becomes the note that says why it is not a number."""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.scores[name] = formula()
        if seen:
            self.notes[name] = str(seen[0].message)
        return self.scores[name]

    def undefined(self, reason: str, *names: str) -> None:
        for name in names:
            self.scores[name] = math.nan
            self.notes[name] = f"undefined: {reason}"


def assemble(
    X: Any,
    labels: Any,
    labels_true: Any,
    metric: Any,
    noise_label: Any,
    mode: str,
    random_state: Any,
    kwds: dict[str, Any],
) -> dict[str, Any]:
    """Return the fields of the report, but for the noise label and the total time."""
    checked, settings = check_metric(metric, kwds, "evaluate_clustering")
    parts = Parts()
    with config_context(**settings):
        with parts.timed("checks"):
            data = check_clustered(X, labels, noise_label, metric=checked, check_number=False)
            truth = None if labels_true is None else _encode_truth(labels_true, data)
        moments = _compactness(data, checked, parts)
        part = _silhouette(data, checked, moments, mode, random_state, parts)
        if truth is not None:
            _agreement(truth, data.labels, parts)
        table = _per_cluster(data, moments, part, parts)
        backend = resolve(data.features.data).NAME, explain()[1]
    remarks.add(parts, data, checked, part, table)
    name = getattr(metric, "__name__", repr(metric)) if callable(metric) else str(metric)
    return {"metric": name, **_fields(data, part, parts, table, backend)}


def _fields(
    data: ClusteredData, part: SilhouettePart, parts: Parts, table: dict[str, Array], backend: tuple[str, str]
) -> dict[str, Any]:
    return {
        "scores": _in_order(parts.scores),
        "per_cluster": table,
        "silhouette_samples": _by_row(data, part),
        "silhouette_mode": part.mode,
        "silhouette_standard_error": part.standard_error,
        "n_samples": data.n_given,
        "n_features": data.features.n_features,
        "n_clusters": data.labels.n_classes,
        "n_noise": data.n_given - data.labels.n_samples,
        "notes": parts.notes,
        "readings": parts.readings,
        "backend": backend[0],
        "backend_reason": backend[1],
        "timings": parts.timings,
    }


def _encode_truth(labels_true: Any, data: ClusteredData) -> Labels:
    truth = encode_labels(labels_true, "labels_true")
    check_consistent_length(data.n_given, truth.n_samples)
    if data.kept is None:
        return truth
    noise = np.ones(data.n_given, dtype=bool)
    noise[data.kept] = False
    return drop_rows(truth, noise)


def _why_undefined(data: ClusteredData) -> str:
    """Say why there is nothing to compare; empty where there is."""
    k, n = data.labels.n_classes, data.labels.n_samples
    if 1 < k < n:
        return ""
    if k == 0:
        return "every row is noise"
    if k == 1:
        return f"all {n} rows are in one cluster, and a score needs two at least"
    return f"each of the {n} rows is a cluster of its own"


def _compactness(data: ClusteredData, metric: Metric, parts: Parts) -> ClusterMoments | None:
    from gpumetrics.clustering.compactness import calinski_harabasz_from
    from gpumetrics.statistics.moments import cluster_moments

    names = ("calinski_harabasz", "davies_bouldin")
    if metric.name == "precomputed":
        parts.undefined("it needs the rows themselves, and only their distances were given", *names)
        return None
    reason = _why_undefined(data)
    if reason:
        parts.undefined(reason, *names)
    if data.labels.n_classes == 0:
        return None
    with parts.timed("moments"):
        moments = cluster_moments(data.features, data.codes, data.sizes)
        if not reason:
            parts.score("calinski_harabasz", lambda: calinski_harabasz_from(moments))
    return moments


def _silhouette(
    data: ClusteredData,
    metric: Metric,
    moments: ClusterMoments | None,
    wish: str,
    random_state: Any,
    parts: Parts,
) -> SilhouettePart:
    reason = _why_undefined(data)
    if reason or wish == "skip":
        parts.undefined(reason or 'it was left out (silhouette="skip")', "silhouette", "silhouette_macro")
        return silhouettes.skipped(data.labels.n_classes)
    with parts.timed("silhouette"):
        part = silhouettes.evaluate(data, metric, moments, wish=wish, random_state=random_state)
    parts.scores["silhouette"] = part.value
    parts.scores["silhouette_macro"] = part.macro
    if math.isnan(part.macro):
        parts.undefined("there are too many clusters for a sample to have two rows of each", "silhouette_macro")
    return part


def _agreement(truth: Labels, labels: Labels, parts: Parts) -> None:
    from gpumetrics.clustering import agreement, information
    from gpumetrics.evaluation.metric_facts import EXTERNAL
    from gpumetrics.statistics.contingency import Contingency

    if labels.n_samples == 0:
        parts.undefined("every row is noise", *(facts.name for facts in EXTERNAL))
        return
    with parts.timed("agreement"):
        table = Contingency.from_labels(truth, labels)
        parts.score("rand", lambda: agreement.rand_from(table))
        parts.readings["rand"] = f"{_rand_by_chance(table):.4f} by chance: read the adjusted one"
        parts.score("adjusted_rand", lambda: agreement.adjusted_rand_from(table))
        parts.score("fowlkes_mallows", lambda: agreement.fowlkes_mallows_from(table))
        parts.score("adjusted_mutual_info", lambda: information.adjusted_mutual_info_from(table))
        parts.score("normalized_mutual_info", lambda: information.normalized_mutual_info_from(table))
        measures = information.v_measures_from(table)
        parts.scores |= dict(zip(("homogeneity", "completeness", "v_measure"), measures, strict=True))
        parts.score("clustering_accuracy", lambda: _accuracy(table))


def _accuracy(table: Contingency) -> float:
    from gpumetrics.clustering.matching import clustering_accuracy_from

    return clustering_accuracy_from(table)


def _rand_by_chance(table: Contingency) -> float:
    """Return the Rand index to be expected of two labelings with these cluster sizes, paired at random."""
    tn, fp, fn, tp = table.pair_counts()
    pairs = tn + fp + fn + tp
    if not pairs:
        return 1.0
    in_true, in_pred = tp + fn, tp + fp
    return (in_true * in_pred + (pairs - in_true) * (pairs - in_pred)) / pairs**2


def _per_cluster(
    data: ClusteredData, moments: ClusterMoments | None, part: SilhouettePart, parts: Parts
) -> dict[str, Array]:
    from gpumetrics.clustering.compactness import davies_bouldin_of, worst_partners
    from gpumetrics.evaluation.per_cluster import named

    k, classes = data.labels.n_classes, data.labels.classes
    table: dict[str, Array] = {"label": classes, "size": data.sizes, **part.by_cluster}
    table["distance_to_centroid"] = np.full(k, np.nan) if moments is None else moments.spread / moments.scale
    ratio, partner, nearest = np.full(k, np.nan), None, None
    if moments is not None and k > 1:
        with parts.timed("pairs of clusters"):
            ratio, partner, nearest = worst_partners(moments)
            if "davies_bouldin" not in parts.scores:
                parts.score("davies_bouldin", lambda: davies_bouldin_of(ratio, stacklevel=2))
    table["worst_partner"] = named(classes, partner)
    table["worst_ratio"] = ratio
    table["nearest_cluster"] = named(classes, nearest)
    return table


def _by_row(data: ClusteredData, part: SilhouettePart) -> Array:
    out = np.full(data.n_given, np.nan)
    out[part.rows if data.kept is None else data.kept[part.rows]] = part.values
    return out


def _in_order(scores: dict[str, float]) -> dict[str, float]:
    from gpumetrics.evaluation.metric_facts import METRICS

    return {name: scores[name] for name in METRICS if name in scores}
