"""Silhouettes in closed form, of rows that come in batches: one pass to fit, one to score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.backends.array_modules import array_module, beside
from gpumetrics.backends.interop import as_library_of
from gpumetrics.clustering.silhouette import silhouette_from
from gpumetrics.distance_metrics import check_metric
from gpumetrics.statistics.mean_distances import MeanDistances, closed_form_means, mean_extra
from gpumetrics.streaming.batches import check_not_empty
from gpumetrics.streaming.moments_batches import MomentsBatches
from gpumetrics.streaming.second_pass import SecondPass, Sums

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.types import Array

__all__ = ["ClosedFormSilhouetteState", "SilhouetteScorer"]


class ClosedFormSilhouetteState(MomentsBatches):
    """Silhouettes of rows that come in batches, twice: `update` takes all of them, and `fitted` gives what scores them.

    Parameters
    ----------
    metric : {"sqeuclidean", "cosine", "correlation"}, default="sqeuclidean"
        Those whose silhouettes have a closed form.
    noise_label : label, optional
        Rows with this label are left out.

    Notes
    -----
    A batch of n rows costs O(n d) in the first pass and O(n k d) in the second, for k clusters and d columns; memory is
    O(k d). The centroids are held as in `ClusterMomentsState`. Rows have no weights, as in the functions.

    Examples
    --------
    >>> from gpumetrics.streaming import ClosedFormSilhouetteState
    >>> state = ClosedFormSilhouetteState("cosine")
    >>> state.update([[1.0, 0.0], [0.0, 1.0]], ["a", "b"]).update([[1.0, 1.0], [0.0, 2.0]], ["a", "b"])
    ClosedFormSilhouetteState(metric='cosine', n_samples=4, n_clusters=2, n_features=2)
    >>> scorer = state.fitted()
    >>> scorer.samples([[1.0, 0.0], [0.0, 1.0]], ["a", "b"]).round(3).tolist()
    [0.707, 1.0]
    >>> scorer = scorer.update([[1.0, 0.0], [0.0, 1.0]], ["a", "b"]).update([[1.0, 1.0], [0.0, 2.0]], ["a", "b"])
    >>> round(scorer.result("silhouette_score"), 6), scorer.result("per_cluster").round(3).tolist()
    (0.676777, [0.354, 1.0])
    """

    _settings = ("metric", "noise_label")

    def __init__(self, metric: str = "sqeuclidean", noise_label: Any = None) -> None:
        checked, _ = check_metric(metric, {}, type(self).__name__)
        if not checked.closed_form:
            msg = f"metric must be 'sqeuclidean', 'cosine' or 'correlation', which have a closed form; got {metric!r}"
            raise ValueError(msg)
        super().__init__(noise_label, checked)
        self.metric = metric

    def fitted(self) -> SilhouetteScorer:
        """Begin the second pass: rows are scored against all rows so far, which are final from now on.

        Returns
        -------
        SilhouetteScorer

        Raises
        ------
        ValueError
            If there was no batch, one cluster, or as many clusters as rows.
        """
        first = self._scorable()
        self._frozen = True
        return SilhouetteScorer(first, self.noise_label, self._metric)


class SilhouetteScorer(SecondPass):
    """The second pass of a `ClosedFormSilhouetteState`, over the same rows in any batches."""

    def samples(self, X: Any, labels: Any) -> Array:
        """Silhouette of each row of a batch, which is not added to the sums.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows of the first pass: each counts itself among the members of its cluster.
        labels : array-like of shape (n_rows,)

        Returns
        -------
        array of shape (n_rows,), float64
            In the library and on the device of X; nan for noise.

        Raises
        ------
        ValueError
            As in the first pass; and for a label that it has not seen.
        """
        check_not_empty(X)
        with on_device_of(X=X, labels=labels):
            data, codes, _ = self._read(X, labels)
            s = self._silhouettes(data, codes)
            if data.kept is not None:
                every = array_module(s).full(data.n_given, np.nan)
                every[data.kept] = s
                s = every
            return as_library_of(s, X)  # type: ignore[no-any-return]

    def update(self, X: Any, labels: Any) -> Self:
        """Add the silhouettes of a batch's rows to the sums.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        labels : array-like of shape (n_rows,)

        Returns
        -------
        Self
            This scorer.

        Raises
        ------
        ValueError
            As in the first pass; and for a label that it has not seen.
        """
        with self._batch(X), on_device_of(X=X, labels=labels):
            data, codes, counts = self._read(X, labels)
            sums = operations_on(codes).label_sums(codes, len(counts), self._silhouettes(data, codes))
            self._add(Sums(counts, (sums, np.zeros_like(sums))))
        return self

    def _silhouettes(self, data: ClusteredData, codes: Array) -> Array:
        if not len(codes):
            return array_module(codes).empty(0)  # type: ignore[no-any-return]
        features, moments, zero = self._placed(data)
        extra = mean_extra(moments, None if zero is None else self.first.zero)
        own, nearest = closed_form_means(features, codes, moments, extra, zero)
        alone = beside(moments.size == 1, codes)[codes]
        own = array_module(codes).where(alone, 0.0, own)
        return silhouette_from(MeanDistances(own, nearest, alone))

    def result(self, metric: str = "silhouette_score") -> float | Array:
        """Average the silhouettes of all rows.

        Parameters
        ----------
        metric : {"silhouette_score", "macro", "per_cluster"}
            The mean over rows, as the function returns; the mean over clusters of their means; or these themselves, in
            the order of `classes`.

        Returns
        -------
        float, or ndarray of shape (n_clusters,), float64
            From -1 to 1; higher is better.

        Raises
        ------
        ValueError
            If not all rows of the first pass came again, or there is no such metric.
        """
        if metric not in ("silhouette_score", "silhouette", "macro", "per_cluster"):
            msg = f"metric must be 'silhouette_score', 'macro' or 'per_cluster', got {metric!r}"
            raise ValueError(msg)
        sums, size = self._complete_sums(), self.first.size
        if metric == "per_cluster":
            means: Array = sums / size
            return means
        return float((sums / size).mean() if metric == "macro" else sums.sum() / size.sum())
