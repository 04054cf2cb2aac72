"""The two-way table of two labelings: its cells that are not empty, and its margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of, operations_on
from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.interop import device_array, is_device_array
from gpumetrics.backends.lazy_arrays import is_dask, refuse_dask
from gpumetrics.label_arrays import union_of_classes
from gpumetrics.statistics.integers import LARGEST_SQUARED
from gpumetrics.types import Array  # noqa: TC001
from gpumetrics.validation import (
    Labels,
    code_pair,
    count_labels,
    drop_empty,
    drop_rows,
    label_pair,
    noise_mask,
    warn_of_fractions,
)

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Contingency"]


@dataclass(frozen=True)
class Contingency:
    """Counts of rows by (true class, predicted cluster).

    Only the cells that are not empty are held, so memory follows the number of rows and never k x k.

    Parameters
    ----------
    n_samples : int
    rows, cols, counts : ndarray of int64, shape (cells,)
        Cells in row-major order; all counts are positive.
    row_margins : ndarray of int64, shape (n_classes,)
    col_margins : ndarray of int64, shape (n_clusters,)
        Sums of the table; all positive.
    row_classes, col_classes : ndarray or None
        The label that each row and column stands for, sorted; None where it is not known.
    """

    n_samples: int
    rows: Array
    cols: Array
    counts: Array
    row_margins: Array
    col_margins: Array
    row_classes: Array | None = None
    col_classes: Array | None = None

    @classmethod
    def from_clusterings(cls, labels_true: Any, labels_pred: Any, *, noise_label: Any = None) -> Contingency:
        """Count the pairs of labels; rows whose predicted label is `noise_label` are left out.

        A table that is counted already is taken as it is, on both sides: so do all scores of this family.

        Raises
        ------
        ValueError
            If the labels are not two valid labelings of the same rows, or every row is noise.
        """
        if isinstance(labels_true, Contingency) and labels_pred is labels_true and noise_label is None:
            return labels_true
        if is_dask(labels_true, labels_pred):
            from gpumetrics.dask.statistics import contingency

            return contingency(labels_true, labels_pred, noise_label)
        with on_device_of(labels_true=labels_true, labels_pred=labels_pred):
            ops = choose(labels_true, labels_pred).ops
            arrays = label_pair(labels_true, labels_pred)
            table = cls.from_arrays(*arrays, noise_label=noise_label, ops=ops)
        if table.is_empty and len(arrays[0]):
            msg = (
                f"All {len(arrays[0])} rows of labels_pred have the noise label {noise_label!r}: "
                "no row is left to compare."
            )
            raise ValueError(msg)
        warn_of_fractions(*table.known_classes())
        return table

    @classmethod
    def from_arrays(cls, true: Array, pred: Array, *, noise_label: Any, ops: ModuleType) -> Contingency:
        """Count the pairs of labels that `label_pair` returned; there may be no row that is not noise."""
        if noise_label is None:
            counted = ops.joint_counts_of_labels(true, pred)
            if counted is not None:
                *cells, sizes = counted
                classes = [np.arange(k).astype(x.dtype) for k, x in zip(sizes, (true, pred), strict=True)]
                return cls._from_joint_counts(len(true), *cells, *classes)
            return cls._from_codes(*code_pair(true, pred, ops), ops)
        true_labels, pred_labels = (count_labels(*side) for side in code_pair(true, pred, ops))
        noise = noise_mask(pred_labels, noise_label)
        if noise is not None:
            true_labels, pred_labels = drop_rows(true_labels, noise), drop_rows(pred_labels, noise)
        return cls._from_labels(true_labels, pred_labels, ops)

    @classmethod
    def from_labels(cls, true: Labels, pred: Labels) -> Contingency:
        """Count the pairs of labels that are coded already."""
        return cls._from_labels(true, pred, operations_on(pred.codes))

    @classmethod
    def _from_labels(cls, true: Labels, pred: Labels, ops: ModuleType) -> Contingency:
        return cls._from_codes((true.codes, true.classes), (pred.codes, pred.classes), ops)

    @classmethod
    def _from_codes(cls, true: tuple[Array, Array], pred: tuple[Array, Array], ops: ModuleType) -> Contingency:
        codes = ops.asarray(true[0]), ops.asarray(pred[0])
        rows, cols, counts = ops.joint_counts(*codes, len(true[1]), len(pred[1]))
        return cls._from_joint_counts(len(codes[0]), rows, cols, counts, true[1], pred[1])

    @classmethod
    def _from_joint_counts(
        cls, n_samples: int, rows: Array, cols: Array, counts: Array, row_classes: Array, col_classes: Array
    ) -> Contingency:
        """Drop the classes without rows from cells in row-major order."""
        rows, row_classes, row_margins = drop_empty(rows, row_classes, _margins(rows, counts, len(row_classes)))
        cols, col_classes, col_margins = drop_empty(cols, col_classes, _margins(cols, counts, len(col_classes)))
        return cls(n_samples, rows, cols, counts, row_margins, col_margins, row_classes, col_classes)

    @classmethod
    def from_table(cls, table: Any, name: str = "contingency") -> Contingency:
        """Read a table of counts, dense or sparse; empty rows and columns are dropped.

        Raises
        ------
        ValueError
            If it is not two-dimensional, an entry is negative or no whole number, or the sum is 2**63 or more.
        """
        refuse_dask(table, name)
        choose(table)  # raises where the backend that was asked for cannot run
        rows, cols, counts = _cells_of(table, name)
        keep = counts > 0
        row_ids, rows = np.unique(rows[keep], return_inverse=True)
        col_ids, cols = np.unique(cols[keep], return_inverse=True)
        return cls._from_cells(rows, cols, counts[keep], len(row_ids), len(col_ids))

    @classmethod
    def _from_cells(
        cls, rows: Array, cols: Array, counts: Array, n_classes: int, n_clusters: int, *classes: Array
    ) -> Contingency:
        """Add up cells that may occur more than once, in any order."""
        order = np.lexsort((cols, rows))
        rows, cols, counts = rows[order], cols[order], counts[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]) | (cols[1:] != cols[:-1])
        starts = np.flatnonzero(first)
        counts = np.add.reduceat(counts, starts) if len(starts) else counts
        rows, cols = rows[starts].astype(np.int64), cols[starts].astype(np.int64)
        margins = _margins(rows, counts, n_classes), _margins(cols, counts, n_clusters)
        return cls(int(counts.sum()), rows, cols, counts, *margins, *classes)

    def merge(self, other: Contingency) -> Contingency:
        """Return the table of both tables' rows together; the classes of both must be known."""
        (rows, cols), (other_rows, other_cols) = self.known_classes(), other.known_classes()
        row_classes, row_self, row_other = union_of_classes(rows, other_rows)
        col_classes, col_self, col_other = union_of_classes(cols, other_cols)
        return self._from_cells(
            np.concatenate([row_self[self.rows], row_other[other.rows]]),
            np.concatenate([col_self[self.cols], col_other[other.cols]]),
            np.concatenate([self.counts, other.counts]),
            len(row_classes),
            len(col_classes),
            row_classes,
            col_classes,
        )

    def known_classes(self) -> tuple[Array, Array]:
        """Return the labels of rows and columns, or raise where they are not known."""
        if self.row_classes is None or self.col_classes is None:
            msg = "The labels of this table are not known: it was made from counts alone."
            raise ValueError(msg)
        return self.row_classes, self.col_classes

    # Limit cases, decided on the integers, for every metric and backend.

    @property
    def n_classes(self) -> int:
        """Number of true classes."""
        return len(self.row_margins)

    @property
    def n_clusters(self) -> int:
        """Number of predicted clusters."""
        return len(self.col_margins)

    @property
    def is_empty(self) -> bool:
        """Whether there are no rows."""
        return self.n_samples == 0

    @property
    def is_homogeneous(self) -> bool:
        """Whether each cluster holds rows of one class only (also when there are no rows)."""
        return len(self.counts) == self.n_clusters

    @property
    def is_complete(self) -> bool:
        """Whether each class lies in one cluster (also when there are no rows)."""
        return len(self.counts) == self.n_classes

    @property
    def is_identical(self) -> bool:
        """Whether both labelings are the same partition, up to names (also when there are no rows)."""
        return self.is_homogeneous and self.is_complete

    @property
    def has_single_side(self) -> bool:
        """Whether one of the labelings has one cluster only."""
        return self.n_classes == 1 or self.n_clusters == 1

    @property
    def has_singletons_side(self) -> bool:
        """Whether one of the labelings gives every row a cluster of its own."""
        return self.n_samples in (self.n_classes, self.n_clusters)

    def excess(self) -> tuple[Array, Array]:
        """Return ``n c - a b`` and ``a b`` of each cell with count c and margins a, b: exact integers."""
        dtype = np.int64 if self.n_samples <= LARGEST_SQUARED else object
        counts, a, b = (
            x.astype(dtype) for x in (self.counts, self.row_margins[self.rows], self.col_margins[self.cols])
        )
        product = a * b
        return counts * self.n_samples - product, product

    def pair_counts(self) -> tuple[int, int, int, int]:
        """Count ordered pairs of rows: (apart in both, together in pred only, in true only, in both).

        Python integers: exact whatever the number of rows.
        """
        both = _sum_of_squares(self.counts, self.n_samples)
        true = _sum_of_squares(self.row_margins, self.n_samples)
        pred = _sum_of_squares(self.col_margins, self.n_samples)
        return self.n_samples**2 - true - pred + both, pred - both, true - both, both - self.n_samples


def _margins(index: Array, counts: Array, n: int) -> Array:
    """Sums of the cells along one side: exact, where bincount's weights are floats."""
    margins = np.zeros(n, dtype=np.int64)
    np.add.at(margins, index, counts)
    return margins


def _sum_of_squares(counts: Array, n_samples: int) -> int:
    if n_samples <= LARGEST_SQUARED:
        return int(np.dot(counts, counts))
    return sum(c * c for c in counts.tolist())


def _cells_of(table: Any, name: str) -> tuple[Array, Array, Array]:
    if isinstance(table, np.ma.MaskedArray) and np.ma.is_masked(table):
        msg = f"{name} has masked entries: fill them, with 0 where there are no rows."
        raise ValueError(msg)
    sparse = hasattr(table, "tocoo")
    if is_device_array(table):
        table = as_host(device_array(table, name, table=True)[0])  # a table is small against the rows it counts
    table = table.tocoo() if sparse else np.asarray(table)
    if table.ndim != 2:
        msg = f"Expected 2D array, got {table.ndim}D array instead for {name} (classes by clusters)."
        raise ValueError(msg)
    rows, cols = table.coords if sparse else np.nonzero(table)
    counts = table.data if sparse else table[rows, cols]
    if counts.dtype.kind not in "biuf" or not np.all((counts >= 0) & (counts == np.floor(counts))):
        msg = f"{name} must hold counts: whole numbers of at least 0, without NaN."
        raise ValueError(msg)
    if counts.max(initial=0) >= 2**63 or _exact_sum(counts.astype(np.int64)) >= 2**63:
        msg = f"{name} must hold counts whose sum is below 2**63; the largest is {counts.max()}."
        raise ValueError(msg)
    return rows, cols, counts.astype(np.int64)


def _exact_sum(counts: Array) -> int:
    """Sum non-negative integers without overflow, as their upper and lower halves."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())
