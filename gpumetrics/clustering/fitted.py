"""What a fitted estimator of any library clusters, and how: the rows that its clusterer sees, and their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = ["clustering_of", "n_rows", "rows_of"]


def clustering_of(estimator: Any, X: Any) -> tuple[Any, Any, str]:
    """Find what a fitted estimator clusters, and how.

    Returns
    -------
    X : array-like
        The input of the clusterer itself.
    labels : array-like or None
    why : str
        Why there are none.

    Raises
    ------
    TypeError
        If the estimator is no clusterer.
    """
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps") and hasattr(estimator, "named_steps"):
            if len(estimator.steps) > 1:
                X = estimator[:-1].transform(X)
            estimator = estimator.steps[-1][1]
        else:
            break
    if hasattr(estimator, "predict"):
        return X, estimator.predict(X), ""
    name = type(estimator).__name__
    if not hasattr(estimator, "labels_"):
        msg = f"estimator must be a fitted clusterer, with predict or labels_; {name} has neither"
        raise TypeError(msg)
    labels = estimator.labels_
    if n_rows(labels) != n_rows(X):
        why = f"{name} cannot place other rows than the {n_rows(labels):,} that it was fitted on: use WholeDataset"
        return X, None, why
    return X, labels, ""


def n_rows(table: Any) -> int:
    """Return the number of rows of a table of any kind, or of labels."""
    shape = getattr(table, "shape", None)
    return int(shape[0]) if shape else len(table)


def rows_of(table: Any, kept: Array, *, square: bool = False) -> Any:
    """Return the rows of a table of any kind, or the labels, that a mask marks; of a square table, columns too."""
    import narwhals as nw

    at = np.flatnonzero(kept)
    frame = nw.from_native(table, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.Series) and not square:
        return frame.filter(kept.tolist()).to_native()
    if isinstance(frame, nw.DataFrame):
        table = frame.to_numpy()
    elif hasattr(table, "tocsr"):
        table = table.tocsr()
    elif not hasattr(table, "shape"):
        table = np.asarray(table)
    return table[at][:, at] if square else table[at]
