"""Time gpumetrics against scikit-learn, side by side, and print a table.

    python benchmarks/compare.py [CASE ...]

The two run in turn on fresh copies of the same arrays; figures are medians of three rounds (one, if a call takes over
20 s). Values are compared first.
"""

from __future__ import annotations

import functools
import gc
import os
import platform
import statistics
import sys
import time
import warnings
from datetime import date

import numpy as np
import scipy
import sklearn
import sklearn.metrics as theirs
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics.cluster import contingency_matrix

import gpumetrics as ours

ROUNDS = 3
LONG = 20  # seconds of one call from which one round is enough


def blobs(n_samples, n_features, n_clusters, dtype="float32"):
    """Overlapping Gaussian blobs, with one label in twenty wrong."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_clusters, n_samples)
    X = rng.normal(size=(n_clusters, n_features))[labels] + rng.normal(size=(n_samples, n_features))
    wrong = rng.random(n_samples) < 0.05
    labels[wrong] = rng.integers(0, n_clusters, int(wrong.sum()))
    return X.astype(dtype), labels


def labelings(n_samples, n_clusters):
    """Two labelings that agree on three rows in five."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, n_clusters, n_samples)
    return true, np.where(rng.random(n_samples) < 0.6, true, rng.integers(0, n_clusters, n_samples))


def cuts_of_a_tree(n_samples, n_features):
    """Blobs, and the 29 labelings K = 2 to 30 into which a tree over their 30 centres is cut."""
    X, fine = blobs(n_samples, n_features, 30)
    tree = linkage(np.stack([X[fine == c].mean(axis=0) for c in range(30)]), "ward")
    return X, np.column_stack([fcluster(tree, k, "maxclust")[fine] for k in range(2, 31)])


def runs_of_k_means(n_samples, n_features):
    """Blobs, and a run of k-means on them for each K = 2 to 30."""
    X, _ = blobs(n_samples, n_features, 30)
    runs = [MiniBatchKMeans(k, random_state=0, n_init=1).fit_predict(X) for k in range(2, 31)]
    return X, np.column_stack(runs)


def tags(n_documents, n_tags):
    """Indicators of some 4 tags for each document, and of a prediction that has most of them."""
    rng = np.random.default_rng(0)
    true = (rng.random((n_documents, n_tags)) < 4 / n_tags).astype(np.int8)
    return true, np.where(rng.random(true.shape) < 0.8, true, rng.random(true.shape) < 1 / n_tags).astype(np.int8)


def one_by_one(X, labelings):
    """scikit-learn's way to the silhouettes of several labelings."""
    return [theirs.silhouette_score(X, labels) for labels in labelings.T]


PEERS = {"contingency_matrix": contingency_matrix, "silhouette_scores": one_by_one}

# name: (function, its data, its keywords, tolerance of the comparison)
CASES = {
    "silhouette, euclidean, 20k x 64, k = 10": ("silhouette_samples", lambda: blobs(20_000, 64, 10), {}, 3e-6),
    "silhouette, euclidean, 20k x 384, k = 100": ("silhouette_samples", lambda: blobs(20_000, 384, 100), {}, 3e-6),
    "silhouette, euclidean, 20k x 64, k = 10, float64": (
        "silhouette_samples",
        lambda: blobs(20_000, 64, 10, "float64"),
        {},
        1e-9,
    ),
    "silhouette, euclidean, 20k x 16, k = 1000": ("silhouette_samples", lambda: blobs(20_000, 16, 1000), {}, 3e-6),
    "silhouette, cosine, 20k x 384, k = 50": (
        "silhouette_samples",
        lambda: blobs(20_000, 384, 50),
        {"metric": "cosine"},
        3e-6,
    ),
    "silhouette, manhattan, 8k x 32, k = 10": (
        "silhouette_samples",
        lambda: blobs(8_000, 32, 10),
        {"metric": "manhattan"},
        3e-6,
    ),
    "29 silhouettes, cuts of one tree, 12k x 64": ("silhouette_scores", lambda: cuts_of_a_tree(12_000, 64), {}, 3e-6),
    "29 silhouettes, runs of k-means, 12k x 64": ("silhouette_scores", lambda: runs_of_k_means(12_000, 64), {}, 3e-6),
    "Calinski-Harabasz, 500k x 64, k = 200": ("calinski_harabasz_score", lambda: blobs(500_000, 64, 200), {}, 1),
    "Davies-Bouldin, 500k x 64, k = 200": ("davies_bouldin_score", lambda: blobs(500_000, 64, 200), {}, 1e-3),
    "adjusted Rand, 1M labels, k = 100": ("adjusted_rand_score", lambda: labelings(1_000_000, 100), {}, 1e-10),
    "NMI, 1M labels, k = 100": ("normalized_mutual_info_score", lambda: labelings(1_000_000, 100), {}, 1e-10),
    "AMI, 300k labels, k = 1000": ("adjusted_mutual_info_score", lambda: labelings(300_000, 1000), {}, 1e-8),
    "contingency, 1M labels, k = 200": ("contingency_matrix", lambda: labelings(1_000_000, 200), {}, 0),
    "F1 macro, 2M labels, 50 classes": ("f1_score", lambda: labelings(2_000_000, 50), {"average": "macro"}, 1e-12),
    "F1 macro, 50k documents, 200 tags": ("f1_score", lambda: tags(50_000, 200), {"average": "macro"}, 1e-12),
    "Jaccard samples, 50k documents, 200 tags": (
        "jaccard_score",
        lambda: tags(50_000, 200),
        {"average": "samples"},
        1e-12,
    ),
}


def measure(call, args):
    """Seconds of one call on fresh copies of its arguments, and its value."""
    fresh = [a.copy() for a in args]
    gc.collect()
    start = time.perf_counter()
    value = call(*fresh)
    return time.perf_counter() - start, value


def compare(name):
    """Print the row of one case."""
    function, make, options, tolerance = CASES[name]
    args = make()
    peer = PEERS[function] if function in PEERS else getattr(theirs, function)
    sides = [functools.partial(f, **options) for f in (getattr(ours, function), peer)]
    (_, mine), (first, other) = (measure(side, args) for side in sides)
    np.testing.assert_allclose(mine, other, rtol=1e-3, atol=tolerance)
    rounds = 1 if first > LONG else ROUNDS
    times = [[measure(side, args)[0] for side in sides] for _ in range(rounds)]
    mine, other = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"| {name} | {mine:.3g} s | {other:.3g} s | {other / mine:.3g} |", flush=True)


def main():
    """Run the cases whose name contains one of the arguments; all of them without arguments."""
    warnings.simplefilter("ignore")
    print(
        f"{date.today()}, {platform.machine()}, {len(os.sched_getaffinity(0))} cores, "
        f"Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}, "
        f"gpumetrics {ours.__version__} (backend numpy)\n"
    )
    print("| case | gpumetrics | scikit-learn | ratio |\n|---|---|---|---|")
    for name in CASES:
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            compare(name)


if __name__ == "__main__":
    main()
