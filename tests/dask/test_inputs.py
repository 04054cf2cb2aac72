"""What Dask's collections hold beside plain numbers: no rows, sparse chunks, half precision, missing values."""

import numpy as np
import pytest
from dask_cases import UNEVEN
from scipy import sparse

import gpumetrics as gm
from gpumetrics import dask as lazily
from gpumetrics.dask import pairs

OF_X = ["silhouette_samples", "silhouette_score", "calinski_harabasz_score", "davies_bouldin_score"]


def message(function, *arguments, **options):
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*arguments, **options)
    return f"{caught.type.__name__}: {caught.value}"


@pytest.mark.parametrize("name", [*OF_X, "evaluate_clustering", "silhouette_estimate"])
@pytest.mark.parametrize("shape", [(0, 4), (6, 0), (6, 2, 2)])
def test_shapes_of_the_whole_table(lazy, name, shape):
    import dask.array as da

    X, labels = np.zeros(shape), np.zeros(shape[0], dtype=int)
    chunks = (4, *shape[1:])
    found = message(getattr(gm, name), da.from_array(X, chunks=chunks), da.from_array(labels, chunks=4))
    assert found == message(getattr(gm, name), X, labels)


def test_one_dimension(lazy):
    assert "Expected 2D array, got 1D array" in message(gm.silhouette_score, lazy(np.arange(6.0), 2), lazy([0, 1] * 3))


def test_labelings_without_rows(lazy):
    import dask.array as da

    none = da.from_array(np.empty(0, dtype=int), chunks=3)
    assert gm.adjusted_rand_score(none, none) == gm.adjusted_rand_score([], []) == 1.0
    assert gm.contingency_matrix(none, none).shape == (0, 0)
    assert message(gm.f1_score, none, none) == message(gm.f1_score, [], [])
    assert lazily.rand_score(none, none, compute=False).compute() == 1.0


@pytest.mark.parametrize("name", [*OF_X, "evaluate_clustering"])
def test_a_column_of_labels_warns_once(lazy, clustered, name):
    X, labels, _ = clustered
    with pytest.warns(UserWarning, match="column-vector y") as caught:
        found = getattr(gm, name)(lazy(X), lazy(labels[:, None]))
    assert len(caught) == 1
    expected = getattr(gm, name)(lazy(X), lazy(labels))
    if name == "evaluate_clustering":
        found, expected = ([report.scores["silhouette"]] for report in (found, expected))
    np.testing.assert_array_equal(found, expected)


def test_columns_of_labels(lazy, clustered):
    X, labels, _ = clustered
    two = np.stack([labels, labels], axis=1)
    assert message(gm.silhouette_score, lazy(X), lazy(two)) == message(gm.silhouette_score, X, two)
    assert message(gm.rand_score, lazy(two), lazy(labels)) == message(gm.rand_score, two, labels)


def test_missing_labels_are_counted_in_their_block(lazy, clustered):
    X, labels, _ = clustered
    labels = np.where(np.arange(900) == 700, np.nan, labels)
    for found in (message(gm.silhouette_score, lazy(X, 300), lazy(labels)), message(gm.entropy, lazy(labels, 300))):
        assert "in 1 of 300 rows from row 600 on" in found
    assert "in 1 of 900 rows;" in message(gm.silhouette_score, lazy(X, 900), lazy(labels, 900))


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_chunks(lazy, clustered, metric, kind, monkeypatch):
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    X = np.maximum(X - 100, 0)
    chunks = lazy(X, UNEVEN).rechunk((UNEVEN, 6)).map_blocks(kind)
    options = {"metric": metric, "noise_label": -1}
    expected = gm.silhouette_samples(kind(X), labels, **options)
    for given in (chunks, kind(X)):
        found = gm.silhouette_samples(given, lazy(labels, 211), **options)
        np.testing.assert_allclose(found.compute(), expected, rtol=0, atol=1e-10)
        score = gm.silhouette_score(given, lazy(labels, 211), **options)
        np.testing.assert_allclose(score, np.nanmean(expected), rtol=0, atol=1e-10)
    asked = {"n_queries": 60, "random_state": 1, **options}
    found = gm.silhouette_estimate(chunks, lazy(labels), **asked)
    assert str(found) == str(gm.silhouette_estimate(kind(X), labels, **asked))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_bfloat16(lazy, clustered, metric, monkeypatch):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    monkeypatch.setattr(pairs, "LEAST_ROWS", 1)
    X, labels, _ = clustered
    X = (X - 100).astype(ml_dtypes.bfloat16)
    found = gm.silhouette_score(lazy(X), lazy(labels), metric=metric)
    np.testing.assert_allclose(found, gm.silhouette_score(X, labels, metric=metric), rtol=0, atol=1e-6)


@pytest.mark.parametrize("weights", [np.where(np.arange(900) == 3, np.nan, 1.0), np.ones((900, 1)), 3.0])
def test_weights_that_are_none(lazy, clustered, weights):
    _, pred, true = clustered
    found = message(gm.accuracy_score, lazy(true, 900), lazy(pred, 900), sample_weight=weights)
    assert found == message(gm.accuracy_score, true, pred, sample_weight=weights)


def test_a_sparse_side_in_memory(lazy, rng):
    true, pred = rng.random((200, 5)) < 0.3, rng.random((200, 5)) < 0.3
    found = gm.jaccard_score(sparse.csr_array(true.astype(int)), lazy(pred, 60), average="macro")
    np.testing.assert_allclose(found, gm.jaccard_score(true, pred, average="macro"), rtol=1e-12)
    with pytest.raises(ValueError, match="give the columns of these labels alone"):
        gm.jaccard_score(lazy(true, 60), lazy(pred, 60), average="samples", labels=[0, 1])


def test_nullable_columns(clustered):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, labels, _ = clustered
    frame = pd.DataFrame(X, columns=list("pqrstu")).astype("Float64").assign(u=pd.array(labels + 1, dtype="Int64"))
    columns = dd.from_pandas(pd.Series(labels), npartitions=3)
    found = gm.silhouette_score(dd.from_pandas(frame, npartitions=3), columns)
    np.testing.assert_allclose(found, gm.silhouette_score(frame, labels), rtol=0, atol=1e-10)
    frame.loc[700, "q"] = pd.NA
    found = message(gm.silhouette_score, dd.from_pandas(frame, npartitions=3), columns)
    assert found == "ValueError: Input X contains NaN. The first bad value is nan at row 700, column 1."


def test_partitions_are_counted_once(lazy, clustered):
    import dask

    X, labels, _ = clustered
    arrays = lazy(X)[lazy(labels) >= 0], lazy(labels)[lazy(labels) >= 0]
    with pytest.warns(UserWarning, match="unknown size") as caught:
        gm.evaluate_clustering(*arrays, metric="cosine")
    assert len(caught) == 2  # X and labels
    assert dask.is_dask_collection(arrays[0])


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda X: X, "array"),
        (lambda X: X.sum(), "array"),
        (lambda X: X.to_delayed().ravel()[0], "delayed value"),
    ],
)
def test_a_collection_is_called_by_its_name(lazy, clustered, make, word):
    X, labels, _ = clustered
    with pytest.raises(TypeError, match=f"is a Dask {word}, and this function takes arrays in memory only"):
        gm.density_validity(make(lazy(X)), labels)


def test_a_table_is_called_by_its_name():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0]}), npartitions=1)
    for given, word in ((frame, "dataframe"), (frame["a"], "series")):
        with pytest.raises(TypeError, match=f"y is a Dask {word}, and"):
            gm.density_validity(np.eye(2), given)
