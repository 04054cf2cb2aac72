"""The panels of a `StabilityDisplay`: pairs of runs as a heat map, clusters as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.stability_result import DISSOLVED, RECOVERED
from gpumetrics.displays.drawing.canvas import points
from gpumetrics.displays.drawing.heat_map import axis_ticks, heat_map
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.style import cluster_colors, tones
from gpumetrics.displays.drawing.texts import say, wrapped, write_label, write_title

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.displays.stability import StabilityDisplay

__all__ = ["CLUSTERS", "PAIRS", "draw_agreement", "draw_clusters", "lines_of_title", "name_clusters"]

HIGHLY = 0.85  # Jaccard index from which a cluster counts as highly stable
MOST_WRITTEN = 12  # runs up to which the values stand in the cells
PAIRS, CLUSTERS = "Adjusted Rand index (1: the same clusters)", "Clusters (1: always the same)"  # the panels' titles
NO_CLUSTERS = "There are no clusters whose stability could be drawn"


def lines_of_title(text: str, ax: Any) -> int:
    """Count the lines that a panel's title takes."""
    return wrapped(text, points(ax, "width"), "axes.labelsize").count("\n") + 1


def draw_agreement(display: StabilityDisplay, ax: Any, *, write: Callable[[], None]) -> None:
    """Draw the adjusted Rand index of each pair of runs; `write` writes what else is on the figure."""

    def write_all() -> None:
        write()
        write_label(ax, "x", "Run")
        write_label(ax, "y", "Run")
        write_title(ax, PAIRS, size="axes.labelsize")

    n = len(display.runs)
    names = short_names(display.runs, 16)
    written = [["-" if np.isnan(value) else f"{value:z.2f}" for value in row] for row in display.agreement.tolist()]
    display.heat_map_ = heat_map(
        ax,
        display.agreement,
        rows=names,
        columns=names,
        written=written if n <= MOST_WRITTEN else None,
        limits=(0.0, 1.0),
        blank=np.eye(n, dtype=bool),
        bar="",
        write=write_all,
    )


def draw_clusters(display: StabilityDisplay, ax: Any) -> None:
    """Draw the Jaccard stability of clusters, with the marks by which it is read."""
    display.bars_, display.unknown_, display.marks_, display.lowest_ = {}, {}, [], None
    if not len(display.shown_):
        say(ax, NO_CLUSTERS)
        return
    colors, paper = cluster_colors(len(display.clusters)), tones(ax)
    for y, at in enumerate(display.shown_.tolist()):
        value, gid = float(display.jaccard[at]), f"jaccard--c{at}"
        if np.isnan(value):
            [cross] = ax.plot(
                [0.03], [y], marker="x", color=paper.worse, markeredgewidth=1.5, linestyle="none", gid=gid
            )
            display.unknown_[at] = cross
            continue
        hatch = "////" if value <= DISSOLVED else None
        bars = ax.barh(y, value, 0.8, color=colors[at], edgecolor=paper.ink, linewidth=0.5, hatch=hatch, gid=gid)
        display.bars_[at] = bars[0]
    places = np.arange(len(display.shown_))
    lowest = display.jaccard_lowest[display.shown_]
    style = {"markerfacecolor": paper.paper, "markeredgecolor": paper.ink, "markeredgewidth": 0.7}
    [display.lowest_] = ax.plot(lowest, places, marker="d", markersize=5, linestyle="none", zorder=4, **style)
    display.marks_ = [
        ax.axvline(mark, color=paper.ink, linewidth=1, linestyle=style, zorder=3)
        for mark, style in ((DISSOLVED, ":"), (RECOVERED, "--"), (HIGHLY, "-."))
    ]
    ax.set_xlim(0, 1.02)
    ax.set_ylim(len(display.shown_) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)


def name_clusters(display: StabilityDisplay, ax: Any) -> None:
    """Write the names of the clusters, and what the marks mean."""
    write_title(ax, CLUSTERS, size="axes.labelsize")
    if not len(display.shown_):
        return
    write_label(ax, "y", "Cluster (rows in it)")
    names = short_names((display.clusters[at] for at in display.shown_), 16)
    sizes = display.sizes[display.shown_].tolist()
    axis_ticks(ax, "y", [f"{name} ({size:,})" for name, size in zip(names, sizes, strict=True)])
    words = ["lines: 0.5 dissolved, 0.75 stable, 0.85 highly stable", "diamond: lowest run"]
    if any(bar.get_hatch() for bar in display.bars_.values()):
        words.append("hatched: dissolved on average")
    if display.unknown_:
        words.append("cross: unknown")
    if len(display.shown_) < len(display.clusters):
        words.append(f"the {len(display.shown_):,} least stable of {len(display.clusters):,} clusters")
    caption = "Mean Jaccard index (higher is better)\n" + "; ".join(words)
    lines = wrapped(caption, points(ax, "width"), "axes.labelsize")
    write_label(ax, "x", lines, loc="left", multialignment="left")
