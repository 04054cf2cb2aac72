"""Agreement of two labelings by pairs of rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.interop import as_library_of
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.validation import check_non_negative

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from gpumetrics.types import Array

__all__ = [
    "adjusted_rand_from",
    "adjusted_rand_score",
    "contingency_matrix",
    "fowlkes_mallows_from",
    "fowlkes_mallows_score",
    "pair_confusion_matrix",
    "rand_from",
    "rand_score",
]


def contingency_matrix(
    labels_true: Any,
    labels_pred: Any,
    *,
    eps: float | None = None,
    sparse: bool = False,
    dtype: Any = np.int64,
    noise_label: Any = None,
) -> Array | csr_matrix:
    """Count the rows of each true class in each predicted cluster.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind.
    eps : float, default=None
        Added to every entry, by NumPy's promotion: a float makes counts of an integer `dtype` float64. Not with
        ``sparse=True``.
    sparse : bool, default=False
        Return a SciPy CSR matrix, whose memory follows n_samples.
    dtype : dtype, default=numpy.int64
        Of the counts. It must hold each of them exactly.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    array or csr_matrix of shape (n_classes, n_clusters)
        In the library and on the device of `labels_pred` (a sparse one: SciPy's). Rows and columns in sorted order of
        the labels.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, lengths differ, `eps` is negative or given with
        ``sparse=True``, or a count does not fit `dtype`.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory, plus the matrix itself where it is dense.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    Examples
    --------
    >>> from gpumetrics import contingency_matrix
    >>> contingency_matrix(["a", "a", "b", "b"], [0, 1, 2, 2])
    array([[1, 1, 0],
           [0, 0, 2]])
    """
    if not isinstance(sparse, bool | np.bool_):
        msg = f"The 'sparse' parameter of contingency_matrix must be True or False. Got {sparse!r} instead."
        raise ValueError(msg)  # noqa: TRY004  (scikit-learn's type)
    if eps is not None and sparse:
        msg = "Cannot set 'eps' when sparse=True"
        raise ValueError(msg)
    if eps is not None:
        check_non_negative(eps, "'eps' parameter of contingency_matrix", infinite=False)
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    counts = _as_dtype(table.counts, np.dtype(dtype))
    shape = (table.n_classes, table.n_clusters)
    if sparse:
        from scipy.sparse import csr_matrix

        starts = np.searchsorted(table.rows, np.arange(table.n_classes + 1))
        return csr_matrix((counts, table.cols, starts), shape=shape)
    dense = np.zeros(shape, dtype=dtype)
    dense[table.rows, table.cols] = counts
    return as_library_of(dense if eps is None else dense + eps, labels_pred)  # type: ignore[no-any-return]


def _as_dtype(counts: Array, dtype: np.dtype[Any]) -> Array:
    with np.errstate(over="ignore"):  # a float16 of infinity is found below
        converted = counts.astype(dtype)
    changed = counts[converted != counts]
    if len(changed):
        msg = f"dtype {dtype} cannot hold a count of {changed.max()}; take a wider one, such as numpy.int64."
        raise ValueError(msg)
    return converted


def pair_confusion_matrix(labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> Array:
    """Count the ordered pairs of rows by whether each labeling puts them together.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    array of int64, shape (2, 2)
        In the library and on the device of `labels_pred`. ``C[i, j]``: pairs together (i = 1) or apart (0) in
        labels_true, and together (j = 1) or apart (0) in labels_pred. Each unordered pair counts twice.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.
    OverflowError
        Above three thousand million rows, where a count may pass int64.

    Notes
    -----
    O(n_samples) time and memory; exact integer counts.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    L. Hubert and P. Arabie, Comparing partitions, Journal of Classification 2 (1985).

    Examples
    --------
    >>> from gpumetrics import pair_confusion_matrix
    >>> pair_confusion_matrix([0, 0, 1, 2], [0, 0, 1, 1])
    array([[8, 2],
           [0, 2]])
    """
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    tn, fp, fn, tp = table.pair_counts()
    return as_library_of(np.array([[tn, fp], [fn, tp]], dtype=np.int64), labels_pred)  # type: ignore[no-any-return]


def rand_score(labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> float:
    """Rand index: the share of pairs of rows on which two labelings agree.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [0, 1]; higher is better. 1.0 for the same partition, and with fewer than two rows.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory; exact integer counts, one division. It is not adjusted for chance: it
    approaches 1 for unrelated labelings with many clusters.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    W. M. Rand, Objective criteria for the evaluation of clustering methods, JASA 66 (1971).

    Examples
    --------
    >>> from gpumetrics import rand_score
    >>> rand_score([0, 0, 1], [0, 1, 1])
    0.3333333333333333
    """
    return rand_from(Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label))


def rand_from(table: Contingency) -> float:
    """Compute the Rand index of a table."""
    if table.is_identical:
        return 1.0
    tn, fp, fn, tp = table.pair_counts()
    return (tp + tn) / (tn + fp + fn + tp)


def adjusted_rand_score(labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> float:
    """Rand index adjusted for chance.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [-0.5, 1]; higher is better. 1.0 for the same partition, about 0.0 for unrelated labelings.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory; exact integer counts, one division.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    L. Hubert and P. Arabie, Comparing partitions, Journal of Classification 2 (1985).

    Examples
    --------
    >>> from gpumetrics import adjusted_rand_score
    >>> adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    table = Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label)
    return adjusted_rand_from(*table.pair_counts())


def adjusted_rand_from(tn: int, fp: int, fn: int, tp: int) -> float:
    """Compute the adjusted Rand index from counts of pairs of rows: apart in both, together in one only, in both."""
    if not fp and not fn:  # the same partition
        return 1.0
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> float:
    """Fowlkes-Mallows index: the geometric mean of pair precision and pair recall.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Labels of any kind; only the partition matters.
    noise_label : label, default=None
        Rows with this predicted label are left out.

    Returns
    -------
    float
        In [0, 1]; higher is better. 1.0 for the same partition, also where every row is a cluster of its
        own (scikit-learn: 0.0); 0.0 where no pair is together in both.

    Raises
    ------
    ValueError
        If labels are missing or not one per row, or lengths differ.
    TypeError
        If labels are bytes, or a sparse matrix.

    Notes
    -----
    O(n_samples) time and memory; exact integer counts.
    Labels on a GPU are counted there; the call waits, and the table's cells come to the host.

    References
    ----------
    E. B. Fowlkes and C. L. Mallows, A method for comparing two hierarchical clusterings, JASA 78 (1983).

    Examples
    --------
    >>> from gpumetrics import fowlkes_mallows_score
    >>> fowlkes_mallows_score([2, 2, 1, 1, 0], [2, 2, 0, 1, 0])
    0.5
    """
    return fowlkes_mallows_from(Contingency.from_clusterings(labels_true, labels_pred, noise_label=noise_label))


def fowlkes_mallows_from(table: Contingency) -> float:
    """Compute the Fowlkes-Mallows index of a table."""
    if table.is_identical:
        return 1.0
    _, fp, fn, tp = table.pair_counts()
    return min(1.0, tp / math.sqrt((tp + fp) * (tp + fn))) if tp else 0.0
