"""Clustered tables, among them hostile ones, whose moments and silhouettes are known from all rows at once."""

import numpy as np

N, D, K = 60, 4, 5


def clustered(seed=0, gap=3.0, spread=1.0):
    """Rows about K centres, each with two rows at least, and the centre of each."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.concatenate([np.repeat(np.arange(K), 2), rng.integers(0, K, N - 2 * K)]))
    return rng.normal(size=(K, D))[labels] * gap + rng.normal(size=(N, D)) * spread, labels


def _mixed_columns():
    X, labels = clustered(8)
    return X * [1e-30, 1.0, 1e30, 1e3], labels


def _huge_constant():
    X, labels = clustered(9)
    X = X * 1e-165
    X[:, 1] = 1e300
    return X, labels


def _late_huge():
    X, labels = clustered(10)
    X = X * 1e-140
    X[7] *= 1e130  # a batch without this row has other units
    return X, labels


TABLES = {
    "plain": lambda: clustered(1),
    "offset": lambda: (clustered(2)[0] + 1e8, clustered(2)[1]),
    "offset, tight": lambda: (clustered(3, 1.0, 1e-3)[0] + 1e8, clustered(3)[1]),
    "tight and far apart": lambda: clustered(4, 1e6, 1e-2),
    "large": lambda: (clustered(5)[0] * 1e100, clustered(5)[1]),
    "small": lambda: (clustered(6)[0] * 1e-100, clustered(6)[1]),
    "enormous": lambda: ((clustered(5)[0] + 1e4) * 1e160, clustered(5)[1]),
    "minute": lambda: (clustered(6)[0] * 1e-170, clustered(6)[1]),
    "mixed columns": _mixed_columns,
    "a huge constant": _huge_constant,
    "a late huge row": _late_huge,
    "float32": lambda: ((clustered(7)[0] + 1e3).astype(np.float32), clustered(7)[1]),
    "bytes": lambda: (np.round(clustered(7)[0] * 5 + 100).astype(np.uint8), clustered(7)[1]),
    "integers": lambda: (np.round(clustered(7)[0] * 5).astype(np.int64) + 2**62, clustered(7)[1]),
    "unsigned": lambda: (np.round(clustered(7)[0] * 5 + 1e3).astype(np.uint64) + np.uint64(2**63), clustered(7)[1]),
}
