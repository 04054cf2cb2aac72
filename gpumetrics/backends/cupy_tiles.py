"""Tiles of distances on a GPU, and their sums over clusters: a kernel for the rows, another for the columns.

A kind of tile reads blocks of rows, and fills a tile between a left and a right block while it sums its rows. All
tiles of a call share one workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import cupy as cp
import numpy as np

from gpumetrics.backends.cupy_kernels import launch_rows
from gpumetrics.backends.cupy_precision import multiply
from gpumetrics.backends.cupy_rows import device_blocks, native, on_device
from gpumetrics.backends.numpy_euclidean import exact_share
from gpumetrics.backends.numpy_tiles import scale_for_sums

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpumetrics.features import Features
    from gpumetrics.types import Array, Index

__all__ = ["DirectTiles", "GivenTiles", "GramTiles", "QuadraticTiles", "Tiles"]

CENTRE_ROWS = 256
DOUBLE_SHARE = 1e-4  # share of the norms below which a squared distance comes from the difference, in float64
SINGLE_RANGE = 1e-30, 1e30  # extents of data whose differences float32 holds, and sums of them
C_NAMES = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


class Tiles(Protocol):
    """Distances between two blocks of rows."""

    symmetric: bool
    dtype: np.dtype[Any]
    features: Features

    def bytes_per_row(self) -> int:
        """Bytes that a row of a block takes, in all buffers."""

    def bytes_per_entry(self) -> int:
        """Bytes that an entry of a tile takes, in all buffers."""

    def reserve(self, n_rows: int) -> None:
        """Allocate the workspace for blocks of up to so many rows."""

    def blocks(self, parts: Sequence[Index]) -> Iterator[Any]:
        """Read blocks of rows, given by their numbers in the table."""

    def turn_to(self, right: Any) -> None:
        """Make ready for tiles against this block."""

    def sum_rows(self, left: Any, right: Any, sums: str, reduction: tuple[Any, ...]) -> Array:
        """Fill the tile and sum its rows; `right` is the block last turned to. The tile is valid until the next.

        `sums` says what is kept of them: "row_sums" or "cell_sums", a kernel's name but for its beginning;
        `reduction` are that kernel's last arguments.
        """


class _Workspace:
    """Buffers of a call; views of them have the shape that a tile needs."""

    def __init__(self, dtype: np.dtype[Any], *sizes: int) -> None:
        self.flat = [cp.empty(size, dtype) for size in sizes]

    def view(self, which: int, n_rows: int, n_columns: int) -> Array:
        out: Array = self.flat[which][: n_rows * n_columns].reshape(n_rows, n_columns)
        return out


class _Tiles:
    dtype: np.dtype[Any]
    workspace: _Workspace

    def _take_workspace(self, *sizes: int) -> None:
        self.__dict__.pop("workspace", None)  # that of a try that failed goes back before the next is taken
        self.workspace = _Workspace(self.dtype, *sizes)


class _RowTiles(_Tiles):
    """Tiles from blocks of rows."""

    symmetric = True

    def __init__(self, features: Features, dtype: np.dtype[Any]) -> None:
        self.features, self.dtype, self.d = features, dtype, features.n_features

    def blocks(self, parts: Sequence[Index]) -> Iterator[Array]:
        return device_blocks(self.features, parts, self.dtype)

    def bytes_per_row(self) -> int:
        stored = 0 if on_device(self.features) else 2 * self.features.data.dtype.itemsize
        return self.d * (4 * self.dtype.itemsize + 8 + stored)

    def bytes_per_entry(self) -> int:
        return self.dtype.itemsize


class GramTiles(_RowTiles):
    """Euclidean distances from one matrix product per tile.

    Rows are centred about the mean of (some rows of) the right block first, so that their norms are as small as the
    distances; an entry that is small even so comes from the difference of the rows as they are stored.
    """

    def __init__(self, features: Features) -> None:
        super().__init__(features, tile_dtype(features))
        single = self.dtype == np.float32
        self.scale = unit_scale(features) if single else 1.0
        self.share = exact_share(features.n_features, longest_sum=features.n_features) if single else DOUBLE_SHARE
        self.centre: Any = None

    def reserve(self, n_rows: int) -> None:
        self._take_workspace(n_rows * n_rows, n_rows * self.d, n_rows * self.d, n_rows, n_rows)

    def turn_to(self, right: Array) -> None:
        # Any point amid the block will do, and a mean of all its rows would take as long as half the product.
        some = right[:: max(1, len(right) // CENTRE_ROWS)]
        self.centre = some.mean(axis=0, dtype=np.float64).astype(self.dtype)
        self._centred(right, 2)

    def sum_rows(self, left: Array, right: Array, sums: str, reduction: tuple[Any, ...]) -> Array:
        m, w = len(left), len(right)
        y, y_norms = self.workspace.view(2, w, self.d), self.workspace.flat[4]
        x, x_norms = (y, y_norms) if left is right else self._centred(left, 1)
        tile = self.workspace.view(0, m, w)
        multiply(x, y.T, tile)
        arguments = (left, right, self.d, self.scale, x_norms, y_norms, float(self.share))
        launch_rows(f"gram_{sums}<{C_NAMES[self.dtype]}>", m, tile, m, w, *arguments, *reduction)
        return tile

    def _centred(self, block: Array, which: int) -> tuple[Array, Array]:
        m = len(block)
        out, norms = self.workspace.view(which, m, self.d), self.workspace.flat[which + 2]
        name = f"centred_rows<{C_NAMES[self.dtype]}>"
        launch_rows(name, m, block, self.centre, m, self.d, self.scale, out, norms)
        return out, norms


class DirectTiles(_RowTiles):
    """Distances of any metric from the differences of features."""

    def __init__(
        self, features: Features, dtype: np.dtype[Any], kernel: str, weights: Array | None = None, p: float = 2.0
    ) -> None:
        super().__init__(features, dtype)
        self.scale = unit_scale(features) if dtype == np.float32 and kernel == "Euclidean" else 1.0
        self.kernel = f"<{C_NAMES[dtype]}, {kernel}>"
        self.weights: Any = np.uintp(0) if weights is None else cp.asarray(weights, dtype=np.float64)
        self.p = float(p)

    def reserve(self, n_rows: int) -> None:
        self._take_workspace(n_rows * n_rows, n_rows * self.d)

    def turn_to(self, right: Array) -> None:
        self.workspace.view(1, self.d, len(right))[...] = right.T

    def sum_rows(self, left: Array, right: Array, sums: str, reduction: tuple[Any, ...]) -> Array:
        m, w = len(left), len(right)
        tile, transposed = self.workspace.view(0, m, w), self.workspace.view(1, self.d, w)
        arguments = (left, transposed, self.d, self.weights, self.p, self.scale)
        launch_rows(f"direct_{sums}{self.kernel}", m, tile, m, w, *arguments, *reduction)
        return tile


class QuadraticTiles(DirectTiles):
    """Mahalanobis distances, whose form is `inverse` (n_features, n_features)."""

    def __init__(self, features: Features, inverse: Array) -> None:
        super().__init__(features, np.dtype(np.float64), "Euclidean")
        self.inverse = cp.asarray(np.ascontiguousarray(inverse))

    def sum_rows(self, left: Array, right: Array, sums: str, reduction: tuple[Any, ...]) -> Array:
        m, w = len(left), len(right)
        tile, transposed = self.workspace.view(0, m, w), self.workspace.view(1, self.d, w)
        launch_rows(f"quadratic_{sums}", m, tile, m, w, left, transposed, self.d, self.inverse, *reduction)
        return tile


class GivenTiles(_Tiles):
    """Distances read from a square matrix; it need not be symmetric, so each tile serves its rows only."""

    symmetric = False
    dtype = np.dtype(np.float64)

    def __init__(self, features: Features) -> None:
        self.features = features
        self.scale = scale_for_sums(float(features.high.max()))

    def bytes_per_row(self) -> int:
        return 64

    def bytes_per_entry(self) -> int:
        return 3 * 8  # the tile, what is read into it, and where CuPy reads that

    def reserve(self, n_rows: int) -> None:
        self._take_workspace(n_rows * n_rows)

    def blocks(self, parts: Sequence[Index]) -> Iterator[Any]:
        index = self.features.index
        return iter(parts if index is None else [index[part] for part in parts])

    def turn_to(self, right: Any) -> None:
        """Nothing to make ready: tiles are read from the matrix."""

    def sum_rows(self, left: Any, right: Any, sums: str, reduction: tuple[Any, ...]) -> Array:
        m, w = len(left), len(right)
        tile = self.workspace.view(0, m, w)
        tile[...] = cp.asarray(native(self._part(left, right)))
        if self.scale != 1.0:
            tile *= self.scale
        launch_rows(f"given_{sums}<double>", m, tile, m, w, *reduction)
        return tile

    def _part(self, left: Any, right: Any) -> Any:
        data = self.features.data
        return data[left][:, right].toarray() if self.features.sparse else data[left[:, None], right]


def tile_dtype(features: Features) -> np.dtype[Any]:
    """float32 for data of single precision whose differences it holds, else float64."""
    reach = _reach(features)
    in_range = reach == 0 or SINGLE_RANGE[0] < reach < SINGLE_RANGE[1]
    return np.dtype(np.float32 if features.single and features.as_stored and in_range else np.float64)


def unit_scale(features: Features) -> float:
    """Power of two by which differences are at most about 1, so that their squares are numbers of float32."""
    reach = _reach(features)
    return float(np.ldexp(1.0, -int(np.frexp(reach)[1]))) if reach > 0 else 1.0


def _reach(features: Features) -> float:
    return float(np.max(features.high - features.low))
