"""Agreement of two labelings, beyond the catalogue: tables, noise, matching, large counts."""

import itertools
import math
import time

import definitions
import inputs
import numpy as np
import pytest
from catalogue import LABELINGS
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import gpumetrics as gm

pytestmark = pytest.mark.usefixtures("backend")
peer = pytest.importorskip("sklearn.metrics.cluster")
AVERAGES = ["arithmetic", "geometric", "min", "max"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kwargs", [{}, {"eps": 0.1}, {"eps": 0}, {"dtype": np.int32}, {"dtype": np.float64}], ids=str)
def test_contingency_matrix(kwargs, seed):
    labels_true, labels_pred = inputs.labelings(seed)
    found, expected = (m.contingency_matrix(labels_true, labels_pred, **kwargs) for m in (gm, peer))
    assert_array_equal(found, expected)
    assert found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float64, np.uint8])
def test_contingency_matrix_sparse(dtype):
    labels_true, labels_pred = inputs.labelings(1)
    found = gm.contingency_matrix(labels_true, labels_pred, sparse=True, dtype=dtype)
    expected = peer.contingency_matrix(labels_true, labels_pred, sparse=True, dtype=dtype)
    assert sparse.issparse(found)
    assert found.format == "csr"
    assert found.dtype == expected.dtype
    assert_array_equal(found.toarray(), expected.toarray())


def test_contingency_matrix_of_distinct_labels_stays_sparse():
    n = 200_000
    table = gm.contingency_matrix(np.arange(n), np.arange(n)[::-1], sparse=True)
    assert table.shape == (n, n)
    assert table.nnz == n
    labels = np.arange(n)
    for name in (
        "rand_score",
        "adjusted_rand_score",
        "normalized_mutual_info_score",
        "fowlkes_mallows_score",
    ):
        assert getattr(gm, name)(labels, labels[::-1]) == 1.0
    assert gm.clustering_accuracy(labels, labels[::-1]) == 1.0
    assert gm.adjusted_mutual_info_score(labels, labels // 2) == 0.0


@pytest.mark.parametrize(
    "make", [np.asarray, sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array], ids=lambda m: m.__name__
)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float64])
def test_mutual_info_of_a_table(make, dtype):
    labels_true, labels_pred = inputs.labelings(2)
    table = make(gm.contingency_matrix(labels_true, labels_pred).astype(dtype))
    expected = gm.mutual_info_score(labels_true, labels_pred)
    assert_allclose(gm.mutual_info_score(None, None, contingency=table), expected, rtol=1e-12)


@pytest.mark.parametrize("metric", LABELINGS, ids=str)
@pytest.mark.parametrize("noise_label", [-1, "noise"])
def test_noise_on_the_predicted_side(metric, noise_label):
    labels_true, labels_pred = (np.array(labels) for labels in inputs.labelings(3))
    kept = np.arange(40) % 6 != 0
    noisy = labels_pred.astype(object)
    noisy[~kept] = noise_label
    labels_true[3] = -1  # on the true side, -1 is a label like any other
    score = getattr(gm, metric.name)
    found = score(labels_true, noisy, noise_label=noise_label)
    assert_array_equal(found, score(labels_true[kept], labels_pred[kept]))
    assert_array_equal(score(labels_true, labels_pred, noise_label="absent"), score(labels_true, labels_pred))


@pytest.mark.parametrize("metric", LABELINGS, ids=str)
def test_nothing_but_noise(metric):
    with pytest.raises(ValueError, match="no row is left to compare"):
        getattr(gm, metric.name)([0, 1, 2], [-1, -1, -1], noise_label=-1)


@pytest.mark.parametrize("seed", range(30))
def test_the_matching_is_the_best_one(seed):
    rng = np.random.default_rng(seed)
    labels_true, labels_pred = (
        rng.integers(0, rng.integers(1, 7), 25),
        rng.integers(0, rng.integers(1, 7), 25),
    )
    accuracy, matching = gm.clustering_accuracy(labels_true, labels_pred, return_matching=True)
    assert accuracy == definitions.clustering_accuracy(labels_true.tolist(), labels_pred.tolist())
    assert len(set(matching.values())) == len(matching)
    renamed = np.array([matching.get(label, -9) for label in labels_pred.tolist()])
    assert accuracy == (renamed == labels_true).mean()


def test_the_matching_speaks_of_the_users_labels():
    accuracy, matching = gm.clustering_accuracy(["a", "a", "b", "b", "c"], [7, 7, 3, 7, 5], return_matching=True)
    assert accuracy == 0.8
    assert matching == {7: "a", 3: "b", 5: "c"}
    assert {type(key) for key in matching} == {int}


def test_a_large_matching():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 3000, 20_000)
    names = rng.permutation(3000)
    started = time.perf_counter()
    assert gm.clustering_accuracy(true, names[true]) == 1.0
    off = np.where(rng.random(20_000) < 0.1, 0, names[true])
    assert (off == names[true]).mean() <= gm.clustering_accuracy(true, off) < 1.0
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("average_method", AVERAGES)
def test_adjusted_mutual_info_of_larger_tables(seed, average_method):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 5000))
    t, p = rng.integers(0, rng.integers(2, 40), n), rng.geometric(0.1, n)
    p = np.where(rng.random(n) < 0.3, t, p)
    for name in ("adjusted_mutual_info_score", "normalized_mutual_info_score"):
        found, expected = (getattr(m, name)(t, p, average_method=average_method) for m in (gm, peer))
        assert_allclose(found, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_expected_mutual_info_of_skewed_margins(seed):
    rng = np.random.default_rng(seed)
    n = 300
    t, p = rng.geometric(0.4, n), rng.geometric(0.05, n)
    table = gm.contingency_matrix(t, p)
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    expected = definitions.expected_mutual_information(rows, columns, n)
    assert_allclose(gm.expected_mutual_information(table, n), expected, rtol=1e-10)
    assert_allclose(gm.expected_mutual_information(table.T, n), expected, rtol=1e-10)


def test_expected_mutual_info_of_trivial_margins():
    assert gm.expected_mutual_information(np.array([[70]]), 70) == 0
    assert_allclose(gm.expected_mutual_information(np.eye(9, dtype=int), 9), np.log(9), rtol=1e-12)


def test_many_thousand_clusters_in_no_time():
    i = np.arange(300_000)
    started = time.perf_counter()
    gm.adjusted_mutual_info_score(i % 5000, i % 4999)
    gm.adjusted_mutual_info_score(np.sqrt(i).astype(int), i % 311)
    assert time.perf_counter() - started < 15


def test_counts_beyond_two_to_the_63():
    """Products of pair counts at 4 million rows; the sum of squares itself stays within int64."""
    v = [1_200_000, 400_000, 800_000, 1_600_000]
    a, b = (np.repeat(np.array(labels, dtype=np.int8), v) for labels in ([0, 0, 1, 1], [0, 1, 0, 1]))
    together = sum(x * (x - 1) for x in v)
    rows, columns = (sum(x * (x - 1) for x in sums) for sums in ((1_600_000, 2_400_000), (2_000_000, 2_000_000)))
    n = 4_000_000 * 3_999_999
    matrix = [[n - rows - columns + together, columns - together], [rows - together, together]]
    assert gm.pair_confusion_matrix(a, b).tolist() == matrix
    (tn, fp), (fn, tp) = matrix
    expected = 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn))
    assert gm.adjusted_rand_score(a, b) == expected
    assert_allclose(gm.fowlkes_mallows_score(a, b), together / math.sqrt(rows * columns), rtol=1e-14)


@pytest.mark.parametrize("name", ["mutual_info_score", "normalized_mutual_info_score", "adjusted_mutual_info_score"])
def test_the_bits_do_not_depend_on_names_or_order(name):
    rng = np.random.default_rng(1)
    t, p = rng.integers(0, 12, 700), rng.integers(0, 9, 700)
    score = getattr(gm, name)
    expected = score(t, p)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        order = rng.permutation(700)
        assert score(rng.permutation(12)[t][order], rng.permutation(9)[p][order]) == expected


@pytest.mark.parametrize("average_method", AVERAGES)
def test_exactly_zero_and_exactly_one(average_method):
    """Independent tables of many shapes are 0, renamed partitions are 1: decided from the integers."""
    for a, b in itertools.product([2, 3, 7, 13], [2, 5, 11]):
        t, p = np.repeat(np.arange(a), b * 3), np.tile(np.repeat(np.arange(b), 3), a)
        assert gm.mutual_info_score(t, p) == 0.0
        assert gm.normalized_mutual_info_score(t, p, average_method=average_method) == 0.0
        assert gm.homogeneity_completeness_v_measure(t, p) == (0.0, 0.0, 0.0)
        assert gm.normalized_mutual_info_score(t, 100 - t, average_method=average_method) == 1.0
        assert gm.adjusted_mutual_info_score(t, 100 - t, average_method=average_method) == 1.0
        assert gm.homogeneity_completeness_v_measure(t, 100 - t) == (1.0, 1.0, 1.0)
        both = t * b + p  # a refinement of t
        assert gm.homogeneity_score(t, both) == 1.0
        assert gm.completeness_score(both, t) == 1.0
        assert_allclose(gm.normalized_mutual_info_score(t, both, average_method="min"), 1.0, rtol=1e-14)


def test_nearly_the_same_is_below_one():
    t = np.zeros(100_000, dtype=int)
    t[:2] = 1
    p = np.roll(t, 1)
    for average_method in AVERAGES:
        assert 0 < gm.normalized_mutual_info_score(t, p, average_method=average_method) < 1


def test_entropy():
    assert gm.entropy([]) == 1.0
    assert gm.entropy([5, 5, 5]) == 0.0
    assert str(gm.entropy(["a", "a"])) == "0.0"  # not -0.0
    assert_allclose(gm.entropy([0, 1]), np.log(2), rtol=1e-15)
    assert_allclose(gm.entropy(np.arange(1000)), np.log(1000), rtol=1e-14)
