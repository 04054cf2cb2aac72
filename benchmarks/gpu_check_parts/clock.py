"""Seconds by CUDA events, and the growth of the memory pool."""

from __future__ import annotations

from typing import NamedTuple

MIB = 2**20


class Timing(NamedTuple):
    """Seconds of a call, the warm-up left out."""

    rounds: list[float]

    @property
    def best(self):
        return min(self.rounds)

    @property
    def spread(self):
        """By how much the slowest round is slower than the best."""
        return max(self.rounds) / self.best - 1 if self.best > 0 else 0.0

    def cells(self, name="seconds"):
        """Cells of a table's row."""
        return {name: self.best, "spread": f"{self.spread:.0%} of {len(self.rounds)}"}


class CupyClock:
    """Events on CuPy's current stream."""

    def __init__(self, cp):
        self.cp = cp

    def seconds(self, call):
        """Seconds from the moment the device is free until it has done what the call asks for, and its value."""
        self.cp.cuda.Device().synchronize()
        start, stop = self.cp.cuda.Event(), self.cp.cuda.Event()
        start.record()
        value = call()
        stop.record()
        stop.synchronize()
        return self.cp.cuda.get_elapsed_time(start, stop) / 1e3, value


def in_turn(clock, calls, *, seconds, most=5):
    """Time some calls in turn (A B A B ...), so that a clock rate that drifts meets them all.

    Goes on until `seconds` are used up, for at least one round and at most `most`.
    """
    rounds = [[clock.seconds(call)[0] for call in calls]]
    while len(rounds) < most and sum(map(sum, rounds)) + sum(rounds[-1]) <= seconds:
        rounds.append([clock.seconds(call)[0] for call in calls])
    return [Timing(list(column)) for column in zip(*rounds, strict=True)]


def with_peak(cp, clock, call):
    """Run a call with an empty pool: its seconds, its value, and MiB that the pool took, which is at most 1 block more.

    The pool is that of this program; nothing but a benchmark should empty it.
    """
    pool = cp.get_default_memory_pool()
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    before = pool.used_bytes()
    seconds, value = clock.seconds(call)
    return seconds, value, (pool.total_bytes() - before) / MIB
