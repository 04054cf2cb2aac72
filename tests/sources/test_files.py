"""Reading features and labels from files, good ones and damaged ones."""

import builtins
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.sources.files import InputFileError, read_features, read_labels

X = np.array([[1.5, -2.0], [0.0, 3.25], [1e-3, 7.0]])


def written(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_npy_is_mapped_and_not_read(tmp_path):
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    got = read_features(tmp_path / "x.npy")
    assert isinstance(got, np.memmap)
    assert_equal(got.dtype, np.dtype(np.float32))
    assert_array_equal(got, X.astype(np.float32))


def test_npz_of_one_array_and_by_key(tmp_path):
    np.savez(tmp_path / "one.npz", X)
    np.savez(tmp_path / "two.npz", a=X, y=[0, 1, 1])
    assert_array_equal(read_features(tmp_path / "one.npz"), X)
    assert_array_equal(read_features(f"{tmp_path}/two.npz:a"), X)
    assert_array_equal(read_labels(f"{tmp_path}/two.npz:y"), [0, 1, 1])
    with pytest.raises(InputFileError, match=r"two\.npz: holds 2 arrays \(a, y\); choose one, as in two\.npz:a"):
        read_features(tmp_path / "two.npz")
    with pytest.raises(InputFileError, match="no array 'b'; it holds 2 arrays"):
        read_features(f"{tmp_path}/two.npz:b")


@pytest.mark.parametrize(
    "text",
    [
        "1.5,-2\n0,3.25\n1e-3,7\n",
        "height,width\n1.5,-2\n0,3.25\n1e-3,7\n",
        '"height","width, mm"\r\n"1.5",-2\r\n0,3.25\r\n1e-3,7',
        "\N{ZERO WIDTH NO-BREAK SPACE}1.5,-2\n0,3.25\n1e-3,7\n",  # a byte order mark, as spreadsheets write
        ",a,b\n0,1.5,-2\n1,0,3.25\n2,1e-3,7\n",  # pandas' index column
        "0,1\n1.5,-2.0\n0,3.25\n1e-3,7\n",  # pandas' column names of an array
    ],
)
def test_csv_features(tmp_path, text):
    assert_array_equal(read_features(written(tmp_path / "x.csv", text)), X)


@pytest.mark.parametrize("text", ["0,1\n1,0\n5,5\n", "0\n1\n2\n"])
def test_csv_of_whole_numbers_keeps_its_first_line(tmp_path, text):
    assert_equal(len(read_features(written(tmp_path / "x.csv", text))), 3)


def test_csv_keeps_a_first_column_that_only_looks_like_an_index(tmp_path):
    assert_array_equal(read_features(written(tmp_path / "x.csv", "0,1.5\n1,2.5\n")), [[0, 1.5], [1, 2.5]])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("1,2\n3,x\n", "line 2, column 2 holds 'x', which is not a number"),
        ("a,b\n1,2\n3,\n", "line 3, column 2 is empty"),
        ("1,2\n3,4,5\n", "number of columns changes from 2 to 3"),
        ("a;b\n1;2\n", "not a number"),
    ],
)
def test_damaged_csv_features(tmp_path, text, reason):
    with pytest.raises(InputFileError, match=reason) as caught:
        read_features(written(tmp_path / "x.csv", text))
    assert "x.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("0\n1\n-1\n", [0, 1, -1]),
        ("label\n0\n1\n-1\n", [0, 1, -1]),
        ("cat\ndog\ncat\n", ["cat", "dog", "cat"]),
        ("Cluster\ncat\ndog\ncat\n", ["cat", "dog", "cat"]),
        ("species\ncat\ndog\ncat\n", ["cat", "dog", "cat"]),  # found by the number of labels due
        (",label\n0,a\n1,b\n2,a\n", ["a", "b", "a"]),
        ("007\n7\n7\n", ["007", "7", "7"]),
        ("1.0\n2.0\n1.0\n", [1.0, 2.0, 1.0]),
        ("9223372036854775807\n0\n0\n", [2**63 - 1, 0, 0]),
        ("고양이\n개\n개\n", ["고양이", "개", "개"]),
        ('"a, b"\nc\nc\n\n\n', ["a, b", "c", "c"]),
    ],
)
def test_csv_labels(tmp_path, text, labels):
    got = read_labels(written(tmp_path / "y.csv", text), n_samples=3)
    assert_array_equal(got, np.array(labels))
    assert_equal(got.dtype.kind, np.array(labels).dtype.kind)


def test_csv_labels_by_column(tmp_path):
    path = written(tmp_path / "y.csv", "id,topic\n10,a\n11,b\n")
    assert_array_equal(read_labels(f"{path}:topic"), ["a", "b"])
    with pytest.raises(InputFileError, match=r"labels must be one column, this file has 2; choose one"):
        read_labels(path)
    with pytest.raises(InputFileError, match=r"no single column is named 'x' \(columns: id, topic\)"):
        read_labels(f"{path}:x")


def test_csv_labels_without_a_hint_of_length(tmp_path):
    assert_array_equal(read_labels(written(tmp_path / "a.csv", "cat\ndog\n")), ["cat", "dog"])
    assert_array_equal(read_labels(written(tmp_path / "b.csv", "anything\n3\n4\n")), [3, 4])


def test_a_missing_label_is_an_error(tmp_path):
    with pytest.raises(InputFileError, match="entry 2 of 3 has no label"):
        read_labels(written(tmp_path / "y.csv", "a\n\nb\n"))


def test_labels_of_a_column_become_flat_and_a_table_is_refused(tmp_path):
    np.save(tmp_path / "column.npy", [[1], [2]])
    np.save(tmp_path / "table.npy", [[1, 2], [2, 3]])
    assert_array_equal(read_labels(tmp_path / "column.npy"), [1, 2])
    with pytest.raises(InputFileError, match=r"labels must be one column, this array has shape \(2, 2\)"):
        read_labels(tmp_path / "table.npy")


def test_features_must_be_a_table_of_numbers(tmp_path):
    np.save(tmp_path / "flat.npy", [1.0, 2.0])
    np.save(tmp_path / "text.npy", [["a", "b"]])
    with pytest.raises(InputFileError, match=r"flat\.npy: features must be a table .* shape \(2,\)"):
        read_features(tmp_path / "flat.npy")
    with pytest.raises(InputFileError, match=r"text\.npy: features must be numbers, this file holds text"):
        read_features(tmp_path / "text.npy")


def test_pickled_objects_are_never_loaded(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
    (tmp_path / "pickle.npy").write_bytes(pickle.dumps([1, 2]))
    np.savez(tmp_path / "objects.npz", np.array([1, "a"], dtype=object))
    for name in ("objects.npy", "objects.npz"):
        with pytest.raises(InputFileError, match=f"{name}: the file holds pickled Python objects"):
            read_labels(tmp_path / name)
    with pytest.raises(InputFileError, match=r"pickle\.npy: this is no \.npy file"):
        read_labels(tmp_path / "pickle.npy")


def test_damaged_binary_files(tmp_path):
    np.save(tmp_path / "short.npy", X)
    whole = (tmp_path / "short.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(whole[:-5])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "latin.csv").write_bytes("caf\xe9\n".encode("latin-1"))
    for name in ("short.npy", "empty.npy", "broken.npz", "broken.parquet", "latin.csv"):
        with pytest.raises(InputFileError, match=name) as caught:
            read_labels(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_files_that_are_not_there_or_of_no_known_kind(tmp_path):
    (tmp_path / "folder.npy").mkdir()
    for name, reason in (
        ("no.npy", "no such file"),
        ("folder.npy", "is a folder"),
        ("x.txt", r"give \.npy, \.npz"),
    ):
        with pytest.raises(InputFileError, match=f"{name}: .*{reason}"):
            read_features(tmp_path / name)


def test_parquet_columns_lists_and_labels(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": X[:, 0], "b": X[:, 1].astype(np.float32)}), tmp_path / "x.parquet")
    assert_array_equal(read_features(tmp_path / "x.parquet"), X)
    for kind in (pa.list_(pa.float64()), pa.list_(pa.float64(), 2)):
        pq.write_table(pa.table({"v": pa.array(X.tolist(), kind)}), tmp_path / "v.parquet")
        assert_array_equal(read_features(tmp_path / "v.parquet"), X)
    table = pa.table({"n": [3, 1, 3], "s": ["b", "a", "b"], "d": pa.array(["x", "y", "x"]).dictionary_encode()})
    pq.write_table(table, tmp_path / "y.parquet")
    assert_array_equal(read_labels(f"{tmp_path}/y.parquet:n"), [3, 1, 3])
    assert_array_equal(read_labels(f"{tmp_path}/y.parquet:s"), ["b", "a", "b"])
    assert_array_equal(read_labels(f"{tmp_path}/y.parquet:d"), ["x", "y", "x"])
    with pytest.raises(InputFileError, match="labels must be one column"):
        read_labels(tmp_path / "y.parquet")
    with pytest.raises(InputFileError, match="column 's' holds string, features must be numbers"):
        read_features(tmp_path / "y.parquet")


def test_parquet_with_holes(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"y": [1, None, 2]}), tmp_path / "y.parquet")
    with pytest.raises(InputFileError, match=r"1 labels are missing"):
        read_labels(tmp_path / "y.parquet")
    pq.write_table(pa.table({"v": pa.array([[1.0, 2.0], [3.0]])}), tmp_path / "v.parquet")
    with pytest.raises(InputFileError, match="not all equally long"):
        read_features(tmp_path / "v.parquet")


def test_parquet_without_pyarrow_names_the_command(tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    original = builtins.__import__

    def no_pyarrow(name, *args, **kwargs):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_pyarrow)
    with pytest.raises(InputFileError, match=r'pip install "gpumetrics\[io\]"'):
        read_features(tmp_path / "x.parquet")
