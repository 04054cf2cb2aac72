"""The distance of each row to the centre of its own cluster, and a centre that outliers do not move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.array_modules import array_module, beside, row_squares
from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.features import DEVICE_BLOCK

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["distances_to_own", "middles"]


def middles(features: Features, rows: Array) -> Array:
    """Return the median of each coordinate over a few rows of each cluster.

    Parameters
    ----------
    features : Features
    rows : ndarray of shape (n_clusters, n_rows), int64
        Rows of each cluster, an odd number; on the host.

    Returns
    -------
    array of shape (n_clusters, n_features), float64
        Where the features lie.
    """
    k, m = rows.shape
    index = beside(rows.ravel(), features.data)
    parts = [slice(m * part.start, m * part.stop) for part in spans(k, max(1, features.block_rows // m))]
    xp = array_module(features.data)
    blocks = [features.rows(index[part]).reshape(-1, m, features.n_features) for part in parts]
    out: Array = xp.concatenate([xp.sort(block, axis=1)[:, m // 2] for block in blocks])
    return out


def distances_to_own(features: Features, codes: Array, centres: Array) -> Array:
    """Return the Euclidean distance of each row to its own cluster's centre, in one pass over the rows.

    Parameters
    ----------
    features : Features
    codes : array of shape (n_samples,), int64
    centres : array of shape (n_clusters, n_features), float64

    Returns
    -------
    array of shape (n_samples,), float64
        Where the codes lie.
    """
    xp = array_module(codes)
    out = xp.empty(len(codes))
    if xp is np:

        def one(block: slice) -> None:
            deviation = features.less(block, centres[codes[block]])
            np.vecdot(deviation, deviation, out=out[block])

        thread_map(one, spans(len(codes), features.block_rows))
        np.sqrt(out, out=out)
        return out  # type: ignore[no-any-return]
    from gpumetrics.backends.cupy_rows import device_blocks

    centres = beside(centres, codes)
    parts = spans(len(codes), max(features.block_rows, DEVICE_BLOCK // 8 // features.n_features))
    for part, block in zip(parts, device_blocks(features, parts), strict=True):
        out[part] = row_squares(block - centres[codes[part]])
    return xp.sqrt(out)  # type: ignore[no-any-return]
