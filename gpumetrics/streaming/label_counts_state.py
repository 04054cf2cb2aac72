"""Counts of labels, or of label sets, that come in batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from gpumetrics.classification import (
    accuracy,
    association,
    classification_report,
    confusion,
    f_score,
    jaccard,
    precision_recall,
)
from gpumetrics.classification.sides import check_total_weight
from gpumetrics.streaming.batches import State, metric_of
from gpumetrics.streaming.tallied import Tallied

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.classification.targets import Targets
    from gpumetrics.statistics.label_counts import LabelCounts
    from gpumetrics.types import Array

__all__ = ["LabelCountsState"]

METRICS: dict[str, Callable[..., Any]] = {
    metric.__name__: metric
    for metric in (
        accuracy.accuracy_score,
        accuracy.balanced_accuracy_score,
        accuracy.hamming_loss,
        accuracy.zero_one_loss,
        association.cohen_kappa_score,
        association.matthews_corrcoef,
        classification_report.classification_report,
        confusion.confusion_matrix,
        confusion.multilabel_confusion_matrix,
        f_score.f1_score,
        f_score.fbeta_score,
        jaccard.jaccard_score,
        precision_recall.precision_recall_fscore_support,
        precision_recall.precision_score,
        precision_recall.recall_score,
    )
}


class LabelCountsState(State):
    """Scores of true and predicted labels, or label sets, whose samples come in batches.

    Notes
    -----
    Of vectors the pairs (true, predicted) that occur are held; of indicator matrices three counts for each label, and
    how many samples share, miss and invent how many labels, from which averages over samples come. A batch of n samples
    costs O(n), or O(entries); memory follows the labels and these numbers, not the samples. Counts are integers: no
    order or grouping of the batches changes them; sums of weights it changes below 1e-12. Labels on a GPU are counted
    there.

    Examples
    --------
    >>> from gpumetrics.streaming import LabelCountsState
    >>> state = LabelCountsState()
    >>> state.update(["a", "b"], ["a", "a"]).update(["c", "c"], ["c", "b"])
    LabelCountsState(n_samples=4)
    >>> state.result("f1_score", average="macro")
    0.4444444444444444
    >>> sets = LabelCountsState().update([[1, 1, 0]], [[1, 0, 0]]).update([[0, 1, 1]], [[0, 1, 1]])
    >>> sets.result("jaccard_score", average="samples"), sets.result("accuracy_score")
    (0.75, 0.5)
    """

    def __init__(self) -> None:
        super().__init__()
        self.statistic: Tallied | None = None

    @property
    def n_samples(self) -> int:
        """Samples so far."""
        return self.n_rows

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Self:
        """Count a batch.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_rows,), or indicator matrix of shape (n_rows, n_labels)
            Labels of any kind, also such as no batch had before; or 0/1 matrices, dense or sparse. On the host or on a
            GPU.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the samples, with every batch or with none.

        Returns
        -------
        Self
            This state.

        Raises
        ------
        ValueError
            If labels are missing, continuous, or not of the kind of those before, lengths or numbers of columns
            differ, or there are no samples. The message begins with the number of the batch; the state is as before.
        TypeError
            If labels are bytes, or a sparse matrix has one column.
        """
        with self._batch(y_true):
            self._add(Tallied.of(y_true, y_pred, sample_weight))
        return self

    def result(self, metric: str, **options: Any) -> Any:
        """Compute a score of all samples so far.

        Parameters
        ----------
        metric : str
            The name of a public function of true and predicted labels, such as "f1_score".
        **options
            Its keyword arguments, but for `sample_weight`.

        Returns
        -------
        float, tuple, array, str or dict
            What the function returns for all samples at once; arrays are NumPy's.

        Raises
        ------
        ValueError
            If there was no batch, there is no such score, it does not suit the labels, or it needs every sample:
            ``average="samples"`` of chosen `labels`, and ``samplewise=True``.
        TypeError
            For a keyword that the function does not take.

        Warns
        -----
        UndefinedMetricWarning, UserWarning
            As the function does.
        """
        function = metric_of(METRICS, metric, options, ("sample_weight",))
        if options.get("samplewise"):
            msg = "samplewise=True gives a matrix for each sample: call multilabel_confusion_matrix on each batch."
            raise ValueError(msg)
        targets = self.targets()
        return function(targets, targets, **options)

    def label_counts(self) -> tuple[Array, LabelCounts]:
        """Return the labels, sorted (of matrices: numbers of columns), and the counts of each, weighted or not."""
        targets = self.targets()
        return targets.data.classes, targets.data.label_counts(targets.float_weights)

    def targets(self) -> Targets:
        """Return the samples so far as what the functions of this family take, on both sides."""
        tallied: Tallied = self._seen().folded()
        if tallied.weighted:
            check_total_weight(tallied.weight)
        self.statistic = tallied
        targets: Targets = tallied.tables.parts[0].targets()
        return targets

    def __repr__(self) -> str:
        return self._text(n_samples=self.n_samples)
