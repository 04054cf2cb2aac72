"""Silhouettes against a sample of each cluster drawn by size: the formula, its errors, hostile data, both backends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy.spatial.distance import cdist

import gpumetrics as gm
from gpumetrics.backends.array_modules import as_host
from gpumetrics.clustering.estimate import references as sampled
from gpumetrics.clustering.estimate.references import GROUPS, draw_references
from gpumetrics.clustering.inputs import check_clustered
from gpumetrics.clustering.silhouette_estimate import silhouette_estimate
from gpumetrics.distance_metrics import check_metric

pytestmark = pytest.mark.filterwarnings("ignore:Data was converted to boolean")


def spread_out(seed=0):
    """Clusters of 4 to 1,500 rows, with rows far out by three orders of magnitude."""
    rng = np.random.default_rng(seed)
    sizes = [4, 30, 300, 1000, 1500]
    labels = np.repeat(np.arange(5), sizes)
    X = 3 * rng.normal(size=(5, 3))[labels] + rng.normal(size=(len(labels), 3))
    far = rng.choice(len(labels), 25, replace=False)
    X[far] *= np.exp(rng.normal(size=(25, 1)) * 2 + 3)
    return X, labels


def one_far(seed=0):
    """Three rows far out on three scales; each alone is most of its cluster's mean distances."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 2500)
    X = 4 * rng.normal(size=(3, 2))[labels] + rng.normal(size=(2500, 2))
    X[:3] += np.array([[1e6], [1e4], [1e2]])
    return X, labels


def ties(seed=0):
    """Random labels: all clusters tie for the nearest, which is where a sample of references is at its worst."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2500, 8)), rng.integers(0, 6, 2500)


def references_of(X, labels, n_references, seed=0, metric="euclidean"):
    checked = check_metric(metric, {}, "silhouette_estimate")[0]
    data = check_clustered(X, labels, metric=checked)
    return draw_references(data, checked, n_references, np.random.default_rng(seed))


def definition(X, references, without, queries, labels):
    """The silhouettes, in loops: mean distances from class means over the references, without one group of them."""
    of, ends = references, np.cumsum(references.cell_sizes)
    class_of_row = as_host(of.class_of_row)
    drawn = np.add.reduceat(of.cell_sizes, of.first_cell)
    out = []
    for query in queries:
        mean = np.zeros((2, len(of.class_sizes)))  # over all members, and over those but the query
        for c, size in enumerate(of.class_sizes):
            parts = [(0, of.cell_sizes[of.first_cell[c]])] if drawn[c] == size else None
            cells = range(of.first_cell[c], of.first_cell[c] + (1 if parts else GROUPS))
            rows = [of.rows[ends[cell] - of.cell_sizes[cell] : ends[cell]] for cell in cells]
            full = np.concatenate(rows)
            kept = np.concatenate([r for g, r in enumerate(rows) if len(rows) == 1 or g != without])
            for which, exclude in enumerate([-1, query]):
                means = []
                for some in (full, kept):
                    others = some[some != exclude]
                    total = cdist(X[[query]], X[others]).sum() if len(others) else 0.0
                    means.append(total / max(1, len(others)))
                mean[which, c] = means[0] + np.sqrt(1 - drawn[c] / size) * (means[1] - means[0])
        distances = []
        for cluster, first in enumerate(of.first_class):
            last = np.append(of.first_class, len(of.class_sizes))[cluster + 1]
            classes = np.arange(first, last)
            sizes = of.class_sizes[classes]
            own = class_of_row[query] == classes
            sums = np.where(own, mean[1, classes] * (sizes - 1), mean[0, classes] * sizes)
            number = sizes.sum() - (labels[query] == cluster)
            distances.append(sums.sum() / number if number else 0.0)
        a = distances[labels[query]]
        b = min(d for cluster, d in enumerate(distances) if cluster != labels[query])
        out.append(0.0 if np.sum(labels == labels[query]) == 1 else (b - a) / max(a, b))
    return np.array(out)


@pytest.mark.parametrize("n_references", [16, 100])
def test_the_formula(backend, n_references):
    X, labels = spread_out()
    X, labels = np.vstack([X, [[1.0, 2.0, 3.0]]]), np.append(labels, 5)  # and a cluster of one
    references = references_of(X, labels, n_references)
    rng = np.random.default_rng(1)
    queries = np.concatenate([rng.choice(len(X), 12), references.rows[::40][:12], [len(X) - 1]])  # some are references
    got = references.silhouettes(queries, labels[queries])
    assert_equal(got.shape, (len(queries), 1 + GROUPS))
    for column, without in [(0, None), (1, 0), (GROUPS, GROUPS - 1)]:
        assert_allclose(got[:, column], definition(X, references, without, queries, labels), atol=1e-9)


def test_references_are_drawn_by_size():
    X, labels = spread_out()
    references = references_of(X, labels, 64)
    chosen = np.zeros(len(X), dtype=bool)
    chosen[references.rows] = True
    assert_equal(chosen.sum(), len(references.rows))  # each once
    assert chosen[labels < 2].all()  # small clusters are taken whole
    for cluster in (3, 4):
        mine = labels == cluster
        distance = np.linalg.norm(X - np.median(X[mine], axis=0), axis=1)
        far = mine & (distance > 20 * distance[mine].mean())
        assert chosen[far].all()
        assert 50 <= chosen[mine].sum() <= 64 + 10 * GROUPS
    drawn = np.add.reduceat(references.cell_sizes, references.first_cell)
    assert (drawn <= references.class_sizes).all()
    assert (drawn >= np.minimum(references.class_sizes, GROUPS)).all()


@pytest.mark.usefixtures("backend")
def test_when_every_row_is_a_reference_it_is_exact():
    X, labels = spread_out()
    references = references_of(X, labels, 750)
    assert references.complete
    rows = np.arange(0, len(X), 50)
    got = references.silhouettes(rows, labels[rows])
    assert_allclose(got, np.repeat(gm.silhouette_samples(X, labels)[rows, None], 1 + GROUPS, axis=1), atol=1e-12)
    estimate = silhouette_estimate(X, labels, references="pps", n_references=750, n_queries=len(X))
    assert (estimate.exact, estimate.n_references) == (True, None)
    assert_equal(float(estimate), gm.silhouette_score(X, labels))


@pytest.mark.parametrize(("make", "lean"), [(spread_out, 0.003), (one_far, 0.003), (ties, 0.01)])
def test_hostile_data(make, lean):
    X, labels = make()
    truth, n = gm.silhouette_score(X, labels), 60
    wishes = {"references": "pps", "n_references": 64, "n_queries": 150}
    found = [silhouette_estimate(X, labels, random_state=i, **wishes) for i in range(n)]
    values = np.array([float(e) for e in found])
    assert np.mean([e.interval[0] <= truth <= e.interval[1] for e in found]) >= 0.9
    error = 3.5 * values.std(ddof=1) / np.sqrt(n)
    assert abs(values.mean() - truth) < lean + error
    assert values.std(ddof=1) < 1.25 * np.sqrt(np.mean([e.stderr**2 for e in found]))
    assert all(0 < e.n_references < len(X) / 2 for e in found)
    assert not any(e.exact for e in found)


def test_a_uniform_sample_of_references_would_be_far_off(monkeypatch):
    X, labels = one_far()
    s = gm.silhouette_samples(X, labels)
    rows = np.arange(3, len(X), 25)

    def worst(seed):
        got = references_of(X, labels, 64, seed=seed).silhouettes(rows, labels[rows])[:, 0]
        return np.abs(got - s[rows]).mean()

    by_size = np.mean([worst(seed) for seed in range(5)])
    monkeypatch.setattr(sampled, "_relative_sizes", lambda data, *_: np.ones(len(data.codes)))
    uniform = np.mean([worst(seed) for seed in range(5)])
    assert by_size < 0.05
    assert uniform > 10 * by_size


def test_errors_of_clusters():
    X, labels = spread_out()
    s = gm.silhouette_samples(X, labels)
    truth = np.array([s[labels == c].mean() for c in range(5)])
    wishes = {"references": "pps", "n_references": 64, "n_queries": 200}
    found = [silhouette_estimate(X, labels, random_state=i, **wishes) for i in range(60)]
    means = np.array([e.per_cluster["value"] for e in found])
    errors = np.sqrt(np.mean([e.per_cluster["stderr"] ** 2 for e in found], axis=0))
    spread = means.std(axis=0, ddof=1)
    assert (np.abs(means.mean(axis=0) - truth) < 0.003 + 3.5 * spread / np.sqrt(60)).all()
    assert_allclose(errors, spread, rtol=0.35)


def test_a_tolerance_draws_more_references_too():
    X, labels = ties()
    wishes = {"references": "pps", "n_references": 16, "n_queries": 50, "random_state": 0}
    first, more = silhouette_estimate(X, labels, **wishes), silhouette_estimate(X, labels, tol=0.05, **wishes)
    assert first.interval[1] - first.value > 0.05 >= more.interval[1] - more.value
    assert more.n_references > 1.4 * first.n_references
    every = silhouette_estimate(X, labels, tol=0.01, **wishes)  # needs more than half of each cluster: takes it whole
    assert (every.n_references, every.exact) == (None, False)
    assert every.interval[1] - every.value <= 0.01
    exact = silhouette_estimate(X, labels, tol=1e-9, **wishes)
    assert exact.exact
    assert_equal(exact.value, gm.silhouette_score(X, labels))


def test_several_labelings():
    X, labels = spread_out()
    columns = {"fine": labels, "noisy": np.where(np.arange(len(X)) % 5 == 0, -1, labels)}
    wishes = {"references": "pps", "n_references": 100, "n_queries": 300, "noise_label": -1, "random_state": 0}
    found = silhouette_estimate(X, columns, **wishes)
    for name, column in columns.items():
        truth = gm.silhouette_score(X, column, noise_label=-1)
        assert found[name].interval[0] <= truth <= found[name].interval[1]
        assert found[name].n_references > 0
    assert found["fine"].n_queries == 300 > found["noisy"].n_queries
    assert "reference rows" in " ".join(found["fine"].notes)


@pytest.mark.parametrize("n_queries", [80, 700])
def test_backends_agree(backend, n_queries):
    X, labels = spread_out()
    X, labels = X[::2], labels[::2]
    wishes = {"references": "pps", "n_references": 50, "n_queries": n_queries, "random_state": 0}
    got = silhouette_estimate(X, labels, **wishes)
    with gm.config_context(backend="numpy"):
        want = silhouette_estimate(X, labels, **wishes)
    assert_allclose([got.value, got.stderr], [want.value, want.stderr], rtol=1e-7)
    assert got.n_references == want.n_references
    if backend == "numpy":
        with gm.config_context(working_memory=1):
            assert_allclose(silhouette_estimate(X, labels, **wishes).value, want.value, rtol=1e-9)


def test_arrays_on_a_device(emulated):
    X, labels = spread_out()
    wishes = {"references": "pps", "n_references": 50, "n_queries": 60, "random_state": 0}
    got = silhouette_estimate(emulated.asarray(X), emulated.asarray(labels), **wishes)
    assert_allclose(got.value, silhouette_estimate(X, labels, **wishes).value, rtol=1e-7)


def taxicab(x, y):
    return np.abs(x - y).sum()


METRICS = [
    "manhattan",
    "chebyshev",
    "seuclidean",
    "mahalanobis",
    "canberra",
    "hamming",
    "jaccard",
    "haversine",
    taxicab,
]


@pytest.mark.parametrize("metric", METRICS)
def test_every_kind_of_distance(metric):
    rng = np.random.default_rng(0)
    n = 250 if callable(metric) else 1200
    labels = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) + 2 * rng.normal(size=(3, 2))[labels]
    X = {"hamming": np.round(X), "jaccard": X > 0, "haversine": X / 4}.get(metric, X)
    estimate = silhouette_estimate(
        X, labels, metric=metric, references="pps", n_references=32, n_queries=n, random_state=0
    )
    truth = gm.silhouette_score(X, labels, metric=metric)
    assert estimate.interval[0] <= truth <= estimate.interval[1]
    assert estimate.stderr < 0.05


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
def test_kinds_of_numbers(dtype):
    X, labels = ties()
    X = (100 * X).astype(dtype)
    wishes = {"references": "pps", "n_references": 64, "n_queries": 200, "random_state": 0}
    got = silhouette_estimate(X, labels, **wishes)
    assert_allclose(got.value, silhouette_estimate(X.astype(np.float64), labels, **wishes).value, atol=1e-5)
    for shifted in (X.astype(np.float64) * 1e200, X.astype(np.float64) + 2.0**30):
        assert_allclose(silhouette_estimate(shifted, labels, **wishes).value, got.value, atol=1e-5)


def test_sparse_rows():
    sparse = pytest.importorskip("scipy.sparse")
    X, labels = ties()
    X = np.where(X > 0.5, X, 0)
    wishes = {"references": "pps", "n_references": 64, "n_queries": 200, "random_state": 0}
    want = silhouette_estimate(X, labels, **wishes).value
    assert_allclose(silhouette_estimate(sparse.csr_array(X), labels, **wishes).value, want, rtol=1e-9)


@pytest.mark.filterwarnings("error")
def test_more_references_than_numbers():
    X, labels = ties()
    estimate = silhouette_estimate(X, labels, references="pps", n_references=10**30, n_queries=50, random_state=0)
    assert_equal(estimate.n_references, None)
    assert abs(estimate.value - gm.silhouette_score(X, labels)) < 4 * estimate.stderr


def test_equal_rows_have_no_size():
    labels = np.repeat([0, 1], [200, 300])
    X = np.where(labels == 0, 0.0, 5.0)[:, None]
    estimate = silhouette_estimate(X, labels, references="pps", n_references=16, n_queries=50, random_state=0)
    assert_equal((estimate.value, estimate.stderr), (1.0, 0.0))
    assert_array_equal(estimate.per_cluster["value"], [1.0, 1.0])
