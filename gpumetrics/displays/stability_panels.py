"""The panels of a `StabilityDisplay`: pairs of runs as a heat map, clusters as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.choosing.stability_result import DISSOLVED, RECOVERED
from gpumetrics.displays.heat_map import axis_ticks, heat_map
from gpumetrics.displays.names import points, short_names, wrapped
from gpumetrics.displays.style import INK, PAPER, WORSE, cluster_colors
from gpumetrics.displays.texts import say

if TYPE_CHECKING:
    from gpumetrics.displays.stability import StabilityDisplay

__all__ = ["draw_agreement", "draw_clusters"]

HIGHLY = 0.85  # Jaccard index from which a cluster counts as highly stable
MOST_WRITTEN = 12  # runs up to which the values stand in the cells
NO_CLUSTERS = "There are no clusters whose stability could be drawn"


def draw_agreement(display: StabilityDisplay, ax: Any) -> None:
    """Draw the adjusted Rand index of each pair of runs."""
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
    )
    ax.set_xlabel("Run")
    ax.set_ylabel("Run")
    ax.set_title("Adjusted Rand index (1: the same clusters)", loc="left", fontsize="medium")


def draw_clusters(display: StabilityDisplay, ax: Any) -> None:
    """Draw the Jaccard stability of clusters, with the marks by which it is read."""
    display.bars_, display.unknown_, display.marks_, display.lowest_ = {}, {}, [], None
    ax.set_title("Clusters (1: always the same)", loc="left", fontsize="medium")
    if not len(display.shown_):
        say(ax, NO_CLUSTERS)
        return
    colors = cluster_colors(len(display.clusters))
    for y, at in enumerate(display.shown_.tolist()):
        value, gid = float(display.jaccard[at]), f"jaccard--c{at}"
        if np.isnan(value):
            [cross] = ax.plot([0.03], [y], marker="x", color=WORSE, markeredgewidth=1.5, linestyle="none", gid=gid)
            display.unknown_[at] = cross
            continue
        hatch = "////" if value <= DISSOLVED else None
        bars = ax.barh(y, value, 0.8, color=colors[at], edgecolor=INK, linewidth=0.5, hatch=hatch, gid=gid)
        display.bars_[at] = bars[0]
    places = np.arange(len(display.shown_))
    lowest = display.jaccard_lowest[display.shown_]
    style = {"markerfacecolor": PAPER, "markeredgecolor": INK, "markeredgewidth": 0.7}
    [display.lowest_] = ax.plot(lowest, places, marker="d", markersize=5, linestyle="none", zorder=4, **style)
    display.marks_ = [
        ax.axvline(mark, color=INK, linewidth=1, linestyle=style, zorder=3)
        for mark, style in ((DISSOLVED, ":"), (RECOVERED, "--"), (HIGHLY, "-."))
    ]
    _axes(display, ax)


def _axes(display: StabilityDisplay, ax: Any) -> None:
    ax.set_xlim(0, 1.02)
    ax.set_ylim(len(display.shown_) - 0.4, -0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_ylabel("Cluster (rows in it)")
    names = short_names((display.clusters[at] for at in display.shown_), 16)
    sizes = display.sizes[display.shown_].tolist()
    axis_ticks(ax, "y", [f"{name} ({size:,})" for name, size in zip(names, sizes, strict=True)])
    words = ["lines: 0.5 dissolved, 0.75 stable, 0.85 highly stable", "diamond: lowest run"]
    if any(bar.get_hatch() for bar in display.bars_.values()):
        words.append("hatched: dissolved on average")
    if display.unknown_:
        words.append("cross: unknown")
    left = len(display.clusters) - len(display.shown_)
    if left:
        words.append(f"{left:,} clusters that are more stable are not drawn")
    caption = wrapped("; ".join(words), points(ax, "width"), "font.size")
    ax.set_xlabel(f"Mean Jaccard index (higher is better)\n{caption}", loc="left", multialignment="left")
