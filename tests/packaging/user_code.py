"""Code as a user writes it, for a type checker: it is not run."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import gpumetrics as gm

X: npt.NDArray[np.float64] = np.zeros((4, 2))
labels = [0, 0, 1, 1]

assert_type(gm.adjusted_rand_score(labels, labels), float)
assert_type(gm.silhouette_score(X, labels, metric="cosine"), float)
assert_type(gm.calinski_harabasz_score(X, labels), float)
assert_type(gm.homogeneity_completeness_v_measure(labels, labels), tuple[float, float, float])

report = gm.evaluate_clustering(X, labels)
assert_type(report, gm.ClusteringReport)
assert_type(report.to_dict(), dict[str, Any])
comparison = gm.compare_labelings(X, {"one": labels})
comparison.save_html("report.html")
estimate = gm.silhouette_estimate(X, labels, tol=0.01)
with gm.config_context(backend="numpy", working_memory=64):
    tags = gm.evaluate_tags([["a"], []], [["a"], ["b"]], zero_division=0)
assert_type(tags, gm.TagReport)
