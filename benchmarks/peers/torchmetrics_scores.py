"""torchmetrics: its functions, which take the prediction first."""

from __future__ import annotations

import functools

from .peer import CannotError
from .torch_silhouettes import on

OF_ROWS = ("calinski_harabasz_score", "davies_bouldin_score")
OF_LABELINGS = {
    "adjusted_mutual_info_score": "adjusted_mutual_info_score",
    "adjusted_rand_score": "adjusted_rand_score",
    "completeness_score": "completeness_score",
    "fowlkes_mallows_score": "fowlkes_mallows_index",
    "homogeneity_score": "homogeneity_score",
    "mutual_info_score": "mutual_info_score",
    "normalized_mutual_info_score": "normalized_mutual_info_score",
    "rand_score": "rand_score",
    "v_measure_score": "v_measure_score",
}
OF_CLASSES = {
    "accuracy_score": ("accuracy", {"average": "micro"}),
    "balanced_accuracy_score": ("accuracy", {"average": "macro"}),
    "hamming_loss": ("hamming_distance", {"average": "micro"}),
    "f1_score": ("f1_score", {}),
    "fbeta_score": ("fbeta_score", {}),
    "precision_score": ("precision", {}),
    "recall_score": ("recall", {}),
    "jaccard_score": ("jaccard_index", {}),
    "confusion_matrix": ("confusion_matrix", {}),
    "multilabel_confusion_matrix": ("confusion_matrix", {}),
    "cohen_kappa_score": ("cohen_kappa", {}),
    "matthews_corrcoef": ("matthews_corrcoef", {}),
}


def _call(case, shape):
    if case.recipe.__name__ in {"strings", "sparse_tags"}:
        raise CannotError("it takes tensors only: neither text nor sparse matrices")
    if case.metric in OF_ROWS:
        return getattr(_clustering(), case.metric)
    if case.metric in OF_LABELINGS:
        return _prediction_first(getattr(_clustering(), OF_LABELINGS[case.metric]))
    if case.metric not in OF_CLASSES or case.keywords.get("average") == "samples":
        raise CannotError("it has no such metric")
    return _of_classes(case, shape)


def _of_classes(case, shape):
    import torchmetrics.functional.classification as functions  # noqa: PLC0415

    name, keywords = OF_CLASSES[case.metric]
    task, count = ("multilabel", "num_labels") if case.unit == "tags" else ("multiclass", "num_classes")
    keywords = keywords | dict(case.keywords) | {count: shape.k, "validate_args": False}
    return _prediction_first(functools.partial(getattr(functions, f"{task}_{name}"), **keywords))


def _clustering():
    import torchmetrics.functional.clustering as functions  # noqa: PLC0415

    return functions


def _prediction_first(function):
    return lambda true, pred: function(pred, true)


def peer(device):
    """torchmetrics on a device."""
    return on(device, "torchmetrics", ("torchmetrics", "torch"), _call)
