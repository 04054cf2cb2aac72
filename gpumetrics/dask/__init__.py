"""Scores of Dask's collections, on any scheduler; `docs/dask.md` is the guide.

The functions of `gpumetrics` run on Dask's collections by themselves. Those of the same names here take three arguments
more, and else the same:

client : distributed.Client, optional
    Where to compute; None: where Dask computes here.
compute : bool, default=True
    Whether to compute at once, or return a `dask.delayed.Delayed`. Of what needs two passes over X the first is
    computed all the same: X need not be kept for the second.
split_every : int, default=8
    How many blocks' statistics a task merges.

`silhouette_samples` always returns an array of Dask's, and `silhouette_estimate` and `evaluate_clustering`, which go on
by what they have found, always compute; they take no `compute`.
"""

from gpumetrics.dask.agreement import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    clustering_accuracy,
    completeness_score,
    contingency_matrix,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    rand_score,
    v_measure_score,
)
from gpumetrics.dask.classification import (
    accuracy_score,
    balanced_accuracy_score,
    classification_report,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    zero_one_loss,
)
from gpumetrics.dask.clustering import (
    calinski_harabasz_score,
    davies_bouldin_pairs,
    davies_bouldin_score,
    evaluate_clustering,
    silhouette_estimate,
    silhouette_samples,
    silhouette_score,
)

__all__ = [
    "accuracy_score",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "balanced_accuracy_score",
    "calinski_harabasz_score",
    "classification_report",
    "clustering_accuracy",
    "cohen_kappa_score",
    "completeness_score",
    "confusion_matrix",
    "contingency_matrix",
    "davies_bouldin_pairs",
    "davies_bouldin_score",
    "evaluate_clustering",
    "f1_score",
    "fbeta_score",
    "fowlkes_mallows_score",
    "hamming_loss",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "rand_score",
    "recall_score",
    "silhouette_estimate",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
    "zero_one_loss",
]
