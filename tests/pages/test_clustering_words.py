"""Sentences of a clustering's page are true of clusterings of every kind."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_equal
from page_walk import blocks_of, texts_of

import gpumetrics as gm
from gpumetrics.pages import clustering_doubts as doubts
from gpumetrics.pages import clustering_look as look
from gpumetrics.pages.clustering_page import page_of
from gpumetrics.pages.model import Code, Figure, Paragraph

pytestmark = pytest.mark.usefixtures("unprinted")


def blobs(sizes, apart, d=2, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return apart * rng.normal(size=(len(sizes), d))[labels] + rng.normal(size=(len(labels), d)), labels


def lead(X, labels, **given):
    page = page_of(gm.evaluate_clustering(X, labels, **given))
    return " ".join(block.text for block in page.lead if isinstance(block, Paragraph))


@pytest.mark.parametrize(
    ("sizes", "uneven"), [([51, 49], False), ([90, 10], True), ([40, 30, 30], False), ([60, 20, 20], True)]
)
def test_of_two_clusters_one_always_has_half_of_the_rows(sizes, uneven):
    assert_equal("The sizes are uneven" in lead(*blobs(sizes, 9.0)), uneven)


def test_a_share_of_zero_is_said_in_words_and_a_small_one_is_not_zero():
    assert "no row is below 0" in lead(*blobs([50] * 4, 30.0))
    X, labels = blobs([2500] * 2, 30.0)
    labels[0] = 1
    text = lead(X, labels)
    assert "0.02 % of the clustered rows are below 0" in text
    assert "0.0 %" not in text


def test_pure_clusters_of_split_classes_have_much_to_do_with_the_classes():
    X, labels = blobs([20] * 30, 20.0)
    text = lead(X, labels, labels_true=labels % 2)
    assert "Nearly every cluster is of one known class (homogeneity 1.000)" in text
    assert "to do with the known classes" not in text
    text = lead(X, labels // 15, labels_true=labels)
    assert "Nearly every known class is in one cluster (completeness 1.000)" in text
    shuffled = np.random.default_rng(0).permutation(labels)
    assert "have hardly more to do with the known classes than chance" in lead(X, labels, labels_true=shuffled)


def test_one_known_class_compares_with_nothing():
    X, labels = blobs([20] * 3, 20.0)
    assert "All clustered rows are of one known class" in lead(X, labels, labels_true=0 * labels)


def test_davies_bouldin_says_how_many_clusters_overlap():
    for apart in (0.5, 1.5, 3.0, 30.0):
        X, labels = blobs([100] * 5, apart, seed=3)
        report = gm.evaluate_clustering(X, labels)
        n = int((report.per_cluster["worst_ratio"] > 1).sum())
        expected = f"{n} of 5 clusters and" if n else "no cluster and its worst neighbour are together wider"
        text = lead(X, labels)
        assert expected in text
        if "is more content" in text:
            assert n <= 2


def test_a_mean_that_most_clusters_do_not_share_is_no_agreement():
    X, labels = blobs([300] * 3, 6.0, 3)
    labels[[0, 5]] = 99, 98  # rows alone amid a cluster
    report = gm.evaluate_clustering(X, labels)
    assert report.scores["davies_bouldin"] < 1
    text = lead(X, labels)
    assert f"is {report.scores['davies_bouldin']:.3f} (lower is better): 4 of 5 clusters and their worst" in text
    assert "content" not in text


def test_distances_of_another_kind_neither_agree_nor_differ():
    X, labels = blobs([40] * 3, 3.0, 4)
    text = lead(X, labels, metric="cosine")
    assert "Davies-Bouldin, by the Euclidean distance, is" in text
    assert "agrees" not in text


def test_an_estimate_is_called_one():
    X, labels = blobs([30_000] * 2, 3.0)
    report = gm.evaluate_clustering(X, labels, silhouette="estimate", random_state=0)
    assert report.silhouette_standard_error > 0
    evaluated = int((~np.isnan(report.silhouette_samples)).sum())
    text = " ".join(map(str, texts_of(page_of(report).lead)))
    assert f"estimated to be {report.scores['silhouette']:.3f} +/- " in text
    assert f"from {evaluated:,} rows, and about" in text


def test_equal_rows_are_said_to_be_equal():
    assert doubts.EQUAL in lead(np.ones((30, 2)), np.arange(30) % 3)
    assert doubts.EQUAL not in lead(np.arange(60.0).reshape(30, 2), np.arange(30) % 3)


def test_rows_that_are_alone_are_no_worst_rows():
    X, labels = blobs([30, 30, 1], 40.0)
    page = page_of(gm.evaluate_clustering(X, labels))
    text = " ".join(map(str, texts_of(page)))
    assert "Even the row that is placed worst, 60," not in text
    assert "1 cluster has a single row, whose silhouette is 0 by definition." in text


def test_two_columns_share_the_variance_without_alarm():
    X, labels = blobs([50, 50], 9.0)
    text = " ".join(map(str, texts_of(page_of(gm.evaluate_clustering(X, labels)))))
    share = X.var(axis=0) / X.var(axis=0).sum()
    assert_equal("Check that it deserves that weight" in text, bool(share.max() >= look.MOSTLY))


@pytest.mark.parametrize(
    ("d", "caption"), [(1, "The rows as they lie."), (2, "The rows as they lie."), (3, "The rows in two")]
)
def test_a_flat_view_of_two_columns_hides_nothing(d, caption):
    page = page_of(gm.evaluate_clustering(*blobs([30, 30], 9.0, d)))
    assert next(block for block in blocks_of(page, Figure) if block.id == "map").caption.startswith(caption)


def test_sparse_rows_have_their_pairs_too():
    X, labels = blobs([30] * 3, 9.0, 4)
    dense, sparse = (
        page_of(gm.evaluate_clustering(kind(np.maximum(X, 0)), labels)) for kind in (np.asarray, sp.csr_array)
    )
    alts = [next(block.alt for block in blocks_of(page, Figure) if block.id == "pairs") for page in (dense, sparse)]
    assert_equal(*map(str, alts))


def test_stability_without_a_value_is_said_in_words():
    X, labels = blobs([30] * 2, 9.0)
    report = gm.evaluate_clustering(X, labels)
    again = gm.stability_of([labels, labels])
    object.__setattr__(again, "mean", float("nan"))
    text = " ".join(map(str, texts_of(page_of(report, stability=again).lead)))
    assert "nan" not in text


def test_lines_that_repeat_it_are_python():
    X, labels = blobs([30] * 2, 9.0)
    kinds = [
        ({"metric": lambda a, b: abs(a - b).sum()}, "metric=...)"),
        ({"metric": "minkowski", "p": np.float64(3)}, "p=3.0)"),
        ({"metric": "minkowski", "p": float("inf")}, 'p=float("inf"))'),
        ({"noise_label": np.int64(-1)}, "(X, labels)"),
        ({"noise_label": None}, "noise_label=None)"),
    ]
    for given, expected in kinds:
        code = blocks_of(page_of(gm.evaluate_clustering(X, labels, **given)), Code)[0].text
        assert expected in code
        compile(code, "page", "exec")
    names = np.array(["x" * 10_000, "b"], dtype=object)
    code = blocks_of(page_of(gm.evaluate_clustering(X, names[labels], noise_label=names[0])), Code)[0].text
    assert "noise_label=..." in code
