"""What a plot of a comparison holds of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.types import Array

__all__ = ["ComparedScores", "scores_of"]

BESIDE = ("silhouette_macro", "adjusted_rand", "adjusted_mutual_info")  # scores that are drawn but do not choose


@dataclass(eq=False, kw_only=True)
class ComparedScores:
    """Scores of several labelings.

    Parameters
    ----------
    names : list
        Of the labelings.
    kind : {"n_clusters", "labeling", "setting"}
        What the names are.
    n_clusters, noise_fraction : ndarray of shape (n_labelings,), float64
        nan where there is no labeling.
    scores : tuple of str
        The scores that choose.
    values : dict of str to ndarray of shape (n_labelings,), float64
        By score, also of ``silhouette_macro``, ``adjusted_rand`` and ``adjusted_mutual_info`` if they are known.
    best : dict of str to (int or None)
        For each of these the place of the best labeling.
    standard_errors : ndarray of shape (n_labelings,), float64, optional
        Of the silhouettes, where they are estimates.
    """

    names: list[Any]
    kind: str
    n_clusters: Array
    noise_fraction: Array
    scores: tuple[str, ...]
    values: dict[str, Array]
    best: dict[str, int | None]
    standard_errors: Array | None = None


def scores_of(comparison: Comparison) -> dict[str, Any]:
    """Return the fields of `ComparedScores`."""
    rows, error = comparison.rows, "silhouette_standard_error"
    shown = (*comparison.scores, *(name for name in BESIDE if name in rows))
    best = {name: comparison.best[name] for name in shown}
    return {
        "names": list(comparison.names),
        "kind": comparison.entries.kind,
        "n_clusters": rows["n_clusters"].astype(np.float64),
        "noise_fraction": rows["noise_fraction"],
        "scores": tuple(comparison.scores),
        "values": {name: rows[name].astype(np.float64) for name in shown},
        "best": {name: None if at is None else comparison.names.index(at) for name, at in best.items()},
        "standard_errors": rows[error].astype(np.float64) if error in rows else None,
    }
