"""A flat view of clustered rows: principal axes, or coordinates that the user has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.displays import embedding_drawing as drawing
from gpumetrics.displays.drawing.canvas import drawing_on, settle
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.placing import Places
from gpumetrics.displays.drawing.texts import write_label, write_title
from gpumetrics.displays.embedding_text import alt_of, titles_of
from gpumetrics.displays.embedding_view import FlatView, flat_view
from gpumetrics.displays.estimators import clustered_rows

if TYPE_CHECKING:
    from gpumetrics.text.messages import Message

__all__ = ["EmbeddingDisplay"]

MOST_NAMES = 30
FEW = 100  # points that no name may cover
MOST_NUMBERS = 12  # marked rows of a kind up to which each has its number


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
        TypeError, ValueError
            If the estimator does not cluster rows, or has no labels for these; and as in `from_predictions`.
        """
        rows, labels = clustered_rows(estimator, X)
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
        with drawing_on(ax, size=(7.0, 5.2)) as self.ax_:
            self.figure_ = self.ax_.figure
            self._draw(self.ax_)
        return self

    def _draw(self, ax: Any) -> None:
        self.points_, self.centres_, self.noise_, self.image_ = [], [], None, None
        if self.points is not None:
            self.noise_ = drawing.draw_noise(ax, self.points)
            self.points_ = drawing.draw_points(ax, self.points, len(self.clusters))
        if self.cells is not None:
            self.image_ = drawing.draw_cells(ax, self.cells, self.frame, len(self.clusters))
            self.centres_ = drawing.draw_centres(ax, self)
        self.representatives_ = drawing.mark(ax, self.representatives, "representatives")
        self.ambiguous_ = drawing.mark(ax, self.ambiguous, "ambiguous")
        settle(ax, self._write)
        self._write_names()

    def _write(self) -> None:
        title, first, second = titles_of(self)
        write_title(self.ax_, title)
        write_label(self.ax_, "x", first)
        write_label(self.ax_, "y", second)
        self.legend_ = drawing.explain(self.ax_, self, [self.representatives_, self.ambiguous_])
        drawing.set_frame(self.ax_, self.frame)

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
        self.names_ = places.write(self.centres[shown], [texts[i] for i in shown])
        for i, name in zip(shown, self.names_, strict=True):
            name.set_gid(f"name--c{i}")
        self.numbers_ = []
        for one in marked:
            if len(one.rows) <= MOST_NUMBERS:
                self.numbers_ += places.write(one.points, [f"{row}" for row in one.rows], size=0.65, aside=5.0)
