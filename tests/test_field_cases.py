"""Inputs on which libraries of this field go wrong, each with its right value (data/field_cases.json)."""

import builtins
import contextlib
import json
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from catalogue import AGREEMENT
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm

pytestmark = pytest.mark.usefixtures("backend")

ROWS = json.loads((Path(__file__).parent / "data" / "field_cases.json").read_text())


def decode(value):  # noqa: PLR0911
    """One argument of a row, as the Python object it stands for."""
    if isinstance(value, list):
        return [decode(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float(value["float"])
    if "array" in value:
        return np.array(value["array"], dtype=value.get("dtype"))
    if "repeat" in value:
        return np.repeat(np.array(value["repeat"], dtype=value["dtype"]), value["counts"])
    if "arange" in value:
        a = np.arange(value["arange"]) % value.get("mod", value["arange"]) // value.get("floordiv", 1)
        return a.astype(value["dtype"]).reshape((-1, 1) if value.get("column") else -1)
    if "series" in value:
        pd = pytest.importorskip("pandas")
        return pd.Series([pd.NA if v is None else v for v in value["series"]]).astype(value["dtype"])
    if "csr" in value:
        return pytest.importorskip("scipy.sparse").csr_matrix(np.array(value["csr"]))
    return {k: decode(v) for k, v in value.items()}


def run_row(row):
    """Run one row and assert what it expects."""
    args, kwargs = decode(row["args"]), decode(row["kwargs"])
    expected = row["expected"]

    def call():
        with gm.config_context(**row["context"]) if "context" in row else contextlib.nullcontext():
            return getattr(gm, row["function"])(*args, **kwargs)

    if isinstance(expected, dict) and "raises" in expected:
        errors = tuple(getattr(builtins, name) for name in expected["raises"].split("|"))
        with pytest.raises(errors, match=expected["match"] or None):
            call()
        return
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    # C23 leaves "inf, with a warning" or a value above 1e12 open; every other row says which it is.
    assert bool(seen) == row.get("warns", False) or isinstance(expected, dict)
    if "type" in row:
        assert type(result).__name__ == row["type"]
    if not isinstance(result, tuple | list | np.ndarray):
        result = float(result)
    if isinstance(expected, dict):
        assert result >= expected["at_least"]
        return
    result, expected = np.asarray(result, dtype=float), np.asarray(expected, dtype=float)
    assert_allclose(result, expected, rtol=row["rtol"], atol=row["atol"])


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_row(row):
    if row["id"] == "C36c":
        from gpumetrics.backends import probe_cupy

        if probe_cupy()[0]:
            pytest.skip("a GPU is usable here")
    run_row(row)


def test_many_clusters_of_two():  # C03, all values
    n = 6000
    s = gm.silhouette_samples(np.arange(n, dtype=float)[:, None], np.arange(n) // 2)
    assert_allclose(s, np.where((np.arange(n) == 0) | (np.arange(n) == n - 1), 3 / 5, 1 / 3), rtol=1e-9)


@pytest.mark.parametrize("offset", [0, 5e7, 1e8, 1.7e9])  # C09, every offset with every metric
def test_shifted_integers(offset):
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]) + offset, [0, 0, 1, 1]
    found = [gm.silhouette_score(X, y), gm.davies_bouldin_score(X, y), gm.calinski_harabasz_score(X, y)]
    assert_allclose(found, [23 / 35, 1 / 3, 18], rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])  # C10, and at the top of the range of either type
@pytest.mark.parametrize("offset", [0, 1_700_000_000_000_000_000, "top", "bottom"])
def test_integers_are_subtracted_as_integers(dtype, offset):
    steps = np.array([0, 1, 60, 61])
    limits = np.iinfo(dtype)
    start = {"top": int(limits.max) - 61, "bottom": int(limits.min)}.get(offset, offset)
    X = np.array([[start + int(step)] for step in steps], dtype=dtype)
    y = [0, 0, 1, 1]
    found = [gm.silhouette_score(X, y), gm.davies_bouldin_score(X, y), gm.calinski_harabasz_score(X, y)]
    assert_allclose(found, [14159 / 14399, 1 / 60, 7200], rtol=1e-9)


def test_cosine_of_parallel_rows_is_never_above_one():  # C12
    v, w, w2 = np.arange(1, 8) / 7.0, np.array([1.0, -2, 1, 0, 0, 0, 0]), np.array([0.0, 0, 0, 0, 1, -2, 1])
    s = gm.silhouette_samples(np.vstack([v, 3 * v, 1e-3 * v, w, w2]), [0, 0, 0, 1, 1], metric="cosine")
    assert_allclose(s, [1, 1, 1, 0, 0], atol=1e-9)
    assert s.max() <= 1


HUNDRED = np.arange(6000) % 100


def test_tiles_and_threads_do_not_show():  # C15
    X, y = HUNDRED.astype(float)[:, None], HUNDRED // 50
    runs = [gm.silhouette_samples(X, y) for _ in range(3)]
    assert_array_equal(runs[0], runs[1])
    assert_array_equal(runs[0], runs[2])
    u = np.arange(50)
    a = np.abs(u[:, None] - u).sum(axis=1) * 60 / 2999
    b = np.abs(u[:, None] - np.arange(50, 100)).mean(axis=1)
    half = (b - a) / np.maximum(a, b)
    assert_allclose(runs[0], np.concatenate([half, half[::-1]])[HUNDRED], rtol=1e-10)
    for working_memory in (1, 16, 1024):
        with gm.config_context(working_memory=working_memory):
            assert_allclose(gm.silhouette_samples(X, y), runs[0], rtol=1e-10)


def test_sparse_neighbour_graph_names_the_missing_pair():  # C18
    sparse = pytest.importorskip("scipy.sparse")
    A = np.array([[0, 1.0, 4, 6], [1, 0, 3, 5], [4, 3, 0, 2], [6, 5, 2, 0]])
    A[A > 3] = 0
    with pytest.raises(ValueError, match=r"(?s)0.*2|2.*0"):
        gm.silhouette_samples(sparse.csr_matrix(A), [0, 0, 1, 1], metric="precomputed")


def test_sparse_distances_with_duplicates_are_taken():  # C18: absent between identical rows is distance 0
    sparse = pytest.importorskip("scipy.sparse")
    x = np.array([0.0, 0, 3, 3, 7, 7])
    D, y = np.abs(x[:, None] - x), [0, 0, 1, 1, 2, 2]
    assert_allclose(gm.silhouette_samples(sparse.csr_matrix(D), y, metric="precomputed"), np.ones(6))


@pytest.mark.parametrize("seed", range(20))  # C19: sample_size stays scikit-learn's, errors included
def test_sample_size_is_scikit_learns(seed):
    peer = pytest.importorskip("sklearn.metrics").silhouette_score
    X, y = np.arange(12.0)[:, None], np.array([0] * 11 + [1])
    try:
        expected = peer(X, y, sample_size=4, random_state=seed)
    except ValueError:
        with pytest.raises(ValueError, match=r"Number of labels is 1\. Valid values are 2 to n_samples - 1"):
            gm.silhouette_score(X, y, sample_size=4, random_state=seed)
    else:
        assert_allclose(gm.silhouette_score(X, y, sample_size=4, random_state=seed), expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e-150, 1e150])  # C23: no absolute tolerance
def test_near_centroids_are_not_coincident_ones(scale):
    X = np.array([[-1.0], [1.0], [-0.999], [1.001]]) * scale
    assert_allclose(gm.davies_bouldin_score(X, [0, 0, 1, 1]), 2 / 0.001, rtol=1e-9)


@pytest.mark.parametrize("labels", [[0, 0, 1, 1, 2, 2], [2, 2, 1, 1, 0, 0], [1, 1, 2, 2, 0, 0]])
def test_far_third_cluster_does_not_make_two_centroids_coincide(labels):  # C23: their own rounding counts
    X = np.array([[-1e-9], [1e-9], [4e-9], [6e-9], [1e6], [1e6 + 1]])
    expected = (2e-9 / 5e-9 * 2 + (1e-9 + 0.5) / (1e6 + 0.5 - 5e-9)) / 3
    assert_allclose(gm.davies_bouldin_score(X, labels), expected, rtol=1e-9)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e8 + 0.1, 1e-300])  # C24: equal rows give W = 0 exactly
def test_equal_rows_have_no_spread(value):
    from gpumetrics.exceptions import UndefinedMetricWarning

    X = np.array([[value]] * 3 + [[7 * value]] * 3)
    with pytest.warns(UndefinedMetricWarning, match="(?i)calinski|within"):
        assert gm.calinski_harabasz_score(X, [0] * 3 + [1] * 3) == np.inf
    assert gm.davies_bouldin_score(X, [0] * 3 + [1] * 3) == 0


def test_small_spread_is_not_zero():  # C24
    X = np.array([[0.0], [1e-6], [1e6], [1e6]])
    assert_allclose(gm.calinski_harabasz_score(X, [0, 0, 1, 1]), 1e12 * 2 / 5e-13, rtol=1e-6)


@pytest.mark.parametrize(
    ("labels_true", "labels_pred"),
    [
        pytest.param([4, 4, 4], [1, 1, 1], id="one cluster"),
        pytest.param([0, 1, 2, 3], [9, 7, 5, 1], id="all singletons"),
        pytest.param([0, 0, 1], ["b", "b", "a"], id="renamed"),
        pytest.param([], [], id="empty"),
        pytest.param([3], [8], id="one sample"),
    ],
)
@pytest.mark.parametrize("name", AGREEMENT)
def test_identical_partitions_score_one_everywhere(name, labels_true, labels_pred):  # C26, C27
    assert getattr(gm, name)(labels_true, labels_pred) == 1.0


@pytest.mark.parametrize("average_method", ["min", "max", "geometric", "arithmetic"])
def test_trivial_partitions_are_chance(average_method):  # C26
    constant, singletons, pairs = [1] * 12, list(range(12)), [i // 2 for i in range(12)]
    for a, b in [(constant, singletons), (constant, pairs), (singletons, pairs)]:
        assert gm.adjusted_mutual_info_score(a, b, average_method=average_method) == 0
        assert gm.adjusted_mutual_info_score(b, a, average_method=average_method) == 0


@pytest.mark.parametrize(
    ("rows", "columns", "value"),
    [
        ([14, 8, 5], [11, 16], 0.0418913161592),
        ([2000] * 10, [1000] * 20, 0.00428330189324),
        ([50_000] * 20, [100_000] * 10, 8.55032923e-05),
    ],
)
def test_expected_mutual_information(rows, columns, value):  # C28
    table = np.outer(rows, columns) // sum(rows)  # only the margins count; they are mended in the last cells
    table[-1] += np.array(columns) - table.sum(axis=0)
    table[:, -1] += np.array(rows) - table.sum(axis=1)
    assert_array_equal(table.sum(axis=1), rows)
    assert_array_equal(table.sum(axis=0), columns)
    for contingency in (table, pytest.importorskip("scipy.sparse").csr_matrix(table)):
        assert_allclose(gm.expected_mutual_information(contingency, sum(rows)), value, rtol=1e-8)


def test_swapped_arguments_give_the_same_bits(rng):  # C29
    for k in (2, 5, 17):
        t, p = rng.integers(0, k, 500), rng.integers(0, k + 2, 500)
        assert gm.mutual_info_score(t, p) == gm.mutual_info_score(p, t)
        for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
            for average_method in ("min", "max", "geometric", "arithmetic"):
                score = partial(getattr(gm, name), average_method=average_method)
                assert score(t, p) == score(p, t)


def test_v_measure_at_the_ends_of_beta():  # C32
    t, p = [0, 0, 1], [0, 1, 1]
    h, c, v = gm.homogeneity_completeness_v_measure(t, p, beta=float("inf"))
    assert_allclose([h, c, v], [c, 0.2740175421212809, c], rtol=1e-9)
    t, p = [0, 0, 1, 1, 2], [0, 0, 1, 1, 1]
    h, c = gm.homogeneity_score(t, p), gm.completeness_score(t, p)
    for beta, value in [(0, h), (1e300, c), (float("inf"), c)]:
        assert_allclose(gm.v_measure_score(t, p, beta=beta), value, rtol=1e-12)
