"""Seconds of some calls that run in turn (A B A B ...), each on fresh copies of its arguments."""

from __future__ import annotations

import contextlib
import gc
import os
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

LEAST, BUDGET = 3, 45.0  # rounds that there are at least; seconds after which no further one begins
MANY, QUICK = 60, 0.5  # calls that take no time get so many rounds, for so many seconds


def nothing():
    """Wait for nothing: the host's calls end when they return."""


@dataclass(frozen=True)
class Side:
    """A call, its arguments, and what surrounds it outside of the clock.

    `given` turns the copies into the side's own arrays; `around` gives a context for the call; `synchronize` waits for
    a device.
    """

    call: Callable
    args: list
    given: Callable[[list], list] = list
    around: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
    synchronize: Callable[[], None] = nothing


class Seconds(NamedTuple):
    """Medians over the rounds: of the wall's clock, and of the processor time of the process."""

    wall: float
    cpu: float


def copied(args):
    """Copies of all arrays among the arguments, and of those in lists."""
    return [[part.copy() for part in a] if isinstance(a, list) else a.copy() if hasattr(a, "copy") else a for a in args]


def timed(side):
    """Wall and processor seconds of one call, and its value."""
    own = side.given(copied(side.args))
    with side.around():
        gc.collect()
        side.synchronize()
        wall, cpu = time.perf_counter(), time.process_time()
        value = side.call(*own)
        side.synchronize()
        return time.perf_counter() - wall, time.process_time() - cpu, value


def in_turn(sides, *, rounds=15, budget=BUDGET):
    """Medians of each side (a dict by name), and the number of rounds.

    There are at most `rounds`, or more for calls that take hardly any time; none begins that would exceed the budget.
    """
    times = {name: [] for name in sides}
    started, done = time.perf_counter(), 0
    while done < min(LEAST, rounds) or _goes_on(done, time.perf_counter() - started, times.values(), rounds, budget):
        for name, side in sides.items():
            times[name].append(timed(side)[:2])
        done += 1
    return {name: Seconds(*map(statistics.median, zip(*found, strict=True))) for name, found in times.items()}, done


def _goes_on(done, spent, times, rounds, budget):
    if done >= rounds:
        return rounds > LEAST and done < MANY and sum(wall for found in times for wall, _ in found) < QUICK
    return spent * (done + 1) / done < budget


class Others:
    """The share of the machine's cores that other programs took inside of the block; None where nothing tells."""

    share: float | None = None

    def __enter__(self):
        self._before = time.perf_counter(), _busy(), _own()
        return self

    def __exit__(self, *_):
        wall, everything, own = self._before
        wall, own = time.perf_counter() - wall, _own() - own
        if everything is not None:
            self.share = max(0.0, (_busy() - everything - own) / (wall * os.cpu_count()))


def _own():
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def _busy():
    """Processor seconds of all programs since the machine was started: all of /proc/stat but idle and iowait."""
    try:
        with open("/proc/stat", encoding="ascii") as file:  # noqa: PTH123
            ticks = [int(word) for word in file.readline().split()[1:9]]
    except OSError:
        return None
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
