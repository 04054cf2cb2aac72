"""The silhouettes of clustered rows as a plot: a band for each cluster, as high as the cluster is large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from gpumetrics.backends import on_device_of
from gpumetrics.config import config_context
from gpumetrics.displays import silhouette_drawing as drawing
from gpumetrics.displays.drawing.canvas import drawing_on
from gpumetrics.displays.drawing.style import cluster_colors
from gpumetrics.displays.drawing.texts import say
from gpumetrics.displays.estimators import clustered_rows
from gpumetrics.displays.silhouette_data import ClusterSilhouettes
from gpumetrics.displays.silhouette_layout import band_layout, check_layout
from gpumetrics.displays.silhouette_text import alt_of
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.judged import judge

if TYPE_CHECKING:
    from gpumetrics.displays.silhouette_layout import BandLayout
    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.text.messages import Message

__all__ = ["SilhouetteDisplay"]

MOST_CLUSTERS = 40


class SilhouetteDisplay:
    """Silhouette plot: for each cluster a band of its rows' silhouettes, the largest on top.

    Make it with `from_predictions`, `from_estimator`, `from_report` or `from_samples`.

    Parameters
    ----------
    silhouettes : ClusterSilhouettes
        ``labels``, ``sizes``, ``means``, ``share_negative`` and ``quantiles`` of the clusters, ``mean`` and
        ``standard_error`` over all rows.

    Attributes
    ----------
    silhouettes : ClusterSilhouettes
    ax_, figure_ : matplotlib.axes.Axes, matplotlib.figure.Figure
    bands_, negatives_ : dict of int to matplotlib.patches.Polygon
        Band of each cluster that is shown, and what lies below 0 of it, by place in ``silhouettes.labels``.
    mean_line_ : matplotlib.lines.Line2D or None
    cluster_means_ : matplotlib.collections.LineCollection or None
    others_, noise_ : matplotlib.patches.Polygon or None
        The means of the clusters that are not shown, as one band; the rows of noise.
    reading_bands_, reading_words_, notes_ : list
        What stands behind, above and beside the bands.
    message_ : matplotlib.text.Text or None
        Why there is nothing to draw.

    Examples
    --------
    >>> from gpumetrics import SilhouetteDisplay
    >>> display = SilhouetteDisplay.from_predictions([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> display.silhouettes.means.round(3).tolist()
    [0.657, 0.657]
    >>> display.figure_.savefig("silhouettes.svg")  # doctest: +SKIP
    """

    def __init__(self, silhouettes: ClusterSilhouettes) -> None:
        self.silhouettes = silhouettes

    @classmethod
    def from_predictions(  # noqa: PLR0913  (keywords)
        cls,
        X: Any,
        labels: Any,
        *,
        metric: Any = "euclidean",
        noise_label: Any = -1,
        silhouette: Any = "auto",
        random_state: Any = None,
        ax: Any = None,
        sort: str = "mean",
        max_clusters: int = MOST_CLUSTERS,
        **kwds: Any,
    ) -> Self:
        """Compute the silhouettes of clustered rows, once, and plot them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or (n_samples, n_samples)
        labels : array-like of shape (n_samples,)
        metric : str or callable, default="euclidean"
        noise_label : label, default=-1
            As in `evaluate_clustering`.
        silhouette : {"auto", "exact", "estimate"} or array-like of shape (n_samples,), default="auto"
            As in `evaluate_clustering`; or silhouettes that are known, nan where a row was not evaluated.
        random_state : int, Generator, RandomState or None
            Seed of the sample of an estimate.
        ax, sort, max_clusters
            As in `plot`.
        **kwds
            Options of the metric.

        Returns
        -------
        SilhouetteDisplay

        Raises
        ------
        ValueError, TypeError, BackendError
            As in `evaluate_clustering`.
        ImportError
            If matplotlib is not installed.
        """
        check_layout(sort, max_clusters)
        checked, settings = check_metric(metric, kwds, "SilhouetteDisplay.from_predictions")
        with config_context(**settings), on_device_of(X=X, labels=labels):
            judged = judge(X, labels, checked, noise_label, silhouette, random_state)
        return cls(ClusterSilhouettes.of_judged(judged)).plot(ax, sort=sort, max_clusters=max_clusters)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **options: Any) -> Self:
        """Plot the silhouettes of the clusters that a fitted estimator makes of X.

        Parameters
        ----------
        estimator : object
            A fitted clusterer with ``predict`` or ``labels_``, a pipeline that ends with one, or a search over such.
        X : array-like of shape (n_samples, n_features)
            What the estimator takes. The silhouettes are of what its clusterer sees: of a pipeline, of what the
            other steps make of X.
        **options
            As in `from_predictions`.

        Returns
        -------
        SilhouetteDisplay

        Raises
        ------
        TypeError, ValueError
            If the estimator does not cluster rows, or has no labels for these; and as in `from_predictions`.
        """
        rows, labels = clustered_rows(estimator, X)
        return cls.from_predictions(rows, labels, **options)

    @classmethod
    def from_report(cls, report: ClusteringReport, *, ax: Any = None, **options: Any) -> Self:
        """Plot the silhouettes of a report; nothing is evaluated again.

        Parameters
        ----------
        report : ClusteringReport
        ax, **options
            As in `plot`.

        Returns
        -------
        SilhouetteDisplay

        Raises
        ------
        ValueError
            If the report does not hold the labels any more, because it was pickled.
        """
        return cls(ClusterSilhouettes.of_report(report)).plot(ax, **options)

    @classmethod
    def from_samples(
        cls, silhouette_samples: Any, labels: Any, *, noise_label: Any = -1, ax: Any = None, **options: Any
    ) -> Self:
        """Plot silhouettes that are known.

        Parameters
        ----------
        silhouette_samples : array-like of shape (n_samples,)
            As the function of that name gives them; nan for rows that were not evaluated: the mean is then an
            estimate, and its standard error that of rows drawn at random.
        labels : array-like of shape (n_samples,)
        noise_label : label, default=-1
            Rows with this label are counted, and not scored.
        ax, **options
            As in `plot`.

        Returns
        -------
        SilhouetteDisplay

        Raises
        ------
        ValueError
            For values below -1 or above 1, or lengths that differ.
        """
        return cls(ClusterSilhouettes.of_rows(silhouette_samples, labels, noise_label)).plot(ax, **options)

    @property
    def alt(self) -> Message:
        """What the plot shows, in a sentence."""
        return alt_of(self.silhouettes)

    def _forget(self) -> None:
        self.bands_: dict[int, Any] = {}
        self.negatives_: dict[int, Any] = {}
        self.notes_: list[Any] = []
        self.reading_bands_: list[Any] = []
        self.reading_words_: list[Any] = []
        self.mean_line_ = self.cluster_means_ = self.others_ = self.noise_ = self.message_ = None

    @staticmethod
    def size_for(n_clusters: int, max_clusters: int = MOST_CLUSTERS) -> tuple[float, float]:
        """Return the width and height, in inches, in which the names of so many clusters can be read."""
        bands = n_clusters if n_clusters <= max_clusters else (max_clusters + 1) // 2 + 3
        return 7.0, 2.2 + 0.18 * max(bands, 4)

    def plot(self, ax: Any = None, *, sort: str = "mean", max_clusters: int = MOST_CLUSTERS) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            New ones, of the size that the clusters need, if not given.
        sort : {"mean", "label"}, default="mean"
            Order of the bands from the top: the lowest mean first, or the order of the labels.
        max_clusters : int, default=40
            Of more clusters, the half of that number with the lowest means is shown, and the means of all others
            as one band.

        Returns
        -------
        SilhouetteDisplay
            Itself.

        Raises
        ------
        ValueError
            For another `sort`, or less than one cluster.
        ImportError
            If matplotlib is not installed.
        """
        check_layout(sort, max_clusters)
        found = self.silhouettes
        with drawing_on(ax, size=self.size_for(len(found.labels), max_clusters)) as self.ax_:
            self.figure_ = self.ax_.figure
            self._forget()
            if found.why_undefined:
                self.message_ = say(self.ax_, f"There are no silhouettes: {found.why_undefined}.")
            else:
                self._draw(self.ax_, band_layout(found, sort=sort, max_clusters=max_clusters))
        return self

    def _draw(self, ax: Any, layout: BandLayout) -> None:
        found = self.silhouettes
        self.notes_ = drawing.frame(ax, found, layout)
        self.reading_bands_, self.reading_words_ = drawing.draw_readings(ax)
        colors = cluster_colors(len(found.labels))
        self.bands_, self.negatives_ = drawing.draw_bands(ax, found, layout, colors)
        self.others_ = drawing.draw_others(ax, found, layout)
        self.noise_ = drawing.draw_noise(ax, layout)
        self.mean_line_, self.cluster_means_ = drawing.draw_means(ax, found, layout)
