"""Distance metrics by scikit-learn's names: which there are, what options they take, how they are computed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host, beside
from gpumetrics.backends.threads import spans
from gpumetrics.exceptions import warn_conversion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["METRICS", "Metric", "check_metric", "has_closed_form"]

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
        return self.name in CLOSED_FORM


def has_closed_form(metric: Metric, features: Features, *, on_gpu: bool) -> bool:
    """Whether mean distances of these rows come in closed form: on the CPU sparse rows are multiplied as they are."""
    return metric.closed_form and (on_gpu or not features.sparse)


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
            f"The 'metric' parameter of {function_name} must be a str among {{{str(METRICS)[1:-1]}}} or a callable. "
            f"Got {metric!r} instead{_meant(metric, METRICS) or '.'}"
        )
        raise ValueError(msg)
    name = ALIASES.get(metric, metric)
    known = OPTIONS.get(name, ())
    for option in options:
        if option not in known and option not in COMMON:
            takes = f"takes {', '.join(known)}" if known else "takes no options"
            msg = f"{function_name}() got an unexpected keyword argument {option!r}"
            more = _meant(option, [*known, *COMMON, *_keywords(function_name)]) or f"; metric {metric!r} {takes}"
            raise TypeError(msg + more)
    own = {k: v for k, v in options.items() if k in known and v is not None}
    if name == "euclidean" and own.pop("squared", False):
        name = "sqeuclidean"
    p = own.get("p", 2)
    if name == "minkowski" and not (isinstance(p, Real) and float(p) > 0):
        msg = f"p must be greater than 0, got {own['p']!r}"
        raise ValueError(msg)
    return Metric(name, own), _settings(options)


def _meant(word: Any, known: Iterable[str]) -> str:
    """Propose the known word that is spelled most like another, if one is."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), known, n=1) if isinstance(word, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def _keywords(function_name: str) -> list[str]:
    """Return the keywords that a public function has itself."""
    import inspect

    import gpumetrics

    function = getattr(gpumetrics, function_name, None)
    return list(inspect.signature(function).parameters) if callable(function) else []


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
    if metric.name in BOOLEAN and features.data.dtype != np.bool_:
        warn_conversion(f"Data was converted to boolean for metric {metric.name}")
    metric = _with_checked_weights(metric, features.n_features)
    if metric.name == "hamming":
        return metric, replace(features, scale=1.0, constant=None)  # equal or not: scaling could make rows equal
    if metric.name not in SHIFT_FREE:
        return metric, features.plain()
    if metric.name in {"seuclidean", "mahalanobis"}:
        return _with_column_units(metric, features)
    if metric.name == "minkowski":
        return metric, _in_unit_range(features)  # p-th powers overflow long before squares do
    return metric, features


def _with_checked_weights(metric: Metric, n_features: int) -> Metric:
    """Check the weights of the features here, for every backend, with SciPy's words."""
    given = metric.options.get("w")
    if given is None or metric.function is not None:
        return metric
    w = np.asarray(as_host(given), dtype=np.float64)
    if w.ndim != 1:
        msg = f"Weights must be a vector (ndim = 1), got w of shape {w.shape}"
    elif len(w) != n_features:
        msg = f"Weights must have same size as input vector. {len(w)} vs. {n_features}."
    elif not (w >= 0).all():
        msg = f"Input weights should be all non-negative, got w = {w}"
    else:
        return replace(metric, options={**metric.options, "w": w})
    raise ValueError(msg)


def _in_unit_range(features: Features) -> Features:
    reach = float(np.max(features.high - features.low))
    unit = 1.0 if reach == 0 else float(np.ldexp(1.0, -int(np.frexp(reach)[1])))
    return features if unit == 1.0 else replace(features, transform=lambda block: block * unit)


def _with_column_units(metric: Metric, features: Features) -> tuple[Metric, Features]:
    """Metrics that a change of a column's unit leaves alone: in units in which each column ranges over about 1.

    V and VI come from all rows if they are not given; if they are, they follow the units.
    """
    unit = features.column_units()
    relative = unit / unit.max()  # a factor that all columns share changes no silhouette, but might overflow
    features = replace(features, transform=lambda block: block * beside(unit, block))
    name, d = ("V", (len(unit),)) if metric.name == "seuclidean" else ("VI", (len(unit), len(unit)))
    given = metric.options.get(name)
    if given is not None:
        given = np.asarray(as_host(given), dtype=np.float64)
        if given.shape != d:
            msg = f"{name} must have shape {d} for X with {len(unit)} features, got shape {given.shape}"
            raise ValueError(msg)
    if name == "V":
        variance = _covariance(features, diagonal=True) if given is None else given * relative * relative
        # In a constant column every difference is 0: any variance will do, and 0 would make it 0/0.
        option = np.where(variance == 0, 1.0, variance)
    elif given is None:
        option = np.linalg.inv(np.atleast_2d(_covariance(features))).T
    else:
        option = given / relative / relative[:, None]
    return Metric(metric.name, {name: option}), features


def _covariance(features: Features, *, diagonal: bool = False) -> Array:
    """Covariance (or variances) of the columns about their means, with n - 1 in the denominator."""
    first = features.rows(slice(0, 1))
    blocks = spans(features.n_samples, features.block_rows)
    mean = sum((features.rows(b) - first).sum(axis=0) for b in blocks) / features.n_samples
    total: Any = 0.0
    for block in blocks:
        deviation = (features.rows(block) - first) - mean
        total = total + ((deviation * deviation).sum(axis=0) if diagonal else deviation.T @ deviation)
    return as_host(total / (features.n_samples - 1))
