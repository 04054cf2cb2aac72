"""Rows on the silhouette.

The parts a and b of one point, and single distances, are read off its s against a mate or a rival at a
known distance: s = 1 - a/b if a < b.
"""

import itertools

import numpy as np
from numpy.testing import assert_allclose

import gpumetrics as gm
from worked.rows import (
    PROPERTIES,
    SETS,
    VALUES,
    given,
    into,
    k_means,
    of,
    per_cluster,
    points,
    sizes,
)


def mean_distance(point, others):
    """`a` of the point in a cluster with the others, from s against a lone rival at distance 1000."""
    X = np.array([point, *others, np.add(point, [0, 1000])], dtype=float)
    return 1000 * (1 - gm.silhouette_samples(X, [0] * (len(X) - 1) + [1])[0])


@into(VALUES, "sil6.dist.a1", "sil6.dist.a2")
def _(row):
    X, _ = given(row)
    return mean_distance(X[2], X[[0 if row["id"].endswith("a1") else 1]])


@into(VALUES, "sil6.a")
def _(row):
    X, _ = given(row)
    return mean_distance(X[2], X[:2])


@into(VALUES, "sil6.dist.b")
def _(row):
    X, _ = given(row)
    return [mean_distance(X[2], X[[i]]) for i in (3, 4, 5)]


@into(VALUES, "sil6.b")
def _(row):
    X, _ = given(row)
    mate = np.add(X[2], [0, 1000])  # a = 1000, so s = b/1000 - 1
    s = gm.silhouette_samples(np.vstack([X[2], mate, X[3:]]), [0, 0, 1, 1, 1])
    return 1000 * (1 + s[0])


@into(VALUES, "sil6.all", "edge.singleton_sil", "edge.duplicates_sil")
def _(row):
    return gm.silhouette_samples(*given(row))


@into(VALUES, "sil6.s", "sil6.min", "sil6.max", "sil.zero_when_a_eq_b")
def _(row):
    s = gm.silhouette_samples(*given(row))
    return {"sil6.s": s[2], "sil6.min": s.min(), "sil6.max": s.max(), "sil.zero_when_a_eq_b": s[0]}[row["id"]]


@into(VALUES, "sil6.mean")
def _(row):
    return gm.silhouette_score(*given(row))


@into(PROPERTIES, "sil6.argmin")
def _(row):
    assert gm.silhouette_samples(*given(row)).argmin() == 2


@into(PROPERTIES, "sil.mean_of_samples")
def _(row):
    X, labels = given(row)
    assert_allclose(gm.silhouette_score(X, labels), gm.silhouette_samples(X, labels).mean(), rtol=1e-14)


@into(PROPERTIES, "sil.negative_when_a_gt_b")
def _(row):
    assert_allclose(gm.silhouette_samples(*given(row))[0], -0.85, rtol=1e-12)


@into(PROPERTIES, "sil.to_plus_one")
def _(row):
    s = gm.silhouette_samples(*given(row))
    assert s.min() > 1 - 1e-8
    assert s.max() <= 1


@into(PROPERTIES, "sil.range")
def _(row):
    random = np.random.RandomState(0)
    for _ in range(200):
        labels = np.concatenate([[0, 1, 2], random.randint(0, 3, 9)])
        s = gm.silhouette_samples(random.normal(size=(12, 2)), labels)
        assert s.min() >= -1
        assert s.max() <= 1


@into(PROPERTIES, "sil.cosine_vs_euclid")
def _(row):
    X, labels = given(row)
    assert_allclose(gm.silhouette_score(X, labels, metric="cosine"), 0.999095, atol=5e-7)
    assert_allclose(gm.silhouette_score(X, labels), 0.281258, atol=5e-7)


@into(PROPERTIES, "sil.scaling")
def _(row):
    random = np.random.RandomState(0)
    first = np.concatenate([random.normal(0, 1, 50), random.normal(8, 1, 50)])
    X, labels = np.column_stack([first, random.uniform(0, 1e4, 100)]), np.repeat([0, 1], 50)
    assert_allclose(gm.silhouette_score(X, labels), -0.0106, atol=5e-5)
    assert_allclose(gm.silhouette_score((X - X.mean(axis=0)) / X.std(axis=0), labels), 0.4714, atol=5e-5)


@into(PROPERTIES, "sil.high_dim")
def _(row):
    random = np.random.RandomState(0)
    labels = np.repeat([0, 1], 100)
    structure = random.normal(size=(200, 2)) * 0.5 + labels[:, None] * [4, 0]
    noise = random.normal(size=(200, 200))
    scores = [gm.silhouette_score(np.hstack([structure, noise[:, :p]]), labels) for p in (0, 2, 10, 50, 200)]
    assert all(more > less for more, less in itertools.pairwise(scores))
    assert scores[0] > 0.7
    assert scores[-1] < 0.25


@into(VALUES, "blobs4.k3.sil", "blobs4.k4.sil", *[f"blobs5.k{k}.sil" for k in (3, 4, 5, 6)])
def _(row):
    return gm.silhouette_score(*of(row))


@into(VALUES, "blobs4.k3.sizes", "blobs4.k4.sizes")
def _(row):
    return sizes(of(row)[1])


@into(VALUES, "blobs4.k3.mean0", "blobs4.k3.mean1", "blobs4.k3.mean2")
def _(row):
    return per_cluster(*of(row))[int(row["id"][-1])]


@into(VALUES, "blobs4.k3.about09")
def _(row):
    return sorted(per_cluster(*of(row)))[:0:-1]


@into(VALUES, "blobs4.k4.means")
def _(row):
    return per_cluster(*of(row))


@into(VALUES, "blobs4.k4.mean_min", "blobs4.k4.mean_max")
def _(row):
    return (min if row["id"].endswith("min") else max)(per_cluster(*of(row)))


@into(PROPERTIES, "blobs4.k3.merged")
def _(row):
    X, labels = of(row)
    lowest = int(np.argmin(per_cluster(X, labels)))
    table = gm.contingency_matrix(SETS["blobs4"]["y"], labels)
    assert sizes(labels)[lowest] == 150
    assert sorted(sizes(labels)) == [75, 75, 150]
    assert sorted(table[:, lowest].tolist()) == [0, 0, 75, 75]


@into(PROPERTIES, "blobs4.neg")
def _(row):
    X = points("blobs4")
    for k, count in row["computed"].items():
        assert (gm.silhouette_samples(X, k_means("blobs4", int(k))) < 0).sum() == count


@into(PROPERTIES, "sample.varies")
def _(row):
    X, labels = points("blobs4"), k_means("blobs4", 4)
    found = [gm.silhouette_score(X, labels, sample_size=100, random_state=seed) for seed in (0, 1, 2)]
    assert_allclose(found, [0.8277116501184533, 0.8282759619528021, 0.8350849537231504], rtol=1e-10)
    again = [gm.silhouette_score(X, labels, sample_size=100, random_state=seed) for seed in (0, 1, 2)]
    assert found == again


@into(PROPERTIES, "sample.same_rows")
def _(row):
    X = points("blobs4")
    chosen = np.random.RandomState(7).permutation(300)[:100]
    for k in range(2, 7):
        labels = k_means("blobs4", k)
        found = gm.silhouette_score(X, labels, sample_size=100, random_state=7)
        assert_allclose(found, gm.silhouette_score(X[chosen], labels[chosen]), rtol=1e-12)


@into(PROPERTIES, "sample.api")
def _(row):
    X, labels = points("blobs4"), k_means("blobs4", 4)
    found = gm.silhouette_score(X, labels, sample_size=10_000, random_state=0)  # more than there are rows
    assert_allclose(found, gm.silhouette_score(X, labels), rtol=1e-12)


@into(VALUES, "cost.sil_pairs")
def _(row):
    labels = np.zeros(row["inputs"]["n"], dtype=int)
    return int(gm.pair_confusion_matrix(labels, labels).sum()) // 2
