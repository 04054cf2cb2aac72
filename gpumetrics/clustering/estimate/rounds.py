"""Rounds of asking rows, until the interval is narrow enough or all rows have been asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.clustering.estimate.reading import (
    Reading,
    exact_estimate,
    reading_of,
    undefined_estimate,
)
from gpumetrics.clustering.estimate.references import References, draw_references
from gpumetrics.evaluation.row_draws import RowDraws
from gpumetrics.evaluation.stratified import allocate, strata_of
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from gpumetrics.clustering.estimate.problem import Problem
    from gpumetrics.clustering.estimate.result import Estimate
    from gpumetrics.dask.estimate import DaskProblem
    from gpumetrics.types import Array

__all__ = ["Settings", "estimates"]

SLOWEST, FASTEST = 1.5, 4.0  # factors by which rows, and references, grow from round to round
MARGIN = 1.1  # of them beyond those that seem to be needed, since the variance is an estimate too
ALL_AT_ONCE = 0.5  # share of the rows from which all of them, each pair once, take no longer
EXPECTED = 10  # rows of a stratum by which rows drawn from all at once are weighted
LEAST_VARIANCE = 1e-300  # that a tolerance may call for
SPREAD = 0.25  # usual standard deviation of silhouettes: what a tolerance may call for, before any is known


@dataclass(frozen=True)
class Settings:
    """The wishes of a call.

    Attributes
    ----------
    n_queries : int
        Rows of the first round.
    tol : float or None
    confidence : float
    stratify : bool
    n_references : int or None
        References of each cluster; None for all rows.
    source : Generator or RandomState
    metric : str
    """

    n_queries: int
    tol: float | None
    confidence: float
    stratify: bool
    n_references: int | None
    source: Any
    metric: str

    @property
    def likely_queries(self) -> int:
        """Rows that will be asked in all, as far as can be told beforehand."""
        from scipy.special import ndtri

        if self.tol is None:
            return self.n_queries
        half_width = max(self.tol, 1e-9) / -float(ndtri((1 - self.confidence) / 2))
        return max(self.n_queries, int((SPREAD / half_width) ** 2))


def estimates(problem: Problem | DaskProblem, settings: Settings) -> list[Estimate]:
    """Estimate the silhouette of each labeling."""
    found: dict[int, Estimate] = {}
    if problem.defined:
        rounds = _Rounds(problem, settings)
        found = rounds.all_rows() if rounds.all_from(settings.n_queries) else rounds.until_narrow()
    out = [
        found[at] if at in found else undefined_estimate(labeling, settings.confidence, settings.metric)
        for at, labeling in enumerate(problem.each)
    ]
    return [_with_noise_noted(estimate, problem.n_noise(at)) for at, estimate in enumerate(out)]


def _with_noise_noted(estimate: Estimate, n_noise: int) -> Estimate:
    if not n_noise:
        return estimate
    note = counted(n_noise, "One more row is noise, and is left out.", "{n:,} more rows are noise, and are left out.")
    return replace(estimate, notes=(*estimate.notes, note))


class _Rounds:
    """The rows asked so far, and what they said."""

    def __init__(self, problem: Problem | DaskProblem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings
        self.frame, self.stratum = problem.frame(), None
        counts, codes = np.array([problem.n_rows if self.frame is None else len(self.frame)]), None
        if settings.stratify and not problem.several:
            sizes = problem.each[0].sizes
            self.stratum = strata_of(sizes, settings.n_queries)
            counts = np.bincount(self.stratum, weights=sizes).astype(np.int64)
            codes = problem.strata(self.stratum)
        self.draws = RowDraws(codes, counts, settings.source)
        self.n_rows = int(counts.sum())
        self.rows = np.empty(0, dtype=np.int64)
        self.n_references = settings.n_references
        self.references: dict[int, References] = {}
        self.values: dict[int, list[Array]] = {at: [] for at in problem.defined}
        self._draw_references()

    def all_from(self, wanted: float) -> bool:
        """Whether to ask all rows, each against all, rather than so many."""
        return not self.references and wanted >= self.n_rows * (1.0 if not len(self.rows) else ALL_AT_ONCE)

    def all_rows(self) -> dict[int, Estimate]:
        each, settings = self.problem.each, self.settings
        return {
            at: exact_estimate(each[at], value, means, settings.confidence, settings.metric)
            for at, (value, means) in self.problem.ask_everything().items()
        }

    def until_narrow(self) -> dict[int, Estimate]:
        """Ask the first rows, and more of them as long as the tolerance wants it."""
        tol, confidence = self.settings.tol, self.settings.confidence
        wanted = float(self.settings.n_queries)
        while True:
            self._ask_up_to(int(np.ceil(wanted)))
            readings = {at: self._reading(at) for at in self.values}
            wide = [] if tol is None else [r for r in readings.values() if r.half_width(confidence) > tol]
            if not wide:
                return {at: self._estimate(at, reading) for at, reading in readings.items()}
            target = [max(((tol or 0) / reading.quantile(confidence)) ** 2, LEAST_VARIANCE) for reading in wide]
            self._more_references(max(r.references_error / t for r, t in zip(wide, target, strict=True)))
            wanted = max(self._rows_towards(r, t) for r, t in zip(wide, target, strict=True))
            if self.all_from(wanted):
                return self.all_rows()

    def _ask_up_to(self, wanted: int) -> None:
        """Ask more rows, until so many have been asked; all of them again where there are new references."""
        more = self.draws.up_to(np.maximum(allocate(self.draws.counts, wanted), self.draws.drawn))
        more = more if self.frame is None else self.frame[more]
        self.rows = np.concatenate([self.rows, more])
        asked_before = all(self.values.values())
        for at, values in self._ask(more if asked_before else self.rows).items():
            self.values[at].append(values)

    def _ask(self, rows: Array) -> dict[int, Array]:
        problem = self.problem
        if not len(rows):
            return {}
        if not self.references:
            return {at: values[:, None] for at, values in problem.ask(rows).items()}
        out = {}
        for at, references in self.references.items():
            clusters = problem.clusters(at, rows)
            out[at] = references.silhouettes(problem.its_rows(at, rows), clusters[clusters >= 0])
        return out

    def _reading(self, at: int) -> Reading:
        labeling = self.problem.each[at]
        codes, stratum = self.problem.clusters(at, self.rows), self.stratum
        if stratum is None and self.settings.stratify:
            expected = len(self.rows) * labeling.n_kept / self.n_rows
            stratum = strata_of(labeling.sizes, int(expected), EXPECTED)
        elif stratum is None:
            stratum = np.zeros(labeling.n_clusters, dtype=np.int64)
        return reading_of(np.concatenate(self.values[at]), codes[codes >= 0], labeling.sizes, stratum)

    def _draw_references(self) -> None:
        if self.n_references is None:
            return
        data, metric, source = self.problem.clustered, self.problem.metric, self.settings.source
        found = {at: draw_references(data(at), metric, self.n_references, source) for at in self.values}
        # Where every row would be a reference, rows are held against all rows.
        self.references = {} if all(references.complete for references in found.values()) else found

    def _more_references(self, excess: float) -> None:
        """Draw so many that they take half of what the tolerance leaves; `excess` is the share that they take now."""
        if not self.references or self.n_references is None or excess <= 0.5:
            return
        growth = np.clip(2 * MARGIN * excess, SLOWEST, FASTEST)
        self.n_references = int(np.ceil(self.n_references * growth))
        self._draw_references()
        self.values = {at: [] for at in self.values}

    def _rows_towards(self, reading: Reading, target: float) -> float:
        """Return how many rows to ask in all so that a labeling's variance falls to `target`."""
        asked, every = float(len(self.rows)), float(self.n_rows)
        share = asked / max(1, reading.n_rows)  # a labeling may call some of the rows noise
        # More references have been drawn if they took more than half.
        needed = MARGIN * share * reading.rows_for(target - min(target / 2, reading.references_error))
        if self.references and needed <= MARGIN * asked:
            return asked
        return float(min(every, np.clip(needed, SLOWEST * asked, FASTEST * asked)))

    def _estimate(self, at: int, reading: Reading) -> Estimate:
        references = self.references.get(at)
        return reading.estimate(
            self.problem.each[at],
            self.settings.confidence,
            n_references=len(references.rows) if references is not None and not references.complete else None,
            metric=self.settings.metric,
            notes=self._notes(reading),
        )

    def _notes(self, reading: Reading) -> tuple[str, ...]:
        notes: list[str] = []
        k, together = reading.n_clusters, 0
        if self.stratum is not None:
            together = int(np.count_nonzero(self.stratum == self.stratum.max())) if len(self.draws.counts) < k else 0
        if together:
            notes.append(
                said(
                    "{n:,} small clusters were drawn from together: two rows of each would be too many of them.",
                    n=together,
                )
            )
        if 2 * reading.unseen > reading.interval_variance:
            notes.append(
                said(
                    "The interval is wider than the standard error suggests: so few rows may have missed some unlike "
                    "them."
                )
            )
        if self.references:
            notes.append(said("The error bar covers the choice of the reference rows too."))
        return tuple(notes)
