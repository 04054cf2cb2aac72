"""What a Davies-Bouldin index is made of: the similarity of each pair of clusters, and the pairs that drive it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.clustering.compactness import davies_bouldin_of, worst_partners
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.results import Result
from gpumetrics.statistics.moments import cluster_moments
from gpumetrics.text.labels import json_value, printer
from gpumetrics.text.layout import FOLDED_ROWS, MOST_ROWS, align, format_score

if TYPE_CHECKING:
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.types import Array

__all__ = ["DaviesBouldinPairs", "davies_bouldin_pairs", "davies_bouldin_pairs_from"]


@dataclass(frozen=True, eq=False, repr=False)
class DaviesBouldinPairs(Result):
    """What a Davies-Bouldin index is made of; ``print`` it. Its arrays are NumPy's wherever X lies.

    Attributes
    ----------
    labels : ndarray of shape (n_clusters,)
        The clusters, in the order of the other arrays.
    similarity : ndarray of shape (n_clusters, n_clusters), float64
        R_ij, zero on the diagonal.
    spread : ndarray of shape (n_clusters,), float64
        Mean distance of the members to their centroid, in the units of the data.
    worst_partner : ndarray of shape (n_clusters,)
        The label of each cluster's most similar other.
    worst_ratio : ndarray of shape (n_clusters,), float64
        R with that partner; its mean is the score.
    pair : tuple of two labels
        The pair with the largest R of all: the pair that drives the score.
    score : float
        The Davies-Bouldin index; lower is better.
    """

    labels: Array
    similarity: Array
    spread: Array
    worst_partner: Array
    worst_ratio: Array
    pair: tuple[Any, Any]
    score: float

    def __float__(self) -> float:
        return self.score

    @property
    def per_cluster(self) -> dict[str, Array]:
        """``label``, ``spread``, ``worst_partner`` and ``worst_ratio`` by cluster."""
        names = ("spread", "worst_partner", "worst_ratio")
        return {"label": self.labels, **{name: getattr(self, name) for name in names}}

    def to_dict(self) -> dict[str, Any]:
        """Return it as one dict that `json.dumps` takes; the table as lists under ``cluster_<column>``.

        The matrix is under ``similarity``, a list of lists.
        """
        out: dict[str, Any] = {"davies_bouldin": self.score, "davies_bouldin_better": "lower"}
        out |= {"n_clusters": len(self.labels), "pair": json_value(list(self.pair))}
        out |= {f"cluster_{name}": json_value(column) for name, column in self.per_cluster.items()}
        return out | {"similarity": json_value(self.similarity)}

    def to_frame(self, library: str | None = None) -> Any:
        """Return `per_cluster` as a DataFrame, of pandas or polars (see `Candidates.to_frame`)."""
        from gpumetrics.frames import frame_of

        return frame_of(self.per_cluster, library)

    def __str__(self) -> str:
        name, k = printer(self.labels), len(self.labels)
        head = f"Davies-Bouldin: {format_score(self.score)}, lower is better; the mean of the clusters' largest R"
        pair = " and ".join(map(name, self.pair))
        head += f"\nPair with the largest R of all: {pair}, {format_score(float(self.worst_ratio.max()))}"
        order = np.argsort(-self.worst_ratio, kind="stable")[: FOLDED_ROWS if k > MOST_ROWS else k]
        rows: list[tuple[str, ...]] = [("cluster", "spread", "most similar", "R")]
        for at in order:
            spread, ratio = (format_score(float(column[at])) for column in (self.spread, self.worst_ratio))
            rows.append((name(self.labels[at]), spread, name(self.worst_partner[at]), ratio))
        more = f"\n... and {k - len(order):,} more clusters (all of them in per_cluster)" if k > len(order) else ""
        return f"{head}\n\n{align(rows, right={1, 3})}{more}"

    def __repr__(self) -> str:
        n = len(self.labels)
        return f"<DaviesBouldinPairs of {n} clusters: Davies-Bouldin {self.score:.4g}; print it for the pairs>"


def davies_bouldin_pairs(X: Any, labels: Any, *, noise_label: Any = None) -> DaviesBouldinPairs:
    """Davies-Bouldin index with the pairs of clusters behind it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    noise_label : label, optional
        Rows with this label are left out.

    Returns
    -------
    DaviesBouldinPairs
        The matrix R_ij, each cluster's worst partner, and the pair that drives the score.

    Raises
    ------
    ValueError
        As in `davies_bouldin_score`.

    Notes
    -----
    As `davies_bouldin_score`, and O(k^2) memory for the matrix.

    References
    ----------
    D. L. Davies and D. W. Bouldin (1979), IEEE Transactions on Pattern Analysis and Machine Intelligence 1, 224-227.

    Examples
    --------
    >>> from gpumetrics import davies_bouldin_pairs
    >>> pairs = davies_bouldin_pairs([[-1.0], [1.0], [3.0], [5.0], [7.0], [13.0]], [1, 1, 2, 2, 3, 3])
    >>> pairs.similarity.round(2).tolist()
    [[0.0, 0.5, 0.4], [0.5, 0.0, 0.67], [0.4, 0.67, 0.0]]
    >>> pairs.pair
    (2, 3)
    """
    if is_dask(X, labels):
        from gpumetrics.dask.statistics import moments

        return davies_bouldin_pairs_from(*moments(X, labels, noise_label, spreads=True))
    with on_device_of(X=X, labels=labels):
        data = check_clustered(X, labels, noise_label)
        return davies_bouldin_pairs_from(cluster_moments(data.features, data.codes, data.sizes), data.labels.classes)


def davies_bouldin_pairs_from(moments: ClusterMoments, classes: Array) -> DaviesBouldinPairs:
    """Pairs of known moments; `classes` are the clusters' labels."""
    ops = operations_on(moments.anchor)
    similarity = as_host(ops.similarities(moments.anchor, moments.shift, moments.spread, moments.rms))
    ratio, partner, _ = worst_partners(moments)
    first = int(np.argmax(ratio))
    pair = tuple(classes[sorted((first, int(partner[first])))].tolist())
    return DaviesBouldinPairs(
        labels=classes,
        similarity=similarity,
        spread=moments.spread / moments.scale,
        worst_partner=classes[partner],
        worst_ratio=ratio,
        pair=(pair[0], pair[1]),
        score=davies_bouldin_of(ratio),
    )
