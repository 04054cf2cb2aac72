"""The tables of the document on choosing K: what each score prefers, what is asked, what the text says."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal
from worked.rows import ROWS, SETS, k_means, noisy, points

from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.sweep import sweep

NAMES = ("silhouette", "calinski_harabasz", "davies_bouldin")


def words(text):
    return " ".join(str(text).split())


def of_k(name, ks, **keywords):
    return compare_labelings(points(name), {k: k_means(name, k) for k in ks}, **keywords)


def cells(comparison, *first):
    """The cells of a line of the printed table."""
    lines = [re.split(r" \*? *", line.strip()) for line in str(comparison).splitlines()]
    return next([cell for cell in line if cell] for line in lines if line[: len(first)] == list(first))


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("name", ["blobs4", "blobs5"])
def test_the_scores_of_every_k(name):
    table = np.array([line for line in ROWS[f"{name}.sweep"]["computed"] if str(line[0]) in SETS[name]["kmeans"]])
    comparison = of_k(name, table[:, 0].astype(int))
    assert_allclose(np.transpose([comparison.rows[score] for score in NAMES]), table[:, 1:], rtol=1e-10)


@pytest.mark.usefixtures("backend")
def test_blobs4_all_agree_on_four():
    comparison = of_k("blobs4", range(2, 11))
    assert_equal([comparison.best[name] for name in NAMES], [4, 4, 4])
    assert comparison.agreed
    assert_equal(
        str(comparison.agreement),
        "All three scores agree on K = 4: silhouette 0.834, Calinski-Harabasz 5,286, Davies-Bouldin 0.232.",
    )
    assert_equal((comparison.question, comparison.changes), ("", ()))
    assert "distinct structure (above 0.7)" in words(comparison)
    assert "compare only within one data set" in words(comparison)


def test_the_table_as_the_document_prints_it():
    comparison = of_k("blobs5", range(3, 7))
    printed = {3: "0.668 780 0.564", 4: "0.836 5,306 0.222", 5: "0.688 5,560 0.463", 6: "0.594 4,900 0.702"}
    for k, line in printed.items():
        assert_equal(cells(comparison, str(k))[2:5], line.split())
    head = str(comparison).splitlines()[2]
    assert_equal(re.split(r"  +", head.strip())[2:5], ["silhouette ↑", "Calinski-Harabasz ↑", "Davies-Bouldin ↓"])


@pytest.mark.usefixtures("backend")
def test_blobs5_the_scores_disagree_and_the_question_is_asked():
    comparison = of_k("blobs5", range(2, 9))
    assert_equal([comparison.best[name] for name in NAMES], ROWS["blobs5.peaks"]["computed"])
    assert not comparison.agreed
    text = comparison.agreement
    assert "silhouette and Davies-Bouldin prefer K = 4, Calinski-Harabasz prefers K = 5" in text
    assert "not averaged" in text
    assert "take close groups for one, since apart they lie too near to each other" in text
    (change,) = comparison.changes
    (split,) = change.splits
    y = np.array(SETS["blobs5"]["y"])
    close = np.isin(y, [0, 1])  # the two groups that are 1.5 apart
    assert_equal((split.size, sum(split.sizes), len(split.pieces), split.close), (200, 200, 2, True))
    assert np.isin(k_means("blobs5", 4)[close], split.whole).mean() > 0.95
    assert_equal((change.same, change.moved, change.merges), (3, 0, ()))
    sizes = " and ".join(map(str, split.sizes))
    pieces = " and ".join(map(str, split.pieces))
    assert_equal(
        str(comparison.question),
        f"Do the two close groups {pieces} ({sizes} rows), which K = 4 keeps in one cluster, differ for your purpose? "
        "Yes: take K = 5. No: take K = 4.",
    )
    for part in (comparison.agreement, comparison.question, f"cluster {split.whole} (200 rows) parts into"):
        assert part in words(comparison)


def test_the_largest_davies_bouldin_is_never_chosen():
    comparison = of_k("blobs5", range(2, 9))
    marked = [line for line in str(comparison).splitlines() if line.startswith("8")]
    assert "*" not in marked[0]
    assert_equal(comparison.ranking("davies_bouldin")[-1], 8)


@pytest.mark.usefixtures("backend")
def test_moons_internal_and_external_scores_side_by_side():
    X, sets = points("moons"), SETS["moons"]
    comparison = compare_labelings(X, {"K-Means": sets["kmeans2"], "DBSCAN": sets["dbscan"]}, labels_true=sets["y"])
    heads = re.split(r"  +", str(comparison).splitlines()[2].strip())
    at = [heads.index(head) for head in ("silhouette ↑", "CH ↑", "ARI ↑")]
    assert_equal([cells(comparison, "K-Means")[i] for i in at], ["0.489", "586", "0.274"])
    assert_equal([cells(comparison, "DBSCAN")[i] for i in at], ["0.330", "261", "1.000"])
    assert_equal([comparison.best[name] for name in NAMES], ["K-Means"] * 3)
    assert_equal(comparison.ranking("adjusted_rand"), ["DBSCAN", "K-Means"])
    assert_equal(comparison.ranking("adjusted_mutual_info"), ["DBSCAN", "K-Means"])
    assert "DBSCAN (K = 2) 1.000, K-Means (K = 2) 0.274" in comparison.notes["truth"]
    assert "Where the classes are what is looked for, DBSCAN (K = 2) is the better one" in comparison.notes["truth"]
    assert "density_validity" in comparison.notes["shape"]
    assert "DBSCAN (K = 2)" in comparison.notes["shape"]
    assert "no fair judge" in words(comparison)


def test_moons_the_density_validity_prefers_dbscan():
    X, sets = points("moons"), SETS["moons"]
    labelings = {"K-Means": sets["kmeans2"], "DBSCAN": sets["dbscan"]}
    comparison = compare_labelings(X, labelings, scores=(*NAMES, "density_validity"))
    assert_equal(comparison.best["density_validity"], "DBSCAN")
    assert "density validity prefers DBSCAN (K = 2)" in comparison.agreement
    assert "dense ones of any shape" in comparison.agreement
    assert_equal(comparison.question.split("? ")[1], "Compact: take K-Means (K = 2). Any shape: take DBSCAN (K = 2).")


@pytest.mark.usefixtures("backend")
def test_noise_both_readings():
    X, labels = noisy()
    without = compare_labelings(X, {"DBSCAN": labels})
    with_it = compare_labelings(X, {"DBSCAN": labels}, noise_label=None)
    assert_equal([f"{c.rows['silhouette'][0]:.3f}" for c in (without, with_it)], ["0.832", "0.552"])
    assert_equal((without.rows["n_noise"][0], with_it.rows["n_noise"][0]), (63, 0))
    assert "19.1 %" in str(without)
    assert "eps too small" in words(without)
    assert "takes clusters of any shape" in words(without)


def test_the_sweep_of_the_document():
    cluster = pytest.importorskip("sklearn.cluster")
    kmeans = cluster.KMeans(n_init=10)
    comparison = sweep(points("blobs4"), kmeans, n_clusters=range(2, 11), random_state=42)
    assert comparison.agreed
    assert_equal([comparison.best[name] for name in NAMES], [4, 4, 4])
    assert_equal(cells(comparison, "4")[2:5], ["0.834", "5,286", "0.232"])
    comparison = sweep(points("blobs5"), kmeans, n_clusters=range(3, 7), random_state=42)
    assert_equal([comparison.best[name] for name in NAMES], [4, 5, 4])
    assert "Yes: take K = 5. No: take K = 4." in comparison.question
