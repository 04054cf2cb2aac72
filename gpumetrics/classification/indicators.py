"""Indicator matrices of label sets, a row per sample and a column per label, dense or CSR: what is not 0 is in the set.

Dense ones are read in blocks of rows. A sparse one is made dense only beside a dense one, which has as many cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.backends.numpy_booleans import EXACT_IN_FLOAT32, sums_of_columns, sums_of_rows
from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.classification import row_bits
from gpumetrics.classification.vectors import as_integers
from gpumetrics.features import BLOCK, DEVICE_BLOCK
from gpumetrics.label_arrays import label_array
from gpumetrics.statistics.label_counts import LabelCounts

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["Indicators", "SparseRows", "has_two_values", "sparse_rows"]


class SparseRows(NamedTuple):
    """The labels of each row, as CSR has them: ascending, none twice, none that is 0."""

    indptr: Array
    indices: Array
    shape: tuple[int, int]
    value: Any
    """What stands for membership in the user's matrix; None where nothing is a member."""

    @property
    def sizes(self) -> Array:
        """Number of labels of each row."""
        return self.indptr[1:] - self.indptr[:-1]


@dataclass(frozen=True)
class Indicators:
    """Label sets of the same samples, true and predicted: both dense, or both sparse.

    Attributes
    ----------
    true, pred : ndarray of shape (n_samples, n_labels), or SparseRows
        In the library of `ops`.
    ops : module
        The operations of the backend.
    """

    true: Any
    pred: Any
    ops: ModuleType

    @classmethod
    def of(cls, true: Array | SparseRows, pred: Array | SparseRows, ops: ModuleType) -> Indicators:
        """Bring both sides to the backend, and to one form: dense if one is."""
        placed = [_placed(side, ops) for side in (true, pred)]
        if sum(isinstance(side, SparseRows) for side in placed) == 1:
            placed = [_as_dense(side) if isinstance(side, SparseRows) else side for side in placed]
        return cls(placed[0], placed[1], ops)

    @property
    def n_samples(self) -> int:
        return int(self.true.shape[0])

    @property
    def n_labels(self) -> int:
        return int(self.true.shape[1])

    @property
    def is_sparse(self) -> bool:
        return isinstance(self.true, SparseRows)

    @property
    def classes(self) -> Array:
        """The labels: numbers of columns."""
        return np.arange(self.n_labels)

    shown_classes = classes

    @property
    def times(self) -> Array | None:
        """How many samples each of `sample_counts` stands for; None: one."""
        return None

    def label_counts(self, weights: Array | None) -> LabelCounts:
        """Counts of each label over the samples, weighted or not, on the host."""
        sums = self._sparse_label_sums(weights) if self.is_sparse else self._dense_label_sums(weights)
        return LabelCounts(sums[0], sums[1], sums[2], self.n_samples if weights is None else float(weights.sum()))

    def sample_counts(self, columns: Array | None = None) -> LabelCounts:
        """Counts of each sample over its labels, or over these columns only, in the library of `ops`."""
        sums = self._sparse_sample_sums(columns) if self.is_sparse else self._dense_sample_sums(columns)
        return LabelCounts(sums[0], sums[1], sums[2], self.n_labels if columns is None else len(columns))

    def differences(self) -> Array:
        """How many labels differ in each sample, int64 in the library of `ops`; other non-zero values differ too."""
        if not self.is_sparse:
            return self._by_rows(lambda true, pred: (_sums(true != pred, axis=1),))[0]
        counts = self.sample_counts()
        same_value = self.true.value is None or self.pred.value is None or self.true.value == self.pred.value
        different: Array = counts.true + counts.predicted - (2 if same_value else 1) * counts.true_positives
        return different

    def n_different(self) -> int:
        """How many cells differ, over all samples."""
        if self.is_sparse:
            return int(self.differences().sum())
        xp = array_module(self.true)
        return sum(map(int, self._map(lambda rows: xp.count_nonzero(self.true[rows] != self.pred[rows]))))

    def places(self, labels: Any) -> Array:
        """Return labels as numbers of columns, or raise scikit-learn's error."""
        wanted = as_host(label_array(labels, "labels"))
        whole = as_integers(wanted) if wanted.dtype.kind in "biuf" and wanted.ndim == 1 else None
        if whole is None:
            msg = f"All labels must be in [0, n labels) for multilabel targets. Got {wanted.tolist()}"
            raise ValueError(msg)
        columns = whole.astype(np.int64)
        highest, lowest = columns.max(initial=0), columns.min(initial=0)
        if highest >= self.n_labels or lowest < 0:
            wrong = f"{highest} > {self.n_labels - 1}" if highest >= self.n_labels else f"{lowest} < 0"
            msg = f"All labels must be in [0, n labels) for multilabel targets. Got {wrong}"
            raise ValueError(msg)
        return columns

    # Dense

    def _by_rows(self, work: Callable[[Array, Array], tuple[Array, ...]]) -> list[Array]:
        """Apply a function to blocks of rows of both sides, and join what it returns."""
        xp = array_module(self.true)
        parts = self._map(lambda rows: work(self.true[rows], self.pred[rows]))
        return [xp.concatenate(column) for column in zip(*parts, strict=True)]

    def _map(self, work: Callable[[slice], Any]) -> list[Any]:
        on_host = array_module(self.true) is np
        rows = max(1, min((BLOCK if on_host else DEVICE_BLOCK) // self.n_labels, EXACT_IN_FLOAT32))
        return _mapped(work, spans(self.n_samples, rows), threads=on_host)

    def _dense_label_sums(self, weights: Array | None) -> list[Array]:
        def work(rows: slice) -> Array:
            true, pred = self.true[rows] != 0, self.pred[rows] != 0
            own = None if weights is None else weights[rows].astype(np.float64)
            xp = array_module(true)
            sums: Array = xp.stack([_sums(members, axis=0, weights=own) for members in (true & pred, pred, true)])
            return sums

        return list(as_host(sum(self._map(work))))

    def _dense_sample_sums(self, columns: Array | None) -> list[Array]:
        if columns is not None:
            columns = self.ops.asarray(columns)

        def work(true: Array, pred: Array) -> tuple[Array, ...]:
            if columns is not None:
                true, pred = true.take(columns, axis=1), pred.take(columns, axis=1)
            true, pred = true != 0, pred != 0
            return tuple(_sums(members, axis=1) for members in (true & pred, pred, true))

        return self._by_rows(work)

    # Sparse

    def _shared(self) -> SparseRows:
        indptr, indices = self.ops.shared_entries(self.true[:2], self.pred[:2], self.n_labels)
        return SparseRows(indptr, indices, self.true.shape, None)

    @property
    def _fits_words(self) -> bool:
        return self.n_labels <= row_bits.MOST_LABELS and array_module(self.true.indices) is np

    def _sparse_label_sums(self, weights: Array | None) -> list[Array]:
        if weights is None and self._fits_words:
            return row_bits.label_sums(self.true, self.pred)
        sums = []
        for side in (self._shared(), self.pred, self.true):
            own = None if weights is None else weights.take(_rows_of(side)).astype(np.float64)
            sums.append(self.ops.label_sums(side.indices, self.n_labels, own))
        return sums

    def _sparse_sample_sums(self, columns: Array | None) -> list[Array]:
        if columns is None:
            shared = row_bits.shared_sizes(self.true, self.pred) if self._fits_words else self._shared().sizes
            return [sizes.astype(np.int64, copy=False) for sizes in (shared, self.pred.sizes, self.true.sizes)]
        sides = (self._shared(), self.pred, self.true)
        times = self.ops.asarray(np.bincount(columns, minlength=self.n_labels))  # a label may be asked for twice
        sums = []
        for side in sides:
            xp = array_module(side.indices)
            running = xp.zeros(len(side.indices) + 1, dtype=np.int64)
            running[1:] = times.take(side.indices).cumsum()
            ends = running.take(side.indptr)
            sums.append(ends[1:] - ends[:-1])
        return sums


def _sums(members: Array, axis: int, weights: Array | None = None) -> Array:
    """Sum booleans along one axis of a block, each row times its weight."""
    xp = array_module(members)
    if weights is not None:
        return (members * weights[:, np.newaxis]).sum(axis=0)  # type: ignore[no-any-return]
    if xp is not np or members.shape[axis] > EXACT_IN_FLOAT32:
        return members.sum(axis=axis)  # type: ignore[no-any-return]
    return sums_of_rows(members) if axis else sums_of_columns(members)


def _mapped(work: Callable[[slice], Any], blocks: list[slice], *, threads: bool) -> list[Any]:
    if threads:
        return thread_map(work, blocks, threads=None if len(blocks) > 4 else 1)
    return [work(block) for block in blocks]


def _rows_of(side: SparseRows) -> Array:
    """The row of each entry."""
    xp = array_module(side.indptr)
    if xp is np:
        return np.repeat(np.arange(side.shape[0]), side.sizes)
    entries = xp.arange(len(side.indices), dtype=side.indptr.dtype)
    return xp.searchsorted(side.indptr[1:], entries, side="right")  # type: ignore[no-any-return]


def has_two_values(matrix: Array) -> bool:
    """Whether a matrix of numbers or booleans holds whole numbers, and at most two different ones."""
    if matrix.dtype.kind == "b":
        return True
    on_host = array_module(matrix) is np
    blocks = spans(len(matrix), max(1, (BLOCK if on_host else DEVICE_BLOCK) // matrix.shape[1]))
    if on_host and matrix.dtype.kind in "iu":  # nearly always 0 and 1: one look instead of two
        bits = _mapped(lambda rows: np.bitwise_or.reduce(matrix[rows], axis=None), blocks, threads=True)
        if np.bitwise_or.reduce(bits) in (0, 1):
            return True
    ends = _mapped(lambda rows: (matrix[rows].min(), matrix[rows].max()), blocks, threads=on_host)
    low = min(float(end[0]) if matrix.dtype.kind == "f" else int(end[0]) for end in ends)
    high = max(float(end[1]) if matrix.dtype.kind == "f" else int(end[1]) for end in ends)
    if low != int(low) or high != int(high):
        return False
    if matrix.dtype.kind != "f" and high - low <= 1:
        return True

    def only_ends(rows: slice) -> bool:
        block = matrix[rows]
        return bool(((block == low) | (block == high)).all())

    return all(map(only_ends, blocks))


def sparse_rows(matrix: Any) -> tuple[SparseRows, Array]:
    """Read a sparse matrix where it lies: its rows, and the different values of its entries that are not 0, or more."""
    csr = matrix.tocsr()
    if not _is_canonical(csr):
        csr = csr.copy()  # the user's own stays as it is
        csr.has_canonical_format = csr.has_sorted_indices = False
        csr.sum_duplicates()
    indptr, indices, values = csr.indptr, csr.indices, csr.data
    first = values[:1]
    if bool((values == first).all()) and bool((first != 0).all()):  # nearly always
        values = first
    else:
        xp, kept = array_module(values), values != 0
        running = xp.concatenate([xp.zeros(1, dtype=np.int64), kept.cumsum()])
        indptr, indices, values = running[indptr], indices[kept], values[kept]
    value = as_host(values[:1]).item() if len(values) else None
    return SparseRows(indptr, indices, matrix.shape, value), values


def _is_canonical(csr: Any) -> bool:
    """Whether the labels of each row ascend, none twice; three times as fast as SciPy's own look."""
    indptr, indices = csr.indptr, csr.indices
    if array_module(indices) is not np:
        return bool(csr.has_canonical_format)
    ascends = indices[1:] > indices[:-1]
    starts = indptr[1:-1]
    ascends[starts[(starts > 0) & (starts < len(indices))] - 1] = True  # from one row to the next
    return bool(ascends.all())


def _placed(side: Array | SparseRows, ops: ModuleType) -> Any:
    if isinstance(side, SparseRows):
        return side._replace(indptr=ops.asarray(side.indptr), indices=ops.asarray(side.indices))
    return ops.asarray(side)


def _as_dense(side: SparseRows) -> Array:
    """The matrix itself, of the smallest type that holds its value."""
    value = int(side.value or 0)
    kind = np.min_scalar_type(value)
    made: Array = array_module(side.indices).zeros(side.shape, dtype=np.float64 if kind.kind == "O" else kind)
    made[_rows_of(side), side.indices] = value
    return made
