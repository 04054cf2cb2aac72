"""Blocks of distances between rows, exact for near-duplicates far from the origin; for NumPy and CuPy.

A block holds *values*, which have the order of the distances: their squares where these are cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, row_squares
from gpumetrics.backends.threads import spans
from gpumetrics.distance_metrics import Metric, prepare
from gpumetrics.row_transforms import unit_rows
from gpumetrics.statistics.mean_distances import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["METRICS", "Apart", "Values", "values_of"]

METRICS = ("euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev", "precomputed")
FEW_FEATURES = 8  # up to which differences cost no more than a product and its guard
FEW_ROWS = 32  # of a block, up to which the calls for a product cost more than the differences on the CPU
SHARE = 1e-4  # of the norms below which a squared distance comes from the difference itself
FEW = 1 / 32  # share of a block up to which such entries are computed one by one
AT_ONCE = 1 << 20  # numbers of rows that are gathered for them at a time


class Values(Protocol):
    """Values between rows that are given by their numbers."""

    @property
    def xp(self) -> Any:
        """NumPy or CuPy, whichever computes."""

    @property
    def power(self) -> float:
        """A distance is ``factor * value ** power``."""

    @property
    def factor(self) -> float:
        """A distance is ``factor * value ** power``."""

    @property
    def bytes_per_row(self) -> int:
        """Bytes that a row takes, in all temporary arrays."""

    def rows(self, index: Array) -> Any:
        """Read rows."""

    def between(self, x: Any, y: Any) -> Array:
        """Values between two sets of rows that were read, (len(x), len(y)) float64; the caller may write to them."""

    def keys(self, index: Array) -> Array:
        """Numbers of rows that differ where the rows do (almost always), and do not depend on other rows."""


@dataclass(frozen=True)
class _RowValues:
    """Values computed from rows."""

    read: Callable[[Array], Array]
    block: Callable[[Array, Array], Array]
    power: float
    factor: float
    n_features: int
    xp: Any

    @property
    def bytes_per_row(self) -> int:
        return 8 * 5 * self.n_features

    def rows(self, index: Array) -> Array:
        return self.read(index)

    def between(self, x: Array, y: Array) -> Array:
        return self.block(x, y)

    def keys(self, index: Array) -> Array:
        # Along a direction in which no two of the points of a grid lie side by side.
        direction = self.xp.sqrt(self.xp.arange(2.0, self.n_features + 2))
        parts = (self.read(index[part]) for part in spans(len(index), max(1, AT_ONCE // self.n_features)))
        return self.xp.concatenate([(part * direction).sum(axis=1) for part in parts])  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _GivenValues:
    """Values read from a square matrix of distances."""

    features: Features
    xp: Any
    scale: float
    power: float = 1.0
    bytes_per_row: int = 64

    @property
    def factor(self) -> float:
        return 1.0 / self.scale

    def rows(self, index: Array) -> Array:
        index = index if array_module(self.features.data) is not np else as_host(index)
        return index if self.features.index is None else self.features.index[index]

    def between(self, x: Array, y: Array) -> Array:
        data = self.features.data
        block = array_module(data).asarray(data[x[:, None], y], dtype=np.float64)
        return self.xp.asarray(block) * self.scale  # type: ignore[no-any-return]

    def keys(self, index: Array) -> Array:
        return self.xp.zeros(len(index))  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Apart:
    """Other values, but infinite between rows of different clusters."""

    values: Values
    codes: Array

    @property
    def xp(self) -> Any:
        return self.values.xp

    @property
    def power(self) -> float:
        return self.values.power

    @property
    def factor(self) -> float:
        return self.values.factor

    @property
    def bytes_per_row(self) -> int:
        return self.values.bytes_per_row

    def rows(self, index: Array) -> Any:
        return self.values.rows(index), self.codes[index]

    def between(self, x: Any, y: Any) -> Array:
        out = self.values.between(x[0], y[0])
        self.xp.copyto(out, np.inf, where=x[1][:, None] != y[1])
        return out

    def keys(self, index: Array) -> Array:
        return self.values.keys(index)


def values_of(metric: Metric, features: Features, xp: Any) -> Values:
    """Return the values of a metric of `METRICS`, to be computed by the library `xp`."""
    if metric.name == "precomputed":
        # In a unit in which rounding takes no distance to infinity, nor to 0.
        exponent = int(np.frexp(features.high.max())[1])
        return _GivenValues(features, xp, float(np.ldexp(1.0, min(max(-exponent, -1000), 1000))))
    # Squares are made from the same rows as their roots.
    _, features = prepare(Metric("euclidean") if metric.name == "sqeuclidean" else metric, features)
    power, factor, block = 1.0, 1.0 / features.scale, _squares
    if metric.name == "euclidean":
        power = 0.5
    elif metric.name == "sqeuclidean":
        factor *= factor
    elif metric.name == "cosine":
        features, factor, block = replace(features, transform=unit_rows), 0.5, _unit_squares
    else:
        block = _sums if metric.name == "manhattan" else _largest
    return _RowValues(_reader(features, xp), block, power, factor, features.n_features, xp)


def _reader(features: Features, xp: Any) -> Callable[[Array], Array]:
    """Return what reads rows by number, as float64 where they will be used."""
    if xp is np:
        return features.rows
    from gpumetrics.backends.cupy_memory import available_bytes
    from gpumetrics.backends.cupy_rows import device_blocks, on_device, resident

    table = resident(features, available_bytes() // 4)
    if on_device(table):
        return table.rows

    def streamed(index: Array) -> Array:
        (block,) = device_blocks(table, [as_host(index)])
        return block

    return streamed


def _squares(x: Array, y: Array) -> Array:
    """Squared Euclidean distances: a product about a row amid y, and differences where that loses digits."""
    xp = array_module(x)
    if x.shape[1] <= FEW_FEATURES or (xp is np and max(len(x), len(y)) <= FEW_ROWS):
        return _direct_squares(x, y)
    # A row of the data rather than the mean: differences of whole numbers stay whole, and their distances exact.
    centre = y[_nearest_to_mean(y)]
    p, q = x - centre, y - centre
    p_norms, q_norms = row_squares(p), row_squares(q)
    ones = xp.ones(len(p)), xp.ones(len(q))
    left = xp.concatenate([-2 * p, p_norms[:, None], ones[0][:, None]], axis=1)
    right = xp.concatenate([q, ones[1][:, None], q_norms[:, None]], axis=1)
    out: Array = xp.matmul(left, right.T)
    if out.min() < SHARE * (p_norms.max() + q_norms.max()):
        small = xp.flatnonzero(out < SHARE * (p_norms[:, None] + q_norms))
        if len(small) > FEW * out.size:
            return _direct_squares(x, y)
        _mend(out, small, x, y)
    return out


def _nearest_to_mean(block: Array) -> Any:
    # Of some rows: any row amid the block will do.
    some = block[:: max(1, len(block) // 64)]
    return int(row_squares(some - some.mean(axis=0)).argmin()) * max(1, len(block) // 64)


def _mend(squares: Array, small: Array, x: Array, y: Array) -> None:
    """Recompute the entries at these flat positions from the differences of their rows."""
    flat = squares.reshape(-1)
    for part in spans(len(small), max(1, AT_ONCE // x.shape[1])):
        at = small[part]
        flat[at] = row_squares(x[at // len(y)] - y[at % len(y)])


def _unit_squares(x: Array, y: Array) -> Array:
    """Twice the cosine distance of unit rows; a row without direction is at distance 1 from every other."""
    xp = array_module(x)
    out = _squares(x, y)
    out[out <= ROUNDING] = 0.0
    zero_x, zero_y = row_squares(x) == 0, row_squares(y) == 0
    if zero_x.any() or zero_y.any():
        out = xp.where(zero_x[:, None] | zero_y[None], 2.0, out)
    return out


def _direct_squares(x: Array, y: Array) -> Array:
    return _by_feature(x, y, "sqeuclidean")


def _sums(x: Array, y: Array) -> Array:
    return _by_feature(x, y, "cityblock")


def _largest(x: Array, y: Array) -> Array:
    return _by_feature(x, y, "chebyshev")


def _by_feature(x: Array, y: Array, name: str) -> Array:
    """Distances from the differences, by SciPy's name; feature by feature on a GPU."""
    xp = array_module(x)
    out: Array
    if xp is np:
        from scipy.spatial.distance import cdist

        out = cdist(x, y, name)  # type: ignore[call-overload]
        return out
    out = xp.zeros((len(x), len(y)))
    for feature in range(x.shape[1]):
        gap = x[:, feature, None] - y[:, feature]
        if name == "sqeuclidean":
            gap *= gap
            out += gap
        elif name == "cityblock":
            out += xp.abs(gap, out=gap)
        else:
            xp.maximum(out, xp.abs(gap, out=gap), out=out)
    return out
