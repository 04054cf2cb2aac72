"""Data on which silhouettes went wrong once: float32 rounding, scales, sentinels, dtypes, sparse layouts."""

import numpy as np
import pytest
from definitions import silhouettes_from
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

import gpumetrics as gm

pytestmark = pytest.mark.usefixtures("backend")
SINGLE, DOUBLE = 1e-6, 1e-10


def definition(X, labels):
    """Silhouettes from direct differences in float64."""
    rows = np.asarray(X, dtype=np.float64)
    return silhouettes_from(cdist(rows, rows), labels)


def blobs(rng, n=600, d=4, k=4):
    labels = np.arange(n) % k
    return rng.normal(size=(n, d)) + 2.0 * labels[:, None] * (np.arange(d) == 0), labels


@pytest.mark.parametrize("n_features", [16, 64, 200, 768])
@pytest.mark.parametrize("rows_per_cluster", [2, 4, 10, 50, 300])
@pytest.mark.parametrize("shape", ["blobs", "two far blobs", "copies", "lognormal"])
def test_float32_of_coherent_rows(rng, n_features, rows_per_cluster, shape, backend):
    n = 360 if backend == "emulated" else 900
    if shape == "blobs":
        X = rng.normal(size=(n, n_features)) + 3 * np.repeat(rng.normal(size=(3, n_features)), n // 3, axis=0)
    elif shape == "two far blobs":
        X = rng.normal(size=(n, n_features)) + 10 * np.repeat([[0], [1]], n // 2, axis=0)
    elif shape == "copies":
        X = np.repeat(3 * rng.normal(size=(n // 90, n_features)), 90, axis=0)
    else:
        X = np.exp(1.5 * rng.normal(size=(n, n_features)))
    X, labels = X.astype(np.float32), np.arange(n) // rows_per_cluster
    assert_allclose(gm.silhouette_samples(X, labels), definition(X, labels), atol=SINGLE, rtol=0)


WEIGHTED = ["canberra", "minkowski", "hamming", "chebyshev", "braycurtis", "sqeuclidean", "correlation", "jaccard"]


@pytest.mark.parametrize("metric", WEIGHTED)
@pytest.mark.parametrize(
    ("w", "words"),
    [
        (np.ones(3), "same size"),
        (np.ones((4, 1)), "vector"),
        (2.0, "vector"),
        ([1, 1, -1, 1], "non-negative"),
        ([1, np.nan, 1, 1], "non-negative"),
    ],
)
@pytest.mark.filterwarnings("ignore:Data was converted to boolean")
def test_weights_are_checked(rng, metric, w, words):
    X, labels = blobs(rng, n=40)
    with pytest.raises(ValueError, match=words):
        gm.silhouette_samples(X, labels, metric=metric, w=w)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e30, 1e37])
def test_float32_at_the_end_of_its_range(rng, scale):
    X = (rng.normal(size=(70, 32)) * scale).astype(np.float32)
    for labels in (np.arange(70) % 2, (np.arange(70) == 3).astype(int)):
        expected = definition(X, labels)
        assert_allclose(gm.silhouette_samples(X, labels), expected, atol=SINGLE, rtol=0)


def test_bray_curtis_that_is_infinite():
    peer = pytest.importorskip("sklearn.metrics")
    X, labels = np.array([[1.0], [-1], [2], [3], [-3], [5]]), [0, 0, 1, 1, 2, 2]
    assert_array_equal(
        gm.silhouette_samples(X, labels, metric="braycurtis"), peer.silhouette_samples(X, labels, metric="braycurtis")
    )


@pytest.mark.parametrize("near", [1e-5, 1e-7, 1e-9])
def test_mahalanobis_of_near_rows(rng, near):
    X = rng.normal(size=(6, 4))[np.arange(60) % 6] * (1 + near * rng.normal(size=(60, 4)))
    form = np.linalg.inv(np.cov(rng.normal(size=(4, 50))))
    labels = np.arange(60) % 6
    expected = silhouettes_from(cdist(X, X, "mahalanobis", VI=form), labels)
    assert_allclose(gm.silhouette_samples(X, labels, metric="mahalanobis", VI=form), expected, atol=DOUBLE, rtol=0)


def test_bfloat16_distances(rng):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    X, labels = blobs(rng, n=30)
    distances = cdist(X, X).astype(ml_dtypes.bfloat16)
    got = gm.silhouette_samples(distances, labels, metric="precomputed")
    assert_allclose(got, gm.silhouette_samples(distances.astype("f4"), labels, metric="precomputed"), atol=SINGLE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_rows_among_near_ones(rng, dtype):
    X, labels = blobs(rng, n=1200, d=8)
    X[rng.choice(len(X), 12, replace=False)] *= 300
    X[5] = -99999
    X = X.astype(dtype)
    tolerance = SINGLE if dtype == np.float32 else DOUBLE
    assert_allclose(gm.silhouette_samples(X, labels), definition(X, labels), atol=tolerance, rtol=0)


@pytest.mark.parametrize(
    ("dtype", "sentinel"), [(np.float64, 1e200), (np.float64, 1.7e308), (np.float32, 1e30), (np.float32, 3e38)]
)
def test_noise_with_sentinels_changes_nothing(rng, dtype, sentinel):
    X, labels = blobs(rng)
    X = X.astype(dtype)
    with_noise = np.vstack([X, np.full((2, X.shape[1]), sentinel, dtype)])
    noisy = np.append(labels, [-1, -1])
    got = gm.silhouette_samples(with_noise, noisy, noise_label=-1)
    assert_allclose(got[:-2], gm.silhouette_samples(X, labels), atol=1e-12)
    assert np.isnan(got[-2:]).all()
    for score in (gm.davies_bouldin_score, gm.calinski_harabasz_score):
        assert_allclose(score(with_noise, noisy, noise_label=-1), score(X, labels), rtol=1e-12)


def test_a_sentinel_that_counts_leaves_the_other_rows_their_digits(rng):
    X, labels = blobs(rng, n=80)
    far = np.vstack([X, np.full((1, X.shape[1]), 1e160)])
    # The far row is a cluster of its own: no other row is nearer to it than to any cluster.
    got = gm.silhouette_samples(far, np.append(labels, 9))
    assert_allclose(got[:-1], gm.silhouette_samples(X, labels), atol=DOUBLE)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "manhattan", "chebyshev"])
def test_a_huge_constant_column_changes_nothing(rng, metric):
    X, labels = blobs(rng, n=80)
    tiny = np.column_stack([np.full(len(X), 1e250), X * 1e-250])
    assert_allclose(
        gm.silhouette_samples(tiny, labels, metric=metric), gm.silhouette_samples(X, labels, metric=metric), atol=DOUBLE
    )


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
@pytest.mark.parametrize("units", [[1e150, 1e-20, 1, 1], [1e-170, 1, 1, 1], [1e-300, 1, 1e3, 1]])
def test_metrics_without_units(rng, metric, units):
    X, labels = blobs(rng, n=200)
    got = gm.silhouette_samples(X * np.array(units), labels, metric=metric)
    assert_allclose(got, gm.silhouette_samples(X, labels, metric=metric), atol=1e-9)


def test_a_column_of_denormal_numbers(rng):
    X, labels = blobs(rng, n=100)
    X[:, 1] = np.round(X[:, 1] * 100) * 5e-324
    got = gm.silhouette_samples(X, labels, metric="seuclidean")
    X[:, 1] *= 2.0**1000
    assert_allclose(got, gm.silhouette_samples(X, labels, metric="seuclidean"), atol=1e-9)


def test_given_variances_follow_the_units(rng):
    X, labels = blobs(rng, n=100)
    scale, V = 2.0**600, rng.random(4) + 0.5
    want = gm.silhouette_samples(X, labels, metric="seuclidean", V=V)
    got = gm.silhouette_samples(X * scale, labels, metric="seuclidean", V=V)
    assert_allclose(got, want, atol=DOUBLE)


def test_hamming_tells_values_apart_at_any_size(rng):
    X = rng.integers(0, 3, (60, 4)).astype(float)
    labels = np.arange(60) % 3
    got = gm.silhouette_samples(X * [1e300, 1e-30, 1, 1], labels, metric="hamming")
    assert_allclose(got, gm.silhouette_samples(X, labels, metric="hamming"), atol=DOUBLE)


@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_minkowski_of_a_high_power(rng, scale):
    X, labels = blobs(rng, n=80)
    got = gm.silhouette_samples(X * scale, labels, metric="minkowski", p=20)
    assert_allclose(got, gm.silhouette_samples(X, labels, metric="minkowski", p=20), atol=DOUBLE)


def test_huge_precomputed_distances(rng):
    x = rng.normal(size=200)
    D = np.abs(x[:, None] - x)
    labels = np.arange(200) % 3
    want = gm.silhouette_samples(D, labels, metric="precomputed")
    assert_allclose(gm.silhouette_samples(D / D.max() * 1.5e308, labels, metric="precomputed"), want, atol=DOUBLE)


@pytest.mark.parametrize("weighted", ["correlation", "sqeuclidean"])
def test_weights_of_closed_forms(rng, weighted):
    from sklearn.metrics import silhouette_samples

    X, labels = blobs(rng, n=100)
    w = rng.random(4)
    got = gm.silhouette_samples(X, labels, metric=weighted, w=w)
    assert_allclose(got, silhouette_samples(X, labels, metric=weighted, w=w), atol=DOUBLE)
    with pytest.raises(ValueError, match="Input weights should be all non-negative"):
        gm.silhouette_samples(X, labels, metric=weighted, w=-w)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_a_csr_matrix_with_duplicates_is_left_alone(rng, kind):
    X = np.round(blobs(rng, n=60)[0])
    once = kind(X)
    twice = kind((np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), once.indptr * 2), shape=X.shape)
    before = twice.data.copy()
    twice.data.flags.writeable = twice.indices.flags.writeable = False
    labels = np.arange(60) % 4
    for metric in ("euclidean", "cosine", "manhattan"):
        got = gm.silhouette_samples(twice, labels, metric=metric)
        assert_allclose(got, gm.silhouette_samples(X, labels, metric=metric), atol=DOUBLE)
    assert_array_equal(twice.data, before)


@pytest.mark.parametrize(
    ("metric", "options"), [("seuclidean", {"V": [1, 2]}), ("mahalanobis", {"VI": np.ones((2, 4))})]
)
def test_shapes_of_options(rng, metric, options):
    X, labels = blobs(rng, n=20)
    with pytest.raises(ValueError, match=f"{next(iter(options))} must have shape"):
        gm.silhouette_samples(X, labels, metric=metric, **options)
