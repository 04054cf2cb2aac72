"""What every metric of a clustered table checks first: X, its labels, noise, the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gpumetrics.backends import Choice, choose
from gpumetrics.backends.array_modules import array_module, beside
from gpumetrics.clustering.cost import estimate_seconds
from gpumetrics.features import Features, check_features
from gpumetrics.sources.chunks import as_array
from gpumetrics.text.messages import Message, said
from gpumetrics.validation import (
    Labels,
    check_consistent_length,
    count_labels,
    drop_rows,
    encode_labels,
    noise_mask,
)

if TYPE_CHECKING:
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

SOON_DONE = 1e9  # multiplications of all pairs of rows that any CPU does in less than a second

__all__ = [
    "ClusteredData",
    "check_clustered",
    "check_number_of_labels",
    "checked_distances",
    "choose_for",
    "reason_in",
    "undefined_since",
    "why_no_silhouette",
]


@dataclass(frozen=True)
class ClusteredData:
    """Checked rows and their clusters, noise left out.

    Attributes
    ----------
    features : Features
        The rows that are not noise.
    labels : Labels
        Their clusters.
    kept : ndarray of int64 or None
        Which of the user's rows they are; None for all.
    n_given : int
        The number of the user's rows.
    choice : Choice
        The backend that will do the work, and why; the codes lie there.
    """

    features: Features
    labels: Labels
    kept: Array | None
    n_given: int
    choice: Choice

    @property
    def codes(self) -> Array:
        return self.labels.codes

    @property
    def sizes(self) -> Array:
        return self.labels.counts

    def sample(self, rows: Array) -> ClusteredData:
        """Return these rows only; clusters that are not among them vanish."""
        rows = beside(rows, self.codes)
        labels = count_labels(self.codes[rows], self.labels.classes)
        check_number_of_labels(labels.n_classes, len(rows))
        kept = rows if self.kept is None else self.kept[rows]
        return replace(self, features=self.features.only(rows), labels=labels, kept=kept)


def check_clustered(
    X: Any,
    labels: Any,
    noise_label: Any = None,
    *,
    metric: Metric | None = None,
    check_number: bool = True,
    n_queries: int | None = None,
) -> ClusteredData:
    """Check a clustered table in scikit-learn's order, with its errors.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Sparse only for a silhouette, that is where `metric` is given.
    labels : array-like of shape (n_samples,)
    noise_label : label, optional
        Rows with this label are left out.
    metric : Metric, optional
        The silhouette's metric.
    check_number : bool
        Whether the number of clusters must be 2 to n_samples - 1.
    n_queries : int, optional
        Number of rows whose silhouettes are wanted, if not all.
    """
    features = check_features(X, accept_sparse=metric is not None)
    # scikit-learn calls this argument y in its errors, whatever its name in the signature.
    encoded = encode_labels(labels, "y", warn_column=True)
    check_consistent_length(features.n_samples, encoded.n_samples)
    features = checked_distances(features, metric)
    choice = choose_for(features, encoded.n_classes, metric, n_queries=n_queries)
    encoded = replace(encoded, codes=choice.ops.asarray(encoded.codes))
    n_given, kept = features.n_samples, None
    noise = noise_mask(encoded, noise_label)
    if noise is not None:
        kept = array_module(noise).flatnonzero(~noise)
        encoded, features = drop_rows(encoded, noise), features.only(kept)
    if check_number:
        check_number_of_labels(encoded.n_classes, encoded.n_samples)
    return ClusteredData(features, encoded, kept, n_given, choice)


def checked_distances(features: Features, metric: Metric | None) -> Features:
    """Return the features, checked as distances if they are such."""
    if metric is None or metric.name != "precomputed":
        return features
    from gpumetrics.clustering.precomputed import check_precomputed

    if features.bfloat16:  # distances are read as they are
        features = replace(features, data=features.take(slice(None)), bfloat16=False)
    features = replace(features, data=as_array(features.data))
    check_precomputed(features)
    return features


def choose_for(
    features: Features, n_clusters: int, metric: Metric | None, *, passes: int = 1, n_queries: int | None = None
) -> Choice:
    """Choose the backend once for all that is computed from these rows.

    Parameters
    ----------
    features : Features
    n_clusters : int
    metric : Metric, optional
        The silhouette's metric.
    passes : int
        How often all rows are read by a closed form.
    n_queries : int, optional
        Number of rows whose silhouettes are wanted, if not all.
    """
    n, d = features.n_samples, features.n_features
    if n_queries is not None and n_queries >= n:
        n_queries = None
    function = metric is not None and metric.function is not None
    cpu_only = said("a metric that is a function of two rows") if function else ""

    def seconds(*, on_gpu: bool = False) -> float:
        # A pass over X is as fast as its copy to a GPU, where sparse rows would be dense ones besides; and a speed is
        # not measured where it cannot matter.
        if metric is None or features.sparse or n * (n_queries or n) * d < SOON_DONE:
            return 0.0
        one = estimate_seconds(n, d, n_clusters, metric.name, n_queries=n_queries, on_gpu=on_gpu)
        return one * passes if metric.closed_form else one

    return choose(features.data, seconds=seconds, gpu_seconds=partial(seconds, on_gpu=True), cpu_only=cpu_only)


def why_no_silhouette(n_clusters: int, n_rows: int) -> str:
    """Say why rows in these clusters have no silhouette, or other score of pairs of clusters; empty where they have."""
    if 1 < n_clusters < n_rows:
        return ""
    if n_clusters == 0:
        return said("every row is noise")
    if n_clusters == 1:
        return said("all {n} rows are in one cluster, and a score needs two at least", n=n_rows)
    return said("each of the {n} rows is a cluster of its own", n=n_rows)


def undefined_since(reason: str) -> Message:
    """Return the note of a score that is undefined."""
    return said("undefined, since {reason}", reason=reason)


def reason_in(note: str) -> str:
    """Return the reason in a note such as `undefined_since` makes; another note as it is."""
    reason: str = note.values.get("reason", note) if isinstance(note, Message) else note
    return reason


def check_number_of_labels(n_labels: int, n_samples: int) -> None:
    """Raise scikit-learn's error unless there are 2 to n_samples - 1 clusters."""
    if not 1 < n_labels < n_samples:
        msg = (
            f"Number of labels is {n_labels}. Valid values are 2 to n_samples - 1 (inclusive); "
            f"n_samples is {n_samples}."
        )
        raise ValueError(msg)
