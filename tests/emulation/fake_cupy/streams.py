"""Devices, streams and events.

Computation happens at once; copies that are asked for asynchronously wait until something makes them happen. Besides,
every stream knows which work of the others surely came before it (a vector clock), so that an access which only luck
orders is found even where the values come out right.
"""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections import deque

from .control import control
from .memory import Memory, MemoryPointer, MemoryPool, finished

_pointers = itertools.count(0x1000, 0x10)
_host_seen: dict[int, int] = {}


def _merge(known, other):
    for key, moment in list(other.items()):
        if known.get(key, 0) < moment:
            known[key] = moment


class _DeviceState:
    """What belongs to one device."""

    def __init__(self, device_id):
        self.id = device_id
        self.pool = MemoryPool(device_id)
        self.streams = weakref.WeakSet()
        self.orphans = []
        self.handle = Device(device_id)
        self.null = Stream._on(self, null=True)

    def synchronize(self):
        control.counts["device synchronize"] += 1
        for stream in list(self.streams):
            stream._drain()
            stream._know_host()
            _merge(_host_seen, stream._seen)
        while self.orphans:
            self.orphans.pop(0)()


class Device:
    """`cupy.cuda.Device`."""

    def __init__(self, device=None):
        self.id = current_device().id if device is None else int(device)

    def __int__(self):
        return self.id

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"

    def use(self):
        state(self.id)
        _local.device = self.id

    def __enter__(self):
        _stack().append(current_device().id)
        self.use()
        return self

    def __exit__(self, *_):
        _local.device = _stack().pop()

    def synchronize(self):
        state(self.id).synchronize()

    @property
    def compute_capability(self):
        return control.capability

    @property
    def mem_info(self):
        return max(0, control.device_bytes - state(self.id).pool.total_bytes()), control.device_bytes


class _NullStream:
    """The legacy default stream of the current device."""

    def __get__(self, stream, kind=None):
        return current_device().null


class Stream:
    """`cupy.cuda.Stream`."""

    null = _NullStream()

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if ptds or null:
            raise NotImplementedError("the null stream is Stream.null, and there is no per-thread default stream here")
        self._setup(current_device(), null=False, non_blocking=non_blocking)

    @classmethod
    def _on(cls, device, *, null):
        stream = cls.__new__(cls)
        stream._setup(device, null=null, non_blocking=False)
        return stream

    def _setup(self, device, *, null, non_blocking):
        self._device = device
        self._is_null = null
        self.is_non_blocking = non_blocking
        self._key = device.id + 1 if null else next(_pointers)
        self.ptr = 0 if null else self._key
        self._queue = deque()
        self._done_count = self._enqueued = self._time = 0
        self._seen = {}
        device.streams.add(self)

    def __del__(self):
        # CUDA lets the work of a stream end; nobody knows when.
        if self._queue:
            self._device.orphans.extend(self._queue)
        elif _host_seen.get(self._key, 0) >= self._time:
            # All that it did is over: nobody needs to remember it, and clocks stay short.
            finished.add(self._key)
            for clock in (_host_seen, *(s._seen for s in list(self._device.streams))):
                clock.pop(self._key, None)

    def __enter__(self):
        _stack().append(current_stream(self._device.id))
        self.use()
        return self

    def __exit__(self, *_):
        _streams()[self._device.id] = _stack().pop()

    def use(self):
        _streams()[self._device.id] = self
        return self

    @property
    def done(self):
        return not self._queue

    def synchronize(self):
        control.counts["stream synchronize"] += 1
        self._wait_here()

    def _wait_here(self):
        """Let the host wait for this stream."""
        self._begin()
        _merge(_host_seen, self._seen)

    def _know_host(self):
        """What the host has waited for comes before all that it launches from now on."""
        _merge(self._seen, _host_seen)

    def _begin(self):
        """Start an operation: all that this stream waits for happens first."""
        self._know_host()
        for other in self._implicit():
            other._drain()
            _merge(self._seen, other._seen)
        self._drain()
        self._tick()
        _raise_problems()
        return self

    def _defer(self, action):
        """Queue an operation; returns after the clocks are set."""
        self._know_host()
        for other in self._implicit():
            _merge(self._seen, other._seen)
            self.wait_event(other.record())
        self._tick()
        self._queue.append(action)
        self._enqueued += 1
        _raise_problems()

    def _tick(self):
        self._time += 1
        self._seen[self._key] = self._time

    def _implicit(self):
        """The streams that the legacy default stream synchronises with, seen from either side."""
        if self.is_non_blocking:
            return []
        if self._is_null:
            return [s for s in self._device.streams if s is not self and not s.is_non_blocking]
        return [self._device.null]

    def _drain(self, until=None):
        """Carry out what is queued, or its first `until` operations (counted since the stream began)."""
        while self._queue and (until is None or self._done_count < until):
            action = self._queue.popleft()
            self._done_count += 1
            action()

    def record(self, event=None):
        event = Event() if event is None else event
        event._record(self)
        return event

    def wait_event(self, event):
        self._know_host()
        _merge(self._seen, event._seen)
        if event._stream is not None and event._stream is not self:
            self._queue.append(lambda stream=event._stream, until=event._until: stream._drain(until))
            self._enqueued += 1


class Event:
    """`cupy.cuda.Event`."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._stream, self._until, self._seen, self._moment = None, 0, {}, None
        self._timing = not disable_timing

    def record(self, stream=None):
        self._record(current_stream() if stream is None else stream)

    def _record(self, stream):
        stream._know_host()
        self._stream, self._until = stream, stream._enqueued
        self._seen, self._moment = dict(stream._seen), time.perf_counter()

    @property
    def done(self):
        return self._stream is None or self._stream._done_count >= self._until

    def synchronize(self):
        control.counts["event synchronize"] += 1
        if self._stream is not None:
            self._stream._drain(self._until)
        _merge(_host_seen, self._seen)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events."""
    if start_event._moment is None or end_event._moment is None or not (start_event._timing and end_event._timing):
        raise ValueError("both events must be recorded, with timing")
    if not (start_event.done and end_event.done):
        raise RuntimeError("cudaErrorNotReady: device not ready")
    return (end_event._moment - start_event._moment) * 1e3


_local = threading.local()
_states: dict[int, _DeviceState] = {}


def state(device_id):
    if not 0 <= device_id < control.n_devices:
        raise RuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
    if device_id not in _states:
        _states[device_id] = object.__new__(_DeviceState)
        _states[device_id].__init__(device_id)
    return _states[device_id]


def current_device():
    return state(getattr(_local, "device", 0))


def _stack():
    """What was current before each ``with`` that this thread is in."""
    if not hasattr(_local, "stack"):
        _local.stack = []
    return _local.stack


def _streams():
    if not hasattr(_local, "streams"):
        _local.streams = {}
    return _local.streams


def current_stream(device_id=None):
    device = current_device() if device_id is None else state(int(device_id))
    return _streams().get(device.id, device.null)


def allocate(nbytes):
    """A block on the current device."""
    return Memory(nbytes, current_device(), current_stream())


def alloc(size):
    """`cupy.cuda.alloc`."""
    memory = allocate(size)
    memory.poison("float64")
    return MemoryPointer(memory, 0)


def _raise_problems():
    if control.problems:
        problems, control.problems[:] = list(control.problems), []
        raise RuntimeError("; ".join(problems))
