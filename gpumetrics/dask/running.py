"""Where and when the functions of `gpumetrics.dask` compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask

from gpumetrics.dask.blocks import Failure, running
from gpumetrics.dask.statistics import lazy_contingency, lazy_targets

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["later", "of_labelings", "of_labels"]


def of_labelings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a score of two labelings is in `gpumetrics.dask`; its docstring says what the arguments are."""

    def score(
        labels_true: Any,
        labels_pred: Any,
        *,
        client: Any = None,
        compute: bool = True,
        split_every: int = 8,
        **options: Any,
    ) -> Any:
        with running(client, split_every):
            if compute:
                return function(labels_true, labels_pred, **options)
            counted = lazy_contingency(labels_true, labels_pred, options.pop("noise_label", None))
            return later(_of_both, function, counted, options)

    return _as(score, function)


def of_labels(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what a score of true and predicted labels is there."""

    def score(
        y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
    ) -> Any:
        with running(client, split_every):
            if compute:
                return function(y_true, y_pred, **options)
            counted = lazy_targets(y_true, y_pred, options.pop("sample_weight", None))
            return later(_of_both, function, counted, options)

    return _as(score, function)


def _as(score: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    name = function.__name__
    score.__name__ = score.__qualname__ = name
    score.__module__ = "gpumetrics.dask"  # where pickle finds it
    score.__doc__ = f"Compute `gpumetrics.{name}` of Dask collections; see `gpumetrics.dask`."
    return score


def later(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on a worker, for the user: an error is raised there."""
    return dask.delayed(_raising)(function, *arguments)


def _raising(function: Callable[..., Any], *arguments: Any) -> Any:
    for argument in arguments:
        if isinstance(argument, Failure):
            raise argument.error
    return function(*arguments)


def _of_both(function: Callable[..., Any], statistic: Any, options: dict[str, Any]) -> Any:
    return function(statistic, statistic, **options)
