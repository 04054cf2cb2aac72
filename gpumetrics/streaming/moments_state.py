"""Cluster moments of rows that come in batches: Calinski-Harabasz in one pass, Davies-Bouldin in two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.clustering.compactness import calinski_harabasz_from, davies_bouldin_from
from gpumetrics.clustering.inputs import check_number_of_labels
from gpumetrics.distance_metrics import Metric
from gpumetrics.streaming.batches import metric_of
from gpumetrics.streaming.moments_batches import MomentsBatches
from gpumetrics.streaming.second_pass import SecondPass, Sums

if TYPE_CHECKING:
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["ClusterMomentsState", "ClusterSpreadsState"]

ONE_PASS = {"calinski_harabasz_score": calinski_harabasz_from}
TWO_PASSES = ONE_PASS | {"davies_bouldin_score": davies_bouldin_from}


class ClusterMomentsState(MomentsBatches):
    """Sizes, centroids and spreads of clusters whose rows come in batches.

    Parameters
    ----------
    noise_label : label, optional
        Rows with this label are left out.
    transform : {"cosine", "correlation"}, optional
        Take the moments of unit rows; under "correlation", of rows that were centred before.

    Notes
    -----
    A batch of n rows costs O(n d), and O(k d) for k clusters and d columns to merge; memory is O(k d). Centroids are
    held to twice the precision of float64, so that order and grouping of the batches change a result below 1e-12,
    also far from the origin. Rows have no weights, as in the functions. Rows on a GPU stay there; the centroids of a
    batch come to the host.

    References
    ----------
    T. F. Chan, G. H. Golub and R. J. LeVeque (1983), "Algorithms for computing the sample variance", The American
    Statistician 37, 242-247.

    Examples
    --------
    >>> from gpumetrics.streaming import ClusterMomentsState
    >>> state = ClusterMomentsState()
    >>> state.update([[0.0], [4.0]], [0, 1]).update([[3.0], [1.0]], [1, 0])
    ClusterMomentsState(n_samples=4, n_clusters=2, n_features=1)
    >>> state.result("calinski_harabasz_score")
    18.0

    Mean distances to the centroids need the rows once more:

    >>> second = state.fitted()
    >>> second = second.update([[0.0], [4.0]], [0, 1]).update([[3.0], [1.0]], [1, 0])
    >>> round(second.result("davies_bouldin_score"), 6)
    0.333333
    """

    _settings = ("noise_label", "transform")

    def __init__(self, noise_label: Any = None, transform: str | None = None) -> None:
        if transform not in (None, "cosine", "correlation"):
            msg = f"transform must be 'cosine', 'correlation' or None, got {transform!r}"
            raise ValueError(msg)
        super().__init__(noise_label, Metric(transform or "sqeuclidean"))
        self.transform = transform

    def moments(self) -> ClusterMoments:
        """Return the moments of all rows so far, clusters in the order of `classes`; their spreads are nan."""
        return self._known().moments()

    def result(self, metric: str) -> float:
        """Compute a metric of all rows so far.

        Parameters
        ----------
        metric : {"calinski_harabasz_score"}
            "davies_bouldin_score" is a metric of the second pass: see `fitted`.

        Returns
        -------
        float
            What the function returns for all rows at once.

        Raises
        ------
        ValueError
            If there was no batch, one cluster, as many clusters as rows, or there is no such metric.

        Warns
        -----
        UndefinedMetricWarning
            As the function does.
        """
        if metric in ("davies_bouldin_score", "davies_bouldin"):
            msg = "davies_bouldin_score needs the rows twice: pass them all to fitted().update(), and ask its result()."
            raise ValueError(msg)
        return float(metric_of(ONE_PASS, metric, {})(self._scorable().moments()))

    def fitted(self) -> ClusterSpreadsState:
        """Begin the second pass, about the centroids of all rows so far, which are final from now on.

        Returns
        -------
        ClusterSpreadsState
            Its `update` takes the same rows again, in any batches; several of them `merge`.

        Raises
        ------
        ValueError
            If there was no batch, or all rows were noise.
        """
        known = self._known()
        self._frozen = True
        return ClusterSpreadsState(known, self.noise_label, self._metric)


class ClusterSpreadsState(SecondPass):
    """The second pass of a `ClusterMomentsState`: mean distances of the rows to the centroid of their cluster."""

    def update(self, X: Any, labels: Any) -> Self:
        """Add the distances of a batch's rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        labels : array-like of shape (n_rows,)

        Returns
        -------
        Self
            This state.

        Raises
        ------
        ValueError
            As in the first pass; and for a label that it has not seen.
        """
        with self._batch(X), on_device_of(X=X, labels=labels):
            data, codes, counts = self._read(X, labels)
            distance = np.zeros(len(counts))
            if len(codes):
                features, moments, _ = self._placed(data)
                _, distance = operations_on(codes).cluster_spreads(features, codes, moments.anchor, moments.shift)
            self._add(Sums(counts, (distance, np.zeros_like(distance))))
        return self

    def moments(self) -> ClusterMoments:
        """Return the moments of all rows, with their spreads; clusters in the order of `classes`.

        Raises
        ------
        ValueError
            If not all rows of the first pass came again.
        """
        return replace(self.first.moments(), spread=self._complete_sums() / self.first.size)

    def result(self, metric: str) -> float | Array:
        """Compute a metric of all rows.

        Parameters
        ----------
        metric : {"davies_bouldin_score", "calinski_harabasz_score", "spread"}
            "spread" is the mean distance to the centroid, of each cluster.

        Returns
        -------
        float, or ndarray of shape (n_clusters,), float64

        Raises
        ------
        ValueError
            If not all rows of the first pass came again, there is one cluster, or as many clusters as rows, or there
            is no such metric.

        Warns
        -----
        UndefinedMetricWarning
            As the function does.
        """
        if metric == "spread":
            moments = self.moments()
            spread: Array = moments.spread / moments.scale
            return spread
        score = metric_of(TWO_PASSES, metric, {})
        moments = self.moments()
        check_number_of_labels(len(moments.size), moments.n_samples)
        return float(score(moments))
