"""Two vectors of labels, one label a row, as codes of the same classes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.backends.numpy_labels import covering_range, most_classes, shifted
from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.label_arrays import class_values, distinct_objects, label_array, union_of_classes
from gpumetrics.statistics.label_counts import LabelCounts
from gpumetrics.validation import encode_labels

if TYPE_CHECKING:
    from types import ModuleType

    from gpumetrics.types import Array

__all__ = ["LabelVectors", "as_integers", "find", "refuse_mixture"]

WORDS = ("string", "date", "datetime object", "date object", "time span", "number")  # of kinds of labels
MANY = 1 << 18  # rows from which threads compare them
FEW_PAIRS = 1 << 16  # of a table of two labelings that stays in the cache


@dataclass(frozen=True)
class LabelVectors:
    """The labels of the same rows, true and predicted.

    Attributes
    ----------
    true, pred : ndarray of shape (n_samples,)
        Integers in the library of `ops` (booleans and whole floats are integers here), or labels of other kinds on
        the host.
    dtypes : tuple of two dtypes
        In which they came.
    ops : module
        The operations of the backend.
    """

    true: Array
    pred: Array
    dtypes: tuple[np.dtype[Any], np.dtype[Any]]
    ops: ModuleType

    @property
    def n_samples(self) -> int:
        return len(self.true)

    @cached_property
    def coded(self) -> tuple[Array, Array, Array]:
        """Codes of both sides, int64, and the classes they stand for, sorted: those of `coded_classes`, or more."""
        if self._are_integers:
            coded = _code_by_shifting(self.true, self.pred)
            if coded is not None:
                return coded
        true, pred = encode_labels(self.true, "y_true"), encode_labels(self.pred, "y_pred")
        classes, *places = union_of_classes(true.classes, pred.classes)
        codes = [beside(place, side.codes).take(side.codes) for place, side in zip(places, (true, pred), strict=True)]
        return self.ops.asarray(codes[0]), self.ops.asarray(codes[1]), classes

    @property
    def _are_integers(self) -> bool:
        return self.true.dtype.kind in "iu" and self.pred.dtype.kind in "iu"

    @cached_property
    def _counted_as_read(self) -> tuple[Array, Array, Array, tuple[int, int]] | None:
        """Pairs of labels that are their own codes, and how many classes each side may have; None of other labels."""
        return self.ops.joint_counts_of_labels(self.true, self.pred)  # type: ignore[no-any-return]

    @cached_property
    def coded_classes(self) -> Array:
        """What the numbers of `pairs` and of `coded` stand for, sorted; some may have no rows."""
        return self.coded[2] if self._counted_as_read is None else np.arange(max(self._counted_as_read[3]))

    @cached_property
    def pairs(self) -> tuple[Array, Array, Array]:
        """True class, predicted class and rows of each pair that occurs, by the numbers of `coded`; on the host."""
        if self._counted_as_read is not None:
            return self._counted_as_read[:3]
        true, pred, classes = self.coded
        rows, cols, counts = self.ops.joint_counts(true, pred, len(classes), len(classes))
        return rows, cols, counts

    @cached_property
    def occurrences(self) -> LabelCounts:
        """Rows of each class of `coded_classes`, on the host."""
        n = len(self.coded_classes)
        if self._counted_as_read is None and n * n > FEW_PAIRS:
            return self._counts_of_many()
        rows, cols, counts = self.pairs
        table = np.zeros((n, n), dtype=np.int64)
        table[rows, cols] = counts
        return LabelCounts(table.diagonal(), table.sum(axis=0), table.sum(axis=1), self.n_samples)

    @cached_property
    def present(self) -> Array:
        """Which of `coded_classes` have rows on either side."""
        return (self.occurrences.true > 0) | (self.occurrences.predicted > 0)

    @cached_property
    def classes(self) -> Array:
        """The labels that occur, sorted, as values to compare with."""
        return self.coded_classes[self.present]

    @cached_property
    def shown_classes(self) -> Array:
        """The same in the dtype that they came in, for texts."""
        ours, theirs = self.dtypes
        if ours.kind not in "biuf" or theirs.kind not in "biuf":
            return self.classes
        if not (self.occurrences.true[self.present] > 0).all():  # some are only predicted
            ours = np.result_type(ours, theirs)
        return self.classes.astype(ours)

    def label_counts(self, weights: Array | None) -> LabelCounts:
        """Counts of each label that occurs, weighted or not, on the host."""
        counts = self.occurrences if weights is None else self.weighted(weights)
        return counts.take(np.flatnonzero(self.present))

    def pairs_of(self, places: Array, weights: Array | None) -> tuple[Array, Array, Array]:
        """True and predicted class, by their numbers in `places`, and how much there is of them.

        Parameters
        ----------
        places : ndarray of int64
            Which classes are asked for, as `places` gives them; rows of others are left out.
        weights : ndarray or None
            With them there is one pair for each row, in the library of `ops`; without, the counts are on the host.
        """
        number = np.full(len(self.present), -1)
        found = places >= 0
        number[np.flatnonzero(self.present)[places[found]]] = np.flatnonzero(found)
        rows, cols, amounts = self.pairs if weights is None else (*self.coded[:2], weights)
        number = beside(number, rows)
        rows, cols = number.take(rows), number.take(cols)
        kept = (rows >= 0) & (cols >= 0)
        return rows[kept], cols[kept], amounts[kept]

    def _counts_of_many(self) -> LabelCounts:
        """Count rows of so many classes that there is no table of pairs."""
        true, pred, classes = self.coded
        same = true == pred
        # Multiplying takes a fifth of the time that picking rows does; rows that differ count as the first class then.
        counts = [self.ops.label_sums(codes, len(classes)) for codes in (true * same, pred, true)]
        counts[0][0] -= self.n_samples - int(same.sum())
        return LabelCounts(counts[0], counts[1], counts[2], self.n_samples)

    def weighted(self, weights: Array) -> LabelCounts:
        """Sums of the rows' weights, of each of `coded_classes`."""
        true, pred, _ = self.coded
        same = true == pred
        sums = [
            self.ops.label_sums(codes, len(self.coded_classes), part)
            for codes, part in ((true[same], weights[same]), (pred, weights), (true, weights))
        ]
        return LabelCounts(sums[0], sums[1], sums[2], float(weights.sum()))

    def mistakes(self, weights: Array) -> tuple[Array, Array]:
        """Sum of the weights of each class's false negatives, and of its false positives, of `classes`; on the host."""
        true, pred, _ = self.coded
        wrong = true != pred
        own = weights[wrong]
        sums = [self.ops.label_sums(codes[wrong], len(self.coded_classes), own) for codes in (true, pred)]
        return sums[0][self.present], sums[1][self.present]

    def agreement(self) -> Array:
        """Which rows have the same label on both sides, in the library of `ops`."""
        ours, theirs = self.true.dtype, self.pred.dtype
        if ours.kind == theirs.kind and ours.kind in "iuU":
            return self.ops.asarray(_equal(self.true, self.pred))  # type: ignore[no-any-return]
        true, pred, _ = self.coded
        same: Array = true == pred
        return same

    def places(self, labels: Any, *, any_kind: bool = False) -> Array:
        """Where labels stand among `classes`; -1 for one that does not occur, which may be of `any_kind`."""
        wanted = as_host(label_array(labels, "labels"))
        if wanted.ndim != 1:
            msg = f"labels must be a list of labels, got an array of shape {wanted.shape}"
            raise ValueError(msg)
        values = class_values(wanted)
        if wanted.dtype.kind == "O":
            distinct_objects(values, "labels")  # raises where one is missing
        kinds = "" if any_kind else _unlike_kinds(wanted, self.classes)
        if kinds:
            msg = (
                f"Mix of label input types ({kinds}); labels has {wanted}, which cannot occur among the targets' "
                f"{self.classes}: give labels of the same type."
            )
            raise ValueError(msg)
        return find(values, self.classes)


def find(labels: list[Any], classes: Array) -> Array:
    """Where labels stand in a sorted array of classes, by Python's equality; -1 for one that is not there."""
    place = {value: at for at, value in enumerate(class_values(classes))}
    return np.fromiter((place.get(label, -1) for label in labels), dtype=np.int64, count=len(labels))


def as_integers(array: Array) -> Array | None:
    """Return booleans, integers and whole floats as integers; None for floats that are none, or are too large."""
    kind = array.dtype.kind
    if kind == "b":  # any byte but 0 is True
        return array_module(array).minimum(array.view(np.uint8), 1)  # type: ignore[no-any-return]
    if kind != "f":
        return array
    with np.errstate(invalid="ignore"):
        integers = array.astype(np.int64)
    return integers if bool((integers == array).all()) else None


def _equal(true: Array, pred: Array) -> Array:
    """Compare labels; many numbers on the host in threads."""
    if array_module(true) is not np or true.dtype.kind == "U" or len(true) < MANY:
        return true == pred  # type: ignore[no-any-return]
    out = np.empty(len(true), dtype=bool)
    thread_map(lambda rows: np.equal(true[rows], pred[rows], out=out[rows]), spans(len(true), MANY // 2))
    return out


def _code_by_shifting(true: Array, pred: Array) -> tuple[Array, Array, Array] | None:
    """Code integers of a small range, none of which is looked up; None if the range is large."""
    xp, limit = array_module(true), most_classes(len(true))
    if xp is np:
        low, high = covering_range(true, pred)
    else:
        ends = [int(end) for side in (true, pred) for end in as_host(xp.stack([side.min(), side.max()]))]
        low, high = min(ends), max(ends)
    if high - low >= limit:
        return None
    if low >= 0 and high < limit:
        low = 0  # a few classes without rows cost less than a pass over the labels
    kind = np.int64 if high < 2**63 else np.uint64
    classes = (np.arange(high - low + 1, dtype=np.uint64) + np.uint64(low % 2**64)).view(kind)
    return shifted(true, low), shifted(pred, low), classes


def refuse_mixture(true: Array, pred: Array) -> None:
    """Raise scikit-learn's error where some labels are text, or dates, and others are not, or are other objects."""
    kinds = _unlike_kinds(true, pred)
    if kinds:
        shown = [encode_labels(array, name).classes for array, name in ((true, "y_true"), (pred, "y_pred"))]
        msg = f"Mix of label input types ({kinds}); Got {shown[0]} and {shown[1]}."
        raise ValueError(msg)


def _unlike_kinds(*arrays: Array) -> str:
    """Say of which kinds the labels are, if there are several."""
    sides = [array if array.dtype.kind == "O" else as_host(array[:1]) for array in arrays]
    words = {_word(value) for side in sides for value in dict(zip(map(type, side), side, strict=True)).values()}
    return " and ".join(word for word in WORDS if word in words) if len(words) > 1 else ""


def _word(label: Any) -> str:
    """Labels of different words are never equal, whatever they stand for; some compare so only by their hashes."""
    if isinstance(label, str):
        return "string"
    if isinstance(label, np.timedelta64 | timedelta):
        return "time span"
    if isinstance(label, np.datetime64) or (hasattr(label, "to_datetime64") and label.tzinfo is None):
        return "date"
    if isinstance(label, date):
        return f"{'datetime' if isinstance(label, datetime) else 'date'} object"
    return "number"
