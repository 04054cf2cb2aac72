"""Metrics of clusterings."""

from gpumetrics.clustering.agreement import (
    adjusted_rand_score,
    contingency_matrix,
    fowlkes_mallows_score,
    pair_confusion_matrix,
    rand_score,
)
from gpumetrics.clustering.information import (
    adjusted_mutual_info_score,
    entropy,
    expected_mutual_information,
    mutual_info_score,
    normalized_mutual_info_score,
)
from gpumetrics.clustering.matching import clustering_accuracy
from gpumetrics.clustering.v_measure import (
    completeness_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    v_measure_score,
)

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "clustering_accuracy",
    "completeness_score",
    "contingency_matrix",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]
