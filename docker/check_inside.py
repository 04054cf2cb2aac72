"""Check, inside an image, what its user may write, its list of parts, and CUDA's compiler; docker/check.sh runs it."""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from pathlib import Path

SBOM = Path("/opt/venv/share/sbom.cdx.json")
WRITABLE = ("/data", "/tmp", os.environ["CUPY_CACHE_DIR"], os.environ["MPLCONFIGDIR"])
NOT_WRITABLE = ("/opt/venv", "/opt/venv/bin", "/usr/local/bin", "/etc")


def may_write(folder: str) -> bool:
    """Return whether a file can be made in a folder, which is made first if need be."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        made = Path(folder, "made-by-a-check")
        made.touch()
    except OSError:
        return False
    made.unlink()
    return True


def listed() -> dict[str, str]:
    """Return the packages of the list of parts with their versions."""
    parts = json.loads(SBOM.read_text(encoding="utf-8"))
    return {part["name"].lower(): part["version"] for part in parts["components"]}


def installed() -> dict[str, str]:
    """Return the packages that are installed with their versions."""
    return {each.metadata["Name"].lower(): each.version for each in metadata.distributions()}


def compiled_kernels() -> int:
    """Compile every kernel of the package by the image's own NVRTC, which needs no device; return how many files."""
    from cupy.cuda import nvrtc

    from gpumetrics.backends.cupy_kernels import KERNELS, source

    for file, names in KERNELS.items():
        program = nvrtc.createProgram(source(file), file, (), ())
        for name in names:
            nvrtc.addNameExpression(program, name)
        nvrtc.compileProgram(program, ("--std=c++17", "--gpu-architecture=sm_90"))
    return len(KERNELS)


def main() -> None:
    """Run all checks; end with a sentence on the first that fails."""
    for folder in WRITABLE:
        may_write(folder) or sys.exit(f"the user cannot write to {folder}")
    for folder in NOT_WRITABLE:
        not may_write(folder) or sys.exit(f"the user can write to {folder}")
    listed() == installed() or sys.exit(f"{SBOM} differs from what is installed: {set(listed()) ^ set(installed())}")
    print(f"the user writes where it should, and {SBOM} lists all {len(listed())} packages")
    if "cupy-cuda13x" in installed():
        print(f"CUDA's compiler compiles all {compiled_kernels()} files of kernels")


if __name__ == "__main__":
    main()
