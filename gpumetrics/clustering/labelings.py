"""Several labelings of the same rows: what every function that compares them checks first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpumetrics.backends.array_modules import array_module
from gpumetrics.clustering.inputs import ClusteredData, checked_distances, choose_for, why_no_silhouette
from gpumetrics.features import Features, check_features
from gpumetrics.label_arrays import label_array
from gpumetrics.validation import Labels, drop_rows, encode_labels, noise_mask

if TYPE_CHECKING:
    from gpumetrics.backends import Choice
    from gpumetrics.distance_metrics import Metric
    from gpumetrics.types import Array

__all__ = ["Labeling", "Labelings", "check_labelings", "named_labelings"]


@dataclass(frozen=True)
class Labeling:
    """One of several labelings.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,), int64
        Cluster of each row; -1 for noise. Nothing else is as long: labelings may be many, and what follows from the
        codes is computed when it is asked for.
    classes : ndarray of shape (n_clusters,)
        The user's labels; like the sizes, on the host.
    sizes : ndarray of shape (n_clusters,), int64
        Rows of each cluster.
    """

    codes: Array
    classes: Array
    sizes: Array

    @classmethod
    def of(cls, labels: Labels, noise_label: Any = None) -> Labeling:
        noise = noise_mask(labels, noise_label)
        if noise is None:
            return cls(labels.codes, labels.classes, labels.counts)
        xp, clusters = array_module(noise), drop_rows(labels, noise)
        codes = xp.full(len(noise), -1)
        codes[~noise] = clusters.codes
        return cls(codes, clusters.classes, clusters.counts)

    @property
    def n_clusters(self) -> int:
        return len(self.sizes)

    @property
    def n_kept(self) -> int:
        """Number of rows that are not noise."""
        return int(self.sizes.sum())

    @property
    def has_noise(self) -> bool:
        return self.n_kept < len(self.codes)

    @property
    def kept(self) -> Array | None:
        """The rows that are not noise, int64; None for all."""
        return array_module(self.codes).flatnonzero(self.codes >= 0) if self.has_noise else None

    @property
    def labels(self) -> Labels:
        """The labels of these rows."""
        codes = self.codes[self.codes >= 0] if self.has_noise else self.codes
        return Labels(codes, self.classes, self.sizes)

    @property
    def why_undefined(self) -> str:
        """Say why it has no silhouette; empty where it has one."""
        return why_no_silhouette(self.n_clusters, self.n_kept)


@dataclass(frozen=True)
class Labelings:
    """Checked rows and several labelings of them.

    Attributes
    ----------
    features : Features
        All rows.
    names : list
        The user's name of each labeling, or its number.
    named : bool
        Whether the names are the user's.
    each : list of Labeling
        Their codes lie where the work will be done.
    choice : Choice
        The backend that will do the work, and why.
    """

    features: Features
    names: list[Any]
    named: bool
    each: list[Labeling]
    choice: Choice

    def __len__(self) -> int:
        return len(self.each)

    @property
    def n_samples(self) -> int:
        return self.features.n_samples

    def one(self, at: int) -> ClusteredData:
        """Return one labeling by itself, without its noise."""
        kept, features = self.each[at].kept, self.features
        if kept is not None:
            features = features.only(kept)
        return ClusteredData(features, self.each[at].labels, kept, self.n_samples, self.choice)


def check_labelings(
    X: Any, labelings: Any, noise_label: Any = None, *, metric: Metric | None = None, n_queries: int | None = None
) -> Labelings:
    """Check a table and several labelings of its rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Sparse only for a silhouette, that is where `metric` is given.
    labelings : array-like of shape (n_samples, n_labelings), DataFrame, list of labelings, or dict of them by name
    noise_label : label, optional
        Rows with this label belong to no cluster of that labeling.
    metric : Metric, optional
        The silhouette's metric.
    n_queries : int, optional
        Number of rows whose silhouettes are wanted, if not all.

    Raises
    ------
    ValueError, TypeError
        As in `check_clustered`, but for the number of clusters, which is not checked; where labelings are not several
        labelings.
    """
    named, have_names = named_labelings(labelings)
    features = checked_distances(check_features(X, accept_sparse=metric is not None), metric)
    encoded = []
    for name, labels in named.items():
        encoded.append(encode_labels(labels, f"labelings[{name!r}]", warn_column=True))
        _check_length(encoded[-1].n_samples, features.n_samples, name, len(named))
    largest = max((labels.n_classes for labels in encoded), default=1)
    choice = choose_for(features, largest, metric, passes=len(encoded), n_queries=n_queries)
    each = []
    while encoded:  # one after the other, so that the codes of all are never held twice
        labels = encoded.pop(0)
        each.append(Labeling.of(replace(labels, codes=choice.ops.asarray(labels.codes)), noise_label))
    return Labelings(features, list(named), have_names, each, choice)


def named_labelings(labelings: Any) -> tuple[dict[Any, Any], bool]:
    """Return labelings by their names, or by their numbers if they have none; and whether they have names.

    Raises
    ------
    ValueError
        If they are not several labelings.
    """
    if isinstance(labelings, Mapping):
        return dict(labelings), True
    import narwhals as nw  # takes a while to import

    frame = nw.from_native(labelings, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):  # columns by their place: a name may be a number, such as that of clusters
        return {column.name: column.to_native() for column in frame.iter_columns()}, True
    if hasattr(labelings, "ndim") or hasattr(labelings, "__array__"):
        table = label_array(labelings, "labelings")
        if table.ndim != 2:
            raise ValueError(_not_several(f"an array of shape {table.shape}"))
        return {at: table[:, at] for at in range(table.shape[1])}, False
    if isinstance(labelings, str | bytes) or not isinstance(labelings, Iterable):
        raise ValueError(_not_several(f"{labelings!r}"))  # noqa: TRY004  (as for every other wrong argument)
    each = list(labelings)
    for at, labels in enumerate(each):
        if isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
            raise ValueError(_not_several(f"a list with {labels!r} at position {at}"))
    return dict(enumerate(each)), False


def _check_length(n_labels: int, n_samples: int, name: Any, n_labelings: int) -> None:
    if n_labels == n_samples:
        return
    msg = (
        f"Found input variables with inconsistent numbers of samples: {[n_samples, n_labels]}; X has {n_samples} rows, "
        f"and labelings[{name!r}] has {n_labels} labels."
    )
    if n_labelings == n_samples:
        msg += " The labelings look transposed: an array or table has one labeling in each column, so give its .T."
    raise ValueError(msg)


def _not_several(what: str) -> str:
    return (
        "labelings must be an array of shape (n_samples, n_labelings), a list of labelings, or a dict of them by name; "
        f"got {what}. One labeling may be given as [labels]."
    )
