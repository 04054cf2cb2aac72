"""Machines to plan for: this one, measured in some milliseconds, and GPUs, assumed."""

from __future__ import annotations

import functools
import math
import os
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

__all__ = ["ASSUMED_GPU", "Machine", "physical_memory", "this_machine"]

SHARE = 0.9  # of a memory: the rest is the system's, the libraries' and fragmentation's
# Of this machine only the speed of products is measured; these would take a large file and a second machine.
ASSUMED_STORAGE = 1e9
ASSUMED_LINK = 1.25e9
UNKNOWN_MEMORY = 16 * 2**30  # where the system does not say


@dataclass(frozen=True)
class Machine:
    """What a worker can do; change one number with `dataclasses.replace`.

    Attributes
    ----------
    name : str
    memory : float
        Bytes: of a GPU its own memory.
    float32, float64 : float
        Operations per second of a matrix product.
    bandwidth : float
        Bytes per second that it reads from its memory. (Not used for a CPU, whose passes over X are timed as a whole.)
    feed : float
        Bytes per second by which rows reach it that its memory does not hold: from storage, or from the host to a GPU.
    link : float
        Bytes per second between two workers.
    reached : float
        Share of these speeds that is counted on.
    gpu : bool
    measured : bool
        Whether its speed was measured rather than assumed.

    Raises
    ------
    ValueError
        If a number is not finite and positive, or ``reached`` is above 1.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from gpumetrics.planning import ASSUMED_GPU
    >>> replace(ASSUMED_GPU, memory=24e9).memory
    24000000000.0
    """

    name: str
    memory: float
    float32: float
    float64: float
    bandwidth: float
    feed: float
    link: float
    reached: float = 1.0
    gpu: bool = False
    measured: bool = False

    def __post_init__(self) -> None:
        for name in ("memory", "float32", "float64", "bandwidth", "feed", "link", "reached"):
            value: Any = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < math.inf:
                msg = f"{name} of a machine must be a finite number above 0, got {value!r}"
                raise ValueError(msg)
        if self.reached > 1:
            msg = f"reached must be a share from 0 to 1 of the machine's speeds, got {self.reached!r}"
            raise ValueError(msg)

    @property
    def usable(self) -> float:
        """Bytes of memory that are counted on."""
        return SHARE * self.memory

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


ASSUMED_GPU = Machine(
    name="GPU",
    memory=80e9,
    float32=19.5e12,
    float64=9.7e12,
    bandwidth=2e12,
    feed=25e9,
    link=12.5e9,
    reached=0.5,
    gpu=True,
)
"""A GPU of 80 GB as its makers' data sheets have it, with half of its speeds counted on: nothing was measured."""


@functools.cache
def this_machine() -> Machine:
    """Return the machine that this process runs on: its products are timed, its storage and network assumed."""
    from gpumetrics.backends.threads import n_threads
    from gpumetrics.clustering.cost import core_speed

    float32 = core_speed() * n_threads()
    return Machine(
        name="this machine",
        memory=float(physical_memory()),
        float32=float32,
        float64=float32 / 2,
        bandwidth=10e9,
        feed=ASSUMED_STORAGE,
        link=ASSUMED_LINK,
        measured=True,
    )


def physical_memory() -> int:
    """Return the bytes of memory of this machine; 16 GiB where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not every system has it
        return UNKNOWN_MEMORY
