"""The settings of a sweep: every combination of a grid, by the name that it has in the table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpumetrics.text.labels import cut_at_the_end

__all__ = ["DEFAULT_CLUSTERS", "Setting", "check_clusters", "settings_of"]

DEFAULT_CLUSTERS = range(2, 16)
LONGEST_VALUE = 40


@dataclass(frozen=True)
class Setting:
    """One setting of a clusterer.

    Attributes
    ----------
    name : int or str
        The number of clusters where it was asked for and nothing else varies, else the parameters that vary.
    parameters : dict of str to object
    """

    name: Any
    parameters: dict[str, Any]


def settings_of(param_grid: Any, n_clusters: Any, clusters_parameter: str) -> tuple[list[Setting], str]:
    """Return every setting, and what its names are: "n_clusters" or "setting".

    Parameters
    ----------
    param_grid : dict, list of dicts, or None
        Each dict has a value, or a list of values, for each parameter; all combinations of a dict are taken.
    n_clusters : iterable of int, int, or None
    clusters_parameter : str
        The parameter that takes the number of clusters.

    Raises
    ------
    TypeError
        If the grid is no such thing.
    ValueError
        If it is empty, or the numbers of clusters are none.
    """
    grids = [{}] if param_grid is None else [param_grid] if isinstance(param_grid, Mapping) else param_grid
    if isinstance(grids, str) or not isinstance(grids, Iterable):
        raise TypeError(_no_grid(param_grid))
    combined: list[dict[str, Any]] = []
    for grid in grids:
        if not isinstance(grid, Mapping) or not all(isinstance(name, str) for name in grid):
            raise TypeError(_no_grid(param_grid))
        values = {name: _values(value) for name, value in grid.items()}
        if n_clusters is not None:
            if clusters_parameter in values:
                raise ValueError(f"{clusters_parameter} is given twice: in param_grid and as n_clusters")
            values[clusters_parameter] = check_clusters(n_clusters)
        combined += [dict(zip(values, each, strict=True)) for each in itertools.product(*values.values())]
    combined = _distinct(combined)
    if not combined:
        raise ValueError("param_grid and n_clusters give no setting: each parameter needs one value at least")
    if n_clusters is not None and set(_varying(combined)) <= {clusters_parameter}:
        return [Setting(each[clusters_parameter], each) for each in combined], "n_clusters"
    return [Setting(name, each) for name, each in zip(_names(combined), combined, strict=True)], "setting"


def check_clusters(n_clusters: Any) -> list[int]:
    """Return numbers of clusters as a list of int.

    Raises
    ------
    ValueError
        If they are not whole numbers from 1.
    """
    given = [n_clusters] if isinstance(n_clusters, int | np.integer) else n_clusters
    values: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    for k in values:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"n_clusters must be whole numbers from 1, as in range(2, 16), got {n_clusters!r}")
    return [int(k) for k in values]


def _no_grid(param_grid: Any) -> str:
    return (
        "param_grid must be a dict of parameters and their values, as in {'eps': [0.3, 0.5]}, or a list of such "
        f"dicts, got {param_grid!r}"
    )


def _values(value: Any) -> list[Any]:
    """Return the values of a parameter; what is no list, tuple, range or array is one value."""
    if isinstance(value, list | tuple | range):
        return list(value)
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else [value]


def _distinct(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the settings without those that come again."""
    seen, out = set(), []
    for setting in settings:
        key = tuple((name, type(value).__name__, repr(value)) for name, value in sorted(setting.items()))
        if key not in seen:
            seen.add(key)
            out.append(setting)
    return out


def _varying(settings: list[dict[str, Any]]) -> list[str]:
    """Return the parameters that are not the same in all settings."""
    parameters = dict.fromkeys(name for setting in settings for name in setting)
    return [name for name in parameters if len({repr(s.get(name, ...)) for s in settings}) > 1]


def _names(settings: list[dict[str, Any]]) -> list[str]:
    """Name each setting by the parameters that are not the same in all of them."""
    shown = _varying(settings) or list(dict.fromkeys(name for setting in settings for name in setting))
    names: list[str] = []
    for setting in settings:
        words = [f"{name}={_spoken(setting[name])}" for name in shown if name in setting]
        text = ", ".join(words) or "as given"
        again = sum(name == text or name.startswith(f"{text} (") for name in names)
        names.append(f"{text} ({again + 1})" if again else text)
    return names


def _spoken(value: Any) -> str:
    return cut_at_the_end(value if isinstance(value, str) else repr(value), LONGEST_VALUE)
