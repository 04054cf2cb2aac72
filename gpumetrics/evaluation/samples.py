"""Some rows of each cluster, for people who look at them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.results import Result
from gpumetrics.text.labels import json_value, printer
from gpumetrics.text.layout import align, format_score, notes_block

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.types import Array

__all__ = ["ClusterRows"]

MOST_CLUSTERS = 25  # printed


@dataclass(frozen=True, eq=False, repr=False)
class ClusterRows(Result):
    """Some rows of each cluster, and why they were chosen; ``print`` it.

    Attributes
    ----------
    kind : {"representatives", "ambiguous"}
    table : dict of str to ndarray of shape (n_rows,)
        ``cluster``, ``row`` (its number in X), and the columns that `representatives` or `ambiguous` describe; cluster
        by cluster, the first choice first.
    clusters : ndarray of shape (n_clusters,)
        All clusters, also those without rows here.
    notes : dict of str to str
        Remarks under the subject they concern.
    """

    kind: str
    table: dict[str, Array]
    clusters: Array
    notes: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.table["row"])

    @property
    def by_cluster(self) -> dict[Any, Array]:
        """Row numbers (int64) under the label of each cluster, the first choice first."""
        labels = self.clusters if self.clusters.dtype.kind in "mM" else self.clusters.tolist()
        # The table is in the order of the clusters.
        ends = np.searchsorted(self._places(), np.arange(len(self.clusters) + 1))
        rows = self.table["row"]
        return {label: rows[a:b] for label, a, b in zip(labels, ends, ends[1:], strict=False)}

    def _places(self) -> Array:
        """Place of each row's cluster among all clusters."""
        labels = self.table["cluster"].tolist()
        place = {label: at for at, label in enumerate(self.clusters.tolist())}
        return np.array([place[label] for label in labels], dtype=np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Return it as one dict that `json.dumps` takes: the columns as lists."""
        out: dict[str, Any] = {"kind": self.kind, "n_rows": len(self), "n_clusters": len(self.clusters)}
        out |= {key: json_value(column) for key, column in self.table.items()}
        return out | {"notes": [str(note) for note in self.notes.values()]}

    def _columns(self) -> dict[str, Array]:
        return self.table

    def __str__(self) -> str:
        value = self._value()
        title = "Representative rows" if self.kind == "representatives" else "Ambiguous rows"
        head = f"{title} of {len(self.clusters):,} cluster{'s' * (len(self.clusters) != 1)} (row: {value})"
        text = f"{head}\n{self._lines()}" if len(self) else head
        if self.notes:
            text += f"\n\n{notes_block(self.notes.values())}"
        return text

    def _lines(self) -> str:
        name, places = printer(self.clusters), self._places()
        shown = range(min(len(self.clusters), MOST_CLUSTERS))
        texts = ["; ".join(self._said(int(i), name) for i in np.flatnonzero(places == at)) for at in shown]
        lines = [("cluster", "rows"), *((name(self.clusters[at]), text) for at, text in zip(shown, texts, strict=True))]
        more = len(self.clusters) - MOST_CLUSTERS
        return align(lines, set()) + (
            f"\n... and {more:,} more clusters (all of them in the table)" if more > 0 else ""
        )

    def _value(self) -> str:
        return next(key for key in self.table if key not in {"cluster", "row"})

    def _said(self, i: int, name: Callable[[Any], str]) -> str:
        text = f"{int(self.table['row'][i])}: {format_score(float(self.table[self._value()][i]))}"
        return f"{text}, to {name(self.table['nearest_other'][i])}" if "nearest_other" in self.table else text

    def __repr__(self) -> str:
        return f"<ClusterRows: {len(self)} rows, {self.kind} of {len(self.clusters)} clusters; print it for all>"
