"""
Does it come back
=================

Agreement of each pair of runs on other samples of the rows, and how often each cluster is found again.
"""

from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import gpumetrics as gm

X, _ = make_blobs(400, centers=[[0, 0], [2.5, 0], [9, 0], [4, 7]], random_state=0)
found = gm.stability(X, KMeans(4, n_init=3), n_runs=8, resample="bootstrap", random_state=0)
gm.StabilityDisplay.from_result(found)
