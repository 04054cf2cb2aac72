"""The data of the cases. Each recipe takes a shape and gives a list of arguments, the same on every call."""

from __future__ import annotations

import numpy as np


def blobs(shape):
    """Rows around normal centres, and their labels, one in twenty of them drawn again."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(shape.k, shape.d))
    labels = rng.integers(0, shape.k, shape.n)
    labels[: shape.k] = np.arange(shape.k)
    X = (centres[labels] + rng.normal(size=(shape.n, shape.d))).astype(shape.dtype)
    wrong = rng.random(shape.n) < 0.05
    labels[wrong] = rng.integers(0, shape.k, int(wrong.sum()))
    return [X, labels]


def cuts_of_a_tree(shape):
    """Blobs, and the labelings K = 2 to k into which a tree over their centres is cut: each refines the one before."""
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415

    X, fine = blobs(shape)
    tree = linkage(np.stack([X[fine == c].mean(axis=0) for c in range(shape.k)]), "ward")
    return [X, [fcluster(tree, k, "maxclust")[fine] - 1 for k in range(2, shape.k + 1)]]


def runs_of_k_means(shape):
    """Blobs, and a run of k-means on them for each K = 2 to k."""
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415

    X, _ = blobs(shape)
    runs = [MiniBatchKMeans(k, random_state=0, n_init=1).fit_predict(X) for k in range(2, shape.k + 1)]
    return [X, runs]


def two_labelings(shape):
    """Two labelings that agree on three rows in five, and by chance on some others."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, shape.k, shape.n)
    return [true, np.where(rng.random(shape.n) < 0.6, true, rng.integers(0, shape.k, shape.n))]


def one_labeling(shape):
    """The first of the two labelings."""
    return two_labelings(shape)[:1]


def strings(shape):
    """Two labelings whose labels are words."""
    true, pred = two_labelings(shape)
    clusters = np.array([f"cluster {i:03d}" for i in range(shape.k)])
    groups = np.array([f"group {(i * 37) % shape.k:03d}" for i in range(shape.k)])
    return [clusters[true], groups[pred]]


def ids(shape):
    """Two labelings whose labels are integers of 62 bits."""
    true, pred = two_labelings(shape)
    names = np.random.default_rng(3).integers(0, 2**62, 2 * shape.k)
    return [names[: shape.k][true], names[shape.k :][pred]]


def table_of_two_labelings(shape):
    """The contingency table of the two labelings, and the number of labels."""
    true, pred = two_labelings(shape)
    return [np.bincount(true * shape.k + pred, minlength=shape.k**2).reshape(shape.k, shape.k), shape.n]


def tags(shape):
    """Indicators of tags, about one in eight set, and of a prediction that redraws one in ten."""
    rng = np.random.default_rng(0)
    true = (rng.random((shape.n, shape.k)) < 0.12).astype(np.int64)
    pred = np.where(rng.random(true.shape) < 0.9, true, rng.random(true.shape) < 0.12).astype(np.int64)
    return [true, pred]


def sparse_tags(shape):
    """The same as CSR matrices."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415

    return [csr_matrix(part) for part in tags(shape)]
