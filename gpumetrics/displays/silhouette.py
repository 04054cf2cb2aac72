"""The silhouettes of clustered rows as a plot: a band for each cluster, as high as the cluster is large."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.clustering.fitted import clustering_of
from gpumetrics.config import config_context
from gpumetrics.displays import silhouette_drawing as drawing
from gpumetrics.displays.names import short_names
from gpumetrics.displays.silhouette_data import ClusterSilhouettes
from gpumetrics.displays.silhouette_layout import band_layout, check_layout
from gpumetrics.displays.style import axes_for, cluster_colors
from gpumetrics.displays.texts import say
from gpumetrics.distance_metrics import check_metric
from gpumetrics.evaluation.judged import judge
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
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
        TypeError
            If the estimator is no clusterer.
        ValueError
            If it has no labels for these rows; and as in `from_predictions`.
        """
        X, labels, why = clustering_of(estimator, X)
        if labels is None:
            msg = f"X must be the rows that the estimator was fitted on: {why.partition(': ')[0]}"
            raise ValueError(msg)
        return cls.from_predictions(X, labels, **options)

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
        if report.scored is None:
            msg = (
                "report must hold the labels that it is about, and one that was pickled does not: use "
                "SilhouetteDisplay.from_samples(report.silhouette_samples, labels)"
            )
            raise ValueError(msg)
        found = ClusterSilhouettes.of_rows(report.silhouette_samples, report.scored.labels, report.noise_label)
        if found.why_undefined:
            note = report.notes.get("silhouette")
            found.why_undefined = getattr(note, "values", {}).get("reason", found.why_undefined)
        else:
            found.mean, found.standard_error = report.scores["silhouette"], report.silhouette_standard_error
        return cls(found).plot(ax, **options)

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
        found = self.silhouettes
        if found.why_undefined:
            return said("There are no silhouettes: {reason}.", reason=found.why_undefined)
        lowest = int(np.nanargmin(found.means))
        return said(
            "Silhouettes of {clusters}, {mean:z.2f} on average: the lowest mean is {low:z.2f}, of {name}; "
            "{share:.1f} % of the rows lie closer to another cluster.",
            clusters=counted(len(found.labels), "{n:,} cluster", "{n:,} clusters"),
            mean=found.mean,
            name=short_names(found.labels[[lowest]])[0],
            low=float(found.means[lowest]),
            share=100 * found.negative,
        )

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
        self.figure_, self.ax_ = axes_for(ax, size=self.size_for(len(found.labels), max_clusters))
        self._forget()
        if found.why_undefined:
            self.message_ = say(self.ax_, f"There are no silhouettes: {found.why_undefined}.")
            return self
        layout = band_layout(found.sizes, found.means, found.n_noise, sort=sort, max_clusters=max_clusters)
        drawing.frame(self.ax_, found, layout)
        self.reading_bands_, self.reading_words_ = drawing.draw_readings(self.ax_)
        colors = cluster_colors(len(found.labels))
        self.bands_, self.negatives_ = drawing.draw_bands(self.ax_, found, layout, colors)
        self.others_ = drawing.draw_others(self.ax_, found, layout)
        self.noise_ = drawing.draw_noise(self.ax_, layout)
        self.mean_line_, self.cluster_means_ = drawing.draw_means(self.ax_, found, layout)
        self.notes_ = drawing.name_bands(self.ax_, found, layout)
        return self
