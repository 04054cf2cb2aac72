"""What is looked at before an array of an HDF5 file or a Zarr store is read: lost parts, and codecs that run code."""

from __future__ import annotations

import math
import os
import re
import warnings
from pathlib import Path
from typing import Any

from gpumetrics.sources.specs import InputFileError

__all__ = ["check_stored"]

_CHUNK_NAME = re.compile(r"(?:c\.)?[0-9]+(?:\.[0-9]+)*")  # of the file of a chunk, or a shard, in a Zarr store


def check_stored(path: Path, name: str, node: Any) -> None:
    """Warn of parts of an array, or of the arrays of an encoded group, that are not stored; refuse what is lost.

    Parameters
    ----------
    path : Path
        The file or the store.
    name : str
        As messages show the array.
    node : array or group of h5py or zarr

    Raises
    ------
    InputFileError
        If a chunk of a Zarr store is an empty file, or would be unpickled, or a file is missing that an HDF5 array
        takes its rows from.
    """
    _refuse_pickle(name, node)
    if not hasattr(node, "shape"):
        for part in node:
            if part == "mask":  # of missing labels: where there are none, Zarr leaves it out by itself
                _refuse_pickle(f"{name}/{part}", node[part])
            else:
                check_stored(path, f"{name}/{part}", node[part])
    elif hasattr(node, "nchunks_initialized"):
        _refuse_empty_files(path / node.path, name)
        _warn(name, node, int(node.nchunks_initialized), int(node.nchunks))
    elif hasattr(node, "is_virtual"):
        if node.is_virtual:
            _refuse_lost_sources(path, name, node)
        elif node.size and not node.external:
            _warn(name, node, *_stored_chunks(node))


def _refuse_pickle(name: str, node: Any) -> None:
    """Refuse a Zarr array of which a codec unpickles its chunks, which runs whatever code they hold."""
    metadata = getattr(node, "metadata", None)
    if _names_pickle([getattr(metadata, part, None) for part in ("codecs", "filters", "compressor")]):
        raise InputFileError(f"{name}: its chunks are pickled Python objects, which are not loaded; save plain numbers")


def _names_pickle(settings: Any) -> bool:
    """Whether a codec among settings, or within another codec's, is the one of pickles."""
    for own in ("get_config", "to_dict"):  # of numcodecs' objects, of zarr's
        settings = getattr(settings, own)() if hasattr(settings, own) else settings
    if isinstance(settings, dict):
        named = any("pickle" in str(settings.get(key, "")) for key in ("id", "name"))
        return named or any(map(_names_pickle, settings.values()))
    return isinstance(settings, list | tuple) and any(map(_names_pickle, settings))


def _stored_chunks(dataset: Any) -> tuple[int, int]:
    """Return how many chunks of an HDF5 array are stored, and of how many; rows that are not chunked are one."""
    if dataset.chunks:
        n_chunks = math.prod(-(-n // step) for n, step in zip(dataset.shape, dataset.chunks, strict=True))
        return dataset.id.get_num_chunks(), n_chunks
    return int(dataset.id.get_storage_size() > 0), 1


def _warn(name: str, node: Any, stored: int, n_chunks: int) -> None:
    if stored >= n_chunks:
        return
    fill = node.fillvalue if hasattr(node, "fillvalue") else node.fill_value  # of h5py, of zarr
    shown = fill.item() if hasattr(fill, "item") else fill
    msg = (
        f"{name}: {n_chunks - stored:,} of {n_chunks:,} chunks are not stored, and read as its fill value {shown!r}; "
        "if they should be there, the copy is not complete."
    )
    warnings.warn(msg, UserWarning, stacklevel=2)


def _refuse_empty_files(folder: Path, name: str) -> None:
    """Refuse files of chunks that hold nothing: a shard without bytes would read as the fill value."""
    for where, _, files in os.walk(folder):
        for file in files:
            if _CHUNK_NAME.fullmatch(file) and not Path(where, file).stat().st_size:
                raise InputFileError(f"{name}: the store is damaged ({Path(where, file)} is empty)")


def _refuse_lost_sources(path: Path, name: str, dataset: Any) -> None:
    """Refuse a virtual array of rows in other files of which one is not where HDF5 looks for it."""
    prefix = os.environ.get("HDF5_VDS_PREFIX", "").replace("${ORIGIN}", str(path.parent))
    places = [path.parent, Path(prefix)]
    for source in dict.fromkeys(part.file_name for part in dataset.virtual_sources()):
        numbered = "%" in source  # it stands for several files
        if source != "." and not numbered and not any((place / source).is_file() for place in places):
            raise InputFileError(f"{name}: its rows are in another file, {source!r}, which is not there")
