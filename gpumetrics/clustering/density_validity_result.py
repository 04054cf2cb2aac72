"""What `density_validity` finds: the score, and for each cluster the two densities behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.results import Result
from gpumetrics.text.labels import json_value, printer

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["DensityValidity"]

MOST_ROWS = 25  # clusters printed in full
FOLDED_ROWS = 15
HEAD = ("cluster", "size", "validity", "sparseness", "separation", "nearest")


@dataclass(frozen=True, eq=False, repr=False)
class DensityValidity(Result):
    """A density-based validity with its parts; ``print`` it. Its arrays are NumPy's wherever X lies.

    Attributes
    ----------
    score : float
        Mean of the clusters' validities, weighted by their rows; noise counts as rows of validity 0. -1 to 1, higher
        is better; nan where undefined.
    labels : ndarray of shape (n_clusters,)
        The clusters, in the order of the other arrays.
    sizes : ndarray of shape (n_clusters,), int64
    validity : ndarray of shape (n_clusters,), float64
        (separation - sparseness) / the larger of the two, -1 to 1, higher is better; 0 for a cluster of one row, nan
        where there is no other cluster.
    sparseness : ndarray of shape (n_clusters,), float64
        Largest internal edge of the cluster's tree, in the units of the distance: the gap at its thinnest place. nan
        for a cluster of one row.
    separation : ndarray of shape (n_clusters,), float64
        Smallest mutual reachability to the inside of another cluster; nan where there is none.
    nearest : ndarray of shape (n_clusters,), object
        The label of the cluster at that separation, or None.
    n_samples, n_noise : int
        Rows given (noise included), rows of noise.
    metric, ties : str
    dimension : float
        As they were used.
    reason : str
        Why the score is undefined; empty where it is not.
    """

    score: float
    labels: Array
    sizes: Array
    validity: Array
    sparseness: Array
    separation: Array
    nearest: Array
    n_samples: int
    n_noise: int
    metric: str
    dimension: float
    ties: str
    reason: str

    def __float__(self) -> float:
        return self.score

    def to_dict(self) -> dict[str, Any]:
        """Return everything as one flat dict that `json.dumps` takes, the table as lists under ``cluster_<column>``."""
        names = ("n_samples", "n_noise", "metric", "dimension", "ties")
        out: dict[str, Any] = {"density_validity": self.score, "density_validity_better": "higher"}
        if self.reason:
            out["density_validity_reason"] = str(self.reason)
        out |= {name: getattr(self, name) for name in names}
        return out | {f"cluster_{name}": json_value(column) for name, column in self._columns().items()}

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table of the clusters as a DataFrame.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            If it is None: the one that is loaded, else the one that is installed.

        Raises
        ------
        ImportError
            If it is not installed.
        """
        from gpumetrics.frames import frame_of

        return frame_of(self._columns(), library)

    def _columns(self) -> dict[str, Array]:
        columns = (self.labels, self.sizes, self.validity, self.sparseness, self.separation, self.nearest)
        return dict(zip(("label", "size", *HEAD[2:]), columns, strict=True))

    def __str__(self) -> str:
        from gpumetrics.text.layout import align, format_score

        rows, noise = (f"{n:,} {'row' if n == 1 else 'rows'}" for n in (self.n_samples, self.n_noise))
        head = (
            f"Density validity (DBCV): {format_score(self.score)}, higher is better, -1 to 1\n"
            f"{rows}, {self._n_clusters()}, {noise} of noise, metric {self.metric}"
        )
        if self.reason:
            head += f"\nUndefined: {self.reason}"
        if not len(self.labels):
            return head
        label, shown = printer(self.labels), range(len(self.labels))
        if len(self.labels) > MOST_ROWS:
            head += f"\nThe {FOLDED_ROWS} clusters of the lowest validity:"
            shown = np.argsort(self.validity, kind="stable")[:FOLDED_ROWS].tolist()
        table: list[tuple[str, ...]] = [HEAD]
        for at in shown:
            name, size, *numbers, nearest = (column[at] for column in self._columns().values())
            values = (format_score(number) for number in numbers)
            table.append((label(name), f"{size:,}", *values, "-" if nearest is None else label(nearest)))
        return f"{head}\n\n{align(table, right={1, 2, 3, 4})}"

    def __repr__(self) -> str:
        score = "nan" if math.isnan(self.score) else f"{self.score:.4g}"
        return f"<DensityValidity {score} of {self._n_clusters()}; print it for the parts>"

    def _n_clusters(self) -> str:
        return "1 cluster" if len(self.labels) == 1 else f"{len(self.labels):,} clusters"
