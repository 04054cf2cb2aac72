"""What notebooks show of choices: comparisons, stability, tags, thresholds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.label_arrays import as_objects
from gpumetrics.pages.notebook_clusterings import plural
from gpumetrics.pages.notebook_tables import (
    MOST_ROWS,
    Grid,
    Summary,
    cut,
    cut_sentence,
    grid_of,
    lowest,
    namer,
    shown,
)
from gpumetrics.text.layout import format_score

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.choosing.changes import Change
    from gpumetrics.choosing.comparison import Comparison
    from gpumetrics.choosing.stability_result import Stability
    from gpumetrics.classification.threshold_result import BestThreshold, ThresholdCurve
    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.types import Array

__all__ = ["CHOICES"]

ARROWS = {"higher": "\N{UPWARDS ARROW}", "lower": "\N{DOWNWARDS ARROW}"}


def comparison(found: Comparison) -> Summary:
    """Return the labelings with their scores, the best by each marked, and what the scores say together."""
    from gpumetrics.choosing.comparison_text import change_text
    from gpumetrics.choosing.facts import FACTS, printed

    scores = [name for name in found.rows if name in FACTS]
    heads = ["labeling", "K", "noise", *(f"{FACTS[name].title} {ARROWS[FACTS[name].better]}" for name in scores)]
    rows = []
    for at in _best_first(found)[:MOST_ROWS]:
        k, noise = (float(found.rows[key][at]) for key in ("n_clusters", "noise_fraction"))
        cells = [printed(name, float(found.rows[name][at])) for name in scores]
        best = [" *" if found.best[name] == found.names[at] else "" for name in scores]
        marked = [cell + star for cell, star in zip(cells, best, strict=True)]
        rows.append([found.entries.plain(at), "-" if math.isnan(k) else f"{k:,.0f}", shown(noise, share=True), *marked])
    hidden = len(found) - len(rows)
    more = "* best by that score; \N{UPWARDS ARROW} higher is better, \N{DOWNWARDS ARROW} lower" + (
        f"; {hidden:,} more (all of them in rows)" if hidden else ""
    )
    grid = Grid("Labelings", heads, rows, range(1, len(heads)), more)
    reading = [found.agreement, *(change_text(found, change) for change in found.changes), *found.question.splitlines()]
    reasons = [f"{found.entries.plain(at)}: {reason}" for at, reason in enumerate(found.rows["reason"]) if reason]
    notes = [*reasons[:MOST_ROWS], *found.notes.values(), f"Backend: {found.backend}. Time: {found.seconds:.2f} s."]
    facts = f"{plural(found.n_samples, 'row')}, metric {found.metric}"
    title = f"Comparison of {plural(len(found), 'labeling')}"
    return Summary(title, facts, list(map(cut_sentence, reading)), [grid], notes)


def _best_first(found: Comparison) -> list[int]:
    """Return the labelings in order; of too many those that are among the best by some score come first."""
    n = len(found)
    if n <= MOST_ROWS:
        return list(range(n))
    place = {name: at for at, name in enumerate(found.names)}
    rankings = [found.ranking(score) for score in found.scores]
    in_turn = [ranking[at] for at in range(n) for ranking in rankings if at < len(ranking)]
    return list(dict.fromkeys([*(place[name] for name in in_turn), *range(n)]))


def stability(found: Stability) -> Summary:
    """Return the agreement of the runs, and the clusters, the least stable of many."""
    what = f" of {cut(found.clusterer)}" if found.clusterer else ""
    facts = f"{plural(found.n_runs, 'run')}{what}, {plural(found.n_samples, 'row')}; {found.resample}"
    titles = {"label": "cluster", "size": "size", "jaccard": "Jaccard", "jaccard_lowest": "lowest"}
    titles |= {"recovered": "recovered", "dissolved": "dissolved", "reading": "in words"}
    table = found.per_cluster
    clusters = grid_of(
        f"Clusters (reference: {cut(found.reference)})",
        table,
        titles,
        order=lowest(table["jaccard"]),
        shares=("recovered", "dissolved"),
        kept_in="per_cluster",
    )
    titles = {key: key.replace("_", " ") for key in found.runs}
    runs = grid_of("Runs", found.runs, titles, names=("run", "seed"), shares=("noise_fraction",), kept_in="runs")
    grids = [clusters] if found.n_clusters else []
    spread = f"{found.lowest:.3f} to {found.highest:.3f}, standard deviation {found.std:.3f}"
    reading = [found.reading] if math.isnan(found.mean) else [found.reading, f"Of the pairs of runs: {spread}"]
    title = f"Stability: adjusted Rand index between runs {format_score(found.mean)}"
    return Summary(title, facts, reading, [*grids, runs._replace(folded=True)], list(found.notes.values()))


def change(found: Change) -> Summary:
    """Return the clusters that part and join, a line for each piece."""
    groups = [("parts into", group) for group in found.splits] + [("joins", group) for group in found.merges]
    lines = [
        (group.whole, verb, piece, size, group.size)
        for verb, group in groups
        for piece, size in zip(group.pieces, group.sizes, strict=True)
    ]
    name = namer(as_objects([label for whole, _, piece, *_ in lines for label in (whole, piece)]))
    rows = [[name(whole), verb, name(piece), f"{n:,}", f"{of:,}"] for whole, verb, piece, n, of in lines[:MOST_ROWS]]
    hidden = len(lines) - len(rows)
    more = f"... and {hidden:,} more (all of them in splits and merges)" if hidden else ""
    grid = Grid("Clusters", ["cluster", "", "piece", "rows", "of"], rows, {3, 4}, more)
    besides = (
        f"{plural(found.same, 'cluster')} with the same rows; {plural(found.moved, 'row')} of {found.n_rows:,} moved"
    )
    noise = f"{found.noise_gained:,} became noise, {found.noise_lost:,} ceased to be"
    title = f"Change from {cut(found.source)} to {cut(found.target)}"
    return Summary(title, f"{besides}; {noise}", [], [grid] if rows else [])


def tag_report(report: TagReport) -> Summary:
    """Return the averages, the tags with most errors, and the worst documents."""
    from gpumetrics.evaluation.tags.scores import AVERAGES, METRICS
    from gpumetrics.evaluation.tags.words import TITLES

    scores = [[TITLES[name], *(shown(report.scores[f"{name}_{average}"]) for average in AVERAGES)] for name in METRICS]
    whole = [
        ["exact match", shown(report.scores["exact_match"])],
        ["Hamming loss (lower is better)", shown(report.scores["hamming_loss"])],
    ]
    grids = [
        Grid("Scores", ["score", *AVERAGES], scores, {1, 2, 3, 4}),
        Grid("Whole documents", ["score", "value"], whole, {1}),
    ]
    if report.n_labels:
        grids.append(_tags(report))
    if report.worst:
        grids.append(_worst(report))
    facts = f"{plural(report.n_documents, 'document')}, {plural(report.n_labels, 'label')}"
    if report.n_unlabelled:
        facts += f"; {plural(report.n_unlabelled, 'document')} not labelled, left out"
    averages = [f"{name}: {text}." for name, text in report.averages.items()]
    return Summary("Tag report", facts, [], grids, [*averages, *map(cut_sentence, report.notes.values())])


def _tags(report: TagReport) -> Grid:
    table = report.per_label
    titles = {"label": "label", "precision": "precision", "recall": "recall", "f1": "F1", "jaccard": "Jaccard"}
    titles |= {"support": "support", "predicted": "predicted", "false_negatives": "missed"}
    titles |= {"false_positives": "invented"}
    order = np.argsort(-(table["false_positives"] + table["false_negatives"]), kind="stable")
    return grid_of("Labels", table, titles, order=order, kept_in="per_label")


def _worst(report: TagReport) -> Grid:
    name = namer(report.per_label["label"])

    def tags(given: list[Any]) -> str:
        return cut(", ".join(map(name, given[:6])) + (f" and {len(given) - 6} more" if len(given) > 6 else "")) or "-"

    heads = ["document", "Jaccard", "missed", "invented", *(["text"] if "text" in report.worst[0] else [])]
    rows = [
        [str(entry["document"]), shown(entry["jaccard"]), tags(entry["missed"]), tags(entry["invented"])]
        + [cut(entry["text"]) for _ in heads[4:]]
        for entry in report.worst[:MOST_ROWS]
    ]
    return Grid("Worst documents", heads, rows, {0, 1})


def best_threshold(found: BestThreshold) -> Summary:
    """Return the threshold, or that of each label, the lowest scores of many."""
    chosen = found.settings
    average = "" if chosen["average"] == "binary" else f"{chosen['average']} "
    facts = f"{plural(chosen['n_samples'], 'sample')}; {chosen['rule']}"
    facts += f"; of equal ones {chosen['of_equals']}" if chosen.get("of_equals") else ""
    reading = ["Chosen on these data, so the score promises more than other data will give."]
    score = f"{average}{chosen['metric']} {format_score(found.score)}"
    if not isinstance(found.threshold, np.ndarray):
        return Summary(f"Threshold {found.threshold:g}: {score}", facts, reading, [])
    table: dict[str, Array] = {"label": _names(chosen["labels"], len(found.threshold)), "threshold": found.threshold}
    order = None
    if found.label_scores is not None:
        table["score"] = found.label_scores
        order = lowest(found.label_scores)
    grid = grid_of("Labels", table, {key: key for key in table}, order=order, kept_in="threshold")
    return Summary(f"A threshold for each of {plural(chosen['n_labels'], 'label')}: {score}", facts, reading, [grid])


def _names(labels: Any, n: int) -> Array:
    """Return the labels' names, or their numbers where there are none."""
    if labels is None or len(labels) != n:
        return np.arange(n)
    return as_objects(list(labels))


def threshold_curve(found: ThresholdCurve) -> Summary:
    """Return the best threshold, and some along the curve."""
    n = len(found.scores)
    if not n:
        return Summary("A score at no threshold", "", [], [])
    best = int(np.argmax(found.scores))
    at = np.unique(np.append(np.linspace(0, n - 1, min(n, MOST_ROWS - 1)).astype(np.int64), best))
    table = {"threshold": found.thresholds[at], "score": found.scores[at]}
    grid = grid_of("Some of them", table, {key: key for key in table})
    title = f"Best score {format_score(float(found.scores[best]))} at threshold {found.thresholds[best]:g}"
    return Summary(title, f"{plural(n, 'threshold')}; higher is better", [], [grid])


CHOICES: dict[str, Callable[[Any], Summary]] = {
    "BestThreshold": best_threshold,
    "Change": change,
    "Comparison": comparison,
    "Stability": stability,
    "TagReport": tag_report,
    "ThresholdCurve": threshold_curve,
}
