"""What a report tells a reader beside the numbers, as docs/requirements.md promises it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from worked.rows import SETS, k_means, noisy, points

import gpumetrics as gm


def notes(report):
    return " ".join(report.notes.values())


def test_a_band_comes_with_its_caveat():
    report = gm.evaluate_clustering(points("blobs4"), k_means("blobs4", 4))
    assert report.silhouette_band == "distinct"
    assert "distinct structure" in str(report)
    text = " ".join(str(report).split())
    for part in ("convention", "fall as the dimension grows", "within one data set"):
        assert part in text


def test_each_score_stands_with_its_direction():
    text = str(gm.evaluate_clustering(points("blobs4"), k_means("blobs4", 4)))
    lines = {line.split("  ")[0].strip(): line for line in text.splitlines()}
    assert " higher " in lines["silhouette"]
    assert " higher " in lines["Calinski-Harabasz"]
    assert " lower " in lines["Davies-Bouldin"]


def test_scores_against_the_truth_stand_apart():
    X, truth = points("moons"), SETS["moons"]["y"]
    without = gm.evaluate_clustering(X, SETS["moons"]["kmeans2"])
    report = gm.evaluate_clustering(X, SETS["moons"]["kmeans2"], labels_true=truth)
    assert "adjusted_rand" not in without.scores
    text = str(report)
    assert text.index("Davies-Bouldin") < text.index("against labels_true") < text.index("adjusted Rand")


def test_the_worst_pair_is_named():
    X = np.array([[-1.0], [1.0], [3.0], [5.0], [7.0], [13.0]])
    report = gm.evaluate_clustering(X, ["one", "one", "two", "two", "wide", "wide"])
    line = next(line for line in str(report).splitlines() if line.startswith("Davies-Bouldin"))
    assert "two" in line
    assert "wide" in line
    assert report.per_cluster["worst_partner"].tolist() == ["two", "wide", "two"]


def test_davies_bouldin_zero_is_suspicious():
    report = gm.evaluate_clustering([[0.0], [0.0], [5.0], [5.0], [9.0], [9.0]], [0, 0, 1, 1, 2, 2])
    assert report.scores["davies_bouldin"] == 0
    assert "Suspect" in report.notes["davies_bouldin"]


def test_shapes_that_are_not_round_are_warned_of():
    assert "crescents or rings" in notes(gm.evaluate_clustering(points("moons"), SETS["moons"]["dbscan"]))


def test_calinski_harabasz_has_no_band():
    report = gm.evaluate_clustering(points("blobs4"), k_means("blobs4", 4))
    assert "compare within this data" in report.readings["calinski_harabasz"]
    assert not any(word in report.readings["calinski_harabasz"] for word in ("distinct", "reasonable", "weak"))


def test_slightly_negative_agreement_is_chance():
    X, truth = points("blobs4"), SETS["random"]["y"]
    report = gm.evaluate_clustering(X, SETS["random"]["labels"], labels_true=truth)
    assert report.scores["adjusted_rand"] == pytest.approx(-0.0014183921642812614)
    assert "chance" in report.readings["adjusted_rand"]
    assert report.scores["rand"] > 0.6


def test_noise_is_told_and_much_of_it_is_suspicious():
    X, labels = noisy()
    report = gm.evaluate_clustering(X, labels)
    assert (report.n_noise, report.noise_fraction) == (63, 63 / 330)
    assert "63 of 330 rows (19.1 %)" in " ".join(str(report).split())
    assert "scikit-learn's scores differ" in " ".join(str(report).split())
    assert "doubt" in report.notes["noise"]
    assert "noise" not in gm.evaluate_clustering(X, labels, noise_label=None).notes


def test_both_readings_of_noise():
    X, labels = noisy()
    without, with_it = (gm.evaluate_clustering(X, labels, noise_label=noise) for noise in (-1, None))
    assert without.scores["silhouette"] == pytest.approx(0.8317283243235906)
    assert with_it.scores["silhouette"] == pytest.approx(0.5518683286238978)
    assert (without.n_clusters, with_it.n_clusters) == (3, 4)
    assert "as in scikit-learn" in " ".join(str(with_it).split())


def test_rand_stands_beside_its_level_by_chance():
    rng = np.random.default_rng(5)
    truth, labels = rng.integers(10, size=2_000), rng.integers(10, size=2_000)
    report = gm.evaluate_clustering(rng.normal(size=(2_000, 2)), labels, labels_true=truth, silhouette="skip")
    level = float(str(report.readings["rand"]).split()[0])
    shuffled = [gm.rand_score(rng.permutation(truth), labels) for _ in range(20)]
    assert_allclose(level, np.mean(shuffled), atol=1e-3)
    assert level > 0.8  # of two labelings that have nothing to do with each other
