"""Cluster moments: sizes, centroids and spreads, over which Calinski-Harabasz and Davies-Bouldin are formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import beside, row_squares

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["ClusterMoments", "cluster_moments"]


@dataclass(frozen=True)
class ClusterMoments:
    """Moments of each cluster, in units of ``1 / scale`` (a power of two that keeps squares within float64).

    The tables of centroids lie where the rows do; what has one value per cluster is NumPy's.

    Attributes
    ----------
    size : ndarray of shape (n_clusters,), int64
    anchor, shift : ndarray of shape (n_clusters, n_features), float64
        The centroid is ``anchor + shift``: a row of the cluster, or the origin where the data is near it, and the
        mean deviation from it. Kept apart,
        they hold differences of centroids to full precision, however far from the origin.
    within : ndarray of shape (n_clusters,), float64
        Sum of squared distances to the centroid.
    spread : ndarray of shape (n_clusters,), float64
        Mean distance to the centroid; nan if it was not asked for.
    scale : float
    offset : ndarray of shape (n_features,) or None
        What integer data lost before it was scaled.
    """

    size: Array
    anchor: Array
    shift: Array
    within: Array
    spread: Array
    scale: float
    offset: Array | None

    @property
    def n_samples(self) -> int:
        return int(self.size.sum())

    @property
    def rms(self) -> Array:
        """Root mean square of the members' distances to their centroid, (n_clusters,) float64."""
        out: Array = np.sqrt(self.within / self.size)
        return out

    @property
    def mean(self) -> Array:
        """Centroids in the units of the data, (n_clusters, n_features) float64."""
        centroids: Array = (self.anchor + self.shift) / self.scale
        return centroids if self.offset is None else centroids + beside(self.offset, centroids)

    def relative_means(self) -> Array:
        """Centroids relative to a row of the data: what differences of centroids are to be taken from."""
        relative: Array = (self.anchor - self.anchor[0]) + self.shift
        return relative

    def between(self) -> float:
        """Sum of squared distances of the centroids to the overall mean, weighted by size."""
        relative = self.relative_means()
        weights = beside(self.size.astype(np.float64), relative)
        overall = weights @ relative / self.n_samples
        return float(weights @ row_squares(relative - overall))


def cluster_moments(features: Features, codes: Array, sizes: Array, *, spreads: bool = True) -> ClusterMoments:
    """Compute the moments: in one pass over X, or in two with the mean distances to the centroids.

    Parameters
    ----------
    features : Features
    codes : ndarray of shape (n_samples,), int64
        Cluster of each row, 0 to n_clusters - 1.
    sizes : ndarray of shape (n_clusters,), int64
        Rows of each cluster, all positive.
    spreads : bool
        Whether `ClusterMoments.spread` is needed.

    Returns
    -------
    ClusterMoments
    """
    ops = operations_on(codes)
    anchor, shift, within = ops.cluster_means(features, codes, sizes, squares=not spreads)
    distance = np.full(len(sizes), np.nan)
    if spreads or np.isnan(within).any():
        within, distance = ops.cluster_spreads(features, codes, anchor, shift)
    return ClusterMoments(
        size=sizes,
        anchor=anchor,
        shift=shift,
        within=within,
        spread=distance / sizes,
        scale=features.scale,
        offset=features.offset,
    )
