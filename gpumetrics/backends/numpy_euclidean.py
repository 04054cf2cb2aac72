"""Tiles of Euclidean distances on the CPU: matrix products, held to the accuracy of direct differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.numpy_tiles import Buffers, replace_at, set_diagonal
from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.features import BLOCK

if TYPE_CHECKING:
    from gpumetrics.backends.tiling import Run
    from gpumetrics.features import Features
    from gpumetrics.types import Array

FEW_MEMBERS = 8  # rows of a cluster below which single distances count, rather than their mean
FEW_ROWS = 256  # rows up to which float64 at once is faster than float32 and a second look
SINGLE_DISTANCES = 4096  # the same where single distances count
FEW = 1 / 32  # share of a tile's entries up to which they are recomputed one by one


@dataclass(frozen=True)
class _GramPanel:
    start: int
    left: Array  # [-2 x, |x|^2, 1]
    right: Array  # [y, 1, |y|^2], so that left @ right.T is the squared distance
    norms: Array


class EuclideanTiles:
    """Euclidean distances by one matrix product per tile, in the precision of the input (float64 for few rows).

    Rows are centred and scaled first. A tile that has entries too small for the product's rounding gets them from
    direct differences; one with many of them is done again in float64 about a centre of its own. Distances are in
    the units in which squares are numbers of float32: what follows is the same in any unit, and cannot overflow so.
    """

    symmetric = True

    def __init__(self, features: Features, order: Array, cluster_sizes: Array) -> None:
        self.features, self.order = features, order
        self.cluster_sizes = cluster_sizes  # of each row's cluster
        few = FEW_ROWS if cluster_sizes.min() >= FEW_MEMBERS else SINGLE_DISTANCES
        self.single = features.single and features.n_samples > few
        self.dtype = np.float32 if self.single else np.float64
        self.centre = _centre(features)
        reach = float(np.max(features.high - features.low))  # of the whole table: blocks of it have the same unit
        # float32 holds squares of numbers near 1 only; float64 has been scaled at the door. By the input, not by the
        # precision that is worked in: blocks of a table may differ in that.
        self.scale = float(np.ldexp(1.0, -int(np.frexp(reach)[1]))) if features.single and reach > 0 else 1.0
        self.double_limit = 1e-8 if features.single else 1e-4
        self.share = exact_share(features.n_features)
        self.row_bytes = 2 * (features.n_features + 2) * np.dtype(self.dtype).itemsize
        self.buffers = Buffers()

    def prepare(self, rows: slice) -> _GramPanel:
        m, d = rows.stop - rows.start, self.features.n_features
        left, right = np.empty((m, d + 2), self.dtype), np.empty((m, d + 2), self.dtype)
        norms = np.empty(m)

        def fill(part: slice) -> None:
            block = self.features.rows(self.order[rows.start + part.start : rows.start + part.stop]) - self.centre
            right[part, :d] = block * self.scale if self.scale != 1.0 else block
            centred = right[part, :d].astype(np.float64, copy=False)
            norms[part] = np.vecdot(centred, centred)
            np.multiply(right[part, :d], -2, out=left[part, :d])

        thread_map(fill, spans(m, max(64, 2**16 // d)))
        left[:, d] = right[:, d + 1] = norms
        left[:, d + 1] = right[:, d] = 1
        return _GramPanel(rows.start, left, right, norms)

    def tile(self, a: _GramPanel, i: slice, b: _GramPanel, j: slice) -> Array:
        at, to = slice(i.start - a.start, i.stop - a.start), slice(j.start - b.start, j.stop - b.start)
        squares = self.buffers.get(i.stop - i.start, j.stop - j.start, self.dtype)
        np.matmul(a.left[at], b.right[to].T, out=squares)
        if i == j:
            set_diagonal(squares, np.inf)
        limit = self._limit(i, j) * float(a.norms[at].max() + b.norms[to].max())
        if squares.min() < limit:
            squares = self._mend(squares, limit, i, j)
        return self._finish(squares, same=i == j)

    def _finish(self, squares: Array, *, same: bool) -> Array:
        np.sqrt(squares, out=squares)
        if same:
            set_diagonal(squares, 0)
        return squares

    def _limit(self, i: slice, j: slice) -> float:
        """Share of the norms below which a single square is too inexact: the more so, the fewer it is averaged with."""
        if not self.single:
            return self.double_limit
        return self.share if min(self._smallest(i), self._smallest(j)) < FEW_MEMBERS else 0.02

    def _smallest(self, rows: slice) -> int:
        return int(self.cluster_sizes[rows].min())

    def doubtful(self, a: _GramPanel, i: slice, b: _GramPanel, j: Run, means: Array) -> bool:
        """Whether a mean distance between rows `i` and a cluster of run `j` is small against the norms.

        Equal rows have equal errors, which no averaging removes.
        """
        if not self.single or self._smallest(j.rows) < FEW_MEMBERS:
            return False
        norms = b.norms[j.start - b.start : j.stop - b.start]
        own_norms = a.norms[i.start - a.start : i.stop - a.start]
        share = 0.75 * self.share
        rows = np.flatnonzero(means.min(axis=1) ** 2 < share * (own_norms + norms.max()))
        if not len(rows):
            return False
        cluster_norms = np.add.reduceat(norms, j.bounds[:-1]) / np.diff(j.bounds)
        return bool((means[rows] ** 2 < share * (own_norms[rows, None] + cluster_norms)).any())

    def again(self, i: slice, j: slice) -> Array:
        """The tile in float64."""
        x = self._rows(np.arange(i.start, i.stop))
        y = x if i == j else self._rows(np.arange(j.start, j.stop))
        return self._finish(self._in_double(x, y, same=i == j), same=i == j)

    def _rows(self, index: Array) -> Array:
        block = self.features.rows(self.order[index])
        return block if self.scale == 1.0 else block * self.scale

    def _mend(self, squares: Array, limit: float, i: slice, j: slice) -> Array:
        small = np.flatnonzero(squares < limit)
        if len(small) <= FEW * squares.size:
            direct = lambda p, q: _row_squares(self._rows(i.start + p) - self._rows(j.start + q))  # noqa: E731
            replace_at(squares, small, direct, self.features.n_features)
            return squares
        x = self._rows(np.arange(i.start, i.stop))
        y = x if i == j else self._rows(np.arange(j.start, j.stop))
        return self._in_double(x, y, same=i == j)

    def _in_double(self, x: Array, y: Array, *, same: bool) -> Array:
        """Compute the tile again in float64 about its own centre; entries that are still too small, directly."""
        centre = x.mean(axis=0)
        p, q = x - centre, y - centre
        norms_p, norms_q = _row_squares(p), _row_squares(q)
        squares = self.buffers.get(len(x), len(y), np.float64)
        np.matmul(p * -2, q.T, out=squares)
        squares += norms_p[:, None]
        squares += norms_q
        if same:
            set_diagonal(squares, np.inf)
        small = np.flatnonzero(squares < self.double_limit * float(norms_p.max() + norms_q.max()))
        if len(small) > FEW * squares.size:
            from scipy.spatial.distance import cdist

            cdist(x, y, "sqeuclidean", out=squares)
        else:
            replace_at(squares, small, lambda r, s: _row_squares(x[r] - y[s]), x.shape[1])
        return squares


def exact_share(n_features: int, *, longest_sum: int = 400) -> float:
    """Share of |x|^2 + |y|^2 from which a square from a float32 product is exact enough for a silhouette within 1e-6.

    Measured: the square is off by (4e-8 + 1.2e-8 sqrt(d) c) of the norms (rms; d up to `longest_sum`, where OpenBLAS
    starts a new sum), with c = 2 x.y / (|x|^2 + |y|^2), that is 1 less the share itself. Half of that over the share
    is the distance's relative error, of which 1.4e-7 (rms) is allowed: five times as much is within 1e-6.
    """
    base, growth, allowed = 4e-8, 1.2e-8 * float(np.sqrt(min(n_features, longest_sum))), 2.8e-7
    return (base + growth) / (growth + allowed)


def _centre(features: Features) -> Array:
    """The mean of (a sample of) the rows: any point amid the data will do."""
    n = features.n_samples
    wanted = min(256, max(16, 4 * BLOCK // features.n_features))
    sample = features.rows(np.arange(0, n, max(1, n // wanted)))
    low = sample.min(axis=0)
    mean: Array = low + (sample - low).mean(axis=0)
    return mean


def squared_radius(features: Features) -> Array:
    """Squared distance of each row to the data's centre.

    Rows of a cluster are sorted by it, so that a few far rows spoil a few tiles only.
    """
    centre = _centre(features)
    out = np.empty(features.n_samples)

    def one(block: slice) -> None:
        deviation = features.rows(block) - centre
        np.vecdot(deviation, deviation, out=out[block])

    thread_map(one, spans(len(out), max(1, BLOCK // features.n_features)))
    return out


def _row_squares(block: Array) -> Array:
    out: Array = np.vecdot(block, block)
    return out
