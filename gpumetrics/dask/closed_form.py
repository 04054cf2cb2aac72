"""Silhouettes in closed form of Dask's collections: a pass for the centroids, and one that scores."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import dask.array as da
import numpy as np

from gpumetrics.config import config_context, get_config
from gpumetrics.dask.blocks import Blocks, query_planned
from gpumetrics.dask.clustered import blocks_of
from gpumetrics.dask.statistics import bytes_of, check_state, merge_states
from gpumetrics.dask.tasks import broadcast, computed, lazily, merged
from gpumetrics.distance_metrics import prepare
from gpumetrics.features import check_features
from gpumetrics.statistics.mean_distances import row_transform
from gpumetrics.streaming import ClosedFormSilhouetteState

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.distance_metrics import Metric
    from gpumetrics.streaming.silhouette_state import SilhouetteScorer
    from gpumetrics.types import Array

__all__ = ["ClosedForm"]


@dataclass(frozen=True)
class ClosedForm:
    """Rows in blocks, after the first pass.

    Attributes
    ----------
    blocks : Blocks
    metric : Metric
    scorer : SilhouetteScorer
    """

    blocks: Blocks
    metric: Metric
    scorer: SilhouetteScorer

    @classmethod
    def of(cls, X: Any, labels: Any, noise_label: Any, metric: Metric) -> Self:
        """Take the first pass."""
        blocks = blocks_of(X, labels)
        state = merged(blocks.each(_state, noise_label, metric), merge_states)
        return cls(blocks, metric, computed(lazily(check_state, state)).fitted())

    def scored(self) -> Any:
        """Take the second pass, lazily: a scorer that has seen all rows."""
        shared = broadcast(self.scorer, self._bytes)
        return merged(self.blocks.each(_scored, shared, self.metric), merge_states)

    def samples(self) -> Any:
        """Return the silhouette of each row as an array of Dask's."""
        X, labels = (_as_dask(array, self.blocks) for array in self.blocks.arrays)
        # Query planning takes no argument that is a node of the graph, so that every task has the scorer in it.
        scorer = self.scorer if query_planned(X) else broadcast(self.scorer, self._bytes)
        shared = {"scorer": scorer, "metric": self.metric, "settings": get_config()}
        return da.map_blocks(_samples, X, labels[:, None], **shared, drop_axis=1, dtype=np.float64, meta=np.empty(0))

    def of_each_block(self, function: Callable[..., Any], *shared: Any) -> list[Any]:
        """Apply a function to the labels of each block, its rows' silhouettes and what is shared, lazily.

        Silhouettes are nan for noise.
        """
        return self.blocks.each(_apply, broadcast(self.scorer, self._bytes), self.metric, function, *shared)

    def samples_of(self, rows: Any, labels: Array) -> Array:
        """Silhouettes of some rows that are in memory here."""
        return self.scorer.samples(_rows(rows, self.metric), labels)

    @property
    def _bytes(self) -> int:
        return bytes_of(self.scorer, self.blocks)


def _state(X: Any, labels: Any, noise_label: Any, metric: Metric) -> ClosedFormSilhouetteState:
    weighted_correlation = metric.name == "correlation" and metric.options
    name = "cosine" if weighted_correlation else metric.name
    return ClosedFormSilhouetteState(name, noise_label).update(_rows(X, metric), labels)


def _rows(X: Any, metric: Metric) -> Any:
    """Return rows with the weights of the columns in them; those of correlation become what its cosines are of."""
    if not metric.options:
        return X
    metric, features = prepare(metric, check_features(X))
    transform, rows = row_transform(metric), features.plain().rows(slice(None))
    return rows if transform is None else transform(rows)


def _scored(X: Any, labels: Any, scorer: SilhouetteScorer, metric: Metric) -> SilhouetteScorer:
    return copy.copy(scorer).update(_rows(X, metric), labels)  # the shared one stays as it is


def _samples(X: Any, labels: Any, *, scorer: SilhouetteScorer, metric: Metric, settings: dict[str, Any]) -> Array:
    if not X.shape[0]:
        return np.empty(0)
    with config_context(**settings):
        return scorer.samples(_rows(X, metric), labels[:, 0])


def _apply(
    X: Any, labels: Any, scorer: SilhouetteScorer, metric: Metric, function: Callable[..., Any], *shared: Any
) -> Any:
    return function(labels, scorer.samples(_rows(X, metric), labels), *shared)


def _as_dask(array: Any, blocks: Blocks) -> Any:
    """Return an array of Dask's in these blocks, each with all columns."""
    chunks = (blocks.rows, *array.shape[1:])
    return array.rechunk(chunks) if isinstance(array, da.Array) else da.from_array(array, chunks=chunks)
