"""
How many clusters
=================

Every score over K, the best of each marked, from one sweep. Two of the five groups are close: the scores disagree, and
the question says what decides.
"""

from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import gpumetrics as gm

centers = [[0, 0], [1.5, 0], [8, 0], [8, 8], [0, 8]]
X, _ = make_blobs(n_samples=500, centers=centers, cluster_std=0.6, random_state=0)
comparison = gm.sweep(X, KMeans(n_init=10, random_state=42), n_clusters=range(2, 9))
gm.KSelectionDisplay.from_result(comparison)

# %%

print(comparison.question)
