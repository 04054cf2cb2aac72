"""Statistics of Dask's collections: each block's own state, and a tree of merges."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.lazy_arrays import is_dask
from gpumetrics.classification.targets import check_targets
from gpumetrics.clustering.inputs import check_number_of_labels
from gpumetrics.dask.blocks import Blocks, known_labels
from gpumetrics.dask.clustered import blocks_of
from gpumetrics.dask.tasks import broadcast, computed, lazily, merged
from gpumetrics.feature_arrays import feature_array
from gpumetrics.statistics.contingency import Contingency
from gpumetrics.streaming import ClusterMomentsState, ContingencyState, LabelCountsState
from gpumetrics.validation import check_one_dimensional, warn_of_fractions

if TYPE_CHECKING:
    from gpumetrics.classification.targets import Targets
    from gpumetrics.statistics.moments import ClusterMoments
    from gpumetrics.streaming.second_pass import SecondPass
    from gpumetrics.types import Array

__all__ = [
    "bytes_of",
    "check_state",
    "class_counts",
    "contingency",
    "lazy_contingency",
    "lazy_moments",
    "lazy_targets",
    "merge_states",
    "moments",
    "targets",
]


def merge_states(states: list[Any]) -> Any:
    """Merge states from left to right."""
    first, *others = states
    for other in others:
        first = first.merge(other)
    return first


def lazy_contingency(labels_true: Any, labels_pred: Any, noise_label: Any = None) -> Any:
    """Count the pairs of labels, lazily."""
    sides = {"labels_true": labels_true, "labels_pred": labels_pred}
    arrays = {name: known_labels(labels, name) for name, labels in sides.items()}
    check_one_dimensional(arrays)
    blocks = Blocks.of(arrays)
    if not blocks.n_samples:
        return lazily(partial(Contingency.from_clusterings, noise_label=noise_label), *_without_rows(blocks))
    return lazily(ContingencyState.table, merged(blocks.each(_pairs_state, noise_label), merge_states))


def _without_rows(blocks: Blocks) -> list[Array]:
    """Return arrays in memory of what has no rows: they say what such arrays have to say."""
    return [np.empty(array.shape, array.dtype) for array in blocks.arrays]


def _pairs_state(labels_true: Any, labels_pred: Any, noise_label: Any) -> ContingencyState:
    return ContingencyState(noise_label).update(labels_true, labels_pred)


def contingency(labels_true: Any, labels_pred: Any, noise_label: Any = None) -> Contingency:
    """Count the pairs of labels; see `Contingency.from_clusterings`."""
    table: Contingency = computed(lazy_contingency(labels_true, labels_pred, noise_label))
    warn_of_fractions(*table.known_classes())
    return table


def class_counts(labels: Any) -> Array:
    """Count the rows of each class."""
    return computed(lazy_contingency(labels, labels)).row_margins  # type: ignore[no-any-return]


def lazy_targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
    """Count true and predicted labels, lazily."""
    sides = {"y_true": y_true, "y_pred": y_pred}
    arrays = {name: known_labels(labels, name, sparse=True) for name, labels in sides.items()}
    if sample_weight is not None:
        arrays["sample_weight"] = _known_weights(sample_weight)
    blocks = Blocks.of(arrays)
    if not blocks.n_samples:
        return lazily(partial(check_targets, function="lazy_targets"), *_without_rows(blocks))
    return lazily(LabelCountsState.targets, merged(blocks.each(_labels_state), merge_states))


def _known_weights(sample_weight: Any) -> Any:
    """Return weights as an array; those in memory are looked at with the block that they belong to."""
    if is_dask(sample_weight):
        return known_labels(sample_weight, "sample_weight")
    return feature_array(sample_weight, "sample_weight")[0]


def _labels_state(*parts: Any) -> LabelCountsState:
    return LabelCountsState().update(*parts)


def targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Count true and predicted labels; see `check_targets`."""
    return computed(lazy_targets(y_true, y_pred, sample_weight))  # type: ignore[no-any-return]


def lazy_moments(X: Any, labels: Any, noise_label: Any = None, *, spreads: bool, check_number: bool = True) -> Any:
    """Gather the moments and the clusters' labels, lazily; with `spreads` the first of the two passes is computed."""
    blocks = blocks_of(X, labels)
    state = merged(blocks.each(_moments_state, noise_label), merge_states)
    state = lazily(check_state, state) if check_number else state
    if spreads:
        second = computed(state).fitted()
        shared = broadcast(second, bytes_of(second, blocks))
        state = merged(blocks.each(_spreads, shared), merge_states)
    return lazily(_moments_of, state)


def moments(
    X: Any, labels: Any, noise_label: Any = None, *, spreads: bool, check_number: bool = True
) -> tuple[ClusterMoments, Array]:
    """Gather the moments of the clusters, and their labels."""
    found: tuple[ClusterMoments, Array] = computed(
        lazy_moments(X, labels, noise_label, spreads=spreads, check_number=check_number)
    )
    return found


def bytes_of(scorer: SecondPass, blocks: Blocks) -> int:
    """About the size of a state of a second pass: two numbers for each coordinate of a centroid."""
    return 16 * len(scorer.classes) * int(blocks.arrays[0].shape[1])


def _moments_state(X: Any, labels: Any, noise_label: Any) -> ClusterMomentsState:
    return ClusterMomentsState(noise_label).update(X, labels)


def check_state(state: Any) -> Any:
    """Return a state of 2 to n_samples - 1 clusters, or raise scikit-learn's error."""
    check_number_of_labels(len(state.classes) if state.n_samples else 0, state.n_samples)
    return state


def _spreads(X: Any, labels: Any, second: Any) -> Any:
    return copy.copy(second).update(X, labels)  # the shared one stays as it is


def _moments_of(state: Any) -> tuple[ClusterMoments, Array]:
    return state.moments(), state.classes
