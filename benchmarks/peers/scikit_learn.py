"""scikit-learn: the functions by the same names."""

from __future__ import annotations

import functools

from .peer import CannotError, Peer


def _call(case, _shape):
    return functools.partial(_function(case.metric), **case.keywords)


def _function(metric):
    import sklearn.metrics  # noqa: PLC0415
    from sklearn.metrics.cluster import _supervised  # noqa: PLC0415

    if metric == "silhouette_scores":
        return _one_by_one
    if metric == "entropy":
        return _supervised._entropy  # noqa: SLF001  (where scikit-learn has it since 1.8)
    for module in (sklearn.metrics, sklearn.metrics.cluster):
        if hasattr(module, metric):
            return getattr(module, metric)
    raise CannotError(f"scikit-learn has no {metric}")


def _one_by_one(X, labelings):
    from sklearn.metrics import silhouette_score  # noqa: PLC0415

    return [silhouette_score(X, labels) for labels in labelings]


PEER = Peer("scikit-learn", ("sklearn", "sklearn.metrics.cluster"), _call)
