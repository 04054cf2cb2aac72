"""A score at every threshold at once: one sort, one pass over the running counts.

*Lines* are the sets of cells whose counts belong together: the column of a label, the row of a sample, or all cells.
Every distinct score of a line is a threshold, and all cells of that score are on the same side of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.backends.threads import spans
from gpumetrics.config import current
from gpumetrics.statistics.label_counts import LabelCounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpumetrics.classification.formulas import Ratio
    from gpumetrics.types import Array

__all__ = ["Formula", "Lines", "best_of_mean", "line_blocks", "sorted_lines"]

BYTES_PER_CELL = 64  # of the temporaries of a block of lines
EPS = 2.0**-52
ONE = 2.0**61  # what stands for 1 in a mean of scores: sums of integers are exact in any order


class Formula(NamedTuple):
    """A metric as a quotient of counts, and what it is where it is 0/0."""

    ratio: Ratio
    undefined: float

    def __call__(self, hits: Array, predicted: Array, true: Array) -> Array:
        """Return the metric of running counts, whose shapes may need broadcasting."""
        score, _ = self.ratio.of(LabelCounts(hits, predicted, true), self.undefined)
        # Sums of weights are rounded, in which a quotient may pass 1.
        bounded: Array = array_module(score).minimum(score, 1.0)
        return bounded


@dataclass(frozen=True)
class Lines:
    """Lines of scores, each from the largest down, and the metric with each as the threshold.

    Attributes
    ----------
    scores : ndarray of shape (n_lines, length)
    metric : ndarray of float64, shape (n_lines, length)
        Meaningful where `ends`; elsewhere the cells of one score are not all counted yet.
    ends : ndarray of bool, shape (n_lines, length)
        The last cell of each score.
    empty : ndarray of float64, shape (n_lines,)
        The metric where nothing is predicted.
    true : ndarray of shape (n_lines,)
        (Weighted) count of the positives.
    rounding : float
        By how much, relative to them, rounded sums and quotients may part two scores that are equal.
    """

    scores: Array
    metric: Array
    ends: Array
    empty: Array
    true: Array
    rounding: float

    def best(self) -> tuple[Array, Array]:
        """Return each line's threshold and its score, on the host; of equal scores, that of the largest threshold.

        A line without positives teaches nothing: its threshold is infinite. So is that of a line for which nothing
        predicted is as good as the best: precision, if 0/0 is 1.
        """
        xp = array_module(self.scores)
        usable = xp.where(self.ends & ~xp.isnan(self.metric), self.metric, -1.0)
        at = _first_of_best(usable, self.rounding)[:, None]
        threshold = xp.take_along_axis(self.scores, at, axis=1)[:, 0]
        score = xp.take_along_axis(self.metric, at, axis=1)[:, 0]
        taught = (self.true > 0) & ~(self.empty >= score)
        return (
            as_host(xp.where(taught, threshold.astype(np.float64), np.inf)),
            as_host(xp.where(taught, score, self.empty)),
        )

    def curves(self) -> list[tuple[Array, Array]]:
        """Return the thresholds and scores of each line, on the host; the first threshold is infinite."""
        scores, metric, ends, empty = map(as_host, (self.scores, self.metric, self.ends, self.empty))
        return [
            (np.concatenate([[np.inf], s[end]]), np.concatenate([[e], m[end]]))
            for s, m, end, e in zip(scores, metric, ends, empty, strict=True)
        ]


def sorted_lines(scores: Array, positive: Array, weights: Array | None, formula: Formula) -> Lines:
    """Sort each line and compute the metric with each score as the threshold.

    Parameters
    ----------
    scores, positive : ndarray of shape (n_lines, length)
    weights : ndarray of shape (length,), or None
        Of the cells of a line.
    formula : Formula
    """
    xp = array_module(scores)
    order = xp.argsort(scores, axis=1)[:, ::-1]
    scores = xp.take_along_axis(scores, order, axis=1)
    positive = xp.take_along_axis(positive, order, axis=1)
    if weights is None:
        hits = xp.cumsum(positive, axis=1, dtype=np.int64)
        predicted = xp.arange(1, scores.shape[1] + 1, dtype=np.int64)[None, :]
    else:
        # By axis: CuPy's sum over all axes adds floats in an order that may change from call to call.
        chosen = weights[order]
        hits, predicted = xp.cumsum(chosen * positive, axis=1), xp.cumsum(chosen, axis=1)
    true = hits[:, -1]
    ends = xp.ones(scores.shape, dtype=bool)
    xp.not_equal(scores[:, 1:], scores[:, :-1], out=ends[:, :-1])
    nothing = xp.zeros_like(true)
    rounding = 4 * EPS * (1.0 if weights is None else math.sqrt(scores.shape[1]))
    metric, empty = formula(hits, predicted, true[:, None]), formula(nothing, nothing, true)
    return Lines(scores, metric, ends, empty, true, rounding)


def _first_of_best(scores: Array, rounding: float) -> Array:
    """Find the first score, along the last axis, that is the largest or differs from it by no more than rounding."""
    at: Array = (scores >= scores.max(axis=-1, keepdims=True) * (1 - rounding)).argmax(axis=-1)
    return at


def line_blocks(table: Array, *more: Array, columns: bool) -> Iterator[tuple[slice, list[Array]]]:
    """Cut tables of one shape into blocks of lines that fit `working_memory`; columns are turned into rows."""
    n_lines, length = table.shape[::-1] if columns else table.shape
    step = max(1, int(current().working_memory * 2**20) // (BYTES_PER_CELL * max(1, length)))
    xp = array_module(table)
    for part in spans(n_lines, step):
        yield part, [xp.ascontiguousarray(t[:, part].T if columns else t[part]) for t in (table, *more)]


def best_of_mean(
    scores: Array, positive: Array, weights: Array | None, shares: Array, formula: Formula, *, columns: bool
) -> tuple[tuple[float, float], tuple[Array, Array], tuple[Array, Array]]:
    """Find the one threshold at which the mean of all lines' scores is best.

    A line's score changes at its own scores only. All changes, sorted by the score where they happen, add up to the
    mean at every threshold. They are added as integers, so that neither their order nor their number costs digits.

    Parameters
    ----------
    scores, positive : ndarray of shape (n_samples, n_labels)
    weights : ndarray of shape (n_samples,), or None
        Of the cells of a column.
    shares : ndarray of float64, shape (n_lines,)
        Of the lines in the mean; they add up to 1.
    formula : Formula
    columns : bool
        Whether lines are columns; else rows.

    Returns
    -------
    best : threshold and score
    curve : thresholds and scores
        From an infinite threshold down, on the host.
    lines : largest score (of those that have a weight) and (weighted) positives of each line
        On the host.
    """
    xp = array_module(scores)
    places = xp.empty(scores.size, dtype=scores.dtype)
    changes = {"mean": xp.empty(scores.size, dtype=np.int64)}
    if np.isnan(formula.undefined):
        changes["defined"] = xp.empty(scores.size, dtype=np.int64)
    start = dict.fromkeys(changes, 0)
    tops, trues = [], []
    at = 0
    for part, (block, truth) in line_blocks(scores, positive, columns=columns):
        lines = sorted_lines(block, truth, weights, formula)
        cells = slice(at, at := at + block.size)
        places[cells] = lines.scores.ravel()
        for name, change in changes.items():
            first, later = _as_integers(lines, shares[part], name)
            start[name] += int(first.sum())
            change[cells] = xp.diff(later, axis=1, prepend=first[:, None]).ravel()
        counted = block if weights is None else xp.where(weights > 0, block, -math.inf)
        tops.append(counted.max(axis=1))
        trues.append(lines.true)
    best, curve = _scan(places, changes, start, formula.undefined, lines.rounding + 4 * EPS)
    if not float(shares.sum()):  # no line counts: there is no mean, whatever the threshold
        best, curve = (math.inf, formula.undefined), (curve[0], np.full(len(curve[0]), formula.undefined))
    return best, curve, (as_host(xp.concatenate(tops)), as_host(xp.concatenate(trues)))


def _as_integers(lines: Lines, shares: Array, name: str) -> tuple[Array, Array]:
    """Return each line's part of the mean, or of the lines that are defined: with nothing predicted, and later."""
    xp = array_module(lines.metric)
    parts = []
    for metric, share in ((lines.empty, shares), (lines.metric, shares[:, None])):
        defined = ~xp.isnan(metric)
        value = share * defined if name == "defined" else share * xp.where(defined, metric, 0.0)
        parts.append(xp.rint(value * ONE).astype(np.int64))
    return parts[0], parts[1]


def _scan(
    places: Array, changes: dict[str, Array], start: dict[str, int], undefined: float, rounding: float
) -> tuple[tuple[float, float], tuple[Array, Array]]:
    """Add up the changes from the largest score down, and find the best threshold."""
    xp = array_module(places)
    order = xp.argsort(places)[::-1]
    places = places[order]
    ends = xp.ones(len(places), dtype=bool)
    xp.not_equal(places[1:], places[:-1], out=ends[:-1])
    ends = xp.flatnonzero(ends)
    sums = {name: change[order].cumsum()[ends] + start[name] for name, change in changes.items()}
    thresholds = np.concatenate([[np.inf], as_host(places[ends]).astype(np.float64)])
    mean = np.concatenate([[start["mean"]], as_host(sums["mean"])]) / ONE
    if "defined" in sums:
        defined = np.concatenate([[start["defined"]], as_host(sums["defined"])]) / ONE
        mean = np.where(defined > 0, mean / np.where(defined > 0, defined, 1), undefined)
    at = int(_first_of_best(np.where(np.isnan(mean), -1.0, mean), rounding))
    return (float(thresholds[at]), float(mean[at])), (thresholds, mean)
