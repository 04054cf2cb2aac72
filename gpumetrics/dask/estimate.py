"""What a silhouette of Dask's collections is estimated of: the rows that are asked are sent to every block.

They are the rows that one machine draws for the same seed. A row is named by its place among the rows that are no
noise, sorted by stratum: which block has it follows from how many rows of each stratum the blocks have.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.dask.closed_form import ClosedForm
from gpumetrics.dask.clustered import Plan, Side, check_clustered_blocks, stacked
from gpumetrics.dask.pairs import Sums, add_sums, query_sums, silhouettes_from_sums
from gpumetrics.dask.silhouettes import lazy_mean
from gpumetrics.dask.tasks import broadcast, computed, merged

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

__all__ = ["DaskProblem"]


class DaskProblem:
    """Checked rows in blocks and their one labeling: `gpumetrics.clustering.estimate.problem.Problem` on Dask.

    Parameters
    ----------
    X, labels : Dask collection or array-like
    noise_label : label or None
    metric : Metric
    check_number : bool
        Whether the number of clusters must be 2 to n_samples - 1.
    """

    several = named = False
    _counts: Array | None = None

    def __init__(self, X: Any, labels: Any, noise_label: Any, metric: Metric, *, check_number: bool = True) -> None:
        self.table = check_clustered_blocks(X, labels, noise_label, metric, check_number=check_number)
        rows, column = self.table.blocks.arrays
        self.given = rows, column, noise_label  # whose rows are counted, once
        self.metric = metric
        plan = self.table.plan
        # No codes: they stay with the blocks.
        self.names, self.each = [0], [Labeling(np.empty(0, dtype=np.int64), plan.classes, plan.sizes)]
        self.defined = [0]
        self.strata(np.zeros(len(plan.sizes), dtype=np.int64))
        self.asked: dict[int, int] = {}  # the clusters of rows

    @cached_property
    def closed_form(self) -> ClosedForm | None:
        """The closed form after its first pass; None where the metric has none."""
        return ClosedForm.of(*self.given, self.metric) if self.metric.closed_form else None

    @property
    def n_rows(self) -> int:
        return self.table.n_samples

    def n_noise(self, at: int) -> int:  # noqa: ARG002
        """Return how many of the user's rows are noise."""
        return self.table.blocks.n_samples - self.n_rows

    def frame(self) -> None:
        """Return None: all rows that are no noise can be drawn."""

    def strata(self, stratum: Array) -> None:
        """Take the strata of the clusters, in whose order rows are numbered from now on; their codes stay away."""
        self.stratum, self._counts = stratum, None

    @property
    def counts(self) -> Array:
        """Rows of each stratum in each block, (n_blocks, n_strata), counted when rows are first asked."""
        if self._counts is None:
            each = self.table.blocks.each(_stratum_counts, self.shared_plan(), self.stratum)
            self._counts = np.array(computed(each))
        return self._counts

    def clusters(self, at: int, rows: Array) -> Array:  # noqa: ARG002
        """Return the clusters of rows that have been asked."""
        return np.array([self.asked[row] for row in rows.tolist()], dtype=np.int64)

    def clustered(self, at: int) -> NoReturn:  # noqa: ARG002
        """Refuse to bring the rows here, which references are drawn from."""
        msg = 'references="pps" is not computed on Dask collections: leave it out, or give arrays in memory.'
        raise TypeError(msg)

    def its_rows(self, at: int, rows: Array) -> NoReturn:  # noqa: ARG002
        """Refuse too."""
        self.clustered(at)

    def ask(self, rows: Array) -> dict[int, Array]:
        """Return the silhouettes of rows, each against all rows."""
        order, queries = self._read(rows)
        out = np.empty(len(rows))
        out[order] = self._silhouettes(queries)
        self.asked.update(zip(rows[order].tolist(), queries.codes.tolist(), strict=True))
        return {0: out}

    def _silhouettes(self, queries: Side) -> Array:
        if self.closed_form is not None:
            return self.closed_form.samples_of(queries.rows, self.table.plan.classes[queries.codes])
        plan = self.shared_plan()
        shared = broadcast(queries, 8 * len(queries) * queries.rows.shape[1])
        add = partial(add_sums, n_clusters=self.n_clusters)
        sums = computed(merged(self.table.blocks.each(_query_sums, plan, shared), add))
        return silhouettes_from_sums(self.table.plan, queries.codes, sums)

    def ask_everything(self) -> dict[int, tuple[float, Array]]:
        """Return the mean silhouette, and that of each cluster."""
        X, labels, noise_label = self.given
        return {0: computed(lazy_mean(X, labels, noise_label, self.metric))}

    def shared_plan(self) -> Any:
        """Return the plan as an argument of many tasks."""
        return broadcast(self.table.plan, 8 * self.n_clusters)

    @property
    def n_clusters(self) -> int:
        return len(self.table.plan.sizes)

    def _read(self, rows: Array) -> tuple[Array, Side]:
        """Bring rows here, block after block; return which is which, and the rows."""
        counts = self.counts
        starts = np.cumsum(counts.sum(axis=0)) - counts.sum(axis=0)
        stratum = np.searchsorted(starts, rows, side="right") - 1
        rank = rows - starts[stratum]
        before = np.cumsum(counts, axis=0)  # rows of each stratum up to the end of each block
        block = np.array([np.searchsorted(before[:, s], r, side="right") for s, r in zip(stratum, rank, strict=True)])
        rank = rank - (before - counts)[block, stratum]
        order = np.argsort(block, kind="stable")
        plan, parts = self.shared_plan(), []
        for at in np.unique(block).tolist():
            mine = order[block[order] == at]
            parts.append(self.table.blocks.one(at, _pick, plan, self.stratum, stratum[mine], rank[mine]))
        sides: list[Side] = computed(parts)
        rows_here = stacked([side.rows for side in sides])
        return order, Side(rows_here, np.concatenate([side.codes for side in sides]), None)


def _stratum_counts(X: Any, labels: Any, plan: Plan, stratum: Array) -> Array:
    return np.bincount(stratum[plan.read(X, labels).codes], minlength=int(stratum.max()) + 1)


def _pick(X: Any, labels: Any, plan: Plan, stratum: Array, wanted: Array, rank: Array) -> Side:
    """Return some rows of a block, each by its stratum and its number among the stratum's rows there."""
    side = plan.read(X, labels)
    strata = stratum[side.codes]
    order = np.argsort(strata, kind="stable")
    counts = np.bincount(strata, minlength=int(stratum.max()) + 1)
    at = order[(np.cumsum(counts) - counts)[wanted] + rank]
    rows = side.rows[beside(at, side.rows)]
    return Side(rows if hasattr(rows, "tocsr") else as_host(rows), side.codes[at], None)


def _query_sums(X: Any, labels: Any, plan: Plan, queries: Side) -> Sums:
    return query_sums(plan, queries, plan.read(X, labels))
