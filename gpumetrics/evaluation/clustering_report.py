"""`evaluate_clustering`: every score of a clustering from one pass, with what a reader needs to read them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.evaluation.metric_facts import METRICS, silhouette_band

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["ClusteringReport", "evaluate_clustering"]


@dataclass(frozen=True, eq=False, repr=False)
class ClusteringReport:
    """The scores of a clustering and what is needed to read them; ``print`` it.

    Attributes
    ----------
    scores : dict of str to float
        ``silhouette``, ``silhouette_macro`` (mean of the clusters' means), ``calinski_harabasz`` (higher
        is better), ``davies_bouldin`` (lower is better); with ``labels_true`` also ``rand``,
        ``adjusted_rand``, ``adjusted_mutual_info``, ``normalized_mutual_info``, ``homogeneity``,
        ``completeness``, ``v_measure``, ``fowlkes_mallows`` and ``clustering_accuracy`` (higher is better).
        nan where undefined; `notes` says why.
    per_cluster : dict of str to ndarray of shape (n_clusters,)
        ``label``, ``size``, ``silhouette_mean``, ``silhouette_median``, ``share_negative``,
        ``distance_to_centroid`` (mean), ``worst_partner`` and ``worst_ratio`` (the other cluster with the
        largest Davies-Bouldin R, and that R), ``nearest_cluster`` (by centroid); of an estimate also
        ``rows_evaluated``.
    silhouette_samples : ndarray of shape (n_samples,)
        Silhouette of each row; nan for noise and for rows that were not evaluated.
    silhouette_mode : {"exact", "estimate", "skip"}
    silhouette_standard_error : float
        0 where exact, nan where there is no silhouette.
    n_samples, n_features, n_clusters, n_noise : int
        Rows given (noise included), columns, clusters without the noise, rows of noise.
    noise_label : object
        Label that was taken as noise, or None.
    metric : str
        Distance of the silhouette.
    notes : dict of str to str
        Remarks under the score or subject they concern: why a score is undefined, what to keep in mind.
    readings : dict of str to str
        A few words on some scores, as printed.
    backend, backend_reason : str
    seconds : float
        Wall time in all; `timings` has it by step.
    """

    scores: dict[str, float]
    per_cluster: dict[str, Array]
    silhouette_samples: Array
    silhouette_mode: str
    silhouette_standard_error: float
    n_samples: int
    n_features: int
    n_clusters: int
    n_noise: int
    noise_label: Any
    metric: str
    notes: dict[str, str]
    readings: dict[str, str]
    backend: str
    backend_reason: str
    seconds: float
    timings: dict[str, float]

    @property
    def noise_fraction(self) -> float:
        """Share of the rows that are noise, 0 to 1."""
        return self.n_noise / self.n_samples

    @property
    def silhouette_band(self) -> str:
        """Word for the silhouette: "distinct", "reasonable", "weak", "none", or "" where undefined."""
        return silhouette_band(self.scores["silhouette"])

    def to_dict(self) -> dict[str, Any]:
        """Return the report as one flat dict that `json.dumps` takes.

        Returns
        -------
        dict
            Python scalars under their names, the per-cluster table as lists under ``cluster_<column>``, the
            notes as a list. Infinity and nan stay floats, with the reason under ``<name>_reason``.
        """
        out: dict[str, Any] = {
            name: getattr(self, name) for name in ("n_samples", "n_features", "n_clusters", "n_noise")
        }
        out |= {"noise_fraction": self.noise_fraction, "noise_label": _plain(self.noise_label)}
        out["metric"] = self.metric
        for name, value in self.scores.items():
            out |= {name: value, f"{name}_better": METRICS[name].better}
            if not math.isfinite(value):
                out[f"{name}_reason"] = self.notes.get(name, "undefined for this input")
        out |= {
            "silhouette_band": self.silhouette_band,
            "silhouette_mode": self.silhouette_mode,
            "silhouette_standard_error": self.silhouette_standard_error,
            "backend": self.backend,
            "backend_reason": self.backend_reason,
            "seconds": self.seconds,
            "notes": list(dict.fromkeys(self.notes.values())),
        }
        return out | {f"cluster_{key}": _plain(column) for key, column in self.per_cluster.items()}

    def __str__(self) -> str:
        from gpumetrics.evaluation.report_text import report_text

        return report_text(self)

    def __repr__(self) -> str:
        return (
            f"<ClusteringReport of {self.n_samples} rows, {self.n_clusters} clusters: "
            f"silhouette {self.scores['silhouette']:.4g}; print it for all scores>"
        )


def _plain(value: Any) -> Any:
    """Return a value, or the entries of an array, as types that JSON knows."""
    if isinstance(value, np.ndarray):
        return [_plain(entry) for entry in value.tolist()]
    if isinstance(value, np.generic):
        value = value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def evaluate_clustering(
    X: Any,
    labels: Any,
    *,
    labels_true: Any = None,
    metric: Any = "euclidean",
    noise_label: Any = -1,
    silhouette: str = "auto",
    random_state: Any = None,
    **kwds: Any,
) -> ClusteringReport:
    """Score a clustering by every index of the package, with what is needed to read the values.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        The rows, of any numeric dtype and layout; or their distances if ``metric="precomputed"``.
    labels : array-like of shape (n_samples,)
        Cluster of each row: integers, strings, anything with a label's identity.
    labels_true : array-like of shape (n_samples,), optional
        Known classes; adds the agreement scores.
    metric : str or callable, default="euclidean"
        Distance of the silhouette, as in `silhouette_score`. Take the one that the clustering used.
        Calinski-Harabasz and Davies-Bouldin are Euclidean by definition.
    noise_label : label, default=-1
        Rows with this label are left out of every score, and counted; scikit-learn would score them as
        one more cluster. None: no label is noise.
    silhouette : {"auto", "exact", "estimate", "skip"}, default="auto"
        "exact" evaluates every row. "estimate" evaluates a sample of rows, stratified by cluster, each
        against all rows: unbiased, with its standard error. "auto" is exact where a closed form exists
        (cosine, sqeuclidean, correlation) or the work is expected to take up to a minute, else an estimate.
    random_state : int, Generator, RandomState or None
        Seed of the sample of an estimate.
    **kwds
        Options of the metric, as in `silhouette_score`.

    Returns
    -------
    ClusteringReport
        ``print`` it, take values from ``scores`` and ``per_cluster``, or call ``to_dict()``. A score that is
        undefined for the input (one cluster, noise only, ...) is nan, and ``notes`` says why.

    Raises
    ------
    ValueError
        For NaN or infinity, wrong shapes or lengths, missing labels, an unknown metric or mode.
    TypeError
        For a keyword that the metric does not take.
    BackendError
        If a GPU is asked for and none can be used.

    Notes
    -----
    Labels are encoded once, the moments of the clusters computed once, in two passes over X, and silhouettes
    evaluated once: the cost is that of `silhouette_samples`. Memory follows ``working_memory`` beyond a few
    numbers per row and n_clusters x n_features for the centroids.

    References
    ----------
    P. J. Rousseeuw (1987), Journal of Computational and Applied Mathematics 20, 53-65 (silhouette);
    T. Calinski and J. Harabasz (1974), Communications in Statistics 3, 1-27; D. L. Davies and D. W. Bouldin
    (1979), IEEE Transactions on Pattern Analysis and Machine Intelligence 1, 224-227.

    Examples
    --------
    >>> from gpumetrics import evaluate_clustering
    >>> report = evaluate_clustering([[0.0], [1.0], [8.0], [9.0], [50.0]], [0, 0, 1, 1, -1])
    >>> round(report.scores["davies_bouldin"], 3), report.silhouette_band, report.noise_fraction
    (0.125, 'distinct', 0.2)
    >>> report.per_cluster["size"].tolist()
    [2, 2]
    """
    from gpumetrics.evaluation.assemble import assemble
    from gpumetrics.evaluation.silhouette_part import MODES

    started = time.perf_counter()
    if silhouette not in MODES:
        msg = f"silhouette must be one of {MODES}, got {silhouette!r}"
        raise ValueError(msg)
    fields = assemble(X, labels, labels_true, metric, noise_label, silhouette, random_state, kwds)
    return ClusteringReport(noise_label=noise_label, seconds=time.perf_counter() - started, **fields)
