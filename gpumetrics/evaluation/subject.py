"""What a report is about and what was found, in the same words for arrays in memory and Dask's collections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from gpumetrics.clustering.inputs import ClusteredData
    from gpumetrics.evaluation.silhouette_part import SilhouettePart
    from gpumetrics.types import Array

__all__ = ["Evaluated", "Subject"]


@dataclass(frozen=True)
class Subject:
    """A clustering's outlines.

    Attributes
    ----------
    classes : ndarray of shape (n_clusters,)
        The clusters' labels, ascending; not that of noise.
    sizes : ndarray of shape (n_clusters,), int64
    n_given, n_features : int
        Rows given, noise included, and columns.
    backend, backend_reason : str
    """

    classes: Array
    sizes: Array
    n_given: int
    n_features: int
    backend: str
    backend_reason: str

    @classmethod
    def of(cls, data: ClusteredData) -> Self:
        """Describe rows in memory."""
        labels, choice = data.labels, data.choice
        return cls(labels.classes, data.sizes, data.n_given, data.features.n_features, choice.ops.NAME, choice.reason)

    @property
    def n_clusters(self) -> int:
        return len(self.sizes)

    @property
    def n_samples(self) -> int:
        """Rows that are no noise."""
        return int(self.sizes.sum())


class Evaluated(NamedTuple):
    """What `evaluate_clustering` found beside the scores; silhouettes by row are None where they stayed elsewhere."""

    subject: Subject
    table: dict[str, Array]
    part: SilhouettePart
    samples: Array | None
