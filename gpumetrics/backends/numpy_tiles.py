"""Tiles of distances on the CPU, of any metric (`numpy_euclidean` has the Euclidean ones).

`prepare` reads the rows of a panel once; `tile` gives the distances between two runs of prepared panels. Rows are
named by their place in the sorted order.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpumetrics.backends.threads import spans
from gpumetrics.backends.tiling import TILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.backends.tiling import Run
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array


IN_CACHE = 1 << 16  # numbers of rows that are read at a time for single distances


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


def replace_small(squares: Array, limit: float, direct: Callable[[Array, Array], Array], width: int = 16) -> None:
    """Recompute the entries below `limit` as ``direct(i, j)``, in place; it reads rows of `width` numbers.

    |x|^2 + |y|^2 - 2 x.y loses its digits where the distance is small against the norms: those entries come
    from the differences themselves.
    """
    if squares.min() < limit:
        replace_at(squares, np.flatnonzero(squares < limit), direct, width)


def replace_at(squares: Array, at: Array, direct: Callable[[Array, Array], Array], width: int = 16) -> None:
    """Recompute the entries at these flat positions as ``direct(i, j)``, in place."""
    flat = squares.reshape(-1)
    for part in spans(len(at), max(64, IN_CACHE // width)):
        i, j = np.divmod(at[part], squares.shape[1])
        flat[at[part]] = direct(i, j)


class Buffers(threading.local):
    """One tile-sized array for each thread and dtype, used again for every tile."""

    def __init__(self) -> None:
        self.arrays: dict[Any, Array] = {}

    def get(self, n_rows: int, n_columns: int, dtype: Any) -> Array:
        flat = self.arrays.get(dtype)
        if flat is None or len(flat) < n_rows * n_columns:
            flat = self.arrays[dtype] = np.empty(max(TILE * TILE, n_rows * n_columns), dtype)
        return flat[: n_rows * n_columns].reshape(n_rows, n_columns)


def set_diagonal(square: Array, value: float) -> None:
    """Set the diagonal of a square tile."""
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
        self.buffers = Buffers()

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
            set_diagonal(out, 0)
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
            set_diagonal(out, 0)
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


def scale_for_sums(largest: float) -> float:
    """Power of two by which distances up to `largest` are multiplied, so that their sums stay finite."""
    return 1.0 if largest < 1e290 else 2.0**-64


class PrecomputedTiles(_ExactTiles):
    """Distances read from a square matrix; it need not be symmetric, so each tile serves its rows only."""

    symmetric = False
    row_bytes = 64

    def __init__(self, matrix: Array, index: Array, largest: float) -> None:
        self.matrix, self.index = matrix, index
        self.scale = scale_for_sums(largest)

    def prepare(self, rows: slice) -> None:
        """Nothing to prepare: tiles are read from the matrix."""

    def tile(self, _a: None, i: slice, _b: None, j: slice) -> Array:
        out = self.matrix[self.index[i][:, None], self.index[j]].astype(np.float64)
        if self.scale != 1.0:
            out *= self.scale
        if i == j:
            set_diagonal(out, 0)
        return out
