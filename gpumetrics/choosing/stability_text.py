"""A stability as plain text: the agreement of the runs, the clusters, the rows that change cluster."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.text.labels import on_one_line, printer
from gpumetrics.text.layout import FOLDED_ROWS, MOST_ROWS, align, format_score, notes_block, wrapped

if TYPE_CHECKING:
    from gpumetrics.choosing.stability_result import Stability

__all__ = ["stability_text"]

ROWS_NAMED = 5  # of those that change cluster


def stability_text(found: Stability) -> str:
    """Return the text of a stability, ASCII except for the user's own names and labels."""
    parts = [_head(found), _agreement(found)]
    if found.n_clusters:
        parts.append(_clusters(found))
    parts.append(_rows(found))
    if found.notes:
        parts.append(notes_block(found.notes.values()))
    return "\n\n".join(parts)


def _head(found: Stability) -> str:
    what = f" of {on_one_line(found.clusterer)}" if found.clusterer else ""
    rows = f"{found.n_samples:,} rows"
    return wrapped(f"Stability: {found.n_runs} runs{what}, {rows}; {found.resample}", "  ")


def _agreement(found: Stability) -> str:
    n_pairs = found.n_runs * (found.n_runs - 1) // 2
    pairs = f"{n_pairs:,} pairs of runs" if n_pairs != 1 else "the one pair of runs"
    if math.isnan(found.mean):
        return wrapped(f"Adjusted Rand index of {pairs}: {found.reading}", "  ")
    first = f"Adjusted Rand index of {pairs} (higher is better, 1: the same partition): "
    if n_pairs == 1:
        first += f"{found.mean:.3f}"
    else:
        spread = f"{found.lowest:.3f} to {found.highest:.3f}, standard deviation {found.std:.3f}"
        first += f"mean {found.mean:.3f}, {spread}"
    return f"{wrapped(first, '  ')}\n{wrapped(f'Reading: {found.reading}', '  ')}"


def _clusters(found: Stability) -> str:
    table = found.per_cluster
    k = found.n_clusters
    chosen = np.arange(k)
    is_run = any(found.reference == name for name in found.runs["run"].tolist())
    title = f"Clusters (reference: {'run ' if is_run else ''}{on_one_line(str(found.reference))})"
    if k > MOST_ROWS:
        order = np.argsort(np.nan_to_num(table["jaccard"], nan=2.0), kind="stable")
        chosen = order[:FOLDED_ROWS]
        title += f", the {FOLDED_ROWS} least stable"
    name = printer(table["label"])
    titles = {"jaccard": "Jaccard"}
    if not is_run or found.n_runs > 2:  # of one comparison the index says it all
        titles |= {"jaccard_lowest": "lowest", "recovered": "recovered", "dissolved": "dissolved"}
    rows: list[tuple[str, ...]] = [("cluster", "size", *titles.values(), "in words")]
    rows += [
        (
            name(table["label"][i]),
            f"{int(table['size'][i]):,}",
            *((_number if "jaccard" in key else _share)(float(table[key][i])) for key in titles),
            str(table["reading"][i]),
        )
        for i in chosen
    ]
    text = f"{title}\n{align(rows, right=set(range(1, 2 + len(titles))))}"
    return text if k == len(chosen) else f"{text}\n... and {k - len(chosen):,} more (all of them in per_cluster)"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else format_score(value)


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.0f} %"


def _rows(found: Stability) -> str:
    worst = found.most_unstable(ROWS_NAMED)
    known = int((~np.isnan(found.instability)).sum())
    if not len(worst):
        return f"Rows: none of {known:,} ever changes cluster"
    changing = int((found.instability > 0).sum())
    named = ", ".join(f"{row} ({found.instability[row]:.2f})" for row in worst.tolist())
    median = float(np.nanmedian(found.instability))
    return wrapped(
        f"Rows: {changing:,} of {known:,} share their cluster with other rows in one run than in another. By how much "
        f"(0: always with the same rows, 1: with entirely others every time): median of all rows {median:.2f}, those "
        f"that change most: {named}",
        "  ",
    )
