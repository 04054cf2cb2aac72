"""The features door: any table of numbers becomes `Features`, read block by block as float64.

Nothing of the size of X is copied here (integers and half precision are converted block by block), and
the user's array is never written to. A table on a GPU stays there: its blocks are CuPy's arrays.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.backends.interop import bfloat16_to_float32
from gpumetrics.backends.threads import n_threads, spans, thread_map
from gpumetrics.config import current
from gpumetrics.feature_arrays import BLOCK, check_shape, feature_array, numeric, place_in_files, raise_not_finite
from gpumetrics.sources.chunks import RowChunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.types import Array, Index

__all__ = ["BLOCK", "Features", "check_features", "scaled"]

BLOCK_COPIES = 4  # of a block on a GPU while it is read, as float64
WIDE = 1 << 14  # columns over which a GPU reduces a table at its full speed
DEVICE_BLOCK = 1 << 24  # elements of a block on a GPU: 128 MiB of float64
SAFE_EXPONENT = 400  # squares of numbers from 2**-400 to 2**400, and sums of them, stay within float64


@dataclass(frozen=True)
class Features:
    """A checked (n_samples, n_features) table of finite numbers, dense or CSR.

    Attributes
    ----------
    data : ndarray of NumPy or CuPy, CSR matrix, or RowChunks
        The user's array, untouched, or the files that it is read from.
    low, high : ndarray of shape (n_features,), float64
        Smallest and largest value of each column (in the units that `rows` gives); like all that is as long as a
        row, on the host.
    offset : ndarray of shape (n_features,) or None
        Column minima of integer data, subtracted in the integer type, so that differences of 1
        survive whatever the size of the numbers.
    scale : float
        Power of two that `rows` multiplies by, 1.0 unless squares would overflow or vanish.
    constant : ndarray of shape (n_features,) or None
        Subtracted before scaling: the value of each constant column, 0 of the others. It is None unless such a
        column is so large that scaling by the others would overflow it.
    index : ndarray of int64 or None
        The rows of `data` that belong to this table (None: all); it lies where `data` does.
    transform : function or None
        Applied to each block that `rows` reads, such as `unit_rows`.
    sparse : bool
    bfloat16 : bool
        Whether `data` holds the bits of bfloat16 numbers, as uint16.
    """

    data: Any
    low: Array
    high: Array
    offset: Array | None = None
    scale: float = 1.0
    constant: Array | None = None
    index: Array | None = None
    transform: Callable[[Array], Array] | None = None
    sparse: bool = False
    bfloat16: bool = False

    @property
    def n_samples(self) -> int:
        return int(self.data.shape[0] if self.index is None else len(self.index))

    @property
    def n_features(self) -> int:
        return int(self.data.shape[1])

    @property
    def single(self) -> bool:
        """Whether the input has no more than single precision, so that 1e-6 is the accuracy asked for."""
        kind: np.dtype[Any] = self.data.dtype
        return self.bfloat16 or (kind.kind == "f" and kind.itemsize <= 4)

    @property
    def block_rows(self) -> int:
        """Rows of a block to read at a time: a core's cache full, or what keeps a GPU busy."""
        elements = BLOCK
        if array_module(self.data) is not np:
            elements = min(DEVICE_BLOCK, int(current().working_memory * 2**20 / BLOCK_COPIES / 8))
        return max(1, elements // self.n_features)

    @property
    def as_stored(self) -> bool:
        """Whether `rows` gives the numbers as they are, but for their dtype."""
        changed = (self.offset, self.constant, self.transform)
        return self.scale == 1.0 and not self.sparse and all(part is None for part in changed)

    def subset(self, index: Array) -> Features:
        """Return the table of these rows, in the same units, without copying them."""
        index = as_host(index) if self.sparse else beside(index, self.data)
        return replace(self, index=index if self.index is None else self.index[index])

    def only(self, index: Array) -> Features:
        """Return the table of these rows as if there were no others: in units of its own."""
        if not len(index):
            return self.subset(index)
        chosen = replace(self.subset(index), scale=1.0, constant=None)
        if self.sparse:
            return scaled(replace(chosen, low=self.low / self.scale, high=self.high / self.scale))
        low, high = _column_range(chosen)
        return scaled(replace(chosen, low=low, high=high))

    def plain(self) -> Features:
        """Return the same rows unshifted and unscaled, for distances that are not the same after a shift."""
        low, high = self.low / self.scale, self.high / self.scale
        for taken in (self.constant, self.offset):
            if taken is not None:
                low, high = low + taken, high + taken
        return replace(self, offset=None, constant=None, scale=1.0, low=low, high=high)

    def column_units(self) -> Array:
        """Return a power of two for each column by which its range becomes about 1."""
        exponents = np.minimum(-np.frexp(self.high - self.low)[1], 1000)  # the range may be a denormal number
        units: Array = np.ldexp(1.0, exponents)
        return units

    def raw(self, index: Index) -> Any:
        """Return rows in the dtype, and with the bits, of `data`."""
        return self.data[index if self.index is None else self.index[index]]

    def take(self, index: Index) -> Any:
        """Return rows as they are stored: dense or sparse, in their own dtype (bfloat16 as float32)."""
        block = self.raw(index)
        return bfloat16_to_float32(block) if self.bfloat16 else block

    def rows(self, index: Index) -> Array:
        """Return rows as a float64 block (m, n_features), C-contiguous; not to be written to: it may be the user's."""
        return self.converted(self.raw(index))

    def converted(self, block: Any) -> Array:
        """Return a block that `raw` gave, or its dense copy on a GPU, as `rows` does."""
        if hasattr(block, "toarray"):
            block = block.toarray()
        if self.bfloat16:
            block = bfloat16_to_float32(block)
        if self.offset is not None:
            # Unsigned arithmetic wraps to the right difference even where the signed one overflows.
            wide = np.uint64 if self.offset.dtype.kind == "u" else np.int64
            block = (block.astype(wide) - beside(self.offset, block)).view(np.uint64)
        block = array_module(block).ascontiguousarray(block, dtype=np.float64)
        if self.constant is not None:
            block = block - beside(self.constant, block)
        if self.scale != 1.0:
            block = block * self.scale
        return block if self.transform is None else self.transform(block)

    def less(self, index: Index, centres: Array) -> Array:
        """Return rows less `centres` (m, n_features) float64, which is overwritten with the result."""
        # NumPy converts single precision on the way, which saves a pass over the block.
        read = self.take if self.as_stored and self.data.dtype.itemsize >= 4 else self.rows
        return np.subtract(read(index), centres, out=centres)


def check_features(X: Any, *, accept_sparse: bool = False, name: str = "X") -> Features:
    """Check a table of numbers and make it readable in blocks.

    Parameters
    ----------
    X : array-like, DataFrame, sparse matrix or RowChunks of shape (n_samples, n_features)
        Numbers of any dtype and memory layout.
    accept_sparse : bool
        Whether a sparse matrix will do (it becomes CSR).
    name : str
        The argument's name in error messages.

    Returns
    -------
    Features

    Raises
    ------
    ValueError
        For NaN, infinity, complex numbers, text, a wrong number of dimensions, no rows or no columns.
    TypeError
        For a sparse matrix where a dense one is needed.
    """
    if _is_sparse(X):
        if not accept_sparse:
            msg = (
                "Sparse data was passed, but dense data is required. Use '.toarray()' to convert to a dense "
                f"numpy array (argument {name})."
            )
            raise TypeError(msg)
        return _check_sparse(X, name)
    array, bfloat16 = feature_array(X, name)
    data = numeric(array, name)
    check_shape(data, name)
    if data.dtype.kind in "iub" and not bfloat16:
        return _check_integers(data)
    features = Features(data, np.empty(0), np.empty(0), bfloat16=bfloat16)
    low, high = _column_range(features)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise_not_finite(features.take, data.shape, name, place=partial(place_in_files, X))
    return scaled(replace(features, low=low, high=high))


def _is_sparse(X: Any) -> bool:
    # Without importing scipy.sparse for dense input: a sparse matrix can only come from a loaded module.
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(X))


def _column_range(features: Features) -> tuple[Array, Array]:
    """Smallest and largest value of each column as float64; NaN if the column holds one."""
    if array_module(features.data) is not np:
        return _column_range_on_device(features)
    d = features.n_features
    fold = max(1, 1024 // d)  # several rows side by side: long rows are reduced faster
    integers = features.offset is not None

    def one(block: slice) -> tuple[Array, Array]:
        part = features.rows(block) if integers else features.take(block)
        if part.dtype.itemsize == 2:
            part = part.astype(np.float32)  # half precision is slow to compare
        rest = len(part) % fold
        with np.errstate(invalid="ignore"):
            if fold > 1 and len(part) >= fold and part.flags.c_contiguous:
                wide = part[: len(part) - rest].reshape(-1, fold * d)
                parts = [f(wide, axis=0).reshape(fold, d) for f in (np.min, np.max)]
                low, high = (np.concatenate([p, part[len(part) - rest :]]) for p in parts)
                return low.min(axis=0), high.max(axis=0)
            return part.min(axis=0), part.max(axis=0)

    def stretch(rows: slice) -> tuple[Array, Array]:
        parts = [one(slice(rows.start + b.start, rows.start + b.stop)) for b in spans(rows.stop - rows.start, step)]
        return np.min([p[0] for p in parts], axis=0), np.max([p[1] for p in parts], axis=0)

    n, step = features.n_samples, max(1, BLOCK // d)
    threads = n_threads() if n > 4 * step else 1
    parts = thread_map(stretch, spans(n, -(-n // threads)), threads=threads)
    low, high = np.min([p[0] for p in parts], axis=0), np.max([p[1] for p in parts], axis=0)
    return low.astype(np.float64), high.astype(np.float64)


def _column_range_on_device(features: Features) -> tuple[Array, Array]:
    xp = array_module(features.data)
    read = features.rows if features.offset is not None else features.take
    low, high = np.inf, -np.inf
    for part in spans(features.n_samples, features.block_rows):
        lowest, highest = _ends_on_device(read(part))
        low, high = xp.minimum(lowest, low), xp.maximum(highest, high)
    ends = as_host(xp.stack([low, high]).astype(np.float64))  # one copy
    return ends[0], ends[1]


def _ends_on_device(block: Any) -> list[Any]:
    """Smallest and largest value of each column; many rows side by side, since few columns keep few threads busy."""
    d = block.shape[1]
    fold = min(WIDE // d, len(block)) if block.flags.c_contiguous else 0
    if fold < 2:
        return [block.min(axis=0), block.max(axis=0)]
    stop = len(block) // fold * fold
    wide, rest = block[:stop].reshape(-1, fold * d), block[stop:]
    xp = array_module(block)
    ends = []
    for name in ("min", "max"):
        folded = getattr(wide, name)(axis=0).reshape(fold, d)
        ends.append(getattr(xp.concatenate([folded, rest]), name)(axis=0))
    return ends


def _check_integers(data: Any) -> Features:
    if isinstance(data, RowChunks):
        ends = [(block.min(axis=0), block.max(axis=0)) for _, block in data]
        low, high = np.min([lowest for lowest, _ in ends], axis=0), np.max([highest for _, highest in ends], axis=0)
    elif array_module(data) is np:
        low, high = data.min(axis=0), data.max(axis=0)
    else:
        low, high = as_host(array_module(data).stack(_ends_on_device(data)))
    wide = np.int64 if data.dtype.kind == "i" else np.uint64
    offset = low.astype(wide)
    reach = (high.astype(wide) - offset).view(np.uint64).astype(np.float64)
    return Features(data, np.zeros(len(offset)), reach, offset=offset)


def scaled(features: Features) -> Features:
    """Choose the power of two that keeps squares of differences within float64, of small ones if there are any."""
    low, high = features.low, features.high
    half_extent = np.max(high / 2 - low / 2)  # halves, since the difference may overflow
    largest = max(np.max(np.abs(low)), np.max(np.abs(high)))
    exponent = int(np.frexp(half_extent)[1])
    if half_extent == 0 or (abs(exponent) < SAFE_EXPONENT and largest < 2.0**SAFE_EXPONENT):
        return features
    constant = None
    if int(np.frexp(largest)[1]) - exponent > SAFE_EXPONENT and not features.sparse:
        # A constant column is far larger than all differences.
        constant = np.where(low == high, low, 0.0)
        low, high = low - constant, high - constant
    shift = min(max(SAFE_EXPONENT - exponent, -1020), 1000)
    scale = float(np.ldexp(1.0, shift))
    return replace(features, scale=scale, constant=constant, low=low * scale, high=high * scale)


def _check_sparse(X: Any, name: str) -> Features:
    from scipy.sparse import csr_array

    if X.dtype.kind == "c":
        msg = f"Complex data not supported\n{X}\n"
        raise ValueError(msg)
    data = csr_array(X)  # shares the arrays of a CSR matrix
    if not data.has_canonical_format:
        data = data.copy()
        data.sum_duplicates()
    if data.dtype.kind != "f" or data.dtype.itemsize not in (4, 8):
        data = data.astype(np.float64)
    check_shape(data, name)
    if not np.isfinite(data.data).all():
        raise_not_finite(lambda _: data.data.reshape(1, -1), (1, data.data.size), name, where=False)
    low = data.min(axis=0).toarray().ravel().astype(np.float64)
    high = data.max(axis=0).toarray().ravel().astype(np.float64)
    return scaled(Features(data, low, high, sparse=True))
