"""Tiles of distances on the CPU: Euclidean by matrix products with a guard, any other metric by SciPy.

Each kind of tile has two methods: `prepare` reads the rows of a panel once, `tile` gives the distances between
two runs of prepared panels. Rows are named by their place in the sorted order.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.backends.tiling import TILE
from gpumetrics.features import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.backends.tiling import Run
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

FEW_MEMBERS = 8  # rows of a cluster below which single distances count, rather than their mean
FEW = 1 / 32  # share of a tile's entries up to which they are recomputed one by one


class Tiles(Protocol):
    """Distances between runs of rows."""

    symmetric: bool
    row_bytes: int

    def prepare(self, rows: slice) -> Any:
        """Read the rows of a panel."""

    def tile(self, a: Any, i: slice, b: Any, j: slice) -> Array:
        """Distances between rows `i` of panel `a` and rows `j` of panel `b`; valid until the thread's next call."""

    def doubtful(self, a: Any, i: slice, b: Any, j: Run, means: Array) -> bool:
        """Whether these means over the clusters of run `j` (n_rows, n_clusters) call for `again`."""

    def again(self, i: slice, j: slice) -> Array:
        """The same tile, computed with more digits."""


def replace_small(squares: Array, limit: float, direct: Callable[[Array, Array], Array]) -> None:
    """Recompute the entries below `limit` as ``direct(i, j)``, in place.

    |x|^2 + |y|^2 - 2 x.y loses its digits where the distance is small against the norms: those entries come
    from the differences themselves.
    """
    if squares.min() < limit:
        replace_at(squares, np.flatnonzero(squares < limit), direct)


def replace_at(squares: Array, at: Array, direct: Callable[[Array, Array], Array]) -> None:
    """Recompute the entries at these flat positions as ``direct(i, j)``, in place."""
    flat = squares.reshape(-1)
    for part in spans(len(at), 4096):
        i, j = np.divmod(at[part], squares.shape[1])
        flat[at[part]] = direct(i, j)


class _Buffers(threading.local):
    """One tile-sized array for each thread and dtype, used again for every tile."""

    def __init__(self) -> None:
        self.arrays: dict[Any, Array] = {}

    def get(self, n_rows: int, n_columns: int, dtype: Any) -> Array:
        flat = self.arrays.get(dtype)
        if flat is None or len(flat) < n_rows * n_columns:
            flat = self.arrays[dtype] = np.empty(max(TILE * TILE, n_rows * n_columns), dtype)
        return flat[: n_rows * n_columns].reshape(n_rows, n_columns)


@dataclass(frozen=True)
class _GramPanel:
    start: int
    left: Array  # [-2 x, |x|^2, 1]
    right: Array  # [y, 1, |y|^2], so that left @ right.T is the squared distance
    norms: Array


class EuclideanTiles:
    """Euclidean distances by one matrix product per tile, in the precision of the input.

    Rows are centred and scaled first. A tile that has entries too small for the product's rounding gets them from
    direct differences; one with many of them is done again in float64 about a centre of its own.
    """

    symmetric = True

    def __init__(self, features: Features, order: Array, cluster_sizes: Array) -> None:
        self.features, self.order = features, order
        self.cluster_sizes = cluster_sizes  # of each row's cluster, falling within a run
        self.dtype = np.float32 if features.single else np.float64
        self.centre = _centre(features)
        reach = float(np.max(np.maximum(features.high - self.centre, self.centre - features.low)))
        # float32 holds squares of numbers near 1 only; float64 has been scaled at the door.
        self.scale = float(np.ldexp(1.0, -int(np.frexp(reach)[1]))) if features.single and reach > 0 else 1.0
        self.double_limit = 1e-8 if features.single else 1e-4
        self.share = _exact_share(features.n_features)
        self.row_bytes = 2 * (features.n_features + 2) * np.dtype(self.dtype).itemsize
        self.buffers = _Buffers()

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
            _set_diagonal(squares, np.inf)
        limit = self._limit(i, j) * float(a.norms[at].max() + b.norms[to].max())
        if squares.min() < limit:
            squares = self._mend(squares, limit, i, j)
        return self._finish(squares, same=i == j)

    def _finish(self, squares: Array, *, same: bool) -> Array:
        np.sqrt(squares, out=squares)
        if same:
            _set_diagonal(squares, 0)
        if self.scale != 1.0:
            squares *= 1 / self.scale
        return squares

    def _limit(self, i: slice, j: slice) -> float:
        """Share of the norms below which a single square is too inexact: the more so, the fewer it is averaged with."""
        if not self.features.single:
            return self.double_limit
        return self.share if min(self._smallest(i), self._smallest(j)) < FEW_MEMBERS else 0.02

    def _smallest(self, rows: slice) -> int:
        return int(self.cluster_sizes[rows.stop - 1])

    def doubtful(self, a: _GramPanel, i: slice, b: _GramPanel, j: Run, means: Array) -> bool:
        """Whether a mean distance between rows `i` and a cluster of run `j` is small against the norms.

        Equal rows have equal errors, which no averaging removes.
        """
        if not self.features.single or self._smallest(j.rows) < FEW_MEMBERS:
            return False
        norms = b.norms[j.start - b.start : j.stop - b.start]
        own_norms = a.norms[i.start - a.start : i.stop - a.start]
        share = 0.75 * self.share / self.scale**2
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
            replace_at(squares, small, lambda p, q: _row_squares(self._rows(i.start + p) - self._rows(j.start + q)))
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
            _set_diagonal(squares, np.inf)
        small = np.flatnonzero(squares < self.double_limit * float(norms_p.max() + norms_q.max()))
        if len(small) > FEW * squares.size:
            from scipy.spatial.distance import cdist

            cdist(x, y, "sqeuclidean", out=squares)
        else:
            replace_at(squares, small, lambda r, s: _row_squares(x[r] - y[s]))
        return squares


def _exact_share(n_features: int) -> float:
    """Share of |x|^2 + |y|^2 from which a square from a float32 product is exact enough for a silhouette within 1e-6.

    Measured: the square is off by (4e-8 + 1.2e-8 sqrt(d) c) of the norms (rms; d up to 400, where BLAS starts a new
    sum), with c = 2 x.y / (|x|^2 + |y|^2), that is 1 less the share itself. Half of that over the share is the
    distance's relative error, of which 1.4e-7 (rms) is allowed: five times as much is within 1e-6.
    """
    base, growth, allowed = 4e-8, 1.2e-8 * float(np.sqrt(min(n_features, 400))), 2.8e-7
    return (base + growth) / (growth + allowed)


def _centre(features: Features) -> Array:
    """The mean of (a sample of) the rows: any point amid the data will do."""
    n = features.n_samples
    wanted = min(2048, max(16, 4 * BLOCK // features.n_features))
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


def _set_diagonal(square: Array, value: float) -> None:
    np.fill_diagonal(square, value)


class _ExactTiles:
    """Tiles that are as exact as they can be at once."""

    def doubtful(self, *_: Any) -> bool:
        return False

    def again(self, i: slice, j: slice) -> Array:
        raise AssertionError((i, j))


class ScipyTiles(_ExactTiles):
    """Distances of any metric that `scipy.spatial.distance.cdist` knows, in float64."""

    symmetric = True

    def __init__(
        self, features: Features, order: Array, metric: str, options: dict[str, Any], *, boolean: bool
    ) -> None:
        self.features, self.order, self.metric, self.options = features, order, metric, options
        self.boolean = boolean
        self.row_bytes = 8 * features.n_features
        self.buffers = _Buffers()

    def prepare(self, rows: slice) -> tuple[int, Array]:
        block = self.features.rows(self.order[rows])
        return rows.start, block != 0 if self.boolean else block

    def tile(self, a: tuple[int, Array], i: slice, b: tuple[int, Array], j: slice) -> Array:
        from scipy.spatial.distance import cdist

        x = a[1][i.start - a[0] : i.stop - a[0]]
        y = b[1][j.start - b[0] : j.stop - b[0]]
        out = self.buffers.get(len(x), len(y), np.float64)
        cdist(x, y, self.metric, out=out, **self.options)  # type: ignore[call-overload]
        if i == j:
            _set_diagonal(out, 0)
        return out


class FunctionTiles(_ExactTiles):
    """Distances by a function of two blocks of rows, dense or sparse."""

    symmetric = True

    def __init__(self, features: Features, order: Array, function: Callable[[Any, Any], Array]) -> None:
        self.features, self.order, self.function = features, order, function
        self.row_bytes = 8 * features.n_features
        self.as_stored = features.sparse

    def prepare(self, rows: slice) -> tuple[int, Any]:
        index = self.order[rows]
        return rows.start, self.features.take(index) if self.as_stored else self.features.rows(index)

    def tile(self, a: tuple[int, Any], i: slice, b: tuple[int, Any], j: slice) -> Array:
        out = self.function(a[1][i.start - a[0] : i.stop - a[0]], b[1][j.start - b[0] : j.stop - b[0]])
        if i == j:
            _set_diagonal(out, 0)
        return out


class CallableTiles(FunctionTiles):
    """Distances by the user's function of two rows, called once for each pair of rows."""

    def __init__(self, features: Features, order: Array, metric: Metric) -> None:
        super().__init__(features, order, self._block)
        self.as_stored = True  # the function gets rows of the user's own dtype
        self.metric, self.options = metric.function, metric.options

    def tile(self, a: tuple[int, Any], i: slice, b: tuple[int, Any], j: slice) -> Array:
        if i != j:
            return super().tile(a, i, b, j)
        rows = a[1][i.start - a[0] : i.stop - a[0]]
        out = np.zeros((rows.shape[0], rows.shape[0]))
        for p in range(rows.shape[0]):
            out[p, p + 1 :] = out[p + 1 :, p] = self._block(rows[[p]], rows[p + 1 :])[0] if p + 1 < len(out) else 0
        return out

    def _block(self, x: Any, y: Any) -> Array:
        call: Any = self.metric
        rows = [y[[q]] if self.features.sparse else y[q] for q in range(y.shape[0])]
        out = np.empty((x.shape[0], y.shape[0]))
        for p in range(x.shape[0]):
            row = x[[p]] if self.features.sparse else x[p]
            out[p] = [call(row, other, **self.options) for other in rows]
        return out


class PrecomputedTiles(_ExactTiles):
    """Distances read from a square matrix; it need not be symmetric, so each tile serves its rows only."""

    symmetric = False
    row_bytes = 64

    def __init__(self, matrix: Array, index: Array, largest: float) -> None:
        self.matrix, self.index = matrix, index
        self.scale = 1.0 if largest < 1e290 else 2.0**-64  # so that sums stay finite

    def prepare(self, rows: slice) -> None:
        """Nothing to prepare: tiles are read from the matrix."""

    def tile(self, _a: None, i: slice, _b: None, j: slice) -> Array:
        out = self.matrix[self.index[i][:, None], self.index[j]].astype(np.float64)
        if self.scale != 1.0:
            out *= self.scale
        if i == j:
            _set_diagonal(out, 0)
        return out
