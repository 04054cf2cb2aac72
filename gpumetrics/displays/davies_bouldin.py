"""Davies and Bouldin's R of pairs of clusters as a heat map: which clusters are too alike to be told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.displays.davies_bouldin_text import alt_of, ratio_text, title_of
from gpumetrics.displays.drawing.canvas import drawing_on, points
from gpumetrics.displays.drawing.heat_map import cell_inks, heat_map
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.style import tones
from gpumetrics.displays.drawing.texts import say, wrapped, write_label, write_title
from gpumetrics.displays.estimators import clustered_rows
from gpumetrics.displays.worst_pairs import WorstPairs

if TYPE_CHECKING:
    from gpumetrics.clustering.davies_bouldin_pairs import DaviesBouldinPairs
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["MOST_CLUSTERS", "DaviesBouldinDisplay"]

MOST_CLUSTERS = 40
BAR = "R: the larger, the more alike"
AXIS = (
    "dot: the cluster most like that of the row; frame: the worst pair\n"
    "R: the spreads of both clusters over the distance between them"
)
DARKEST = 3.0  # times the median of the clusters' largest R: one extreme pair should not make all others pale
CORNER = (0.36, -0.34)  # of a cell with a number in it, where the dot goes


class DaviesBouldinDisplay:
    """Heat map of how alike clusters are, by Davies and Bouldin's R; what is alike stands side by side.

    R of two clusters is the sum of their spreads (mean distances to the centroid) over the distance between their
    centroids. The index is the mean of each cluster's largest R: lower is better.

    Make it with `from_predictions`, `from_estimator` or `from_pairs`.

    Parameters
    ----------
    pairs : WorstPairs
        ``labels`` of the clusters that are shown, in that order, and their ``similarity``.

    Attributes
    ----------
    pairs : WorstPairs
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
    image_ : matplotlib.image.AxesImage or None
    texts_ : list of matplotlib.text.Text
        Numbers in the cells, where they fit.
    partners_ : dict of int to matplotlib.lines.Line2D
        The dot in a cluster's row, by its place among all clusters.
    frames_ : list of matplotlib.patches.Rectangle
        Around the worst pair, in either row; none where its R is undefined.
    colorbar_ : matplotlib.colorbar.Colorbar or None
    message_ : matplotlib.text.Text or None
        Why there is nothing to draw.

    Examples
    --------
    >>> from gpumetrics import DaviesBouldinDisplay
    >>> X = [[-1.0], [1.0], [3.0], [5.0], [7.0], [13.0]]
    >>> display = DaviesBouldinDisplay.from_predictions(X, [1, 1, 2, 2, 3, 3])
    >>> display.pairs.labels.tolist()
    [2, 3, 1]
    >>> print(display.alt)
    Davies-Bouldin R of the pairs of 3 clusters: the most alike are 2 and 3, R 0.6667; the score is 0.6111.
    """

    def __init__(self, pairs: WorstPairs) -> None:
        self.pairs = pairs

    @classmethod
    def from_predictions(
        cls, X: Any, labels: Any, *, noise_label: Any = -1, max_clusters: int = MOST_CLUSTERS, ax: Any = None
    ) -> Self:
        """Compare the clusters of a clustering, and draw the worst pairs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        labels : array-like of shape (n_samples,)
        noise_label : label, default=-1
            Rows with this label are left out.
        max_clusters : int, default=40
            Of more clusters, as many as this: those with the largest R, and what they are most alike.
        ax
            As in `plot`.

        Returns
        -------
        DaviesBouldinDisplay
            With one cluster, or as many as rows, it says that there is nothing to compare.

        Raises
        ------
        ValueError
            For NaN or infinity, wrong shapes, or less than two clusters to show.
        ImportError
            If matplotlib is not installed.

        Notes
        -----
        O(n d + k^2 d), in two passes over X; memory O(k d + max_clusters^2): the matrix of all pairs never exists.
        """
        most = _checked(max_clusters)
        return cls(WorstPairs.of_rows(X, labels, noise_label, most)).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Compare the clusters that a fitted estimator makes of X, and draw the worst pairs.

        Parameters
        ----------
        estimator : object
            As in `SilhouetteDisplay.from_estimator`.
        X : array-like of shape (n_samples, n_features)
        **options
            As in `from_predictions`.

        Returns
        -------
        DaviesBouldinDisplay

        Raises
        ------
        TypeError, ValueError
            If the estimator does not cluster rows, or has no labels for these; and as in `from_predictions`.
        """
        rows, labels = clustered_rows(estimator, X)
        return cls.from_predictions(rows, labels, **options)

    @classmethod
    def from_pairs(cls, pairs: DaviesBouldinPairs, *, max_clusters: int = MOST_CLUSTERS, ax: Any = None) -> Self:
        """Draw the worst of pairs that are known.

        Parameters
        ----------
        pairs : DaviesBouldinPairs
        max_clusters, ax
            As in `from_predictions`.

        Returns
        -------
        DaviesBouldinDisplay

        Raises
        ------
        ValueError
            For less than two clusters to show.
        ImportError
            If matplotlib is not installed.
        """
        return cls(WorstPairs.of_pairs(pairs, _checked(max_clusters))).plot(ax)

    @property
    def alt(self) -> Message:
        """What the plot shows, in a sentence."""
        return alt_of(self.pairs)

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            New ones if not given.

        Returns
        -------
        DaviesBouldinDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        names = short_names(self.pairs.labels)
        upright = 0.08 * max(map(len, names), default=0)
        size = 7.0, 3.0 + 0.1 * min(len(names), MOST_CLUSTERS) + upright
        with drawing_on(ax, size=size) as self.ax_:
            self.figure_ = self.ax_.figure
            self.image_: Any = None
            self.colorbar_ = self.message_ = None
            self.texts_: list[Any] = []
            self.partners_: dict[int, Any] = {}
            self.frames_: list[Any] = []
            if self.pairs.why_undefined:
                self.message_ = say(self.ax_, f"There are no pairs of clusters: {self.pairs.why_undefined}.")
            else:
                self._draw(self.ax_, names)
        return self

    def _draw(self, ax: Any, names: list[str]) -> None:
        similarity = self.pairs.similarity
        self.image_, self.texts_, self.colorbar_, _ = heat_map(
            ax,
            similarity,
            rows=names,
            columns=names,
            written=[[ratio_text(ratio) for ratio in row] for row in similarity],
            limits=(0.0, _darkest(similarity)),
            blank=np.eye(len(names), dtype=bool),
            bar=BAR,
            write=lambda: self._write(ax, names),
        )
        self._mark_partners()
        if not math.isnan(similarity[0, 1]):
            self._frame_worst()

    def _write(self, ax: Any, names: list[str]) -> None:
        write_title(ax, title_of(self.pairs, names))
        write_label(ax, "x", wrapped(AXIS, points(ax, "width"), "axes.labelsize"))

    def _mark_partners(self) -> None:
        """Draw a dot in the row of each cluster, where it meets the one that it is most alike."""
        right, up = CORNER if self.texts_ else (0.0, 0.0)
        rows = np.flatnonzero(self.pairs.partner >= 0)
        columns = self.pairs.partner[rows]
        top = self.image_.norm.vmax
        ratios = np.nan_to_num(self.pairs.similarity[rows, columns], nan=0.0, posinf=top)
        size = 3.0 if self.texts_ else 2.4
        for row, column, ink in zip(rows, columns, cell_inks(self.image_, ratios), strict=True):
            cluster = int(self.pairs.clusters[row])
            style = {"marker": "o", "markersize": size, "color": ink, "gid": f"partner--c{cluster}"}
            (self.partners_[cluster],) = self.ax_.plot([column + right], [row + up], **style)

    def _frame_worst(self) -> None:
        from matplotlib.patches import Rectangle

        worse = tones(self.ax_).worse
        for row, column in ((0, 1), (1, 0)):
            frame = Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor="none", edgecolor=worse, linewidth=2.5)
            frame.set(gid=f"worst--c{self.pairs.clusters[row]}", zorder=4)
            self.frames_.append(self.ax_.add_patch(frame))


def _darkest(similarity: Array) -> float:
    """Return the R that has the last colour."""
    finite = np.where(np.isfinite(similarity), similarity, 0.0)
    largest = finite.max(axis=1)
    return float(min(finite.max(), DARKEST * np.median(largest)) or finite.max() or 1.0)


def _checked(max_clusters: Any) -> int:
    if isinstance(max_clusters, bool) or not isinstance(max_clusters, int | np.integer) or max_clusters < 2:
        msg = f"max_clusters must be an integer from 2, got {max_clusters!r}"
        raise ValueError(msg)
    return int(max_clusters)
