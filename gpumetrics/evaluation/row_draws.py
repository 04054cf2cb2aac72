"""Rows drawn at random without replacement, stratum by stratum; more of them can be drawn later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host, beside
from gpumetrics.evaluation.stratified import draw_integers

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["RowDraws", "rows_by_stratum"]

RADIX = 2**15  # strata up to which NumPy sorts their numbers in time O(n)


class RowDraws:
    """The first rows of a random order of each stratum: only as much of the order exists as has been asked for.

    Parameters
    ----------
    codes : array of shape (n_samples,), int64, or None
        Stratum of each row, NumPy's or CuPy's; None if there is one. They are sorted once, in linear time unless the
        strata are very many; nothing else is as long as they are.
    counts : ndarray of shape (n_strata,), int64
        Rows of each stratum.
    source : Generator or RandomState
    """

    def __init__(self, codes: Array | None, counts: Array, source: Any) -> None:
        self.counts, self.source = counts, source
        self.starts = np.cumsum(counts) - counts
        self.drawn = np.zeros(len(counts), dtype=np.int64)
        self.order = None if codes is None or len(counts) == 1 else rows_by_stratum(codes, len(counts))
        self.moved: dict[int, int] = {}

    def up_to(self, wanted: Array) -> Array:
        """Draw until `wanted` rows of each stratum are drawn; return the new ones, stratum after stratum.

        Returns
        -------
        ndarray of int64
            Row numbers, on the host, those of a stratum in random order.
        """
        more = np.maximum(np.minimum(wanted, self.counts) - self.drawn, 0)
        stratum = np.repeat(np.arange(len(more)), more)
        within = np.arange(len(stratum)) - np.repeat(np.cumsum(more) - more, more)
        at = self.drawn[stratum] + within
        chosen = draw_integers(self.source, at, self.counts[stratum]) if len(at) else at
        self.drawn += more
        start = self.starts[stratum]
        places = self._shuffled((start + at).tolist(), (start + chosen).tolist())
        if self.order is None:
            return places
        return as_host(self.order[beside(places, self.order)])

    def _shuffled(self, at: list[int], chosen: list[int]) -> Array:
        """Take the next steps of Fisher and Yates' shuffle, of which only the places that have changed are kept."""
        moved, out = self.moved, np.empty(len(at), dtype=np.int64)
        for step, (here, there) in enumerate(zip(at, chosen, strict=True)):
            out[step] = moved.get(there, there)
            moved[there] = moved.pop(here, here)  # no later step looks at this place
        return out


def rows_by_stratum(codes: Array, n_strata: int) -> Array:
    """Return the row numbers stratum by stratum, those of each in their order."""
    xp = array_module(codes)
    narrow = np.int16 if n_strata <= RADIX else np.int32
    order: Array = xp.argsort(codes.astype(narrow), kind="stable")
    return order
