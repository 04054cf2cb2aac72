"""The plots of a clustering, each with what it shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gpumetrics.backends import on_device_of
from gpumetrics.pages.clustering_stability import is_same
from gpumetrics.pages.figures import figure_of
from gpumetrics.pages.model import Section

if TYPE_CHECKING:
    from gpumetrics.pages.clustering_view import View
    from gpumetrics.pages.model import Block

__all__ = ["plots_section"]

TALL = (7.0, 5.2)
MARK = re.compile(r'(\bid="[^"]*?)--(c\d+")')
SILHOUETTES = (
    "Each cluster is a band: as high as it has rows, its rows from the best placed (far right) to the worst. A band "
    "that is short, or reaches left of 0, is a cluster to look at."
)
FLAT = "The rows in two of their many dimensions, for orientation: what looks near may be far apart."
AS_THEY_LIE = "The rows as they lie."
ALIKE = "Each cell is a pair of clusters: the darker, the nearer for how wide they are (Davies and Bouldin's R)."
CLASSES = "Each row is a cluster, each column a known class; the darker, the more of the cluster's rows are of it."
AGAIN = "Each cell compares two runs: 1 is the same clustering again."


def plots_section(view: View) -> Section:
    """Return the section of plots: those that the report has the data for."""
    from gpumetrics.displays.silhouette import SilhouetteDisplay
    from gpumetrics.displays.stability import StabilityDisplay

    report = view.report
    blocks: list[Block] = []
    if report.silhouette_band and report.scored is not None:
        size = SilhouetteDisplay.size_for(report.n_clusters)
        draw = lambda ax: SilhouetteDisplay.from_report(report, ax=ax)  # noqa: E731
        blocks.append(figure_of("silhouettes", draw, SILHOUETTES, size=size, settled=True))
    blocks += _of_rows(view)
    if view.stability is not None:
        draw_runs = lambda ax: StabilityDisplay.from_result(view.stability, ax=ax)  # noqa: E731
        figure = figure_of("stability-plot", draw_runs, AGAIN, settled=True)
        # Clusters of another run have numbers of their own, which a pick in a table must not find.
        blocks.append(figure if is_same(view) else figure._replace(svg=MARK.sub(r"\1-run-\2", figure.svg)))
    return Section("plots", "Plots", blocks)


def _of_rows(view: View) -> list[Block]:
    """Draw what needs the rows themselves."""
    from gpumetrics.displays.contingency import ContingencyDisplay
    from gpumetrics.displays.davies_bouldin import MOST_CLUSTERS, DaviesBouldinDisplay
    from gpumetrics.displays.embedding import EmbeddingDisplay
    from gpumetrics.displays.worst_pairs import WorstPairs

    report, found = view.report, view.found
    if report.scored is None or not report.n_clusters:
        return []
    X, labels, labels_true = report.scored[:3]
    noise: dict[str, Any] = {"noise_label": report.noise_label}
    blocks: list[Block] = []
    if report.metric != "precomputed":
        marked = {"representatives": found.representatives, "ambiguous": found.ambiguous}
        draw_map = lambda ax: EmbeddingDisplay.from_predictions(X, labels, **noise, **marked, ax=ax)  # noqa: E731
        caption = FLAT if report.n_features > 2 else AS_THEY_LIE
        blocks.append(figure_of("map", draw_map, caption, size=TALL, settled=True))
        if report.scores["davies_bouldin"] > 0 and found.moments is not None:
            with on_device_of(X=X, labels=labels):
                pairs = WorstPairs.of_moments(report.per_cluster["label"], found.moments, MOST_CLUSTERS)
            blocks.append(figure_of("pairs", DaviesBouldinDisplay(pairs).plot, ALIKE, size=TALL, settled=True))
    if view.classes is not None:
        draw_classes = lambda ax: ContingencyDisplay.from_predictions(labels_true, labels, **noise, ax=ax)  # noqa: E731
        blocks.append(figure_of("classes", draw_classes, CLASSES, size=TALL, settled=True))
    return blocks
