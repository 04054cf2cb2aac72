"""Resident memory of this process, and how much of it there may be."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

MIB = 2**20


def reset_peak():
    """Begin anew with the peak; where the system cannot, the peak is that of the process so far."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_mib():
    """Peak of the resident memory, in MiB."""
    found = _line("/proc/self/status", "VmHWM")
    if found is not None:
        return found / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (MIB if sys.platform == "darwin" else 1024)


def free_gib():
    """GiB that programs can still take, or None where the system does not tell."""
    free = _line("/proc/meminfo", "MemAvailable")
    return None if free is None else free / MIB


def limit_to_free():
    """Let what goes beyond the free memory raise MemoryError, before the system ends the process."""
    size, free = _line("/proc/self/status", "VmSize"), _line("/proc/meminfo", "MemAvailable")
    if size is not None and free is not None:
        resource.setrlimit(resource.RLIMIT_AS, ((size + free) * 1024, resource.RLIM_INFINITY))


def _line(path, name):
    """KiB that a line of a file of /proc tells."""
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith(name + ":")), None)
