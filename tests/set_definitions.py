"""Scores of labels and label sets by their definitions: plain Python over lists and sets, exact fractions.

Vectors of labels are lists; label sets are lists of sets. `weights` is one number for each sample.
"""

import math
from fractions import Fraction

# ---------------------------------------------------------------------------------------------
# Counts


def ones(rows):
    return [1] * len(rows)


def sets_of(labels):
    """Vectors of labels as sets of one label each."""
    return [{label} for label in labels]


def counts_of_label(true, pred, label, weights):
    """(both, predicted, true) of one label over samples that are sets."""
    rows = list(zip(true, pred, map(Fraction, weights), strict=True))
    return (
        sum(w for t, p, w in rows if label in t and label in p),
        sum(w for t, p, w in rows if label in p),
        sum(w for t, p, w in rows if label in t),
    )


def counts_of_sample(true, pred, among):
    """(both, predicted, true) of one sample over the labels that are asked for."""
    return tuple(sum(label in chosen for label in among) for chosen in (true & pred, pred, true))


# ---------------------------------------------------------------------------------------------
# Precision, recall, F and Jaccard: quotients of counts, nan where both are 0


def quotient(numerator, denominator, undefined):
    return undefined if denominator == 0 else float(Fraction(numerator) / Fraction(denominator))


def precision(both, predicted, _true, undefined):
    return quotient(both, predicted, undefined)


def recall(both, _predicted, true, undefined):
    return quotient(both, true, undefined)


def jaccard(both, predicted, true, undefined):
    return quotient(both, predicted + true - both, undefined)


def f_beta(beta):
    def score(both, predicted, true, undefined):
        if math.isinf(beta):
            return quotient(both, true, undefined)
        b = Fraction(beta) ** 2
        return quotient((1 + b) * both, b * true + predicted, undefined)

    return score


def mean(values, weights=None):
    """Mean of what is not nan; nan if nothing is; weights that are all 0 do not count."""
    weights = [1] * len(values) if weights is None else weights
    kept = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
    total = math.fsum(w for _, w in kept)
    if kept and total == 0:
        return math.fsum(v for v, _ in kept) / len(kept)
    return math.fsum(v * w for v, w in kept) / total if kept else math.nan


def averaged(score, true, pred, average, labels, weights=None, undefined=0.0):
    """The score of sets, over the labels that are asked for, averaged as scikit-learn says."""
    weights = ones(true) if weights is None else weights
    if average == "samples":
        values = [score(*counts_of_sample(t, p, labels), undefined) for t, p in zip(true, pred, strict=True)]
        return mean(values, weights)
    counts = [counts_of_label(true, pred, label, weights) for label in labels]
    if average == "micro":
        return score(*map(sum, zip(*counts, strict=True)), undefined)
    values = [score(*c, undefined) for c in counts]
    if average is None:
        return values
    return mean(values, [float(c[2]) for c in counts] if average == "weighted" else None)


def of_vectors(score):
    """The score of two vectors of labels, as the public functions are called."""

    def call(true, pred, average="binary", labels=None, pos_label=1, sample_weight=None, zero_division=0.0, beta=None):
        chosen = sorted(set(true) | set(pred)) if labels is None else labels
        if average == "binary":
            average, chosen = "macro", [pos_label]
        found = score if beta is None else score(beta)
        return averaged(found, sets_of(true), sets_of(pred), average, chosen, sample_weight, zero_division)

    return call


# ---------------------------------------------------------------------------------------------
# Shares


def accuracy(true, pred, sample_weight=None, normalize=True):
    weights = ones(true) if sample_weight is None else sample_weight
    right = sum(Fraction(w) for t, p, w in zip(true, pred, weights, strict=True) if t == p)
    return float(right / sum(map(Fraction, weights)) if normalize else right)


def zero_one(true, pred, sample_weight=None, normalize=True):
    weights = ones(true) if sample_weight is None else sample_weight
    wrong = sum(Fraction(w) for t, p, w in zip(true, pred, weights, strict=True) if t != p)
    return float(wrong / sum(map(Fraction, weights)) if normalize else wrong)


def hamming_of_sets(true, pred, n_labels, weights=None):
    """Share of the cells of the two indicator matrices that differ."""
    weights = ones(true) if weights is None else weights
    wrong = sum(Fraction(w) * len(t ^ p) for t, p, w in zip(true, pred, weights, strict=True))
    return float(wrong / (n_labels * sum(map(Fraction, weights))))


def balanced_accuracy(true, pred, sample_weight=None, adjusted=False):
    weights = ones(true) if sample_weight is None else sample_weight
    counts = [counts_of_label(sets_of(true), sets_of(pred), label, weights) for label in sorted(set(true))]
    recalls = [float(both / t) for both, _, t in counts if t]
    value, chance = mean(recalls), 1 / len(recalls)
    return (value - chance) / (1 - chance) if adjusted else value


# ---------------------------------------------------------------------------------------------
# Tables


def confusion(true, pred, labels=None, sample_weight=None):
    weights = ones(true) if sample_weight is None else sample_weight
    labels = sorted(set(true) | set(pred)) if labels is None else labels
    rows = list(zip(true, pred, weights, strict=True))
    return [[sum(w for t, p, w in rows if (t, p) == (a, b)) for b in labels] for a in labels]


def multilabel_confusion(true, pred, labels, weights=None):
    """[[TN, FP], [FN, TP]] of each label over samples that are sets."""
    weights = ones(true) if weights is None else weights
    total = sum(map(Fraction, weights))
    tables = []
    for label in labels:
        both, predicted, t = counts_of_label(true, pred, label, weights)
        tables.append([[total - predicted - t + both, predicted - both], [t - both, both]])
    return [[[float(cell) for cell in row] for row in table] for table in tables]


def kappa(true, pred, labels=None, weights=None, sample_weight=None):
    """1 - observed / expected disagreement, over the table of the labels."""
    power = {None: lambda i, j: int(i != j), "linear": lambda i, j: abs(i - j), "quadratic": lambda i, j: (i - j) ** 2}
    exact = None if sample_weight is None else [Fraction(w) for w in sample_weight]
    table = confusion(true, pred, labels, exact)
    places = range(len(table))
    rows, cols = [sum(row) for row in table], [sum(col) for col in zip(*table, strict=True)]
    apart = [(i, j, power[weights](i, j)) for i in places for j in places]
    expected = Fraction(sum(d * rows[i] * cols[j] for i, j, d in apart)) / sum(rows)
    return float(1 - sum(d * table[i][j] for i, j, d in apart) / expected) if expected else math.nan


def matthews(true, pred, sample_weight=None):
    """Correlation of the samples' indicator vectors: covariance over the root of the two variances."""
    weights = [Fraction(w) for w in (ones(true) if sample_weight is None else sample_weight)]
    counts = [counts_of_label(sets_of(true), sets_of(pred), label, weights) for label in sorted(set(true) | set(pred))]
    total = sum(weights)
    covariance = sum(b for b, _, _ in counts) * total - sum(p * t for _, p, t in counts)
    spreads = [total**2 - sum(c[side] ** 2 for c in counts) for side in (1, 2)]
    return float(covariance) / math.sqrt(spreads[0] * spreads[1]) if all(spreads) else 0.0
