"""True and predicted labels of the samples so far, of one kind: in vectors, or in matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gpumetrics.backends import on_device_of
from gpumetrics.classification.indicators import Indicators
from gpumetrics.classification.parameters import check_array_like
from gpumetrics.classification.sides import (
    check_columns,
    column_names,
    n_samples_of,
    read_weights,
    total_weight,
)
from gpumetrics.classification.targets import check_targets
from gpumetrics.streaming.indicator_tally import IndicatorTally
from gpumetrics.streaming.tables import Tables
from gpumetrics.streaming.vector_tally import VectorTally
from gpumetrics.validation import check_consistent_length

if TYPE_CHECKING:
    from gpumetrics.classification.targets import Targets
    from gpumetrics.types import Array

__all__ = ["Tallied"]

NAME = "LabelCountsState"  # in messages


@dataclass(frozen=True)
class Tallied:
    """The samples so far.

    Attributes
    ----------
    tables : Tables
        Of `VectorTally`, or of `IndicatorTally`.
    weighted : bool
    weight : float
        Sum of the sizes of all weights.
    columns : tuple of two lists or None
        Names of the columns of tables, true and predicted.
    """

    tables: Tables
    weighted: bool
    weight: float
    columns: tuple[list[Any] | None, list[Any] | None]

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, sample_weight: Any) -> Tallied:
        """Count a batch."""
        with on_device_of(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight):
            targets = check_targets(y_true, y_pred, function=NAME)
            total = 0.0
            if sample_weight is not None:
                weights = _read_weights(sample_weight, targets)
                targets, total = replace(targets, weights=weights), total_weight(weights)
            tally = IndicatorTally.of(targets) if isinstance(targets.data, Indicators) else VectorTally.of(targets)
        return cls(Tables((tally,)), sample_weight is not None, total, (column_names(y_true), column_names(y_pred)))

    def merge(self, other: Tallied) -> Tallied:
        """Return the samples of both, or raise where they cannot be counted together."""
        if self.weighted != other.weighted:
            msg = "sample_weight must come with every batch, or with none."
            raise ValueError(msg)
        ours, theirs = self.tables.parts, other.tables.parts
        if type(ours[0]) is not type(theirs[0]):
            msg = "labels in vectors and label sets in matrices cannot be counted together."
            raise ValueError(msg)
        columns = []
        for name, mine, new in zip(("y_true", "y_pred"), self.columns, other.columns, strict=True):
            check_columns(mine, new, (f"{name} before", name))
            columns.append(mine or new)
        ours[0].check_joins([*ours[1:], *theirs])
        tables = self.tables.merge(other.tables)
        return Tallied(tables, self.weighted, self.weight + other.weight, (columns[0], columns[1]))

    def folded(self) -> Tallied:
        """Return the same with one table."""
        return replace(self, tables=self.tables.folded())


def _read_weights(sample_weight: Any, targets: Targets) -> Array:
    check_array_like(sample_weight, "sample_weight", NAME)
    check_consistent_length(targets.n_samples, n_samples_of(sample_weight))
    return read_weights(sample_weight, targets.n_samples, targets.ops, part=True)
