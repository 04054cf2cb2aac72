"""The words of a Davies-Bouldin heat map: on it, and in place of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpumetrics.displays.drawing.names import short_names
from gpumetrics.text.layout import format_score
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.displays.worst_pairs import WorstPairs
    from gpumetrics.text.messages import Message

__all__ = ["alt_of", "ratio_text", "title_of"]


def alt_of(pairs: WorstPairs) -> Message:
    """Return what the plot shows, in a sentence."""
    if pairs.why_undefined:
        return said("There are no pairs of clusters: {why}.", why=pairs.why_undefined)
    first, second = short_names(pairs.labels[:2])
    ratio, facts = pairs.similarity[0, 1], {"first": first, "second": second}
    facts["clusters"] = counted(pairs.n_clusters, "{n:,} cluster", "{n:,} clusters")
    if math.isnan(ratio):
        return said(
            "Davies-Bouldin R of the pairs of {clusters}: it is undefined for {first} and {second}, all of whose "
            "rows are equal; so is the score.",
            **facts,
        )
    return said(
        "Davies-Bouldin R of the pairs of {clusters}: the most alike are {first} and {second}, R {ratio}; "
        "the score is {score}.",
        ratio=format_score(ratio),
        score=format_score(pairs.score),
        **facts,
    )


def title_of(pairs: WorstPairs, names: list[str]) -> str:
    """Return the score, and the worst pair."""
    ratio = pairs.similarity[0, 1]
    lines = [f"Davies-Bouldin {format_score(pairs.score)} (lower is better)"]
    if not math.isnan(ratio):
        lines.append(f"worst pair: {names[0]} and {names[1]}, R {format_score(ratio)}")
    if not math.isfinite(pairs.score):
        lines.append("where centroids coincide R is infinite, or undefined")
    left_out = pairs.n_clusters - len(names)
    if left_out:
        lines.append(f"the {len(names)} clusters of the worst pairs; {left_out:,} are left out")
    return "\n".join(lines)


def ratio_text(ratio: float) -> str:
    """Return R as it stands in a cell."""
    if math.isnan(ratio):
        return "undef."
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.3g}"
