"""All scores of a comparison over the number of clusters, or over labelings, in panels that share an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.displays.drawing.canvas import drawing_on
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.k_selection_panels import draw, panels_of
from gpumetrics.displays.k_selection_scores import ComparedScores, scores_of
from gpumetrics.displays.k_selection_words import alt_of, statement_of
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.text.messages import Message
    from gpumetrics.types import Array

__all__ = ["KSelectionDisplay"]

MOST_SHOWN = 40  # labelings that are no numbers of clusters; of more, the best
LONGEST_NAME = 32


class KSelectionDisplay(ComparedScores):
    """Scores of several labelings, one panel each, the best of each score marked.

    Use `from_estimator`, `from_predictions` or `from_result` rather than the constructor.

    Where the labelings are numbers of clusters, these are the horizontal axis of all panels, one below the other, and
    lines join the values. Else the labelings' names are the vertical axis of all panels, side by side.

    Parameters
    ----------
    **fields
        See `ComparedScores`; the class methods find them.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The first panel.
    axes_ : ndarray of matplotlib.axes.Axes
        All panels: one for each score that chooses, and one for those against known classes.
    figure_ : matplotlib.figure.Figure
    title_ : matplotlib.text.Text
        Which score prefers which labeling.
    shown_ : ndarray of int64
        Places of the labelings drawn, in the order of the shared axis.
    points_ : dict of str to dict of int to matplotlib.lines.Line2D
        By score and place of the labeling; a cross where the score is missing, a triangle where it is infinite, an
        open marker where over a tenth of the rows is noise.
    lines_, second_ : dict of str to matplotlib.lines.Line2D
        The line that joins the values of each panel (for numbers of clusters), and its thin second one.
    best_ : dict of str to matplotlib.lines.Line2D
        A star for each panel.
    error_bars_ : matplotlib.container.ErrorbarContainer or None
        Two standard errors up and down.

    Examples
    --------
    >>> from gpumetrics import KSelectionDisplay
    >>> X = [[0.0], [1.0], [4.0], [5.0], [30.0], [31.0]]
    >>> display = KSelectionDisplay.from_predictions(X, {2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 2, 2, 1, 1]})
    >>> print(display.statement)
    The scores disagree: silhouette and Davies-Bouldin prefer K = 2, Calinski-Harabasz prefers K = 3
    """

    ax_: Any
    axes_: Array
    figure_: Any
    title_: Any
    shown_: Array
    points_: dict[str, dict[int, Any]]
    lines_: dict[str, Any]
    second_: dict[str, Any]
    best_: dict[str, Any]
    error_bars_: Any

    @classmethod
    def of(cls, comparison: Comparison) -> KSelectionDisplay:
        """Return the display of a comparison, not drawn yet."""
        return cls(**scores_of(comparison))

    @classmethod
    def from_result(cls, comparison: Comparison, *, ax: Any = None, most: int = MOST_SHOWN) -> KSelectionDisplay:
        """Draw a comparison, of `compare_labelings` or `sweep`; nothing is computed.

        Parameters
        ----------
        comparison : Comparison
        ax, most
            As in `plot`.

        Returns
        -------
        KSelectionDisplay
        """
        return cls.of(comparison).plot(ax=ax, most=most)

    @classmethod
    def from_predictions(
        cls, X: Any, labelings: Any, *, ax: Any = None, most: int = MOST_SHOWN, **options: Any
    ) -> KSelectionDisplay:
        """Compare labelings, and draw their scores.

        Parameters
        ----------
        X, labelings
            As in `compare_labelings`.
        ax, most
            As in `plot`.
        **options
            Of `compare_labelings`, such as ``labels_true`` or ``noise_label``.

        Returns
        -------
        KSelectionDisplay
        """
        from gpumetrics.choosing.compare import compare_labelings

        return cls.from_result(compare_labelings(X, labelings, **options), ax=ax, most=most)

    @classmethod
    def from_estimator(
        cls,
        clusterer: Any,
        X: Any,
        *,
        n_clusters: Any = None,
        param_grid: Any = None,
        ax: Any = None,
        most: int = MOST_SHOWN,
        **options: Any,
    ) -> KSelectionDisplay:
        """Fit a clusterer under many settings, and draw the scores.

        Parameters
        ----------
        clusterer : object or class
        X : array-like or sparse matrix of shape (n_samples, n_features)
        n_clusters, param_grid
            As in `sweep`; ``n_clusters=range(2, 16)`` if neither is given.
        ax, most
            As in `plot`.
        **options
            Of `sweep`, such as ``labels_true``, ``n_jobs`` or ``random_state``.

        Returns
        -------
        KSelectionDisplay
        """
        from gpumetrics.choosing.sweep import sweep

        return cls.from_result(sweep(X, clusterer, param_grid, n_clusters=n_clusters, **options), ax=ax, most=most)

    def plot(self, ax: Any = None, *, most: int = MOST_SHOWN) -> KSelectionDisplay:
        """Draw the scores.

        Parameters
        ----------
        ax : Axes, or array of Axes, optional
            The panels stand in the place of one; or are these, as many as there are panels. A new figure if None.
        most : int, default=40
            So many labelings are drawn if they are no numbers of clusters: the best ones, and each score's best.

        Returns
        -------
        KSelectionDisplay
            Itself.

        Raises
        ------
        ValueError
            If there are not as many axes as panels.
        ImportError
            If matplotlib is not installed.
        """
        n_panels = len(panels_of(self))
        least = (6.0, 0.9 + 1.1 * n_panels) if self.kind == "n_clusters" else (2.0 + 1.3 * n_panels, 3.0)
        with drawing_on(ax, size=self.size, least=least) as axes:
            draw(self, axes, most)
        return self

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a new figure, in inches."""
        n_panels = len(panels_of(self))
        if self.kind == "n_clusters":
            return 7.0, 1.2 + 1.5 * n_panels
        longest = max(map(len, self.short_names))
        return 0.9 + 0.08 * longest + 1.7 * n_panels, 1.8 + 0.22 * min(len(self.names), MOST_SHOWN)

    @property
    def statement(self) -> Message:
        """Which score prefers which labeling, in one sentence."""
        return statement_of(self)

    @property
    def alt(self) -> Message:
        """What the plot shows, in words."""
        return alt_of(self)

    def word(self, at: int) -> str:
        """Return a labeling's name as it stands in a sentence."""
        return said("K = {k}", k=self.names[at]) if self.kind == "n_clusters" else self.short_names[at]

    @property
    def short_names(self) -> list[str]:
        """The names, short enough for an axis."""
        return short_names(self.names, LONGEST_NAME)
