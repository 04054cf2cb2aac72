"""Files that are written: checked before the work is done, and either complete or as they were before."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

__all__ = ["check_path", "write_whole"]


def check_path(path: str | os.PathLike[str], argument: str = "path", example: str = "report.html") -> Path:
    """Return where a file will be written: what a link points to is replaced, not the link.

    Parameters
    ----------
    path : str or path-like
    argument : str
        As messages name it.
    example : str
        A name that a message may propose.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, PermissionError
        If the folder is missing, the path is a folder, or the file or its folder cannot be written to.
    """
    given, real = os.fspath(path), Path(os.path.realpath(path))
    if real.is_dir():
        msg = f"{argument} must be a file, got the folder {given!r}: name a file in it, such as {example}"
        raise IsADirectoryError(msg)
    if not real.parent.is_dir():
        msg = f"{argument} must be in a folder that exists, got {given!r}: create {str(real.parent)!r} first"
        raise FileNotFoundError(msg)
    if real.exists() and not os.access(real, os.W_OK):
        msg = f"{argument} must be a file that can be written to, got {given!r}: choose another name"
        raise PermissionError(msg)
    if not os.access(real.parent, os.W_OK):
        raise _no_folder(given, argument)
    return real


def write_whole(path: str | os.PathLike[str], content: bytes, argument: str = "path") -> None:
    """Write a file beside the one that is there, then rename it: a reader, or a crash, never finds half of it.

    Its mode is kept; a device or a pipe is written to, not replaced. Raises what `check_path` does.
    """
    real = check_path(path, argument)
    if real.exists() and not real.is_file():
        real.write_bytes(content)
        return
    beside = real.with_name(f".gpumetrics-{secrets.token_hex(8)}{real.suffix}")
    try:
        with beside.open("xb") as file:
            file.write(content)
        if real.exists():
            shutil.copymode(real, beside)  # who may not read the file may not read the new one
        beside.replace(real)
    except (PermissionError, FileNotFoundError) as error:  # the latter in /proc, whose rights say that one may write
        raise _no_folder(os.fspath(path), argument) from error
    finally:
        beside.unlink(missing_ok=True)


def _no_folder(given: str, argument: str) -> PermissionError:
    return PermissionError(
        f"{argument} must be in a folder that can be written to, got {given!r}: choose another folder"
    )
