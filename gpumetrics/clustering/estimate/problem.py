"""What a silhouette is estimated of: one labeling, or several of the same rows, and how rows are asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.clustering.inputs import ClusteredData, check_clustered
from gpumetrics.clustering.labelings import Labeling, Labelings, check_labelings
from gpumetrics.clustering.shared_silhouettes import silhouettes_of_each
from gpumetrics.clustering.silhouette import silhouettes_of

if TYPE_CHECKING:
    from gpumetrics.dask.estimate import DaskProblem
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

__all__ = ["Problem", "check_problem"]


@dataclass(frozen=True)
class Problem:
    """Checked rows and their labelings.

    Attributes
    ----------
    names : list
        The user's name of each labeling, or its number.
    each : list of Labeling
        Of one labeling the rows that are not noise, of several all rows.
    metric : Metric
    data : ClusteredData or Labelings
        The same rows.
    """

    names: list[Any]
    each: list[Labeling]
    metric: Metric
    data: ClusteredData | Labelings

    @property
    def several(self) -> bool:
        return isinstance(self.data, Labelings)

    @property
    def defined(self) -> list[int]:
        return [at for at, labeling in enumerate(self.each) if not labeling.why_undefined]

    @property
    def named(self) -> bool:
        """Whether the labelings have names of the user's."""
        return isinstance(self.data, Labelings) and self.data.named

    @property
    def n_rows(self) -> int:
        return len(self.each[0].codes)

    def n_noise(self, at: int) -> int:
        """Return how many of the user's rows are noise in a labeling."""
        given = self.data.n_given if isinstance(self.data, ClusteredData) else self.data.n_samples
        return given - self.each[at].n_kept

    def strata(self, stratum: Array) -> Array:
        """Return the stratum of each row of the one labeling from that of each cluster."""
        codes = self.each[0].codes
        return codes if len(stratum) == 1 + stratum.max() else beside(stratum, codes)[codes]

    def frame(self) -> Array | None:
        """Return the rows to draw from: those that some labeling with a silhouette does not call noise; None: all."""
        kept = [self.each[at] for at in self.defined]
        if not all(labeling.has_noise for labeling in kept):
            return None
        wanted = np.zeros(self.n_rows, dtype=bool)
        for labeling in kept:
            wanted |= as_host(labeling.codes >= 0)
        return np.flatnonzero(wanted)

    def clusters(self, at: int, rows: Array) -> Array:
        """Return the clusters of rows in a labeling, on the host; -1 for noise."""
        codes = self.each[at].codes
        return as_host(codes[beside(rows, codes)])

    def ask(self, rows: Array) -> dict[int, Array]:
        """Return silhouettes of the rows, each against all rows: by labeling, of those that are no noise in it."""
        if isinstance(self.data, ClusteredData):
            return {0: as_host(silhouettes_of(self.data, self.metric, queries=rows))}
        out = {at: np.full(len(rows), np.nan) for at in self.defined}
        for at, positions, s in silhouettes_of_each(self.data, self.metric, queries=rows):
            out[at][as_host(positions)] = as_host(s)
        return {at: values[self.clusters(at, rows) >= 0] for at, values in out.items()}

    def ask_everything(self) -> dict[int, tuple[float, Array]]:
        """Return the mean silhouette of each labeling, and those of its clusters."""
        if isinstance(self.data, ClusteredData):
            s = silhouettes_of(self.data, self.metric)
            return {0: (float(s.mean()), self._cluster_sums(0, slice(None), s) / self.data.sizes)}
        total = dict.fromkeys(self.defined, 0.0)
        sums = {at: np.zeros(self.each[at].n_clusters) for at in self.defined}
        for at, rows, s in silhouettes_of_each(self.data, self.metric):
            total[at] += float(s.sum())
            sums[at] += self._cluster_sums(at, rows, s)
        return {at: (total[at] / self.each[at].n_kept, sums[at] / self.each[at].sizes) for at in self.defined}

    def _cluster_sums(self, at: int, rows: Any, s: Array) -> Array:
        codes = self.each[at].codes[rows]
        sums: Array = operations_on(codes).label_sums(codes, self.each[at].n_clusters, s)
        return sums

    def clustered(self, at: int) -> ClusteredData:
        """Return the rows of one labeling, without its noise."""
        return self.data if isinstance(self.data, ClusteredData) else self.data.one(at)

    def its_rows(self, at: int, rows: Array) -> Array:
        """Return the numbers that rows have in `clustered`; those of noise are left out."""
        kept = self.each[at].kept
        if kept is None:
            return rows
        rows, xp = rows[self.clusters(at, rows) >= 0], array_module(kept)
        return as_host(xp.searchsorted(kept, xp.asarray(rows)))


def check_problem(
    X: Any, labels: Any, noise_label: Any, metric: Metric, n_queries: int, *, several: bool
) -> Problem | DaskProblem:
    """Check a table and its labels, or several labelings of its rows, of which about `n_queries` will be asked."""
    if is_dask(X, labels) and not several:
        from gpumetrics.dask.estimate import DaskProblem

        return DaskProblem(X, labels, noise_label, metric)
    if several:
        labelings = check_labelings(X, labels, noise_label, metric=metric, n_queries=n_queries)
        return Problem(labelings.names, labelings.each, metric, labelings)
    data = check_clustered(X, labels, noise_label, metric=metric, n_queries=n_queries)
    return Problem([0], [Labeling.of(data.labels)], metric, data)
