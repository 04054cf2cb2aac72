"""Distance metrics by scikit-learn's names: which there are, what options they take, how they are computed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.threads import spans
from gpumetrics.exceptions import warn_conversion
from gpumetrics.features import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["METRICS", "Metric", "check_metric"]

ALIASES = {
    "l2": "euclidean",
    "nan_euclidean": "euclidean",  # X has no NaN, so the two are the same
    "l1": "manhattan",
    "cityblock": "manhattan",
    "matching": "hamming",
}
BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}
# Distances that stay the same when a constant is added to every row.
SHIFT_FREE = {"euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski", "seuclidean", "mahalanobis", "hamming"}
CLOSED_FORM = {"sqeuclidean", "cosine", "correlation"}
SPARSE = {"euclidean", "cosine", "manhattan", "precomputed"}

# The keywords that scikit-learn hands through to each distance.
OPTIONS: dict[str, tuple[str, ...]] = {
    "euclidean": ("squared",),
    "minkowski": ("p", "w"),
    "seuclidean": ("V",),
    "mahalanobis": ("VI",),
    **dict.fromkeys(("braycurtis", "canberra", "chebyshev", "correlation", "hamming", "sqeuclidean"), ("w",)),
    **dict.fromkeys(BOOLEAN, ("w",)),
}
COMMON = ("n_jobs", "working_memory", "ensure_all_finite")
METRICS = sorted({*ALIASES, *SHIFT_FREE, *BOOLEAN, *CLOSED_FORM, "braycurtis", "canberra", "haversine", "precomputed"})


@dataclass(frozen=True)
class Metric:
    """A checked metric: its canonical name, or "callable", and its options."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    function: Callable[..., float] | None = None

    @property
    def closed_form(self) -> bool:
        return self.name in CLOSED_FORM and not self.options


def check_metric(metric: Any, options: dict[str, Any], function_name: str) -> tuple[Metric, dict[str, Any]]:
    """Check a metric's name and keywords.

    Returns
    -------
    metric : Metric
    settings : dict
        ``working_memory`` if it was among the keywords.

    Raises
    ------
    ValueError
        For a metric that does not exist.
    TypeError
        For a keyword that the metric does not take.
    """
    if callable(metric):
        own = {k: v for k, v in options.items() if k not in COMMON}
        return Metric("callable", own, metric), _settings(options)
    if not isinstance(metric, str) or metric not in METRICS:
        msg = (
            f"The 'metric' parameter of {function_name} must be a str among {set(METRICS)} or a callable. "
            f"Got {metric!r} instead."
        )
        raise ValueError(msg)
    name = ALIASES.get(metric, metric)
    known = OPTIONS.get(name, ())
    for option in options:
        if option not in known and option not in COMMON:
            takes = f"takes {', '.join(known)}" if known else "takes no options"
            msg = f"{function_name}() got an unexpected keyword argument {option!r}; metric {metric!r} {takes}"
            raise TypeError(msg)
    own = {k: v for k, v in options.items() if k in known and v is not None}
    if name == "euclidean" and own.pop("squared", False):
        name = "sqeuclidean"
    if name == "minkowski" and not float(own.get("p", 2)) > 0:
        msg = f"p must be greater than 0, got {own['p']!r}"
        raise ValueError(msg)
    return Metric(name, own), _settings(options)


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    memory = options.get("working_memory")
    if memory is None:
        return {}
    # scikit-learn takes 0 for the least memory possible.
    return {"working_memory": 1.0 if memory == 0 else memory}


def prepare(metric: Metric, features: Features) -> tuple[Metric, Features]:
    """Fit the metric to the data: options that come from the whole of X, and rows as the metric needs them."""
    if features.sparse and metric.name not in SPARSE and metric.name != "callable":
        msg = (
            "scipy distance metrics do not support sparse matrices "
            f"(metric {metric.name!r}; use one of {sorted(SPARSE)}, or X.toarray())."
        )
        raise TypeError(msg)
    if metric.name == "haversine" and features.n_features != 2:
        msg = f"Haversine distance only valid in 2 dimensions (latitude, longitude), got {features.n_features}."
        raise ValueError(msg)
    if metric.name in BOOLEAN and features.data.dtype != bool:
        warn_conversion(f"Data was converted to boolean for metric {metric.name}")
    if metric.name not in SHIFT_FREE:
        return metric, features.plain()
    return Metric(metric.name, _scaled_options(metric, features), metric.function), features


def _scaled_options(metric: Metric, features: Features) -> dict[str, Any]:
    """Options in the units of `Features.rows`; V and VI from all rows if they are not given."""
    options = dict(metric.options)
    scale = np.float64(features.scale)  # its square may overflow
    if metric.name == "seuclidean":
        given = options.get("V")
        V = _covariance(features, diagonal=True) if given is None else np.asarray(given, np.float64) * scale * scale
        # In a constant column every difference is 0: any variance will do, and 0 would make it 0/0.
        options["V"] = np.where(V == 0, 1.0, V)
    elif metric.name == "mahalanobis":
        given = options.get("VI")
        options["VI"] = (
            np.linalg.inv(np.atleast_2d(_covariance(features))).T
            if given is None
            else np.asarray(given, np.float64) / scale / scale
        )
    return options


def _covariance(features: Features, *, diagonal: bool = False) -> Array:
    """Covariance (or variances) of the columns about their means, with n - 1 in the denominator."""
    first = features.rows(slice(0, 1))
    blocks = spans(features.n_samples, max(1, BLOCK // features.n_features))
    mean = sum(((features.rows(b) - first).sum(axis=0) for b in blocks), np.zeros(features.n_features))
    mean = mean / features.n_samples
    total: Any = 0.0
    for block in blocks:
        deviation = (features.rows(block) - first) - mean
        total = total + (np.einsum("ij,ij->j", deviation, deviation) if diagonal else deviation.T @ deviation)
    out: Array = total / (features.n_samples - 1)
    return out
