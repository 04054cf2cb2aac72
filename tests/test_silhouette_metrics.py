"""Silhouettes under every distance that scikit-learn takes, against SciPy's distances in float64."""

import definitions
import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

import gpumetrics as gm

pytestmark = pytest.mark.usefixtures("backend")

X, LABELS = inputs.blobs(5, n=70, d=4)
POSITIVE = np.abs(X) + 0.1
BOOL = np.random.default_rng(1).random((70, 9)) > 0.5
ANGLES = np.random.default_rng(2).uniform(-1.5, 1.5, (70, 2))
VI = np.linalg.inv(np.cov(X.T))
V = X.var(axis=0, ddof=1)


def haversine(A):
    latitude, longitude = A.T
    half = np.sin((latitude[:, None] - latitude) / 2) ** 2
    half += np.cos(latitude)[:, None] * np.cos(latitude) * np.sin((longitude[:, None] - longitude) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(half))


# name -> data, keyword arguments of ours, and the matrix that they stand for
METRICS = {
    "euclidean": (X, {}, cdist(X, X)),
    "l2": (X, {}, cdist(X, X)),
    "nan_euclidean": (X, {}, cdist(X, X)),
    "sqeuclidean": (X, {}, cdist(X, X, "sqeuclidean")),
    "l1": (X, {}, cdist(X, X, "cityblock")),
    "manhattan": (X, {}, cdist(X, X, "cityblock")),
    "cityblock": (X, {}, cdist(X, X, "cityblock")),
    "cosine": (X, {}, cdist(X, X, "cosine")),
    "correlation": (X, {}, cdist(X, X, "correlation")),
    "chebyshev": (X, {}, cdist(X, X, "chebyshev")),
    "canberra": (X, {}, cdist(X, X, "canberra")),
    "braycurtis": (POSITIVE, {}, cdist(POSITIVE, POSITIVE, "braycurtis")),
    "minkowski": (X, {}, cdist(X, X)),
    "minkowski p": (X, {"p": 3}, cdist(X, X, "minkowski", p=3)),
    "minkowski p w": (X, {"p": 1.5, "w": V}, cdist(X, X, "minkowski", p=1.5, w=V)),
    "seuclidean": (X, {}, cdist(X, X, "seuclidean", V=V)),
    "seuclidean V": (X, {"V": np.arange(1.0, 5)}, cdist(X, X, "seuclidean", V=np.arange(1.0, 5))),
    "mahalanobis": (X, {}, cdist(X, X, "mahalanobis", VI=VI)),
    "mahalanobis VI": (X, {"VI": np.diag(V)}, cdist(X, X, "mahalanobis", VI=np.diag(V))),
    "haversine": (ANGLES, {}, haversine(ANGLES)),
    "matching": (np.round(X), {}, cdist(np.round(X), np.round(X), "hamming")),
    "hamming": (np.round(X), {}, cdist(np.round(X), np.round(X), "hamming")),
    "hamming w": (np.round(X), {"w": V}, cdist(np.round(X), np.round(X), "hamming", w=V)),
    **{
        name: (BOOL, {}, cdist(BOOL, BOOL, name))
        for name in ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
    },
}


@pytest.mark.parametrize("name", METRICS)
def test_metric(name):
    data, kwargs, D = METRICS[name]
    np.fill_diagonal(D, 0)
    metric = name.split()[0]
    s = gm.silhouette_samples(data, LABELS, metric=metric, **kwargs)
    assert_allclose(s, definitions.silhouettes_from(D, LABELS), rtol=1e-10, atol=1e-10)
    score = gm.silhouette_score(data, LABELS, metric=metric, **kwargs)
    assert_allclose(score, s.mean(), rtol=1e-12)


def test_every_name_of_scikit_learn_is_tested_or_refused():
    from sklearn.metrics.pairwise import _VALID_METRICS

    assert {name.split()[0] for name in METRICS} == set(_VALID_METRICS) - {"wminkowski"}
    with pytest.raises(ValueError, match="wminkowski"):  # dropped by SciPy, still on scikit-learn's list
        gm.silhouette_score(X, LABELS, metric="wminkowski")


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_metric_against_scikit_learn(name, dtype):
    peer = pytest.importorskip("sklearn.metrics")
    data, kwargs, _ = METRICS[name]
    data = data if data.dtype == bool else data.astype(dtype)
    metric = name.split()[0]
    s = gm.silhouette_samples(data, LABELS, metric=metric, **kwargs)
    their = peer.silhouette_samples(data, LABELS, metric=metric, **kwargs)
    assert_allclose(s, their, rtol=0, atol=1e-4 if dtype is np.float32 else 1e-9)


@pytest.mark.parametrize("name", ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"])
def test_boolean_metrics_of_numbers_say_that_they_convert(name):
    from gpumetrics.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning, match=f"(?i)bool.*{name}"):
        s = gm.silhouette_samples(BOOL * 2.0, LABELS, metric=name)
    assert_array_equal(s, gm.silhouette_samples(BOOL, LABELS, metric=name))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
@pytest.mark.parametrize("container", ["dense", "csr_matrix", "csr_array", "Fortran"])
def test_precomputed(dtype, container):
    D = np.round(100 * cdist(X, X)).astype(dtype)
    make = {"dense": np.asarray, "Fortran": np.asfortranarray}.get(container) or getattr(sparse, container)
    s = gm.silhouette_samples(make(D), LABELS, metric="precomputed")
    rtol = 1e-6 if dtype is np.float32 else 1e-10
    assert_allclose(s, definitions.silhouettes_from(D, LABELS), rtol=rtol, atol=rtol)


def test_precomputed_of_an_asymmetric_matrix_reads_rows():
    D = np.random.default_rng(0).random((70, 70))
    np.fill_diagonal(D, 0)
    s = gm.silhouette_samples(D, LABELS, metric="precomputed")
    assert_allclose(s, definitions.silhouettes_from(D, LABELS), rtol=1e-10)


@pytest.mark.parametrize("seed", [0, 1])
def test_precomputed_sample_is_cut_on_both_axes(seed):
    D = cdist(X, X)
    chosen = np.random.RandomState(seed).permutation(70)[:30]
    found = gm.silhouette_score(D, LABELS, metric="precomputed", sample_size=30, random_state=seed)
    assert_allclose(found, definitions.silhouette(X[chosen], LABELS[chosen]), rtol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "l1", "l2", "cityblock"])
@pytest.mark.parametrize("container", ["csr_matrix", "csr_array", "csc_matrix", "coo_array", "lil_matrix"])
def test_sparse_features(metric, container):
    thin = np.where(np.abs(X) > 1.5, X, 0.0)
    thin[:, 0] = X[:, 0]
    s = gm.silhouette_samples(getattr(sparse, container)(thin), LABELS, metric=metric)
    assert_allclose(s, gm.silhouette_samples(thin, LABELS, metric=metric), rtol=1e-10, atol=1e-10)


def test_sparse_features_float32():
    thin = np.where(np.abs(X) > 1.5, X, 0.0).astype(np.float32)
    s = gm.silhouette_samples(sparse.csr_matrix(thin), LABELS)
    assert_allclose(s, definitions.silhouette_samples(thin, LABELS), rtol=0, atol=1e-6)


def test_keywords_of_pairwise_distances_are_taken():
    expected = gm.silhouette_score(X, LABELS)
    for metric in ("euclidean", "chebyshev"):
        plain = gm.silhouette_score(X, LABELS, metric=metric)
        for kwargs in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": -1}, {"working_memory": 1}):
            assert_allclose(gm.silhouette_score(X, LABELS, metric=metric, **kwargs), plain, rtol=1e-12)
    assert_allclose(gm.silhouette_score(X, LABELS, metric="minkowski", p=2), expected, rtol=1e-10)


OWN_PATHS = ["euclidean", "cosine", "correlation", "manhattan", "sqeuclidean", "chebyshev"]


@pytest.mark.parametrize("metric", [*OWN_PATHS, "precomputed"])
@pytest.mark.parametrize("name", ["metrics", "metirc", "q", "sample_weight"])
def test_unknown_keyword(metric, name):
    data = cdist(X, X) if metric == "precomputed" else X
    for function in (gm.silhouette_score, gm.silhouette_samples):
        with pytest.raises(TypeError, match=name):
            function(data, LABELS, metric=metric, **{name: 1})


@pytest.mark.parametrize(
    ("options", "meant"),
    [
        ({"noise_lable": -1}, r"'noise_lable'; did you mean 'noise_label'\?"),
        ({"metric": "minkowski", "P": 3}, r"'P'; did you mean 'p'\?"),
        ({"metirc": "cosine"}, r"'metirc'; did you mean 'metric'\?"),
        ({"zzz": 1}, r"'zzz'; metric 'euclidean' takes squared$"),
    ],
)
def test_the_keyword_that_was_meant(options, meant):
    with pytest.raises(TypeError, match=meant):
        gm.silhouette_score(X, LABELS, **options)


def test_the_metric_that_was_meant():
    with pytest.raises(ValueError, match=r"Got 'Cosin' instead; did you mean 'cosine'\?"):
        gm.silhouette_score(X, LABELS, metric="Cosin")


def test_unknown_metric():
    for name in ("silhouette_score", "silhouette_samples"):
        for metric in ("eucl", 3, None):
            message = rf"The 'metric' parameter of {name} must be .*Got {metric!r} instead"
            with pytest.raises(ValueError, match=message):
                getattr(gm, name)(X, LABELS, metric=metric)


def test_whole_data_decides_V_and_VI():  # not a tile, and not a sample's neighbours
    big, labels = inputs.blobs(7, n=600, d=3)
    with gm.config_context(working_memory=0.5):
        for metric, kwargs in [
            ("seuclidean", {"V": big.var(axis=0, ddof=1)}),
            ("mahalanobis", {"VI": np.linalg.inv(np.cov(big.T))}),
        ]:
            D = cdist(big, big, metric, **kwargs)
            s = gm.silhouette_samples(big, labels, metric=metric)
            assert_allclose(s, definitions.silhouettes_from(D, labels), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("metric", OWN_PATHS)
@pytest.mark.parametrize("noise_label", [-1, "noise"])
def test_noise_is_left_out(metric, noise_label):
    noisy = LABELS.astype(object)
    noisy[::7] = noise_label
    if isinstance(noise_label, str):
        noisy = noisy.astype(str)
    kept = np.arange(70) % 7 != 0
    s = gm.silhouette_samples(X, noisy, metric=metric, noise_label=noise_label)
    assert s.shape == (70,)
    assert np.isnan(s[~kept]).all()
    assert_allclose(s[kept], gm.silhouette_samples(X[kept], LABELS[kept], metric=metric), rtol=1e-12)
    score = gm.silhouette_score(X, noisy, metric=metric, noise_label=noise_label)
    assert_allclose(score, s[kept].mean(), rtol=1e-12)


def test_noise_in_a_precomputed_matrix():
    noisy = np.where(np.arange(70) % 7 == 0, -1, LABELS)
    D = cdist(X, X)
    s = gm.silhouette_samples(D, noisy, metric="precomputed", noise_label=-1)
    assert_allclose(s, gm.silhouette_samples(X, noisy, noise_label=-1), rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-160, 1e160, 1e-300, 1e300])
@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "manhattan", "correlation", "chebyshev"])
def test_scale(metric, scale):
    data = X * scale
    D = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    np.fill_diagonal(D, 0)
    s = gm.silhouette_samples(data, LABELS, metric=metric)
    assert_allclose(s, definitions.silhouettes_from(D, LABELS), rtol=1e-9, atol=1e-9)


def test_zero_rows_under_cosine_and_constant_rows_under_correlation():
    data = X.copy()
    data[[0, 1, 33, 69]] = 0
    s = gm.silhouette_samples(data, LABELS, metric="cosine")
    assert_allclose(s, definitions.silhouette_samples(data, LABELS, "cosine"), rtol=1e-10, atol=1e-12)
    peer = pytest.importorskip("sklearn.metrics")
    assert_allclose(s, peer.silhouette_samples(data, LABELS, metric="cosine"), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_widely_different_row_scales(metric):
    rows = np.random.default_rng(8).choice([1e-200, 1e-9, 1.0, 1e9, 1e200], (70, 1))
    s = gm.silhouette_samples(X * rows, LABELS, metric=metric)
    assert_allclose(s, gm.silhouette_samples(X, LABELS, metric=metric), rtol=1e-9, atol=1e-9)


ONE_DIRECTION = [("cosine", d) for d in (1, 2, 3, 5, 16)] + [("correlation", d) for d in (2, 3, 5, 16)]


@pytest.mark.parametrize(("metric", "d"), ONE_DIRECTION)
def test_rows_of_one_direction_are_at_distance_zero(metric, d):
    """Multiples of a row of whole numbers, such as counts of words: a = b = 0, so s = 0, and never noise."""
    direction = np.random.default_rng(d).integers(1, 50, d) if metric == "cosine" else np.arange(d) ** 2
    data, labels = np.outer(np.arange(1, 25), direction).astype(float), np.arange(24) % 3
    assert_array_equal(gm.silhouette_samples(data, labels, metric=metric), 0)
    data[labels == 2, -1] *= -1  # a third cluster in another direction: nothing new for the first two
    s = gm.silhouette_samples(data, labels, metric=metric)
    assert_array_equal(s, np.where(labels == 2, 1.0, 0.0))


def test_a_sample_is_drawn_from_the_rows_that_are_not_noise():
    noisy = np.where(np.arange(70) % 7 == 0, -1, LABELS)
    kept = noisy != -1
    for seed in range(3):
        found = gm.silhouette_score(X, noisy, noise_label=-1, sample_size=40, random_state=seed)
        expected = gm.silhouette_score(X[kept], LABELS[kept], sample_size=40, random_state=seed)
        assert_allclose(found, expected, rtol=1e-12)


def test_noise_in_sparse_features():
    noisy = np.where(np.arange(70) % 7 == 0, -1, LABELS)
    thin = np.where(np.abs(X) > 1, X, 0.0)
    for metric in ("euclidean", "cosine", "manhattan"):
        found = gm.silhouette_samples(sparse.csr_matrix(thin), noisy, metric=metric, noise_label=-1)
        expected = gm.silhouette_samples(thin, noisy, metric=metric, noise_label=-1)
        assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
