"""The keywords that `compare_labelings` and `sweep` share, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.facts import check_scores
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.silhouette_part import MODES
from gpumetrics.evaluation.stratified import random_source
from gpumetrics.label_arrays import unwrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.distance_metrics import Metric

__all__ = ["Wishes", "check_wishes"]

NARROWED = 5  # labelings that narrow=True leaves


@dataclass(frozen=True)
class Wishes:
    """What is to be compared, and how; `compare_labelings` documents the fields."""

    scores: tuple[str, ...]
    metric: Metric
    metric_name: str
    noise_label: Any
    silhouette: str
    narrow: int | None
    generator: Any


def check_wishes(
    function: str,
    scores: Any,
    metric: Any,
    kwds: dict[str, Any],
    noise_label: Any,
    silhouette: str,
    narrow: Any,
    random_state: Any,
) -> tuple[Wishes, dict[str, Any]]:
    """Check the keywords that comparisons share; return them, and settings to compute under."""
    if silhouette not in MODES:
        raise ValueError(f"silhouette must be one of {MODES}, got {silhouette!r}")
    names = check_scores(scores)
    checked, settings = check_metric(metric, kwds, function)
    name = getattr(metric, "__name__", repr(metric)) if callable(metric) else str(metric)
    keep = _check_narrow(narrow, names, checked)
    if "density_validity" in names:
        _check_density(metric, checked)
    generator = random_source(random_state)
    return Wishes(names, checked, name, unwrap(noise_label), silhouette, keep, generator), settings


def _check_density(given: Any, metric: Metric) -> None:
    """Raise ValueError unless the density validity takes the distance."""
    from gpumetrics.clustering.density_validity_blocks import METRICS

    if metric.name not in METRICS or metric.name == "precomputed" or metric.options:
        takes = tuple(name for name in METRICS if name != "precomputed")
        raise ValueError(
            f"the score density_validity takes the metrics {takes}, got {given!r}; for distances call density_validity"
        )


def _check_narrow(narrow: Any, scores: Sequence[str], metric: Metric) -> int | None:
    """Return how many labelings get a silhouette; None for all."""
    narrow = narrow.item() if isinstance(narrow, np.generic) else narrow
    if narrow is False or narrow is None:
        return None
    if not isinstance(narrow, int) or narrow < 1:
        raise ValueError(f"narrow must be True, False or a number of labelings from 1, got {narrow!r}")
    if "silhouette" not in scores or "calinski_harabasz" not in scores or metric.name == "precomputed":
        raise ValueError(
            "narrow chooses by Calinski-Harabasz which labelings get a silhouette: both must be among the scores, and "
            "X must hold the rows, not their distances"
        )
    return NARROWED if narrow is True else narrow
