"""Labels in HDF5 files and Zarr stores: arrays of numbers or text, and the columns that AnnData encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.sources.specs import InputFileError
from gpumetrics.sources.stored_parts import check_stored
from gpumetrics.sources.stores import encoding, is_group, node_at, open_store

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["store_labels"]


def store_labels(path: Path, key: str | None) -> np.ndarray:
    """Read one label per row.

    Raises
    ------
    InputFileError
        As `gpumetrics.sources.stores.node_at`; if a label is missing, or the column is encoded in an unknown way.
    """
    opened = open_store(path)
    try:
        node, key = node_at(path, opened.root, key, two_dimensional=False)
        name = f"{path}:{key}" if key else str(path)
        check_stored(path, name, node)
        return _decoded(name, node) if is_group(node) else _values(name, node)
    finally:
        opened.close()


def _decoded(name: str, node: Any) -> np.ndarray:
    """Return a column of AnnData's: categories, or values with a mask of those that are missing."""
    kind = encoding(node)
    if kind == "categorical":
        codes = np.asarray(node["codes"][...])
        _refuse_missing(name, codes < 0)
        categories = _values(f"{name}/categories", node["categories"])
        return np.asarray(categories[codes])
    if kind.startswith("nullable-"):
        _refuse_missing(name, np.asarray(node["mask"][...]).astype(bool))
        return _values(name, node["values"])
    raise InputFileError(f"{name}: is encoded as {kind}; labels must be one column of numbers or text")


def _values(name: str, node: Any) -> np.ndarray:
    values = np.asarray(node.asstr()[...] if _is_text(node) else node[...])
    if values.dtype.kind == "S":
        return np.char.decode(values, "utf-8")
    if values.dtype.kind == "T":
        values = values.astype(object)
    if values.dtype.kind == "O":
        flat = values.ravel()
        _refuse_missing(name, np.array([value is None or value != value for value in flat], dtype=bool))  # noqa: PLR0124
        if all(isinstance(value, str) for value in flat):
            return values.astype(str)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _is_text(node: Any) -> bool:
    """Whether it is text of HDF5's, which h5py gives as bytes unless it is asked."""
    if not hasattr(node, "asstr"):
        return False
    import h5py

    return h5py.check_string_dtype(node.dtype) is not None


def _refuse_missing(name: str, missing: np.ndarray) -> None:
    if missing.any():
        raise InputFileError(
            f"{name}: {int(missing.sum())} of {len(missing)} labels are missing, the first in row "
            f"{int(np.argmax(missing)):,}"
        )
