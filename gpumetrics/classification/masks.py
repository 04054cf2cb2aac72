"""Overlap of masks: intersection over union of two, or of each of many with each of others."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.backends.interop import as_library_of
from gpumetrics.backends.threads import spans
from gpumetrics.classification.members import is_member, member_array
from gpumetrics.classification.sides import is_sparse
from gpumetrics.classification.undefined import check_zero_division, divide
from gpumetrics.config import current
from gpumetrics.exceptions import warn_undefined

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["mask_iou", "pairwise_mask_iou"]

PRODUCTS = 2e10  # multiplications a second on a CPU, for the choice of the backend
TILE = {"numpy": 1 << 22, "cupy": 1 << 27}  # pixels of all masks in a tile: few enough for a cache, or for a GPU
LEAST, MOST = 256, 1 << 18  # pixels of one mask in a tile; float32 holds counts up to 2**24 exactly


def mask_iou(a: Any, b: Any, *, ignore: Any = None, zero_division: Any = "warn") -> float:
    """Intersection over union of two masks: the Jaccard similarity of their sets of pixels.

    Parameters
    ----------
    a, b : array-like of one shape, whichever
        A pixel is inside where it is not zero: booleans, 0 and 1, 0 and 255, floats. The two may differ in dtype.
    ignore : array-like of that shape, default=None
        Pixels that are not zero here are left out of both counts.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value where both masks are empty; ``"warn"`` is 0.0 with a warning.

    Returns
    -------
    float
        In [0, 1]; higher is better. Each pixel counts 1, whatever area it stands for.

    Raises
    ------
    ValueError
        If shapes differ, or a pixel that counts is NaN.
    TypeError
        For a sparse matrix.

    Notes
    -----
    O(pixels), tile by tile; whole counts, one division. It is a score: it does not match or suppress anything.
    Masks on a GPU are compared there; the call waits for the counts.

    Examples
    --------
    >>> from gpumetrics import mask_iou
    >>> mask_iou([[True, True], [False, False]], [[255, 0], [255, 0]])
    0.3333333333333333
    >>> mask_iou([[True, True], [False, False]], [[255, 0], [255, 0]], ignore=[[0, 1], [0, 0]])
    0.5
    """
    undefined = check_zero_division(zero_division, "mask_iou")
    with on_device_of(a=a, b=b, ignore=ignore):
        masks_a, masks_b, ignored = _masks({"a": a, "b": b}, ignore)
        _check_shapes(a=masks_a.shape, b=masks_b.shape)
        ops = choose(a, b, ignore).ops
        joint, size_a, size_b = _joint_sizes(ops, {"a": masks_a[None], "b": masks_b[None]}, ignored)
        shared, first, second = as_host(array_module(joint).stack([joint[0, 0], size_a[0], size_b[0]])).tolist()
    union = first + second - shared
    if not union and zero_division == "warn":
        _warn("due to")
    return float(shared / union) if union else undefined


def pairwise_mask_iou(A: Any, B: Any, *, ignore: Any = None, zero_division: Any = "warn") -> Array:
    """Intersection over union of each mask of one set with each of another.

    Parameters
    ----------
    A : array-like of shape (n_a, ...)
        Masks; a pixel is inside where it is not zero.
    B : array-like of shape (n_b, ...)
        Masks of the same shape.
    ignore : array-like of the shape of one mask, default=None
        Pixels that are not zero here are left out of every count.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        Value of pairs of which both masks are empty; ``"warn"`` is 0.0 with a warning.

    Returns
    -------
    array of float64, shape (n_a, n_b)
        In [0, 1]; higher is better. In the library and on the device of `B`.

    Raises
    ------
    ValueError
        If the masks differ in shape, or a pixel that counts is NaN.
    TypeError
        For a sparse matrix.

    Notes
    -----
    O(n_a n_b pixels), as matrix products of tiles of pixels, whose sums are whole numbers and exact. Beside the
    result, memory follows `working_memory`.
    Masks on a GPU are compared there; the call waits, to see whether there are NaN or empty pairs.

    Examples
    --------
    >>> from gpumetrics import pairwise_mask_iou
    >>> pairwise_mask_iou([[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 1]])
    array([[0.5       , 0.33333333],
           [0.        , 0.5       ]])
    """
    undefined = check_zero_division(zero_division, "pairwise_mask_iou")
    with on_device_of(A=A, B=B, ignore=ignore):
        masks_a, masks_b, ignored = _masks({"A": A, "B": B}, ignore)
        for name, masks in (("A", masks_a), ("B", masks_b)):
            if masks.ndim < 2:
                msg = f"{name} must hold several masks, shape (n_masks, ...), but its shape is {masks.shape}."
                raise ValueError(msg)
        _check_shapes(**{"each mask of A": masks_a.shape[1:], "each mask of B": masks_b.shape[1:]})
        work = len(masks_a) * masks_b.size
        ops = choose(A, B, ignore, seconds=lambda: work / PRODUCTS).ops
        result, size_a, size_b = _joint_sizes(ops, {"A": masks_a, "B": masks_b}, ignored)
        if _divide_by_unions(result, size_a, size_b, undefined) and zero_division == "warn":
            _warn("in pairs of masks with")
        return as_library_of(result, B)  # type: ignore[no-any-return]


def _masks(named: dict[str, Any], ignore: Any) -> list[Any]:
    """Return the masks, and the ignored pixels if there are any, as arrays where they lie."""
    if ignore is not None:
        named = named | {"ignore": ignore}
    for name, masks in named.items():
        if is_sparse(masks):
            msg = f"Sparse data was passed for {name}, but dense data is required: use '.toarray()' to convert it."
            raise TypeError(msg)
    arrays: list[Any] = [member_array(masks, name) for name, masks in named.items()]
    return arrays if ignore is not None else [*arrays, None]


def _check_shapes(**shapes: tuple[int, ...]) -> None:
    (first, shape), *others = shapes.items()
    for name, other in others:
        if other != shape:
            msg = f"{first} and {name} must have the same shape, got {shape} and {other}."
            raise ValueError(msg)


def _joint_sizes(ops: ModuleType, masks: dict[str, Any], ignore: Any) -> tuple[Any, Any, Any]:
    """Count the pixels in both masks of every pair, and in each mask, as float64: exact below 2**53."""
    shape = next(iter(masks.values())).shape[1:]
    if ignore is not None:
        _check_shapes(**{"each mask": shape, "ignore": ignore.shape})
        ignore = _flat(ignore[None], shape)[0]
    flat = {name: _flat(array, shape) for name, array in masks.items()}
    first, second = map(len, flat.values())
    xp = array_module(ops.asarray(np.empty(0)))
    joint, *sizes = (xp.zeros(shape) for shape in ((first, second), first, second))
    n_nan = xp.zeros(2, dtype=np.int64)
    for pixels in spans(prod(shape), _tile_pixels(first + second, TILE[ops.NAME])):
        keep = None if ignore is None else ~is_member(ops.asarray(ignore[pixels]))
        tiles = []
        for number, array in enumerate(flat.values()):
            tile = array[:, pixels]
            if tile.dtype.kind in "fc":
                n_nan[number] += _count(ops.asarray(is_member(tile != tile)), keep)  # noqa: PLR0124
            members = ops.asarray(is_member(tile))  # so that what goes to another device are bytes
            tiles.append((members if keep is None else members & keep).astype(np.float32))
            sizes[number] += tiles[-1].sum(axis=1)
        for rows in spans(first, max(1, TILE[ops.NAME] // max(1, second))):
            joint[rows] += tiles[0][rows] @ tiles[1].T
    _refuse_nan(as_host(n_nan), list(masks))
    return joint, *sizes


def _flat(masks: Array, shape: tuple[int, ...]) -> Array:
    """Return masks as rows of pixels; a copy where they do not lie in that order."""
    return masks.reshape(len(masks), prod(shape))


def _tile_pixels(n_masks: int, elements: int) -> int:
    """Pixels of each mask in a tile, at 5 bytes for a boolean and a float32."""
    affordable = int(current().working_memory * 2**20 / 4) // (5 * max(1, n_masks))
    return max(1, min(affordable, max(LEAST, min(MOST, elements // max(1, n_masks)))))


def _count(nan: Array, keep: Array | None) -> Any:
    return (nan if keep is None else nan & keep).sum()


def _refuse_nan(n_nan: Array, names: list[str]) -> None:
    for count, name in zip(n_nan.tolist(), names, strict=True):
        if count:
            msg = f"Input {name} contains NaN. {count} pixels are neither inside nor outside: mark them in 'ignore'."
            raise ValueError(msg)


def _divide_by_unions(joint: Any, size_a: Any, size_b: Any, undefined: float) -> bool:
    """Turn the joint sizes into IoU, in place; return whether there are unions of size 0."""
    some_empty = False
    for rows in spans(len(joint), max(1, TILE["numpy"] // max(1, len(size_b)))):
        joint[rows], empty = divide(joint[rows], size_a[rows, None] + size_b - joint[rows], undefined)
        some_empty = some_empty or empty
    return some_empty


def _warn(where: str) -> None:
    warn_undefined(
        f"Mask IoU is ill-defined and being set to 0.0 {where} no pixel inside. "
        "Use `zero_division` parameter to control this behavior."
    )
