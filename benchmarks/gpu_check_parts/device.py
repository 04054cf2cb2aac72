"""What the measurements ran on."""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
NEEDED = ("numpy", "scipy", "threadpoolctl", "narwhals")
PACKAGES = {
    "cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy"),
    **{name: (name,) for name in NEEDED},
    "scikit-learn": ("scikit-learn",),
    "pytest": ("pytest",),
    "hypothesis": ("hypothesis",),
    "torch": ("torch",),
    "torchmetrics": ("torchmetrics",),
    "cuml": ("cuml-cu13", "cuml-cu12", "cuml"),
    "pykeops": ("pykeops",),
}


def facts(check):
    """Gather the facts, and show the most important as the section's table."""
    check.facts = gather(check.cp, check.gm)
    for name in ("date", "gpu", "driver and runtime", "host", "packages", "absent", "gpumetrics"):
        check.row(what=name, found=check.facts[name])


def gather(cp, gm):
    """Facts about the device, the host, the libraries and the package."""
    versions = {name: version(aliases) for name, aliases in PACKAGES.items()}
    here = {name: found for name, found in versions.items() if found}
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        **_device(cp),
        "host": _host(),
        "packages": ", ".join(f"{name} {found}" for name, found in here.items()),
        "absent": ", ".join(name for name in versions if name not in here) or "none",
        "versions": versions,
        "gpumetrics": f"{gm.__version__} in {Path(gm.__file__).parent}, {_commit()}",
        "settings": {
            name: os.environ[name] for name in sorted(os.environ) if name.startswith(("CUDA_", "CUPY_", "OMP_"))
        },
    }


def _device(cp):
    device = cp.cuda.Device()
    properties = cp.cuda.runtime.getDeviceProperties(device.id)
    name = properties["name"]
    free, total = device.mem_info
    runtime = cp.cuda.runtime
    return {
        "gpu": f"{name.decode() if isinstance(name, bytes) else name}, compute capability "
        f"{properties['major']}.{properties['minor']}, {properties['multiProcessorCount']} multiprocessors, "
        f"{total / 2**30:.1f} GiB of which {free / 2**30:.1f} are free",
        "driver and runtime": f"driver for CUDA {_cuda(runtime.driverGetVersion())}, "
        f"runtime CUDA {_cuda(runtime.runtimeGetVersion())}, CuPy {cp.__version__}",
        "memory_bytes": {"free": free, "total": total},
    }


def _cuda(number):
    return f"{number // 1000}.{number % 1000 // 10}"


def _host():
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), cpu)
    except OSError:
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cpu}, {cores} cores, Python {platform.python_version()}, {platform.platform(terse=True)}"


def version(aliases):
    """The installed version of a package that may have several names."""
    for alias in aliases:
        try:
            return metadata.version(alias)
        except metadata.PackageNotFoundError:
            continue
    return None


def _commit():
    """The commit of the checkout, if git and its history are there."""
    try:
        found = [_git("rev-parse", "HEAD"), _git("status", "--porcelain", "--untracked-files=no")]
    except (OSError, subprocess.SubprocessError):
        return "commit unknown"
    return f"commit {found[0][:12]}{' with changes' if found[1] else ''}"


def _git(*arguments):
    done = subprocess.run(  # noqa: S603
        ["git", "-C", str(ROOT), *arguments],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()
