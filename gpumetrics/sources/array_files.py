"""Arrays in NumPy's own files: .npy, which are mapped, and .npz, which are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.sources.specs import InputFileError, listed_some

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["npy_array", "npz_array"]


def npy_array(path: Path, key: str | None) -> np.ndarray:
    """Map the array of a .npy file."""
    if key is not None:
        raise InputFileError(f"{path}: holds one array, in which nothing is named {key!r}")
    with path.open("rb") as file:
        magic = file.read(6)
    if not magic:
        raise InputFileError(f"{path}: the file is empty")
    if magic.startswith(b"PK"):
        raise InputFileError(f"{path}: this is an .npz archive; name it so")
    if magic != b"\x93NUMPY":
        raise InputFileError(f"{path}: this is no .npy file (NumPy's mark at its start is missing)")
    data: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
    return data


def npz_array(path: Path, key: str | None) -> np.ndarray:
    """Read the array of a .npz file that the key names; without a key the only one."""
    # Opened here, since NumPy leaves the file open where it turns out to be damaged.
    with path.open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise InputFileError(f"{path}: this is a single array (.npy); name it so")
        names = list(archive.files)
        if not names or (key is None and len(names) != 1):
            hint = f"; choose one, as in {path.name}:{names[0]}" if names else ""
            raise InputFileError(f"{path}: holds {listed_some(names)}{hint}")
        if key is not None and key not in names:
            raise InputFileError(f"{path}: has no array {key!r}; it holds {listed_some(names)}")
        data = archive[names[0] if key is None else key]
    if not isinstance(data, np.ndarray):
        raise InputFileError(f"{path}: its part {names[0] if key is None else key!r} is no array")
    return data
