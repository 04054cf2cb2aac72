"""Arrays in NumPy's own files: .npy, which are mapped, and .npz, which are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.sources.specs import InputFileError, listed_some

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.lib.npyio import NpzFile

__all__ = ["check_unpacked", "npy_array", "stored_array"]


def stored_array(path: Path, key: str | None) -> np.ndarray:
    """Map the array of a .npy file, or read that of a .npz file."""
    return _npz_array(path, key) if path.suffix.lower() == ".npz" else npy_array(path, key)


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


def _npz_array(path: Path, key: str | None) -> np.ndarray:
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
        name = names[0] if key is None else key
        check_unpacked(path, archive, [name])
        data = archive[name]
    if not isinstance(data, np.ndarray):
        raise InputFileError(f"{path}: its part {name!r} is no array")
    return data


def check_unpacked(path: Path, archive: NpzFile, names: list[str]) -> None:
    """Refuse arrays of an archive that unpack to more than the memory: a few kilobytes can claim terabytes.

    Nothing is unpacked for it; the reader stops at the size that the archive states.
    """
    from gpumetrics.planning.machines import physical_memory
    from gpumetrics.sources.spool import written_size

    members = [] if archive.zip is None else archive.zip.infolist()
    wanted = set(names)
    # All members that a name may mean: "X" and "X.npy" are both X.
    unpacked = sum(member.file_size for member in members if member.filename.removesuffix(".npy") in wanted)
    memory = physical_memory()
    if unpacked > memory:
        raise InputFileError(
            f"{path}: {listed_some(names)} would unpack to {written_size(unpacked)}, but this machine has "
            f"{written_size(memory)} of memory; if that is right, save the rows as .npy, which is mapped"
        )
