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


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[np.inf, 1], [1, 1]], r"sum is below 2\*\*63"),
        ([[1e300, 1], [1, 1]], r"sum is below 2\*\*63"),
        ([[2**62, 2**61], [2**61, 2**62]], r"sum is below 2\*\*63"),
        (np.array([[2**63, 1], [1, 1]], np.uint64), r"sum is below 2\*\*63"),
        (np.ma.masked_array([[1, 2], [3, 4]], mask=[[1, 0], [0, 0]]), "contingency has masked entries"),
        (sparse.coo_array(np.array([1, 2, 3])), "Expected 2D array, got 1D array instead for contingency"),
        ([1, 2], "Expected 2D array, got 1D array instead for contingency"),
        ([[1, 0.5], [1, 1]], "contingency must hold counts"),
        ([[1, np.nan], [1, 1]], "contingency must hold counts"),
        ([[1, -1], [1, 1]], "contingency must hold counts"),
    ],
    ids=str,
)
def test_tables_that_hold_no_counts(table, message):
    with pytest.raises(ValueError, match=message):
        gm.mutual_info_score(None, None, contingency=table)


def test_a_table_of_counts_up_to_two_to_the_63():
    share = [[1 / 3, 1 / 6], [1 / 6, 1 / 3]]
    expected = sum(p * math.log(4 * p) for row in share for p in row)
    for table in ([[2**61, 2**60], [2**60, 2**61]], np.array([[2**61, 2**60], [2**60, 2**61]], float)):
        assert_allclose(gm.mutual_info_score(None, None, contingency=table), expected, rtol=1e-14)
    assert gm.mutual_info_score(None, None, contingency=[[2**62, 2**62 - 1]]) == 0.0


def test_a_table_does_not_evade_the_backend(backend):
    if backend != "numpy":
        pytest.skip("the backend that is asked for runs")
    with gm.config_context(backend="cupy"), pytest.raises(gm.BackendError):
        gm.mutual_info_score(None, None, contingency=[[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("dtype", "largest"), [("float16", 2048), ("float32", 2**17), ("uint8", 255), ("int8", 127), ("bool", 1)]
)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_dtype_must_hold_every_count(dtype, largest, sparse):
    labels = np.zeros(largest, dtype=int)
    assert gm.contingency_matrix(labels, labels, dtype=dtype, sparse=sparse).sum() == largest
    if dtype != "float32":  # which holds more rows than a test should have
        labels = np.zeros(largest + 1, dtype=int)
        with pytest.raises(ValueError, match=f"dtype {dtype} cannot hold a count of {largest + 1}"):
            gm.contingency_matrix(labels, labels, dtype=dtype, sparse=sparse)


@pytest.mark.parametrize(
    ("kwargs", "dtype"),
    [({"eps": 1}, "int64"), ({"eps": 0.5}, "float64"), ({"eps": 0.5, "dtype": "float32"}, "float32")],
    ids=str,
)
def test_eps_is_added_by_promotion(kwargs, dtype):
    found = gm.contingency_matrix([0, 0, 1], [0, 1, 1], **kwargs)
    assert found.dtype == dtype
    assert_array_equal(found, np.array([[1, 1], [0, 1]]) + kwargs["eps"])


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


@pytest.mark.parametrize("dtype", ["M8[ns]", "M8[D]", "m8[ns]", "m8[s]"])
def test_the_matching_of_dates(dtype):
    values = np.array([10**9, 10**9, 10**9 + 1]).astype(dtype)
    accuracy, matching = gm.clustering_accuracy([5, 5, 6], values, return_matching=True)
    assert accuracy == 1.0
    assert matching == {values[0]: 5, values[2]: 6}
    assert {key.dtype for key in matching} == {np.dtype(dtype)}


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


@pytest.mark.parametrize("log_counts", [False, True])
@pytest.mark.parametrize("share", [(1 / 2, 1 / 2), (1 / 4, 1 / 3), (0.9, 1 / 5)])
def test_moments_take_over_from_the_sum(share, log_counts, monkeypatch):
    from gpumetrics.backends import expected_cells, numpy_emi

    n = 2**28
    margins = [np.array([int(n * s), n - int(n * s)]) for s in share]
    by_moments = numpy_emi.expected_mutual_information(*margins, n, log_counts=log_counts)
    monkeypatch.setattr(expected_cells, "LARGE_MEAN", 2**40)
    summed = numpy_emi.expected_mutual_information(*margins, n, log_counts=log_counts)
    assert_allclose(by_moments, summed, rtol=1e-13)


def test_expected_mutual_info_of_very_large_counts():
    """The chi-square law: (r - 1) (c - 1) / 2n, to the first order; in no time and no memory."""
    started = time.perf_counter()
    for n in (10**13, 10**16, 2**61):
        table = np.array([[n, 0], [0, n]])
        assert_allclose(gm.expected_mutual_information(table, 2 * n), 1 / (4 * n), rtol=1e-9)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("average_method", AVERAGES)
@pytest.mark.parametrize("n", [5, 100, 10**5, 10**6])
def test_adjusted_mutual_info_of_nearly_all_singletons(n, average_method):
    """Two labelings with one pair each, another one: chance pairs the same rows once in n (n - 1) / 2 times."""
    t, p = np.arange(n), np.arange(n)
    t[1], p[3] = t[0], p[2]
    expected = -1 / (math.comb(n, 2) - 1)
    assert_allclose(gm.adjusted_mutual_info_score(t, p, average_method=average_method), expected, rtol=1e-12)


@pytest.mark.parametrize("average_method", AVERAGES)
@pytest.mark.parametrize("k", [20, 29, 30])
def test_adjusted_mutual_info_on_both_sides_of_its_two_forms(k, average_method):
    rng = np.random.default_rng(k)
    t, p = (np.concatenate([np.arange(k), rng.integers(0, k, 31 - k)]).tolist() for _ in range(2))
    found = gm.adjusted_mutual_info_score(t, p, average_method=average_method)
    assert_allclose(found, definitions.adjusted_mutual_info(t, p, average_method), rtol=1e-10, atol=1e-11)


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
        assert gm.normalized_mutual_info_score(t, both, average_method="min") == 1.0
        assert gm.normalized_mutual_info_score(both, t, average_method="min") == 1.0
        assert gm.mutual_info_score(t, both) == gm.entropy(t)


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
