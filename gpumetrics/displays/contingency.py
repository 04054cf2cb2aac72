"""Clusters against known classes: what each cluster holds, and which class it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.contingency_fold import MOST_SHOWN, Folded, fold
from gpumetrics.displays.contingency_text import alt_of, matching_of
from gpumetrics.displays.drawing.canvas import drawing_on
from gpumetrics.displays.drawing.heat_map import heat_map
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.style import CLUSTERS, tones
from gpumetrics.displays.drawing.texts import say, write_label, write_title
from gpumetrics.displays.estimators import clustered_rows

if TYPE_CHECKING:
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["ContingencyDisplay"]

MOST_WRITTEN = 20  # rows or columns up to which counts stand in the cells
NOTHING = "There are no rows to compare"


class ContingencyDisplay(Folded):
    """Table of clusters (rows) against known classes (columns), coloured by the share of each cluster's rows.

    Use `from_predictions` or `from_estimator` rather than the constructor.

    A row that is dark in one cell is a cluster of one class; a row of pale cells is a cluster that mixes classes; a
    column with several dark cells is a class that several clusters share. Clusters and classes that are matched one to
    one, so that the matched cells hold the most rows, come first, the largest pair at the top left.

    Parameters
    ----------
    **fields
        See `Folded`; `from_predictions` and `from_estimator` find them.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
    figure_ : matplotlib.figure.Figure
    title_ : matplotlib.text.Text
    heat_map_ : HeatMap
        Image, texts in the cells and colour bar; None if there is nothing to draw.
    rows_ : list of matplotlib.patches.Rectangle
        The frame of each cluster's row.
    matches_ : list of matplotlib.patches.Rectangle
        The frame of each matched cell.

    Examples
    --------
    >>> from gpumetrics import ContingencyDisplay
    >>> display = ContingencyDisplay.from_predictions(["cat", "cat", "dog", "dog", "dog"], [1, 1, 0, 0, 1])
    >>> display.clusters, display.classes, display.counts.tolist()
    ([1, 0], ['cat', 'dog'], [[2, 1], [0, 2]])
    """

    ax_: Any
    figure_: Any
    title_: Any
    heat_map_: Any
    rows_: list[Any]
    matches_: list[Any]

    @classmethod
    def of(
        cls, labels_true: Any, labels_pred: Any, *, noise_label: Any = None, most: int = MOST_SHOWN
    ) -> ContingencyDisplay:
        """Count the rows and return the display, not drawn yet; the parameters are those of `from_predictions`."""
        return cls(**fold(labels_true, labels_pred, noise_label, most))

    @classmethod
    def from_predictions(
        cls, labels_true: Any, labels_pred: Any, *, noise_label: Any = None, most: int = MOST_SHOWN, ax: Any = None
    ) -> ContingencyDisplay:
        """Count the rows by cluster and class, and draw the table.

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n_samples,)
            Known classes, and clusters; of any kind, also on a GPU, where they are counted.
        noise_label : label, optional
            Clusters' label of noise, which gets a row of its own and is matched with no class.
        most : int, default=40
            At most so many clusters and classes are drawn: the largest clusters, and the classes that these hold.
            A row and a column "others" have the rest.
        ax : matplotlib.axes.Axes, optional
            New ones if None.

        Returns
        -------
        ContingencyDisplay

        Raises
        ------
        ValueError
            If labels are missing or not one per row, lengths differ, or `most` is below 2.
        TypeError
            If labels are bytes, or a sparse matrix.
        """
        return cls.of(labels_true, labels_pred, noise_label=noise_label, most=most).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, labels_true: Any, **options: Any) -> ContingencyDisplay:
        """Compare the clusters that a fitted estimator makes of X with known classes.

        Parameters
        ----------
        estimator : object
            As in `SilhouetteDisplay.from_estimator`.
        X : array-like of shape (n_samples, n_features)
        labels_true : array-like of shape (n_samples,)
        **options
            As in `from_predictions`; ``noise_label=-1`` if it is not given, as clusterers have it.

        Returns
        -------
        ContingencyDisplay

        Raises
        ------
        TypeError, ValueError
            If the estimator does not cluster rows, or has no labels for these; and as in `from_predictions`.
        """
        return cls.from_predictions(labels_true, clustered_rows(estimator, X)[1], **{"noise_label": -1} | options)

    def plot(self, ax: Any = None) -> ContingencyDisplay:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            New ones if None.

        Returns
        -------
        ContingencyDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        self.heat_map_, self.rows_, self.matches_ = None, [], []
        with drawing_on(ax, size=self.size) as self.ax_:
            self.figure_ = self.ax_.figure
            if self.counts.size:
                self._draw(self.ax_)
            else:
                self.title_ = say(self.ax_, NOTHING)
        return self

    def _draw(self, ax: Any) -> None:
        few = max(self.counts.shape) <= MOST_WRITTEN
        self.heat_map_ = heat_map(
            ax,
            self.shares,
            rows=self.row_names,
            columns=self.column_names,
            written=[[f"{count:,}" if count else "" for count in row] for row in self.counts.tolist()] if few else None,
            limits=(0.0, 1.0),
            bar="Share of the cluster's rows",
            write=lambda: self._write(ax),
        )
        self._frames()

    def _write(self, ax: Any) -> None:
        write_label(ax, "x", "Known class")
        write_label(ax, "y", "Cluster (rows in it)")
        framed = " (framed)" if self.matched else ""
        title = f"Clusters against known classes\n{matching_of(self)}{framed}"
        self.title_ = write_title(ax, title, size="axes.labelsize")

    def _frames(self) -> None:
        """Frame each cluster's row, and the matched cells."""
        from matplotlib.patches import Rectangle

        n_rows, n_columns = self.counts.shape
        paper = tones(self.ax_)
        for i, place in enumerate(self.places.tolist()):
            row = Rectangle((-0.5, i - 0.5), n_columns, 1, facecolor="none", edgecolor=paper.grid, linewidth=0.5)
            row.set_gid(f"row--c{place}")
            self.rows_.append(self.ax_.add_patch(row))
        # Orange is seen on the darkest cell and on the lightest one.
        style: dict[str, Any] = {
            "facecolor": "none",
            "edgecolor": CLUSTERS[1],
            "linewidth": 2.0 if n_rows <= MOST_WRITTEN else 1.2,
        }
        self.matches_ = [self.ax_.add_patch(Rectangle((i - 0.5, i - 0.5), 1, 1, **style)) for i in range(self.matched)]
        if n_rows > len(self.clusters):
            self.ax_.axhline(len(self.clusters) - 0.5, color=paper.ink, linewidth=1)
        if n_columns > len(self.classes):
            self.ax_.axvline(len(self.classes) - 0.5, color=paper.ink, linewidth=1)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        n_rows, n_columns = self.counts.shape
        upright = 0.08 * max(map(len, self.column_names), default=0)
        return min(3.5 + 0.45 * max(n_columns, 5), 10.0), min(1.6 + 0.3 * n_rows + upright, 10.0)

    @property
    def shares(self) -> Array:
        """Share of each row of the table, by column; float64, rows add up to 1."""
        shares: Array = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    @property
    def matched_share(self) -> float:
        """Share of the rows in the clusters drawn that are in the matched cells; nan without clusters."""
        drawn = self.counts[: len(self.clusters)]
        return float(np.diagonal(drawn)[: self.matched].sum() / drawn.sum()) if drawn.size else float("nan")

    @property
    def row_names(self) -> list[str]:
        """Names of the rows, each with the number of its rows of data."""
        names = short_names(self.clusters)
        left = self.n_clusters - len(names)
        names += [f"{left:,} others"] if left else []
        names += ["noise"] if self.has_noise else []
        totals = self.counts.sum(axis=1).tolist()
        return [f"{name} ({total:,})" for name, total in zip(names, totals, strict=True)]

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        left = self.n_classes - len(self.classes)
        return short_names(self.classes) + ([f"{left:,} others"] if left else [])

    @property
    def alt(self) -> Message:
        """What the plot shows, in words."""
        return alt_of(self)
