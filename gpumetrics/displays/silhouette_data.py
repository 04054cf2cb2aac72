"""What a silhouette plot keeps of the rows' silhouettes: quantiles and a few numbers of each cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.displays.drawing.quantiles import GroupQuantiles, group_quantiles
from gpumetrics.evaluation.judged import known_silhouettes
from gpumetrics.evaluation.stratified import strata_of, stratified_mean
from gpumetrics.text.messages import said
from gpumetrics.validation import encode_labels

if TYPE_CHECKING:
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.evaluation.judged import Judged
    from gpumetrics.types import Array

__all__ = ["ClusterSilhouettes"]


@dataclass
class ClusterSilhouettes:
    """Silhouettes by cluster; no array is as long as the rows.

    Attributes
    ----------
    labels : ndarray of shape (n_clusters,)
        The clusters, sorted, without the noise.
    sizes : ndarray of shape (n_clusters,), int64
        Rows of each.
    quantiles : GroupQuantiles
        Silhouettes of each cluster: all if they are few, else percentiles; ``quantiles.of(i)``. Its ``counts`` are
        the rows that were evaluated.
    means, share_negative : ndarray of shape (n_clusters,), float64
        Mean silhouette, and share of rows below 0; nan where no row was evaluated.
    mean, standard_error : float
        Mean over all rows; its standard error is 0 where every row was evaluated, nan where it cannot be told.
    n_noise : int
    why_undefined : str
        Why there are no silhouettes; empty where there are.
    """

    labels: Array
    sizes: Array
    quantiles: GroupQuantiles
    means: Array
    share_negative: Array
    mean: float
    standard_error: float
    n_noise: int = 0
    why_undefined: str = ""

    @classmethod
    def of_judged(cls, judged: Judged) -> Self:
        """Summarise what was evaluated just now."""
        clusters = judged.data.labels
        out = cls._of(judged.values, judged.codes, clusters.classes, clusters.counts)
        out.n_noise = judged.data.n_given - clusters.n_samples
        out.why_undefined = judged.undefined
        return out

    @classmethod
    def of_rows(cls, silhouettes: Any, labels: Any, noise_label: Any) -> Self:
        """Summarise known silhouettes, nan for rows that were not evaluated."""
        encoded = encode_labels(labels)
        values = known_silhouettes(silhouettes, encoded.n_samples, "silhouette_samples")
        labeling = Labeling.of(encoded, noise_label)
        codes = as_host(labeling.codes)
        rows = (codes >= 0) & ~np.isnan(values)
        out = cls._of(values[rows], codes[rows], labeling.classes, labeling.sizes)
        out.n_noise = len(codes) - labeling.n_kept
        if not len(codes):
            out.why_undefined = said("there are no rows")
        elif not rows.any():
            out.why_undefined = labeling.why_undefined or said("no row was evaluated")
        return out

    @classmethod
    def of_report(cls, report: ClusteringReport) -> Self:
        """Summarise the silhouettes that a report holds.

        Raises
        ------
        ValueError
            If it does not hold the labels any more.
        """
        if report.scored is None:
            msg = (
                "report must hold the labels that it is about, and one that was pickled, or is of a Dask collection, "
                "does not: use SilhouetteDisplay.from_samples(silhouettes, labels)"
            )
            raise ValueError(msg)
        out = cls.of_rows(report.silhouette_samples, report.scored.labels, report.noise_label)
        if out.why_undefined:
            note = report.notes.get("silhouette")
            out.why_undefined = getattr(note, "values", {}).get("reason", out.why_undefined)
        else:
            out.mean, out.standard_error = report.scores["silhouette"], report.silhouette_standard_error
        return out

    @classmethod
    def _of(cls, values: Array, codes: Array, classes: Array, sizes: Array) -> Self:
        k = len(classes)
        quantiles = group_quantiles(values, codes, k)
        divisor = np.where(quantiles.counts, quantiles.counts, np.nan)
        mean, error = _mean_of(values, codes, sizes)
        return cls(
            labels=classes,
            sizes=sizes,
            quantiles=quantiles,
            means=np.bincount(codes, weights=values, minlength=k) / divisor,
            share_negative=np.bincount(codes, weights=values < 0, minlength=k) / divisor,
            mean=mean,
            standard_error=error,
        )

    @property
    def n_rows(self) -> int:
        """Number of rows, noise left out."""
        return int(self.sizes.sum())

    @property
    def n_evaluated(self) -> int:
        """Number of rows whose silhouettes are known."""
        return int(self.quantiles.counts.sum())

    @property
    def negative(self) -> float:
        """Share of the evaluated rows that lie closer to another cluster."""
        return float(np.nansum(self.share_negative * self.quantiles.counts)) / self.n_evaluated


def _mean_of(values: Array, codes: Array, sizes: Array) -> tuple[float, float]:
    """Return the mean over all rows and its standard error: 0 where all were evaluated, nan for a single row."""
    if not len(values):
        return math.nan, math.nan
    stratum = strata_of(sizes, len(values))
    counts = np.bincount(stratum, weights=sizes).astype(np.int64)
    sampled = np.bincount(stratum[codes], minlength=len(counts))
    if ((sampled < 2) & (sampled < counts)).any():  # not drawn cluster by cluster
        stratum, counts = np.zeros_like(stratum), sizes.sum(keepdims=True)
    found = stratified_mean(values, stratum[codes], counts)
    return found.value, found.standard_error
