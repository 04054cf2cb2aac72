"""Scores of true and predicted labels in Dask's arrays and columns, with a client and more."""

from __future__ import annotations

from typing import Any

import gpumetrics as gm
from gpumetrics.dask.running import Run, of_labels

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "zero_one_loss",
]


def accuracy_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.accuracy_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.accuracy_score, (y_true, y_pred), options, Run(client, compute, split_every))


def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.balanced_accuracy_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.balanced_accuracy_score, (y_true, y_pred), options, Run(client, compute, split_every))


def classification_report(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.classification_report` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.classification_report, (y_true, y_pred), options, Run(client, compute, split_every))


def cohen_kappa_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.cohen_kappa_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.cohen_kappa_score, (y_true, y_pred), options, Run(client, compute, split_every))


def confusion_matrix(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.confusion_matrix` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.confusion_matrix, (y_true, y_pred), options, Run(client, compute, split_every))


def f1_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.f1_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.f1_score, (y_true, y_pred), options, Run(client, compute, split_every))


def fbeta_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.fbeta_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.fbeta_score, (y_true, y_pred), options, Run(client, compute, split_every))


def hamming_loss(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.hamming_loss` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.hamming_loss, (y_true, y_pred), options, Run(client, compute, split_every))


def jaccard_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.jaccard_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.jaccard_score, (y_true, y_pred), options, Run(client, compute, split_every))


def matthews_corrcoef(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.matthews_corrcoef` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.matthews_corrcoef, (y_true, y_pred), options, Run(client, compute, split_every))


def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.multilabel_confusion_matrix` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.multilabel_confusion_matrix, (y_true, y_pred), options, Run(client, compute, split_every))


def precision_recall_fscore_support(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.precision_recall_fscore_support` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.precision_recall_fscore_support, (y_true, y_pred), options, Run(client, compute, split_every))


def precision_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.precision_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.precision_score, (y_true, y_pred), options, Run(client, compute, split_every))


def recall_score(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.recall_score` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.recall_score, (y_true, y_pred), options, Run(client, compute, split_every))


def zero_one_loss(
    y_true: Any, y_pred: Any, *, client: Any = None, compute: bool = True, split_every: int = 8, **options: Any
) -> Any:
    """Compute `gpumetrics.zero_one_loss` of Dask collections; see `gpumetrics.dask`."""
    return of_labels(gm.zero_one_loss, (y_true, y_pred), options, Run(client, compute, split_every))
