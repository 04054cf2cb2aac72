"""What the tests set and read: sizes of devices, allocations that shall fail, orders of blocks, counters."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass, field

GIB = 1 << 30


@dataclass
class Control:
    """State of the emulation; `reset` puts it back."""

    n_devices: int = 2
    device_bytes: int = 4 * GIB
    capability: str = "90"
    # "raise": an access that no synchronisation orders is an error. "poison": it only sees what is not there yet.
    races: str = "raise"
    # Seed of the order of blocks, and of the threads within a block; None is the natural order.
    order_seed: int | None = None
    # Watch every access to memory of a kernel: races and what lies out of bounds (slow).
    check: bool = False
    launches: Counter = field(default_factory=Counter)  # by kernel
    counts: Counter = field(default_factory=Counter)
    problems: list = field(default_factory=list)
    pool_emptied: int = 0
    allocations: list = field(default_factory=list)  # (device, bytes) of each, while `record` is on
    record: bool = False
    peak: Counter = field(default_factory=Counter)  # by device
    _failures: list = field(default_factory=list)

    def reset(self):
        """Defaults again, counters at zero, pools without limit; arrays that live keep their memory."""
        from . import precision, streams

        self.__dict__.update(Control().__dict__)
        precision.reset()
        for device in streams._states.values():
            device.pool._limit, device.pool._total = 0, device.pool._used

    def fail_allocation(self, number=1, above=0, times=1):
        """Let the `number`-th allocation from now of more than `above` bytes fail, and `times` - 1 after it."""
        self._failures.append([number, above, times])

    def shall_fail(self, nbytes):
        failed = False
        for rule in self._failures:
            if nbytes > rule[1]:
                rule[0] -= 1
                if rule[0] <= 0 and rule[2] > 0:
                    rule[2] -= 1
                    failed = True
        self._failures = [rule for rule in self._failures if rule[2] > 0]
        return failed

    @contextlib.contextmanager
    def set(self, **values):
        """Change some of these for a `with` block."""
        before = {name: getattr(self, name) for name in values}
        for name, value in values.items():
            setattr(self, name, value)
        try:
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)


control = Control()
