"""What notebooks show of a plan: what to do, and the costs at each place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpumetrics.pages.notebook_tables import Grid, Summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.planning.result import Plan

__all__ = ["PLANS"]


def plan(found: Plan) -> Summary:
    """Return the advice, and a table for each place."""
    from gpumetrics.planning.result import HEADS, cells_of

    grids = [
        Grid(
            f"On {place.title} ({place.speed_is})",
            HEADS,
            [cells_of(line) for line in found.lines_of(str(place.title))],
            {1, 2, 3, 5},
        )
        for place in found.places
    ]
    return Summary("Plan", found.head(), list(found.advice), grids, list(found.notes))


PLANS: dict[str, Callable[[Any], Summary]] = {"Plan": plan}
