"""Emulated device memory: a pool of fixed size per device; blocks between red zones, poisoned when they are new."""

from __future__ import annotations

import ctypes
import weakref

import numpy as np

from .control import control

ZONE = 512  # bytes on each side of a block, also the pool's unit
RED = bytes([0xB5]) * ZONE
ADDRESS_OF_NOTHING = 0


class OutOfMemoryError(MemoryError):
    """Out-of-memory error, as `cupy.cuda.memory.OutOfMemoryError`."""

    def __init__(self, size, total, limit=0):
        self._size, self._total, self._limit = size, total, limit
        text = f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes"
        super().__init__(f"{text}, limit set to: {limit:,} bytes)." if limit else f"{text}).")


class MemoryPool:
    """The pool of one device. Freed blocks stay in it until the device is full or somebody empties it."""

    def __init__(self, device_id):
        self.device_id = device_id
        self._used = self._total = self._limit = 0

    def used_bytes(self):
        return self._used

    def total_bytes(self):
        return max(self._used, min(self._total, control.device_bytes))

    def free_bytes(self):
        return self.total_bytes() - self._used

    def n_free_blocks(self):
        return int(self.total_bytes() > self._used)

    def get_limit(self):
        return self._limit

    def set_limit(self, size=None, fraction=None):
        if (size is None) == (fraction is None) and size is not None:
            raise ValueError("size and fraction cannot be specified at one time")
        self._limit = int(control.device_bytes * fraction) if size is None else int(size)

    def free_all_blocks(self, stream=None):
        control.pool_emptied += 1
        self._total = self._used

    def _take(self, nbytes):
        size = -(-nbytes // ZONE) * ZONE
        if control.record:
            control.allocations.append((self.device_id, nbytes))
        limit = min(self._limit or control.device_bytes, control.device_bytes)
        if self._used + size > limit or control.shall_fail(nbytes):
            raise OutOfMemoryError(size, self._total, self._limit)
        self._used += size
        reused = self._total >= self._used
        # A pool that is full gives its free blocks back by itself before it fails.
        self._total = max(self._used, self._total if self._total <= limit else 0)
        control.peak[self.device_id] = max(control.peak[self.device_id], self._used)
        return size, reused

    def _give(self, size):
        self._used -= size


class Memory:
    """One block of device memory."""

    def __init__(self, nbytes, device, stream):
        self.device, self.nbytes = device, nbytes
        size, reused = device.pool._take(nbytes)
        # A block that was in use before may still be in use, by work that this stream has not finished.
        self.writer, self.readers = (stream._key, stream._time) if reused else None, {}
        raw = np.empty(nbytes + 3 * ZONE, dtype=np.uint8)
        start = ZONE + -raw.__array_interface__["data"][0] % ZONE
        self.bytes = raw[start : start + nbytes]
        self._before, self._after = raw[start - ZONE : start], raw[start + nbytes : start + nbytes + ZONE]
        self._before[:] = self._after[:] = RED[0]
        self.address = self.bytes.__array_interface__["data"][0] if nbytes else ADDRESS_OF_NOTHING
        self._uses, self.pending = {}, []  # pending: copies that are queued
        _alive[self.address] = self
        weakref.finalize(self, _freed, device.pool, size, self._uses, stream).atexit = False

    @classmethod
    def unowned(cls, address, nbytes, device, owner):
        """Memory that somebody else owns."""
        memory = cls.__new__(cls)
        memory.device, memory.nbytes, memory.address, memory.owner = device, nbytes, address, owner
        memory.writer, memory.readers, memory._uses, memory.pending = None, {}, {}, []
        buffer = (ctypes.c_ubyte * nbytes).from_address(address) if nbytes else b""
        memory.bytes = np.frombuffer(buffer, np.uint8)
        memory._before = memory._after = np.frombuffer(RED, np.uint8)
        return memory

    def poison(self, dtype):
        """Fill with what no one may read: NaN, or a pattern that is no sensible integer."""
        # A bool that is neither 0 nor 1 would break NumPy itself.
        self.bytes.fill({"f": 0xFF, "c": 0xFF, "b": 1}.get(np.dtype(dtype).kind, 0xCD))

    def damaged(self):
        """Where something wrote out of bounds: "before", "after" or None."""
        if self._before.tobytes() != RED:
            return "before"
        return "after" if self._after.tobytes() != RED else None

    def read_by(self, stream):
        if self.writer is not None and not _is_over(self.writer, stream):
            _race(f"stream {stream._key:#x} reads memory that stream {self.writer[0]:#x} may not have written yet")
        self.readers[stream._key] = self._uses[stream._key] = stream._time

    def written_by(self, stream):
        if self.writer is not None and not _is_over(self.writer, stream):
            _race(f"stream {stream._key:#x} writes memory that stream {self.writer[0]:#x} may still be writing")
        for reader in self.readers.items():
            if not _is_over(reader, stream):
                _race(f"stream {stream._key:#x} writes memory that stream {reader[0]:#x} may still be reading")
        self.readers = {}
        self.writer = (stream._key, stream._time)
        self._uses[stream._key] = stream._time


_alive: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def find(address):
    """The block of ours in which an address lies, or None."""
    for start, memory in list(_alive.items()):
        if address and start <= address < start + memory.nbytes:
            return memory
    return None


class RaceError(RuntimeError):
    """An access that no event, stream or device synchronisation orders."""


finished: set[int] = set()  # keys of streams that are gone, and whose work is known to be over


def _is_over(use, stream):
    """Whether the work of (stream, time) surely came before what this stream does now."""
    return stream._seen.get(use[0], 0) >= use[1] or use[0] in finished


def _race(text):
    if control.races == "raise":
        raise RaceError(f"{text}: record an event and wait for it, or synchronise")


def _freed(pool, size, uses, stream):
    pool._give(size)
    # The pool hands the block to the next allocation on the same stream: work of other streams must have ended.
    stream._know_host()
    for use in uses.items():
        if not _is_over(use, stream) and control.races == "raise":
            control.problems.append(f"memory was freed while stream {use[0]:#x} may still be using it")


class MemoryPointer:
    """`cupy.cuda.MemoryPointer`: an address within a block."""

    def __init__(self, mem, offset):
        self.mem, self._offset = mem, offset

    @property
    def ptr(self):
        return self.mem.address + self._offset if self.mem.nbytes else ADDRESS_OF_NOTHING

    @property
    def device(self):
        return self.mem.device.handle

    @property
    def device_id(self):
        return self.mem.device.id

    def __add__(self, offset):
        return MemoryPointer(self.mem, self._offset + int(offset))

    def __int__(self):
        return self.ptr
