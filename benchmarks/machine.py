"""What the figures depend on: the machine, the versions, the state of the repository."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from datetime import date
from pathlib import Path

from . import memory, peers
from .limits import CORES


def facts():
    """All of it, as JSON can hold it."""
    import numpy as np  # noqa: PLC0415
    import scipy  # noqa: PLC0415

    import gpumetrics as gm  # noqa: PLC0415

    return {
        "date": date.today().isoformat(),
        "machine": platform.machine(),
        "processor": processor(),
        "cores": CORES,
        "free_gib": memory.free_gib(),
        "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "blas": blas(),
        "scipy": scipy.__version__,
        "gpumetrics": gm.__version__,
        "commit": commit(),
        "gpu": gpu(),
        "peers": {name: {"version": version, "reason": why} for name, (version, why) in peers.found().items()},
    }


def processor():
    """The processor's own name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def blas():
    """NumPy's BLAS, its version and its kernel."""
    from threadpoolctl import threadpool_info  # noqa: PLC0415

    found = [lib for lib in threadpool_info() if lib["user_api"] == "blas"]
    words = [f"{lib['internal_api']} {lib['version']} {lib.get('architecture') or ''}".strip() for lib in found]
    return ", ".join(dict.fromkeys(words))


def commit():
    """The commit that is measured, with a + where files differ from it; None without git."""
    git = shutil.which("git")
    if git is None:
        return None
    folder = Path(__file__).parent

    def said(*words):
        return subprocess.run([git, *words], cwd=folder, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603

    head = said("rev-parse", "--short", "HEAD")
    return head + "+" * bool(said("status", "--porcelain", "--untracked-files=no")) if head else None


def gpu():
    """The GPU's name, or None."""
    from gpumetrics.backends import probe_cupy  # noqa: PLC0415

    if not probe_cupy()[0]:
        return None
    import cupy as cp  # noqa: PLC0415

    return cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)["name"].decode()
