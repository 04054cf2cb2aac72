"""
What the clusters hold of known classes
=======================================

Digits against clusters of their pixels, in the order of the best matching.
"""

from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import gpumetrics as gm

X, digits = load_digits(return_X_y=True)
labels = KMeans(10, n_init=3, random_state=0).fit_predict(X)
gm.ContingencyDisplay.from_predictions(digits, labels)

# %%
# Which clusters are hardest to tell apart: the pairs behind Davies-Bouldin.

gm.DaviesBouldinDisplay.from_predictions(X, labels)

# %%
# The rows on the plane of their first two principal axes.

gm.EmbeddingDisplay.from_predictions(X, labels)
