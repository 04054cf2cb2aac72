"""What the scores of a clustering say in sentences: those that look at the data alone, and those with known classes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import percent, printed, printed_estimate
from gpumetrics.pages.clustering_doubts import EUCLIDEAN
from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.text.messages import Message

__all__ = ["evidence", "known", "negative_share"]

ASKS = (
    "The silhouette asks of each row whether it is nearer to its own cluster than to the next one (1: far nearer, 0: "
    "on the border, below 0: nearer to another one)."
)
HIGH = 0.5  # silhouette from which Davies-Bouldin below 1 is the same judgement
MORE_THAN_CHANCE, FOLLOWS = 0.05, 0.6  # adjusted Rand
NEARLY, APART = 0.85, 0.05  # homogeneity or completeness, and the difference between them that is told
PURE = (
    "Nearly every cluster is of one known class (homogeneity {h}), but the classes are split over several clusters "
    "(completeness {c}): adjusted Rand, which wants both, is {value} (0: as by chance, 1: the same)."
)
WHOLE = (
    "Nearly every known class is in one cluster (completeness {c}), but the clusters hold several of them (homogeneity "
    "{h}): adjusted Rand, which wants both, is {value} (0: as by chance, 1: the same)."
)


def evidence(view: View) -> Message | None:
    """Say what the scores that look at the data alone say, and whether they agree."""
    report, scores = view.report, view.report.scores
    parts: list[Message] = []
    if not math.isnan(scores["silhouette"]):
        parts += [said(ASKS), *_silhouette(report)]
    if not math.isnan(scores["davies_bouldin"]):
        parts.append(_davies_bouldin(report))
    return joined(parts) if parts else None


def _silhouette(report: ClusteringReport) -> list[Message]:
    s, error, share = report.scores["silhouette"], report.silhouette_standard_error, negative_share(report)
    value: str = printed("silhouette", s)
    if error > 0:
        return [
            said(
                "The mean is estimated to be {s}, from {rows}, and about {negative} of the clustered rows are below 0.",
                s=printed_estimate(s, error),
                rows=counted(report.n_evaluated, "{n:,} row", "{n:,} rows"),
                negative=percent(share, 1),
            )
        ]
    if share == 0:
        return [said("The mean is {s}, and no row is below 0.", s=value)]
    return [
        said("The mean is {s}, and {negative} of the clustered rows are below 0.", s=value, negative=percent(share, 1))
    ]


def _davies_bouldin(report: ClusteringReport) -> Message:
    """Say whether Davies-Bouldin, which looks at the worst neighbour of each cluster, agrees with the silhouette."""
    s, db = report.scores["silhouette"], report.scores["davies_bouldin"]
    n, k = int((report.per_cluster["worst_ratio"] > 1).sum()), report.n_clusters
    facts = {"value": printed("davies_bouldin", db), "overlap": _overlap(n, k)}
    if report.metric not in EUCLIDEAN:
        return said("Davies-Bouldin, by the Euclidean distance, is {value} (lower is better): {overlap}.", **facts)
    many, high = 2 * n > k, s >= HIGH
    if math.isnan(s) or (many if db < 1 else not (many or high)):  # the mean is of a few extreme clusters
        return said(
            "Davies-Bouldin, which looks at the worst neighbour of each cluster, is {value} (lower is better): "
            "{overlap}.",
            **facts,
        )
    if (db < 1) == high:
        return said(
            "Davies-Bouldin, which looks at the worst neighbour of each cluster, agrees: it is {value} (lower is "
            "better), and {overlap}.",
            **facts,
        )
    if db < 1:
        return said(
            "Davies-Bouldin, which looks at centres and not at single rows, is more content: it is {value} (lower is "
            "better), and {overlap}. The centres are apart, but many rows are not much nearer to their own.",
            **facts,
        )
    return said(
        "Davies-Bouldin, which looks at the worst neighbour of each cluster, is less content: it is {value} (lower is "
        "better), and {overlap}. Most rows are well placed, but some clusters are near to each other for how wide they "
        "are.",
        **facts,
    )


def _overlap(n: int, k: int) -> Message:
    """Say how many clusters have an R above 1."""
    if not n:
        return said(
            "no cluster and its worst neighbour are together wider than the distance of their centres (no R above 1)"
        )
    return counted(
        n,
        "{n:,} of {k:,} clusters and its worst neighbour are together wider than the distance of their centres (R "
        "above 1, as also of clusters that are well apart in many dimensions)",
        "{n:,} of {k:,} clusters and their worst neighbours are together wider than the distance of their centres (R "
        "above 1, as also of clusters that are well apart in many dimensions)",
        k=k,
    )


def negative_share(report: ClusteringReport) -> float:
    """Return the share of the rows whose silhouette is negative; of an estimate weighted by cluster."""
    table = report.per_cluster
    share, size = table["share_negative"], table["size"].astype(np.float64)
    known = ~np.isnan(share)
    return float(np.average(share[known], weights=size[known])) if known.any() else math.nan


def known(view: View) -> Message | None:
    """Say how the clusters agree with the known classes."""
    scores = view.report.scores
    if math.isnan(scores.get("adjusted_rand", math.nan)):
        return None
    if view.n_classes == 1:
        return said("All clustered rows are of one known class: there is nothing to compare the clusters with.")
    value, h, c, ami = (
        scores[name] for name in ("adjusted_rand", "homogeneity", "completeness", "adjusted_mutual_info")
    )
    facts = {"value": f"{value:.3f}", "h": f"{h:.3f}", "c": f"{c:.3f}"}
    if value < FOLLOWS and max(h, c) >= NEARLY and abs(h - c) >= APART and ami >= MORE_THAN_CHANCE:
        return said(PURE if h > c else WHOLE, **facts)
    first = said("{what}: adjusted Rand {value} (0: as by chance, 1: the same).", what=_agreement(value, ami), **facts)
    if max(value, ami) < MORE_THAN_CHANCE or abs(h - c) < APART:
        return first
    template = (
        "They tend to mix classes (homogeneity {h}) more than to split them (completeness {c})."
        if h < c
        else "They tend to split classes (completeness {c}) more than to mix them (homogeneity {h})."
    )
    return joined([first, said(template, **facts)])


def _agreement(value: float, ami: float) -> Message:
    """Say the agreement with the known classes in words."""
    if max(value, ami) < MORE_THAN_CHANCE:
        return said("The clusters have hardly more to do with the known classes than chance would give")
    if value >= 0.9:
        return said("The clusters are nearly the known classes")
    if value >= FOLLOWS:
        return said("The clusters follow the known classes in the main")
    if value >= 0.3:
        return said("The clusters follow the known classes in part")
    return said("The clusters have little to do with the known classes")
