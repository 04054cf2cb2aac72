"""Precision, recall, F1 and support of every class and of their averages, in one table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.array_modules import as_host
from gpumetrics.classification.averages import Averaging
from gpumetrics.classification.formulas import PRECISION, RECALL, f_beta
from gpumetrics.classification.parameters import check_array_like, check_boolean, check_count
from gpumetrics.classification.sides import INDICATOR
from gpumetrics.classification.targets import check_targets
from gpumetrics.exceptions import warn
from gpumetrics.label_arrays import label_array

if TYPE_CHECKING:
    from gpumetrics.classification.targets import Targets

__all__ = ["classification_report"]

HEADERS = ("precision", "recall", "f1-score", "support")
RATIOS = (PRECISION, RECALL, f_beta(1.0))
LAST_HEADING = "weighted avg"


def classification_report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    target_names: Any = None,
    sample_weight: Any = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
) -> str | dict[str, Any]:
    """Precision, recall, F1 and support of each class, and their averages, as text or as a dict.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,), or indicator matrix of shape (n_samples, n_labels)
        Labels of any kind; or a row of zeros and ones for each sample, dense or a sparse matrix, which stays sparse.
    labels : array-like of shape (n_labels,), default=None
        The labels to report, in this order. None: all that occur in either, sorted. For indicators, numbers of
        columns.
    target_names : array-like of str, shape (n_labels,), default=None
        Names to print in place of the labels, in the same order.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples.
    digits : int, default=2
        Decimals of the text; the dict has all of them.
    output_dict : bool, default=False
        Return a dict.
    zero_division : {"warn", 0.0, 1.0, nan}, default="warn"
        What 0/0 is; nan is left out of means. "warn" is 0.0, with a warning.

    Returns
    -------
    str or dict
        The dict has for each name, and for "accuracy" (a number), "micro avg", "macro avg", "weighted avg" and, of
        indicators, "samples avg", a dict with precision, recall, f1-score and support; all numbers are floats. Higher
        is better. "accuracy" takes the place of "micro avg" where every sample has one label and all labels are
        reported: micro precision, recall and F1 are the same then.

    Raises
    ------
    ValueError
        If labels are missing, continuous or of unlike kinds, lengths differ, or there is another number of names than
        of labels that occur.
    TypeError
        If labels are bytes, or a sparse matrix has one column.

    Warns
    -----
    UndefinedMetricWarning
        Where a score is 0/0 and `zero_division` is "warn".
    UserWarning
        If `labels` and `target_names` differ in number: the rows end with the shorter of the two.

    Notes
    -----
    O(n_samples + n_labels) time and memory, or O(entries) for indicators. Labels on a GPU are counted there; the call
    waits for the counts.

    Examples
    --------
    >>> from gpumetrics import classification_report
    >>> print(classification_report([0, 1, 2, 2, 2], [0, 0, 2, 2, 1], target_names=["ant", "bee", "cat"]))
                  precision    recall  f1-score   support
    <BLANKLINE>
             ant       0.50      1.00      0.67         1
             bee       0.00      0.00      0.00         1
             cat       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.60         5
       macro avg       0.50      0.56      0.49         5
    weighted avg       0.70      0.60      0.61         5
    <BLANKLINE>
    """
    function = "classification_report"
    check_array_like(target_names, "target_names", function, optional=True)
    check_count(digits, "digits", function)
    check_boolean(output_dict, "output_dict", function)
    averaging = Averaging(function, labels, 1, None, sample_weight, zero_division)
    with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
        targets = check_targets(y_true, y_pred, sample_weight, function=function)
        names = _names(targets, labels, target_names)
        scored = averaging.scoring_input(targets)
        classes = [scored.score(ratio) for ratio in RATIOS]
        support = scored.counts.true
        rows = list(zip(names, *classes, support, strict=False))
        averages = [
            (heading, *(average.scoring_input(targets).score(ratio) for ratio in RATIOS), support.sum())
            for heading, average in _averages(averaging, targets)
        ]
    return _as_dict(rows, averages) if output_dict else _as_text(rows, averages, int(digits))


def _averages(averaging: Averaging, targets: Targets) -> list[tuple[str, Averaging]]:
    """The averages that apply, with their headings."""
    kinds = ["micro", "macro", "weighted"]
    if targets.kind == INDICATOR:
        kinds.append("samples")
    headings = {kind: f"{kind} avg" for kind in kinds}
    if targets.kind != INDICATOR and _covers(targets, averaging.labels):
        headings["micro"] = "accuracy"
    return [(headings[kind], replace(averaging, average=kind)) for kind in kinds]


def _covers(targets: Targets, labels: Any) -> bool:
    """Whether every label that occurs is reported."""
    return labels is None or len(np.setdiff1d(np.arange(len(targets.data.classes)), targets.data.places(labels))) == 0


def _names(targets: Targets, labels: Any, names: Any) -> list[str]:
    """The names of the rows."""
    shown = targets.data.shown_classes if labels is None else as_host(label_array(labels, "labels"))
    if names is None:
        return [f"{label}" for label in shown]
    if len(names) != len(shown):
        if labels is None:
            msg = (
                f"Number of classes, {len(shown)}, does not match size of target_names, {len(names)}. Try specifying "
                "the labels parameter"
            )
            raise ValueError(msg)
        warn(f"labels size, {len(shown)}, does not match size of target_names, {len(names)}")
    return list(names)


def _as_dict(rows: list[tuple[Any, ...]], averages: list[tuple[Any, ...]]) -> dict[str, Any]:
    report: dict[str, Any] = {
        name: dict(zip(HEADERS, map(float, scores), strict=True)) for name, *scores in [*rows, *averages]
    }
    if "accuracy" in (heading for heading, *_ in averages):  # else it is a class of this name
        report["accuracy"] = report["accuracy"]["precision"]
    return report


def _as_text(rows: list[tuple[Any, ...]], averages: list[tuple[Any, ...]], digits: int) -> str:
    width = max(*(len(f"{name}") for name, *_ in rows), len(LAST_HEADING), digits)
    lines = [f"{'':>{width}s} " + "".join(f" {header:>9}" for header in HEADERS), ""]
    lines += [_line(row, width, digits) for row in rows]
    lines.append("")
    for heading, precision, recall, score, support in averages:
        if heading == "accuracy":
            lines.append(_line((heading, None, None, score, support), width, digits))
        else:
            lines.append(_line((heading, precision, recall, score, support), width, digits))
    return "\n".join([*lines, ""])


def _line(row: tuple[Any, ...], width: int, digits: int) -> str:
    name, *scores, support = row
    cells = ["" if score is None else f"{score:.{digits}f}" for score in scores]
    return f"{name!s:>{width}} " + "".join(f" {cell:>9}" for cell in cells) + f" {support:>9}"
