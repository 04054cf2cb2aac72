"""Rows on a GPU, block by block: from a table that lies there, or streamed from the host.

A table on the host passes through two pinned buffers: while the device works on one block, the next is gathered and
copied on a stream of its own; sparse rows become dense on the way. Nothing of the size of X is on the device then; a
table that is small against the memory is put there whole by those who read it many times (`resident`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cupy as cp
import cupyx
import numpy as np

from gpumetrics.backends.cupy_memory import is_out_of_memory
from gpumetrics.backends.interop import bfloat16_to_float32
from gpumetrics.backends.threads import spans, thread_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gpumetrics.features import Features
    from gpumetrics.types import Array, Index

__all__ = ["device_blocks", "native", "on_device", "resident"]

GATHER = 1 << 22  # bytes that one thread gathers at a time


def on_device(features: Features) -> bool:
    """Whether the table lies on a GPU."""
    return isinstance(features.data, cp.ndarray)


def resident(features: Features, n_bytes: int) -> Features:
    """Return the table on the device if it takes at most so many bytes there and they are free, else as it is."""
    size = features.n_samples * features.n_features * features.data.dtype.itemsize
    if on_device(features) or features.sparse or size > n_bytes:
        return features
    rows = slice(0, features.n_samples)
    data = features.data if features.index is None else features.raw(rows)
    try:
        return replace(features, data=cp.asarray(native(np.ascontiguousarray(data))), index=None)
    except Exception as error:
        if is_out_of_memory(error):
            return features
        raise


def device_blocks(features: Features, parts: Sequence[Index], dtype: Any = np.float64) -> Iterator[Array]:
    """Yield the rows of each part on the device, converted as `Features.rows` does.

    Parameters
    ----------
    features : Features
    parts : sequence of slice or index array
        Index arrays lie where the table does.
    dtype : dtype
        float64; or float32 for a table of single precision that is taken as it is stored.

    Yields
    ------
    cupy.ndarray of shape (rows of the part, n_features)
        C-contiguous, not to be written to. The current stream waits for it, the host does not.
    """
    if on_device(features):
        for part in parts:
            yield _converted(features, features.raw(part), dtype)
    elif len(parts):
        yield from _streamed(features, parts, dtype)


def _converted(features: Features, block: Any, dtype: Any) -> Array:
    if dtype == np.float64:
        return features.converted(block)
    block = bfloat16_to_float32(block) if features.bfloat16 else block
    return cp.ascontiguousarray(block, dtype=dtype)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class _Slot:
    """One of the two buffers that blocks pass through."""

    pinned: Any
    device: Any
    copied: Any
    """Event: the pinned rows have reached the device."""
    used: Any
    """Event: the rows on the device have been read."""


def _streamed(features: Features, parts: Sequence[Index], dtype: Any) -> Iterator[Array]:
    copying, computing = cp.cuda.Stream(non_blocking=True), cp.cuda.get_current_stream()
    slots = _slots(features, max(map(_length, parts)), computing)

    def load(at: int) -> tuple[_Slot, int]:
        slot, m = slots[at % 2], _length(parts[at])
        slot.copied.synchronize()  # the host waits here only: until the pinned buffer may be filled again
        _gather(features, parts[at], slot.pinned[:m])
        copying.wait_event(slot.used)
        slot.device[:m].set(slot.pinned[:m], stream=copying)
        slot.copied.record(copying)
        return slot, m

    try:
        following = load(0)
        for at in range(len(parts)):
            slot, m = following
            computing.wait_event(slot.copied)
            block: Any = _converted(features, slot.device[:m], dtype)
            if block.data.ptr == slot.device.data.ptr:
                block = block.copy()  # the slot is filled again
            slot.used.record(computing)
            yield block
            if at + 1 < len(parts):
                following = load(at + 1)  # while the device works on this block
    finally:
        copying.synchronize()  # the buffers must not go back to their pools while they are being filled


def _slots(features: Features, n_rows: int, computing: Any) -> list[_Slot]:
    shape, dtype = (n_rows, features.n_features), features.data.dtype.newbyteorder("=")
    slots = []
    for _ in range(2):
        copied, used = (cp.cuda.Event(disable_timing=True) for _ in range(2))
        slots.append(_Slot(_pinned(shape, dtype), cp.empty(shape, dtype), copied, used))
        used.record(computing)  # the copies wait until the memory of the buffer is theirs
    return slots


def _pinned(shape: tuple[int, int], dtype: Any) -> Any:
    try:
        return cupyx.empty_pinned(shape, dtype)
    except Exception as error:
        if is_out_of_memory(error):  # containers limit it; copies from ordinary memory are slower, and right
            return np.empty(shape, dtype)
        raise


def _length(part: Index) -> int:
    return part.stop - part.start if isinstance(part, slice) else len(part)


def _gather(features: Features, part: Index, out: Array) -> None:
    """Copy rows into `out`, which has the table's dtype in native byte order."""
    data, index = features.data, part if features.index is None else features.index[part]
    start = index.start if isinstance(index, slice) else 0

    def one(rows: slice) -> None:
        if features.sparse:
            mine = slice(start + rows.start, start + rows.stop) if isinstance(index, slice) else index[rows]
            out[rows] = data[mine].toarray()
        elif isinstance(index, slice):
            np.copyto(out[rows], data[start + rows.start : start + rows.stop])
        elif data.dtype.isnative:
            np.take(data, index[rows], axis=0, out=out[rows], mode="clip")  # "clip" writes without a buffer
        else:
            np.copyto(out[rows], data[index[rows]])

    thread_map(one, spans(len(out), max(1, GATHER // max(1, out[:1].nbytes))))


def native(data: Array) -> Array:
    """Return an array in this machine's byte order, which CuPy needs."""
    return data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("="))
