"""The density-based validity as it is defined, by dense matrices and plain loops; nothing is the package's."""

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import logsumexp


def distances(X, metric="euclidean"):
    """All pairs, from the differences."""
    X = np.asarray(X, dtype=np.float64)
    if metric == "cosine":
        length = np.sqrt((X * X).sum(axis=1, keepdims=True))
        unit = X / np.where(length == 0, 1, length)
        out = ((unit[:, None] - unit) ** 2).sum(axis=-1) / 2
        out[out < 1e-30] = 0
        zero = length[:, 0] == 0
        out[zero[:, None] | zero] = 1
        np.fill_diagonal(out, 0)
        return out
    gap = np.abs(X[:, None] - X)
    reach = gap.max() or 1.0  # squares neither overflow nor vanish
    squares = ((gap / reach) ** 2).sum(axis=-1) * reach
    return {
        "euclidean": lambda: np.sqrt(squares * reach) if 1e-100 < reach < 1e100 else np.sqrt(squares / reach) * reach,
        "sqeuclidean": lambda: squares * reach,
        "manhattan": lambda: gap.sum(axis=-1),
        "chebyshev": lambda: gap.max(axis=-1),
    }[metric]()


def core_distances(D, d):
    """(mean over the others of distance ** -d) ** (-1 / d); 0 for a row with a duplicate."""
    core = []
    for i, row in enumerate(D):
        others = np.delete(row, i)
        if others.min() == 0:
            core.append(0.0)
        else:
            core.append(np.exp(-(logsumexp(-d * np.log(others)) - np.log(len(others))) / d))
    return np.array(core)


def alike(numbers):
    """Round to 36 bits: numbers that differ by rounding become equal."""
    mantissa, exponent = np.frexp(numbers)
    return np.ldexp(np.round(mantissa * 2.0**37) * 2.0**-37, exponent)


def spanning_tree(weight, place):
    """The edges of a minimum spanning tree; of edges of equal weight those whose ends have the first places.

    SciPy gets ranks for weights: all of them differ, and none is 0, which it would take for no edge.
    """
    n = len(weight)
    i, j = np.triu_indices(n, 1)
    first, second = np.minimum(place[i], place[j]), np.maximum(place[i], place[j])
    order = np.lexsort((second, first, alike(weight[i, j])))
    ranks = np.zeros((n, n))
    ranks[i[order], j[order]] = np.arange(1, len(i) + 1)
    return np.argwhere(minimum_spanning_tree(ranks).toarray() > 0)


def inside(D, X, d, ties):
    """Core distances, inner rows and sparseness of one cluster."""
    core = core_distances(D, d)
    weight = np.maximum(D, np.maximum(core[:, None], core))
    place = np.arange(len(D))
    if ties == "density":
        key = np.zeros(len(D)) if X is None else (X * np.sqrt(np.arange(2.0, X.shape[1] + 2))).sum(axis=1)
        place = np.argsort(np.lexsort((key, alike(core))))
    edges = spanning_tree(weight, place)
    inner = np.bincount(edges.ravel(), minlength=len(D)) > 1
    weights = weight[edges[:, 0], edges[:, 1]]
    internal = inner[edges].all(axis=1)
    return core, inner if inner.any() else ~inner, (weights[internal] if internal.any() else weights).max()


def density_validity(X, labels, metric="euclidean", noise_label=-1, ties="rows", d=None, D=None):
    labels = np.asarray(labels)
    X = None if X is None else np.asarray(X, dtype=np.float64)
    D = distances(X, metric) if D is None else D
    d = X.shape[1] if d is None else d
    clusters = [c for c in sorted(set(labels.tolist())) if c != noise_label and (labels == c).sum() > 1]
    found = {}
    for c in clusters:
        rows = np.flatnonzero(labels == c)
        core, inner, sparseness = inside(D[np.ix_(rows, rows)], None if X is None else X[rows], d, ties)
        found[c] = rows[inner], core[inner], sparseness
    total = 0.0
    for c in clusters:
        rows, core, sparseness = found[c]
        separation = np.inf
        for other in clusters:
            if other != c:
                theirs, their_core, _ = found[other]
                reach = np.maximum(D[np.ix_(rows, theirs)], np.maximum(core[:, None], their_core))
                separation = min(separation, reach.min())
        larger = max(separation, sparseness)
        validity = (separation - sparseness) / larger if larger else 0.0
        total += (labels == c).sum() * validity
    return total / len(labels) if len(clusters) > 1 else np.nan
