"""Which pairs of clusters a Davies-Bouldin heat map shows, in what order, and R between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.clustering.compactness import worst_partners
from gpumetrics.clustering.inputs import check_clustered, why_no_silhouette
from gpumetrics.statistics.moments import cluster_moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.clustering.davies_bouldin_pairs import DaviesBouldinPairs
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["WorstPairs"]


@dataclass
class WorstPairs:
    """The clusters of the worst pairs, and R between them.

    Attributes
    ----------
    labels : ndarray of shape (n_shown,)
        From the worst pair on, each cluster followed by the one that it is most alike among those left.
    clusters : ndarray of shape (n_shown,), int64
        Their places among all clusters, sorted by label.
    similarity : ndarray of shape (n_shown, n_shown), float64
        R of each pair, 0 on the diagonal.
    partner : ndarray of shape (n_shown,), int64
        Place in `labels` of the cluster that each is most alike; -1 where that one is not shown.
    n_clusters : int
        Of all, shown or not.
    score : float
        The Davies-Bouldin index of all clusters: the mean of each one's largest R.
    why_undefined : str
        Why there are no pairs; empty where there are.
    """

    labels: Array
    clusters: Array
    similarity: Array
    partner: Array
    n_clusters: int
    score: float
    why_undefined: str = ""

    @classmethod
    def of_rows(cls, X: Any, labels: Any, noise_label: Any, most: int) -> Self:
        """Find the worst pairs of clustered rows; the matrix of all pairs never exists."""
        with on_device_of(X=X, labels=labels):
            data = check_clustered(X, labels, noise_label, check_number=False)
            why = why_no_silhouette(data.labels.n_classes, data.labels.n_samples)
            if why:
                none = np.empty(0, dtype=np.int64)
                return cls(data.labels.classes[:0], none, np.empty((0, 0)), none, data.labels.n_classes, math.nan, why)
            return cls.of_moments(data.labels.classes, cluster_moments(data.features, data.codes, data.sizes), most)

    @classmethod
    def of_moments(cls, labels: Array, moments: ClusterMoments, most: int) -> Self:
        """Find the worst pairs of clusters whose moments are known."""
        ratio, partner, _ = worst_partners(moments)

        def among(shown: Array) -> Array:
            rows = beside(shown, moments.anchor)
            ops = operations_on(moments.anchor)
            table = ops.similarities(
                moments.anchor[rows], moments.shift[rows], moments.spread[shown], moments.rms[shown]
            )
            return as_host(table)

        return cls._of(labels, ratio, partner, among, most)

    @classmethod
    def of_pairs(cls, pairs: DaviesBouldinPairs, most: int) -> Self:
        """Take the worst pairs out of a matrix of all."""
        others = pairs.similarity.copy()
        np.fill_diagonal(others, -np.inf)
        partner = np.argmax(others, axis=1)
        return cls._of(
            pairs.labels, pairs.worst_ratio, partner, lambda shown: pairs.similarity[np.ix_(shown, shown)], most
        )

    @classmethod
    def _of(cls, labels: Array, ratio: Array, partner: Array, among: Callable[[Array], Array], most: int) -> Self:
        shown = _of_worst_pairs(ratio, partner, most)
        similarity = among(shown)
        order = _alike_side_by_side(similarity)
        clusters = shown[order]
        place = {cluster: at for at, cluster in enumerate(clusters.tolist())}
        return cls(
            labels=labels[clusters],
            clusters=clusters,
            similarity=similarity[np.ix_(order, order)],
            partner=np.array([place.get(cluster, -1) for cluster in partner[clusters].tolist()]),
            n_clusters=len(labels),
            score=float(np.mean(ratio)),
        )


def _of_worst_pairs(ratio: Array, partner: Array, most: int) -> Array:
    """Return at most so many clusters: the one with the largest R and its partner first, then the next."""
    worst_first = np.argsort(np.where(np.isnan(ratio), -np.inf, -ratio), kind="stable")
    pairs = np.stack([worst_first, partner[worst_first]], axis=1)[:most].ravel()
    return np.array(list(dict.fromkeys(pairs.tolist()))[:most])


def _alike_side_by_side(similarity: Array) -> list[int]:
    """Return an order from the first two, the worst pair, on: next to each what it is most alike of the rest."""
    left = np.where(np.isnan(similarity), np.inf, similarity)
    order = [0, 1]
    left[:, order] = -np.inf
    while len(order) < len(left):
        order.append(int(np.argmax(left[order[-1]])))
        left[:, order[-1]] = -np.inf
    return order
