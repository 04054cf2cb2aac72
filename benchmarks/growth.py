"""How our time and memory grow with n, d and k: measured at some sizes, and fitted in the logarithms of both."""

from __future__ import annotations

import dataclasses
import math
import warnings
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from . import alone, ours
from .agreement import judge, numbers
from .case import Job
from .cases import named
from .clock import Others, in_turn
from .truth import true_answer

TOY = {"n": (100, 200, 400), "d": (2, 4, 8), "k": (2, 4, 8)}
LEAST_MIB = 1.0  # below this, memory is what the interpreter happens to take


@dataclass(frozen=True)
class Axis:
    """A case, what of its shape grows, and to what. `most`: what the last doubling may multiply the time by."""

    case: str
    axis: str
    values: tuple[int, ...]
    base: tuple[tuple[str, int], ...] = ()
    most: float | None = None

    def shapes(self, *, toy):
        """The shapes that are measured."""
        case = named(self.case)
        start = case.toy if toy else dataclasses.replace(case.full, **dict(self.base))
        return [dataclasses.replace(start, **{self.axis: value}) for value in (TOY[self.axis] if toy else self.values)]


ROWS = (2_500, 5_000, 10_000, 20_000)
WIDE = (62_500, 125_000, 250_000, 500_000)
LABELS = (125_000, 250_000, 500_000, 1_000_000)
FEATURES, CLUSTERS = (16, 64, 256), (10, 100, 1000)
AXES = [
    Axis("sil-f32-64", "n", ROWS, most=4.4),
    Axis("sil-f32-64", "d", FEATURES, (("n", 10_000),)),
    Axis("sil-f32-64", "k", CLUSTERS, (("n", 10_000),)),
    Axis("sil-cosine", "n", ROWS, most=2.3),
    Axis("sil-cosine", "d", FEATURES),
    Axis("sil-cosine", "k", CLUSTERS),
    Axis("sil-sqeuclidean", "n", ROWS, most=2.3),
    Axis("sil-manhattan", "n", ROWS, most=2.3),
    Axis("sil-manhattan", "d", FEATURES),
    Axis("sil-manhattan", "k", (10, 30, 100)),
    Axis("ch", "n", WIDE, most=2.3),
    Axis("ch", "d", FEATURES, (("n", 125_000),)),
    Axis("ch", "k", CLUSTERS),
    Axis("db", "n", WIDE, most=2.3),
    Axis("db", "d", FEATURES, (("n", 125_000),)),
    Axis("db", "k", CLUSTERS),
    Axis("ari", "n", LABELS, most=2.3),
    Axis("ari", "k", CLUSTERS),
    Axis("nmi", "n", LABELS, most=2.3),
    Axis("ami", "k", CLUSTERS),
    Axis("f1-macro", "n", LABELS, most=2.3),
    Axis("f1-macro", "k", CLUSTERS),
    Axis("jaccard-samples", "n", (25_000, 50_000, 100_000, 200_000), most=2.3),
]


def exponent(sizes, values):
    """The slope of the logarithms: values grow as sizes to this power."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def grown(axis, *, toy=False, rounds=7, patience=240.0):
    """Seconds and peak memory (MiB beyond the input) along an axis, and the powers by which they grow."""
    case, shapes = named(axis.case), axis.shapes(toy=toy)
    jobs = [Job(case, "toy" if toy else "full", shape, "numpy") for shape in shapes]
    peaks = [None if toy else _peak(job, patience) for job in jobs]
    us = ours.peer("numpy")
    with Others() as others, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _check(jobs[0])
        seconds, done = in_turn({job.shape: us.side(job, job.data()) for job in jobs}, rounds=1 if toy else rounds)
    sizes = [getattr(shape, axis.axis) for shape in shapes]
    wall = [seconds[shape].wall for shape in shapes]
    return {
        "case": axis.case,
        "label": f"{case.title}, {axis.axis}",
        "axis": axis.axis,
        "values": sizes,
        "seconds": wall,
        "cpu": [seconds[shape].cpu for shape in shapes],
        "peak_mib": peaks,
        "exponent": exponent(sizes, wall),
        "memory_exponent": None if None in peaks else exponent(sizes, np.maximum(peaks, LEAST_MIB)),
        "doubling": wall[-1] / wall[-2] if math.isclose(sizes[-1], 2 * sizes[-2]) else None,
        "most": axis.most,
        "rounds": done,
        "others": others.share,
        "date": datetime.now().isoformat(timespec="minutes"),
    }


def _peak(job, patience):
    facts, answer = alone.first_answer(job, ours.NAME, patience)
    if answer is None:
        raise RuntimeError(f"{job.case.name}: {facts['cannot']}")
    return facts["peak_mib"]


def _check(job):
    """The answer at the smallest size is right."""
    side, truth = ours.peer("numpy").side(job, job.data()), true_answer(job, job.data())
    verdict = judge(numbers(side.call(*side.args)), truth, atol=job.case.atol, rtol=job.case.rtol)
    if verdict.state != "ok":
        raise ArithmeticError(f"{job.case.name}: gpumetrics {verdict.reason}")
