"""PerMetrics: methods of two classes."""

from __future__ import annotations

from .peer import CannotError, Peer, without_euclidean

OF_ROWS = {"calinski_harabasz_score": "calinski_harabasz_index", "davies_bouldin_score": "davies_bouldin_index"}
OF_LABELINGS = {
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
}
# Its hamming_loss, cohen_kappa_score and Matthews are means over classes, each against the rest: other scores.
OF_CLASSES = {
    "accuracy_score": "accuracy_score",
    "confusion_matrix": "confusion_matrix",
    "f1_score": "f1_score",
    "fbeta_score": "fbeta_score",
    "jaccard_score": "jaccard_similarity_index",
    "precision_score": "precision_score",
    "recall_score": "recall_score",
}


def _call(case, _shape):
    if case.metric in {"silhouette_samples", "silhouette_score"}:
        return _silhouette(case)
    if case.metric in OF_ROWS:
        return lambda X, labels: getattr(_clustering(), OF_ROWS[case.metric])(X=X, y_pred=labels)
    if case.metric in OF_LABELINGS:
        return lambda true, pred: getattr(_clustering(), case.metric)(y_true=true, y_pred=pred)
    if case.metric in OF_CLASSES and case.unit != "tags":
        return _of_classes(case)
    raise CannotError("it has no such metric")


def _silhouette(case):
    if without_euclidean(case.keywords)[0] != "euclidean":
        raise CannotError("its silhouette is Euclidean")
    each = case.metric == "silhouette_samples"
    return lambda X, labels: _clustering().silhouette_index(X=X, y_pred=labels, multi_output=each)


def _of_classes(case):
    from permetrics import ClassificationMetric  # noqa: PLC0415

    method = getattr(ClassificationMetric(), OF_CLASSES[case.metric])
    if case.metric == "confusion_matrix":
        return lambda true, pred: method(y_true=true, y_pred=pred)[0]
    return lambda true, pred: method(y_true=true, y_pred=pred, **case.keywords)


def _clustering():
    from permetrics import ClusteringMetric  # noqa: PLC0415

    return ClusteringMetric()


PEER = Peer("permetrics", ("permetrics",), _call)
