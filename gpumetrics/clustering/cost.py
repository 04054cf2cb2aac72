"""How long a silhouette, or work on pairs of clusters, will take, before it is begun."""

from __future__ import annotations

import functools
import time
from typing import Any

import numpy as np

from gpumetrics.backends.threads import n_threads, one_blas_thread
from gpumetrics.distance_metrics import ALIASES, CLOSED_FORM

__all__ = ["core_speed", "estimate_seconds", "seconds_of_cluster_pairs", "seconds_of_matching", "seconds_of_merging"]

# Nanoseconds on one core for a pair of rows beyond the matrix product, and for each feature where SciPy computes
# the distance; measured at 20,000 rows, and scaled by this machine's own speed in `core_speed`.
PAIR = 2.5
PAIR_AND_FEATURE = {
    "chebyshev": 0.6,
    "hamming": 0.4,
    "jaccard": 2.0,
    "manhattan": 0.5,
    "minkowski": 15.0,
    "russellrao": 1.6,
    "sokalsneath": 6.0,
    "yule": 3.0,
}
OTHER_PAIR_AND_FEATURE = 1.0
MAHALANOBIS_PAIR_AND_ENTRY = 0.2  # for each entry of its matrix
CALLABLE_PAIR = 5000.0
# In closed form, for an entry of X over all passes, and for a row's mean distance to a cluster beyond the product.
CLOSED_FORM_ENTRY, CLOSED_FORM_CELL = 22.0, 5.0
ROW_AND_CLUSTER = 10.0  # for a row's sum over a cluster, which counts where clusters are nearly as many as rows
CLUSTER_PAIR, CLUSTER_PAIR_AND_FEATURE = 25.0, 0.1  # the same for a pair of centroids
MERGED_CELL = 0.6  # nanoseconds for a row's sum over a cell, added to its cluster's
MATCHING_CELL = 1.0  # nanoseconds for a cell, empty or not, of a sparse table whose clusters are matched
# On a GPU what is not the matrix product counts as so many features more, and a difference as so many products:
# reasoned from the bytes that a tile moves, not yet measured.
GPU_PAIR, GPU_DIFFERENCE = 64, 10
REFERENCE_FLOPS = 120e9  # float32 operations per second and core where these were measured


def estimate_seconds(
    n_samples: int,
    n_features: int,
    n_clusters: int,
    metric: Any = "euclidean",
    *,
    n_queries: int | None = None,
    on_gpu: bool = False,
) -> float:
    """Expected seconds of an exact silhouette on this machine, from its measured speed of a matrix product.

    Parameters
    ----------
    n_samples, n_features, n_clusters : int
    metric : str or callable
    n_queries : int, optional
        Number of rows that are scored (against all rows); all of them if it is None.
    on_gpu : bool
        Whether the GPU's speed counts.

    Returns
    -------
    float
        Seconds; right within a factor of about two.
    """
    name = "callable" if callable(metric) else ALIASES.get(metric, metric)
    pairs = n_samples * n_samples / 2 if n_queries is None else float(n_samples) * n_queries
    if on_gpu:
        work = n_clusters * float(n_samples) if name in CLOSED_FORM else pairs
        features = n_features if name in CLOSED_FORM or name == "euclidean" else GPU_DIFFERENCE * n_features
        from gpumetrics.backends.cupy_speed import multiplication_speed

        return 2.0 * work * (features + GPU_PAIR) / multiplication_speed()
    flops = core_speed()
    slowness = REFERENCE_FLOPS / flops
    threads = 1 if name == "callable" else n_threads()
    if name in CLOSED_FORM:
        entries, cells = float(n_samples) * n_features, float(n_samples) * n_clusters
        passes = (entries * CLOSED_FORM_ENTRY + cells * CLOSED_FORM_CELL) * 1e-9 * slowness
        product = 4.0 * n_samples * n_features * n_clusters / flops
        return (passes + product) / threads
    if name == "euclidean":
        each = 2.0 * n_features / flops + PAIR * 1e-9 * slowness
    elif name == "callable":
        each = CALLABLE_PAIR * 1e-9
    elif name == "precomputed":
        each = 2 * PAIR * 1e-9
    else:
        feature = PAIR_AND_FEATURE.get(name, OTHER_PAIR_AND_FEATURE)
        feature = MAHALANOBIS_PAIR_AND_ENTRY * n_features if name == "mahalanobis" else feature
        each = (PAIR + n_features * feature) * 1e-9 * slowness
    if name == "manhattan" and n_queries is None:
        sorting = n_samples * n_features * (25.0 * n_clusters + 100) * 1e-9 * slowness
        return min(sorting, pairs * each) / threads
    sums = float(n_queries or n_samples) * n_clusters * ROW_AND_CLUSTER * 1e-9 * slowness
    return (pairs * each + sums) / threads


def seconds_of_cluster_pairs(n_clusters: int, n_features: int) -> float:
    """Expected seconds of comparing every cluster with every other, as Davies-Bouldin does."""
    each = (CLUSTER_PAIR + n_features * CLUSTER_PAIR_AND_FEATURE) * 1e-9 * REFERENCE_FLOPS / core_speed()
    return float(n_clusters) ** 2 * each / n_threads()


def seconds_of_merging(n_rows: int, n_cells: int, *, on_gpu: bool = False) -> float:
    """Expected seconds of adding up each row's sums over cells to sums over the clusters that are made of them."""
    if on_gpu:
        from gpumetrics.backends.cupy_speed import multiplication_speed

        return 2.0 * n_rows * n_cells * GPU_PAIR / multiplication_speed()
    return float(n_rows) * n_cells * MERGED_CELL * 1e-9 * (REFERENCE_FLOPS / core_speed()) / n_threads()


def seconds_of_matching(n_classes: int, n_clusters: int) -> float:
    """Expected seconds of the best one-to-one matching of many clusters to classes, on one core."""
    cells = float(n_classes) * (n_classes + n_clusters)
    return cells * MATCHING_CELL * 1e-9 * REFERENCE_FLOPS / core_speed()


@functools.cache
def core_speed() -> float:
    """float32 operations per second of one core in a matrix product (a few milliseconds, once per process)."""
    block = np.ones((512, 512), dtype=np.float32)
    out = np.empty_like(block)
    best = np.inf
    with one_blas_thread():
        for _ in range(4):
            start = time.perf_counter()
            np.matmul(block, block, out=out)
            best = min(best, time.perf_counter() - start)
    return 2.0 * 512**3 / max(best, 1e-6)
