"""
One page to hand over
=====================

What ``save_html`` writes is complete in itself: it opens in any browser, without a network. Here are three of them.
"""

from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import gpumetrics as gm

X, digits = load_digits(return_X_y=True)
labels = KMeans(10, n_init=3, random_state=0).fit_predict(X)
report = gm.evaluate_clustering(X, labels, labels_true=digits)
_ = report.save_html("clustering.html", samples=X.reshape(-1, 8, 8) / 16, title="Handwritten digits")

# %%
# In Korean:

_ = report.save_html("clustering_ko.html", samples=X.reshape(-1, 8, 8) / 16, lang="ko")

# %%
# A sweep:

comparison = gm.sweep(X, KMeans(n_init=1, random_state=0), n_clusters=range(6, 13))
_ = comparison.save_html("sweep.html")
