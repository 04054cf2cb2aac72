"""Accuracy of a clustering under the best one-to-one matching of its clusters to the classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from gpumetrics.label_arrays import class_values
from gpumetrics.statistics.contingency import Contingency

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["clustering_accuracy"]

LARGEST_DENSE_MATCHING = 1 << 22  # cells of the table up to which it is matched as a dense one


@overload
def clustering_accuracy(
    labels_true: Any, labels_pred: Any, *, return_matching: Literal[False] = False, noise_label: Any = None
) -> float: ...
@overload
def clustering_accuracy(
    labels_true: Any, labels_pred: Any, *, return_matching: Literal[True], noise_label: Any = None
) -> tuple[float, dict[Any, Any]]: ...
def clustering_accuracy(
    labels_true: Any, labels_pred: Any, *, return_matching: bool = False, noise_label: Any = None
) -> float | tuple[float, dict[Any, Any]]:
    """Share of rows whose cluster is matched to their class, under the best one-to-one matching.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; the two sides may have different numbers of labels.
    return_matching : bool, default=False
        Return the matching too.
    noise_label : label, default=None
        Rows with this predicted label are left out, of the denominator as well.

    Returns
    -------
    accuracy : float
        In [0, 1]; higher is better. 1.0 for the same partition, and without rows.
    matching : dict
        Cluster to class, where they share rows; only with ``return_matching=True``. A cluster that is left
        over, or shares no row with the class left for it, is not in it. Labels are Python's values, but dates
        and time spans stay NumPy's; time stamps with a zone stand as UTC.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    The matching is an assignment problem (Kuhn's Hungarian method, solved by the Jonker-Volgenant
    algorithm of SciPy): at most cubic in the number of clusters. Tables of more than four million cells
    are matched on their non-empty cells, in memory that follows n_samples; the time depends on how the
    clusters overlap: about 15 s for a hundred thousand clusters of ten random rows each, and quadratic where
    clusters form long chains, each overlapping the next. The same partition costs O(n_samples).
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    H. W. Kuhn, The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2 (1955).

    Examples
    --------
    >>> from gpumetrics import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1], return_matching=True)
    (0.75, {1: 'a', 0: 'b'})
    """
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    rows, cols, matched = _best_matching(table)
    accuracy = _share(matched, table)
    if not return_matching:
        return accuracy
    row_classes, col_classes = table.known_classes()
    return accuracy, dict(zip(class_values(col_classes[cols]), class_values(row_classes[rows]), strict=True))


def clustering_accuracy_from(table: Contingency) -> float:
    """Compute the accuracy of a table under the best matching."""
    return _share(_best_matching(table)[2], table)


def _share(matched: int, table: Contingency) -> float:
    return 1.0 if table.is_empty else matched / table.n_samples


def _best_matching(table: Contingency) -> tuple[Array, Array, int]:
    """Match rows to columns one to one so that the matched cells hold the most rows; no empty cells."""
    if table.is_identical:
        return table.rows, table.cols, table.n_samples
    if table.n_classes * table.n_clusters <= LARGEST_DENSE_MATCHING:
        from scipy.optimize import linear_sum_assignment

        dense = np.zeros((table.n_classes, table.n_clusters), dtype=np.int64)
        dense[table.rows, table.cols] = table.counts
        rows, cols = linear_sum_assignment(dense, maximize=True)
        counts = dense[rows, cols]
    else:
        rows, cols, counts = _sparse_matching(table)
    shared = counts > 0
    return rows[shared], cols[shared], int(counts[shared].sum())


def _sparse_matching(table: Contingency) -> tuple[Array, Array, Array]:
    """Match on the non-empty cells alone.

    SciPy's sparse solver wants every row matched, so each row gets a column of its own that is worth
    nothing; it also drops zeros, so all weights are one larger, which adds the same to every matching.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n, m = table.n_classes, table.n_clusters
    own = np.arange(n)
    weights = np.concatenate([table.counts + 1, np.ones(n, dtype=np.int64)]).astype(np.float64)
    ends = (np.concatenate([table.rows, own]), np.concatenate([table.cols, m + own]))
    rows, cols = min_weight_full_bipartite_matching(csr_array((weights, ends), shape=(n, m + n)), maximize=True)
    rows, cols = rows[cols < m].astype(np.int64), cols[cols < m].astype(np.int64)
    at = np.searchsorted(table.rows * m + table.cols, rows * m + cols)
    return rows, cols, table.counts[at]
