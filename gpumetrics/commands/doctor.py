"""``gpumetrics doctor``: what is installed, which backend runs and why, what to install."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

__all__ = ["add_parser", "run"]

# What each package is for here; the first four are needed, the others are extras.
PACKAGES = {
    "numpy": "required",
    "scipy": "required",
    "threadpoolctl": "required",
    "narwhals": "required",
    "cupy": "the GPU (extras cuda12, cuda13)",
    "scikit-learn": "gpumetrics demo (extra demo)",
    "pyarrow": ".parquet, .arrow and .feather files (extra io)",
    "h5py": ".h5 and .h5ad files (extra io)",
    "zarr": ".zarr stores (extra io)",
    "tqdm": "progress bars (extra progress)",
    "pandas": "labels and features from its frames",
    "polars": "labels and features from its frames",
    "torch": "tensors as input",
}
# One library, several names on the package index.
ALIASES = {"cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy")}


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    parser = commands.add_parser(
        "doctor",
        help="say what is installed and which backend runs, and why",
        description="Say what is installed, which backend would run and why, and what to install. "
        "Exit code 0 if a backend works, 1 if none does.",
        allow_abbrev=False,
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--quiet", action="store_true", help="one line: the backend and why")
    form.add_argument("--json", action="store_true", help="print JSON rather than text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    facts = examine()
    if args.json:
        from gpumetrics.text.json_text import strict_json

        print(strict_json(facts))
    elif args.quiet:
        print(_verdict(facts))
    else:
        print(_text(facts))
    return 0 if facts["works"] else 1


def examine() -> dict[str, Any]:
    """Return the facts that the command prints."""
    from gpumetrics import __version__
    from gpumetrics.backends import probe_cupy

    backend, reason = _backend()
    usable, gpu = probe_cupy()
    return {
        "works": backend != "none",
        "backend": backend,
        "backend_reason": reason,
        "gpu_usable": usable,
        "gpu": gpu,
        "gpu_state": (state := gpu_state(gpu, usable=usable)),
        "gpu_install": None if usable else gpu_install(state),
        "gpumetrics": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "packages": {name: _version(name) for name in PACKAGES},
        "threads": _threads(),
        "blas": _blas(),
    }


def _backend() -> tuple[str, str]:
    """Return the backend of large work on host arrays and why, or "none" and what is wrong."""
    try:
        from gpumetrics.backends import choose

        choice = choose(seconds=lambda: float("inf"))
    except Exception as error:  # noqa: BLE001  (a broken install may raise anything, and saying so is the point)
        return "none", " ".join(str(error).split()) or type(error).__name__
    return choice.ops.NAME, choice.reason


def _version(name: str) -> str | None:
    for alias in ALIASES.get(name, (name,)):
        try:
            version = metadata.version(alias)
        except metadata.PackageNotFoundError:
            continue
        return version if alias == name else f"{version} ({alias})"
    return None


def _threads() -> int:
    from gpumetrics.backends.threads import n_threads

    return n_threads()


def _blas() -> list[str]:
    """Return one line for each BLAS or OpenMP library that NumPy and SciPy bring."""
    try:
        import numpy as np  # noqa: F401
        import scipy.linalg  # noqa: F401
        from threadpoolctl import threadpool_info
    except Exception as error:  # noqa: BLE001
        return [f"cannot be examined ({type(error).__name__}: {error})"]
    return [
        f"{pool['internal_api']} {pool['version'] or ''}".rstrip()
        + f", {pool['num_threads']} threads"
        + (f", kernel {pool['architecture']}" if pool.get("architecture") else "")
        for pool in threadpool_info()
    ]


def gpu_state(reason: str, *, usable: bool) -> str:
    """Return "usable", or what is wrong with CuPy: "missing", "no device" or "broken"."""
    from gpumetrics.backends import MISSING, NO_DEVICE

    if usable:
        return "usable"
    return "missing" if reason.startswith(MISSING) else "no device" if reason.startswith(NO_DEVICE) else "broken"


def gpu_install(state: str = "missing") -> str:
    """Return what to do for a GPU on this machine: one pip line, unless it is the driver that is wrong."""
    from gpumetrics.backends import cupy_packages, reinstall_cupy

    version = _driver_cuda()
    if state == "no device":
        if version is None:
            return "the driver is missing: install NVIDIA's driver for CUDA 12 or later; CuPy itself is here"
        return "the driver is here, but shows no device: check nvidia-smi and the variable CUDA_VISIBLE_DEVICES"
    if state == "broken" and version == 12 and cupy_packages() == ["cupy-cuda13x"]:
        return 'the driver is for CUDA 12: pip uninstall -y cupy-cuda13x, then pip install "gpumetrics[cuda12]"'
    if state == "broken" and (version is None or version >= 12):
        return reinstall_cupy()
    if version is None:
        return (
            "no NVIDIA driver was found on this machine; where there is one: "
            'pip install "gpumetrics[cuda13]", or "gpumetrics[cuda12]" if the driver is older than CUDA 13'
        )
    if version < 12:
        return f"the NVIDIA driver is for CUDA {version}: update it to CUDA 12 or later first"
    return f'pip install "gpumetrics[cuda{13 if version >= 13 else 12}]"'


def _driver_cuda() -> int | None:
    """Return the major CUDA version of the installed NVIDIA driver, without touching the device."""
    import ctypes

    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            version = ctypes.c_int(0)
            if ctypes.CDLL(name).cuDriverGetVersion(ctypes.byref(version)) == 0:
                return version.value // 1000
        except (OSError, AttributeError):
            continue
    return None


def _verdict(facts: dict[str, Any]) -> str:
    if facts["works"]:
        verdict = f"the {facts['backend']} backend runs: {facts['backend_reason']}"
    else:
        verdict = f"no backend works: {facts['backend_reason']}"
    return f"gpumetrics {facts['gpumetrics']}: {verdict}"


def _text(facts: dict[str, Any]) -> str:
    from gpumetrics.text.layout import align

    rows = [("package", "version", "for")]
    rows += [(name, facts["packages"][name] or "-", purpose) for name, purpose in PACKAGES.items()]
    gpu = f"usable: {facts['gpu']}" if facts["gpu_usable"] else f"not usable: {facts['gpu']}"
    lines = [
        _verdict(facts),
        f"Python {facts['python']} on {facts['platform']}",
        "",
        align(rows, right=set()),
        "",
        f"threads  {facts['threads']} (cores this process may use, or OMP_NUM_THREADS)",
        *(f"BLAS     {line}" for line in facts["blas"]),
        f"GPU      {gpu}",
    ]
    if facts["gpu_install"]:
        lines.append(f"to mend  {facts['gpu_install']}")
    return "\n".join(lines)
