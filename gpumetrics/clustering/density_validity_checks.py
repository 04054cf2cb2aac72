"""Checks of what a density-based validity is asked for, beyond those of every clustered table."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module
from gpumetrics.clustering.density_validity_blocks import METRICS
from gpumetrics.distance_metrics import Metric, check_metric

if TYPE_CHECKING:
    from gpumetrics.features import Features

__all__ = ["check_options", "check_symmetric"]

TIES = ("rows", "density")
SYMMETRIC = 1e-6  # relative difference of X[i, j] and X[j, i] that rounding explains


def check_options(metric: Any, dimension: Any, ties: Any) -> Metric:
    """Check everything but the data; return the metric.

    Raises
    ------
    ValueError
        For a metric, an exponent or a rule that cannot be.
    """
    checked, _ = check_metric(metric, {}, "density_validity")
    if checked.name not in METRICS:
        msg = (
            f"The 'metric' parameter of density_validity must be one of {METRICS} or an alias. Got {metric!r} instead: "
            'for another distance give the matrix of distances, with metric="precomputed".'
        )
        raise ValueError(msg)
    if ties not in TIES:
        msg = f"ties must be one of {TIES}, got {ties!r}"
        raise ValueError(msg)
    if dimension is None:
        if checked.name == "precomputed":
            msg = 'metric="precomputed" needs dimension=, the number of features that the distances are made from.'
            raise ValueError(msg)
    elif isinstance(dimension, bool) or not isinstance(dimension, Real) or not 0 < float(dimension) < math.inf:
        msg = f"dimension must be a positive number, or None for the number of features; got {dimension!r}"
        raise ValueError(msg)
    return checked


def check_symmetric(features: Features) -> None:
    """Check that a matrix of distances is dense and symmetric.

    Raises
    ------
    TypeError, ValueError
        If it is not.
    """
    if features.sparse:
        msg = "density_validity needs all distances: a sparse precomputed matrix will not do. Use X.toarray()."
        raise TypeError(msg)
    data = features.data
    xp = array_module(data)
    step = max(1, features.block_rows)
    for start in range(0, len(data), step):
        block, mirror = data[start : start + step].astype(np.float64), data[:, start : start + step].T
        if (abs(block - mirror) > SYMMETRIC * xp.maximum(block, mirror)).any():
            msg = "The precomputed distance matrix X is not symmetric: a spanning tree needs distances that are."
            raise ValueError(msg)
