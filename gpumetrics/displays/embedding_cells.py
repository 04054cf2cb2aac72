"""Many points of a plane as the cells of a grid: how many lie in each, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["Cells", "cells_of", "picture_of"]

FEWEST, MOST = 32, 120  # cells along the first axis
FAINTEST = 0.3  # opacity of a cell with one row
BORDER = 4  # pixels of a cell's side, of which one parts it from a neighbour of another cluster
EMPTY = -2  # in place of a cluster, or of -1 for noise


class Cells(NamedTuple):
    """Counts in the cells of a frame.

    Attributes
    ----------
    counts : ndarray of shape (n_y, n_x), int64
        Rows in each cell, the lowest cells first.
    majority : ndarray of shape (n_y, n_x), int64
        The cluster with most rows in each cell; -1 for noise, and where the cell is empty.
    """

    counts: Array
    majority: Array


def cells_of(points: Array, codes: Array, n_clusters: int, frame: Array) -> Cells:
    """Count rows in cells, the smaller the more rows there are; of clusters with as many rows the first has the cell.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Within the frame.
    codes : ndarray of shape (n,)
        Clusters, -1 for noise.
    n_clusters : int
    frame : ndarray of shape (4,)
        Left, right, lower and upper end.
    """
    n_x = int(np.clip(2.6 * len(points) ** (1 / 3), FEWEST, MOST))
    n_y = 3 * n_x // 4
    place = (points - frame[::2]) / (frame[1::2] - frame[::2]) * [n_x, n_y]
    x, y = np.minimum(place.astype(np.int64), [n_x - 1, n_y - 1]).T
    owner = np.where(codes < 0, n_clusters, codes)
    key, number = np.unique((y * n_x + x) * (n_clusters + 1) + owner, return_counts=True)
    cell, owner = np.divmod(key, n_clusters + 1)
    order = np.lexsort((-owner, number, cell))
    cell, owner = cell[order], owner[order]
    last = np.append(cell[1:] != cell[:-1], True)
    majority = np.full(n_y * n_x, -1)
    majority[cell[last]] = np.where(owner[last] == n_clusters, -1, owner[last])
    counts = np.bincount(y * n_x + x, minlength=n_y * n_x)
    return Cells(counts.reshape(n_y, n_x), majority.reshape(n_y, n_x))


def picture_of(cells: Cells, colors: list[str]) -> Array:
    """Return cells as a picture (red, green, blue, opacity): the clusters' colours, stronger where rows are more.

    The last colour is that of noise.

    Where two clusters meet there is a gap, which also grey shows.
    """
    from matplotlib.colors import to_rgba_array

    counts, majority = cells
    pixels = to_rgba_array(colors)[majority]
    strength = np.log1p(counts) / np.log1p(counts.max())
    pixels[..., 3] = np.where(counts, FAINTEST + (1 - FAINTEST) * strength, 0.0)
    pixels = pixels.repeat(BORDER, axis=0).repeat(BORDER, axis=1)
    owners = np.where(counts, majority, EMPTY)
    below, left = owners[:-1], owners[:, :-1]
    above, right = owners[1:], owners[:, 1:]
    level = (below != above) & (below != EMPTY) & (above != EMPTY)
    upright = (left != right) & (left != EMPTY) & (right != EMPTY)
    pixels[BORDER - 1 : -BORDER : BORDER, :, 3] *= ~level.repeat(BORDER, axis=1)
    pixels[:, BORDER - 1 : -BORDER : BORDER, 3] *= ~upright.repeat(BORDER, axis=0)
    return pixels
