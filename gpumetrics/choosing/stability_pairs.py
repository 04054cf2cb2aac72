"""Pairs of runs: how far they agree, cluster by cluster and row by row, from the cells that all runs make together.

Rows that share their cluster in every run form a cell (`Meet`), and what is asked of a pair of runs is the same for all
rows of a cell: a pair costs as much as there are cells, which a stable clustering has few of. A row that is noise in a
run shares its cluster with no row there: it counts as a cluster of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.clustering.agreement import adjusted_rand_from
from gpumetrics.clustering.labelings import Labeling
from gpumetrics.statistics.integers import LARGEST_SQUARED
from gpumetrics.statistics.meet import Meet
from gpumetrics.validation import check_consistent_length, encode_labels

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["ABSENT", "CodedRun", "PairOfRuns", "cells_of", "coded_run"]

NOISE, ABSENT = -1, -2  # codes of rows that are noise in a run, and of those that it does not have
FEW = 1024  # entries of a table that are few in any case


@dataclass(frozen=True)
class CodedRun:
    """The labels of one run.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), int64
        Cluster of each row of X, or NOISE, or ABSENT; where the backend of all runs is.
    classes : ndarray of shape (n_clusters,)
    n_rows, n_noise : int
        Rows that have a label, and those of them that are noise.
    """

    codes: Array
    classes: Array
    n_rows: int
    n_noise: int

    @property
    def n_clusters(self) -> int:
        return len(self.classes)


def coded_run(
    labels: Any, rows: Array | None, n_samples: int, noise_label: Any, ops: ModuleType, name: str
) -> CodedRun:
    """Code the labels of a run, which are those of some `rows`, or of all."""
    encoded = encode_labels(labels, name)
    check_consistent_length(n_samples if rows is None else len(rows), encoded.n_samples)
    labeling = Labeling.of(encoded, noise_label)
    codes = ops.asarray(labeling.codes)
    if rows is not None:
        every = array_module(codes).full(n_samples, ABSENT)
        every[ops.asarray(rows)] = codes
        codes = every
    n_clustered = labeling.labels.n_samples
    return CodedRun(codes, labeling.labels.classes, encoded.n_samples, encoded.n_samples - n_clustered)


def cells_of(runs: list[CodedRun]) -> tuple[Meet, list[Array]]:
    """Return the cells that the runs make together, and the code of each cell in each run, on the host."""
    meet = Meet.trivial(runs[0].codes)
    for run in runs:
        meet = meet.with_labeling(run.codes + 1)  # it takes codes from -1
    return meet, [meet.members(run.codes) for run in runs]


class PairOfRuns:
    """Two runs on the rows that both have, from their codes of all cells and the cells' sizes.

    Attributes
    ----------
    cells : ndarray of int64
        The cells that both have.
    n_rows : int
    sizes_a, sizes_b : ndarray of int64
        Rows of each cluster that the other run has too.
    """

    def __init__(self, a: Array, b: Array, n_a: int, n_b: int, sizes: Array) -> None:
        self.cells = np.flatnonzero((a > ABSENT) & (b > ABSENT))
        self.a, self.b, self.sizes = a[self.cells], b[self.cells], sizes[self.cells]
        self.n_rows = int(self.sizes.sum())
        self.sizes_a, self.sizes_b = _sums(self.a, self.sizes, n_a), _sums(self.b, self.sizes, n_b)
        self._together = (self.a >= 0) & (self.b >= 0)
        keys = self.a[self._together] * n_b + self.b[self._together]
        weights = self.sizes[self._together]
        if n_a * n_b <= 4 * len(keys) + FEW:
            table = _sums(keys, weights, n_a * n_b)
            present = np.flatnonzero(table)
            self._counts, self._shared = table[present], table[keys]
        else:
            present, inverse = np.unique(keys, return_inverse=True)
            self._counts = _sums(inverse, weights, len(present))
            self._shared = self._counts[inverse]
        self._rows, self._cols = np.divmod(present, max(n_b, 1))

    def adjusted_rand(self) -> float:
        """Adjusted Rand index, -0.5 to 1; nan where the runs share fewer than two rows."""
        if self.n_rows < 2:
            return float("nan")
        # Noise adds squares of 1: each of its rows is a cluster of its own.
        both = _squares(self._counts) + int(self.sizes[~self._together].sum())
        in_a = _squares(self.sizes_a) + int(self.sizes[self.a < 0].sum())
        in_b = _squares(self.sizes_b) + int(self.sizes[self.b < 0].sum())
        tp, fn, fp = both - self.n_rows, in_a - both, in_b - both
        return adjusted_rand_from(self.n_rows**2 - in_a - fp, fp, fn, tp)

    def best_jaccard(self) -> Array:
        """Jaccard index of each cluster of the first run with the most similar one of the second, on shared rows.

        nan for a cluster of which the second run has no row.
        """
        union = self.sizes_a[self._rows] + self.sizes_b[self._cols] - self._counts
        best = np.zeros(len(self.sizes_a))
        np.maximum.at(best, self._rows, self._counts / union)
        return np.where(self.sizes_a == 0, np.nan, best)

    def membership_changes(self) -> Array:
        """Jaccard distance, 0 to 1, between the rows that share a cluster with each of `cells` in the two runs."""
        mine_a, mine_b = _own(self.sizes_a, self.a), _own(self.sizes_b, self.b)
        shared = np.ones(len(self.cells), dtype=np.int64)
        shared[self._together] = self._shared
        union = mine_a + mine_b - shared - 1  # without the row itself
        return (mine_a + mine_b - 2 * shared) / np.maximum(union, 1)


def _own(sizes: Array, codes: Array) -> Array:
    """Rows of each cell's cluster; 1 for noise."""
    out = np.ones(len(codes), dtype=np.int64)
    out[codes >= 0] = sizes[codes[codes >= 0]]
    return out


def _sums(codes: Array, weights: Array, n: int) -> Array:
    """Sum whole weights by code, exactly; negative codes are left out."""
    kept = codes >= 0
    if not kept.all():
        codes, weights = codes[kept], weights[kept]
    return np.bincount(codes, weights=weights, minlength=n).astype(np.int64)


def _squares(counts: Array) -> int:
    """Sum of squares as a Python integer, exact at any size."""
    if int(counts.sum()) <= LARGEST_SQUARED:
        return int(counts @ counts)
    return sum(count * count for count in counts.tolist())
