"""The copy of a host table on a GPU, kept while the same table is scored again and again."""

from __future__ import annotations

import threading
import weakref
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.config import current

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["device_copy", "drop_copy"]

AT_ONCE = 1 << 20  # bytes under one checksum


class _Kept(NamedTuple):
    table: weakref.ref[Any]
    contents: tuple[Any, ...]
    device: int
    copy: Any


_lock = threading.Lock()
_kept: _Kept | None = None


def device_copy(X: Any) -> Any:
    """Return a copy on the GPU of a NumPy array, the one of the last call if it is for the same array.

    Only where the setting ``backend`` is "cupy" and the array fits as the metrics' own copies do; everything else
    comes back as it is. One copy is kept, for as long as its array lives and holds what it held: checksums tell, in a
    fraction of the time that a copy takes.

    Parameters
    ----------
    X : array-like

    Returns
    -------
    cupy.ndarray, or X
    """
    if current().backend != "cupy" or type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "iuf":
        return X
    if not X.size or not (X.flags.c_contiguous or X.flags.f_contiguous):
        return X
    from gpumetrics.backends import choose

    choose(X)  # raises where CuPy cannot run
    return _copy_of(X)


def _copy_of(X: Array) -> Any:
    global _kept  # noqa: PLW0603  (one for the process)
    import cupy as cp

    from gpumetrics.backends.cupy_memory import available_bytes, is_out_of_memory
    from gpumetrics.backends.cupy_rows import native

    if X.nbytes > available_bytes() // 4:
        drop_copy()
        return X
    contents, device = _contents(X), int(cp.cuda.Device().id)
    with _lock:
        if _kept is not None and _kept.table() is X and _kept[1:3] == (contents, device):
            return _kept.copy
        _kept = None  # its memory can serve for the next
        try:
            copy = cp.asarray(native(np.ascontiguousarray(X)))
        except Exception as error:
            if is_out_of_memory(error):  # the metrics read the table block by block then
                return X
            raise
        cp.cuda.get_current_stream().synchronize()  # the next call may come from a thread with another stream
        _kept = _Kept(weakref.ref(X, _died), contents, device, copy)
        return copy


def _contents(X: Array) -> tuple[Any, ...]:
    """What tells an array from itself before a change in place: shape, dtype, and checksums of its bytes."""
    flat = (X if X.flags.c_contiguous else X.T).reshape(-1).view(np.uint8)
    sums = thread_map(lambda part: zlib.crc32(flat[part].data), spans(flat.size, AT_ONCE))
    return X.shape, X.dtype.str, X.flags.c_contiguous, *sums


def _died(table: weakref.ref[Any]) -> None:
    global _kept  # noqa: PLW0603
    # Without the lock, which this thread may hold already: a collection can happen anywhere.
    kept = _kept
    if kept is not None and kept.table is table:
        _kept = None


def drop_copy() -> None:
    """Give the copy up, so that its memory on the GPU is free for CuPy."""
    global _kept  # noqa: PLW0603
    with _lock:
        _kept = None
