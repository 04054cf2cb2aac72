"""Agreement of two labelings in Dask's arrays and columns, with a client and more."""

import gpumetrics as gm
from gpumetrics.dask.running import of_labelings

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

adjusted_mutual_info_score = of_labelings(gm.adjusted_mutual_info_score)
adjusted_rand_score = of_labelings(gm.adjusted_rand_score)
clustering_accuracy = of_labelings(gm.clustering_accuracy)
completeness_score = of_labelings(gm.completeness_score)
contingency_matrix = of_labelings(gm.contingency_matrix)
fowlkes_mallows_score = of_labelings(gm.fowlkes_mallows_score)
homogeneity_completeness_v_measure = of_labelings(gm.homogeneity_completeness_v_measure)
homogeneity_score = of_labelings(gm.homogeneity_score)
mutual_info_score = of_labelings(gm.mutual_info_score)
normalized_mutual_info_score = of_labelings(gm.normalized_mutual_info_score)
pair_confusion_matrix = of_labelings(gm.pair_confusion_matrix)
rand_score = of_labelings(gm.rand_score)
v_measure_score = of_labelings(gm.v_measure_score)
