"""What is written on a flat view, and what is said of it in place of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpumetrics.text.messages import counted, joined, said

if TYPE_CHECKING:
    from gpumetrics.displays.embedding_view import FlatView
    from gpumetrics.text.messages import Message

__all__ = ["alt_of", "titles_of"]

COMPLETE = 0.9995  # share of the variance that is all of it, in print


def titles_of(view: FlatView) -> tuple[str, str, str]:
    """Return the title of a view and those of its two axes."""
    rows = f"{view.n_samples:,} row{'s' * (view.n_samples != 1)}"
    if view.n_drawn < view.n_samples:
        rows = f"{view.n_drawn:,} of {view.n_samples:,} rows, drawn at random"
    outside = f", {view.n_outside:,} outside" if view.n_outside else ""
    if view.shares is None:
        caveat = "a flat view can hide or invent closeness"
        return f"Given coordinates, {rows}{outside}\n{caveat}", "first coordinate", "second coordinate"
    title = f"Principal axes of {view.n_features:,} feature{'s' * (view.n_features != 1)}, {rows}{outside}"
    first, second = (100 * float(share) for share in view.shares)
    caveat = f"{first + second:.1f} % of the variance: rows that look close may be far apart"
    if first + second > 100 * COMPLETE:
        caveat = f"{'nearly ' * (view.n_features > 2)}all of the variance"
    elif first == 0:
        caveat = "all rows are equal"
    if view.n_features == 1:
        return f"{title}\n{caveat}", "the only feature", ""
    return f"{title}\n{caveat}", f"first principal axis ({first:.1f} %)", f"second principal axis ({second:.1f} %)"


def alt_of(view: FlatView) -> Message:
    """Return what a view shows in words."""
    rows = counted(view.n_samples, "{n:,} row", "{n:,} rows")
    clusters = counted(len(view.clusters), "{n:,} cluster", "{n:,} clusters")
    if not len(view.clusters):
        what = said("Flat view of {rows}; every row is noise.", rows=rows)
    elif view.n_noise:
        noise = counted(view.n_noise, "{n:,} row", "{n:,} rows")
        what = said("Flat view of {rows}: {clusters}, and {noise} of noise.", rows=rows, clusters=clusters, noise=noise)
    else:
        what = said("Flat view of {rows} in {clusters}.", rows=rows, clusters=clusters)
    drawn = said("{n:,} of the rows were drawn at random.", n=view.n_drawn) if view.n_drawn < view.n_samples else ""
    return joined([what, drawn, _caveat(view)])


def _caveat(view: FlatView) -> Message:
    if view.shares is None:
        return said("The coordinates were given; a flat view can hide or invent closeness.")
    share = float(view.shares.sum())
    if share > COMPLETE:
        some = view.n_features > 2
        return said("The axes show nearly all of the variance.") if some else said("The axes show all of the variance.")
    if share == 0:
        return said("All rows are equal.")
    return said(
        "The two principal axes show {share:.1f} % of the variance; rows that look close may be far apart.",
        share=100 * share,
    )
