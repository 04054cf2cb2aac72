"""The parts of a flat view, each drawn on axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.displays.drawing.legends import legend_below
from gpumetrics.displays.drawing.style import cluster_colors, tones
from gpumetrics.displays.embedding_cells import picture_of

if TYPE_CHECKING:
    from gpumetrics.displays.embedding_cells import Cells
    from gpumetrics.displays.embedding_view import FlatView, MarkedRows, Points
    from gpumetrics.types import Array

__all__ = ["draw_cells", "draw_centres", "draw_noise", "draw_points", "explain", "mark", "set_frame"]

MARKERS = ("o", "^", "s", "D", "v", "P", "X")  # seven, so that colour and shape together come again after 42 clusters
MOST_CENTRES = 300
WIDEST = 5.0  # times as wide as high: up to it both axes have the same scale


def set_frame(ax: Any, frame: Array) -> None:
    """Show a part of the plane, both axes in the same scale unless it is very wide or high."""
    left, right, bottom, top = frame
    ax.set(xticks=[], yticks=[])
    # Not fixed ("auto"), so that the limits of one axis can be widened until both have the same scale.
    ax.set_xlim(left, right, auto=True)
    ax.set_ylim(bottom, top, auto=True)
    if max((right - left) / (top - bottom), (top - bottom) / (right - left)) <= WIDEST:
        shared = all(len(same.get_siblings(ax)) > 1 for same in (ax.get_shared_x_axes(), ax.get_shared_y_axes()))
        ax.set_aspect("equal", adjustable="box" if shared else "datalim")
        ax.apply_aspect()


def draw_points(ax: Any, points: Points, n_clusters: int) -> list[Any]:
    """Draw rows as points, in the colour and with the marker of their cluster."""
    out = []
    for i, color in enumerate(cluster_colors(n_clusters)):
        mine = points.coordinates[points.codes == i]
        looks: dict[str, Any] = {"marker": MARKERS[i % len(MARKERS)], "c": color, "linewidths": 0, "alpha": 0.8}
        out.append(ax.scatter(*mine.T, s=_size(points), gid=f"points--c{i}", **looks))
    return out


def draw_noise(ax: Any, points: Points) -> Any:
    """Draw the points that are noise; None without any."""
    noise = points.coordinates[points.codes == -1]
    if not len(noise):
        return None
    looks = {"marker": "x", "c": tones(ax).noise, "linewidths": 0.8}
    return ax.scatter(*noise.T, s=_size(points), gid="points--noise", **looks)


def draw_cells(ax: Any, cells: Cells, frame: Array, n_clusters: int) -> Any:
    """Draw counts of rows as an image."""
    picture = picture_of(cells, [*cluster_colors(n_clusters), tones(ax).noise])
    options: dict[str, Any] = {"origin": "lower", "aspect": "auto", "interpolation": "none", "zorder": 1}
    return ax.imshow(picture, extent=tuple(frame), **options)


def draw_centres(ax: Any, view: FlatView) -> list[Any]:
    """Draw the centres of the largest clusters."""
    colors, out = cluster_colors(len(view.clusters)), []
    edge: dict[str, Any] = {"linestyle": "", "markersize": 5, "markeredgecolor": tones(ax).paper}
    for i in np.argsort(-view.sizes, kind="stable")[:MOST_CENTRES]:
        looks = {"marker": MARKERS[i % len(MARKERS)], "color": colors[i], "gid": f"centre--c{i}"}
        out += ax.plot(*view.centres[i], **looks, **edge)
    return out


def mark(ax: Any, marked: MarkedRows | None, kind: str) -> Any:
    """Mark representatives with stars, ambiguous rows with rings; None without any."""
    if marked is None or not len(marked.rows):
        return None
    paper = tones(ax)
    looks: dict[str, Any] = {"marker": "*", "s": 70, "facecolors": paper.paper, "edgecolors": paper.ink}
    if kind == "ambiguous":
        looks = {"marker": "o", "s": 60, "facecolors": "none", "edgecolors": paper.worse}
    some = f" ({len(marked.rows):,} of {marked.n_chosen:,})" if len(marked.rows) < marked.n_chosen else ""
    width = 1.4 if kind == "ambiguous" else 0.8
    return ax.scatter(*marked.points.T, linewidths=width, zorder=4, label=f"{kind}{some}", gid=kind, **looks)


def explain(ax: Any, view: FlatView, marked: list[Any]) -> Any:
    """Say below the axes what the marks are; None where there is nothing to say."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    grey = tones(ax).noise
    signs = [artist for artist in marked if artist is not None]
    if view.n_noise:
        point = Line2D([], [], linestyle="", marker="x", color=grey, label="noise")
        signs.append(Patch(color=grey, label="noise") if view.points is None else point)
    if view.cells is not None:
        signs.append(Line2D([], [], linestyle="", label="stronger colour: more rows (log scale)"))
    return legend_below(ax, signs, [sign.get_label() for sign in signs], lines=1.8) if signs else None


def _size(points: Points) -> float:
    return float(np.clip(3000 / len(points.codes), 8, 30))
