"""What two comparisons must share for their scores to compare: the same data above all, by a fingerprint."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.backends.threads import spans, thread_map
from gpumetrics.choosing.facts import EXTERNAL_NAMES

if TYPE_CHECKING:
    from gpumetrics.choosing.silhouettes import Sample
    from gpumetrics.choosing.wishes import Wishes
    from gpumetrics.clustering.labelings import Labelings
    from gpumetrics.features import Features
    from gpumetrics.types import Array
    from gpumetrics.validation import Labels

__all__ = ["Basis", "basis_of", "difference", "fingerprint_of_labels", "fingerprint_of_rows"]

SPARSE_ROWS = 1 << 14  # of a block of a sparse table
ENTRIES = 1 << 14  # of a block of a dense one, which stays in a core's inner cache
ODD = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio, whose multiples spread evenly
DIFFERENT = {
    "data": "the data are not the same",
    "n_samples": "the data have other numbers of rows",
    "scores": "they do not have the same scores",
    "distance": "the silhouettes are of other metrics",
    "noise_label": "the noise labels differ",
    "mode": "silhouettes of one are exact and of the other estimated",
    "sample": (
        "the silhouettes are estimated from other rows (the same random_state gives the same rows, where about as many "
        'are compared; silhouette="exact" needs none)'
    ),
    "truth": "labels_true is not the same",
}


@dataclass(frozen=True)
class Basis:
    """What two comparisons must share for their scores to compare.

    Attributes
    ----------
    n_samples, n_features : int
    data, truth : str
        Fingerprints of the rows and of the known classes ("" for none).
    scores : tuple of str
        The scores that choose.
    metric : str
        As it was given.
    distance : tuple
        The metric's own name, its function if it is one, and its options.
    noise_label : object
    mode : {"exact", "estimate", "skip"}
        Of the silhouettes.
    sample : tuple of int
        The rows of an estimate, as their number and a fingerprint; (0, "") if there is none.
    tolerance : float
        Relative difference up to which two values are the same.
    """

    n_samples: int
    n_features: int
    data: str
    truth: str
    scores: tuple[str, ...]
    metric: str
    distance: tuple[Any, ...]
    noise_label: Any
    mode: str
    sample: tuple[int, str]
    tolerance: float

    @property
    def columns(self) -> tuple[str, ...]:
        """All scores of the table, in its order."""
        macro = ("silhouette_macro",) if "silhouette" in self.scores else ()
        return (*self.scores, *macro, *(EXTERNAL_NAMES if self.truth else ()))


def basis_of(data: Labelings, wishes: Wishes, sample: Sample, truth: Labels | None) -> Basis:
    """Return what another comparison must share with this one."""
    options = sorted(wishes.metric.options.items())
    arrays = tuple((key, np.asarray(value).tobytes()) for key, value in options)
    return Basis(
        n_samples=data.n_samples,
        n_features=data.features.n_features,
        data=fingerprint_of_rows(data.features),
        truth="" if truth is None else fingerprint_of_labels(truth),
        scores=wishes.scores,
        metric=wishes.metric_name,
        distance=(wishes.metric.name, wishes.metric.function, arrays),
        noise_label=wishes.noise_label,
        mode=sample.mode,
        sample=(0, "") if sample.rows is None else (len(sample.rows), _digest(sample.rows.tobytes())),
        tolerance=1e-6 if data.features.single else 1e-9,
    )


def difference(first: Basis, second: Basis) -> str:
    """Say why the scores of two comparisons do not compare; empty where they do."""
    for field in fields(Basis):
        ours, theirs = getattr(first, field.name), getattr(second, field.name)
        if field.name == "scores":
            ours, theirs = set(ours), set(theirs)
        # True and 1 are different labels, -1 and -1.0 are not.
        same = isinstance(ours, bool) == isinstance(theirs, bool) and bool(ours == theirs)
        if field.name in DIFFERENT and not same:
            return DIFFERENT[field.name]
    return ""


def fingerprint_of_rows(features: Features) -> str:
    """Return a text that is the same for the same rows in the same order, whatever their dtype and library.

    It is made of all entries and of their places: sums of integers that wrap, and so the same bits in any order.
    """
    plain, n, d = features.plain(), features.n_samples, features.n_features
    columns = _weights(0, d)
    on_host = array_module(plain.data) is np

    def checksum(part: slice) -> int:
        step = max(1, ENTRIES // d) if on_host and not plain.sparse else part.stop - part.start
        some = [slice(i, min(i + step, part.stop)) for i in range(part.start, part.stop, step)]
        return sum(_weighted_sum(plain.take(rows), _weights(rows.start, rows.stop), columns) for rows in some)

    parts = spans(n, SPARSE_ROWS if plain.sparse else plain.block_rows)
    sums = thread_map(checksum, parts) if on_host else map(checksum, parts)
    return f"{n} x {d}: {sum(sums) % 2**64:016x}"


def _weights(start: int, stop: int) -> Array:
    """Return an odd number of 64 bits for each place."""
    places = np.arange(start + 1, stop + 1, dtype=np.uint64) * np.uint64(ODD)
    return (places ^ (places >> np.uint64(29))) * np.uint64(ODD) | np.uint64(1)


def _weighted_sum(block: Any, rows: Array, columns: Array) -> int:
    """Sum the bits of a block's entries, as float64, times weights of their rows and columns; zeros add nothing."""
    if hasattr(block, "tocoo"):
        entries = block.tocoo(copy=True)
        entries.sum_duplicates()
        return int((_bits(entries.data) * rows[entries.row] * columns[entries.col]).sum())
    bits = _bits(block)
    bits *= beside(columns, bits)
    return int((bits.sum(axis=1) * beside(rows, bits)).sum())


def _bits(numbers: Any) -> Any:
    """Return the bits of numbers as float64 (0.0 for -0.0), folded, since small whole numbers fill the upper ones."""
    xp = array_module(numbers)
    numbers = xp.ascontiguousarray(numbers.astype(np.float64) + 0.0)
    bits = numbers.view(np.uint64)
    bits ^= bits >> np.uint64(32)
    return bits


def fingerprint_of_labels(labels: Labels) -> str:
    """Return a text that is the same for labelings that part the rows in the same way under the same names."""
    return _digest(repr(labels.classes.tolist()).encode() + np.ascontiguousarray(as_host(labels.codes)).tobytes())


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=16).hexdigest()
