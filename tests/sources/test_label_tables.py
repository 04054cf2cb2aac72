"""Several labelings from files: what each is called, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.sources.files import InputFileError
from gpumetrics.sources.label_tables import read_labelings


def read(*paths, **keywords):
    return read_labelings([str(path) for path in paths], **keywords)


def test_one_labeling_in_each_file(tmp_path):
    np.save(tmp_path / "kmeans.npy", [0, 1, 1])
    (tmp_path / "dbscan.csv").write_text("cluster\n-1\n0\n0\n")
    (tmp_path / "words.csv").write_text("a\nb\nb\n")
    found = read(tmp_path / "kmeans.npy", tmp_path / "dbscan.csv", tmp_path / "words.csv")
    assert_equal(
        {name: labels.tolist() for name, labels in found.items()},
        {
            "kmeans": [0, 1, 1],
            "dbscan": [-1, 0, 0],
            "words": ["a", "b", "b"],
        },
    )


def test_every_column_of_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("two,three\n0,a\n1,b\n1,c\n\n\n")
    (tmp_path / "indexed.csv").write_text(",two,three\n0,0,a\n1,1,b\n2,1,c\n")
    np.savez(tmp_path / "t.npz", two=[0, 1, 1], three=["a", "b", "c"])
    expected = {"two": [0, 1, 1], "three": ["a", "b", "c"]}
    for name in ("t.csv", "t.npz"):
        assert_equal({key: labels.tolist() for key, labels in read(tmp_path / name).items()}, expected)
    with pytest.warns(UserWarning, match="unnamed first column is left out"):
        found = read(tmp_path / "indexed.csv")
    assert_equal({key: labels.tolist() for key, labels in found.items()}, expected)
    assert_equal(list(read(f"{tmp_path}/t.csv:three")), ["three"])
    np.save(tmp_path / "m.npy", [[0, 5], [1, 6], [1, 7]])
    found = read(tmp_path / "m.npy")
    assert_equal((list(found), found["1"].tolist()), (["0", "1"], [5, 6, 7]))
    np.save(tmp_path / "column.npy", [[0], [1], [1]])
    assert_array_equal(read(tmp_path / "column.npy")["column"], [0, 1, 1])


def test_columns_without_a_heading(tmp_path):
    (tmp_path / "t.csv").write_text("0,a\n1,b\n1,c\n")
    assert_equal(
        {name: labels.tolist() for name, labels in read(tmp_path / "t.csv").items()},
        {
            "0": [0, 1, 1],
            "1": ["a", "b", "c"],
        },
    )
    (tmp_path / "words.csv").write_text("x,a\ny,b\ny,c\n")
    assert_equal(list(read(tmp_path / "words.csv")), ["x", "a"])
    assert_equal(len(read(tmp_path / "words.csv", header="no")["0"]), 3)


def test_columns_of_parquet(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"two": [0, 1, 1], "three": ["a", "b", "c"]}, index=["r1", "r2", "r3"])
    frame.to_parquet(tmp_path / "t.parquet")
    assert_equal(list(read(tmp_path / "t.parquet")), ["two", "three"])
    frame[["two"]].to_parquet(tmp_path / "one.parquet")
    with pytest.warns(UserWarning, match="index"):
        assert_array_equal(read(tmp_path / "one.parquet")["one"], [0, 1, 1])


def test_names_that_would_be_the_same_are_told_apart(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "y.npy", [0, 1])
        (tmp_path / folder / "t.csv").write_text("k,l\n0,0\n1,1\n")
    found = read(*(tmp_path / folder / name for folder in "ab" for name in ("y.npy", "t.csv")))
    assert_equal(
        list(found),
        [f"{tmp_path}/{name}" for name in ("a/y.npy", "a/t.csv:k", "a/t.csv:l", "b/y.npy", "b/t.csv:k", "b/t.csv:l")],
    )
    with pytest.raises(InputFileError, match="is given twice"):
        read(tmp_path / "a" / "y.npy", tmp_path / "a" / "y.npy")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"two,three\n0,a\n1\n", "line 3 has 1 column, not 2"),
        ("t.csv", b"two,three\n0,a\n1,NA\n", "line 3 has no label in column 'three': 'NA' stands for a missing one"),
        ("t.csv", b"two,three\n0,\n1,b\n", "line 2 has no label in column 'three'"),
        ("t.csv", b"two,two\n0,a\n1,b\n", "two columns have the same name ('two')"),
        ("t.csv", b"two,three\n", "there is no label below the heading line"),
        ("t.csv", b"", "the file is empty"),
        ("t.csv", b"a;b\n0;1\n", "separated by semicolons"),
        ("t.csv", b"\xff\xfe\x00,\n", "t.csv"),
        ("t.npz", b"PK\x03\x04 damaged", "t.npz"),
        ("t.npy", b"\x93NUMPY damaged", "t.npy"),
        ("t.txt", b"0\n", "files of this kind are not read"),
        ("missing.npy", None, "there is no such file"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputFileError) as caught:
        read(tmp_path / name)
    assert message in str(caught.value)
    assert name in str(caught.value)
