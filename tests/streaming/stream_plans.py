"""Ways to cut rows into batches, to give these to states, and to merge the states."""

import copy
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class Plan:
    """The rows of each batch, the state that takes it, and the seed of the order in which states merge."""

    batches: tuple
    states: tuple
    seed: int

    @property
    def rows(self):
        return np.concatenate(self.batches)

    def run(self, state, *columns):
        """Update copies of a blank state with the rows of these columns, and merge them in pairs until one is left."""
        found = {}
        for rows, number in zip(self.batches, self.states, strict=True):
            found.setdefault(number, copy.copy(state)).update(*[take(column, rows) for column in columns])
        left, rng = list(found.values()), np.random.default_rng(self.seed)
        while len(left) > 1:
            first, second = (left.pop(int(rng.integers(len(left)))) for _ in range(2))
            left.append(first.merge(second))
        return left[0]


def take(column, rows):
    return [column[row] for row in rows] if isinstance(column, list) else column[rows]


def plan_of(n, seed):
    """A random plan: shuffled rows, one to nine batches, as many states or fewer."""
    rng = np.random.default_rng(seed)
    n_batches = int(rng.integers(1, min(n, 9) + 1))
    cuts = np.sort(rng.choice(np.arange(1, n), n_batches - 1, replace=False)) if n_batches > 1 else []
    batches = tuple(np.split(rng.permutation(n), cuts))
    return Plan(batches, tuple(rng.integers(0, n_batches, n_batches).tolist()), seed)


def plans(n):
    return st.integers(0, 2**32 - 1).map(lambda seed: plan_of(n, seed))
