"""scikit-learn-intelex. It speeds up scikit-learn's pairwise distances, for cosine and correlation in float64."""

from __future__ import annotations

import functools

import numpy as np

from .peer import CannotError, Peer, without_euclidean


def _call(case, _shape):
    distance, others = without_euclidean(case.keywords)
    if case.metric not in {"silhouette_samples", "silhouette_score"} or distance not in {"cosine", "correlation"}:
        raise CannotError("it changes nothing of this: scikit-learn's own code runs")
    return functools.partial(_from_distances, case.metric, distance, **others)


def _from_distances(metric, distance, X, labels, **others):
    import sklearn.metrics  # noqa: PLC0415
    from sklearnex.metrics import pairwise_distances  # noqa: PLC0415

    distances = pairwise_distances(X.astype(np.float64), metric=distance)
    np.fill_diagonal(distances, 0.0)
    return getattr(sklearn.metrics, metric)(distances, labels, metric="precomputed", **others)


PEER = Peer("scikit-learn-intelex", ("sklearnex", "sklearnex.metrics"), _call)
