"""The function that mutual information is a mean of, without cancellation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

SERIES_BELOW = 1e-3


def divergence(d: Array) -> Array:
    """Return ``(1 + d) log(1 + d) - d`` for ``d >= -1``: 0 at 0, 1 at -1, never negative.

    With ``1 + d`` the ratio of a joint probability to the product of its margins, mutual information is the
    mean of this function under that product. Every term is non-negative, so near independence, where the
    usual ``p log(ratio)`` terms of both signs cancel, no digit is lost.
    """
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        out = (1.0 + d) * np.log1p(d) - d
        out[d <= -1.0] = 1.0
        small = np.abs(d) < SERIES_BELOW
        s = d[small]
        out[small] = s * s * (1 / 2 - s * (1 / 6 - s * (1 / 12 - s * (1 / 20 - s / 30))))
    return out
