"""Searches over the settings of a clusterer: scorers and a splitter for scikit-learn, for Optuna, for any loop."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.kept_copy import device_copy, drop_copy
from gpumetrics.clustering.compactness import calinski_harabasz_score, davies_bouldin_score
from gpumetrics.clustering.fitted import clustering_of, n_rows, rows_of
from gpumetrics.clustering.silhouette import silhouette_score
from gpumetrics.exceptions import warn_undefined
from gpumetrics.validation import encode_labels, noise_mask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gpumetrics.types import Array

__all__ = [
    "ClusterScorer",
    "WholeDataset",
    "calinski_harabasz_scorer",
    "free_device_copy",
    "make_cluster_scorer",
    "neg_davies_bouldin_scorer",
    "silhouette_scorer",
]


class WholeDataset:
    """Splitter with one split: fit on all rows, score on all rows.

    A clustering is judged on the rows that it groups, so that parts held out, as cross-validation has them, answer
    another question (whether clusters of one sample fit another one); and many clusterers cannot place new rows.
    Pass it as ``cv=`` to scikit-learn's `GridSearchCV`, `RandomizedSearchCV` or `cross_validate`.

    Examples
    --------
    >>> from gpumetrics.model_selection import WholeDataset
    >>> [(train.tolist(), test.tolist()) for train, test in WholeDataset().split([[1.0], [2.0], [4.0]])]
    [([0, 1, 2], [0, 1, 2])]
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Array, Array]]:  # noqa: ARG002
        """Yield the numbers of all rows, twice.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y, groups : object
            Ignored.

        Yields
        ------
        train, test : ndarray of shape (n_samples,), int64
        """
        n_samples = n_rows(X)
        yield np.arange(n_samples), np.arange(n_samples)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """Return 1.

        Parameters
        ----------
        X, y, groups : object
            Ignored.
        """
        return 1

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002  (scikit-learn's)
        """Return no parameters: there are none. scikit-learn's ``clone`` asks for them."""
        return {}

    def set_params(self, **params: Any) -> WholeDataset:
        """Set no parameters: there are none."""
        if params:
            msg = f"WholeDataset has no parameters, got {min(params)!r}"
            raise ValueError(msg)
        return self

    def __repr__(self) -> str:
        return "WholeDataset()"


class ClusterScorer:
    """Scorer of a fitted clusterer, ``scorer(estimator, X, y=None) -> float``; made by `make_cluster_scorer`.

    Parameters
    ----------
    score_func : callable
    greater_is_better : bool
    noise_label : label or None
    options : dict
        Keywords of `score_func`.
    """

    def __init__(
        self, score_func: Callable[..., Any], *, greater_is_better: bool, noise_label: Any, options: dict[str, Any]
    ) -> None:
        self.score_func, self.greater_is_better = score_func, greater_is_better
        self.noise_label, self.options = noise_label, options

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """Score the clustering that a fitted estimator makes of X.

        Parameters
        ----------
        estimator : object
            A fitted clusterer, or a pipeline that ends with one.
        X : array-like of shape (n_samples, n_features)
            What the estimator takes.
        y : object
            Ignored.

        Returns
        -------
        float
            Higher is better, always: a score that is the better the lower has its sign changed. nan, with a warning,
            where it is undefined.
        """
        X, labels, why = clustering_of(estimator, X)
        if labels is not None:
            encoded = encode_labels(labels, "labels")
            noise = noise_mask(encoded, self.noise_label)
            n_noise = 0 if noise is None else int(noise.sum())
            n_clusters, n_kept = encoded.n_classes - (noise is not None), encoded.n_samples - n_noise
            if 1 < n_clusters < n_kept:
                return self._sign * float(self._value(X, labels, noise))
            why = _why_undefined(n_clusters, n_kept)
        warn_undefined(f"{_name(self.score_func)} is undefined and the score nan: {why}.")
        return math.nan

    @property
    def _sign(self) -> int:
        return 1 if self.greater_is_better else -1

    def _value(self, X: Any, labels: Any, noise: Any) -> Any:
        options = self.options
        if _takes(self.score_func, "noise_label"):
            options = {"noise_label": self.noise_label, **options}
        elif noise is not None:
            kept = ~as_host(noise)
            X, labels = rows_of(X, kept, square=options.get("metric") == "precomputed"), rows_of(labels, kept)
        own = str(getattr(self.score_func, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]
        return self.score_func(device_copy(X) if own else X, labels, **options)

    def __repr__(self) -> str:
        parts = [_name(self.score_func)]
        if not self.greater_is_better:
            parts.append("greater_is_better=False")
        if self.noise_label != -1:
            parts.append(f"noise_label={self.noise_label!r}")
        return f"make_cluster_scorer({', '.join([*parts, *(f'{k}={v!r}' for k, v in self.options.items())])})"


def make_cluster_scorer(
    score_func: Callable[..., Any], *, greater_is_better: bool = True, noise_label: Any = -1, **kwargs: Any
) -> ClusterScorer:
    """Make a scorer of clusterers out of a score of a clustering.

    Parameters
    ----------
    score_func : callable
        ``score_func(X, labels, **kwargs) -> float``: one of this package, such as `density_validity`, of
        `sklearn.metrics`, or your own. It pickles with the scorer, which ``n_jobs`` needs, if it is no lambda.
    greater_is_better : bool, default=True
        Whether a higher score is better; otherwise its sign is changed.
    noise_label : label, default=-1
        Rows with this label belong to no cluster. It is passed on if `score_func` has such a parameter; otherwise
        these rows are taken out of X and labels. None if there is no noise.
    **kwargs
        For `score_func`, such as ``metric="cosine"``; for `silhouette_estimate`, ``n_queries=2000, random_state=0``.

    Returns
    -------
    ClusterScorer
        ``scorer(estimator, X, y=None) -> float``, higher is better: for ``scoring=`` of scikit-learn's searches, or
        to be called.

    Raises
    ------
    TypeError
        If `score_func` cannot be called.

    Notes
    -----
    **Which labels.** Those of ``estimator.predict(X)``, if the estimator has it: for the rows that it was fitted on, or
    for others. Otherwise, as for DBSCAN and agglomerative clustering, its ``labels_``, which are those of the
    rows that it was fitted on: the score is nan, with a warning, for another number of rows, but other rows of the
    same number cannot be told from them. So such clusterers need `WholeDataset`, or the same X for fit and score.

    **Which X.** The input of the clusterer itself: of a pipeline, what its other steps make of X, so that
    ``Pipeline(StandardScaler(), KMeans())`` is scored on scaled rows, and texts on their vectors. Do not choose among
    such steps by these scores: they compare clusterings of the same rows only.

    **Undefined.** One cluster, none, or as many as rows give nan with a warning. Other errors, such as NaN in X,
    are raised.

    **On a GPU.** Under ``backend="cupy"`` the scores of this package keep X on the GPU from one call to the next,
    while the same NumPy array is passed (the same object, as in an Optuna study, or for several scorers of one
    fit; scikit-learn's searches copy X for each fit). One array is kept, as long as it lives and no other is scored,
    if it takes at most a quarter of ``working_memory``. Checksums tell whether it was changed in place; it is sent
    again then. Settings made in a ``with`` block do not reach the processes of ``n_jobs``; the environment variable
    ``GPUMETRICS_BACKEND`` does.

    Examples
    --------
    >>> from gpumetrics import silhouette_score
    >>> from gpumetrics.model_selection import make_cluster_scorer
    >>> class Halves:
    ...     def predict(self, X):
    ...         return [row[0] > 2 for row in X]
    >>> scorer = make_cluster_scorer(silhouette_score, metric="manhattan")
    >>> round(scorer(Halves(), [[0.0], [1.0], [3.0], [4.0]]), 6)
    0.657143
    """
    if not callable(score_func):
        msg = f"score_func must be a function of X and labels, got {score_func!r}"
        raise TypeError(msg)
    return ClusterScorer(score_func, greater_is_better=greater_is_better, noise_label=noise_label, options=kwargs)


silhouette_scorer = make_cluster_scorer(silhouette_score)
calinski_harabasz_scorer = make_cluster_scorer(calinski_harabasz_score)
neg_davies_bouldin_scorer = make_cluster_scorer(davies_bouldin_score, greater_is_better=False)


def free_device_copy() -> None:
    """Give up the copy of X that scorers keep on a GPU, at the end of a search; CuPy's pool then has its memory.

    Examples
    --------
    >>> from gpumetrics.model_selection import free_device_copy
    >>> free_device_copy()
    """
    drop_copy()


def _why_undefined(n_clusters: int, n_rows: int) -> str:
    if not n_clusters:
        return "every row is noise"
    if n_clusters == 1:
        return f"all {n_rows:,} rows are in one cluster"
    return f"each of the {n_rows:,} rows is a cluster of its own"


def _takes(function: Callable[..., Any], parameter: str) -> bool:
    try:
        return parameter in inspect.signature(function).parameters
    except (TypeError, ValueError):  # not every built-in function tells
        return False


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", None) or repr(function))
