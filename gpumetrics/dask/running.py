"""Where and when the functions of `gpumetrics.dask` compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import dask

from gpumetrics.dask.blocks import Failure, running
from gpumetrics.dask.statistics import lazy_contingency, lazy_targets

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Run", "later", "of_labelings", "of_labels"]


class Run(NamedTuple):
    """The arguments that all functions of `gpumetrics.dask` share; its docstring says what they are."""

    client: Any = None
    compute: bool = True
    split_every: int = 8


def of_labelings(function: Callable[..., Any], sides: tuple[Any, Any], options: dict[str, Any], run: Run) -> Any:
    """Apply a function of two labelings."""
    with running(run.client, run.split_every):
        if run.compute:
            return function(*sides, **options)
        noise_label = options.pop("noise_label", None)
        return later(_of_both, function, lazy_contingency(*sides, noise_label), options)


def of_labels(function: Callable[..., Any], sides: tuple[Any, Any], options: dict[str, Any], run: Run) -> Any:
    """Apply a function of true and predicted labels."""
    with running(run.client, run.split_every):
        if run.compute:
            return function(*sides, **options)
        weights = options.pop("sample_weight", None)
        return later(_of_both, function, lazy_targets(*sides, weights), options)


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
