"""
Silhouettes of the clusters
===========================

A band for each cluster, as thick as the cluster is large. One of these has half of its rows near a neighbour.
"""

from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import gpumetrics as gm

X, _ = make_blobs(600, centers=[[0, 0], [2, 0], [9, 0], [4, 7]], random_state=0)
report = gm.evaluate_clustering(X, KMeans(4, n_init=10, random_state=0).fit_predict(X))
gm.SilhouetteDisplay.from_report(report)

# %%
# The report in numbers, as a notebook shows it:

report
