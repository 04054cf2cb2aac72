"""Where data is asked for: a file or a folder, of which kind, and what in it; and what may be wrong with it."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["KINDS", "InputFileError", "damage", "kind_of", "listed_some", "located", "shown", "split_spec"]

KINDS = ".npy, .npz, .csv, .parquet, .arrow, .feather, .zarr, .h5 or .h5ad, or a folder of such files"
OF_ENDING = {
    ".npy": "npy",
    ".npz": "npz",
    ".csv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".h5ad": "hdf5",
}
ZARR_MARKS = ("zarr.json", ".zarray", ".zgroup")  # one of them lies in every folder of a Zarr store
_KEY_AFTER = re.compile(r"\.(?:npz|csv|parquet|pq|arrow|feather|ipc|zarr|h5|hdf5|h5ad)(?=/?:.)", re.IGNORECASE)
_LONGEST_SHOWN = 160  # characters of a path in a message
_MOST_LISTED = 8


class InputFileError(ValueError):
    """A file cannot be read as features or labels; the message names the file and says why."""


def split_spec(spec: str | Path) -> tuple[Path, str | None]:
    """Part ``file.npz:key`` at the colon that has a file, or else a folder, before it; a key may hold any character."""
    path, text = Path(spec), str(spec)
    if path.is_file() or path.is_dir():
        return path, None
    colons = [at for at, character in enumerate(text) if character == ":" and 0 < at < len(text) - 1]
    for there in (Path.is_file, Path.is_dir):
        for at in colons:
            if there(Path(text[:at])):
                return Path(text[:at]), text[at + 1 :]
    match = _KEY_AFTER.search(text)
    if match is None:
        return path, None
    at = text.index(":", match.end())
    return Path(text[:at]), text[at + 1 :]


def kind_of(path: Path) -> str:
    """Return "npy", "npz", "csv", "parquet", "arrow", "hdf5", "zarr" or "folder"; empty for what is not read."""
    if path.is_dir():
        return "zarr" if any((path / mark).is_file() for mark in ZARR_MARKS) else "folder"
    return OF_ENDING.get(path.suffix.lower(), "")


def located(spec: str | Path) -> tuple[Path, str | None]:
    """Return the file or folder of a spec, and the array or column in it that is named.

    Raises
    ------
    InputFileError
        If it is not there, may not be read, or is of a kind that is not read.
    """
    if not str(spec):  # as from a variable of the shell that is not set; as a path it would be this folder
        raise InputFileError("the name of a file is empty")
    path, key = split_spec(spec)
    kind = kind_of(path)
    if not kind and path.suffix.lower() != ".zarr":
        raise InputFileError(f"{shown(spec)}: files of this kind are not read; give {KINDS}")
    if path.suffix.lower() == ".zarr" and path.exists() and kind != "zarr":
        raise InputFileError(f"{shown(spec)}: this is no Zarr store ({' or '.join(ZARR_MARKS)} is missing)")
    if not (path.is_file() or path.is_dir()):
        there = path.exists()
        why = "is a pipe or a device; save it to a file first" if there else "there is no such file"
        raise InputFileError(f"{shown(spec)}: {why}")
    if not os.access(path, os.R_OK):
        what = "folder" if path.is_dir() else "file"
        raise InputFileError(f"{shown(spec)}: the {what} cannot be read (Permission denied)")
    return path, key


def shown(spec: str | Path) -> str:
    """Return a spec as messages show it: not longer than a line or two."""
    text = str(spec)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:60]}...{text[-60:]}"


def listed_some(names: list[str], what: str = "array") -> str:
    """Return how many of something there are, and the first of their names.

    Examples
    --------
    >>> from gpumetrics.sources.specs import listed_some
    >>> listed_some(["X", "y"])
    '2 arrays (X, y)'
    """
    if not names:
        return f"no {what}s"
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return f"{len(names)} {what}{'s' * (len(names) > 1)} ({', '.join(map(shown, names[:_MOST_LISTED]))}{more})"


def damage(error: Exception) -> str:
    """Say in a few words why a file cannot be read, of whatever was raised inside its reader."""
    text = " ".join(str(error).split())
    if isinstance(error, UnicodeDecodeError):
        return "the file is not UTF-8 text"
    if isinstance(error, OSError) and error.strerror:
        return f"the file cannot be read ({error.strerror})"
    if isinstance(error, MemoryError):
        return "the array does not fit into memory, or the file is damaged"
    if "allow_pickle" in text or "pickled" in text or "Python objects" in text:
        return "the file holds pickled Python objects, which are not loaded; save plain numbers or text"
    known = _known_damage(text.lower(), type(error).__name__)
    if known:
        return known
    detail = text if len(text) <= 80 else text.partition(":")[0][:80]
    if not detail or not isinstance(error, ValueError | OSError):
        detail = type(error).__name__
    return f"the file is damaged or of another kind ({detail})"


def _known_damage(text: str, kind: str) -> str:
    if "encrypt" in text or "decrypt" in text:
        return "the file is encrypted; decrypt it first"
    if "field larger than field limit" in text:
        return "a cell has more characters than the 131,072 that are read of one"
    if "truncated file" in text or "mmap length is greater than file size" in text:
        return "the file is cut off"
    if "unable to lock file" in text:
        return "the file is being written by another program; close it there first"
    hdf5_plugin = "can't open directory" in text or "required filter" in text
    if hdf5_plugin or kind == "UnknownCodecError" or ("codec" in text and ("unknown" in text or "support" in text)):
        more = "for HDF5, pip install hdf5plugin and import it" if hdf5_plugin else text[:80]
        return f"the file is compressed in a way that is not known here ({more})"
    return ""
