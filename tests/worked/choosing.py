"""Rows on choosing K, on moons and on noise."""

import numpy as np
from numpy.testing import assert_allclose

import gpumetrics as gm
from gpumetrics.choosing.stability_result import READINGS, stability_band
from worked.rows import PROPERTIES, SETS, VALUES, from_table, into, k_means, noisy, per_cluster, points, three
from worked.silhouettes import mean_distance


def sweep(name, ks):
    return [three(points(name), k_means(name, k)) for k in ks]


@into(PROPERTIES, "blobs4.sweep", "blobs5.sweep")
def _(row):  # strict where the labels are stored; beyond, k-means may reach another optimum
    name = row["id"].partition(".")[0]
    table = np.array([line for line in row["computed"] if str(line[0]) in SETS[name]["kmeans"]])
    assert len(table) == 5
    assert_allclose(sweep(name, table[:, 0].astype(int)), table[:, 1:], rtol=1e-10)


@into(PROPERTIES, "blobs4.peaks")
def _(row):
    silhouettes, ch, db = np.transpose(sweep("blobs4", range(2, 11)))
    assert [silhouettes.argmax() + 2, ch.argmax() + 2, db.argmin() + 2] == [4, 4, 4]


@into(VALUES, "blobs5.peaks")
def _(row):
    printed, wide = (np.transpose(sweep("blobs5", ks)) for ks in (range(3, 7), range(2, 9)))
    best = [[t[0].argmax() + k, t[1].argmax() + k, t[2].argmin() + k] for t, k in ((printed, 3), (wide, 2))]
    assert best[0] == best[1]
    return best[0]


@into(VALUES, "blobs5.gap")
def _(row):
    centers = np.array(row["inputs"]["centers"], dtype=float)
    return mean_distance(centers[0], centers[[1]])


def moons(row):
    which = "kmeans2" if ".km." in row["id"] else "dbscan"
    return points("moons"), SETS["moons"][which]


@into(VALUES, "moons.km.sil", "moons.db.sil")
def _(row):
    return gm.silhouette_score(*moons(row))


@into(VALUES, "moons.km.ch", "moons.db.ch")
def _(row):
    return gm.calinski_harabasz_score(*moons(row))


@into(VALUES, "moons.km.ari", "moons.db.ari")
def _(row):
    return gm.adjusted_rand_score(SETS["moons"]["y"], moons(row)[1])


@into(VALUES, "moons.contingency")
def _(row):
    return gm.adjusted_rand_score(*from_table(row["inputs"]["contingency"]))


@into(PROPERTIES, "moons.ranking")
def _(row):
    X, truth = points("moons"), SETS["moons"]["y"]
    (sil, ch, db), (sil2, ch2, db2) = (three(X, SETS["moons"][which]) for which in ("kmeans2", "dbscan"))
    assert sil > sil2
    assert ch > ch2
    assert_allclose([db, db2], [0.7811, 1.1613], atol=5e-5)
    assert gm.adjusted_rand_score(truth, SETS["moons"]["dbscan"]) == 1
    assert gm.adjusted_rand_score(truth, SETS["moons"]["kmeans2"]) < 0.3


@into(VALUES, "noise.count", "noise.ratio")
def _(row):
    left_out = np.isnan(gm.silhouette_samples(*noisy(), noise_label=-1))
    return left_out.sum() if row["id"].endswith("count") else left_out.mean()


@into(VALUES, "noise.with")
def _(row):
    return gm.silhouette_score(*noisy())


@into(VALUES, "noise.without")
def _(row):
    X, labels = noisy()
    without = gm.silhouette_score(X[labels != -1], labels[labels != -1])
    assert gm.silhouette_score(X, labels, noise_label=-1) == without
    return without


@into(PROPERTIES, "noise.own_cluster")
def _(row):
    X, labels = noisy()
    renamed = np.where(labels == -1, 99, labels)
    assert_allclose(three(X, labels), three(X, renamed), rtol=1e-13)


@into(PROPERTIES, "noise.drags")
def _(row):
    X, labels = noisy()
    means = per_cluster(X, labels)
    assert np.argmin(means) == 0  # the cluster named -1
    assert_allclose(means[0], -0.5777, atol=5e-5)
    assert gm.silhouette_score(X, labels) < gm.silhouette_score(X, labels, noise_label=-1)


@into(PROPERTIES, "noise.discard_raises")
def _(row):
    X = points("noise_candidate")
    centers = np.array([[-5, 0], [0, 5], [5, 0]])
    gaps = np.linalg.norm(X[:, None] - centers, axis=2)
    labels, gap = gaps.argmin(axis=1), gaps.min(axis=1)
    scores = [
        gm.silhouette_score(X, np.where(gap <= radius, labels, -1), noise_label=-1) for radius in (np.inf, 2, 1.5, 1)
    ]
    assert_allclose(scores, [0.7359, 0.8120, 0.8417, 0.8787], atol=5e-5)


@into(PROPERTIES, "stability.reading")
def _(row):
    assert [stability_band(value) for value in (0.91, 0.9, 0.5, 0.3)] == ["structure", "between", "wavering", "low"]
    assert "says nothing of this range" in READINGS["between"]
    assert all("rule of thumb" in READINGS[band] for band in ("structure", "between", "wavering", "low"))
