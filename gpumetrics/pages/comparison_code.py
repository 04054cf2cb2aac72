"""Lines of Python that repeat a comparison, or look further into what it chose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpumetrics.pages.common import short, written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.choosing.comparison import Comparison

__all__ = ["full_reports", "repeated"]

MOST = 3  # choices that a page writes lines for
LONGEST = 60  # characters of a value that is written out
PARAMETER = "param_"


def full_reports(comparison: Comparison, names: Iterable[Any]) -> str:
    """Return lines that write the full report of each of these labelings."""
    metric, noise = _written(comparison.metric), _written(comparison.noise_label)
    lines = ["from gpumetrics import evaluate_clustering", ""]
    for at, name in enumerate(list(names)[:MOST], start=1):
        known = _plain(name)
        key = repr(name) if known else f"comparison.names[{comparison.names.index(name)}]"
        call = f"evaluate_clustering(X, comparison.labels({key}), metric={metric}, noise_label={noise})"
        lines.append(f'{call}.save_html("choice-{at}.html")')
    return "\n".join(lines)


def repeated(comparison: Comparison) -> str:
    """Return lines that make the same comparison again."""
    fitted = "fit_seconds" in comparison.rows
    options = {
        "scores": repr(comparison.scores),
        "metric": _written(comparison.metric),
        "noise_label": _written(comparison.noise_label),
        "silhouette": repr(comparison.silhouette_mode),
    }
    if comparison.entries.basis.truth:
        options["labels_true"] = "labels_true"
    if comparison.silhouette_mode == "estimate":
        options["random_state"] = "random_state"
    name = "sweep" if fitted else "compare_labelings"
    given = f"X, clusterer, {_grid(comparison)}" if fitted else "X, labelings"
    first = [f"from gpumetrics import {name}", "", f"comparison = {name}(", f"    {given},"]
    lines = [f"    {key}={value}," for key, value in options.items()]
    return "\n".join([*first, *lines, ")", 'comparison.save_html("comparison.html")'])


def _grid(comparison: Comparison) -> str:
    """Return the keyword that gives a sweep its settings, if they are all combinations of some values."""
    columns = {key: list(column) for key, column in comparison.rows.items() if key.startswith(PARAMETER)}
    values = {
        key.removeprefix(PARAMETER): list(dict.fromkeys(map(_written, column))) for key, column in columns.items()
    }
    text = ", ".join(f"{name!r}: [{', '.join(found)}]" for name, found in values.items())
    if comparison.entries.kind == "n_clusters":
        return f"n_clusters={[int(name) for name in comparison.names]}"
    every = math.prod(map(len, values.values())) == len(comparison)
    return f"{{{text}}}" if every else "param_grid"


def _plain(value: Any) -> bool:
    """Whether a value can be written as it is."""
    return value is None or (isinstance(value, str | int | float) and len(repr(value)) <= LONGEST)


def _written(value: Any) -> str:
    text = written(value, LONGEST)
    return short(repr(value), LONGEST) if text == "..." else text
