"""An estimated silhouette: the value, how far off it may be, and the same for every cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.results import Result

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["Estimate"]

MOST_ROWS = 25  # clusters printed in full; of more, those of the lowest silhouette
FOLDED_ROWS = 15


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Result):
    """Mean silhouette, estimated from some rows, with its standard error; ``float()`` gives the value.

    Attributes
    ----------
    value : float
        From -1 to 1; higher is better. nan where the silhouette is undefined; ``notes`` says why.
    stderr : float
        Standard error of `value`; 0 where all rows were asked.
    interval : tuple of (float, float)
        Confidence interval of the exact mean silhouette, cut off at -1 and 1.
    confidence : float
        Its confidence level.
    per_cluster : dict of str to ndarray of shape (n_clusters,)
        ``label``, ``size``, ``n_queries`` (rows asked), ``value`` (mean silhouette; nan where no row was asked) and
        ``stderr`` (nan where one row of several was asked).
    n_queries : int
        Rows whose silhouette was computed.
    n_samples : int
        Rows that there are, noise left out.
    exact : bool
        Whether all of them were asked, each against all, so that there is nothing left to estimate.
    n_references : int or None
        Rows against which each row was held, if these were a sample as well.
    metric : str
    notes : tuple of str
        What to keep in mind.
    """

    value: float
    stderr: float
    interval: tuple[float, float]
    confidence: float
    per_cluster: dict[str, Array]
    n_queries: int
    n_samples: int
    exact: bool
    n_references: int | None = None
    metric: str = "euclidean"
    notes: tuple[str, ...] = ()

    def __float__(self) -> float:
        return self.value

    @property
    def n_clusters(self) -> int:
        return len(self.per_cluster["label"])

    @property
    def band(self) -> str:
        """Word for the value: "distinct", "reasonable", "weak", "none", or "" where undefined."""
        from gpumetrics.evaluation.score_facts import silhouette_band

        return silhouette_band(self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimate as one flat dict that `json.dumps` takes.

        Returns
        -------
        dict
            Python scalars under their names, the interval as ``low`` and ``high``, the table of clusters as lists
            under ``cluster_<column>``. nan stays a float, with the reason under ``<name>_reason``.
        """
        from gpumetrics.text.labels import json_value

        low, high = self.interval
        out: dict[str, Any] = {"silhouette": self.value, "stderr": self.stderr, "low": low, "high": high}
        if math.isnan(self.value):
            out |= {f"{name}_reason": str(self.notes[0]) for name in tuple(out)}
        names = ("confidence", "exact", "n_queries", "n_samples", "n_references", "n_clusters", "metric")
        out |= {name: getattr(self, name) for name in names}
        out |= {"silhouette_better": "higher", "silhouette_band": self.band}
        out["notes"] = [str(note) for note in self.notes]
        out |= {f"cluster_{key}": json_value(column) for key, column in self.per_cluster.items()}
        unasked = [key for key in ("value", "stderr") if np.isnan(self.per_cluster[key]).any()]
        return out | {f"cluster_{key}_reason": "too few rows of the cluster were asked" for key in unasked}

    def to_frame(self, library: str | None = None) -> Any:
        """Return `per_cluster` as a DataFrame.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            If it is None: the one that is loaded, else the one that is installed.

        Raises
        ------
        ImportError
            If it is not installed, or neither is.
        """
        from gpumetrics.frames import frame_of

        return frame_of(self.per_cluster, library)

    def __str__(self) -> str:
        from gpumetrics.text.layout import wrapped

        parts = [self._head()]
        if self.n_clusters and not math.isnan(self.value):
            parts.append(self._clusters())
        parts += [wrapped(f"- {note}", "  ") for note in self.notes]
        return "\n\n".join(parts)

    def _head(self) -> str:
        rows = f"{self.n_samples:,} rows, {self.n_clusters:,} cluster{'s' * (self.n_clusters != 1)}"
        if math.isnan(self.value):
            return f"Silhouette (metric {self.metric}) of {rows}: undefined"
        band = f"{self.value:.4f} ({self.band if self.band != 'none' else 'no substantial'} structure)"
        if self.exact:
            return f"Silhouette (metric {self.metric}, higher is better): {band}, exact, of {rows}"
        low, high = self.interval
        against = "all rows" if self.n_references is None else f"{self.n_references:,} reference rows"
        return (
            f"Silhouette (metric {self.metric}, higher is better): {band}\n"
            f"standard error {self.stderr:.2g}, {100 * self.confidence:g} % interval {low:.4f} to {high:.4f}\n"
            f"estimated from {self.n_queries:,} of {rows}, each against {against}"
        )

    def _clusters(self) -> str:
        from gpumetrics.text.labels import printer
        from gpumetrics.text.layout import align

        table, k = self.per_cluster, self.n_clusters
        shown = np.arange(k) if k <= MOST_ROWS else np.argsort(table["value"], kind="stable")[:FOLDED_ROWS]
        name = printer(table["label"])
        rows: list[tuple[str, ...]] = [("cluster", "size", "rows asked", "mean s", "std. error")]
        for i in shown:
            counts = f"{int(table['size'][i]):,}", f"{int(table['n_queries'][i]):,}"
            rows.append((name(table["label"][i]), *counts, *(_number(table[key][i]) for key in ("value", "stderr"))))
        text = align(rows, right={1, 2, 3, 4})
        return text if k <= MOST_ROWS else f"{text}\n... and {k - len(shown):,} more clusters (all in per_cluster)"

    def __repr__(self) -> str:
        asked = "exact" if self.exact else f"{self.n_queries:,} of {self.n_samples:,} rows asked"
        return f"<Estimate of a silhouette: {self.value:.4g} +/- {self.stderr:.2g} ({asked})>"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
