"""The scores of a tag report in plain Python, from sets."""

import math
from statistics import fmean

from gpumetrics.evaluation.tags.scores import METRICS


def plain_ratio(name, both, true, pred, beta):
    """Numerator and denominator of a score of counts, from the definitions."""
    return {
        "precision": (both, pred),
        "recall": (both, true),
        "f1": (2 * both, true + pred),
        "fbeta": ((1 + beta**2) * both, beta**2 * true + pred),
        "jaccard": (both, true + pred - both),
    }[name]


def plain_scores(true, pred, classes, beta, rule):
    """Every score from plain sets; nan where there is nothing to average."""
    out = {}
    by_document = [(len(t & p), len(t), len(p)) for t, p in zip(true, pred, strict=True)]
    by_label = [
        (
            sum(c in t and c in p for t, p in zip(true, pred, strict=True)),
            sum(c in t for t in true),
            sum(c in p for p in pred),
        )
        for c in classes
    ]
    for name in METRICS:

        def score(counts, name=name):
            a, b = plain_ratio(name, *counts, beta)
            return a / b if b else rule

        def mean(values, weights=None):
            weights = weights if weights is not None and sum(weights) else [1] * len(values)
            kept = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
            total = sum(w for _, w in kept)
            if kept and not total:
                return fmean(v for v, _ in kept)
            return sum(v * w for v, w in kept) / total if kept else math.nan

        labels = [score(counts) for counts in by_label]
        out[f"{name}_micro"] = score([sum(column) for column in zip(*by_document, strict=True)])
        out[f"{name}_macro"] = mean(labels)
        out[f"{name}_weighted"] = mean(labels, [counts[1] for counts in by_label])
        out[f"{name}_samples"] = mean([score(counts) for counts in by_document])
    wrong = sum(len(t ^ p) for t, p in zip(true, pred, strict=True))
    out["exact_match"] = fmean(t == p for t, p in zip(true, pred, strict=True))
    out["hamming_loss"] = wrong / (len(true) * len(classes)) if classes else math.nan
    return out
