"""Davies and Bouldin's R of pairs of clusters as a heat map: which clusters are too alike to be told apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.displays.heat_map import cell_inks, heat_map
from gpumetrics.displays.names import points, short_names, wrapped
from gpumetrics.displays.style import WORSE, axes_for, drawable
from gpumetrics.displays.texts import say
from gpumetrics.displays.worst_pairs import WorstPairs
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.clustering.davies_bouldin_pairs import DaviesBouldinPairs
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["DaviesBouldinDisplay"]

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

    Make it with `from_predictions` or `from_pairs`.

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
        Around the worst pair, in either row.
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
        if self.pairs.why_undefined:
            return said("There are no pairs of clusters: {why}.", why=self.pairs.why_undefined)
        first, second = short_names(self.pairs.labels[:2])
        return said(
            "Davies-Bouldin R of the pairs of {clusters}: the most alike are {first} and {second}, R {ratio}; "
            "the score is {score}.",
            clusters=counted(self.pairs.n_clusters, "{n:,} cluster", "{n:,} clusters"),
            first=first,
            second=second,
            ratio=format_score(self.pairs.similarity[0, 1]),
            score=format_score(self.pairs.score),
        )

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
        pairs, shown = self.pairs, len(self.pairs.labels)
        self.figure_, self.ax_ = axes_for(ax, size=(7.0, 3.0 + 0.1 * min(shown, MOST_CLUSTERS)))
        self.image_: Any = None
        self.colorbar_ = self.message_ = None
        self.texts_: list[Any] = []
        self.partners_: dict[int, Any] = {}
        self.frames_: list[Any] = []
        if pairs.why_undefined:
            self.message_ = say(self.ax_, f"There are no pairs of clusters: {pairs.why_undefined}.")
            return self
        names = short_names(pairs.labels)
        self.image_, self.texts_, self.colorbar_, _ = heat_map(
            self.ax_,
            pairs.similarity,
            rows=names,
            columns=names,
            written=[[_number(ratio) for ratio in row] for row in pairs.similarity],
            limits=(0.0, _darkest(pairs.similarity)),
            blank=np.eye(shown, dtype=bool),
            bar=BAR,
        )
        self._mark_partners()
        self._frame_worst()
        room = points(self.ax_, "width")
        (title,), options = drawable([_title(pairs, names, room)])
        self.ax_.set_title(title, loc="left", **options)
        self.ax_.set_xlabel(AXIS)
        return self

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

        for row, column in ((0, 1), (1, 0)):
            frame = Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor="none", edgecolor=WORSE, linewidth=2.5)
            frame.set(gid=f"worst--c{self.pairs.clusters[row]}", zorder=4)
            self.frames_.append(self.ax_.add_patch(frame))


def _title(pairs: WorstPairs, names: list[str], room: float) -> str:
    lines = [
        f"Davies-Bouldin {format_score(pairs.score)} (lower is better)",
        f"worst pair: {names[0]} and {names[1]}, R {format_score(pairs.similarity[0, 1])}",
    ]
    if not math.isfinite(pairs.score):
        lines.append("where centroids coincide R is infinite, or undefined")
    left_out = pairs.n_clusters - len(names)
    if left_out:
        lines.append(f"the {len(names)} clusters of the worst pairs; {left_out:,} are left out")
    return "\n".join(wrapped(line, room, "axes.titlesize") for line in lines)


def _darkest(similarity: Array) -> float:
    """Return the R that has the last colour."""
    finite = np.where(np.isfinite(similarity), similarity, 0.0)
    largest = finite.max(axis=1)
    return float(min(finite.max(), DARKEST * np.median(largest)) or finite.max() or 1.0)


def _number(ratio: float) -> str:
    if math.isnan(ratio):
        return "undef."
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.3g}"


def _checked(max_clusters: Any) -> int:
    if isinstance(max_clusters, bool) or not isinstance(max_clusters, int | np.integer) or max_clusters < 2:
        msg = f"max_clusters must be an integer from 2, got {max_clusters!r}"
        raise ValueError(msg)
    return int(max_clusters)
