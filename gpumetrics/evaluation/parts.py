"""The parts of a clustering report, and what each has to say of itself."""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, beside
from gpumetrics.clustering.inputs import undefined_since, why_no_silhouette
from gpumetrics.evaluation import silhouette_part as silhouettes
from gpumetrics.text.messages import Message, said
from gpumetrics.validation import check_consistent_length, drop_rows, encode_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.evaluation.silhouette_part import SilhouettePart
    from gpumetrics.evaluation.subject import Subject
    from gpumetrics.statistics.contingency import Contingency
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["Parts", "agreement_part", "cluster_table", "compactness_part", "encode_truth", "silhouette_part"]

LONGEST = 60.0  # seconds of expected work beyond which a score is left out


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
            self.notes[name] = _message_of(seen[0])
        return self.scores[name]

    def in_order(self) -> dict[str, float]:
        """Return the scores in the order in which they are printed."""
        from gpumetrics.evaluation.score_facts import SCORES

        return {name: self.scores[name] for name in SCORES if name in self.scores}

    def undefined(self, reason: str, *names: str) -> None:
        """Set scores to nan, and say why."""
        for name in names:
            self.scores[name] = math.nan
            self.notes[name] = undefined_since(reason)

    def left_out(self, name: str, what: str, seconds: float, function: str) -> None:
        """Set a score to nan because it would take long, and say how to get it."""
        self.scores[name] = math.nan
        self.readings[name] = said("left out: see the notes")
        self.notes[name] = said(
            "left out: {work} would take about {time}; {function} does it",
            work=what,
            time=_spoken(seconds),
            function=function,
        )


def _message_of(seen: warnings.WarningMessage) -> str:
    """Return the text of a warning, as the message it was made from if it was one."""
    text = str(seen.message)
    return next((arg for arg in getattr(seen.message, "args", ()) if isinstance(arg, Message)), text)


def _spoken(seconds: float) -> Message:
    if seconds < 5400:
        return said("{n} minutes", n=max(1, round(seconds / 60)))
    return said("{n:,.0f} hours", n=seconds / 3600)


def encode_truth(labels_true: Any, data: ClusteredData) -> Labels:
    """Encode the known classes of the rows that are not noise."""
    truth = encode_labels(labels_true, "labels_true")
    truth = replace(truth, codes=beside(truth.codes, data.codes))
    check_consistent_length(data.n_given, truth.n_samples)
    if data.kept is None:
        return truth
    noise = array_module(data.codes).ones(data.n_given, dtype=bool)
    noise[data.kept] = False
    return drop_rows(truth, noise)


def compactness_part(
    subject: Subject, metric: Metric, parts: Parts, moments_of: Callable[[], ClusterMoments]
) -> tuple[ClusterMoments | None, tuple[Array, Array, Array] | None]:
    """Score Calinski-Harabasz and Davies-Bouldin; return the moments, and each cluster's worst and nearest other."""
    from gpumetrics.clustering.compactness import calinski_harabasz_from, davies_bouldin_of, worst_partners
    from gpumetrics.clustering.cost import seconds_of_cluster_pairs

    names = ("calinski_harabasz", "davies_bouldin")
    if metric.name == "precomputed":
        parts.undefined(said("it needs the rows themselves, and only their distances were given"), *names)
        return None, None
    k = subject.n_clusters
    reason = why_no_silhouette(k, subject.n_samples)
    if reason:
        parts.undefined(reason, *names)
    if k == 0:
        return None, None
    with parts.timed("moments"):
        moments = moments_of()
    if reason:
        return moments, None
    parts.score("calinski_harabasz", lambda: calinski_harabasz_from(moments))
    seconds = seconds_of_cluster_pairs(k, subject.n_features)
    if seconds > LONGEST:
        what = said("comparing all pairs of the {n:,} clusters", n=k)
        parts.left_out("davies_bouldin", what, seconds, "davies_bouldin_score(X, labels)")
        return moments, None
    with parts.timed("pairs of clusters"):
        partners = worst_partners(moments)
    parts.score("davies_bouldin", lambda: davies_bouldin_of(partners[0]))
    return moments, partners


def silhouette_part(
    subject: Subject, wish: str, parts: Parts, evaluate: Callable[[], SilhouettePart]
) -> SilhouettePart:
    """Score the silhouette, or say why there is none."""
    reason = why_no_silhouette(subject.n_clusters, subject.n_samples)
    if reason or wish == "skip":
        why = reason or said('it was left out (silhouette="skip")')
        parts.undefined(why, "silhouette", "silhouette_macro")
        return silhouettes.skipped(subject.n_clusters)
    with parts.timed("silhouette"):
        part = evaluate()
    parts.scores["silhouette"] = part.value
    parts.scores["silhouette_macro"] = part.macro
    if math.isnan(part.macro):
        why = said("there are too many clusters for a sample to have two rows of each")
        parts.undefined(why, "silhouette_macro")
    return part


def agreement_part(n_samples: int, parts: Parts, table_of: Callable[[], Contingency]) -> None:
    """Score the agreement with the known classes of the rows that are no noise."""
    from gpumetrics.clustering import agreement, information
    from gpumetrics.clustering.v_measure import v_measures_from
    from gpumetrics.evaluation.score_facts import EXTERNAL

    if n_samples == 0:
        parts.undefined(said("every row is noise"), *(facts.name for facts in EXTERNAL))
        return
    with parts.timed("agreement"):
        table = table_of()
        parts.score("rand", lambda: agreement.rand_from(table))
        by_chance = _rand_by_chance(table)
        parts.readings["rand"] = said("{value:.4f} by chance: read the adjusted one", value=by_chance)
        parts.score("adjusted_rand", lambda: agreement.adjusted_rand_from(*table.pair_counts()))
        parts.score("fowlkes_mallows", lambda: agreement.fowlkes_mallows_from(table))
        parts.score("adjusted_mutual_info", lambda: information.adjusted_mutual_info_from(table))
        parts.score("normalized_mutual_info", lambda: information.normalized_mutual_info_from(table))
        measures = v_measures_from(table)
        parts.scores |= dict(zip(("homogeneity", "completeness", "v_measure"), measures, strict=True))
        _matched_accuracy(table, parts)


def _matched_accuracy(table: Contingency, parts: Parts) -> None:
    from gpumetrics.clustering.cost import seconds_of_matching
    from gpumetrics.clustering.matching import LARGEST_DENSE_MATCHING, clustering_accuracy_from

    n_classes, n_clusters = table.n_classes, table.n_clusters
    seconds = 0.0
    if n_classes * n_clusters > LARGEST_DENSE_MATCHING and not table.is_identical:
        seconds = seconds_of_matching(n_classes, n_clusters)
    if seconds > LONGEST:
        what = said(
            "matching {n_clusters:,} clusters to {n_classes:,} classes", n_clusters=n_clusters, n_classes=n_classes
        )
        parts.left_out("clustering_accuracy", what, seconds, "clustering_accuracy(labels_true, labels)")
        return
    parts.score("clustering_accuracy", lambda: clustering_accuracy_from(table))


def _rand_by_chance(table: Contingency) -> float:
    """Return the Rand index to be expected of two labelings with these cluster sizes, paired at random."""
    tn, fp, fn, tp = table.pair_counts()
    pairs = tn + fp + fn + tp
    if not pairs:
        return 1.0
    in_true, in_pred = tp + fn, tp + fp
    return (in_true * in_pred + (pairs - in_true) * (pairs - in_pred)) / pairs**2


def cluster_table(
    subject: Subject,
    moments: ClusterMoments | None,
    partners: tuple[Array, Array, Array] | None,
    part: SilhouettePart,
) -> dict[str, Array]:
    """Make the table with a line for each cluster, as a dict of columns."""
    from gpumetrics.evaluation.per_cluster import named

    k, classes = subject.n_clusters, subject.classes
    ratio, partner, nearest = partners or (np.full(k, np.nan), None, None)
    return {
        "label": classes,
        "size": subject.sizes,
        **part.by_cluster,
        "distance_to_centroid": np.full(k, np.nan) if moments is None else moments.spread / moments.scale,
        "worst_partner": named(classes, partner),
        "worst_ratio": ratio,
        "nearest_cluster": named(classes, nearest),
    }
