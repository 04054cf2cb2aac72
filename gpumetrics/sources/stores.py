"""HDF5 files and Zarr stores: arrays in groups, AnnData's among them (`obsm`, `X`, the columns of `obs`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpumetrics.sources.row_files import Layout, check_table
from gpumetrics.sources.specs import InputFileError, damage, kind_of, listed_some, shown
from gpumetrics.sources.stored_parts import check_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gpumetrics.types import Array

__all__ = ["Opened", "StoreFile", "node_at", "open_store"]

DEEPEST = 4  # groups within groups in which arrays are looked for


class Opened(NamedTuple):
    """An open file or store, and how it is closed."""

    root: Any
    close: Callable[[], None]


class StoreFile:
    """Rows of an array in a file or store, dense or in AnnData's CSR form (whose blocks become dense)."""

    def __init__(self, path: Path, key: str | None) -> None:
        self.path, self.key = path, key
        self._opened: Opened | None = None
        self._array: Any = None
        opened = open_store(path)
        try:
            node, self.key = node_at(path, opened.root, key, two_dimensional=True)
            name = str(path) if not self.key else f"{path}:{self.key}"
            self.sparse = is_group(node)
            if self.sparse:
                shape, dtype = _csr_shape(name, node)
                borders = None
            else:
                shape, dtype, borders = tuple(node.shape or ()), node.dtype, _borders(node)
            check_table(name, shape, dtype)
            check_stored(path, name, node)
            kind = np.dtype(dtype).newbyteorder("=")
            self.layout = Layout(name, shape[0], shape[1], kind, borders=borders, divisible=False)
        finally:
            opened.close()

    @property
    def array(self) -> None:
        return None

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
        self._opened = self._array = None

    def read(self, start: int, stop: int) -> Array:
        if self._array is None:
            self._opened = open_store(self.path)
            self._array, _ = node_at(self.path, self._opened.root, self.key, two_dimensional=True)
        if not self.sparse:
            return np.asarray(self._array[start:stop], dtype=self.layout.dtype)
        pointers = np.asarray(self._array["indptr"][start : stop + 1])
        part = slice(int(pointers[0]), int(pointers[-1]))
        columns, values = (np.asarray(self._array[name][part]) for name in ("indices", "data"))
        out = np.zeros((stop - start, self.layout.n_columns), self.layout.dtype)
        rows = np.repeat(np.arange(stop - start), np.diff(pointers))
        if len(columns) != len(rows) or (len(columns) and not 0 <= columns.min() <= columns.max() < out.shape[1]):
            raise InputFileError(f"{self.layout.name}: its CSR matrix is damaged between rows {start:,} and {stop:,}")
        np.add.at(out, (rows, columns), values)
        return out


def open_store(path: Path) -> Opened:
    """Open an HDF5 file or a Zarr store for reading."""
    if kind_of(path) == "zarr":
        try:
            import zarr
        except ImportError as error:
            raise InputFileError(f'{path}: reading Zarr stores needs zarr: pip install "gpumetrics[io]"') from error
        return Opened(zarr.open(str(path), mode="r"), lambda: None)
    try:
        import h5py
    except ImportError as error:
        what = path.suffix.lower()
        raise InputFileError(f'{path}: reading {what} files needs h5py: pip install "gpumetrics[io]"') from error
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        why = damage(OSError(str(error)))  # h5py says in the text what is wrong, and a number that means something else
        raise InputFileError(f"{shown(path)}: {why}") from error
    return Opened(file, file.close)


def is_group(node: Any) -> bool:
    """Whether it holds arrays, rather than being one."""
    return not hasattr(node, "shape")


def encoding(node: Any) -> str:
    """Return how AnnData has written a node; empty for what it has not written."""
    found = node.attrs.get("encoding-type", "")
    return found.decode() if isinstance(found, bytes) else str(found)


def node_at(path: Path, root: Any, key: str | None, *, two_dimensional: bool) -> tuple[Any, str]:
    """Return the array, or the encoded group, that a key names, and the key; without a key, the only one there is.

    Raises
    ------
    InputFileError
        If there is no such node, several to choose from, or a group that is no table.
    """
    if not is_group(root):
        if key and key.strip("/"):
            raise InputFileError(f"{shown(path)}: is a single array, in which nothing is named {key!r}")
        return root, ""
    wanted = None if key is None else key.strip("/")
    dims = (2,) if two_dimensional else (1, 2)
    if not wanted:
        names = list(_arrays(root, dims))
        if len(names) != 1:
            hint = f"; choose one, as in {path.name}:{names[0]}" if names else ""
            raise InputFileError(f"{shown(path)}: holds {listed_some(names)}{hint}")
        wanted = names[0]
    try:
        node = root[wanted]
    except KeyError:
        names = list(_arrays(root, dims))
        raise InputFileError(f"{shown(path)}: has nothing named {wanted!r}; it holds {listed_some(names)}") from None
    if is_group(node) and not encoding(node):
        names = [f"{wanted}/{name}" for name in _arrays(node, dims)]
        raise InputFileError(f"{shown(path)}: {wanted!r} is a group, not an array; it holds {listed_some(names)}")
    return node, wanted


def _arrays(group: Any, dims: tuple[int, ...], depth: int = 0) -> Iterator[str]:
    """Yield the names of the arrays of so many dimensions in a group, and in the groups within it."""
    for name in sorted(group.keys()):
        try:
            node = group[name]
        except KeyError:  # a link to another file that is not there
            continue
        if not is_group(node):
            if len(node.shape or ()) in dims:  # None: HDF5's way to store nothing, which AnnData does for None
                yield name
        elif encoding(node) in {"csr_matrix", "csc_matrix"}:
            if 2 in dims:
                yield name
        elif encoding(node) in {"categorical", "nullable-integer", "nullable-boolean", "nullable-string-array"}:
            if 1 in dims:
                yield name
        elif depth < DEEPEST:
            yield from (f"{name}/{below}" for below in _arrays(node, dims, depth + 1))


def _csr_shape(name: str, node: Any) -> tuple[tuple[int, ...], Any]:
    kind = encoding(node)
    if kind != "csr_matrix":
        turned = kind == "csc_matrix"
        why = "write it as CSR (.tocsr()), whose rows can be read" if turned else "it is no table of numbers"
        raise InputFileError(f"{name}: is encoded as {kind}; {why}")
    return tuple(int(n) for n in node.attrs["shape"]), node["data"].dtype


def _borders(node: Any) -> Array | None:
    """Return the rows at which chunks, or shards of chunks, begin; None where rows lie one after the other."""
    chunks = getattr(node, "shards", None) or node.chunks
    if not chunks or not node.shape or not node.shape[0]:
        return None
    return np.arange(0, node.shape[0], max(1, int(chunks[0])), dtype=np.int64)
