"""Overlap of masks: intersection over union of two, or of each of many with each of others."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import choose, on_device_of
from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.backends.interop import as_library_of
from gpumetrics.backends.threads import spans
from gpumetrics.classification.members import is_member, member_array
from gpumetrics.classification.undefined import check_zero_division, divide, is_warn
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
        A pixel is inside where it is not zero: booleans, 0 and 1, 0 and 255. A mask has one value inside, and the two
        may differ in it, and in dtype. Probabilities become a mask by ``a > 0.5``, a map of classes by ``a == c``.
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
        If shapes differ, or among the pixels that count one is NaN, or there are several values beside 0: scores, or
        classes. Of maps of classes, ``jaccard_score(a.ravel(), b.ravel(), average="macro")`` is the mean IoU.
    TypeError
        For a sparse matrix.

    Warns
    -----
    UndefinedMetricWarning
        Where both masks are empty and `zero_division` is "warn".

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
    if not union and is_warn(zero_division):
        _warn("due to")
    return float(shared / union) if union else undefined


def pairwise_mask_iou(A: Any, B: Any, *, ignore: Any = None, zero_division: Any = "warn") -> Array:
    """Intersection over union of each mask of one set with each of another.

    Parameters
    ----------
    A : array-like of shape (n_a, ...)
        Masks; a pixel is inside where it is not zero, and each mask has one value inside. A single mask is ``a[None]``:
        of a table, each row is a mask.
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
        If the masks differ in shape, or among the pixels of one that count there is NaN, or several values beside 0.
    TypeError
        For a sparse matrix.

    Warns
    -----
    UndefinedMetricWarning
        Where both masks are empty and `zero_division` is "warn".

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
        if _divide_by_unions(result, size_a, size_b, undefined) and is_warn(zero_division):
            _warn("in pairs of masks with")
        return as_library_of(result, B)  # type: ignore[no-any-return]


def _masks(named: dict[str, Any], ignore: Any) -> list[Any]:
    """Return the masks, and the ignored pixels if there are any, as arrays where they lie."""
    if ignore is not None:
        named = named | {"ignore": ignore}
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
    insides = [_Inside(name, array) for name, array in flat.items()]
    for pixels in spans(prod(shape), _tile_pixels(first + second, TILE[ops.NAME])):
        keep = None if ignore is None else ~is_member(ignore[pixels])
        tiles = []
        for number, array in enumerate(flat.values()):
            members = ops.asarray(insides[number].members(array[:, pixels], keep))  # bytes, if they go to a device
            tiles.append(members.astype(np.float32))
            sizes[number] += tiles[-1].sum(axis=1)
        for rows in spans(first, max(1, TILE[ops.NAME] // max(1, second))):
            joint[rows] += tiles[0][rows] @ tiles[1].T
    for inside in insides:
        inside.check()
    return joint, *sizes


class _Inside:
    """What stands for inside in the masks of one argument, found tile by tile."""

    def __init__(self, name: str, masks: Array) -> None:
        self.name = name
        self.is_boolean = masks.dtype.kind == "b"
        # The first value that is not 0, and the first that is neither 0 nor that one; 0 where none was found.
        self.value, self.other = (array_module(masks).zeros(len(masks), dtype=masks.dtype) for _ in range(2))
        self.n_nan: Any = 0

    def members(self, tile: Array, keep: Array | None) -> Array:
        """Which pixels of a tile are inside, in its library."""
        members = is_member(tile)
        if keep is not None:
            members = members & beside(keep, members)
        if self.is_boolean or not len(tile):  # CuPy has no argmax of nothing
            return members
        if tile.dtype.kind in "fc":
            self.n_nan = self.n_nan + (members & (tile != tile)).sum()  # noqa: PLR0124
        self.value = _first(self.value, tile, members)
        self.other = _first(self.other, tile, members & (tile != self.value[:, None]).astype(bool, copy=False))
        return members

    def check(self) -> None:
        """Raise if there is NaN, or a mask with several values inside: neither has the meaning of a set of pixels."""
        if self.is_boolean:
            return
        n_nan, other = int(as_host(self.n_nan)), as_host(self.other)
        if n_nan:
            msg = (
                f"Input {self.name} contains NaN. {n_nan} pixels are neither inside nor outside: mark them in 'ignore'."
            )
            raise ValueError(msg)
        several = np.flatnonzero(other != 0)
        if len(several):
            at = several[0]
            which = self.name if len(other) == 1 else f"{self.name}[{at}]"
            msg = (
                f"{which} is no mask, which has one value inside: it holds {as_host(self.value)[at]!s} and "
                f"{other[at]!s} beside 0. Of probabilities give mask > 0.5; of a map of classes mask == c, or for all "
                "classes at once jaccard_score(a.ravel(), b.ravel(), average='macro')."
            )
            raise ValueError(msg)


def _first(found: Array, tile: Array, where: Array) -> Array:
    """Return, for rows without a value yet, the first of the tile where there is one."""
    xp = array_module(tile)
    at = where.argmax(axis=1)[:, None]
    values = xp.where(xp.take_along_axis(where, at, axis=1), xp.take_along_axis(tile, at, axis=1), found[:, None])
    return xp.where(found == 0, values[:, 0], found)  # type: ignore[no-any-return]


def _flat(masks: Array, shape: tuple[int, ...]) -> Array:
    """Return masks as rows of pixels; a copy where they do not lie in that order."""
    return masks.reshape(len(masks), prod(shape))


def _tile_pixels(n_masks: int, elements: int) -> int:
    """Pixels of each mask in a tile, at 7 bytes for a float32 and three booleans."""
    affordable = int(current().working_memory * 2**20 / 4) // (7 * max(1, n_masks))
    return max(1, min(affordable, max(LEAST, min(MOST, elements // max(1, n_masks)))))


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
