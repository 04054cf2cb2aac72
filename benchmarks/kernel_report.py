"""Compile the CUDA kernels with nvcc and print what each takes: registers, shared memory, spilled bytes.

    python benchmarks/kernel_report.py [ARCHITECTURE ...]

Each file compiles by itself; its templates are instantiated as the package uses them. No GPU is needed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from gpumetrics.backends.cupy_kernels import FOLDER, KERNELS


class Usage(NamedTuple):
    """What ptxas says of one kernel; sizes in bytes."""

    kernel: str
    registers: int
    shared: int
    stack: int
    spilled: int


def usage(file: str, arch: str = "sm_90") -> list[Usage]:
    """Compile one file and return the usage of its kernels.

    Raises
    ------
    RuntimeError
        If nvcc fails, with what it says.
    """
    names = KERNELS[file]
    lines = [f'#include "{file}"', *(f"auto* const kernel_{i} = &{name};" for i, name in enumerate(names))]
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder, "unit.cu")
        unit.write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = ["-std=c++17", "-I", str(FOLDER), "-Xptxas", "-v", f"-arch={arch}", "-cubin", "-o", f"{unit}bin"]
        done = subprocess.run(["nvcc", *options, str(unit)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    if done.returncode:
        msg = f"nvcc cannot compile {file} for {arch}:\n{done.stdout}{done.stderr}"
        raise RuntimeError(msg)
    return _read(_demangled(done.stdout + done.stderr))


def _read(log: str) -> list[Usage]:
    out = []
    for part in re.split(r"Compiling entry function '", log)[1:]:
        # A log also tells of device functions that were not inlined; the kernel's own lines come first.
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        registers, shared = re.search(r"Used (\d+) registers", part), re.search(r"(\d+) bytes smem", part)
        stack, stores, loads = map(int, frame.groups())
        name = re.match(r"(?:void )?(\w+(?:<[^(']*>)?)", part)[1]
        out.append(Usage(name, int(registers[1]), int(shared[1]) if shared else 0, stack, stores + loads))
    return sorted(out)


def _demangled(text: str) -> str:
    tool = shutil.which("cu++filt") or shutil.which("c++filt")
    if tool is None:
        return text
    return subprocess.run([tool], input=text, capture_output=True, text=True, check=True).stdout  # noqa: S603


def main() -> None:
    """Print a table for each architecture."""
    for arch in sys.argv[1:] or ["sm_90"]:
        print(f"| kernel ({arch}) | registers | shared | stack | spilled |\n|---|---:|---:|---:|---:|")
        for file in KERNELS:
            for row in usage(file, arch):
                print("| " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    main()
