"""The sizes that a plan is made for, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from gpumetrics.distance_metrics import ALIASES, CLOSED_FORM, METRICS

__all__ = ["LARGEST", "Problem", "check_count", "check_problem"]

LARGEST = 2**63 - 1  # rows have int64 numbers
PLANNED = sorted(set(METRICS) - {"precomputed"})


@dataclass(frozen=True)
class Problem:
    """Rows, their clusters, and how they are compared.

    Attributes
    ----------
    n_samples, n_features, n_clusters : int
    metric : str
        The name that was given.
    dtype : str
    itemsize : int
        Bytes of an entry of X.
    n_queries : int
        Rows that an estimate would ask, at most `n_samples`.
    working_memory : float
        MiB, as in the settings.
    """

    n_samples: int
    n_features: int
    n_clusters: int
    metric: str
    dtype: str
    itemsize: int
    n_queries: int
    working_memory: float

    @property
    def name(self) -> str:
        """The metric's own name, where it was given by another one."""
        return ALIASES.get(self.metric, self.metric)

    @property
    def closed_form(self) -> bool:
        return self.name in CLOSED_FORM

    @property
    def double(self) -> bool:
        """Whether all pairs of rows are compared in float64: for input of more than single precision."""
        return self.dtype not in {"float16", "bfloat16", "float32"}

    @property
    def entries(self) -> float:
        return float(self.n_samples) * self.n_features

    @property
    def data_bytes(self) -> float:
        return self.entries * self.itemsize


def check_problem(
    n_samples: Any,
    n_features: Any,
    n_clusters: Any,
    metric: Any,
    dtype: Any,
    n_queries: Any,
    working_memory: float,
) -> Problem:
    """Check the sizes and names of a plan.

    Raises
    ------
    ValueError
        For a number that is none or out of range, an unknown metric or dtype.
    """
    n = check_count("n_samples", n_samples, least=3)
    d = check_count("n_features", n_features)
    k = check_count("n_clusters", n_clusters, least=2)
    if k >= n:
        msg = f"n_clusters must be from 2 to n_samples - 1 = {n - 1}, since scores compare clusters, got {k}"
        raise ValueError(msg)
    if not isinstance(metric, str) or metric not in PLANNED:
        msg = f"metric must be one of {', '.join(PLANNED)}, got {metric!r}"
        raise ValueError(msg)
    if metric == "haversine" and d != 2:
        msg = f"metric 'haversine' takes n_features=2 (latitude, longitude), got {d}"
        raise ValueError(msg)
    name, itemsize = _check_dtype(dtype)
    queries = check_count("n_queries", n_queries, least=2)
    return Problem(n, d, k, metric, name, itemsize, min(queries, n), float(working_memory))


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return a whole number; floats such as 1e8 will do.

    Raises
    ------
    ValueError
        If it is none, below `least`, or more than int64 holds.
    """
    whole = isinstance(value, Integral) or (
        isinstance(value, Real) and math.isfinite(value) and float(value).is_integer()
    )
    if isinstance(value, bool) or not whole or not least <= int(value) <= LARGEST:
        msg = f"{name} must be a whole number from {least} to 2**63 - 1, got {value!r}"
        raise ValueError(msg)
    return int(value)


def _check_dtype(dtype: Any) -> tuple[str, int]:
    if isinstance(dtype, str) and dtype == "bfloat16":  # NumPy has none
        return dtype, 2
    try:
        known = np.dtype(dtype)
    except TypeError:
        known = np.dtype(object)
    if dtype is None or known.kind not in "biuf" or known.itemsize > 8:
        msg = f"dtype must be that of real numbers of 8 bytes at most, such as float32, got {dtype!r}"
        raise ValueError(msg)
    return known.name, known.itemsize
