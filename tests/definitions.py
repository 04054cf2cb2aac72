"""The definitions of the metrics, written as plainly as they can be: slow, direct, and in exact arithmetic
wherever that is possible. Tests compare the package with these; nothing here is shared with the package."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np

# ---------------------------------------------------------------------------------------------
# Two labelings


def table(labels_true, labels_pred):
    """The non-empty cells, row sums, column sums and total of the two-way table."""
    cells = Counter(zip(labels_true, labels_pred, strict=True))
    return cells, Counter(labels_true), Counter(labels_pred), len(labels_true)


def contingency_matrix(labels_true, labels_pred):
    cells, rows, columns, _ = table(labels_true, labels_pred)
    return [[cells[r, c] for c in sorted(columns)] for r in sorted(rows)]


def pair_confusion_matrix(labels_true, labels_pred):
    """Counts of ordered pairs, found by looking at every pair."""
    matrix = [[0, 0], [0, 0]]
    for i, j in itertools.permutations(range(len(labels_true)), 2):
        matrix[labels_true[i] == labels_true[j]][labels_pred[i] == labels_pred[j]] += 1
    return matrix


def same_partition(labels_true, labels_pred):
    cells, rows, columns, _ = table(labels_true, labels_pred)
    return len(cells) == len(rows) == len(columns)


def rand(labels_true, labels_pred):
    (apart, b), (c, together) = pair_confusion_matrix(labels_true, labels_pred)
    total = apart + b + c + together
    return float(Fraction(apart + together, total)) if total else 1.0


def adjusted_rand(labels_true, labels_pred):
    """(index - expected) / (maximum - expected), over unordered pairs, in fractions."""
    if same_partition(labels_true, labels_pred):
        return 1.0
    cells, rows, columns, n = table(labels_true, labels_pred)
    index = sum(math.comb(v, 2) for v in cells.values())
    a, b = (sum(math.comb(v, 2) for v in margin.values()) for margin in (rows, columns))
    expected = Fraction(a * b, math.comb(n, 2))
    return float((index - expected) / (Fraction(a + b, 2) - expected))


def fowlkes_mallows(labels_true, labels_pred):
    if same_partition(labels_true, labels_pred):
        return 1.0
    (_, fp), (fn, tp) = pair_confusion_matrix(labels_true, labels_pred)
    return math.sqrt(Fraction(tp * tp, (tp + fp) * (tp + fn))) if tp else 0.0


def clustering_accuracy(labels_true, labels_pred):
    """The best one-to-one matching, by trying all of them."""
    matrix = contingency_matrix(labels_true, labels_pred)
    if len(matrix) > len(matrix[0]):
        matrix = [list(column) for column in zip(*matrix, strict=True)]
    matchings = itertools.permutations(range(len(matrix[0])), len(matrix))
    best = max(sum(row[j] for row, j in zip(matrix, chosen, strict=True)) for chosen in matchings)
    return best / len(labels_true)


def log(ratio):
    """The logarithm of a fraction, exact also where the fraction is nearly 1."""
    return math.log1p(ratio - 1) if abs(ratio - 1) < Fraction(1, 2) else math.log(ratio)


def entropy(labels):
    n = len(labels)
    return math.fsum(-v / n * log(Fraction(v, n)) for v in Counter(labels).values())


def mutual_info(labels_true, labels_pred):
    cells, rows, columns, n = table(labels_true, labels_pred)
    return math.fsum(v / n * log(Fraction(v * n, rows[r] * columns[c])) for (r, c), v in cells.items())


def expected_mutual_information(rows, columns, n):
    """The mean of the mutual information over all tables with these margins (hypergeometric law)."""
    terms = []
    for a, b in itertools.product(rows, columns):
        for v in range(max(1, a + b - n), min(a, b) + 1):
            chance = Fraction(math.comb(b, v) * math.comb(n - b, a - v), math.comb(n, a))
            terms.append(float(chance * v / n) * log(Fraction(v * n, a * b)))
    return math.fsum(terms)


MEANS = {
    "min": min,
    "max": max,
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: math.sqrt(a * b),
}


def normalized_mutual_info(labels_true, labels_pred, average_method="arithmetic"):
    if same_partition(labels_true, labels_pred):
        return 1.0
    if len(set(labels_true)) == 1 or len(set(labels_pred)) == 1:
        return 0.0
    mean = MEANS[average_method](entropy(labels_true), entropy(labels_pred))
    return mutual_info(labels_true, labels_pred) / mean


def adjusted_mutual_info(labels_true, labels_pred, average_method="arithmetic"):
    if same_partition(labels_true, labels_pred):
        return 1.0
    _, rows, columns, n = table(labels_true, labels_pred)
    if len(rows) in {1, n} or len(columns) in {1, n}:
        return 0.0  # every table with these margins has the same mutual information
    expected = expected_mutual_information(rows.values(), columns.values(), n)
    mean = MEANS[average_method](entropy(labels_true), entropy(labels_pred))
    return (mutual_info(labels_true, labels_pred) - expected) / (mean - expected)


def homogeneity(labels_true, labels_pred):
    h = entropy(labels_true)
    return mutual_info(labels_true, labels_pred) / h if len(set(labels_true)) > 1 else 1.0


def completeness(labels_true, labels_pred):
    return homogeneity(labels_pred, labels_true)


def v_measure(labels_true, labels_pred, beta=1.0):
    h, c = homogeneity(labels_true, labels_pred), completeness(labels_true, labels_pred)
    return (1 + beta) * h * c / (beta * h + c) if h + c else 0.0


def homogeneity_completeness_v_measure(labels_true, labels_pred, beta=1.0):
    h, c = homogeneity(labels_true, labels_pred), completeness(labels_true, labels_pred)
    return h, c, v_measure(labels_true, labels_pred, beta)


# ---------------------------------------------------------------------------------------------
# Features and labels


def scaled(X):
    """The stored values in float64 times a power of two, which is exact: no square overflows or vanishes."""
    X = np.asarray(X).astype(np.float64)
    largest = np.abs(X).max()
    return np.ldexp(X, -int(np.frexp(largest)[1])) if largest else X


def distances(X, metric="euclidean"):
    """All distances by direct differences in float64, one row at a time."""
    if callable(metric):
        return np.array([[metric(x, y) for y in X] for x in X], dtype=np.float64)
    X = scaled(X)
    if metric == "cosine":
        return _cosine(X)
    rows = {
        "euclidean": lambda x: np.sqrt(((X - x) ** 2).sum(axis=1)),
        "sqeuclidean": lambda x: ((X - x) ** 2).sum(axis=1),
        "manhattan": lambda x: np.abs(X - x).sum(axis=1),
        "chebyshev": lambda x: np.abs(X - x).max(axis=1),
    }[metric]
    return np.array([rows(x) for x in X])


def _cosine(X):
    """1 - cos as half the squared distance of unit rows: no cancellation. A zero row is 1 from all others."""
    length = np.sqrt((X**2).sum(axis=1))
    unit = X / np.where(length == 0, 1, length)[:, None]
    D = np.array([((unit - x) ** 2).sum(axis=1) / 2 for x in unit])
    D[length == 0, :] = D[:, length == 0] = 1
    np.fill_diagonal(D, 0)
    return D


def silhouettes_from(D, labels):
    """s = (b - a) / max(a, b) from a matrix of distances; 0 for a cluster of one row and for 0/0."""
    labels = np.asarray(labels)
    D = np.asarray(D, dtype=np.float64)
    names, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.stack([D[:, codes == k].sum(axis=1) for k in range(len(names))], axis=1)
    rows = np.arange(len(D))
    own = sums[rows, codes] / np.maximum(sizes[codes] - 1, 1)
    means = sums / sizes
    means[rows, codes] = np.inf
    nearest = means.min(axis=1)
    largest = np.maximum(own, nearest)
    s = (nearest - own) / np.where(largest == 0, 1, largest)
    return np.where(sizes[codes] == 1, 0.0, s)


def silhouette_samples(X, labels, metric="euclidean"):
    return silhouettes_from(distances(X, metric), labels)


def silhouette(X, labels, metric="euclidean"):
    return math.fsum(silhouette_samples(X, labels, metric)) / len(labels)


def mean(rows):
    """The mean of rows of fractions, exactly."""
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def square(a, b):
    """The squared distance of two rows of fractions: exact differences, then floats."""
    return math.fsum(float(x - y) ** 2 for x, y in zip(a, b, strict=True))


def clusters(X, labels):
    """All rows as fractions, those of each cluster in the order of the labels, and the exact means."""
    rows, labels = [[Fraction(x) for x in row] for row in scaled(X).tolist()], np.asarray(labels)
    parts = [[rows[i] for i in np.flatnonzero(labels == k)] for k in np.unique(labels)]
    return rows, parts, [mean(part) for part in parts]


def within_and_between(X, labels):
    rows, parts, centres = clusters(X, labels)
    centre = mean(rows)
    within = math.fsum(square(x, c) for part, c in zip(parts, centres, strict=True) for x in part)
    between = math.fsum(len(part) * square(c, centre) for part, c in zip(parts, centres, strict=True))
    return within, between


def calinski_harabasz(X, labels):
    k = len(np.unique(labels))
    within, between = within_and_between(X, labels)
    return between * (len(labels) - k) / (within * (k - 1))


def davies_bouldin_matrix(X, labels):
    _, parts, centres = clusters(X, labels)
    spreads = [
        math.fsum(math.sqrt(square(x, c)) for x in part) / len(part) for part, c in zip(parts, centres, strict=True)
    ]
    R = np.zeros((len(parts), len(parts)))
    for i, j in itertools.permutations(range(len(parts)), 2):
        R[i, j] = (spreads[i] + spreads[j]) / math.sqrt(square(centres[i], centres[j]))
    return R


def davies_bouldin(X, labels):
    return davies_bouldin_matrix(X, labels).max(axis=1).mean()
