"""Streams, memory and devices of the stand-in for CuPy: what is not waited for, or does not fit, shows."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from emulation import fake_cupy

pytestmark = pytest.mark.emulated
control = fake_cupy.control
HOST = np.arange(4.0)


@pytest.fixture
def cp():
    with fake_cupy.installed() as cupy:
        control.reset()
        yield cupy
        control.reset()


# -- copies that are asked for, not done -----------------------------------------------------------


@pytest.fixture
def stream(cp):
    return cp.cuda.Stream(non_blocking=True)


def pinned(values):
    import cupyx

    host = cupyx.empty_pinned(np.shape(values))
    assert np.isnan(host).all()
    host[...] = values
    return host


def test_a_copy_to_the_device_must_be_waited_for(cp, stream):
    a, host = cp.empty(4), pinned(HOST)
    a.set(host, stream=stream)
    with pytest.raises(fake_cupy.RaceError, match="may not have written yet"):
        _ = a + 1
    with control.set(races="poison"):
        assert np.isnan((a + 1).get()).all()
    stream.synchronize()
    assert_array_equal((a + 1).get(), HOST + 1)


def test_a_pinned_buffer_must_not_be_filled_too_early(cp, stream):
    a, host = cp.empty(4), pinned(HOST)
    a.set(host, stream=stream)
    host[...] = 7
    stream.synchronize()
    assert_array_equal(a.get(), 7)


def test_pageable_memory_is_staged(cp, stream):
    a, host = cp.empty(4), HOST.copy()
    a.set(host, stream=stream)
    host[...] = 7
    stream.synchronize()
    assert_array_equal(a.get(), HOST)


def test_a_copy_to_the_host_must_be_waited_for(cp, stream):
    a, host = cp.asarray(HOST), pinned(HOST)
    event = cp.cuda.get_current_stream().record()
    stream.wait_event(event)
    assert a.get(stream=stream, out=host, blocking=False) is host
    assert np.isnan(host).all()
    stream.synchronize()
    assert_array_equal(host, HOST)


@pytest.mark.parametrize("how", ["event", "event on the host", "stream", "device", "blocking stream"])
def test_what_makes_a_copy_happen(cp, how):
    stream = cp.cuda.Stream(non_blocking=how != "blocking stream")
    a = cp.empty(4)
    a.set(pinned(HOST), stream=stream)
    if how.startswith("event"):
        event = stream.record()
        event.synchronize() if how == "event on the host" else cp.cuda.get_current_stream().wait_event(event)
    elif how == "stream":
        stream.synchronize()
    elif how == "device":
        cp.cuda.Device().synchronize()
    assert_array_equal((a * 2).get(), 2 * HOST)  # the default stream waits for blocking streams by itself


def test_an_event_covers_what_came_before_it_only(cp, stream):
    a, b = cp.empty(4), cp.empty(4)
    a.set(pinned(HOST), stream=stream)
    event = stream.record()
    b.set(pinned(HOST), stream=stream)
    cp.cuda.get_current_stream().wait_event(event)
    assert_array_equal(a.get(), HOST)
    assert event.done
    assert not stream.done
    with pytest.raises(fake_cupy.RaceError):
        _ = b + 1


def test_a_buffer_must_have_been_read_before_it_is_filled_again(cp, stream):
    a, host = cp.empty(4), pinned(HOST)
    a.set(host, stream=stream)
    cp.cuda.get_current_stream().wait_event(stream.record())
    total = a.sum()
    with pytest.raises(fake_cupy.RaceError, match="may still be reading"):
        a.set(host, stream=stream)
    stream.wait_event(cp.cuda.get_current_stream().record())
    a.set(host, stream=stream)
    stream.synchronize()
    assert total.item() == HOST.sum()


def test_work_on_a_stream_of_its_own(cp, stream):
    a = cp.asarray(HOST)
    with stream, pytest.raises(fake_cupy.RaceError):
        _ = a + 1
    stream.wait_event(cp.cuda.get_current_stream().record())
    with stream:
        b = a + 1
        b.set(pinned(HOST))  # on the current stream, so later than what it did
        assert_array_equal(b.get(), HOST)
    assert cp.cuda.get_current_stream() is cp.cuda.Stream.null


def test_memory_that_was_used_before_may_still_be_in_use(cp, stream):
    _ = cp.ones(1000) + 1  # its block goes back to the pool, while the kernel may still run
    a = cp.empty(1000)
    with pytest.raises(fake_cupy.RaceError):
        a.set(np.zeros(1000), stream=stream)
    stream.wait_event(cp.cuda.get_current_stream().record())
    a.set(np.zeros(1000), stream=stream)
    stream.synchronize()


def test_memory_that_a_copy_still_uses_must_not_be_freed(cp, stream):
    a = cp.empty(1000)
    a.set(np.zeros(1000), stream=stream)
    del a
    with pytest.raises(RuntimeError, match="freed while stream"):
        cp.ones(3)
    cp.ones(3)


def test_events_measure_time(cp):
    first, second = cp.cuda.Event(), cp.cuda.Event()
    first.record()
    second.record()
    second.synchronize()
    assert cp.cuda.get_elapsed_time(first, second) >= 0
    with pytest.raises(ValueError, match="recorded"):
        cp.cuda.get_elapsed_time(first, cp.cuda.Event())


def test_pinned_memory_by_bytes(cp):
    buffer = cp.cuda.alloc_pinned_memory(80)
    array = np.frombuffer(buffer, np.float64, 10)
    assert buffer.size() == 80
    assert buffer.ptr == array.ctypes.data


# -- memory ----------------------------------------------------------------------------------------


def test_the_pool_counts_bytes(cp):
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    a = cp.empty(1000)
    assert pool.used_bytes() == before + 8192
    del a
    assert pool.used_bytes() == before
    assert pool.free_bytes() >= 8192
    assert control.peak[0] >= before + 8192
    free, total = cp.cuda.Device().mem_info
    assert total == control.device_bytes
    assert free == total - pool.total_bytes()


def test_a_device_that_is_full(cp):
    used = cp.get_default_memory_pool().used_bytes()
    with control.set(device_bytes=used + 100_000):
        a = cp.empty(8_000)
        with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="Out of memory allocating 64,000 bytes") as error:
            cp.empty(8_000)
        assert isinstance(error.value, MemoryError)
        del a, error
        cp.empty(8_000)
        cp.get_default_memory_pool().set_limit(used + 10_000)
        with pytest.raises(MemoryError, match="limit set to"):
            cp.empty(8_000)
    assert not control.pool_emptied


def test_allocations_that_shall_fail(cp):
    control.fail_allocation(number=2, above=1000)
    cp.empty(1000)
    cp.empty(10)
    with pytest.raises(MemoryError):
        cp.empty(1000)
    cp.empty(1000)
    control.fail_allocation(times=2)
    for _ in range(2):
        with pytest.raises(MemoryError):
            cp.ones(1)
    cp.ones(1)


def test_emptying_the_pool_is_recorded(cp):
    cp.get_default_memory_pool().free_all_blocks()
    assert control.pool_emptied == 1


# -- devices ---------------------------------------------------------------------------------------


def test_arrays_belong_to_the_current_device(cp):
    a = cp.ones(3)
    with cp.cuda.Device(1):
        b = cp.ones(3)
        assert b.device == cp.cuda.Device(1)
        assert_array_equal(cp.asarray(a).get(), 1)
        assert cp.asarray(a).device.id == 1
        with pytest.raises(ValueError, match="array device = 0 while current = 1"):
            _ = a + 1
    uses = [lambda: a + b, b.sum, lambda: cp.concatenate([a, b]), lambda: b[b > 0], lambda: a.__iadd__(b)]
    for use in uses:
        with pytest.raises(ValueError, match="array device = 1 while current = 0"):
            use()
    assert_array_equal(b.get(), 1)  # copies to the host work from anywhere
    with pytest.raises(RuntimeError, match="invalid device"):
        cp.cuda.Device(5).use()


def test_the_current_device_is_that_of_the_thread(cp):
    seen = []
    with cp.cuda.Device(1):
        thread = threading.Thread(target=lambda: seen.append(cp.cuda.Device().id))
        thread.start()
        thread.join()
    assert seen == [0]


def test_without_a_device(cp):
    with control.set(n_devices=0):
        assert not cp.cuda.is_available()
        assert cp.cuda.runtime.getDeviceCount() == 0
