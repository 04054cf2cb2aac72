"""A note on numbers of clusters that leave more spread than a smaller number does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.text.messages import counted

if TYPE_CHECKING:
    from gpumetrics.choosing.entries import Entries

__all__ = ["add_spread_note"]

ROUNDING = 1e-6  # relative, of scores of float32 rows
MOST_NAMES = 4


def add_spread_note(notes: dict[str, str], entries: Entries) -> None:
    """Name the numbers of clusters whose sum of squares a smaller number undercuts.

    Splitting a cluster never adds to the sum, so that the best clustering with more clusters has less: where
    Calinski-Harabasz, which holds the sum's share of the total, says otherwise, the fit is not the best there is.
    """
    scores = entries.rows.get("calinski_harabasz")
    if entries.kind != "n_clusters" or scores is None or (entries.rows["n_noise"] > 0).any():
        return
    n, k = entries.basis.n_samples, entries.rows["n_clusters"]
    known = np.flatnonzero(np.isfinite(scores) & (k < n))
    share = 1 / (1 + scores[known] * (k[known] - 1) / (n - k[known]))
    least = [share[k[known] < own].min(initial=1.0) for own in k[known]]  # of smaller numbers
    worse = known[share > np.multiply(least, 1 + ROUNDING)]
    if len(worse):
        notes["spread"] = counted(
            len(worse),
            "{which} leaves more spread inside its clusters than a smaller number of clusters does, though splitting a "
            "cluster can only take from it: a better fit exists. If the clusterer minimises that spread, as k-means "
            "does, it was stuck: run it from more starts.",
            "{which} leave more spread inside their clusters than a smaller number of clusters does, though splitting "
            "a cluster can only take from it: better fits exist. If the clusterer minimises that spread, as k-means "
            "does, it was stuck: run it from more starts.",
            which=entries.words(worse, MOST_NAMES),
        )
