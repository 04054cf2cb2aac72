"""What a case of the table is made of: a metric, its data, and what its answer is held to."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SIZES = ("toy", "small", "full")
SMALL_ROWS = (100, 1_000, 10_000)


@dataclass(frozen=True)
class Shape:
    """Rows, clusters (or classes, or tags) and features of the data, and the dtype of the features."""

    n: int
    k: int
    d: int = 0
    dtype: str = "float32"


def short(number):
    """A round number as one writes it: 20k, 1M, 1.5k."""
    for factor, letter in ((10**6, "M"), (10**3, "k")):
        if number >= factor and number % (factor // 10) == 0:
            return f"{number / factor:g}{letter}"
    return f"{number:,}"


def picked(names, patterns):
    """Those of some names that a pattern picks: a whole name that one; else a part of names, or one with * and ?."""

    def picks(pattern, name):
        return pattern == name if pattern in names else pattern in name or fnmatch.fnmatch(name, pattern)

    return [name for name in names if not patterns or any(picks(pattern, name) for pattern in patterns)]


@dataclass(frozen=True)
class Case:
    """A metric with its keywords on data of one kind.

    `recipe(shape)` makes the arguments. Ours must be within `atol + rtol * |truth|`. `limit` names what no
    implementation can do without (limits.py), `truth` where the right answer comes from (truth.py). `blas`: peers are
    timed with one thread as well. `target`: the ratio to scikit-learn that we want at full size; `over`: what ours may
    take, in times of the limit.
    """

    name: str
    title: str
    metric: str
    recipe: Callable[[Shape], list]
    unit: str  # what a line of the data is: "rows", "labels", "tags" or "table"
    full: Shape
    toy: Shape
    limit: str
    atol: float = 0.0
    rtol: float = 0.0
    truth: str = "scikit-learn"
    keywords: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    blas: bool = False
    backends: tuple[str, ...] = ("numpy", "cupy")
    target: float | None = None
    over: float | None = None
    front: bool = False  # in the README's table

    def shapes(self, size):
        """The shapes that are measured for a size."""
        if size == "toy":
            return [self.toy]
        if size == "full":
            return [self.full]
        least = 1 if self.unit == "tags" else 10  # rows of a cluster, at least
        rows = [n for n in SMALL_ROWS if n < self.full.n]
        return [replace(self.full, n=n, k=min(self.full.k, n // least)) for n in rows]

    def label(self, shape):
        """The case in words, with the size of its data."""
        n = short(shape.n)
        wide = "" if shape.dtype == "float32" else f", {shape.dtype}"
        return {
            "rows": f"{self.title}, {n} x {shape.d}, k = {shape.k}{wide}",
            "labels": f"{self.title}, {n} labels, k = {shape.k}",
            "tags": f"{self.title}, {n} x {shape.k} tags",
            "table": f"{self.title}, table of {n} labels, k = {shape.k}",
        }[self.unit]


@dataclass(frozen=True)
class Job:
    """A case at one shape on one backend: what is measured at a time."""

    case: Case
    size: str
    shape: Shape
    backend: str

    def data(self):
        """The arguments, made anew; the same on every call."""
        return self.case.recipe(self.shape)
