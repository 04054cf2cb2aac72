"""How functions of `gpumetrics` that take two columns become those of `gpumetrics.dask`."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from gpumetrics.dask.statistics import lazy_contingency, lazy_targets
from gpumetrics.dask.tasks import later, running

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["of_labelings", "of_labels"]

ADDED = {"client": None, "compute": True, "split_every": 8}


def of_labelings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a score of two labelings is in `gpumetrics.dask`."""

    def gather(labels_true: Any, labels_pred: Any, options: dict[str, Any]) -> Any:
        return lazy_contingency(labels_true, labels_pred, options.pop("noise_label", None))

    return _on_dask(function, gather)


def of_labels(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a score of true and predicted labels is there."""

    def gather(y_true: Any, y_pred: Any, options: dict[str, Any]) -> Any:
        return lazy_targets(y_true, y_pred, options.pop("sample_weight", None))

    return _on_dask(function, gather)


def _on_dask(function: Callable[..., Any], gather: Callable[[Any, Any, dict[str, Any]], Any]) -> Callable[..., Any]:
    """Return a function of the same two columns and options, and of those that Dask adds.

    `gather` makes a lazy statistic of the columns; options that it needs it takes from the others.
    """
    name, given = function.__name__, inspect.signature(function)
    first, second = list(given.parameters)[:2]

    def score(*columns: Any, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any) -> Any:
        with running(client, split_every):
            if compute:
                return function(*columns, **options)
            try:
                found = given.bind(*columns, **options).arguments
            except TypeError as error:
                msg = f"{name}() {error}"
                raise TypeError(msg) from None
            true, pred = found.pop(first), found.pop(second)
            return later(_of_both, function, gather(true, pred, found), found)

    added = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value) for key, value in ADDED.items()]
    signature = given.replace(parameters=[*given.parameters.values(), *added], return_annotation=Any)
    score.__signature__ = signature  # type: ignore[attr-defined]
    score.__name__ = score.__qualname__ = name
    score.__module__ = "gpumetrics.dask"  # where pickle finds it
    score.__doc__ = f"Compute `gpumetrics.{name}` of Dask collections; see `gpumetrics.dask`."
    return score


def _of_both(function: Callable[..., Any], statistic: Any, options: dict[str, Any]) -> Any:
    return function(statistic, statistic, **options)
