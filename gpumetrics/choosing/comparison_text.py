"""A comparison as plain text: the table with its arrows, then what the scores say together, then the notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gpumetrics.choosing.facts import FACTS, SHORT, percent, printed, printed_estimate
from gpumetrics.text.labels import arrows, label_text, on_one_line
from gpumetrics.text.layout import WIDTH, align, notes_block, wrapped
from gpumetrics.text.messages import counted, enumerated, joined, said, with_commas

if TYPE_CHECKING:
    from gpumetrics.choosing.changes import Change, Group
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.text.messages import Message

__all__ = ["change_text", "comparison_text", "entries_by_reason", "shown_scores"]

MOST_ROWS = 40  # that are printed in full; of more, the best by each score
BEST_ROWS = 8
MOST_NAMES = 8  # with the same reason
MOST_GROUPS, MOST_PIECES = 5, 6  # of a change
# Of the scores against known classes those that are shown: the adjusted ones, and on which side they err.
AGAINST_CLASSES = ("adjusted_rand", "adjusted_mutual_info", "homogeneity", "completeness")
HEADS = {"n_clusters": "K", "labeling": "labeling", "setting": "setting"}


def comparison_text(comparison: Comparison) -> str:
    """Return the text of a comparison, ASCII except for arrows and the user's own names."""
    parts = [_head(comparison), _table(comparison), _reading(comparison)]
    reasons = _reasons(comparison)
    if reasons:
        parts.append(notes_block(reasons, "Why scores are missing"))
    if comparison.notes:
        parts.append(notes_block(comparison.notes.values()))
    parts.append(wrapped(f"Backend: {comparison.backend}. Time: {comparison.seconds:.2f} s.", ""))
    return "\n\n".join(parts)


def _head(comparison: Comparison) -> str:
    n, d = comparison.n_samples, comparison.n_features
    # Of a distance matrix the number of columns says nothing about the data.
    width = "" if comparison.metric == "precomputed" else f" x {d:,} feature{'s' * (d != 1)}"
    number = len(comparison)
    return f"Comparison of {number:,} labeling{'s' * (number != 1)}: {n:,} rows{width}, metric {comparison.metric}"


def _table(comparison: Comparison) -> str:
    """Return the table, with short heads where the whole ones do not fit."""
    shown, folded = _shown(comparison)
    text = _laid_out(comparison, shown, short=False)
    legend = "* best by that score"
    if max(map(len, text.splitlines())) > WIDTH:
        text = _laid_out(comparison, shown, short=True)
        names = [name for name in shown_scores(comparison) if SHORT.get(name, "").isupper()]
        legend += "".join(f"; {SHORT[name]} {FACTS[name].title}" for name in names)
        legend += "; macro s with each cluster counted the same" * ("silhouette_macro" in comparison.rows)
    legend = wrapped(legend, "")
    if folded:
        legend = f"... and {folded:,} more (all of them in rows)\n{legend}"
    return f"{text}\n{legend}"


def _shown(comparison: Comparison) -> tuple[np.ndarray, int]:
    """Choose the lines to print where they are many: those that are among the best by some score."""
    n = len(comparison)
    if n <= MOST_ROWS:
        return np.arange(n), 0
    names = comparison.names
    at = {name: i for i, name in enumerate(names)}
    best = {at[name] for score in comparison.scores for name in comparison.ranking(score)[:BEST_ROWS]}
    shown = np.array(sorted(best) or range(MOST_ROWS))
    return shown, n - len(shown)


def shown_scores(comparison: Comparison) -> list[str]:
    """Return the scores of the table that a reader is shown: all that choose, and some against known classes."""
    names = [name for name in comparison.rows if name in FACTS]
    shown = {*comparison.scores, "silhouette_macro", *AGAINST_CLASSES}
    return [name for name in names if name in shown]


def _laid_out(comparison: Comparison, shown: np.ndarray, *, short: bool) -> str:
    rows, signs, entries = comparison.rows, arrows(), comparison.entries
    scores = shown_scores(comparison)
    noisy = bool(np.nansum(rows["n_noise"]))
    by_k = entries.kind == "n_clusters"
    same = by_k and all(k == name for k, name in zip(rows["n_clusters"], rows["name"], strict=True))
    heads = [HEADS[entries.kind], *([] if same else ["found" if by_k else "K"]), "sizes", *(["noise"] if noisy else [])]
    titles = [SHORT.get(name, FACTS[name].title) if short else FACTS[name].title for name in scores]
    heads += [f"{title} {signs[FACTS[name].better]}  " for title, name in zip(titles, scores, strict=True)]
    lines = [heads]
    for at in shown:
        k = rows["n_clusters"][at]
        line = [entries.plain(at)] + ([] if same else ["-" if np.isnan(k) else f"{int(k):,}"])
        line += [_sizes(rows["size_min"][at], rows["size_max"][at])]
        share = rows["noise_fraction"][at]
        line += ["-" if np.isnan(share) else percent(share, 1)] * noisy
        lines.append(line + [_cell(comparison, name, at) for name in scores])
    first = 0 if by_k else 1
    return align(lines, right=set(range(first, len(heads))))


def _sizes(smallest: float, largest: float) -> str:
    if not largest > 0:  # nan where there is no labeling
        return "-"
    return f"{int(smallest):,}" if smallest == largest else f"{int(smallest):,}-{int(largest):,}"


def _cell(comparison: Comparison, name: str, at: int) -> str:
    """Return a value, with the error of an estimate, marked if it is the best."""
    value = float(comparison.rows[name][at])
    text = printed(name, value)
    error = comparison.rows.get("silhouette_standard_error") if name == "silhouette" else None
    if error is not None and not math.isnan(error[at]):
        text = printed_estimate(value, float(error[at]))
    return f"{text} *" if comparison.best[name] == comparison.names[at] else f"{text}  "


def _reading(comparison: Comparison) -> str:
    lines = [comparison.agreement]
    lines += [change_text(comparison, change) for change in comparison.changes]
    lines += comparison.question.splitlines()
    return "\n".join(wrapped(line, "  ") for line in lines)


def change_text(comparison: Comparison, change: Change) -> Message:
    """Say in a sentence what parts, what joins and what moves between two labelings."""
    words = [comparison.entries.word(comparison.names.index(name)) for name in (change.source, change.target)]
    parts = list(map(_parted, change.splits[:MOST_GROUPS]))
    if len(change.splits) > MOST_GROUPS:
        parts.append(said("{n} more part", n=len(change.splits) - MOST_GROUPS))
    parts += map(_joined, change.merges[:MOST_GROUPS])
    if len(change.merges) > MOST_GROUPS:
        parts.append(said("{n} more join", n=len(change.merges) - MOST_GROUPS))
    if change.same:
        parts.append(counted(change.same, "{n:,} cluster is the same", "{n:,} clusters are the same"))
    if change.moved:
        parts.append(_moved(change))
    if change.noise_gained or change.noise_lost:
        gained = counted(change.noise_gained, "{n:,} row becomes noise", "{n:,} rows become noise")
        lost = counted(change.noise_lost, "{n:,} ceases to be", "{n:,} cease to be")
        parts.append(with_commas([gained, lost]))
    what = joined(parts, "; ") if parts else said("no cluster parts or joins")
    return said("From {source} to {target}: {changes}.", source=words[0], target=words[1], changes=what)


def _moved(change: Change) -> Message:
    """Say how many rows change company, besides those of clusters that part or join if there are any."""
    values = {"n_rows": change.n_rows, "share": 100 * change.moved / change.n_rows}
    if change.splits or change.merges:
        return counted(
            change.moved,
            "{n:,} of {n_rows:,} rows ({share:.1f} %) changes company besides",
            "{n:,} of {n_rows:,} rows ({share:.1f} %) change company besides",
            **values,
        )
    return counted(
        change.moved,
        "{n:,} of {n_rows:,} rows ({share:.1f} %) changes company",
        "{n:,} of {n_rows:,} rows ({share:.1f} %) change company",
        **values,
    )


def _parted(group: Group) -> Message:
    return said(
        "cluster {label} ({n_rows:,} rows) parts into {pieces}",
        label=_label(group.whole),
        n_rows=group.size,
        pieces=_pieces(group),
    )


def _joined(group: Group) -> Message:
    return said(
        "clusters {pieces} join in {label} ({n_rows:,} rows)",
        label=_label(group.whole),
        n_rows=group.size,
        pieces=_pieces(group),
    )


def _pieces(group: Group) -> Message:
    words = [f"{_label(label)} ({size:,})" for label, size in zip(group.pieces, group.sizes, strict=True)]
    if len(words) > MOST_PIECES:
        return said("{words} and {n} more", words=", ".join(words[:MOST_PIECES]), n=len(words) - MOST_PIECES)
    return enumerated(words)


def _label(label: object) -> str:
    return on_one_line(label_text(label))


def _reasons(comparison: Comparison) -> list[str]:
    words = comparison.entries.words
    return [f"{words(which, MOST_NAMES)}: {reason}" for reason, which in entries_by_reason(comparison).items()]


def entries_by_reason(comparison: Comparison) -> dict[str, list[int]]:
    """Return for each reason why scores are missing the labelings of which it is true."""
    which: dict[str, list[int]] = {}
    for at, reason in enumerate(comparison.rows["reason"]):
        if reason:
            which.setdefault(reason, []).append(at)
    return which
