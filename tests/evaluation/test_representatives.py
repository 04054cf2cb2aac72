"""Typical and doubtful rows of clusters, against plain loops."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from worked.rows import k_means, noisy, points

import gpumetrics as gm
from gpumetrics.evaluation.representatives import ambiguous, representatives


def blobs(n=200, k=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    return rng.normal(size=(n, d)) + 3.0 * rng.normal(size=(k, d))[labels], labels


def as_meant(X, metric):
    if metric == "correlation":
        X = X - X.mean(axis=1, keepdims=True)
    return X / np.linalg.norm(X, axis=1, keepdims=True) if metric in {"cosine", "correlation"} else X


def plain(rows, to_centre, distance, per_cluster, share):
    """Greedy choice among the nearest rows, one cluster."""
    order = rows[np.argsort(to_centre, kind="stable")]
    near = order[: max(per_cluster, int(np.ceil(share * len(rows))))]
    chosen = [near[0]]
    while len(chosen) < min(per_cluster, len(near)):
        gap = [-1.0 if row in chosen else min(distance(row, other) for other in chosen) for row in near]
        chosen.append(near[int(np.argmax(gap))])
    return chosen


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "correlation"])
@pytest.mark.parametrize(("per_cluster", "share"), [(1, 0.25), (4, 0.25), (3, 1.0), (5, 0.01)])
def test_rows_near_the_centre_and_far_from_each_other(backend, metric, per_cluster, share):
    X, labels = blobs()
    labels[::8] = -1
    found = representatives(X, labels, per_cluster=per_cluster, share=share, metric=metric)
    Y = as_meant(X, metric)
    assert_equal(list(found.by_cluster), [0, 1, 2, 3])
    for label, rows in found.by_cluster.items():
        mine = np.flatnonzero(labels == label)
        to_centre = np.linalg.norm(Y[mine] - Y[mine].mean(axis=0), axis=1)
        expected = plain(mine, to_centre, lambda a, b: np.linalg.norm(Y[a] - Y[b]), per_cluster, share)
        assert_array_equal(rows, expected)
        told = found.table["distance"][found.table["cluster"] == label]
        assert_allclose(told, to_centre[np.searchsorted(mine, rows)], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "precomputed", "sparse", "function", "one cluster"])
def test_without_centres_the_mean_distance_counts(metric):
    distance = pytest.importorskip("scipy.spatial.distance")
    X, labels = blobs(n=80)
    labels[::8] = -1
    if metric == "one cluster":
        labels[labels >= 0] = 7
    D = distance.cdist(X, X, "chebyshev" if metric == "chebyshev" else "cityblock")
    given = {
        "precomputed": lambda: representatives(D, labels, per_cluster=3, metric="precomputed"),
        "sparse": lambda: representatives(
            pytest.importorskip("scipy.sparse").csr_array(D), labels, per_cluster=3, metric="precomputed"
        ),
        "function": lambda: representatives(X, labels, per_cluster=3, metric=lambda a, b: float(np.abs(a - b).sum())),
        "one cluster": lambda: representatives(X, labels, per_cluster=3, metric="manhattan"),
    }
    found = given.get(metric, lambda: representatives(X, labels, per_cluster=3, metric=metric))()
    for label, rows in found.by_cluster.items():
        mine = np.flatnonzero(labels == label)
        to_centre = D[np.ix_(mine, mine)].sum(axis=1) / (len(mine) - 1)
        assert_array_equal(rows, plain(mine, to_centre, lambda a, b: D[a, b], 3, 0.25))
        assert_allclose(found.table["distance"][found.table["cluster"] == label][0], to_centre.min(), rtol=1e-9)


def test_mean_distances_on_every_backend(backend):
    X, labels = blobs(n=80)
    D = np.abs(X[:, None] - X).sum(axis=2)
    for label, rows in representatives(X, labels, per_cluster=3, metric="manhattan").by_cluster.items():
        mine = np.flatnonzero(labels == label)
        assert_array_equal(rows, plain(mine, D[np.ix_(mine, mine)].sum(axis=1), lambda a, b: D[a, b], 3, 0.25))


def test_small_clusters_give_all_they_have():
    X = np.array([[0.0], [0.0], [0.0], [9.0], [20.0], [21.0], [50.0]])
    found = representatives(
        X, ["same", "same", "same", "one", "two", "two", "noise"], noise_label="noise", per_cluster=3
    )
    rows = {label: rows.tolist() for label, rows in found.by_cluster.items()}
    assert_equal(rows, {"one": [3], "same": [0, 1, 2], "two": [4, 5]})


def test_of_very_many_near_rows_some_are_tried_evenly():
    X = np.linspace(-1, 1, 20_001)[:, None]
    found = representatives(X, np.zeros(20_001, dtype=int), per_cluster=3, share=0.5)
    rows = found.by_cluster[0]
    assert_allclose(X[rows[0]], 0)
    assert_allclose(np.sort(np.abs(X[rows[1:], 0])), [0.5, 0.5], atol=0.01)  # both ends of the near half
    assert X[rows[1], 0] * X[rows[2], 0] < 0


def test_the_same_rows_every_time_and_for_little_memory(backend):
    X, labels = blobs(n=500)
    one, two = representatives(X, labels), representatives(X, labels, working_memory=0.05)
    assert_array_equal(one.table["row"], two.table["row"])
    assert_array_equal(representatives(X, labels).table["row"], one.table["row"])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_ambiguous_rows_have_the_lowest_silhouettes(backend, metric):
    X, labels = blobs()
    labels[::8] = -1
    s = gm.silhouette_samples(X, labels, metric=metric, noise_label=-1)
    found = ambiguous(X, labels, per_cluster=3, metric=metric)
    D = pytest.importorskip("scipy.spatial.distance").cdist(X, X, metric)
    for label, rows in found.by_cluster.items():
        mine = np.flatnonzero(labels == label)
        assert_array_equal(rows, mine[np.argsort(s[mine], kind="stable")[:3]])
        others = [other for other in range(4) if other != label]
        means = np.stack([D[np.ix_(rows, labels == other)].mean(axis=1) for other in others])
        told = found.table["cluster"] == label
        assert_array_equal(found.table["nearest_other"][told], np.array(others)[means.argmin(axis=0)])
        assert_allclose(found.table["silhouette"][told], s[rows], rtol=1e-9)
    known = ambiguous(X, labels, per_cluster=3, metric=metric, silhouette=s)
    assert_array_equal(known.table["row"], found.table["row"])


@pytest.mark.parametrize("kind", ["dense", "negative zero", "sparse", "precomputed"])
def test_of_equal_ambiguous_rows_one_is_taken(kind):
    X, labels = blobs(n=40)
    X[:, 0] = 0
    X, labels = np.repeat(X, 30, axis=0), np.repeat(labels, 30)
    s = gm.silhouette_samples(X, labels)
    if kind == "negative zero":
        X[::2, 0] = -0.0
    D = np.linalg.norm(X[:, None] - X, axis=2) if kind == "precomputed" else X
    given = pytest.importorskip("scipy.sparse").csr_array(X) if kind == "sparse" else D
    metric = "precomputed" if kind == "precomputed" else "euclidean"
    for n in (3, 100):
        for label, rows in ambiguous(given, labels, per_cluster=n, metric=metric, silhouette=s).by_cluster.items():
            mine = np.flatnonzero(labels == label)
            ordered = mine[np.argsort(s[mine], kind="stable")]
            _, first = np.unique(X[ordered] + 0.0, axis=0, return_index=True)
            assert_array_equal(rows, ordered[np.sort(first)][:n])


def test_equal_ambiguous_rows_on_every_backend(backend):
    found = ambiguous(np.array([[0.0]] * 9 + [[1.0], [5.0], [5.0], [6.0]]), [0] * 10 + [1] * 3, per_cluster=5)
    assert_equal({label: rows.tolist() for label, rows in found.by_cluster.items()}, {0: [9, 0], 1: [12, 10]})


def test_rows_for_naming_from_the_worked_examples():
    X, labels = noisy()
    typical, doubtful = representatives(X, labels), ambiguous(X, labels)
    s = gm.silhouette_samples(X, labels, noise_label=-1)
    for label in (0, 1, 2):
        mean = s[labels == label].mean()
        assert s[typical.by_cluster[label]].mean() > mean > s[doubtful.by_cluster[label]].mean()
    assert -1 not in typical.by_cluster
    assert_equal(set(labels[typical.table["row"]]), {0, 1, 2})


@pytest.mark.parametrize("labels", [[-1] * 4, [0, 1, 2, 3], [0] * 4])
def test_clusterings_without_silhouettes(labels):
    X = [[0.0], [1.0], [4.0], [9.0]]
    found = ambiguous(X, labels)
    assert_equal(len(found), 0)
    assert "no silhouettes" in str(found)
    assert all(len(rows) == 0 for rows in found.by_cluster.values())
    typical = representatives(X, labels)
    assert_equal(len(typical), sum(label >= 0 for label in labels))
    json.dumps([found.to_dict(), typical.to_dict()])


def test_results():
    X, labels = points("blobs4"), np.array(["a", "b", "c", "d"])[k_means("blobs4", 4)]
    for found in (representatives(X, labels, per_cluster=2), ambiguous(X, labels, per_cluster=2)):
        data = found.to_dict()
        assert_equal(json.loads(json.dumps(data, allow_nan=False)), data)
        assert_equal((len(found), data["n_clusters"], len(repr(found)) < 90), (8, 4, True))
        assert_equal(list(found.by_cluster), ["a", "b", "c", "d"])
        for rows, label in zip(found.table["row"], found.table["cluster"], strict=True):
            assert_equal(labels[rows], label)
            assert f"{rows}: " in str(found)
        for library in ("pandas", "polars"):
            pytest.importorskip(library)
            assert_equal(list(found.to_frame(library).columns), list(found.table))
    many = representatives(np.arange(60.0)[:, None], np.arange(60) // 2)
    assert "... and 5 more clusters" in str(many)


@pytest.mark.parametrize(
    ("function", "change", "error", "match"),
    [
        (representatives, {"per_cluster": 0}, ValueError, "per_cluster must be an integer of at least 1"),
        (representatives, {"share": 0}, ValueError, "share must be above 0"),
        (representatives, {"share": 1.5}, ValueError, "share must be above 0"),
        (representatives, {"metric": "nonsense"}, ValueError, "'metric' parameter of representatives"),
        (representatives, {"p": 3}, TypeError, "unexpected keyword"),
        (ambiguous, {"per_cluster": True}, ValueError, "per_cluster must be an integer"),
        (ambiguous, {"silhouette": "skip"}, ValueError, "silhouette must be one of"),
        (ambiguous, {"random_state": "x"}, ValueError, "random_state must be"),
    ],
)
def test_bad_arguments(function, change, error, match):
    X, labels = blobs()
    with pytest.raises(error, match=match):
        function(X, labels, **change)
