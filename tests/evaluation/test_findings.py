"""What is found beyond the scores: the same as the public functions give, from silhouettes that are known."""

import pickle
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy.spatial.distance import cdist

import gpumetrics as gm
from gpumetrics.evaluation import findings
from gpumetrics.evaluation.columns import ColumnShares, column_shares
from gpumetrics.evaluation.findings import findings_of
from gpumetrics.features import check_features


def blobs(seed=0, n=400, d=5, k=4):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    X = 1.2 * rng.normal(size=(k, d))[labels] + rng.normal(size=(n, d))
    labels[:20] = rng.integers(0, k, 20)  # some on the wrong side
    labels[20:30] = -1
    return X, labels


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan"])
def test_candidates_and_rows_are_those_of_the_public_functions(metric):
    X, labels = blobs()
    report = gm.evaluate_clustering(X, labels, metric=metric)
    found = findings_of(report)
    known = {"metric": metric, "silhouette": report.silhouette_samples}
    pairs = [
        (found.boundary, gm.boundary_candidates(X, labels, **known)),
        (found.merge, gm.merge_candidates(X, labels, metric=metric)),
        (found.representatives, gm.representatives(X, labels, metric=metric, per_cluster=findings.TYPICAL)),
        (found.ambiguous, gm.ambiguous(X, labels, **known, per_cluster=findings.DOUBTFUL)),
    ]
    for ours, public in pairs:
        assert_equal(list(ours.table), list(public.table))
        for key, column in public.table.items():
            assert_array_equal(ours.table[key], column)
        assert_equal(ours.notes, public.notes)
    assert len(found.boundary) > 0
    assert_equal(found.split.to_dict(), report.split_candidates().to_dict())
    assert_equal(found.lacking, {})


def test_no_silhouette_is_computed_again():
    X, labels = blobs()
    report = gm.evaluate_clustering(X, labels)
    with mock.patch("gpumetrics.clustering.silhouette.silhouette_from", side_effect=AssertionError):
        findings_of(report)


@pytest.mark.parametrize("factor", [1, 2.0**-9, 100])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "cosine"])
def test_the_lowest_rows_are_explained_by_their_distances(metric, dtype, factor):
    X, labels = blobs(seed=1)
    X = (X * factor).astype(dtype)
    report = gm.evaluate_clustering(X, labels, metric=metric)
    lowest = findings_of(report).lowest
    s = report.silhouette_samples
    assert_array_equal([low.row for low in lowest], np.argsort(np.where(np.isnan(s), 9, s), kind="stable")[:5])
    X = X.astype(float)
    pairs = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    for low in lowest:
        means = {c: pairs[low.row, labels == c].mean() for c in range(4) if c != labels[low.row]}
        own = pairs[low.row, labels == low.cluster].sum() / ((labels == low.cluster).sum() - 1)
        assert_equal(low.cluster, labels[low.row])
        assert_equal(low.nearest_other, min(means, key=means.get))
        assert_allclose([low.own, low.nearest], [own, min(means.values())], rtol=1e-5 if dtype == np.float16 else 1e-6)
        assert_allclose((low.nearest - low.own) / max(low.nearest, low.own), low.silhouette, rtol=1e-5)


def test_the_lowest_row_of_the_six_points_is_the_one_that_the_text_explains():
    X = [[0, 0], [0, 2], [2, 0], [6, 0], [8, 0], [6, 2]]
    low = findings_of(gm.evaluate_clustering(X, list("AAABBB"))).lowest[0]
    assert_equal((low.row, low.cluster, low.nearest_other), (2, "A", "B"))
    assert_allclose([low.own, low.nearest, low.silhouette], [2.41, 4.82, 0.50], atol=0.005)


def test_distances_of_huge_and_tiny_rows_are_in_the_units_of_the_data():
    X, labels = blobs(seed=2)
    for metric, power in (("euclidean", 1), ("sqeuclidean", 2), ("manhattan", 1)):
        plain = findings_of(gm.evaluate_clustering(X, labels, metric=metric)).lowest[0]
        large = findings_of(gm.evaluate_clustering(X * 2.0**450, labels, metric=metric)).lowest[0]
        assert_allclose(large.own / 2.0 ** (450 * power), plain.own, rtol=1e-9)


@pytest.mark.parametrize("factor", [1e-200, 1e-160, 1e160, 1e200])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan"])
def test_sums_and_distances_that_leave_float64_are_left_out(metric, factor):
    X, labels = blobs(seed=2)
    found = findings_of(gm.evaluate_clustering(X * factor, labels, metric=metric))
    assert_equal(found.lacking, {})
    if found.dispersion is not None:
        assert 0 < found.dispersion.within < np.inf
    assert all(0 < low.own < np.inf and 0 < low.nearest < np.inf for low in found.lowest)
    assert_equal(len(found.lowest), 0 if metric == "sqeuclidean" else 5)


def test_a_row_alone_in_its_cluster_is_none_of_the_lowest():
    X, labels = blobs(n=60, seed=7)
    labels[:3] = 8, 9, 10
    found = findings_of(gm.evaluate_clustering(50.0 * labels[:, None] + X, labels))
    assert_equal(len(found.lowest), 5)
    assert not {8, 9, 10} & {low.cluster for low in found.lowest}


def test_calinski_harabasz_is_its_parts():
    X, labels = blobs(seed=3)
    for metric in ("euclidean", "cosine", "manhattan"):
        report = gm.evaluate_clustering(X, labels, metric=metric)
        parts = findings_of(report).dispersion
        assert_equal((parts.n_between, parts.n_within), (3, 390 - 4))
        ratio = (parts.between / parts.n_between) / (parts.within / parts.n_within)
        assert_allclose(ratio, report.scores["calinski_harabasz"], rtol=1e-9)
        kept = X[labels >= 0]
        assert_allclose(parts.between + parts.within, ((kept - kept.mean(axis=0)) ** 2).sum(), rtol=1e-9)


@pytest.mark.parametrize(
    "kind", [np.asarray, np.float32, sp.csr_matrix, sp.coo_array, lambda X: np.rint(10 * X).astype(int)]
)
def test_column_shares_of_any_kind_of_table(kind):
    X = np.random.default_rng(0).normal(size=(500, 3)) * [1, 2, 3]
    given = kind(X)
    shares = column_shares(check_features(given, accept_sparse=True), given)
    values = given.toarray() if sp.issparse(given) else np.asarray(given, dtype=float)
    assert_allclose(shares.share, values.var(axis=0) / values.var(axis=0).sum(), rtol=1e-6)
    assert_equal((shares.n_rows, shares.exact, str(shares.names[2])), (500, True, "column 2"))
    assert_equal((shares.dominating, shares.unit_length), (None, False))


def test_a_column_that_dominates_has_its_name():
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 300), "income": rng.normal(3e4, 1e4, 300)})
    report = gm.evaluate_clustering(frame, np.arange(300) % 2)
    columns = findings_of(report).columns
    assert_equal(columns.names[columns.dominating], "income")
    assert columns.share[1] > 0.999


def test_shares_of_one_column_or_of_equal_rows_dominate_nothing():
    assert_equal(ColumnShares(np.array([1.0]), ["a"], 5, True, False).dominating, None)
    equal = findings_of(gm.evaluate_clustering(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])).columns
    assert np.isnan(equal.share).all()
    assert_equal(equal.dominating, None)


def test_rows_of_unit_length_are_noticed():
    X, labels = blobs(d=8)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    for rows in (unit, unit.astype(np.float16), sp.csr_array(unit)):
        assert findings_of(gm.evaluate_clustering(rows, labels)).columns.unit_length
    assert not findings_of(gm.evaluate_clustering(X, labels)).columns.unit_length


def test_many_rows_are_looked_at_evenly():
    X = np.zeros((30_000, 2))
    X[::2, 0], X[15_000:, 1] = 1.0, 3.0
    shares = column_shares(check_features(X), X)
    assert_equal((shares.n_rows, shares.exact), (10_000, False))
    assert_allclose(shares.share, [0.1, 0.9], rtol=0.01)


def test_work_that_would_take_long_is_approximate_and_says_so(monkeypatch):
    X, labels = blobs(seed=4)
    report = gm.evaluate_clustering(X, labels)
    exact = findings_of(report)
    monkeypatch.setattr(findings, "LONG", 0.0)
    found = findings_of(report)
    assert_equal(found.lacking, {"nearest": findings.NEAR_CENTRES})
    assert_equal(found.lowest, [])
    counts = [one.boundary.table["n_rows"].sum() for one in (found, exact)]
    assert_allclose(*counts, rtol=0.1)  # of few rows another cluster is said to be the nearest
    assert_equal(len(found.ambiguous), len(exact.ambiguous))
    other = findings_of(gm.evaluate_clustering(X, labels, metric="manhattan"))
    assert_equal(sorted(other.lacking), ["boundary", "representatives"])
    assert_equal((other.boundary, other.ambiguous), (None, None))
    euclidean = gm.representatives(X, labels, per_cluster=findings.TYPICAL)
    assert_array_equal(other.representatives.table["row"], euclidean.table["row"])


def test_distances_alone_have_no_centres():
    X, labels = blobs(n=60)
    found = findings_of(gm.evaluate_clustering(cdist(X, X), labels, metric="precomputed"))
    assert_equal((found.merge, found.dispersion, found.columns), (None, None, None))
    assert "no centres" in found.lacking["merge"]
    assert_equal(len(found.lowest), 5)
    assert_equal(len(found.representatives), 4 * findings.TYPICAL)


def test_sparse_rows_and_dense_ones_have_the_same_findings():
    X, labels = blobs(n=200)
    X[np.abs(X) < 1] = 0
    dense, sparse = (findings_of(gm.evaluate_clustering(rows, labels)) for rows in (X, sp.csr_array(X)))
    assert_array_equal(sparse.representatives.table["row"], dense.representatives.table["row"])
    assert_array_equal(sparse.ambiguous.table["row"], dense.ambiguous.table["row"])
    assert_equal([low.row for low in sparse.lowest], [low.row for low in dense.lowest])


@pytest.mark.parametrize("labels", [[0, 0, 0], [-1, -1, -1], [0, 1, 2]])
def test_clusterings_without_scores(labels):
    found = findings_of(gm.evaluate_clustering([[0.0], [1.0], [5.0]], labels))
    assert_equal((len(found.split), found.lowest, found.boundary, found.ambiguous), (0, [], None, None))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_rows_on_a_device(emulated, metric):
    X, labels = blobs(seed=6)
    expected = findings_of(gm.evaluate_clustering(X, labels, metric=metric))
    report = gm.evaluate_clustering(emulated.asarray(X), emulated.asarray(labels), metric=metric)
    found = findings_of(report)
    assert_equal(report.backend, "cupy")
    for kind in ("representatives", "ambiguous", "boundary", "merge"):
        for key, column in getattr(expected, kind).table.items():
            ours = getattr(found, kind).table[key]
            assert_equal(type(ours), np.ndarray)
            (assert_allclose if column.dtype.kind == "f" else assert_array_equal)(ours, column)
    assert_equal([low.row for low in found.lowest], [low.row for low in expected.lowest])
    assert_allclose([low.own for low in found.lowest], [low.own for low in expected.lowest])
    assert_allclose(found.columns.share, expected.columns.share)
    assert_allclose(found.dispersion, expected.dispersion)


def test_an_estimate_looks_at_its_sample():
    X, labels = blobs(n=3000, seed=5)
    report = gm.evaluate_clustering(X, labels, silhouette="estimate", random_state=0)
    found = findings_of(report)
    asked = np.flatnonzero(~np.isnan(report.silhouette_samples))
    assert np.isin(found.ambiguous.table["row"], asked).all()
    assert np.isin([low.row for low in found.lowest], asked).all()


def test_a_report_that_was_pickled_says_what_it_lacks():
    X, labels = blobs()
    report = gm.evaluate_clustering(X, labels)
    found = findings_of(pickle.loads(pickle.dumps(report)))  # noqa: S301
    assert_equal(found.lacking, {"rows": findings.NOT_PICKLED})
    assert_equal(found.split.to_dict(), report.split_candidates().to_dict())
    assert found.merge is None
    assert found.columns is None


@pytest.mark.slow
def test_a_million_rows_take_a_few_seconds():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 200, 1_000_000)
    X = (3 * rng.normal(size=(200, 64))[labels] + rng.normal(size=(1_000_000, 64))).astype(np.float32)
    labels[:20_000] = rng.integers(0, 200, 20_000)
    found = findings_of(gm.evaluate_clustering(X, labels, metric="sqeuclidean"))
    assert len(found.boundary) + len(found.lowest) > 0
    assert found.seconds < 6  # about 1.5 s on two cores that nothing else uses
