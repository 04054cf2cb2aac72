"""A tag report as plain text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.evaluation.tags.scores import AVERAGES, METRICS
from gpumetrics.evaluation.tags.words import TITLES, favoured, plural
from gpumetrics.text.labels import label_text, on_one_line, printer
from gpumetrics.text.layout import align, columns_wide, format_score, notes_block, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpumetrics.evaluation.tags.report import TagReport

__all__ = ["tag_text"]

MOST_ROWS = 25  # labels printed in full; of more, those with most errors
FOLDED_ROWS = 15
MOST_TAGS = 6  # missed or invented tags of a document that are named
LONGEST = 60  # columns of a document's text, or of an excluded tag


def tag_text(report: TagReport) -> str:
    """Return the text of a report, ASCII except for the user's own tags and texts."""
    parts = [_head(report), _scores(report), _averages(report), _whole(report), _sizes(report)]
    if report.n_labels:
        parts.append(_labels(report))
    if report.worst:
        parts.append(_worst(report))
    parts.append(notes_block(report.notes.values()))
    parts.append(wrapped(f"Backend: {report.backend} ({report.backend_reason}). Time: {report.seconds:.2f} s.", ""))
    return "\n\n".join(parts)


def _head(report: TagReport) -> str:
    documents = report.documents
    true, pred = (int(report.per_document[key].sum()) for key in ("n_true", "n_pred"))
    first = (
        f"Tag report: {plural(report.n_documents, 'document')}, {plural(report.n_labels, 'label')}, "
        f"{true:,} true and {pred:,} predicted tags"
    )
    lines = []
    left_out = documents["n_unlabelled"]
    if left_out:
        lines.append(
            f"Not labelled: {left_out:,} of {plural(documents['n_given'], 'document')} (None), left out of every "
            "score: not labelled is not empty."
        )
    else:
        lines.append("Not labelled: none (0 documents are None)")
    lines.append(
        f"Empty: {documents['n_empty_both']:,} on both sides, {documents['n_empty_true']:,} in the truth only, "
        f"{documents['n_empty_pred']:,} in the prediction only. 0/0 {_rule(report.settings['zero_division'])}."
    )
    if report.settings["exclude"]:
        lines.append(f"Excluded: {', '.join(_cut(label_text(tag)) for tag in report.settings['exclude'])}")
    return "\n  ".join([first, *(wrapped(line, "    ") for line in lines)])


def _rule(zero_division: Any) -> str:
    if zero_division == "warn":
        return 'counts as 0.0, with a warning (zero_division="warn")'
    if math.isnan(zero_division):
        return "is left out of means (zero_division=nan)"
    return f"counts as {zero_division:.1f} (zero_division={zero_division:g})"


def _scores(report: TagReport) -> str:
    rows: list[tuple[str, ...]] = [("score", "micro", "95 %", "macro", "weighted", "samples", "95 %")]
    for name in METRICS:
        title = f"F-beta, beta = {report.settings['beta']:g}" if name == "fbeta" else TITLES[name]
        cells = [_number(report.scores[f"{name}_{average}"]) for average in AVERAGES]
        micro, samples = (_interval(report.intervals[f"{name}_{average}"]) for average in ("micro", "samples"))
        rows.append((title, cells[0], micro, *cells[1:], samples))
    return align(rows, right={1, 3, 4, 5})


def _number(value: float) -> str:
    return "-" if math.isnan(value) else format_score(value)


def _interval(ends: tuple[float, float]) -> str:
    return "" if math.isnan(ends[0]) else " to ".join(f"{end:.3f}" if end >= 0.01 else f"{end:.2g}" for end in ends)


def _averages(report: TagReport) -> str:
    lines = [wrapped(f"{name}: {text}.", "  ") for name, text in report.averages.items()]
    lines.append(
        wrapped(f"F-beta {favoured(report.settings['beta'])}. All of these are from 0 to 1; higher is better.", "  ")
    )
    return "\n".join(lines)


def _whole(report: TagReport) -> str:
    scores, counts, documents = report.scores, report.counts, report.documents
    of = {
        "exact_match": f"{documents['n_exact']:,} of {plural(report.n_documents, 'document')}",
        "hamming_loss": f"{_count(counts['wrong_cells'])} wrong of {plural(counts['cells'], 'cell')} "
        "(documents x labels)",
    }
    rows = [
        (title, _number(scores[name]), _interval(report.intervals[name]), better, of[name])
        for name, title, better in (
            ("exact_match", "exact match", "higher"),
            ("hamming_loss", "Hamming loss", "lower"),
        )
    ]
    sums = (
        f"Intersection {_count(counts['intersection'])}, union {_count(counts['union'])}: TP "
        f"{_count(counts['true_positives'])}, FP {_count(counts['false_positives'])}, FN "
        f"{_count(counts['false_negatives'])}"
    )
    return f"{align([('score', 'value', '95 %', 'better', 'of'), *rows], right={1})}\n{sums}"


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _sizes(report: TagReport) -> str:
    table = report.by_size
    rows: list[tuple[str, ...]] = [
        ("true tags", "documents", "weight in samples", "weight in micro", "J samples", "J micro")
    ]
    for at, name in enumerate(table["true_tags"]):
        shares = [f"{100 * table[key][at]:.1f} %" for key in ("share_of_samples", "share_of_micro")]
        values = [_number(float(table[key][at])) for key in ("jaccard_samples", "jaccard_micro")]
        rows.append((name, f"{table['documents'][at]:,}", *shares, *values))
    documents = report.documents
    true, pred = (float(report.per_document[key].mean()) for key in ("n_true", "n_pred"))
    text = (
        f"By size: {true:.2f} true and {pred:.2f} predicted tags a document; fewer predicted than true in "
        f"{plural(documents['n_fewer_predicted'], 'document')}, more in {documents['n_more_predicted']:,}"
    )
    return f"{wrapped(text, '  ')}\n{align(rows, right=set(range(1, 6)))}"


def _labels(report: TagReport) -> str:
    table = report.per_label
    chosen, title = np.arange(report.n_labels), "Labels"
    if report.n_labels > MOST_ROWS:
        errors = table["false_positives"] + table["false_negatives"]
        chosen = np.argsort(-errors, kind="stable")[:FOLDED_ROWS]
        title = f"Labels, the {FOLDED_ROWS} with most errors"
    name = printer(table["label"])
    rows: list[tuple[str, ...]] = [
        ("label", "precision", "recall", "F1", "Jaccard", "support", "predicted", "TP", "FP", "FN")
    ]
    for at in chosen:
        values = [_number(float(table[key][at])) for key in ("precision", "recall", "f1", "jaccard")]
        keys = ("support", "predicted", "true_positives", "false_positives", "false_negatives")
        rows.append((name(table["label"][at]), *values, *(_count(table[key][at].item()) for key in keys)))
    text = f"{title}\n{align(rows, right=set(range(1, 10)))}"
    if len(chosen) < report.n_labels:
        text += f"\n... and {report.n_labels - len(chosen):,} more labels (all of them in per_label)"
    return text


def _worst(report: TagReport) -> str:
    name = printer(report.per_label["label"])
    columns: dict[str, Callable[[Any], str]] = {
        "document": str,
        "id": _short,
        "jaccard": _number,
        "missed": lambda tags: _named(tags, name),
        "invented": lambda tags: _named(tags, name),
        "text": _short,
    }
    keys = [key for key in columns if key in report.worst[0]]
    heading = [key.replace("jaccard", "Jaccard") for key in keys]
    rows = [heading, *([columns[key](entry[key]) for key in keys] for entry in report.worst)]
    wrong = report.n_documents - report.documents["n_exact"]
    right = {keys.index("document"), keys.index("jaccard")}
    return f"Worst documents, {len(report.worst):,} of {wrong:,} with errors\n{align(rows, right=right)}"


def _named(tags: Sequence[Any], name: Callable[[Any], str]) -> str:
    more = f" and {len(tags) - MOST_TAGS} more" if len(tags) > MOST_TAGS else ""
    return ", ".join(map(name, tags[:MOST_TAGS])) + more or "-"


def _short(value: Any) -> str:
    return _cut(" ".join(str(value).split()))


def _cut(text: str) -> str:
    """Return a text on one line that takes no more than `LONGEST` columns."""
    text = on_one_line(text[: 2 * LONGEST])
    if columns_wide(text) <= LONGEST:
        return text
    while columns_wide(text) > LONGEST - 3:
        text = text[:-1]
    return f"{text}..."
