"""Rows on the comparison with the truth."""

import itertools
from fractions import Fraction

import numpy as np
from numpy.testing import assert_allclose

import gpumetrics as gm
from worked.rows import (
    PROPERTIES,
    SETS,
    VALUES,
    from_table,
    into,
    k_means,
    points,
    truth_and_labels,
)


def random_labels():
    return SETS["random"]["y"], SETS["random"]["labels"]


@into(VALUES, "random.rand")
def _(row):
    return gm.rand_score(*random_labels())


@into(VALUES, "random.ari")
def _(row):
    return gm.adjusted_rand_score(*random_labels())


@into(VALUES, "random.contingency")
def _(row):
    labelings = from_table(row["inputs"]["contingency"])
    return [gm.rand_score(*labelings), gm.adjusted_rand_score(*labelings)]


@into(VALUES, "random.mostly_different")
def _(row):
    labels = np.repeat(np.arange(4), row["inputs"]["class_sizes"])
    pairs = gm.pair_confusion_matrix(labels, labels)
    return pairs[0, 0] / pairs.sum()


@into(PROPERTIES, "random.fractions")
def _(row):
    found = [gm.rand_score(*random_labels()), gm.adjusted_rand_score(*random_labels())]
    assert found == [float(Fraction(row["computed"][name])) for name in ("rand", "ari")]


@into(PROPERTIES, "ari.formula")
def _(row):
    truth, labels = random_labels()
    (_, fp), (fn, tp) = gm.pair_confusion_matrix(truth, labels).tolist()
    n_pairs = 300 * 299
    a, b = tp + fn, tp + fp  # pairs together in the truth, in the labels
    expected_index = Fraction(a * b, n_pairs)
    expected_rand = 1 - Fraction(a + b, n_pairs) + 2 * expected_index / n_pairs
    assert_allclose(float(expected_rand), 0.626305, atol=5e-7)
    rand = Fraction(n_pairs - fp - fn, n_pairs)
    assert float(rand) == gm.rand_score(truth, labels)
    adjusted = (rand - expected_rand) / (1 - expected_rand)
    assert_allclose(gm.adjusted_rand_score(truth, labels), float(adjusted), rtol=1e-12)


@into(VALUES, "ari.perfect")
def _(row):
    truth, _ = random_labels()
    return gm.adjusted_rand_score(truth, truth)


@into(PROPERTIES, "ari.random_near_zero")
def _(row):
    truth, _ = random_labels()
    draws = [np.random.RandomState(seed).randint(0, 4, 300) for seed in range(200)]
    assert_allclose(np.mean([gm.adjusted_rand_score(truth, draw) for draw in draws]), 0.00031, atol=5e-6)


def runs(k):
    from sklearn.cluster import KMeans

    X = points("blobs4")
    labelings = [KMeans(k, random_state=seed, n_init=1).fit_predict(X) for seed in range(5)]
    return [gm.adjusted_rand_score(a, b) for a, b in itertools.combinations(labelings, 2)]


@into(PROPERTIES, "stability.k4")
def _(row):
    assert min(runs(4)) > 0.9


@into(PROPERTIES, "stability.k8")
def _(row):
    assert max(runs(8)) < 0.9


@into(VALUES, "hom.pure")
def _(row):
    return gm.homogeneity_score(np.repeat([0, 1], 50), np.arange(100))


@into(VALUES, "hom.split", "hom.one")
def _(row):
    return gm.homogeneity_score(*truth_and_labels(row))


@into(VALUES, "com.split", "com.one")
def _(row):
    return gm.completeness_score(*truth_and_labels(row))


@into(VALUES, "vm.split")
def _(row):
    return gm.v_measure_score(*truth_and_labels(row))


@into(PROPERTIES, "vm.harmonic")
def _(row):
    h, c, v = gm.homogeneity_completeness_v_measure(*from_table(row["inputs"]["contingency"]))
    assert_allclose(v, 2 / (1 / h + 1 / c), rtol=1e-12)


@into(PROPERTIES, "vm.equals_nmi")
def _(row):
    labelings = truth_and_labels(row)
    methods = ("arithmetic", "geometric", "min", "max")
    nmi = [gm.normalized_mutual_info_score(*labelings, average_method=m) for m in methods]
    assert_allclose(nmi, [0.8, np.sqrt(2 / 3), 1, 2 / 3], rtol=1e-12)
    assert_allclose(gm.v_measure_score(*labelings), nmi[0], rtol=1e-14)


@into(PROPERTIES, "nmi.no_baseline")
def _(row):
    truth, _ = random_labels()
    nmi, ami = [], []
    for k in (2, 4, 10, 30, 100):
        draws = [np.random.RandomState(seed).randint(0, k, 300) for seed in range(20)]
        nmi.append(np.mean([gm.normalized_mutual_info_score(truth, draw) for draw in draws]))
        ami.append(np.mean([gm.adjusted_mutual_info_score(truth, draw) for draw in draws]))
    assert_allclose(nmi, [0.0059, 0.0140, 0.0264, 0.0731, 0.1924], atol=5e-5)
    assert_allclose(ami, [0.0011, 0.0030, 0.0011, 0.0029, 0.0035], atol=5e-5)


K4 = {
    "ext.k4.ari": "adjusted_rand_score",
    "ext.k4.nmi": "normalized_mutual_info_score",
    "ext.k4.hom": "homogeneity_score",
    "ext.k4.com": "completeness_score",
}


@into(VALUES, *K4)
def _(row):
    return getattr(gm, K4[row["id"]])(SETS["blobs4"]["y"], k_means("blobs4", 4))


EXTERNAL = [
    "rand_score",
    "adjusted_rand_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "homogeneity_score",
    "completeness_score",
    "v_measure_score",
    "fowlkes_mallows_score",
    "clustering_accuracy",
]


@into(VALUES, "perm.ari")
def _(row):
    return gm.adjusted_rand_score(row["inputs"]["truth"], row["inputs"]["labels"])


@into(PROPERTIES, "perm.all")
def _(row):
    truth, labels = row["inputs"]["truth"], row["inputs"]["labels"]
    for name in EXTERNAL:
        score = getattr(gm, name)
        assert score(truth, labels) == score(truth, truth)
        other = [1, 1, 1, 0, 0, 2]
        assert score(other, labels) == score(other, truth)


@into(VALUES, "perm.hungarian")
def _(row):
    return gm.clustering_accuracy(row["inputs"]["truth"], row["inputs"]["labels"])
