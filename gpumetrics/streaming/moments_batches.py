"""What the states of clustered tables share: batches become moments, which merge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from gpumetrics.backends import on_device_of, operations_on
from gpumetrics.clustering.inputs import ClusteredData, check_clustered, check_number_of_labels
from gpumetrics.distance_metrics import Metric, prepare
from gpumetrics.statistics.mean_distances import row_transform, rows_without_direction
from gpumetrics.streaming.batches import State
from gpumetrics.streaming.merged_moments import MergedMoments

if TYPE_CHECKING:
    from gpumetrics.features import Features
    from gpumetrics.types import Array

__all__ = ["MomentsBatches", "prepared", "read_batch"]


class MomentsBatches(State):
    """Moments of the rows so far, of which noise is left out.

    Parameters
    ----------
    noise_label : label or None
    metric : Metric
        Whose rows are meant: of "sqeuclidean" as they are, of "cosine" and "correlation" unit rows.

    Attributes
    ----------
    n_features : int or None
        Columns; None before the first batch.
    """

    def __init__(self, noise_label: Any, metric: Metric) -> None:
        super().__init__()
        self.noise_label = noise_label
        self.n_features: int | None = None  # known even where all rows are noise
        self.statistic: MergedMoments | None = None
        self._metric = metric
        self._frozen = False

    @property
    def n_samples(self) -> int:
        """Rows that count: those that are not noise."""
        return 0 if self.statistic is None else int(self.statistic.size.sum())

    @property
    def n_noise(self) -> int:
        """Rows that were left out."""
        return self.n_rows - self.n_samples

    @property
    def classes(self) -> Array:
        """The labels of the clusters, sorted, as moments and results per cluster are."""
        return self._known().classes

    def update(self, X: Any, labels: Any) -> Self:
        """Add the rows of a batch.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The rows, on the host or on a GPU; sparse for "cosine" only. They have no weights, as in the functions.
        labels : array-like of shape (n_rows,)
            Cluster of each row; clusters may appear late, and every cluster in any number of batches.

        Returns
        -------
        Self
            This state.

        Raises
        ------
        ValueError
            For NaN or infinity, wrong shapes, another number of columns than before, no rows, or after `fitted`; it
            begins with the number of the batch, and leaves the state as it was.
        """
        with self._batch(X):
            if self._frozen:
                msg = "fitted() has begun the second pass; update what it gave, or reset() this state first."
                raise ValueError(msg)
            data = read_batch(X, labels, self.noise_label, self._metric, self.n_features)
            with on_device_of(X=X, labels=labels):
                found = self._moments_of(data)
            self._add(found)
            self.n_features = data.features.n_features
        return self

    def _moments_of(self, data: ClusteredData) -> MergedMoments | None:
        if not data.features.n_samples:
            return None
        features, zero = prepared(data, self._metric)
        counts = None
        if zero is not None:
            counts = operations_on(data.codes).label_sums(data.codes[zero], len(data.sizes))
        return MergedMoments.of(features, data.labels, counts)

    def merge(self, other: Self) -> Self:
        """Return the state of the rows of both; the two stay as they are. See `State.merge`."""
        out = super().merge(other)
        out.n_features = self.n_features or other.n_features
        return out

    def _check_mergeable(self, other: Any) -> None:
        super()._check_mergeable(other)
        if None not in {self.n_features, other.n_features} and self.n_features != other.n_features:
            msg = (
                f"States that merge must have rows of one width: this {type(self).__name__} has {self.n_features} "
                f"columns, the other {other.n_features}."
            )
            raise ValueError(msg)

    def _known(self) -> MergedMoments:
        known: MergedMoments | None = self._seen()
        if known is None:
            msg = f"All {self.n_rows} rows have the noise label {self.noise_label!r}: there is no cluster."
            raise ValueError(msg)
        return known

    def _scorable(self) -> MergedMoments:
        """Return the moments if they are of 2 to n_samples - 1 clusters; else scikit-learn's error."""
        known = self._known()
        check_number_of_labels(len(known.size), int(known.size.sum()))
        return known

    def __repr__(self) -> str:
        k = 0 if self.statistic is None else len(self.statistic.size)
        return self._text(n_samples=self.n_samples, n_clusters=k, n_features=self.n_features)


def read_batch(X: Any, labels: Any, noise_label: Any, metric: Metric, n_features: int | None) -> ClusteredData:
    """Check the rows of a batch and their labels; noise is left out."""
    with on_device_of(X=X, labels=labels):
        given = None if metric.name == "sqeuclidean" else metric
        data = check_clustered(X, labels, noise_label, metric=given, check_number=False)
    found = data.features.n_features
    if n_features not in {None, found}:
        msg = f"X has {found} columns, where the batches before have {n_features}."
        raise ValueError(msg)
    return data


def prepared(data: ClusteredData, metric: Metric) -> tuple[Features, Array | None]:
    """Return rows whose squared Euclidean distance is meant, and which of them have no direction; None if all may."""
    metric, features = prepare(metric, data.features)
    transform = row_transform(metric)
    if transform is None:
        return features, None
    features = replace(features, transform=transform)
    zero = rows_without_direction(features, correlation=metric.name == "correlation")
    return features, operations_on(data.codes).asarray(zero)
