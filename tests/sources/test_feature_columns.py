"""Which columns of a table are features, what is said of them, and what an error names."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.sources.feature_columns import Choice, FeatureTable, listed
from gpumetrics.sources.files import InputFileError, columns_of_same_file, read_feature_table, read_features

COLUMNS = {"e0": [1.5, 2.5, 9.0], "e1": [0.5, 0.25, 1.0], "id": [7, 8, 9], "topic": ["x", "x", "y"]}


@pytest.fixture(name="path", params=["csv", "parquet"])
def table_file(request, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame, path = pd.DataFrame(COLUMNS), tmp_path / f"t.{request.param}"
    frame.to_csv(path, index=False) if request.param == "csv" else frame.to_parquet(path)
    return path


@pytest.mark.parametrize(
    ("choice", "used"),
    [
        (Choice(drop=["topic"]), ("e0", "e1", "id")),
        (Choice(drop=["id", "topic"]), ("e0", "e1")),
        (Choice(columns=["e1", "e0"]), ("e0", "e1")),
        (Choice(columns=["e0", "e1", "id"], drop=["id"]), ("e0", "e1")),
        (Choice(labels=["topic"], drop=["id"]), ("e0", "e1")),
        (Choice(labels=["topic"], columns=["id", "topic"]), ("id",)),
    ],
)
def test_columns_are_chosen_by_name(path, choice, used):
    table = read_feature_table(path, choice)
    assert_equal((table.used, table.left_out), (used, tuple(name for name in COLUMNS if name not in used)))
    assert_array_equal(table.data, np.column_stack([COLUMNS[name] for name in used]))


def test_names_that_the_table_lacks(path):
    for choice in (Choice(drop=["Topic"]), Choice(columns=["e0", "Topic"])):
        with pytest.raises(InputFileError, match=r"no column is named 'Topic' \(columns: e0, e1, id, topic\)"):
            read_feature_table(path, choice)
    with pytest.raises(InputFileError, match="no column is left as a feature"):
        read_feature_table(path, Choice(labels=["id"], columns=["id"]))
    with pytest.raises(InputFileError, match="is one column or array; --columns and --drop"):
        read_feature_table(f"{path}:id", Choice(drop=["topic"]))


def test_a_column_of_text_is_named_with_the_remedy(path):
    with pytest.raises(InputFileError, match=r"'topic'.*leave it out with --drop topic$"):
        read_features(path)


def test_several_columns_of_text_share_the_remedy(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,my topic,"b,c"\n1,x,y\n2,z,z\n')
    with pytest.raises(InputFileError, match=r"column 2 is 'my topic': leave such columns out with") as caught:
        read_features(path)
    assert str(caught.value).endswith("--drop 'my topic,\"b,c\"'")
    path.write_text("a,b\n1,2\n3,\n")
    with pytest.raises(InputFileError, match=r"line 3, column 2 is empty; .*column 2 is 'b'"):
        read_features(path)


def test_names_say_that_there_is_a_heading(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("2019,2020,topic\n1,5,7\n2,6,8\n")
    assert_array_equal(read_feature_table(path, Choice(drop=["topic"])).data, [[1, 5], [2, 6]])
    assert_array_equal(read_features(path, without=["topic"]), [[1, 5], [2, 6]])
    with pytest.raises(InputFileError, match="no column is named 'topic', since there is no heading line"):
        read_feature_table(path, Choice(drop=["topic"]), header="no")
    np.save(tmp_path / "x.npy", np.eye(2))
    with pytest.raises(InputFileError, match="has no names of columns; --columns and --drop"):
        read_feature_table(tmp_path / "x.npy", Choice(drop=["topic"]))


def test_the_index_is_neither_a_feature_nor_left_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Unnamed: 0,a,b\n1,5,7\n2,6,8\n")
    with pytest.warns(UserWarning, match="as an index"):
        table = read_feature_table(path, Choice(drop=["b", "Unnamed: 0"]))
    assert_equal((table.used, table.left_out), (("a",), ("b",)))
    assert_array_equal(table.data, [[5], [6]])


def test_lists_in_parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": [1, 2], "text": ["a", "b"], "embedding": [[1.0, 2.0], [3.0, 4.0]]}), path)
    with pytest.raises(InputFileError, match=r"column 'embedding' holds lists .* give t\.parquet:embedding"):
        read_features(path)
    table = read_feature_table(path, Choice(drop=["id"], labels=["text"]))
    assert_array_equal(table.data, [[1, 2], [3, 4]])
    notes = [f"{key}: {note}" for key, note in table.notes().items()]
    assert_equal(notes, ["features: Features: column embedding, lists of 2 numbers; left out: id, text."])
    pq.write_table(pa.table({"a": [1, 2], "tags": [["a"], ["b"]]}), path)
    with pytest.raises(InputFileError, match=r"'tags' holds list.*--drop tags$"):
        read_features(path)


def test_the_same_file_under_two_names(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    monkeypatch.chdir(tmp_path)
    assert_equal(columns_of_same_file("t.csv", f"{tmp_path}/t.csv:b", "t.csv:a", "other.csv:a"), ["b", "a"])


def test_the_note_on_the_columns():
    names = tuple(f"e{i}" for i in range(128))
    table = FeatureTable(np.random.default_rng(0).normal(size=(20, 128)), names, ("kmeans", "topic"))
    notes = [f"{key}: {note}" for key, note in table.notes().items()]
    assert_equal(notes, ["features: Features: 128 columns, e0 to e127; left out: kmeans, topic."])
    assert_equal(FeatureTable(np.eye(3)).notes(), {})


def test_a_column_that_outweighs_the_others():
    X = np.random.default_rng(0).normal(size=(500, 3))
    names = ("a", "b", "id")
    X[:, 2] = np.arange(500)
    notes = FeatureTable(X, names).notes()
    assert re.search(r"Column id holds 100\.0 % of the variance: drop it with --drop id, or scale", notes["variance"])
    assert "whole_numbers" not in notes
    assert_equal(list(FeatureTable(X, names).notes(scale=False)), ["features"])
    X[:, 2] = 9.1 * X[:, 0]  # 82.81 of 84.81 parts, if the columns were drawn to unit variance
    share = X.var(axis=0)[2] / X.var(axis=0).sum()
    assert f"holds {100 * share:.1f} % of" in FeatureTable(X, names).notes()["variance"]
    assert "variance" not in FeatureTable(X[:, :2], names[:2]).notes()


def test_whole_numbers_among_fractions():
    X = np.random.default_rng(0).normal(size=(300, 4))
    X[:, 1], X[:, 3] = np.arange(300) % 3, 5  # the latter is constant
    names = ("a", "hdb", "c", "d")
    said = FeatureTable(X, names).notes()["whole_numbers"]
    assert said.startswith("Column hdb holds whole numbers among columns of fractions")
    assert said.endswith("use --drop hdb.")
    X[:, 2] = np.arange(300) % 2
    assert "Columns hdb, c hold whole" in FeatureTable(X, names).notes()["whole_numbers"]
    assert_equal(list(FeatureTable(np.floor(X), names).notes()), ["features"])
    X[:, 2] = 1e307 * X[:, 0]  # overflows where squared
    X[7, 0] = np.nan
    assert "whole_numbers" in FeatureTable(X, names).notes()


def test_a_large_table_is_judged_by_every_nth_row(monkeypatch):
    monkeypatch.setattr("gpumetrics.sources.feature_columns.SAMPLED_VALUES", 100)
    X = np.random.default_rng(0).normal(size=(400, 2))
    X[:, 1] = np.arange(400) % 2
    assert "whole_numbers" in FeatureTable(X, ("a", "b")).notes()
    X[3, 1] = 0.5  # in no row of the sample
    assert "whole_numbers" not in FeatureTable(X, ("a", "b")).notes()


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a", "b"], "a, b"),
        (["a0", "a1"], "a0, a1"),
        (["0", "1", "2", "10"], "0 to 2, 10"),
        (["x01", "x02"], "x01, x02"),
        ([c * 2 for c in "abcdefghijklmn"], "aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk, ll and 2 more"),
        ([], "none"),
    ],
)
def test_lists_of_names(names, text):
    assert_equal(str(listed(names)), text)
