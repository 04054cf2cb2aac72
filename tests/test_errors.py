"""Bad input: scikit-learn's exception types and texts, plus what is ours."""

from importlib import import_module

import numpy as np
import pytest
from catalogue import LABELINGS
from numpy.testing import assert_allclose
from scipy import sparse

import gpumetrics as gm
from gpumetrics.exceptions import DataConversionWarning, UndefinedMetricWarning

X = [[0.0, 1], [1, 0], [5, 5], [6, 5], [7, 9]]
Y = [0, 0, 1, 1, 1]
NAN, INF = float("nan"), float("inf")
CLUSTERED = ["silhouette_score", "silhouette_samples", "calinski_harabasz_score", "davies_bouldin_score"]
WITH_PEER = [metric.name for metric in LABELINGS if metric.peer]


def with_value(value):
    return [[0.0, 1], [1, 0], [5, value], [6, 5], [7, 9]]


BAD_CLUSTERED = {
    "NaN in X": (with_value(NAN), Y),
    "inf in X": (with_value(INF), Y),
    "-inf in X": (with_value(-INF), Y),
    "float32 inf in X": (np.array(with_value(INF), dtype=np.float32), Y),
    "NaN before inf in X": ([[NAN, INF], *X[1:]], Y),
    "NaN in labels": (X, [0, 0, NAN, 1, 1]),
    "inf in labels": (X, [0, 0, INF, 1, 1]),
    "shorter labels": (X, Y[:4]),
    "longer labels": (X, [*Y, 0]),
    "X of one dimension": ([1.0, 2, 3, 4, 5], Y),
    "X is a number": (3.0, Y),
    "X of three dimensions": (np.zeros((5, 2, 2)), Y),
    "no rows": (np.zeros((0, 2)), []),
    "no columns": (np.zeros((5, 0)), Y),
    "one cluster": (X, [0] * 5),
    "n clusters": (X, [0, 1, 2, 3, 4]),
    "one row": ([[1.0, 2]], [0]),
    "labels of two dimensions": (X, [[0, 1]] * 5),
    "labels in a row": (X, [Y]),
    "labels are a number": (X, 3),
    "complex X": (np.array(X) * 1j, Y),
    "text in X": ([["a", "b"]] * 5, Y),
    "numerals in X": (np.array(X).astype(str), Y),
    "ragged X": ([[1.0, 2], [3], [4, 5], [6, 7], [8, 9]], Y),
    "X is None": (None, Y),
    "labels are None": (X, None),
}
BAD_AGREEMENT = {
    "lengths": ([0, 1], [0, 1, 1]),
    "two dimensions before lengths": ([[0, 1], [1, 0]], [0, 1, 1]),
    "two dimensions on the right": ([0, 1], [[0, 1], [1, 0]]),
    "a column": ([[0], [1]], [0, 1]),
    "NaN": ([0, NAN, 1], [0, 1, 1]),
    "NaN on the right": ([0, 1, 1], [0, NAN, 1]),
    "inf": ([0, INF, 1], [0, 1, 1]),
    "three dimensions": (np.zeros((2, 2, 2)), [0, 1]),
    "text for labels": ("abc", [0, 1, 1]),
    "a number": (3, [0, 1]),
}


def theirs(name, args, kwargs=None):
    """What scikit-learn raises: which built-in exceptions it is, and the fixed part of its first line."""
    with pytest.raises((ValueError, TypeError)) as raised:
        getattr(import_module("sklearn.metrics.cluster"), name)(*args, **(kwargs or {}))
    kinds = tuple(kind for kind in (ValueError, TypeError) if isinstance(raised.value, kind))
    return kinds, str(raised.value).splitlines()[0].partition(" for dtype(")[0].rstrip(".")


def raises_like_theirs(name, *args, like=None, **kwargs):
    """Our message and scikit-learn's, of the same function or of the one that checks all that it should."""
    kinds, text = theirs(like or name, args, kwargs)
    with pytest.raises(kinds) as raised:
        getattr(gm, name)(*args, **kwargs)
    return text, str(raised.value)


# Where scikit-learn's first line is about its own internals, ours says the same in its own words.
OWN_WORDS = {"text in X", "numerals in X", "ragged X", "X is None", "labels are None", "labels are a number"}
OWN_WORDS |= {"text for labels", "a number", "X is a number"}


@pytest.mark.parametrize("name", CLUSTERED)
@pytest.mark.parametrize("case", BAD_CLUSTERED)
def test_bad_clustered_data(name, case):
    # scikit-learn's other two let complex numbers and numerals through.
    like = "silhouette_score" if case in {"complex X", "numerals in X"} else name
    text, found = raises_like_theirs(name, *BAD_CLUSTERED[case], like=like)
    assert case in OWN_WORDS or text in found
    assert found
    assert "\n\n" not in found


@pytest.mark.parametrize("name", WITH_PEER)
@pytest.mark.parametrize("case", BAD_AGREEMENT)
def test_bad_labelings(name, case):
    # The two matrices of scikit-learn check less than its scores do.
    text, found = raises_like_theirs(name, *BAD_AGREEMENT[case], like="rand_score")
    # Ours says which argument it is.
    found = found.replace("Input labels_true", "Input").replace("Input labels_pred", "Input")
    assert case in OWN_WORDS or text in found


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score"])
def test_sparse_features_need_a_silhouette(name):
    theirs(name, (sparse.csr_matrix(X), Y))
    with pytest.raises(TypeError, match=r"Sparse data was passed.* but dense data is required"):
        getattr(gm, name)(sparse.csr_matrix(X), Y)


@pytest.mark.parametrize("name", CLUSTERED)
def test_errors_name_the_argument_the_place_and_the_number(name):
    score = getattr(gm, name)
    with pytest.raises(ValueError, match=r"Input X contains NaN\..*row 2, column 1"):
        score(with_value(NAN), Y)
    with pytest.raises(ValueError, match=r"Input X contains infinity.*row 2, column 1"):
        score(with_value(-INF), Y)
    with pytest.raises(ValueError, match=r"Number of labels is 5.*n_samples is 5"):
        score(X, list(range(5)))


def test_non_zero_diagonal():
    D = np.ones((4, 4))
    for matrix in (D, D.astype(np.float32), D.astype(int), sparse.csr_matrix(D)):
        text, found = raises_like_theirs("silhouette_samples", matrix, [0, 0, 1, 1], metric="precomputed")
        assert text in found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_diagonal_is_allowed_a_hundred_eps(dtype):
    D = np.abs(np.subtract.outer([0, 1, 5, 7], [0, 1, 5, 7])).astype(dtype)
    exact = gm.silhouette_samples(D, [0, 0, 1, 1], metric="precomputed")
    D.flat[::5] = 90 * np.finfo(dtype).eps
    assert_allclose(gm.silhouette_samples(D, [0, 0, 1, 1], metric="precomputed"), exact, rtol=1e-4)
    D.flat[::5] = 110 * np.finfo(dtype).eps
    with pytest.raises(ValueError, match="non-zero elements on the diagonal"):
        gm.silhouette_samples(D, [0, 0, 1, 1], metric="precomputed")


@pytest.mark.parametrize("D", [np.zeros((4, 3)), np.zeros((3, 4))])
def test_precomputed_must_be_square(D):
    text, found = raises_like_theirs("silhouette_samples", D, [0, 0, 1, 1][: len(D)], metric="precomputed")
    assert "square" in found or "4" in found
    assert text


def test_missing_pairs_of_a_sparse_matrix():
    D = np.abs(np.subtract.outer([0, 1, 5, 7, 7], [0, 1, 5, 7, 7])).astype(float)
    labels = [0, 0, 1, 1, 1]
    assert_allclose(
        gm.silhouette_samples(sparse.csr_matrix(D), labels, metric="precomputed"),
        gm.silhouette_samples(D, labels, metric="precomputed"),
    )
    for i, j in [(0, 2), (2, 0), (3, 2)]:
        holed = D.copy()
        holed[i, j] = 0
        with pytest.raises(ValueError, match=rf"(?i)\b{i}\b.*\b{j}\b.*neighbou?r"):
            gm.silhouette_samples(sparse.csr_matrix(holed), labels, metric="precomputed")


@pytest.mark.parametrize("sample_size", [0, -3, 2.5, "all", True])
def test_sample_size(sample_size):
    if sample_size is not True:  # scikit-learn takes True for 1
        text, found = raises_like_theirs("silhouette_score", X, Y, sample_size=sample_size)
        assert text.partition(" must be")[0] in found
    with pytest.raises(ValueError, match=r"sample_size|Number of labels"):
        gm.silhouette_score(X, Y, sample_size=sample_size)


@pytest.mark.parametrize("random_state", ["seed", 1.5, [1]])
def test_random_state(random_state):
    text, found = raises_like_theirs("silhouette_score", X, Y, sample_size=4, random_state=random_state)
    assert "random_state" in found or text in found


def test_random_state_is_scikit_learns():
    import sklearn.metrics

    for state in (np.random.RandomState(3), np.random):
        found = gm.silhouette_score(X, Y, sample_size=5, random_state=state)
        assert_allclose(found, sklearn.metrics.silhouette_score(X, Y), rtol=1e-12)
    forth, back = np.random.RandomState(3), np.random.RandomState(3)
    rng = np.random.default_rng(0)
    A, labels = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    for _ in range(3):  # an instance moves on, in the same steps
        expected = sklearn.metrics.silhouette_score(A, labels, sample_size=30, random_state=forth)
        found = gm.silhouette_score(A, labels, sample_size=30, random_state=back)
        assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["normalized_mutual_info_score", "adjusted_mutual_info_score"])
def test_average_method(name):
    text, found = raises_like_theirs(name, [0, 1, 1], [0, 1, 1], average_method="mean")
    assert text.partition(" must be")[0] in found
    assert "Got 'mean' instead" in found


@pytest.mark.parametrize("beta", [-1, "1", NAN])
def test_beta(beta):
    for name in ("v_measure_score", "homogeneity_completeness_v_measure"):
        with pytest.raises(ValueError, match="beta"):
            getattr(gm, name)([0, 0, 1], [0, 1, 1], beta=beta)


def test_contingency_matrix_arguments():
    for kwargs in ({"eps": 0.1, "sparse": True}, {"eps": -1.0}, {"sparse": "yes"}):
        text, found = raises_like_theirs("contingency_matrix", [0, 1], [0, 1], **kwargs)
        assert text.partition(" must be")[0] in found


@pytest.mark.parametrize("name", WITH_PEER)
def test_continuous_labels_are_said_to_be_so(name):
    score = getattr(gm, name)
    message = "Clustering metrics expects discrete values but received continuous values for label, and multiclass"
    with pytest.warns(UserWarning, match=message):
        score([0.1, 0.2, 0.3], [0, 1, 2])


@pytest.mark.parametrize("name", CLUSTERED)
def test_a_column_of_labels_is_a_vector_with_a_warning(name):
    score = getattr(gm, name)
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
        found = score(X, np.array(Y)[:, None])
    assert_allclose(found, score(X, Y), rtol=0)


def test_the_warning_class_is_scikit_learns():
    from sklearn import exceptions

    assert UndefinedMetricWarning is exceptions.UndefinedMetricWarning
    assert DataConversionWarning is exceptions.DataConversionWarning


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score"])
def test_undefined_values_warn_once_and_point_at_the_caller(name):
    with pytest.warns(UndefinedMetricWarning) as seen:
        getattr(gm, name)([[1.0], [1.0], [1.0]], [0, 0, 1])
    assert len(seen) == 1
    assert seen[0].filename == __file__


@pytest.mark.parametrize("name", CLUSTERED + WITH_PEER)
def test_no_floating_point_warning_leaks(name):
    rng = np.random.default_rng(0)
    data = np.vstack([np.zeros((3, 2)), rng.normal(size=(20, 2))])
    labels = [0] * 3 + [1] * 10 + [2] * 9 + [3]
    args = (data, labels) if name in CLUSTERED else (labels, rng.integers(0, 3, 23))
    with np.errstate(all="raise"):
        getattr(gm, name)(*args)
    if name in CLUSTERED[:2]:
        with np.errstate(all="raise"):
            for metric in ("cosine", "correlation", "sqeuclidean", "manhattan"):
                getattr(gm, name)(*args, metric=metric)


@pytest.mark.parametrize("name", CLUSTERED)
def test_noise_may_leave_too_little(name):
    score = getattr(gm, name)
    with pytest.raises(ValueError, match=r"Number of labels is 1\."):
        score(X, [0, 0, 0, -1, -1], noise_label=-1)
    with pytest.raises(ValueError, match=r"Number of labels is 2\."):
        score(X, [0, 1, -1, -1, -1], noise_label=-1)
    with pytest.raises(ValueError, match=r"Number of labels is 0\."):
        score(X, [-1] * 5, noise_label=-1)


@pytest.mark.parametrize("name", CLUSTERED)
def test_nan_in_a_noise_row_is_still_nan(name):
    with pytest.raises(ValueError, match="Input X contains NaN"):
        getattr(gm, name)(with_value(NAN), [0, 0, -1, 1, 1], noise_label=-1)


def test_unknown_keywords():
    for name in CLUSTERED + WITH_PEER:
        args = (X, Y) if name in CLUSTERED else (Y, Y)
        with pytest.raises(TypeError, match="nois_label"):
            getattr(gm, name)(*args, nois_label=-1)
