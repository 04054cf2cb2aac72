"""Tables of counts that are merged seldom: a cell a few times only, whatever the number of batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Tables"]


@dataclass(frozen=True)
class Tables:
    """Tables of one kind, each of which has more than twice the cells of the next.

    Attributes
    ----------
    parts : tuple
        Objects with `counts`, of their cells, and `merge`; one at least.
    """

    parts: tuple[Any, ...]

    @property
    def n_samples(self) -> int:
        return sum(int(part.n_samples) for part in self.parts)

    def merge(self, other: Tables) -> Tables:
        """Return the tables of both."""
        parts = list(self.parts)
        for part in other.parts:
            table = part
            while parts and len(parts[-1].counts) <= 2 * len(table.counts):
                table = parts.pop().merge(table)
            parts.append(table)
        return Tables(tuple(parts))

    def folded(self) -> Tables:
        """Return them as one table."""
        *larger, table = self.parts
        while larger:
            table = larger.pop().merge(table)
        return Tables((table,))
