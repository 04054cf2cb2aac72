"""From work to seconds: by measured costs on a CPU, by assumed speeds on GPUs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from gpumetrics.backends.numpy_moments import BLOCK
from gpumetrics.backends.threads import n_threads
from gpumetrics.clustering.cost import REFERENCE_FLOPS, core_speed, estimate_seconds, seconds_of_cluster_pairs
from gpumetrics.planning.machines import this_machine
from gpumetrics.planning.work import OF_LABELS, gpu_pair_features, works_of

if TYPE_CHECKING:
    from gpumetrics.planning.machines import Machine
    from gpumetrics.planning.problem import Problem
    from gpumetrics.planning.work import Work

__all__ = ["fits", "rows_within", "seconds_of", "workers_to_hold"]

# Nanoseconds on one core, as in `gpumetrics.clustering.cost`: of the passes over X for an entry, a row, and an entry
# of the table of sums that each block of rows is added to.
MEANS_ENTRY, SPREADS_ENTRY, MOMENTS_ROW, SUMS_ENTRY = 5.5, 3.0, 30.0, 1.8
SORTED_ENTRY = 15.0  # for an entry that is checked, and gathered in the order of the clusters
# For a row of two labelings, on one core however many there are; beyond so many cells each row is a cache miss.
CELLS_IN_CACHE, NEAR_ROW, FAR_ROW = 1 << 15, 5.0, 14.0


def seconds_of(work: Work, problem: Problem, machine: Machine, n_workers: int) -> float:
    """Seconds of some work on so many machines: computing, or waiting for rows where that is longer; then exchanging.

    Parameters
    ----------
    work : Work
    problem : Problem
    machine : Machine
    n_workers : int

    Returns
    -------
    float
    """
    compute, once = (_gpu_seconds if machine.gpu else _cpu_seconds)(work, problem, machine, n_workers)
    held = fits(work, problem, machine, n_workers) == "held"
    waiting = 0.0 if held else work.read / machine.feed
    steps = math.ceil(math.log2(n_workers))
    each_to_each = (n_workers - 1) / n_workers * work.exchanged / 2
    exchanging = (steps * work.state + each_to_each) / machine.link
    return max(compute, waiting) / n_workers + once + exchanging


def fits(work: Work, problem: Problem, machine: Machine, n_workers: int) -> str:
    """Whether the workers hold X ("held"), take it piece by piece ("in pieces"), or cannot do the work ("no")."""
    X = 0.0 if work.name in OF_LABELS else problem.data_bytes / n_workers
    if work.memory(problem, n_workers) + X <= machine.usable:
        return "held"
    return "in pieces" if work.streaming_memory(problem, n_workers) <= machine.usable else "no"


def workers_to_hold(problem: Problem, machine: Machine) -> int | None:
    """Return how many machines hold X and what any of its metrics needs besides; None if no number does."""
    works = works_of(problem, 1, on_gpu=machine.gpu)
    works = [work for work in works if work.name not in OF_LABELS]
    row = max(work.row_bytes for work in works) + problem.data_bytes / problem.n_samples
    room = machine.usable - max(work.tables for work in works) - problem.working_memory * 2**20
    return max(1, math.ceil(problem.n_samples * row / room)) if room > 0 else None


def rows_within(seconds: float, name: str, problem: Problem, machine: Machine, n_workers: int) -> tuple[float, str]:
    """Up to how many rows the work is done within some seconds, the other sizes being the same, and what ends it.

    Returns
    -------
    rows : float
        0 if not even the fewest rows that so many clusters can have.
    limit : {"time", "memory"}
        "memory" where more rows would not fit even if X were read in pieces.
    """

    def ends(n: float) -> str:
        some = replace(problem, n_samples=round(n))
        work = next(w for w in works_of(some, n_workers, on_gpu=machine.gpu) if w.name == name)
        if fits(work, some, machine, n_workers) == "no":
            return "memory"
        return "time" if seconds_of(work, some, machine, n_workers) > seconds else ""

    low, high = float(problem.n_clusters + 1), 1e30
    if limit := ends(low):
        return 0.0, limit
    limit = ends(high)
    while high > 1.001 * low:
        middle = math.sqrt(low * high)
        found = ends(middle)
        low, high, limit = (low, middle, found) if found else (middle, high, limit)
    return float(math.floor(low)), limit


def _cpu_seconds(work: Work, problem: Problem, machine: Machine, n_workers: int) -> tuple[float, float]:
    """Seconds of the shared work, if one machine did it all with all of its cores; and of what one does for all."""
    n, d, k = problem.n_samples, problem.n_features, problem.n_clusters
    slower = this_machine().float32 / machine.float32
    core = slower * REFERENCE_FLOPS / core_speed() * 1e-9  # seconds of a nanosecond that was measured elsewhere
    if work.name == "silhouette_closed_form":
        return slower * estimate_seconds(n, d, k, problem.metric), 0.0
    if work.name in {"silhouette_pairs", "silhouette_estimate"}:
        return slower * _pair_seconds(work, problem, n_workers), 0.0
    if work.name in OF_LABELS:
        return core * n * (NEAR_ROW if k * k <= CELLS_IN_CACHE else FAR_ROW), 0.0
    spreads = work.name == "davies_bouldin"
    block = max(BLOCK / d, min(k / 4, 1 << 16))  # rows, as `cluster_means` takes them
    entry = MEANS_ENTRY + SUMS_ENTRY * k / block + (SPREADS_ENTRY if spreads else 0.0)
    passes = core * (problem.entries * entry + n * MOMENTS_ROW) / n_threads()
    return passes, slower * seconds_of_cluster_pairs(k, d) if spreads else 0.0


def _pair_seconds(work: Work, problem: Problem, n_workers: int) -> float:
    n, k = problem.n_samples, problem.n_clusters
    # A product in float64 takes twice as long; the other metrics are computed in float64 whatever X is.
    d = problem.n_features * (2 if problem.double and problem.name == "euclidean" else 1)
    if work.name == "silhouette_estimate":
        sorting = problem.entries * SORTED_ENTRY * 1e-9 * REFERENCE_FLOPS / core_speed() / n_threads()
        return sorting + estimate_seconds(n, d, k, problem.metric, n_queries=problem.n_queries)
    if n_workers == 1:
        return estimate_seconds(n, d, k, problem.metric)
    # Half of all rows against all: Manhattan's sorted features are one machine's.
    return estimate_seconds(n, d, k, problem.metric, n_queries=n) / 2


def _gpu_seconds(work: Work, problem: Problem, machine: Machine, _n_workers: int) -> tuple[float, float]:
    """Return the same of GPUs: products at their speed, everything else by the bytes that it moves in memory."""
    product, read = work.product, work.read
    if work.name in {"silhouette_pairs", "silhouette_estimate"}:
        rows = problem.n_samples / 2 if work.name == "silhouette_pairs" else problem.n_queries
        product = 2.0 * problem.n_samples * rows * gpu_pair_features(problem)
        read = 2 * problem.data_bytes  # what tiles read again is in their other work
    speed = machine.float64 if work.double else machine.float32
    shared = product / speed + (read + work.temporary) / machine.bandwidth
    return shared / machine.reached, work.once / (machine.float64 * machine.reached)
