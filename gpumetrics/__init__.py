"""Clustering and label-set metrics with scikit-learn's names and answers, at sizes where scikit-learn stops."""

from gpumetrics.clustering.agreement import (
    adjusted_rand_score,
    contingency_matrix,
    fowlkes_mallows_score,
    pair_confusion_matrix,
    rand_score,
)
from gpumetrics.clustering.compactness import (
    DaviesBouldinPairs,
    calinski_harabasz_score,
    davies_bouldin_pairs,
    davies_bouldin_score,
)
from gpumetrics.clustering.information import (
    adjusted_mutual_info_score,
    entropy,
    expected_mutual_information,
    mutual_info_score,
    normalized_mutual_info_score,
)
from gpumetrics.clustering.matching import clustering_accuracy
from gpumetrics.clustering.silhouette import silhouette_samples, silhouette_score
from gpumetrics.clustering.v_measure import (
    completeness_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    v_measure_score,
)
from gpumetrics.config import config_context, get_config, set_config
from gpumetrics.evaluation.clustering_report import ClusteringReport
from gpumetrics.evaluation.evaluate import evaluate_clustering
from gpumetrics.exceptions import BackendError

__version__ = "0.1.0"

__all__ = [
    "BackendError",
    "ClusteringReport",
    "DaviesBouldinPairs",
    "__version__",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "clustering_accuracy",
    "completeness_score",
    "config_context",
    "contingency_matrix",
    "davies_bouldin_pairs",
    "davies_bouldin_score",
    "entropy",
    "evaluate_clustering",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "get_config",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "set_config",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]
