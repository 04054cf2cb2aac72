"""Which tiles compute which metric on a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.backends.cupy_tiles import DirectTiles, GivenTiles, GramTiles, tile_dtype
from gpumetrics.exceptions import BackendError

if TYPE_CHECKING:
    from gpumetrics.backends.cupy_tiles import Tiles
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["tiles_of"]

FEW_FEATURES = 16  # up to which differences are as fast as a product
# Metrics whose kernel exists in float32 as well.
SINGLE_KERNELS = {"euclidean": "Euclidean", "manhattan": "Manhattan", "chebyshev": "Chebyshev"}
DOUBLE_KERNELS = {
    "canberra": "Canberra",
    "braycurtis": "BrayCurtis",
    "hamming": "Hamming",
    "haversine": "Haversine",
    "dice": "Dice",
    "jaccard": "Jaccard",
    "rogerstanimoto": "RogersTanimoto",
    "russellrao": "RussellRao",
    "sokalsneath": "SokalSneath",
    "yule": "Yule",
}


def tiles_of(metric: Metric, features: Features) -> Tiles:
    """Return the tiles for a metric; `features` are as `gpumetrics.distance_metrics.prepare` gives them.

    Raises
    ------
    BackendError
        For a metric that only the CPU computes.
    """
    name, options = metric.name, metric.options
    double = np.dtype(np.float64)
    weights = options.get("w")
    if name == "precomputed":
        return GivenTiles(features)
    if name == "euclidean" and features.n_features > FEW_FEATURES:
        return GramTiles(features)
    if name in SINGLE_KERNELS:
        return DirectTiles(features, tile_dtype(features), SINGLE_KERNELS[name], weights)
    if name == "minkowski":
        p = float(options.get("p", 2))
        return DirectTiles(features, double, "Minkowski" if np.isfinite(p) else "Chebyshev", weights, p)
    if name == "seuclidean":
        return DirectTiles(features, double, "Euclidean", 1 / options["V"])
    if name == "mahalanobis":
        rotated, scales = _rotated(features, options["VI"])
        return DirectTiles(rotated, double, "Euclidean", scales)
    if name in DOUBLE_KERNELS:
        return DirectTiles(features, double, DOUBLE_KERNELS[name], weights)
    msg = f'metric {name!r} is computed on the CPU only: use backend="numpy" and host arrays.'
    raise BackendError(msg)


def _rotated(features: Features, inverse: Array) -> tuple[Features, Array]:
    """Rows in the axes of the quadratic form, in which it is a weighted sum of squares."""
    weights, axes = np.linalg.eigh((inverse + inverse.T) / 2)
    origin, before = as_host(features.rows(slice(0, 1))), features.transform

    def rotate(block: Any) -> Any:
        block = block if before is None else before(block)
        return (block - beside(origin, block)) @ beside(axes, block)

    return replace(features, transform=rotate), weights
