"""How much is measured: in full, quickly, or at toy sizes that only show that the program runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple


class Case(NamedTuple):
    """A table with clusters."""

    n: int
    d: int
    k: int

    def __str__(self):
        return f"{short(self.n)} x {self.d}, k = {short(self.k)}"

    def with_rows(self, n):
        """The case with other rows, and clusters of about the same size."""
        return Case(n, self.d, max(2, self.k * n // self.n))


def short(number):
    """300000 as 300k, 100000000 as 100M."""
    for unit, letter in ((10**6, "M"), (10**3, "k")):
        if number >= unit and number % unit == 0:
            return f"{number // unit}{letter}"
    return str(number)


@dataclass(frozen=True)
class Sizes:
    """Sizes of the cases."""

    hostile: dict[str, Case]
    queries: int  # rows of a hostile table that are held against the definition
    repeats: int
    agreement: tuple[int, int]  # labels and classes of the labelings held against the definition
    run_pytest: bool
    judge_speed: bool  # whether the bars of speed mean anything at these sizes
    bars: tuple[Case, ...]  # the cases to which the bars apply
    grid: tuple[Case, ...]
    warm_up: int  # rows of the first run of a case, which also tells how long the whole will take
    cosine: Case
    many_clusters: Case
    low_rank: Case
    moments: Case
    labels: int
    classes: tuple[int, ...]
    streamed: Case
    streamed_moments: Case
    streamed_memory: float  # MiB
    other_peers: Case
    peer_labels: int
    keops: Case
    interop: Case
    short_of_memory: Case


HOSTILE = {
    "blobs": Case(5000, 64, 10),
    "offset 1e4": Case(5000, 64, 10),
    "offset 1e8": Case(5000, 32, 8),
    "duplicates": Case(4000, 48, 10),
    "tight far clusters": Case(4000, 24, 6),
    "low rank": Case(4000, 64, 10),
    "d = 2": Case(5000, 2, 20),
    "d = 17": Case(5000, 17, 7),
    "d = 768": Case(2500, 768, 10),
    "d = 1536": Case(2100, 1536, 5),
    "k = 2000": Case(6000, 32, 2000),
}
FULL = Sizes(
    hostile=HOSTILE,
    queries=24,
    repeats=5,
    agreement=(200_000, 40),
    run_pytest=True,
    judge_speed=True,
    bars=(Case(100_000, 768, 10), Case(100_000, 768, 1000)),
    grid=tuple(
        Case(n, d, k)
        for n in (100_000, 300_000)
        for d in (64, 384, 768)
        for k in (10, 1000)
        if (n, d) != (100_000, 768)
    ),
    warm_up=20_000,
    cosine=Case(10_000_000, 64, 100),
    many_clusters=Case(100_000, 64, 20_000),
    low_rank=Case(100_000, 64, 10),
    moments=Case(10_000_000, 64, 100),
    labels=100_000_000,
    classes=(10, 1000),
    streamed=Case(100_000, 384, 100),
    streamed_moments=Case(5_000_000, 64, 100),
    streamed_memory=256,
    other_peers=Case(1_000_000, 64, 10),
    peer_labels=10_000_000,
    keops=Case(50_000, 64, 10),
    interop=Case(200_000, 256, 50),
    short_of_memory=Case(40_000, 128, 20),
)
QUICK = replace(
    FULL,
    queries=12,
    run_pytest=False,
    bars=FULL.bars[:1],
    grid=(),
    cosine=Case(1_000_000, 64, 100),
    moments=Case(1_000_000, 64, 100),
    labels=10_000_000,
    streamed_moments=Case(1_000_000, 64, 100),
)
TOY = Sizes(
    hostile={
        "blobs": Case(90, 18, 4),
        "offset 1e4": Case(70, 18, 4),
        "offset 1e8": Case(70, 18, 3),
        "duplicates": Case(80, 17, 4),
        "tight far clusters": Case(60, 20, 3),
        "low rank": Case(60, 20, 3),
        "d = 2": Case(90, 2, 5),
        "k = 40": Case(80, 18, 40),
    },
    queries=8,
    repeats=2,
    agreement=(500, 6),
    run_pytest=False,
    judge_speed=False,
    bars=(Case(96, 20, 3),),
    grid=(Case(100, 33, 7),),
    warm_up=48,
    cosine=Case(300, 6, 4),
    many_clusters=Case(90, 18, 40),
    low_rank=Case(96, 20, 3),
    moments=Case(300, 6, 4),
    labels=2000,
    classes=(5,),
    streamed=Case(96, 20, 3),
    streamed_moments=Case(300, 6, 4),
    streamed_memory=0.02,
    other_peers=Case(300, 6, 4),
    peer_labels=1000,
    keops=Case(96, 5, 3),
    interop=Case(96, 20, 3),
    short_of_memory=Case(160, 20, 3),
)
