"""Where the bands of a silhouette plot lie: which clusters are shown, in what order, and how high each is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.displays.silhouette_data import ClusterSilhouettes
    from gpumetrics.types import Array

__all__ = ["GAP", "BandLayout", "Span", "band_layout", "check_layout"]

SORTS = ("mean", "label")
LOWEST = 0.6  # heights are in units of an average band; smaller clusters are drawn this high, to be seen and named
HIGHEST = 6.0
GAP = 0.15


class Span(NamedTuple):
    """Top and bottom of a band, on an axis that goes down."""

    top: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class BandLayout(NamedTuple):
    """The bands from top to bottom.

    Attributes
    ----------
    clusters : ndarray of int64
        Those with a band of their own.
    spans : list of Span
        Their bands.
    others : ndarray of int64
        Those that share one band.
    others_span, noise_span : Span or None
    height : float
        Of all together.
    """

    clusters: Array
    spans: list[Span]
    others: Array
    others_span: Span | None
    noise_span: Span | None
    height: float


def band_layout(found: ClusterSilhouettes, *, sort: str, max_clusters: int) -> BandLayout:
    """Lay out the bands: clusters first, then what they leave out, then the noise.

    Parameters
    ----------
    found : ClusterSilhouettes
        Clusters of which no row was evaluated come last.
    sort : {"mean", "label"}
        The lowest mean first, or in the order given.
    max_clusters : int
        Of more clusters, the half of that number with the lowest means.
    """
    sizes, n_noise = found.sizes, found.n_noise
    by_mean = np.argsort(found.means, kind="stable")
    shown = len(sizes) if len(sizes) <= max_clusters else (max_clusters + 1) // 2
    clusters, others = by_mean[:shown], by_mean[shown:]
    if sort == "label":
        clusters = np.sort(clusters)
    unit = sizes[clusters].mean()
    heights = np.clip(sizes[clusters] / unit, LOWEST, HIGHEST)
    total = float(heights.sum())
    extra = [max(1.5, 0.15 * total) if len(others) else 0.0]
    extra.append(min(max(n_noise / unit, 1.0), max(1.0, 0.2 * total)) if n_noise else 0.0)
    spans = _stacked([*heights, *extra])
    return BandLayout(
        clusters,
        spans[:shown],
        others,
        spans[shown] if len(others) else None,
        spans[shown + 1] if n_noise else None,
        max(span.bottom for span in spans),
    )


def check_layout(sort: Any, max_clusters: Any) -> None:
    """Raise ValueError for an order that there is not, or a number of clusters that is none."""
    if sort not in SORTS:
        msg = f"sort must be one of {SORTS}, got {sort!r}"
        raise ValueError(msg)
    if isinstance(max_clusters, bool) or not isinstance(max_clusters, int | np.integer) or max_clusters < 1:
        msg = f"max_clusters must be an integer from 1, got {max_clusters!r}"
        raise ValueError(msg)


def _stacked(heights: list[float]) -> list[Span]:
    top, spans = 0.0, []
    for height in heights:
        spans.append(Span(top, top + height))
        top += height + GAP if height else 0.0
    return spans
