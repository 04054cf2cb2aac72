"""Silhouettes of Dask's collections: in two passes where the metric has a closed form, else from pairs of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import dask.array as da
import numpy as np

from gpumetrics.backends.array_modules import beside
from gpumetrics.dask.closed_form import ClosedForm
from gpumetrics.dask.clustered import check_clustered_blocks
from gpumetrics.dask.pairs import pair_blocks, silhouettes_by_block
from gpumetrics.dask.tasks import computed, later, lazily, merged

if TYPE_CHECKING:
    from gpumetrics.dask.clustered import Side
    from gpumetrics.dask.pairs import Scored
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.streaming.silhouette_state import SilhouetteScorer
    from gpumetrics.types import Array

__all__ = ["Means", "lazy_mean", "mean_silhouette", "refuse_sample", "samples"]


class Means(NamedTuple):
    """Mean silhouettes: over all rows, and of each cluster (n_clusters,), float64."""

    value: float
    by_cluster: Array


def mean_silhouette(X: Any, labels: Any, noise_label: Any, metric: Metric, sample_size: Any = None) -> float:
    """Mean silhouette coefficient; see `silhouette_score`."""
    refuse_sample(sample_size)
    return float(computed(lazy_mean(X, labels, noise_label, metric)).value)


def refuse_sample(sample_size: Any) -> None:
    """Raise for rows that are drawn on both sides, as `sample_size` asks for."""
    if sample_size is not None:
        msg = (
            "sample_size is not computed on Dask collections: silhouette_estimate asks a sample of rows, with an error."
        )
        raise TypeError(msg)


def lazy_mean(X: Any, labels: Any, noise_label: Any, metric: Metric) -> Any:
    """Return the mean silhouettes, lazily; the pass before the last one is computed."""
    if metric.closed_form:
        return lazily(_means_of_scorer, ClosedForm.of(X, labels, noise_label, metric).scored())
    data = pair_blocks(check_clustered_blocks(X, labels, noise_label, metric))
    sizes = data.plan.sizes
    sums = [lazily(_cluster_sums, part, len(sizes)) for _, part in silhouettes_by_block(data)]
    return lazily(_means, merged(sums, _added), sizes)


def samples(X: Any, labels: Any, noise_label: Any, metric: Metric) -> Any:
    """Return the silhouette of each row as an array of Dask's; the pass before the last one is computed."""
    if metric.closed_form:
        return ClosedForm.of(X, labels, noise_label, metric).samples()
    given = check_clustered_blocks(X, labels, noise_label, metric)
    data = pair_blocks(given)
    parts = [later(_by_row, side, part) for side, part in silhouettes_by_block(data)]
    try:
        arrays = [
            da.from_delayed(part, shape=(m,), dtype=np.float64) for part, m in zip(parts, data.blocks.rows, strict=True)
        ]
    except NotImplementedError as error:
        msg = (
            "The silhouettes of single rows from all pairs need Dask's arrays without query planning: set "
            '"array.query-planning" to False before dask.array is imported, or call silhouette_score, or take a metric '
            "with a closed form."
        )
        raise TypeError(msg) from error
    return da.concatenate(arrays).rechunk((given.blocks.rows,))


def _by_row(side: Side, scored: Scored) -> Array:
    """Return the silhouette of every row of a block, in the library of its rows; nan for noise."""
    if side.noise is None:
        return beside(scored.values, side.rows)  # type: ignore[no-any-return]
    every = np.full(len(side.noise), np.nan)
    every[~side.noise] = scored.values
    return beside(every, side.rows)  # type: ignore[no-any-return]


def _means_of_scorer(state: SilhouetteScorer) -> Means:
    value, by_cluster = state.result("silhouette_score"), state.result("per_cluster")
    return Means(float(value), np.asarray(by_cluster))


def _cluster_sums(part: Scored, n_clusters: int) -> Array:
    return np.bincount(part.codes, weights=part.values, minlength=n_clusters)


def _added(parts: list[Array]) -> Array:
    total: Array = np.sum(parts, axis=0)
    return total


def _means(sums: Array, sizes: Array) -> Means:
    return Means(float(sums.sum() / sizes.sum()), sums / sizes)
