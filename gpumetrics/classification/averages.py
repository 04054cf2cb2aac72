"""From labels to averaged scores: what precision, recall, F-beta and Jaccard have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends import on_device_of
from gpumetrics.backends.interop import as_library_of
from gpumetrics.classification.indicators import Indicators
from gpumetrics.classification.parameters import check_array_like, check_average, check_pos_label
from gpumetrics.classification.targets import Targets, check_targets
from gpumetrics.classification.undefined import check_zero_division, is_warn, mean_of_defined, warn_ill_defined
from gpumetrics.classification.vectors import find
from gpumetrics.exceptions import warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gpumetrics.classification.formulas import Ratio
    from gpumetrics.statistics.label_counts import LabelCounts
    from gpumetrics.types import Array

__all__ = ["Averaging", "ScoringInput"]

SAMPLEWISE = "Samplewise metrics are not available outside of multilabel classification."


@dataclass(frozen=True)
class Averaging:
    """Over what a score is averaged, and what it is where it is undefined; the public functions document them.

    Raises
    ------
    ValueError
        For values that an argument cannot have.
    """

    function: str
    labels: Any = None
    pos_label: Any = 1
    average: str | None = "binary"
    sample_weight: Any = None
    zero_division: Any = "warn"

    def __post_init__(self) -> None:
        check_array_like(self.labels, "labels", self.function, optional=True)
        check_average(self.average, self.function)
        check_pos_label(self.pos_label, self.function)
        check_zero_division(self.zero_division, self.function)

    def score(self, y_true: Any, y_pred: Any, ratio: Ratio) -> Any:
        """Score labels: a float, or an array for no average."""
        return self.scores(y_true, y_pred, [ratio])[0]

    def scores(self, y_true: Any, y_pred: Any, ratios: Iterable[Ratio], *, silent: Iterable[str] = ()) -> list[Any]:
        """Score labels by several ratios, and give their support last; those whose keys are silent cause no warning."""
        with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=self.sample_weight):
            targets = check_targets(y_true, y_pred, self.sample_weight, function=self.function)
            scored = self.scoring_input(targets)
            found = [scored.score(ratio, warns=ratio.key not in silent) for ratio in ratios]
            if self.average is not None:
                return [*found, None]
            return [as_library_of(scores, y_pred) for scores in (*found, scored.counts.true)]

    def scoring_input(self, targets: Targets) -> ScoringInput:
        """Count what the average asks for."""
        data = targets.data
        if self.average != "binary":
            self._warn_of_pos_label()
        if self.average == "samples":
            if not isinstance(data, Indicators):
                raise ValueError(SAMPLEWISE)
            columns = None if self.labels is None else data.places(self.labels)
            return ScoringInput(data.sample_counts(columns), targets.float_weights, self, data.times)
        counts = counts_at(targets, self._places(targets))
        if self.average == "micro":
            counts = counts.pooled()
        return ScoringInput(counts, counts.true if self.average == "weighted" else None, self)

    def _places(self, targets: Targets) -> Array | None:
        """Where the labels that are asked for stand among those that occur; None for all of these."""
        if self.average == "binary":
            return self._place_of_pos_label(targets)
        return None if self.labels is None else targets.data.places(self.labels)

    def _place_of_pos_label(self, targets: Targets) -> Array:
        kind = targets.kind
        if kind != "binary":
            others = [None, "micro", "macro", "weighted", *(["samples"] if kind != "multiclass" else [])]
            msg = f"Target is {kind} but average='binary'. Please choose another average setting, one of {others!r}."
            raise ValueError(msg)
        place = find([self.pos_label], targets.data.classes)
        if place[0] < 0 and len(targets.data.classes) >= 2:
            msg = f"pos_label={self.pos_label} is not a valid label. It should be one of {targets.data.shown_classes}"
            raise ValueError(msg)
        return place

    def _warn_of_pos_label(self) -> None:
        if self.pos_label not in {None, 1}:
            warn(
                f"Note that pos_label (set to {self.pos_label!r}) is ignored when average != 'binary' (got "
                f"{self.average!r}). You may use labels=[pos_label] to specify a single positive class."
            )


@dataclass(frozen=True)
class ScoringInput:
    """Counts that are to be scored, the weights of the mean of the scores, and how often each counts (None: once)."""

    counts: LabelCounts
    weights: Array | None
    averaging: Averaging
    times: Array | None = None

    def score(self, ratio: Ratio, *, warns: bool = True) -> Any:
        """Score each label or sample, and average the scores if they are to be."""
        zero_division = self.averaging.zero_division
        undefined = check_zero_division(zero_division, self.averaging.function)
        scores, any_undefined = ratio.of(self.counts, undefined)
        samplewise = self.averaging.average == "samples"
        if any_undefined and warns and is_warn(zero_division):
            n_scores = len(scores) if self.times is None else int(self.times.sum())
            warn_ill_defined(ratio.name, ratio.missing, n_scores=n_scores, samplewise=samplewise)
        return scores if self.averaging.average is None else mean_of_defined(scores, self.weights, self.times)


def counts_at(targets: Targets, places: Array | None) -> LabelCounts:
    """Return the counts of each label that occurs, or of those at these places; one at -1 occurs nowhere."""
    counts = targets.data.label_counts(targets.float_weights)
    if places is None:
        return counts
    found = places >= 0
    chosen = counts.take(np.where(found, places, 0))
    return replace(
        chosen,
        true_positives=np.where(found, chosen.true_positives, 0),
        predicted=np.where(found, chosen.predicted, 0),
        true=np.where(found, chosen.true, 0),
    )
