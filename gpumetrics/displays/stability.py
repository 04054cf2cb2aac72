"""How far repeated clusterings agree: each pair of runs, and each cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.drawing.canvas import drawing_on, points
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.panels import panels_in
from gpumetrics.displays.drawing.texts import wrapped, write_title
from gpumetrics.displays.stability_panels import (
    CLUSTERS,
    PAIRS,
    draw_agreement,
    draw_clusters,
    lines_of_title,
    name_clusters,
)
from gpumetrics.text.messages import joined, said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["StabilityDisplay"]

MOST_SHOWN = 40  # clusters; of more, the least stable


class StabilityDisplay:
    """Agreement of each pair of runs as a heat map, and the stability of each cluster as bars.

    Use `from_estimator` or `from_result` rather than the constructor.

    Parameters
    ----------
    agreement : ndarray of shape (n_runs, n_runs), float64
        Adjusted Rand index of each pair of runs; nan where they have no two rows in common.
    runs : sequence
        Names of the runs.
    mean, lowest, highest : float
        Of the pairs.
    reading : Message
        The mean in words.
    clusters : sequence
        Labels of the reference's clusters.
    sizes : ndarray of shape (n_clusters,)
    jaccard, jaccard_lowest : ndarray of shape (n_clusters,), float64
        Mean and lowest Jaccard index of each cluster with the most similar one of a run; nan where it is unknown.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The heat map's.
    axes_ : ndarray of matplotlib.axes.Axes
        The heat map's, and the bars'.
    figure_ : matplotlib.figure.Figure
    title_ : matplotlib.text.Text
    heat_map_ : HeatMap
    shown_ : ndarray of int64
        Places of the clusters that have a bar, from top to bottom.
    bars_ : dict of int to matplotlib.patches.Rectangle
        By place of the cluster; hatched up to 0.5.
    lowest_ : matplotlib.lines.Line2D
        A mark for the lowest index of each cluster.
    unknown_ : dict of int to matplotlib.lines.Line2D
        Crosses for clusters whose index is nan.
    marks_ : list of matplotlib.lines.Line2D
        At 0.5, 0.75 and 0.85.

    Examples
    --------
    >>> from gpumetrics import StabilityDisplay, stability_of
    >>> display = StabilityDisplay.from_result(stability_of([[0, 0, 1, 1, 2, 2], [5, 5, 3, 3, 3, 3]]))
    >>> display.jaccard.tolist()
    [1.0, 0.5, 0.5]
    """

    ax_: Any
    axes_: Array
    figure_: Any
    title_: Any
    heat_map_: Any
    shown_: Array
    bars_: dict[int, Any]
    lowest_: Any
    unknown_: dict[int, Any]
    marks_: list[Any]

    def __init__(  # noqa: PLR0913  (the data, by keyword)
        self,
        *,
        agreement: Array,
        runs: Sequence[Any],
        mean: float,
        lowest: float,
        highest: float,
        reading: str,
        clusters: Sequence[Any],
        sizes: Array,
        jaccard: Array,
        jaccard_lowest: Array,
    ) -> None:
        self.agreement = agreement
        self.runs = list(runs)
        self.mean = mean
        self.lowest = lowest
        self.highest = highest
        self.reading = reading
        self.clusters = list(clusters)
        self.sizes = sizes
        self.jaccard = jaccard
        self.jaccard_lowest = jaccard_lowest

    @classmethod
    def of(cls, stability: Stability) -> StabilityDisplay:
        """Return the display of a result, not drawn yet."""
        table = stability.per_cluster
        return cls(
            agreement=stability.agreement,
            runs=list(stability.runs["run"]),
            mean=stability.mean,
            lowest=stability.lowest,
            highest=stability.highest,
            reading=stability.reading,
            clusters=list(table["label"]),
            sizes=table["size"],
            jaccard=table["jaccard"],
            jaccard_lowest=table["jaccard_lowest"],
        )

    @classmethod
    def from_result(cls, stability: Stability, *, ax: Any = None, most: int = MOST_SHOWN) -> StabilityDisplay:
        """Draw a result of `stability` or `stability_of`; nothing is computed.

        Parameters
        ----------
        stability : Stability
        ax, most
            As in `plot`.

        Returns
        -------
        StabilityDisplay
        """
        return cls.of(stability).plot(ax=ax, most=most)

    @classmethod
    def from_estimator(
        cls, clusterer: Any, X: Any, *, ax: Any = None, most: int = MOST_SHOWN, **options: Any
    ) -> StabilityDisplay:
        """Run a clusterer again and again, and draw how far the runs agree.

        Parameters
        ----------
        clusterer : object or class
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
        ax, most
            As in `plot`.
        **options
            Of `stability`, such as ``n_runs``, ``resample`` or ``random_state``.

        Returns
        -------
        StabilityDisplay
        """
        from gpumetrics.choosing.stability import stability

        return cls.from_result(stability(X, clusterer, **options), ax=ax, most=most)

    def plot(self, ax: Any = None, *, most: int = MOST_SHOWN) -> StabilityDisplay:
        """Draw both panels.

        Parameters
        ----------
        ax : Axes, or array of two Axes, optional
            The panels stand in the place of one; or are these. A new figure if None.
        most : int, default=40
            So many clusters have a bar; of more, the least stable ones.

        Returns
        -------
        StabilityDisplay
            Itself.

        Raises
        ------
        ValueError
            If there are several axes, but not two.
        ImportError
            If matplotlib is not installed.
        """
        with drawing_on(ax, size=self.size, least=(8.0, 3.4)) as axes:
            self.axes_ = panels_in(axes, (1, 2), widths=(1.3, 1.0))
            self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
            self.shown_ = self._shown(most)
            draw_clusters(self, self.axes_[1])
            draw_agreement(self, self.axes_[0], write=self._write)
        return self

    def _write(self) -> None:
        """Write what stands around both panels, on lines that fit."""
        left, right = self.axes_
        name_clusters(self, right)
        room = points(right, "x1") - points(left, "x0")
        lines = [wrapped(text, room, "axes.titlesize") for text in (self.statement, f"Reading: {self.reading}")]
        # Stands above the panels' own titles, which the empty lines leave room for.
        below = max(lines_of_title(text, ax) for text, ax in ((PAIRS, left), (CLUSTERS, right)))
        text = "\n".join([*lines, *[""] * max(2, below)])
        self.title_ = write_title(left, text, room=room, loc="center", x=0, ha="left")

    def _shown(self, most: int) -> Array:
        places = np.arange(len(self.clusters))
        if len(places) <= most:
            return places
        return np.argsort(np.nan_to_num(self.jaccard, nan=2.0), kind="stable")[:most]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        return 9.0, min(3.2 + 0.13 * min(len(self.clusters), MOST_SHOWN), 8.0)

    @property
    def statement(self) -> Message:
        """How far the runs agree, in numbers."""
        n = len(self.runs)
        if math.isnan(self.mean):
            return said("Agreement of {n:,} runs", n=n)
        if n == 2:
            return said("The two runs agree by an adjusted Rand index of {mean:z.2f}", mean=self.mean)
        return said(
            "{n:,} runs agree by a mean adjusted Rand index of {mean:z.2f} (from {lowest:z.2f} to {highest:z.2f})",
            n=n,
            mean=self.mean,
            lowest=self.lowest,
            highest=self.highest,
        )

    @property
    def alt(self) -> Message:
        """What the plot shows, in words."""
        parts = [said("{statement}. Reading: {reading}.", statement=self.statement, reading=self.reading)]
        known = self.jaccard[~np.isnan(self.jaccard)]
        if len(known) and known.min() == known.max():
            parts.append(said("Every cluster has a mean Jaccard index of {value:z.2f}.", value=float(known[0])))
        elif len(known):
            at = int(np.nanargmin(self.jaccard))
            template = "The least stable cluster is {cluster}, with a mean Jaccard index of {value:z.2f}."
            parts.append(said(template, cluster=short_names(self.clusters)[at], value=float(self.jaccard[at])))
        return joined(parts)
