"""From the silhouettes of sampled rows to an estimate: means, variances, and the interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.clustering.estimate.result import Estimate
from gpumetrics.clustering.inputs import undefined_since
from gpumetrics.evaluation.stratified import stratified_mean, stratum_means

if TYPE_CHECKING:
    from gpumetrics.clustering.labelings import Labeling
    from gpumetrics.types import Array

__all__ = ["Reading", "exact_estimate", "reading_of", "undefined_estimate"]


@dataclass(frozen=True)
class Reading:
    """What sampled rows say of one labeling.

    Attributes
    ----------
    value : float
    rows_variance, rows_freedom : float
        Variance of `value` that comes from the choice of the rows, and its degrees of freedom.
    row_weight : float
        Mean over all rows of the squared weight in `value` of a row asked in the same stratum; 0 for rows of strata
        that were asked in full.
    n_samples : int
        Rows in all.
    cluster_rows, cluster_mean, cluster_variance : ndarray of shape (n_clusters,)
        Rows asked of each cluster, their mean, and its variance, from both sources.
    references_variance : float
        Variance that comes from the choice of the reference rows.
    references_freedom : int
        Degrees of freedom of that one.
    bias : float
        What was taken from `value` since a sample of reference rows had added it.
    """

    value: float
    rows_variance: float
    rows_freedom: float
    row_weight: float
    n_samples: int
    cluster_rows: Array
    cluster_mean: Array
    cluster_variance: Array
    references_variance: float = 0.0
    references_freedom: int = 0
    bias: float = 0.0

    @property
    def stderr(self) -> float:
        return math.sqrt(self.rows_variance + self.references_variance)

    @property
    def references_error(self) -> float:
        """Mean square of the error that the references leave: where clusters tie, about half their bias was found."""
        return self.references_variance + self.bias**2

    @property
    def n_rows(self) -> int:
        """Rows that were asked."""
        return int(self.cluster_rows.sum())

    @property
    def n_clusters(self) -> int:
        return len(self.cluster_rows)

    @property
    def unseen(self) -> float:
        """Square of what one row more at the far end of the range would add.

        Rows are rare that lie far from the others, as those put into a wrong cluster do; a small sample may have none,
        and would be too sure of itself.
        """
        return (1 + abs(self.value)) ** 2 * self.row_weight

    @property
    def interval_variance(self) -> float:
        """What the interval rests on: all errors, and the unseen row."""
        return self.rows_variance + self.references_error + self.unseen

    def quantile(self, confidence: float) -> float:
        """Return how many standard deviations the interval reaches to each side: Student's t."""
        from scipy.special import ndtri, stdtrit

        loss = self.rows_variance**2 / self.rows_freedom
        if self.references_freedom:
            loss += self.references_variance**2 / self.references_freedom
        tail = (1 - confidence) / 2
        return -float(stdtrit(self.interval_variance**2 / loss, tail) if loss > 0 else ndtri(tail))

    def half_width(self, confidence: float) -> float:
        """Half the interval's width; inf where too few rows were asked to tell."""
        if self.n_rows < min(2, self.n_samples):
            return math.inf
        return self.quantile(confidence) * math.sqrt(self.interval_variance)

    def rows_for(self, variance: float) -> float:
        """Return how many rows in all would bring the variance that comes from the choice of rows down to this."""
        n, every = float(self.n_rows), float(self.n_samples)
        if n >= every or n < 2:
            return every
        # Of m rows it is spread (1 / m - 1 / every) + unseen (n / m)^2.
        spread = self.rows_variance / (1 / n - 1 / every)
        left = variance + spread / every
        return (spread + math.sqrt(spread**2 + 4 * self.unseen * n**2 * left)) / (2 * left)

    def estimate(self, labeling: Labeling, confidence: float, **facts: Any) -> Estimate:
        """Return it as users see it."""
        half = self.half_width(confidence)
        known = math.isfinite(half)
        return Estimate(
            value=self.value,
            stderr=self.stderr if known else math.nan,
            interval=(max(-1.0, self.value - half), min(1.0, self.value + half)) if known else (-1.0, 1.0),
            confidence=confidence,
            per_cluster=_table(labeling, self.cluster_rows, self.cluster_mean, np.sqrt(self.cluster_variance)),
            n_queries=self.n_rows,
            n_samples=labeling.n_kept,
            exact=False,
            **facts,
        )


def reading_of(values: Array, codes: Array, sizes: Array, stratum: Array) -> Reading:
    """Estimate the mean silhouette of all rows, and of each cluster's.

    Parameters
    ----------
    values : ndarray of shape (n_asked, 1 + n_groups), float64
        Silhouette of each row that was asked; in further columns the same without one group of reference rows each.
    codes : ndarray of shape (n_asked,), int64
        Their clusters.
    sizes : ndarray of shape (n_clusters,), int64
    stratum : ndarray of shape (n_clusters,), int64
        Stratum of each cluster: rows were drawn by strata, or are weighted as if they had been.
    """
    if not _all_seen(stratum[codes], sizes, stratum):  # so rare that it moves nothing, with ten rows expected
        stratum = np.zeros_like(stratum)
    counts = np.bincount(stratum, weights=sizes).astype(np.int64)
    strata = stratum[codes]
    mean = stratified_mean(values[:, 0], strata, counts)
    clusters = stratum_means(values[:, 0], codes, sizes)
    reading = Reading(
        value=mean.value,
        rows_variance=mean.standard_error**2,
        rows_freedom=mean.freedom,
        row_weight=_row_weight(strata, counts),
        n_samples=int(sizes.sum()),
        cluster_rows=clusters.n_rows,
        cluster_mean=clusters.mean,
        cluster_variance=clusters.variance,
    )
    if values.shape[1] == 1:
        return reading
    means = [_means(column, strata, counts, codes, len(sizes)) for column in values.T]
    bias, variance = _jackknife(np.array([m[0] for m in means]))
    cluster_bias, cluster_variance = _jackknife(np.stack([m[1] for m in means]))
    return replace(
        reading,
        value=min(1.0, max(-1.0, mean.value - float(bias))),
        bias=float(bias),
        references_variance=float(variance),
        references_freedom=values.shape[1] - 2,
        cluster_mean=clusters.mean - cluster_bias,
        cluster_variance=clusters.variance + cluster_variance,
    )


def _all_seen(strata: Array, sizes: Array, stratum: Array) -> bool:
    counts = np.bincount(stratum, weights=sizes)
    return bool((np.bincount(strata, minlength=len(counts)) >= np.minimum(counts, 2)).all())


def _row_weight(strata: Array, counts: Array) -> float:
    asked, share = np.bincount(strata, minlength=len(counts)), counts / counts.sum()
    return float((share * (1 - asked / counts)) @ (share / np.maximum(asked, 1)) ** 2)


def _means(values: Array, strata: Array, counts: Array, codes: Array, n_clusters: int) -> tuple[float, Array]:
    rows = np.bincount(strata, minlength=len(counts))
    value = float((np.bincount(strata, weights=values, minlength=len(counts)) / rows) @ counts / counts.sum())
    return value, np.bincount(codes, weights=values, minlength=n_clusters) / np.maximum(
        np.bincount(codes, minlength=n_clusters), 1
    )


def _jackknife(means: Array) -> tuple[Array, Array]:
    """Bias and variance of ``means[0]``, by Quenouille and Tukey: the others lack one of the groups each."""
    n = len(means) - 1
    without = means[1:].mean(axis=0)
    return (n - 1) * (without - means[0]), (n - 1) / n * ((means[1:] - without) ** 2).sum(axis=0)


def exact_estimate(labeling: Labeling, value: float, means: Array, confidence: float, metric: str) -> Estimate:
    """Return the estimate that is none: the mean over all rows, and of each cluster."""
    sizes = labeling.sizes
    return Estimate(
        value=value,
        stderr=0.0,
        interval=(value, value),
        confidence=confidence,
        per_cluster=_table(labeling, sizes, means, np.zeros(len(sizes))),
        n_queries=labeling.n_kept,
        n_samples=labeling.n_kept,
        exact=True,
        metric=metric,
    )


def undefined_estimate(labeling: Labeling, confidence: float, metric: str) -> Estimate:
    """Return an estimate of nan, with the reason."""
    k = labeling.n_clusters
    nan = math.nan
    return Estimate(
        value=nan,
        stderr=nan,
        interval=(nan, nan),
        confidence=confidence,
        per_cluster=_table(labeling, np.zeros(k, dtype=np.int64), np.full(k, nan), np.full(k, nan)),
        n_queries=0,
        n_samples=labeling.n_kept,
        exact=False,
        metric=metric,
        notes=(undefined_since(labeling.why_undefined),),
    )


def _table(labeling: Labeling, rows: Array, value: Array, stderr: Array) -> dict[str, Array]:
    return {
        "label": labeling.classes,
        "size": labeling.sizes,
        "n_queries": rows,
        "value": value,
        "stderr": stderr,
    }
