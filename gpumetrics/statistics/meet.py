"""The meet of several labelings: cells of rows that share their cluster in each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.validation import drop_empty

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["Meet"]


@dataclass(frozen=True)
class Meet:
    """Rows by cell: the distinct tuples of (cluster in labeling 1, ..., cluster in labeling L).

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), int64
        Cell of each row, where the labelings' codes lie.
    sizes : ndarray of shape (n_cells,), int64
        Rows of each cell; on the host.
    noise : int
        Rows that are noise in every labeling: those of cell 0, if there are any.
    """

    codes: Array
    sizes: Array
    noise: int

    @classmethod
    def trivial(cls, like: Array) -> Meet:
        """Return the meet of no labelings: all rows in one cell."""
        return cls(array_module(like).zeros(len(like), dtype=np.int64), np.array([len(like)]), len(like))

    @classmethod
    def of(cls, codes: Array, sizes: Array) -> Meet:
        """Return the meet of one labeling, whose noise has the code -1; `sizes` are the rows of its clusters."""
        noise = len(codes) - int(sizes.sum())
        return cls(codes + 1, np.concatenate([[noise], sizes]), noise) if noise else cls(codes, sizes, 0)

    @property
    def n_cells(self) -> int:
        return len(self.sizes)

    def with_labeling(self, codes: Array) -> Meet:
        """Return the meet with one more labeling, whose noise has the code -1."""
        if self.n_cells == len(codes) and not self.noise:
            return self  # a cell for each row already
        ops = operations_on(codes)
        pairs, classes = ops.encode(self.codes + self.n_cells * (codes + 1))
        sizes = ops.label_sums(pairs, len(classes))
        noise = int(sizes[0]) if self.noise and int(classes[0]) == 0 else 0
        pairs, _, sizes = drop_empty(pairs, classes, sizes)
        return Meet(pairs, sizes, noise)

    def without_noise(self) -> tuple[Meet, Array | None]:
        """Return the meet without the rows that are noise in every labeling, and which rows are left; None for all."""
        if not self.noise:
            return self, None
        kept = array_module(self.codes).flatnonzero(self.codes)
        return Meet(self.codes[kept] - 1, self.sizes[1:], 0), kept

    def members(self, codes: Array) -> Array:
        """Return the cluster to which each cell belongs in a labeling of which it is made, (n_cells,) on the host."""
        out = array_module(codes).empty(self.n_cells, dtype=np.int64)
        out[self.codes] = codes  # all rows of a cell say the same
        return as_host(out)

    def renumbered(self, order: Array) -> Meet:
        """Return the same cells in another order, in which those of rows that are noise everywhere stay the first."""
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return Meet(beside(rank, self.codes).take(self.codes), self.sizes[order], self.noise)
