"""A clustered table in blocks: what must be known of all rows before pairs of them meet, and how a block is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.clustering.inputs import check_number_of_labels
from gpumetrics.dask.blocks import Blocks, known_labels, known_table
from gpumetrics.dask.tasks import computed, merged
from gpumetrics.distance_metrics import BOOLEAN
from gpumetrics.exceptions import warn_conversion
from gpumetrics.feature_arrays import check_shape
from gpumetrics.features import Features, check_features
from gpumetrics.label_arrays import union_of_classes
from gpumetrics.validation import Labels, as_vector, drop_rows, encode_labels, noise_mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

__all__ = ["ClusteredBlocks", "Plan", "Side", "blocks_of", "check_clustered_blocks", "check_pairwise", "stacked"]

FROM_ALL_ROWS = {"seuclidean": "V", "mahalanobis": "VI"}


@dataclass(frozen=True)
class Side:
    """The rows of a block that are no noise.

    Attributes
    ----------
    rows : ndarray of NumPy or CuPy, or CSR matrix
    codes : ndarray of int64
        Their clusters among those of the whole table; on the host.
    noise : ndarray of bool, or None
        Which of the block's rows are noise; on the host.
    """

    rows: Any
    codes: Array
    noise: Array | None

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class Plan:
    """What every task is told: how to read rows and labels, in the units of the whole table.

    Attributes
    ----------
    features : Features
        Of the whole table, but with two rows only: the least and the largest value of each column.
    metric : Metric
    classes : ndarray of shape (n_clusters,)
    sizes : ndarray of shape (n_clusters,), int64
    noise_label : label or None
    """

    features: Features
    metric: Metric
    classes: Array
    sizes: Array
    noise_label: Any

    def table(self, rows: Any) -> Features:
        """Return rows as part of the whole table, whose units they share."""
        return replace(self.features, data=rows)

    def read(self, X: Any, labels: Any) -> Side:
        """Read a block."""
        rows, labels, noise = _read(X, labels, self.noise_label, self.metric)
        return Side(rows, self._codes(labels), noise)

    def codes(self, labels: Any) -> Array:
        """Return the clusters of a block's rows, on the host; -1 for noise."""
        encoded = encode_labels(labels, "y")
        noise = noise_mask(encoded, self.noise_label)
        if noise is None:
            return self._codes(encoded)
        codes = np.full(encoded.n_samples, -1)
        codes[~as_host(noise)] = self._codes(drop_rows(encoded, noise))
        return codes

    def _codes(self, labels: Labels) -> Array:
        place = union_of_classes(self.classes, labels.classes)[2] if labels.n_samples else np.empty(0, dtype=np.int64)
        codes: Array = place[as_host(labels.codes)]
        return codes


@dataclass(frozen=True)
class ClusteredBlocks:
    """A checked table in blocks, and the plan of work on it."""

    blocks: Blocks
    plan: Plan

    @property
    def n_samples(self) -> int:
        """Rows that are no noise."""
        return int(self.plan.sizes.sum())


@dataclass(frozen=True)
class _Facts:
    """Ranges of the columns, and rows of each class, of some rows; the ranges are None without rows."""

    low: Any
    high: Any
    classes: Array
    counts: Array
    sparse: bool


def check_clustered_blocks(
    X: Any, labels: Any, noise_label: Any, metric: Metric, *, check_number: bool = True
) -> ClusteredBlocks:
    """Check a table in one pass, with the errors of one machine, and rows numbered among all.

    `check_number` says whether the number of clusters must be 2 to n_samples - 1.

    Raises
    ------
    ValueError
        As in `check_clustered`; and for a metric that takes more than two rows at a time to know.
    """
    check_pairwise(metric)
    blocks = blocks_of(X, labels)
    facts = computed(merged(blocks.each(_facts, noise_label, metric), _merge_facts))
    if check_number:
        check_number_of_labels(len(facts.classes), int(facts.counts.sum()))
    if metric.name in BOOLEAN and blocks.arrays[0].dtype != np.bool_:
        warn_conversion(f"Data was converted to boolean for metric {metric.name}")
    return ClusteredBlocks(blocks, Plan(_features_of(facts, blocks), metric, facts.classes, facts.counts, noise_label))


def _features_of(facts: _Facts, blocks: Blocks) -> Features:
    """Return the whole table's features, in two rows: the ends of its columns."""
    ends = np.zeros((2, blocks.arrays[0].shape[1])) if facts.low is None else np.stack([facts.low, facts.high])
    if not facts.sparse:
        return check_features(ends)
    from scipy.sparse import csr_array

    return check_features(csr_array(ends), accept_sparse=True)


def blocks_of(X: Any, labels: Any) -> Blocks:
    """Check the shapes of a table and its labels, and align them."""
    rows = known_table(X, "X")
    check_shape(rows, "X")
    return Blocks.of({"X": rows, "y": as_vector(known_labels(labels, "y"), "y", warn_column=True)})


def check_pairwise(metric: Metric) -> None:
    """Raise for a metric that pairs of rows of a Dask collection cannot have.

    Raises
    ------
    ValueError
        If options are missing that come from all rows, or distances are given.
    """
    option = FROM_ALL_ROWS.get(metric.name)
    if option is not None and option not in metric.options:
        how = "X.var(axis=0, ddof=1).compute()" if option == "V" else "numpy.linalg.inv(cov(X)).T"
        msg = f"On Dask collections metric {metric.name!r} needs {option}, which comes from all rows: give {how}."
        raise ValueError(msg)
    if metric.name == "precomputed":
        msg = 'metric="precomputed" is not computed on Dask collections: give the rows, or a matrix in memory.'
        raise ValueError(msg)


def stacked(parts: Sequence[Any]) -> Any:
    """Return the rows of several tables as one: a CSR matrix if they are such."""
    if not hasattr(parts[-1], "tocsr"):
        xp = array_module(parts[-1])
        return xp.concatenate([xp.asarray(part) for part in parts])
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def _read(X: Any, labels: Any, noise_label: Any, metric: Metric) -> tuple[Any, Labels, Array | None]:
    """Check a block; return its rows that are no noise, their labels, and which rows are noise."""
    features = check_features(X, accept_sparse=True)
    rows = features.take(slice(None)) if features.bfloat16 else features.data
    encoded = encode_labels(labels, "y")
    noise = noise_mask(encoded, noise_label)
    if noise is not None:
        encoded = drop_rows(encoded, noise)
        rows = rows[beside(~noise, rows)]
    if metric.name in BOOLEAN:
        rows = rows != 0
    return rows, encoded, None if noise is None else as_host(noise)


def _facts(X: Any, labels: Any, noise_label: Any, metric: Metric) -> _Facts:
    rows, encoded, _ = _read(X, labels, noise_label, metric)
    sparse = hasattr(rows, "tocsr")
    if not rows.shape[0]:
        return _Facts(None, None, encoded.classes, encoded.counts, sparse)
    ends = (rows.min(axis=0), rows.max(axis=0))
    low, high = (end.toarray().ravel() if sparse else as_host(end) for end in ends)
    return _Facts(low, high, encoded.classes, encoded.counts, sparse)


def _merge_facts(parts: list[_Facts]) -> _Facts:
    known = [part for part in parts if part.low is not None]
    if not known:
        return parts[0]
    classes, counts = known[0].classes, known[0].counts
    for part in known[1:]:
        union, ours, theirs = union_of_classes(classes, part.classes)
        total = np.zeros(len(union), dtype=np.int64)
        total[ours] += counts
        total[theirs] += part.counts
        classes, counts = union, total
    lowest, highest = np.stack([part.low for part in known]), np.stack([part.high for part in known])
    return _Facts(lowest.min(axis=0), highest.max(axis=0), classes, counts, known[0].sparse)
