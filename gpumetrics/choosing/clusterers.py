"""Clusterers of any library: a fresh one with a setting, and the labels that it gives."""

from __future__ import annotations

import copy
import inspect
import sys
from typing import Any

__all__ = [
    "DENSITY_BASED",
    "LARGEST_SEED",
    "check_clusterer",
    "clusters_parameter",
    "fresh",
    "is_density_based",
    "kind_name",
    "labels_from",
    "parameters_of",
    "seeds_of",
]

LARGEST_SEED = 2**31 - 1  # that every library takes
# In the names of clusterers, and of labelings, that find clusters of any shape by density.
DENSITY_BASED = ("dbscan", "optics", "density")
COUNTS = ("n_clusters", "n_components")  # a mixture's clusters are its components


def check_clusterer(clusterer: Any) -> None:
    """Raise TypeError unless it can cluster: an object, or the class of one, with fit_predict or fit."""
    if not any(callable(getattr(clusterer, name, None)) for name in ("fit_predict", "fit")):
        msg = (
            "clusterer must have fit_predict, or fit and then labels_ or predict, as scikit-learn's, cuML's and "
            f"hdbscan's clusterers do; got {clusterer!r}"
        )
        raise TypeError(msg)


def parameters_of(clusterer: Any) -> dict[str, Any] | None:
    """Return the parameters that can be set, with their values; None where the clusterer does not tell."""
    if isinstance(clusterer, type):
        return _of_signature(clusterer)
    getter = getattr(clusterer, "get_params", None)
    return dict(getter()) if callable(getter) else None


def _of_signature(kind: type) -> dict[str, Any] | None:
    """Return the parameters of a class that is not made yet."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind == p.VAR_KEYWORD for p in parameters):
        return None
    return {p.name: None if p.default is p.empty else p.default for p in parameters}


def clusters_parameter(clusterer: Any) -> str:
    """Return the parameter that takes the number of clusters, also where it is a pipeline's last step that has it.

    Raises
    ------
    ValueError
        If there is none, or more than one.
    """
    known = parameters_of(clusterer)
    if known is None:
        return next((name for name in COUNTS if hasattr(clusterer, name)), COUNTS[0])
    steps = getattr(clusterer, "steps", None)
    last = f"{steps[-1][0]}__" if steps else ""
    for name in COUNTS:
        if f"{last}{name}" in known:
            return f"{last}{name}"
    found = [name for name in known if name.endswith("__n_clusters")]
    if len(found) == 1:
        return found[0]
    raise ValueError(
        f"{kind_name(clusterer)} has no parameter n_clusters or n_components, so that n_clusters cannot be set: give "
        "param_grid, as in {'eps': [0.3, 0.5]}"
    )


def seeds_of(clusterer: Any) -> list[str]:
    """Return the names of its parameters, and of its parts', that take a seed."""
    known = parameters_of(clusterer)
    if known is None:
        return ["random_state"] if hasattr(clusterer, "random_state") else []
    return [name for name in known if name == "random_state" or name.endswith("__random_state")]


def fresh(clusterer: Any, setting: dict[str, Any], seed: int | None = None) -> Any:
    """Return a clusterer that is not fitted, with this setting; with the seed where it has none.

    Raises
    ------
    ValueError, TypeError
        If it cannot be set so.
    """
    setting = {name: _copied(value) for name, value in setting.items()}  # a value may be a part, and be fitted
    if isinstance(clusterer, type):
        return clusterer(**{**_seeds(clusterer, setting, seed), **setting})
    new = _copied(clusterer)
    _set(new, setting)
    _set(new, _seeds(new, setting, seed))
    return new


def _set(clusterer: Any, values: dict[str, Any]) -> None:
    if parameters_of(clusterer) is not None:
        if values:
            clusterer.set_params(**values)
        return
    for name, value in values.items():
        setattr(clusterer, name, value)


def _seeds(clusterer: Any, setting: dict[str, Any], seed: int | None) -> dict[str, int]:
    """Return the seed for each parameter that takes one, and has none."""
    if seed is None:
        return {}
    known = parameters_of(clusterer)
    names = [name for name in seeds_of(clusterer) if name not in setting]
    return {name: seed for name in names if (known or {name: getattr(clusterer, name, None)})[name] is None}


def _copied(value: Any) -> Any:
    # scikit-learn's own clone leaves out what a fit has left; it is loaded where the clusterer is of its kind.
    base = sys.modules.get("sklearn.base")
    if base is not None and hasattr(value, "get_params") and not isinstance(value, type):
        return base.clone(value)
    return copy.deepcopy(value)


def labels_from(clusterer: Any, X: Any) -> Any:
    """Fit a clusterer to X and return its labels, wherever they lie.

    Raises
    ------
    TypeError
        If it gives none.
    """
    if callable(getattr(clusterer, "fit_predict", None)):
        return clusterer.fit_predict(X)
    clusterer.fit(X)
    if getattr(clusterer, "labels_", None) is not None:
        return clusterer.labels_
    if callable(getattr(clusterer, "predict", None)):
        return clusterer.predict(X)
    raise TypeError(f"{kind_name(clusterer)} has neither fit_predict nor, once it is fitted, labels_ or predict")


def is_density_based(clusterer: Any) -> bool:
    """Whether it finds clusters of any shape by density: by its name, or that of a pipeline's last step."""
    steps = getattr(clusterer, "steps", None)
    kind = steps[-1][1] if steps else clusterer
    names = [base.__name__.lower() for base in (kind if isinstance(kind, type) else type(kind)).__mro__]
    return any(word in name for word in DENSITY_BASED for name in names)


def kind_name(clusterer: Any) -> str:
    """Return the name of a clusterer's class."""
    return clusterer.__name__ if isinstance(clusterer, type) else type(clusterer).__name__
