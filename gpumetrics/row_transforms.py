"""What turns rows into rows whose squared Euclidean distance is the distance that is meant, for NumPy and CuPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.array_modules import array_module, beside, row_squares

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["centred_rows", "unit_centred_rows", "unit_rows"]


def unit_rows(block: Array) -> Array:
    """Rows of length 1 in the same direction; a zero row stays zero."""
    xp = array_module(block)
    with np.errstate(over="ignore", under="ignore"):
        squares = row_squares(block)
    # Where squares overflow, vanish or are zero; a GPU takes this path at once rather than be waited for.
    if xp is not np or not (squares.min() > 1e-200 and squares.max() < 1e200):
        largest = abs(block).max(axis=1)
        block = block / xp.where(largest == 0, 1.0, largest)[:, None]
        squares = row_squares(block)
        squares = xp.where(squares == 0, 1.0, squares)
    unit: Array = block * (1 / xp.sqrt(squares))[:, None]
    return unit


def unit_centred_rows(block: Array) -> Array:
    """As `unit_rows`, of the rows less their own means: a product of two such rows is their correlation."""
    return unit_rows(centred_rows(block))


def centred_rows(block: Array, weights: Array | None = None) -> Array:
    """Rows less their own (weighted) means."""
    block = block - block[:, :1]  # a constant row becomes exactly zero
    means = block.mean(axis=1) if weights is None else block @ beside(weights / weights.sum(), block)
    block -= means[:, None]
    return block
