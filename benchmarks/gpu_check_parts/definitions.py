"""The metrics by their definitions, in NumPy and float64: direct differences, one row at a time."""

from __future__ import annotations

import math

import numpy as np

SAME = (4 * np.finfo(np.float64).eps) ** 2  # rows of one direction differ by the rounding of their lengths


def silhouettes(X, labels, rows, metric):
    """Silhouettes of some rows against all."""
    codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    table, distance = _prepared(np.asarray(X, dtype=np.float64), metric)
    return np.array([_silhouette(distance(table, row), codes, sizes, codes[row]) for row in rows])


def _silhouette(distances, codes, sizes, own):
    if sizes[own] == 1:
        return 0.0
    sums = np.bincount(codes, distances, len(sizes))
    a = sums[own] / (sizes[own] - 1)  # the row's distance to itself is 0
    means = sums / sizes
    means[own] = np.inf
    b = means.min()
    return (b - a) / max(a, b) if max(a, b) > 0 else 0.0


def _prepared(X, metric):
    """Rows, and the function that gives all distances of one of them."""
    if metric == "correlation":
        X = X - X.mean(axis=1, keepdims=True)
    if metric in {"cosine", "correlation"}:
        return X / np.sqrt((X * X).sum(axis=1, keepdims=True)), _angular
    return X, {"euclidean": _euclidean, "sqeuclidean": _squared, "manhattan": _manhattan}[metric]


def _squared(X, row):
    return ((X - X[row]) ** 2).sum(axis=1)


def _euclidean(X, row):
    return np.sqrt(_squared(X, row))


def _manhattan(X, row):
    return np.abs(X - X[row]).sum(axis=1)


def _angular(X, row):
    # Half the squared distance of unit rows is 1 - cos, without its cancellation.
    squares = _squared(X, row)
    return np.where(squares <= SAME, 0.0, squares / 2)


def _centroids(X, labels):
    """Codes and sizes; centroids as a row of each cluster plus the mean deviation from it; deviations from them."""
    X = np.asarray(X, dtype=np.float64)
    _, first, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    deviation = X - X[first][codes]
    shift = np.stack([np.bincount(codes, column, len(sizes)) for column in deviation.T], axis=1) / sizes[:, None]
    return codes, sizes, X[first], shift, deviation - shift[codes]


def calinski_harabasz(X, labels):
    """Between-cluster over within-cluster variance."""
    _, sizes, anchor, shift, deviation = _centroids(X, labels)
    centres = (anchor - anchor[0]) + shift
    centre = (sizes[:, None] * centres).sum(axis=0) / sizes.sum()
    between = float((sizes[:, None] * (centres - centre) ** 2).sum())
    n, k = len(deviation), len(sizes)
    return between * (n - k) / (float((deviation**2).sum()) * (k - 1))


def davies_bouldin(X, labels):
    """Mean over the clusters of the largest (spread + spread) / gap."""
    codes, sizes, anchor, shift, deviation = _centroids(X, labels)
    spread = np.bincount(codes, np.sqrt((deviation**2).sum(axis=1)), len(sizes)) / sizes
    worst = []
    for i in range(len(sizes)):
        gaps = np.sqrt((((anchor - anchor[i]) + (shift - shift[i])) ** 2).sum(axis=1))
        gaps[i] = np.inf
        worst.append(np.max((spread + spread[i]) / gaps))
    return math.fsum(worst) / len(worst)


def agreement(true, other):
    """Adjusted Rand, normalised and adjusted mutual information, from the whole table."""
    k, n = int(max(true.max(), other.max())) + 1, len(true)
    table = np.bincount(true * k + other, minlength=k * k).reshape(k, k)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    pairs, a, b = (sum(math.comb(int(v), 2) for v in part.ravel()) for part in (table, rows, columns))
    chance = a * b / math.comb(n, 2)
    i, j = np.nonzero(table)
    cells = table[i, j]
    mutual = math.fsum(cells / n * np.log(cells * float(n) / (rows[i].astype(float) * columns[j])))
    entropies = [-math.fsum(m[m > 0] / n * np.log(m[m > 0] / n)) for m in (rows, columns)]
    mean = sum(entropies) / 2
    expected = _expected_mutual_information(rows[rows > 0], columns[columns > 0], n)
    return (pairs - chance) / ((a + b) / 2 - chance), mutual / mean, (mutual - expected) / (mean - expected)


def _expected_mutual_information(rows, columns, n):
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    terms = []
    for a in map(int, rows):
        for b in map(int, columns):
            v = np.arange(max(1, a + b - n), min(a, b) + 1)
            logs = (
                log_factorial[[a, b, n - a, n - b]].sum()
                - log_factorial[n]
                - log_factorial[v]
                - log_factorial[a - v]
                - log_factorial[b - v]
                - log_factorial[n - a - b + v]
            )
            # Its own sum makes up for the rounding of the logarithms.
            law = np.exp(logs)
            whole = law.sum() + (math.exp(_none(log_factorial, a, b, n)) if a + b <= n else 0.0)
            terms.append(float((law * v / n * np.log(n * v / (float(a) * b))).sum() / whole))
    return math.fsum(terms)


def _none(log_factorial, a, b, n):
    """Logarithm of the chance of an empty cell."""
    return log_factorial[n - a] + log_factorial[n - b] - log_factorial[n] - log_factorial[n - a - b]
