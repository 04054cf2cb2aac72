"""A copy of a table on disk, in a temporary folder, whose rows can be read in any order."""

from __future__ import annotations

import logging
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.sources.specs import InputFileError

if TYPE_CHECKING:
    from gpumetrics.sources.chunks import RowChunks

__all__ = ["spooled", "written_size"]

ROOM = 1 << 26  # bytes that stay free on the disk


def spooled(rows: RowChunks, owner: Any) -> np.memmap[Any, Any]:
    """Write all rows to a temporary file, and map it; the file goes when `owner` does, or the process.

    Raises
    ------
    InputFileError
        If the disk has no room for it, or as reading the rows does.
    """
    place = Path(tempfile.gettempdir())
    free = shutil.disk_usage(place).free
    if rows.nbytes + ROOM > free:
        raise InputFileError(_no_room(rows, place, free))
    folder = Path(tempfile.mkdtemp(prefix="gpumetrics-"))
    end = weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    log = logging.getLogger("gpumetrics.sources")
    log.info("%s is copied to %s (%s), to be read in any order", rows.name, folder, written_size(rows.nbytes))
    path = folder / "rows.npy"
    try:
        with path.open("wb") as file:
            header = {"descr": rows.dtype.str, "fortran_order": False, "shape": rows.shape}
            np.lib.format.write_array_header_1_0(file, header)
            for _, block in rows:
                np.ascontiguousarray(block).tofile(file)
        mapped: np.memmap[Any, Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except BaseException as error:
        end()
        if isinstance(error, OSError) and not isinstance(error, InputFileError):
            raise InputFileError(_no_room(rows, place, shutil.disk_usage(place).free)) from error
        raise
    return mapped


def _no_room(rows: RowChunks, place: Path, free: int) -> str:
    return (
        f"{rows.name}: its rows are needed in another order than they are stored in, so that they have to be copied "
        f"to a temporary file of {written_size(rows.nbytes)}, but {place} has {written_size(free)} free; set TMPDIR to "
        "a folder with room, or save the rows as .npy, which needs no copy"
    )


def written_size(n_bytes: int) -> str:
    """Return a size as it is said.

    Examples
    --------
    >>> from gpumetrics.sources.spool import written_size
    >>> written_size(6_442_450_944), written_size(1500)
    ('6.0 GiB', '1.5 KiB')
    """
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.1f} {unit}" if unit != "bytes" else f"{n_bytes} bytes"
        size /= 1024
    return f"{size:.1f} TiB"
