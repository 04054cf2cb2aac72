"""The NumPy backend: the operations that statistics are computed with. `cupy_ops` has the same names."""

from gpumetrics.backends.numpy_centroids import centroid_distances, similarities, worst_partners
from gpumetrics.backends.numpy_labels import expected_mutual_information, joint_counts
from gpumetrics.backends.numpy_manhattan import manhattan_by_sorting, manhattan_sums
from gpumetrics.backends.numpy_moments import cluster_means, cluster_spreads
from gpumetrics.backends.numpy_pairs import pairwise_query_sums, pairwise_sums

NAME = "numpy"

__all__ = [
    "NAME",
    "centroid_distances",
    "cluster_means",
    "cluster_spreads",
    "expected_mutual_information",
    "joint_counts",
    "manhattan_by_sorting",
    "manhattan_sums",
    "pairwise_query_sums",
    "pairwise_sums",
    "similarities",
    "worst_partners",
]
