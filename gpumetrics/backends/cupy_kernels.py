"""The CUDA kernels: which there are, how they are compiled, how they are launched."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "KERNELS", "kernel", "launch_columns", "launch_rows", "launch_threads", "source"]

FOLDER = Path(__file__).parent / "kernels"
BLOCK = 256  # threads of a block
ROWS = BLOCK // 32  # rows of a block where a warp works on each
BOTH = ("float", "double")
IN_BOTH = ("Euclidean", "Manhattan", "Chebyshev")
IN_DOUBLE = (
    *("Minkowski", "Canberra", "BrayCurtis", "Hamming", "Haversine"),
    *("Dice", "Jaccard", "RogersTanimoto", "RussellRao", "SokalSneath", "Yule"),
)

# The name expressions of each file.
KERNELS: dict[str, tuple[str, ...]] = {
    "centred_rows.cu": tuple(f"centred_rows<{t}>" for t in BOTH),
    "segment_distance_sums.cu": (
        *(f"{name}<{t}>" for name in ("gram_row_sums", "given_row_sums", "column_sums") for t in BOTH),
        "fold_columns",
    ),
    "direct_distance_sums.cu": (
        *(f"direct_row_sums<{t}, {metric}>" for metric in IN_BOTH for t in BOTH),
        *(f"direct_row_sums<double, {metric}>" for metric in IN_DOUBLE),
        "quadratic_row_sums",
    ),
    "cell_sums.cu": (
        *(f"{name}<{t}>" for name in ("gram_cell_sums", "column_cell_sums") for t in BOTH),
        "given_cell_sums<double>",
        "fold_cell_sums",
    ),
    "direct_cell_sums.cu": (
        *(f"direct_cell_sums<{t}, {metric}>" for metric in IN_BOTH for t in BOTH),
        *(f"direct_cell_sums<double, {metric}>" for metric in IN_DOUBLE),
        "quadratic_cell_sums",
    ),
    "centroid_distances.cu": ("nearest_means", "centroid_gaps"),
    "cluster_sums.cu": ("chunk_sums", "fold_chunks"),
    "expected_mutual_information.cu": ("expected_cells",),
    "joint_counts.cu": ("joint_counts", "scattered_counts"),
}
EACH_ALONE = {"direct_distance_sums.cu", "direct_cell_sums.cu"}  # a call needs one of their many kernels
FILES = {name: file for file, names in KERNELS.items() for name in names}

_INCLUDE = re.compile(r'^#include "(\w+\.cuh)"\n', re.MULTILINE)
_functions: dict[tuple[int, str], Any] = {}
_lock = threading.Lock()


def source(file: str) -> str:
    """Return the text of a kernel file with the text of its headers in it, each once.

    CuPy's cache on disk goes by the text, and would not see that an included file has changed.
    """
    seen: set[str] = set()

    def text(name: str) -> str:
        if name in seen:
            return ""
        seen.add(name)
        return _INCLUDE.sub(lambda found: text(found[1]), (FOLDER / name).read_text(encoding="utf-8"))

    return text(file).replace("#pragma once\n", "")


def kernel(name: str) -> Any:
    """Return the kernel of a name expression of `KERNELS`, on the current device.

    Compiled when it is first asked for on a device, with the other kernels of its file (each metric's on its own), and
    kept.

    Returns
    -------
    cupy.RawKernel
    """
    import cupy

    device = int(cupy.cuda.Device().id)
    found = _functions.get((device, name))
    if found is not None:
        return found
    with _lock:
        if (device, name) not in _functions:
            _compile(cupy, device, name)
        return _functions[device, name]


def _compile(cupy: Any, device: int, name: str) -> None:
    file = FILES[name]
    names = (name,) if file in EACH_ALONE else KERNELS[file]
    module = cupy.RawModule(code=source(file), options=("--std=c++17",), name_expressions=names)
    for each in names:
        _functions[device, each] = module.get_function(each)


def launch_rows(name: str, n_rows: int, *arguments: Any) -> None:
    """Launch a kernel in which a warp works on each row, on the current stream; does not wait."""
    if n_rows:
        kernel(name)((-(-n_rows // ROWS),), (BLOCK,), arguments)


def launch_threads(name: str, n_items: int, *arguments: Any) -> None:
    """Launch a kernel in which a thread works on each item, on the current stream; does not wait."""
    if n_items:
        kernel(name)((-(-n_items // BLOCK),), (BLOCK,), arguments)


def launch_columns(name: str, n_columns: int, n_chunks: int, *arguments: Any) -> None:
    """Launch a kernel in which a thread works on each column of each chunk, on the current stream; does not wait.

    Parameters
    ----------
    name : str
    n_columns : int
    n_chunks : int
        At most 65535.
    *arguments : object
        Of the kernel: arrays; Python integers for ``long long``, floats for ``double``, NumPy's int32 for ``int``.
    """
    if n_columns and n_chunks:
        kernel(name)((-(-n_columns // BLOCK), n_chunks), (BLOCK,), arguments)
