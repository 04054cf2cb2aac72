"""A flat view of clustered rows: principal axes, or coordinates that the user has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.clustering.fitted import clustering_of
from gpumetrics.displays.embedding_cells import picture_of
from gpumetrics.displays.embedding_text import alt_of, titles_of
from gpumetrics.displays.embedding_view import FlatView, flat_view
from gpumetrics.displays.names import short_names
from gpumetrics.displays.placing import Places, paper_box
from gpumetrics.displays.style import INK, NOISE, PAPER, WORSE, axes_for, cluster_colors

if TYPE_CHECKING:
    from gpumetrics.displays.embedding_cells import Cells
    from gpumetrics.displays.embedding_view import MarkedRows, Points
    from gpumetrics.text.messages import Message

__all__ = ["EmbeddingDisplay"]

MARKERS = ("o", "^", "s", "D", "v", "P", "X")  # seven, so that colour and shape together come again after 42 clusters
MOST_NAMES = 30
MOST_CENTRES = 300
FEW = 100  # points that no name may cover
MOST_NUMBERS = 12  # marked rows of a kind up to which each has its number
WIDEST = 5.0  # times as wide as high: up to it both axes have the same scale


class EmbeddingDisplay(FlatView):
    """Clustered rows in two dimensions.

    Up to 2,000 rows are points; more are counted in the cells of a grid, and each cell has the colour of the cluster
    with most rows in it, fainter where rows are fewer. A flat view shows a part of the variance only: rows that look
    close may be far apart. It is for orientation; scores and candidates rest on all dimensions.

    Parameters
    ----------
    **fields
        See `FlatView`; `from_predictions` and `from_estimator` compute them.

    Attributes
    ----------
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
    points_ : list of PathCollection
        One for each cluster; empty where cells are drawn.
    noise_ : PathCollection or None
        Points that are noise.
    image_ : AxesImage or None
        The cells.
    centres_ : list of Line2D
        Of the largest clusters, where cells are drawn.
    names_ : list of Annotation
        Of the 30 largest clusters.
    representatives_, ambiguous_ : PathCollection or None
    numbers_ : list of Annotation
        Numbers of the marked rows, where they are few.
    legend_ : Legend or None

    Examples
    --------
    >>> from gpumetrics.displays.embedding import EmbeddingDisplay
    >>> X, labels = [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [9.0, 9.0, 1.0], [9.0, 8.0, 1.0]], ["a", "a", "b", "b"]
    >>> display = EmbeddingDisplay.from_predictions(X, labels)  # doctest: +SKIP
    """

    ax_: Any
    figure_: Any
    points_: list[Any]
    noise_: Any
    image_: Any
    centres_: list[Any]
    names_: list[Any]
    representatives_: Any
    ambiguous_: Any
    numbers_: list[Any]
    legend_: Any

    @classmethod
    def from_predictions(
        cls,
        X: Any,
        labels: Any,
        *,
        coordinates: Any = None,
        noise_label: Any = -1,
        representatives: Any = None,
        ambiguous: Any = None,
        random_state: Any = 0,
        ax: Any = None,
    ) -> Self:
        """Draw the rows of a clustering.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or None
            Drawn along its two principal axes, found from up to 50,000 rows; not read where there are `coordinates`.
        labels : array-like of shape (n_samples,)
            Cluster of each row.
        coordinates : array-like of shape (n_samples, 2), default=None
            Where the rows lie, as UMAP or another embedding gives it.
        noise_label : label, default=-1
            Rows with this label are noise. None: no label is.
        representatives, ambiguous : ClusterRows, default=None
            Rows to mark, from `gpumetrics.representatives` and `gpumetrics.ambiguous`; the first choices of the
            largest clusters where they are more than 60.
        random_state : int, Generator, RandomState or None, default=0
            Chooses 100,000 rows where there are more.
        ax : matplotlib.axes.Axes, default=None
            New ones if it is None.

        Returns
        -------
        EmbeddingDisplay

        Raises
        ------
        ValueError, TypeError
            For arguments of a wrong kind, shape or length, NaN or infinity.
        ImportError
            If matplotlib is not installed.
        """
        marked = {"representatives": representatives, "ambiguous": ambiguous}
        return cls(**flat_view(X, labels, coordinates, noise_label, marked, random_state)).plot(ax=ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Draw what a fitted clusterer makes of rows.

        Parameters
        ----------
        estimator : object
            With ``predict`` or ``labels_``; pipelines and searches too, whose last step sees the rows that are drawn.
        X : array-like of shape (n_samples, n_features)
        **options
            As in `from_predictions`.

        Returns
        -------
        EmbeddingDisplay

        Raises
        ------
        ValueError
            If it cannot place these rows.
        TypeError
            If it is no clusterer.
        """
        rows, labels, why = clustering_of(estimator, X)
        if labels is None:
            raise ValueError(why)
        return cls.from_predictions(rows, labels, **options)

    @property
    def alt(self) -> Message:
        """What the plot shows, in a sentence or three."""
        return alt_of(self)

    def plot(self, ax: Any = None) -> Self:
        """Draw the view.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            New ones if it is None.

        Returns
        -------
        EmbeddingDisplay
        """
        self.figure_, self.ax_ = axes_for(ax, size=(7.0, 5.2))
        self.points_, self.centres_, self.noise_, self.image_ = [], [], None, None
        colors = cluster_colors(len(self.clusters))
        if self.points is not None:
            self._draw_points(self.points, colors)
        if self.cells is not None:
            self._draw_cells(self.cells, colors)
        self.representatives_ = self._mark(self.representatives, "representatives")
        self.ambiguous_ = self._mark(self.ambiguous, "ambiguous")
        self._set_frame()
        self._write_names()
        title, first, second = titles_of(self)
        self.ax_.set_title(title, loc="left")
        self.ax_.set(xlabel=first, ylabel=second)
        self.legend_ = self._explain()
        return self

    def _write_names(self) -> None:
        places = Places(self.ax_)
        if self.points is not None and len(self.points.codes) <= FEW:
            places.keep_free(self.points.coordinates)
        marked = [marked for marked in (self.representatives, self.ambiguous) if marked is not None]
        for one in marked:
            places.keep_free(one.points)
        shown = np.argsort(-self.sizes, kind="stable")[:MOST_NAMES]
        shown = shown[np.isfinite(self.centres[shown]).all(axis=1)]
        texts = short_names(self.clusters)
        self.names_ = places.write(self.centres[shown], [texts[i] for i in shown], bbox=paper_box())
        for i, name in zip(shown, self.names_, strict=True):
            name.set_gid(f"name--c{i}")
        self.numbers_ = []
        for one in marked:
            if len(one.rows) <= MOST_NUMBERS:
                self.numbers_ += places.write(
                    one.points, [f"{row}" for row in one.rows], size=6.5, aside=5.0, bbox=paper_box()
                )

    def _set_frame(self) -> None:
        left, right, bottom, top = self.frame
        self.ax_.set(xticks=[], yticks=[])
        # Not fixed ("auto"), so that the limits of one axis can be widened until both have the same scale.
        self.ax_.set_xlim(left, right, auto=True)
        self.ax_.set_ylim(bottom, top, auto=True)
        if max((right - left) / (top - bottom), (top - bottom) / (right - left)) <= WIDEST:
            self.ax_.set_aspect("equal", adjustable="datalim")
            self.ax_.apply_aspect()

    def _draw_points(self, points: Points, colors: list[str]) -> None:
        size = float(np.clip(3000 / len(points.codes), 8, 30))
        noise = points.coordinates[points.codes == -1]
        if len(noise):
            self.noise_ = self.ax_.scatter(*noise.T, s=size, marker="x", c=NOISE, linewidths=0.8, gid="points--noise")
        for i, color in enumerate(colors):
            mine = points.coordinates[points.codes == i]
            looks: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "c": color, "linewidths": 0, "alpha": 0.8}
            self.points_.append(self.ax_.scatter(*mine.T, s=size, gid=f"points--c{i}", **looks))

    def _draw_cells(self, cells: Cells, colors: list[str]) -> None:
        options: dict[str, Any] = {"origin": "lower", "aspect": "auto", "interpolation": "none", "zorder": 1}
        self.image_ = self.ax_.imshow(picture_of(cells, colors), extent=tuple(self.frame), **options)
        for i in np.argsort(-self.sizes, kind="stable")[:MOST_CENTRES]:
            looks = {"marker": MARKERS[i % len(MARKERS)], "color": colors[i], "markeredgecolor": PAPER, "markersize": 5}
            self.centres_ += self.ax_.plot(*self.centres[i], linestyle="", gid=f"centre--c{i}", **looks)

    def _mark(self, marked: MarkedRows | None, kind: str) -> Any:
        if marked is None or not len(marked.rows):
            return None
        looks: dict[str, Any] = {"marker": "*", "s": 70, "facecolors": PAPER, "edgecolors": INK, "linewidths": 0.8}
        if kind == "ambiguous":
            looks = {"marker": "o", "s": 60, "facecolors": "none", "edgecolors": WORSE, "linewidths": 1.4}
        some = f" ({len(marked.rows):,} of {marked.n_chosen:,})" if len(marked.rows) < marked.n_chosen else ""
        return self.ax_.scatter(*marked.points.T, zorder=4, label=f"{kind}{some}", gid=kind, **looks)

    def _explain(self) -> Any:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles = [artist for artist in (self.representatives_, self.ambiguous_) if artist is not None]
        if self.noise_ is not None:
            handles.append(Line2D([], [], linestyle="", marker="x", color=NOISE, label="noise"))
        elif self.n_noise:
            handles.append(Patch(color=NOISE, label="noise"))
        if self.cells is not None:
            handles.append(Line2D([], [], linestyle="", label="stronger colour: more rows (log scale)"))
        if not handles:
            return None
        where = {"loc": "upper left", "bbox_to_anchor": (0, 0), "borderaxespad": 2.2}
        return self.ax_.legend(handles=handles, ncols=len(handles), frameon=False, fontsize="small", **where)
