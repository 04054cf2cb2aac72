"""Scores of clustered tables of Dask's, by moments and by pairs of blocks: equal to those of one machine."""

import numpy as np
import pytest
from dask_cases import UNEVEN

import gpumetrics as gm
from gpumetrics.dask import pairs

ACCURACY = {np.float64: 1e-10, np.float32: 1e-6}
METRICS = [
    ("euclidean", {}),
    ("manhattan", {}),
    ("chebyshev", {}),
    ("cosine", {}),
    ("sqeuclidean", {}),
    ("correlation", {}),
    ("minkowski", {"p": 3}),
    ("seuclidean", {"V": np.arange(1.0, 7.0)}),
    ("sqeuclidean", {"w": np.arange(1.0, 7.0)}),
    ("correlation", {"w": np.arange(1.0, 7.0)}),
]


@pytest.fixture
def small_blocks(monkeypatch):
    """Pairs of blocks, though chunks are small."""
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)


@pytest.mark.parametrize("dtype", ACCURACY)
@pytest.mark.parametrize("noise_label", [None, -1])
@pytest.mark.parametrize(("metric", "options"), METRICS)
@pytest.mark.usefixtures("small_blocks")
def test_silhouettes(lazy, clustered, metric, options, noise_label, dtype):
    X, labels, _ = clustered
    X = X.astype(dtype)
    arguments = lazy(X, UNEVEN), lazy(labels, 211)
    options = {"metric": metric, "noise_label": noise_label, **options}
    samples = gm.silhouette_samples(*arguments, **options)
    assert samples.chunks[0] == tuple(rows for rows in UNEVEN if rows) or samples.chunks[0] == UNEVEN
    expected = gm.silhouette_samples(X, labels, **options)
    np.testing.assert_allclose(samples.compute(), expected, rtol=0, atol=ACCURACY[dtype])
    score = gm.silhouette_score(*arguments, **options)
    assert isinstance(score, float)
    np.testing.assert_allclose(score, np.nanmean(expected), rtol=0, atol=ACCURACY[dtype])


@pytest.mark.parametrize("scale", [1e-160, 1e160])
@pytest.mark.usefixtures("small_blocks")
def test_far_scales(lazy, clustered, scale):
    X, labels, _ = clustered
    X = (X - 100) * scale
    for metric in ("euclidean", "cosine", "sqeuclidean"):
        found = gm.silhouette_score(lazy(X), lazy(labels), metric=metric)
        np.testing.assert_allclose(found, gm.silhouette_score(X, labels, metric=metric), rtol=0, atol=1e-10)


@pytest.mark.parametrize("make", [lambda X: X.astype(np.int64), lambda X: X.astype(np.float16), lambda X: X > 100])
@pytest.mark.usefixtures("small_blocks")
def test_other_types_of_numbers(lazy, clustered, make):
    X, labels, _ = clustered
    X = make(X)
    found = gm.silhouette_samples(lazy(X), lazy(labels)).compute()
    np.testing.assert_allclose(found, gm.silhouette_samples(X, labels), rtol=0, atol=1e-6)


@pytest.mark.usefixtures("small_blocks")
def test_a_boolean_metric_warns_once_here(lazy, clustered):
    X, labels, _ = clustered
    X = np.maximum(X - 100, 0)
    with pytest.warns(UserWarning, match="^Data was converted to boolean for metric jaccard") as caught:
        found = gm.silhouette_score(lazy(X), lazy(labels), metric="jaccard")
    assert len(caught) == 1
    np.testing.assert_allclose(found, gm.silhouette_score(X > 0, labels, metric="jaccard"), rtol=0, atol=1e-10)


@pytest.mark.usefixtures("small_blocks")
def test_a_function_of_two_rows(lazy, clustered):
    X, labels, _ = clustered
    X, labels = X[:60], labels[:60]
    found = gm.silhouette_score(lazy(X, 25), lazy(labels, 25), metric=lambda x, y: np.abs(x - y).max())
    np.testing.assert_allclose(found, gm.silhouette_score(X, labels, metric="chebyshev"), rtol=0, atol=1e-10)


@pytest.mark.usefixtures("small_blocks")
def test_little_memory_makes_blocks_smaller(lazy, clustered):
    X, labels, _ = clustered
    with gm.config_context(working_memory=0.02):
        found = gm.silhouette_samples(lazy(X, 900), lazy(labels, 900)).compute()
    np.testing.assert_allclose(found, gm.silhouette_samples(X, labels), rtol=0, atol=1e-10)


def test_more_pairs_than_a_scheduler_keeps(lazy, clustered, monkeypatch):
    monkeypatch.setattr(pairs, "MOST_PAIRS", 5)
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    with pytest.raises(ValueError, match="call silhouette_estimate"):
        gm.silhouette_score(lazy(X), lazy(labels))


@pytest.mark.parametrize("name", ["calinski_harabasz_score", "davies_bouldin_score"])
@pytest.mark.parametrize("noise_label", [None, -1])
@pytest.mark.parametrize("dtype", ACCURACY)
def test_moments(lazy, clustered, name, noise_label, dtype):
    X, labels, _ = clustered
    X = X.astype(dtype)
    found = getattr(gm, name)(lazy(X, UNEVEN), lazy(labels, 211), noise_label=noise_label)
    np.testing.assert_allclose(found, getattr(gm, name)(X, labels, noise_label=noise_label), rtol=1e-10)


def test_pairs_of_clusters(lazy, clustered):
    X, labels, _ = clustered
    found, expected = gm.davies_bouldin_pairs(lazy(X), lazy(labels)), gm.davies_bouldin_pairs(X, labels)
    assert str(found) == str(expected)
    np.testing.assert_allclose(found.similarity, expected.similarity, rtol=1e-10)


@pytest.mark.parametrize("name", ["silhouette_score", "calinski_harabasz_score"])
def test_a_table_of_dataframes(clustered, name):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, labels, _ = clustered
    names = np.array(["n", "a", "b", "c", "d", "e"])[labels + 1]
    frame = pd.DataFrame(X, columns=list("pqrstu")).assign(cluster=pd.Categorical(names))
    frame = dd.from_pandas(frame, npartitions=4)
    found = getattr(gm, name)(frame[list("pqrstu")], frame["cluster"], noise_label="n")
    np.testing.assert_allclose(found, getattr(gm, name)(X, names, noise_label="n"), rtol=1e-10)


@pytest.mark.parametrize("function", [gm.silhouette_score, gm.calinski_harabasz_score, gm.davies_bouldin_score])
def test_nan_with_its_row(lazy, clustered, function):
    X, labels, _ = clustered
    X[[700, 812], [3, 1]] = np.nan
    with pytest.raises(ValueError, match=r"^Input X contains NaN\. The first bad value is nan at row 700, column 3\.$"):
        function(lazy(X), lazy(labels))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_too_few_clusters(lazy, clustered, metric):
    X = clustered[0]
    for bad, n in ((np.zeros(900, dtype=int), 1), (np.arange(900), 900)):
        with pytest.raises(ValueError, match=rf"^Number of labels is {n}\. Valid values are 2 to n_samples - 1"):
            gm.silhouette_score(lazy(X), lazy(bad), metric=metric)
    with pytest.raises(ValueError, match=r"^Number of labels is 0\."):
        gm.silhouette_score(lazy(X), lazy(np.full(900, -1)), metric=metric, noise_label=-1)


def test_what_pairs_cannot_have(lazy, clustered):
    X, labels, _ = clustered
    X, labels = lazy(X), lazy(labels)
    with pytest.raises(ValueError, match="needs V, which comes from all rows"):
        gm.silhouette_score(X, labels, metric="seuclidean")
    with pytest.raises(ValueError, match="precomputed"):
        gm.silhouette_score(X, labels, metric="precomputed")
    with pytest.raises(TypeError, match="silhouette_estimate"):
        gm.silhouette_score(X, labels, sample_size=100)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.usefixtures("small_blocks")
def test_same_chunks_same_bits(lazy, clustered, metric):
    import dask

    X, labels, _ = clustered
    scores = set()
    for scheduler in ("synchronous", "threads", "threads"):
        with dask.config.set(scheduler=scheduler):
            scores.add(gm.silhouette_score(lazy(X, 100), lazy(labels, 100), metric=metric))
    assert len(scores) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "seuclidean", "V": np.ones(2)}, r"^V must have shape \(6,\)"),
        ({"metric": "haversine"}, "only valid in 2 dimensions"),
        ({"metric": lambda x, y: "far"}, "could not convert string to float"),
    ],
)
def test_an_error_of_samples_is_raised(lazy, clustered, options, said):
    X, labels, _ = clustered
    with pytest.raises(ValueError, match=said):
        gm.silhouette_samples(lazy(X), lazy(labels), **options).compute()


def test_blocks_are_not_sliced_one_by_one(lazy, clustered, monkeypatch):
    """Each slice of an array would carry, and optimise, the graph of all chunks: quadratic in their number."""
    import dask.array as da

    X, labels, _ = clustered
    arrays = lazy(X, 10), lazy(labels, 10)
    monkeypatch.setattr(da.Array, "__getitem__", lambda *_: pytest.fail("sliced"))
    expected = gm.calinski_harabasz_score(X, labels), gm.silhouette_score(X, labels)
    np.testing.assert_allclose(gm.calinski_harabasz_score(*arrays), expected[0], rtol=1e-10)
    np.testing.assert_allclose(gm.silhouette_score(*arrays), expected[1], rtol=0, atol=1e-10)


def test_large_scorers_are_one_node_of_the_graph(lazy, clustered):
    """Each task with a scorer of its own would send it as often as there are chunks."""
    import pickle

    X, labels, _ = clustered
    wide = np.repeat(X, 200, axis=1)
    samples = gm.silhouette_samples(lazy(wide, 30), lazy(labels, 30), metric="cosine")
    tasks = [pickle.dumps(task) for key, task in dict(samples.dask).items() if str(key).startswith("('_samples-")]
    assert len(tasks) == 30
    assert max(map(len, tasks)) < 5_000  # of some 100,000 bytes
    expected = gm.silhouette_samples(wide, labels, metric="cosine")
    np.testing.assert_allclose(samples.compute(), expected, rtol=0, atol=1e-10)
