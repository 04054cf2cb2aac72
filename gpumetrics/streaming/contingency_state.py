"""The table of two labelings whose rows come in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from gpumetrics.backends import choose, on_device_of
from gpumetrics.clustering import agreement, information, matching, v_measure
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.streaming.batches import State, metric_of
from gpumetrics.streaming.tables import Tables
from gpumetrics.validation import label_pair, warn_of_fractions

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ContingencyState"]

METRICS: dict[str, Callable[..., Any]] = {
    metric.__name__: metric
    for metric in (
        agreement.adjusted_rand_score,
        agreement.contingency_matrix,
        agreement.fowlkes_mallows_score,
        agreement.pair_confusion_matrix,
        agreement.rand_score,
        information.adjusted_mutual_info_score,
        information.mutual_info_score,
        information.normalized_mutual_info_score,
        matching.clustering_accuracy,
        v_measure.completeness_score,
        v_measure.homogeneity_completeness_v_measure,
        v_measure.homogeneity_score,
        v_measure.v_measure_score,
    )
}


class ContingencyState(State):
    """Agreement of two labelings whose rows come in batches.

    Parameters
    ----------
    noise_label : label, optional
        Rows with this predicted label are left out.

    Notes
    -----
    A batch of n rows costs O(n), and what it adds to the table O(cells log cells) over all batches. Memory follows the
    number of the table's cells that are not empty. Counts are integers: no order or grouping of the batches changes
    them. Labels on a GPU are counted there; the cells come to the host.

    Examples
    --------
    >>> from gpumetrics.streaming import ContingencyState
    >>> state = ContingencyState()
    >>> state.update([0, 0], ["a", "a"]).update([1, 1], ["b", "c"])
    ContingencyState(n_samples=4)
    >>> state.result("adjusted_rand_score")
    0.5714285714285714

    States of two machines, or threads, merge into one of the rows of both:

    >>> both = state.merge(ContingencyState().update([0, 1], ["a", "c"]))
    >>> both.result("contingency_matrix")
    array([[3, 0, 0],
           [0, 1, 2]])
    """

    _settings = ("noise_label",)

    def __init__(self, noise_label: Any = None) -> None:
        super().__init__()
        self.noise_label = noise_label
        self.statistic: Tables | None = None

    @property
    def n_samples(self) -> int:
        """Rows that count: those that are not noise."""
        return 0 if self.statistic is None else self.statistic.n_samples

    @property
    def n_noise(self) -> int:
        """Rows that were left out."""
        return self.n_rows - self.n_samples

    def update(self, labels_true: Any, labels_pred: Any) -> Self:
        """Count the pairs of labels of a batch.

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n_rows,)
            Labels of any kind, also such as no batch had before. On the host or on a GPU.

        Returns
        -------
        Self
            This state.

        Raises
        ------
        ValueError
            If labels are missing or not one per row, lengths differ, or there are no rows. The message begins with
            the number of the batch; the state is as before.
        TypeError
            If labels are bytes, or a sparse matrix.
        """
        with self._batch(labels_true):
            table = self._table_of(labels_true, labels_pred)
            self._add(Tables((table,)) if table.n_samples else None)
        return self

    def _table_of(self, labels_true: Any, labels_pred: Any) -> Contingency:
        with on_device_of(labels_true=labels_true, labels_pred=labels_pred):
            ops = choose(labels_true, labels_pred).ops
            arrays = label_pair(labels_true, labels_pred)
            return Contingency.from_arrays(*arrays, noise_label=self.noise_label, ops=ops)

    def table(self) -> Contingency:
        """Return the table of all rows so far: its cells that are not empty, margins and classes.

        Raises
        ------
        ValueError
            If there was no batch, or all rows were noise.
        """
        tables: Tables | None = self._seen()
        if tables is None:
            msg = (
                f"All {self.n_rows} rows of labels_pred have the noise label {self.noise_label!r}: "
                "no row is left to compare."
            )
            raise ValueError(msg)
        self.statistic = tables.folded()
        table: Contingency = self.statistic.parts[0]
        return table

    def result(self, metric: str, **options: Any) -> Any:
        """Compute a metric of all rows so far.

        Parameters
        ----------
        metric : str
            The name of a public function of two labelings, such as "adjusted_rand_score".
        **options
            Its keyword arguments, but for `noise_label` and `contingency`.

        Returns
        -------
        float, tuple or array
            What the function returns for all rows at once; arrays are NumPy's.

        Raises
        ------
        ValueError
            If there was no batch, all rows were noise, or there is no such metric.
        TypeError
            For a keyword that the function does not take.

        Warns
        -----
        UserWarning
            If labels are floats with a fractional part: each value is then a cluster of its own.

        Examples
        --------
        >>> from gpumetrics.streaming import ContingencyState
        >>> state = ContingencyState(noise_label=-1).update(["a", "a", "b", "b"], [1, 1, 0, -1])
        >>> state.result("clustering_accuracy", return_matching=True), state.n_noise
        ((1.0, {1: 'a', 0: 'b'}), 1)
        """
        function = metric_of(METRICS, metric, options, ("noise_label", "contingency"))
        table = self.table()
        warn_of_fractions(*table.known_classes())
        return function(table, table, **options)

    def __repr__(self) -> str:
        return self._text(n_samples=self.n_samples)
