"""Tables on which a matrix product in the input's precision goes wrong, and some on which it does not."""

from __future__ import annotations

import numpy as np


def table(name, case, dtype):
    """Rows, as the dtype stores them, and labels."""
    rng = np.random.default_rng(len(name) + case.n + case.d)
    labels = rng.permutation(np.arange(case.n) % case.k)
    X = MAKERS.get(name, _blobs)(rng, case, labels, dtype)
    return X.astype(dtype), labels


def _blobs(rng, case, labels, _dtype):
    return rng.normal(size=(case.k, case.d))[labels] + rng.normal(size=(case.n, case.d))


def _offset(size):
    return lambda *given: size + 3 * _blobs(*given)


def _duplicates(rng, case, labels, _dtype):
    """Every row stands some twenty times, in two clusters."""
    few = _blobs(rng, case, labels, None)[: max(2, case.n // 20)]
    return few[rng.integers(0, len(few), case.n)]


def _low_rank(rng, case, labels, _dtype):
    """Rows near a plane: many pairs are closer than the lengths of their rows let a product tell."""
    plane = rng.normal(size=(2, case.d))
    return 5 * rng.normal(size=(case.n, 2)) @ plane + 0.1 * _blobs(rng, case, labels, None)


def _tight(rng, case, labels, dtype):
    """Pairs of neighbouring clusters that are small against their distance from the origin and from other pairs."""
    pairs = 1e4 * rng.normal(size=(case.k, case.d))[labels // 2]
    return pairs + (1e-2 if np.dtype(dtype) == np.float32 else 1e-6) * _blobs(rng, case, labels, dtype)


MAKERS = {
    "offset 1e4": _offset(1e4),
    "offset 1e8": _offset(1e8),
    "duplicates": _duplicates,
    "low rank": _low_rank,
    "tight far clusters": _tight,
}
