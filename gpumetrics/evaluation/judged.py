"""Silhouettes of rows for those who point at rows and clusters: computed, estimated, or already known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.interop import device_array, is_device_array
from gpumetrics.clustering.inputs import ClusteredData, check_clustered
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.evaluation import silhouette_part
from gpumetrics.evaluation.per_cluster import silhouette_by_cluster
from gpumetrics.evaluation.stratified import random_source
from gpumetrics.text.messages import said
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

__all__ = ["MODES", "Judged", "judge", "known_silhouettes", "silhouette_notes"]

MODES = ("auto", "exact", "estimate")


@dataclass(frozen=True)
class Judged:
    """Clustered rows, and the silhouettes of those that were evaluated; all but `data` on the host.

    Attributes
    ----------
    data : ClusteredData
    codes : ndarray of int64
        Cluster of each evaluated row.
    rows : ndarray of int64
        The evaluated rows, as positions among those of `data`.
    values : ndarray of float64
        Their silhouettes.
    undefined : str
        Why there are none; empty where there are.
    """

    data: ClusteredData
    codes: Array
    rows: Array
    values: Array
    undefined: str

    @property
    def n_clusters(self) -> int:
        return self.data.labels.n_classes

    @property
    def evaluated(self) -> Array:
        """Rows of each cluster that were evaluated, (n_clusters,) int64."""
        return np.bincount(self.codes, minlength=self.n_clusters)

    def numbers(self, rows: Array) -> Array:
        """Return the user's numbers of rows that are given as positions among those of `data`."""
        return rows if self.data.kept is None else as_host(self.data.kept)[rows]

    def by_cluster(self) -> dict[str, Array]:
        """Return a table as `ClusteringReport.per_cluster` has it: label, size, and what the silhouettes say."""
        table = silhouette_by_cluster(self.values, self.codes, self.n_clusters)
        return {"label": self.data.labels.classes, "size": self.data.sizes, **table}

    def notes(self) -> dict[str, str]:
        """Say why there are no silhouettes, or that not every row has one."""
        return silhouette_notes(len(self.rows), self.data.labels.n_samples, self.undefined)


def silhouette_notes(n_evaluated: int, n_rows: int, undefined: str) -> dict[str, str]:
    """Say why there are no silhouettes (`undefined`), or that not every row has one."""
    if undefined:
        return {"undefined": said("There are no silhouettes: {reason}.", reason=undefined)}
    if n_evaluated == n_rows:
        return {}
    note = said(
        "Silhouettes of {n:,} of {n_rows:,} rows; what is said of clusters is estimated from them.",
        n=n_evaluated,
        n_rows=n_rows,
    )
    return {"estimate": note}


def judge(X: Any, labels: Any, metric: Metric, noise_label: Any, silhouette: Any, random_state: Any) -> Judged:
    """Check a clustered table, and evaluate the silhouettes of its rows unless they are given.

    Parameters
    ----------
    X, labels, metric, noise_label
        As in `check_clustered`; the number of clusters may be any.
    silhouette : {"auto", "exact", "estimate"} or array-like of shape (n_samples,)
        As in `evaluate_clustering`; or the silhouettes, nan where a row was not evaluated.
    random_state : int, Generator, RandomState or None

    Raises
    ------
    ValueError
        For another mode, or silhouettes that are none.
    """
    generator, named = random_source(random_state), isinstance(silhouette, str)
    if silhouette is None or (named and silhouette not in MODES):
        msg = f"silhouette must be one of {MODES}, or the silhouettes of all rows, got {silhouette!r}"
        raise ValueError(msg)
    data = check_clustered(X, labels, noise_label, metric=metric, check_number=False)
    none = np.empty(0, dtype=np.int64)
    undefined = Labeling.of(data.labels).why_undefined
    if undefined:
        return Judged(data, none, none, np.empty(0), undefined)
    if named:
        part = silhouette_part.evaluate(data, metric, None, wish=silhouette, random_state=generator)
        rows, values = part.rows, part.values
    else:
        values = known_silhouettes(silhouette, data.n_given, "silhouette")
        values = values if data.kept is None else values[as_host(data.kept)]
        rows = np.flatnonzero(~np.isnan(values))
        values = values[rows]
        if not len(rows):
            undefined = said("none of those given is a number")
    return Judged(data, as_host(data.codes)[rows], rows, values, undefined)


def known_silhouettes(silhouette: Any, n_samples: int, name: str) -> Array:
    """Check silhouettes that a user has, nan where a row was not evaluated; return them on the host, as float64."""
    if is_device_array(silhouette):
        silhouette = as_host(device_array(silhouette, name, table=False)[0])
    values = np.asarray(silhouette, dtype=np.float64)
    if values.ndim != 1:
        msg = f"{name} must have shape (n_samples,), got {values.shape}"
        raise ValueError(msg)
    check_consistent_length(n_samples, len(values))
    if (np.abs(values) > 1).any():
        msg = f"{name} must hold values from -1 to 1, or nan for rows that were not evaluated"
        raise ValueError(msg)
    return values
