"""A clustering report as plain text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.evaluation.score_facts import EXTERNAL, INTERNAL, SCORES, ScoreFacts
from gpumetrics.text.labels import on_one_line, printer
from gpumetrics.text.layout import FOLDED_ROWS, MOST_ROWS, align, format_score, notes_block, wrapped
from gpumetrics.text.messages import said, with_commas

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpumetrics.evaluation.clustering_report import ClusteringReport
    from gpumetrics.text.messages import Message

__all__ = ["noise_line", "notes_of", "report_text"]

COUNTS = ("size", "rows_evaluated")

_COLUMNS = (
    ("label", "cluster"),
    ("size", "size"),
    ("silhouette_mean", "mean s"),
    ("silhouette_median", "median s"),
    ("share_negative", "s < 0"),
    ("rows_evaluated", "rows asked"),
    ("distance_to_centroid", "to centroid"),
    ("worst_partner", "worst partner"),
    ("worst_ratio", "R"),
    ("nearest_cluster", "nearest"),
)


def report_text(report: ClusteringReport) -> str:
    """Return the text of a report, ASCII except for the user's own labels."""
    parts = [_head(report), _scores(report)]
    if report.n_clusters:
        parts.append(_clusters(report))
    if report.notes:
        parts.append(notes_block(notes_of(report)))
    parts.append(_foot(report))
    return "\n\n".join(parts)


def notes_of(report: ClusteringReport) -> list[str]:
    """Return the notes; scores that are undefined for the same reason share one."""
    names: dict[str, list[str]] = {}
    for key, note in report.notes.items():
        names.setdefault(note, []).append(SCORES[key].title if key in SCORES else key)
    return [
        said("{scores}: {note}", scores=with_commas(titles), note=note)
        if note.startswith(("undefined", "left out"))
        else note
        for note, titles in names.items()
    ]


def _head(report: ClusteringReport) -> str:
    clusters = "1 cluster" if report.n_clusters == 1 else f"{report.n_clusters:,} clusters"
    # Of a distance matrix the number of columns says nothing about the data.
    width = (
        "" if report.metric == "precomputed" else f" x {report.n_features:,} feature{'s' * (report.n_features != 1)}"
    )
    first = f"Clustering report: {report.n_samples:,} rows{width}, {clusters}, metric {report.metric}"
    return f"{first}\n{wrapped(noise_line(report), '  ')}"


def noise_line(report: ClusteringReport) -> Message:
    """Say how many rows are noise, and what became of them."""
    if report.noise_label is None:
        return said("Noise: not set apart (noise_label=None); every label counts as a cluster, as in scikit-learn")
    label = on_one_line(repr(report.noise_label))
    if not report.n_noise:
        return said("Noise: none (0 rows, 0.0 %; no row has the label {label})", label=label)
    return said(
        "Noise: {n:,} of {n_rows:,} rows ({share:.1f} %) have the label {label} and are left out of every score. "
        "scikit-learn's scores differ: it takes them for one more cluster.",
        n=report.n_noise,
        n_rows=report.n_samples,
        share=100 * report.noise_fraction,
        label=label,
    )


def _scores(report: ClusteringReport) -> str:
    rows: list[tuple[str, ...]] = [("score", "value", "better", "range", "reading")]
    rows += [_score_row(report, facts) for facts in INTERNAL]
    if any(facts.name in report.scores for facts in EXTERNAL):
        rows += [("", "", "", "", ""), ("against labels_true", "", "", "", "")]
        rows += [_score_row(report, facts) for facts in EXTERNAL]
    return align(rows, right={1})


def _score_row(report: ClusteringReport, facts: ScoreFacts) -> tuple[str, ...]:
    value = report.scores[facts.name]
    reading = report.readings.get(facts.name, "")
    return facts.title, format_score(value), facts.better, facts.range, reading


def _clusters(report: ClusteringReport) -> str:
    table = report.per_cluster
    k = report.n_clusters
    chosen, folded = np.arange(k), ""
    if k > MOST_ROWS:
        chosen, folded = _weakest(table)
    named = [(key, title) for key, title in _COLUMNS if key in table and _worth_a_column(table[key])]
    name = printer(table["label"])
    cells = [tuple(_cell(key, table[key][i], name) for key, _ in named) for i in chosen]
    right = {i for i, (key, _) in enumerate(named) if table[key].dtype.kind == "f" or key in COUNTS}
    title = "Clusters" if not folded else f"Clusters, {folded}"
    text = f"{title}\n{align([tuple(title for _, title in named), *cells], right=right)}"
    if folded:
        text += f"\n... and {k - len(chosen):,} more clusters (all of them in per_cluster)"
    return text


def _worth_a_column(values: np.ndarray) -> bool:
    if values.dtype.kind == "O":
        return any(value is not None for value in values)
    return values.dtype.kind != "f" or not bool(np.isnan(values).all())


def _weakest(table: dict[str, np.ndarray]) -> tuple[np.ndarray, str]:
    """Choose the clusters to show when there are many: those that a reader would look at first."""
    means = table["silhouette_mean"]
    if not np.isnan(means).all():
        lowest = np.argsort(means, kind="stable")[:FOLDED_ROWS]
        return lowest, f"the {FOLDED_ROWS} with the lowest mean silhouette"
    if not np.isnan(table["worst_ratio"]).all():
        worst = np.argsort(-table["worst_ratio"], kind="stable")[:FOLDED_ROWS]
        return worst, f"the {FOLDED_ROWS} with the largest R"
    return np.argsort(-table["size"], kind="stable")[:FOLDED_ROWS], f"the {FOLDED_ROWS} largest"


def _cell(key: str, value: Any, name: Callable[[Any], str]) -> str:
    if key in COUNTS:
        return f"{int(value):,}"
    if key == "share_negative":
        return "-" if math.isnan(value) else f"{100 * value:.1f} %"
    if isinstance(value, float | np.floating) and key not in {"label", "worst_partner", "nearest_cluster"}:
        return "-" if math.isnan(value) else format_score(float(value))
    return "-" if value is None else name(value)


def _foot(report: ClusteringReport) -> str:
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in report.timings.items() if seconds >= 0.01)
    detail = f" ({spent})" if spent else ""
    text = f"Backend: {report.backend} ({report.backend_reason}). Time: {report.seconds:.2f} s{detail}."
    return wrapped(text, "")
