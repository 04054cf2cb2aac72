"""Agreement of two labelings in Dask's arrays and columns, with a client and more."""

from __future__ import annotations

from typing import Any

import gpumetrics as gm
from gpumetrics.dask.running import Run, of_labelings

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "clustering_accuracy",
    "completeness_score",
    "contingency_matrix",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]


def adjusted_mutual_info_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.adjusted_mutual_info_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(
        gm.adjusted_mutual_info_score, (labels_true, labels_pred), options, Run(client, compute, split_every)
    )


def adjusted_rand_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.adjusted_rand_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.adjusted_rand_score, (labels_true, labels_pred), options, Run(client, compute, split_every))


def clustering_accuracy(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.clustering_accuracy` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.clustering_accuracy, (labels_true, labels_pred), options, Run(client, compute, split_every))


def completeness_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.completeness_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.completeness_score, (labels_true, labels_pred), options, Run(client, compute, split_every))


def contingency_matrix(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.contingency_matrix` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.contingency_matrix, (labels_true, labels_pred), options, Run(client, compute, split_every))


def fowlkes_mallows_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.fowlkes_mallows_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(
        gm.fowlkes_mallows_score, (labels_true, labels_pred), options, Run(client, compute, split_every)
    )


def homogeneity_completeness_v_measure(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.homogeneity_completeness_v_measure` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(
        gm.homogeneity_completeness_v_measure, (labels_true, labels_pred), options, Run(client, compute, split_every)
    )


def homogeneity_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.homogeneity_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.homogeneity_score, (labels_true, labels_pred), options, Run(client, compute, split_every))


def mutual_info_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.mutual_info_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.mutual_info_score, (labels_true, labels_pred), options, Run(client, compute, split_every))


def normalized_mutual_info_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.normalized_mutual_info_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(
        gm.normalized_mutual_info_score, (labels_true, labels_pred), options, Run(client, compute, split_every)
    )


def pair_confusion_matrix(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.pair_confusion_matrix` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(
        gm.pair_confusion_matrix, (labels_true, labels_pred), options, Run(client, compute, split_every)
    )


def rand_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.rand_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.rand_score, (labels_true, labels_pred), options, Run(client, compute, split_every))


def v_measure_score(
    labels_true: Any,
    labels_pred: Any,
    *,
    client: Any = None,
    compute: bool = True,
    split_every: int = 8,
    **options: Any,
) -> Any:
    """Compute `gpumetrics.v_measure_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labelings(gm.v_measure_score, (labels_true, labels_pred), options, Run(client, compute, split_every))
