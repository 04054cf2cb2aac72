"""The NumPy backend: the operations that statistics are computed with.

`cupy_ops` has the same names and signatures. Rows come in as `Features`; codes (the cluster of each row, int64 from 0)
and sizes (rows of each cluster, int64) as arrays; sums are float64. What is as long as n_samples, or is n_clusters x
n_features, stays with the backend; sizes, and whatever else has one value per cluster or cell, are NumPy's on both.

===============================  =======================================================================
``asarray``                      an array of the backend's; one on the other side is moved
``encode``                       labels to codes
``joint_counts``                 cells of the table of two labelings
``joint_counts_of_labels``       the same of labels that need no coding, where that is faster
``label_sums``                   rows, or weights, of each label
``shared_entries``               what two sparse indicator matrices have in common
``expected_mutual_information``  of two sets of margins
``cluster_means``                centroids, and sums of squares about them, in one pass
``cluster_spreads``              sums of distances to the centroids, in another
``worst_partners``               each cluster's most similar and nearest other
``similarities``                 Davies and Bouldin's R of all pairs of clusters
``centroid_means``               mean distances of each row, in closed form
``pairwise_means``               mean distances of each row, from all pairs of rows
``cell_sums``                    sums of distances from each row to every cell of a partition
``cross_sums``                   the same between two blocks of rows, for both
``means_merger``                 from those to means over clusters that are made of cells
===============================  =======================================================================
"""

from gpumetrics.backends.array_modules import as_host as asarray
from gpumetrics.backends.numpy_cells import cell_sums, cross_sums, means_merger
from gpumetrics.backends.numpy_centroids import centroid_means, similarities, worst_partners
from gpumetrics.backends.numpy_counts import label_sums, shared_entries
from gpumetrics.backends.numpy_emi import expected_mutual_information
from gpumetrics.backends.numpy_joint_counts import joint_counts, joint_counts_of_labels
from gpumetrics.backends.numpy_labels import encode
from gpumetrics.backends.numpy_moments import cluster_means, cluster_spreads
from gpumetrics.backends.numpy_pairs import pairwise_means

NAME = "numpy"

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
