"""The right answers, from scikit-learn in float64, and from definitions where scikit-learn itself is to be checked."""

from __future__ import annotations

import math

import numpy as np

from .agreement import judge, numbers
from .peers import scikit_learn

ROWS = 60  # rows whose silhouettes are computed by their definition
PICKED = 4  # labelings of many whose silhouettes are computed one by one


def true_answer(job, args):
    """What the answer for the arguments must be, as `numbers`; for some labelings only: nan stands for the others."""
    return TRUTHS[job.case.truth](job, args)


def _by_scikit_learn(job, args):
    return numbers(scikit_learn.PEER.call(job.case, job.shape)(*args))


def _in_float64(job, args):
    return _by_scikit_learn(job, [args[0].astype(np.float64), *args[1:]])


def _checked_silhouettes(job, args):
    """scikit-learn's in float64, after some rows were compared with the definition."""
    found = _in_float64(job, args)
    if job.case.metric == "silhouette_samples":
        X, labels = args[0].astype(np.float64), args[1]
        rows = np.unique(np.random.default_rng(1).integers(0, len(X), ROWS))
        defined = silhouettes_of(rows, X, labels, job.case.keywords.get("metric", "euclidean"))
        verdict = judge(found[rows], defined, atol=1e-10, rtol=0)
        if verdict.state != "ok":
            raise ArithmeticError(f"{job.case.name}: scikit-learn in float64 {verdict.reason}, by the definition")
    return found


def silhouettes_of(rows, X, labels, metric):
    """Silhouettes of some rows by their definition, from the distances to all others."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415

    codes = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(codes)
    distances = cdist(X[rows], X, {"manhattan": "cityblock"}.get(metric, metric))
    sums = np.stack([np.bincount(codes, line, len(sizes)) for line in distances])
    own, places = codes[rows], np.arange(len(rows))
    a = sums[places, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[places, own] = np.inf
    b, larger = means.min(axis=1), np.maximum(a, means.min(axis=1))
    return np.where((sizes[own] == 1) | (larger == 0), 0.0, (b - a) / np.where(larger == 0, 1.0, larger))


def _some_labelings(job, args):
    """Of first, last and two labelings between."""
    X, labelings = args
    found = np.full(len(labelings), np.nan)
    for at in np.linspace(0, len(labelings) - 1, PICKED).astype(int):
        found[at] = _in_float64(job, [X, [labelings[at]]])[0]
    return found


def _from_pairs(job, args):
    """By counts of pairs in Python's integers, which do not overflow."""
    true, pred = (np.unique(part, return_inverse=True)[1].astype(np.int64) for part in args)
    cells = np.unique(true * (int(pred.max()) + 1) + pred, return_counts=True)[1]
    n = len(true)
    both = _squares(cells)
    in_true, in_pred = _squares(np.bincount(true)), _squares(np.bincount(pred))
    neither = n * n - in_true - in_pred + both
    together, either = both - n, in_true + in_pred
    if job.case.metric == "pair_confusion_matrix":
        return numbers([[neither, in_pred - both], [in_true - both, together]])
    if job.case.metric == "rand_score":
        return numbers((neither + together) / (n * n - n))
    if job.case.metric == "fowlkes_mallows_score":
        return numbers(together / math.sqrt((in_true - n) * (in_pred - n)))
    expected = (in_true - n) * (in_pred - n) / (n * n - n)
    return numbers((together - expected) / ((either - 2 * n) / 2 - expected))


def _squares(counts):
    return sum(int(count) ** 2 for count in counts)


TRUTHS = {
    "scikit-learn": _by_scikit_learn,
    "float64": _in_float64,
    "definition": _checked_silhouettes,
    "some labelings": _some_labelings,
    "pairs": _from_pairs,
}
