"""The CuPy backend: the operations of `numpy_ops`, which documents them, on a GPU.

Loaded only where CuPy can run. Work is launched on the current stream of the current device; each operation's
docstring says where it waits for it.
"""

from gpumetrics.backends.cupy_cells import cell_sums, cross_sums, means_merger
from gpumetrics.backends.cupy_centroids import centroid_means, similarities, worst_partners
from gpumetrics.backends.cupy_counts import label_sums, shared_entries
from gpumetrics.backends.cupy_emi import expected_mutual_information
from gpumetrics.backends.cupy_labels import asarray, encode, joint_counts, joint_counts_of_labels
from gpumetrics.backends.cupy_moments import cluster_means, cluster_spreads
from gpumetrics.backends.cupy_pairs import pairwise_means

NAME = "cupy"

__all__ = [
    "NAME",
    "asarray",
    "cell_sums",
    "centroid_means",
    "cluster_means",
    "cluster_spreads",
    "cross_sums",
    "encode",
    "expected_mutual_information",
    "joint_counts",
    "joint_counts_of_labels",
    "label_sums",
    "means_merger",
    "pairwise_means",
    "shared_entries",
    "similarities",
    "worst_partners",
]
