"""The rows and clusters that a fitted estimator gives a display."""

from __future__ import annotations

from typing import Any

from gpumetrics.clustering.fitted import clustering_of

__all__ = ["clustered_rows"]


def clustered_rows(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the rows that a fitted clusterer sees, and their labels.

    Parameters
    ----------
    estimator : object
        With ``predict`` or ``labels_``; a pipeline that ends with one, or a search over such. Of a pipeline the rows
        are what the other steps make of X.
    X : array-like of shape (n_samples, n_features)

    Raises
    ------
    TypeError
        If it clusters no rows, or is not fitted and has no ``predict``.
    ValueError
        If it has no labels for these rows.
    """
    if isinstance(estimator, type):
        msg = f"estimator must be a fitted clusterer, got the class {estimator.__name__}"
        raise TypeError(msg)
    last = estimator
    while hasattr(last, "best_estimator_") or hasattr(last, "steps"):
        last = last.best_estimator_ if hasattr(last, "best_estimator_") else last.steps[-1][1]
    if hasattr(last, "pooling_func"):
        msg = f"estimator must cluster the rows of X, and {type(last).__name__} clusters its columns"
        raise TypeError(msg)
    rows, labels, why = clustering_of(estimator, X)
    if labels is None:
        msg = f"X must be the rows that the estimator was fitted on: {why.partition(': ')[0]}"
        raise ValueError(msg)
    return rows, labels
