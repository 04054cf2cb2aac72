"""Folders of files that hold the rows of one table, one after the other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.sources.specs import KINDS, InputFileError, kind_of, listed_some, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gpumetrics.sources.row_files import RowFile

__all__ = ["check_alike", "shard_labels", "shards_of"]

_NUMBER = re.compile(r"(\d+)")
_ASIDE = (".", "_")  # names that begin so are marks and notes of those who write shards, such as _SUCCESS


def shards_of(folder: Path) -> list[Path]:
    """Return the files of a folder in natural order: part-2 before part-10.

    Raises
    ------
    InputFileError
        If there are none, or files of several kinds, or folders.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gpumetrics.sources.shards import shards_of
    >>> with tempfile.TemporaryDirectory() as name:
    ...     for number in (10, 2):
    ...         Path(name, f"part-{number}.npy").touch()
    ...     [path.name for path in shards_of(Path(name))]
    ['part-2.npy', 'part-10.npy']
    """
    found = [path for path in folder.iterdir() if not path.name.startswith(_ASIDE)]
    if not found:
        raise InputFileError(f"{shown(folder)}: is a folder without files; give one with files of one kind: {KINDS}")
    within = sorted(path.name for path in found if kind_of(path) == "folder")
    if within:
        raise InputFileError(f"{shown(folder)}: holds {listed_some(within, 'folder')}; give one folder of files")
    kinds = {kind_of(path) for path in found}
    if len(kinds) > 1 or "" in kinds:
        endings = ", ".join(sorted({path.suffix or path.name for path in found}))
        why = "holds files of several kinds" if len(kinds) > 1 else "holds files of a kind that is not read"
        raise InputFileError(f"{shown(folder)}: {why} ({endings}); the rows of a table are files of one kind: {KINDS}")
    return sorted(found, key=_natural)


def _natural(path: Path) -> tuple[list[tuple[int, str]], str]:
    parts = _NUMBER.split(path.name)
    return [(int(part), "") if at % 2 else (0, part) for at, part in enumerate(parts)], path.name


def check_alike(files: Sequence[RowFile]) -> None:
    """Raise InputFileError unless all files have the same columns and the same dtype."""
    first = files[0].layout
    for file in files[1:]:
        other = file.layout
        for what, ours, theirs in (
            ("columns", f"{first.n_columns:,} columns", f"{other.n_columns:,} columns"),
            ("dtype", f"numbers of type {first.dtype}", f"numbers of type {other.dtype}"),
            ("names", f"the columns {', '.join(first.used[:12])}", f"the columns {', '.join(other.used[:12])}"),
        ):
            alike = first.used == other.used if what == "names" else ours == theirs
            if not alike:
                raise InputFileError(f"{other.name}: has {theirs}, but {first.name} has {ours}; all files must agree")


def shard_labels(folder: Path, read: Callable[[Path], np.ndarray]) -> np.ndarray:
    """Read the labels of all files of a folder, one after the other.

    Raises
    ------
    InputFileError
        As `shards_of`; if some are numbers and some text.
    """
    paths = shards_of(folder)
    parts = [read(path) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.dtype.kind != parts[0].dtype.kind:
            raise InputFileError(
                f"{path}: has labels of type {part.dtype}, but {paths[0]} has {parts[0].dtype}; all files must agree"
            )
    return np.concatenate(parts)
