"""Agreement scores of Dask's labels: the table of all blocks is that of all rows."""

import datetime as dt

import numpy as np
import pytest
from catalogue import LABELINGS
from dask_cases import UNEVEN

import gpumetrics as gm

NAMES = [metric.name for metric in LABELINGS]


@pytest.mark.parametrize("noise_label", [None, -1])
@pytest.mark.parametrize("name", NAMES)
def test_same_as_in_memory(lazy, clustered, name, noise_label):
    _, pred, true = clustered
    function = getattr(gm, name)
    expected = function(true, pred, noise_label=noise_label)
    found = function(lazy(true, UNEVEN), lazy(pred, 211), noise_label=noise_label)
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)


def test_one_side_in_memory(lazy, clustered):
    _, pred, true = clustered
    assert gm.adjusted_rand_score(true.tolist(), lazy(pred)) == gm.adjusted_rand_score(true, pred)
    assert gm.entropy(lazy(pred)) == gm.entropy(pred)


def kinds(numbers):
    """Labels of every kind, by number."""
    days = np.datetime64("2024-01-01") + np.arange(10)
    return {
        "strings": np.array(list("abcdefghij"))[numbers],
        "objects": np.array([("t", int(i)) for i in numbers] + [None], dtype=object)[:-1],
        "booleans": numbers > 2,
        "floats": numbers.astype(np.float64) - 1,
        "unsigned": numbers.astype(np.uint64) + 2**63,
        "dates": days[numbers],
        "python dates": np.array([dt.date(2024, 1, 1 + i) for i in numbers], dtype=object),
    }


@pytest.mark.parametrize("kind", kinds(np.arange(3)))
def test_labels_of_all_kinds(lazy, clustered, kind):
    _, pred, true = clustered
    true, pred = kinds(true + 1)[kind], kinds(pred + 1)[kind]
    found = gm.clustering_accuracy(lazy(true, 300), lazy(pred, 211), return_matching=True)
    assert found == gm.clustering_accuracy(true, pred, return_matching=True)


@pytest.mark.parametrize("kind", ["category", "string", "Int64", "int64", "datetime64[ns]"])
def test_series(clustered, kind):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    _, pred, true = clustered
    values = pd.Series(pred + 1).astype({"category": "int64", "string": "int64"}.get(kind, kind))
    pred = values.map("cluster {}".format) if kind == "string" else values
    pred = pred.astype(kind)
    frame = dd.from_pandas(pd.DataFrame({"true": true, "pred": pred}), npartitions=4)
    assert gm.adjusted_rand_score(frame["true"], frame["pred"]) == gm.adjusted_rand_score(true, pred)
    assert gm.f1_score(frame["pred"], frame["pred"], average="macro") == 1.0


def test_a_missing_label(lazy):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    column = dd.from_pandas(pd.Series([1, 2, None, 1], dtype="Int64"), npartitions=2)
    with pytest.raises(ValueError, match=r"^Input labels_pred contains NaN\. A label is missing"):
        gm.rand_score(column.fillna(0), column)


def test_labels_with_fractions_warn_here(lazy):
    labels = lazy([0.5, 1.0, 0.5], 2)
    with pytest.warns(UserWarning, match="^Clustering metrics expects discrete values"):
        assert gm.rand_score(labels, labels) == 1.0


def test_other_lengths(lazy):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 4\]"):
        gm.rand_score(lazy([0, 1, 1], 2), lazy([0, 1, 1, 1], 2))


def test_all_noise(lazy):
    labels = lazy([7, 7, 7], 2)
    with pytest.raises(ValueError, match=r"^All 3 rows of labels_pred have the noise label 7"):
        gm.rand_score(labels, labels, noise_label=7)


def test_chunks_of_unknown_size(lazy, clustered):
    _, pred, true = clustered
    whole = lazy(true), lazy(pred)
    some = [side[whole[0] > 0] for side in whole]
    with pytest.warns(UserWarning, match="^labels_(true|pred) has chunks of unknown size"):
        found = gm.rand_score(*some)
    assert found == gm.rand_score(true[true > 0], pred[true > 0])
    assert np.isnan(some[0].shape[0])  # the user's array is as it was
