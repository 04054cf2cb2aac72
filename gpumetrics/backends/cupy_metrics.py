"""Which tiles compute which metric on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.backends.cupy_tiles import DirectTiles, GivenTiles, GramTiles, QuadraticTiles, tile_dtype

if TYPE_CHECKING:
    from gpumetrics.backends.cupy_tiles import Tiles
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.features import Features

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
    """Return the tiles for a metric; `features` are as `gpumetrics.distance_metrics.prepare` gives them."""
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
        return QuadraticTiles(features, options["VI"])
    return DirectTiles(features, double, DOUBLE_KERNELS[name], weights)
