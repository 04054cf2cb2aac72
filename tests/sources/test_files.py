"""Reading features and labels from files, good ones and damaged ones."""

import builtins
import os
import pickle
import re
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.sources import files, open_rows
from gpumetrics.sources.files import InputFileError, columns_of_same_file, read_features, read_labels

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
        "0,1\n1.5,-2.0\n0,3.25\n1e-3,7\n",  # pandas' column names of an array
        '\n\n"two\nlines",b\n1.5,-2\n\n0,3.25\n1e-3,7\n',
    ],
)
def test_csv_features(tmp_path, text):
    assert_array_equal(read_features(written(tmp_path / "x.csv", text)), X)


@pytest.mark.parametrize("names", [",a,b", '"Unnamed: 0",a,b', ",0,1"])
@pytest.mark.parametrize("index", ["012", "975", "xyz"])
def test_an_unnamed_first_column_is_an_index_and_left_out_aloud(tmp_path, names, index):
    rows = "1.5,-2\n0,3.25\n1e-3,7\n".splitlines()
    text = "\n".join([names, *(f"{i},{row}" for i, row in zip(index, rows, strict=True))])
    with pytest.warns(UserWarning, match=r"x\.csv: the unnamed first column is left out, as an index"):
        assert_array_equal(read_features(written(tmp_path / "x.csv", text)), X)


def test_column_names_that_count_are_a_heading_and_one_number_is_not(tmp_path):
    path = written(tmp_path / "x.csv", "0,1\n1,0\n5,5\n")
    assert_array_equal(read_features(path), [[1, 0], [5, 5]])
    assert_array_equal(read_features(path, header="no"), [[0, 1], [1, 0], [5, 5]])
    path = written(tmp_path / "x.csv", "0\n1\n2\n")
    assert_array_equal(read_features(path), [[0], [1], [2]])
    assert_array_equal(read_features(path, header="yes"), [[1], [2]])


@pytest.mark.parametrize(
    ("first", "where"),
    [
        ("1.0,NA", "line 1, column 2 holds 'NA'"),
        ("1.0,", "line 1, column 2 is empty"),
        (",1.0", "line 1, column 1 is empty"),
        ("?,?", "line 1, column 1 holds '?'"),
        ("NA,null", "line 1, column 1 holds 'NA'"),
        ("a,", "line 1, column 1 holds 'a', which is not a number; if line 1 is a heading, add --header-features yes"),
        ("x,2020", "line 1, column 1 holds 'x'"),
        ("1_0,2", "line 1, column 1 holds '1_0'"),
    ],
)
def test_a_damaged_first_row_is_no_heading(tmp_path, first, where):
    with pytest.raises(InputFileError, match=re.escape(where)):
        read_features(written(tmp_path / "x.csv", f"{first}\n1.0,2.0\n3.0,4.0\n"))


def test_one_column_of_features_by_name(tmp_path):
    path = written(tmp_path / "x.csv", "id,2020,w\na,1.5,1\nb,2.5,1\n")
    assert_array_equal(read_features(f"{path}:2020"), [[1.5], [2.5]])
    with pytest.raises(InputFileError, match="line 2, column 'id' holds 'a'"):
        read_features(f"{path}:id")
    written(path, "id,2020,w\na,1,5,1\nb,2.5,1\n")
    with pytest.raises(InputFileError, match="line 2 has 4 columns, the heading has 3"):
        read_features(f"{path}:2020")


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
        ("a;b\n1;2\n", "separated by semicolons; write the file with commas"),
        ("1\t2\n3\t4\n", "separated by tabs"),
        ("1.5e+00 2.5e+00\n3e0 4e0\n", "separated by spaces"),
        ("a,b\n", "no row below the heading"),
        ("a,b\n1,2,3\n", "the heading names 2 columns, the rows have 3"),
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
        ("species\ncat\ndog\n", ["species", "cat", "dog"]),
        ("y\nn\ny\n", ["y", "n", "y"]),  # a usual heading, but it comes again
        ("species\n1\n2\n1\n", [1, 2, 1]),
        ("007\n7\n7\n", ["007", "7", "7"]),
        ("1.0\n2.0\n1.0\n", [1.0, 2.0, 1.0]),
        ("9223372036854775807\n0\n0\n", [2**63 - 1, 0, 0]),
        ("18446744073709551615\n18446744073709551614\n0\n", np.array([2**64 - 1, 2**64 - 2, 0], dtype=np.uint64)),
        ("-1\n9223372036854775808\n9223372036854775809\n", np.array([-1, 2**63, 2**63 + 1], dtype=object)),
        ("9007199254740993\n9007199254740992\n0.5\n", ["9007199254740993", "9007199254740992", "0.5"]),
        ("9007199254740993\n1\n0.5\n", ["9007199254740993", "1", "0.5"]),
        ("1e1\n10\n3\n", ["1e1", "10", "3"]),
        ("1e999\n2\n3\n", ["1e999", "2", "3"]),
        ("1.0\n1\n2\n", ["1.0", "1", "2"]),
        ("1_0\n10\n2\n", ["1_0", "10", "2"]),
        ("none\nx\nx\n", ["none", "x", "x"]),
        ("고양이\n개\n개\n", ["고양이", "개", "개"]),
        ('"a, b"\nc\nc\n\n\n', ["a, b", "c", "c"]),
    ],
)
def test_csv_labels(tmp_path, text, labels):
    got = read_labels(written(tmp_path / "y.csv", text))
    assert_array_equal(got, np.array(labels))
    assert_equal(got.dtype.kind, np.array(labels).dtype.kind)


def test_csv_labels_by_column(tmp_path):
    path = written(tmp_path / "y.csv", "id,topic\n10,a\n11,b\n")
    assert_array_equal(read_labels(f"{path}:topic"), ["a", "b"])
    with pytest.raises(InputFileError, match=r"labels must be one column, this file has 2; choose one"):
        read_labels(path)
    with pytest.raises(InputFileError, match=r"no single column is named 'x' \(columns: id, topic\)"):
        read_labels(f"{path}:x")


def test_labels_beside_pandas_index(tmp_path):
    for text in (",label\n0,a\n1,b\n2,a\n", ",0\n7,a\n3,b\n9,a\n", "Unnamed: 0,label\nx,a\ny,b\nz,a\n"):
        with pytest.warns(UserWarning, match=r"y\.csv: the unnamed first column is left out"):
            assert_array_equal(read_labels(written(tmp_path / "y.csv", text)), ["a", "b", "a"])


def test_the_heading_of_labels_can_be_told(tmp_path):
    path = written(tmp_path / "y.csv", "species\ncat\ndog\n")
    assert_array_equal(read_labels(path, header="yes"), ["cat", "dog"])
    path = written(tmp_path / "y.csv", "noise\n3\n4\n")
    assert_array_equal(read_labels(path), [3, 4])
    assert_array_equal(read_labels(path, header="no"), ["noise", "3", "4"])


@pytest.mark.parametrize("word", ["", "nan", "NA", "None", "null", "<NA>"])
def test_a_missing_label_is_an_error(tmp_path, word):
    with pytest.raises(InputFileError, match="entry 2 of 3 has no label"):
        read_labels(written(tmp_path / "y.csv", f"a\n{word}\nb\n"))
    with pytest.raises(InputFileError, match="entry 2 of 3 has no label"):
        read_labels(written(tmp_path / "y.csv", f"label\n1\n{word}\n2\n"))
    np.save(tmp_path / "y.npy", np.array(["a", word, "b"]))
    with pytest.raises(InputFileError, match=r"y\.npy: a label is .* which stands for a missing one"):
        read_labels(tmp_path / "y.npy")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("id;label\n1;0\n2;1\n", "separated by semicolons; write the file with commas"),
        ("1\t0\n2\t1\n", "separated by tabs"),
        ("a\nb, c\nd\n", "line 2 has 2 columns, not 1; put a label that holds a comma in double quotes"),
        ("0,1\n1,0\n", r"labels must be one column, this file has 2"),
    ],
)
def test_damaged_csv_labels(tmp_path, text, reason):
    with pytest.raises(InputFileError, match=reason):
        read_labels(written(tmp_path / "y.csv", text))


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
    for name, reason in (
        ("short.npy", "cut off"),
        ("empty.npy", "empty"),
        ("broken.npz", ""),
        ("broken.parquet", ""),
        ("latin.csv", "UTF-8"),
    ):
        with pytest.raises(InputFileError, match=f"{name}.*{reason}") as caught:
            read_labels(tmp_path / name)
        assert "\n" not in str(caught.value)


def archive(path, member, content, **options):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(member, content, **options)


def test_damage_that_libraries_report_in_their_own_ways(tmp_path):
    np.save(tmp_path / "x.npy", X)
    whole = (tmp_path / "x.npy").read_bytes()
    for name, place, junk in (("open", b"}", b"("), ("type", b"<f8", b"<q9"), ("word", b"False", b"Fal(e")):
        (tmp_path / f"{name}.npy").write_bytes(whole.replace(place, junk, 1))
    (tmp_path / "junk.npz").write_bytes(b"PK\x03\x04" + bytes(range(256)) * 4)
    archive(tmp_path / "bytes.npz", "note.txt", b"no array")
    np.savez_compressed(tmp_path / "torn.npz", x=np.arange(10_000))
    torn = bytearray((tmp_path / "torn.npz").read_bytes())
    torn[200:240] = b"\xff" * 40
    (tmp_path / "torn.npz").write_bytes(torn)
    archive(tmp_path / "kind.npz", "x.npy", whole)
    kind = bytearray((tmp_path / "kind.npz").read_bytes())
    central = kind.find(b"PK\x01\x02")
    kind[8:10] = kind[central + 10 : central + 12] = b"\x63\x00"  # a compression that zipfile does not know
    (tmp_path / "kind.npz").write_bytes(kind)
    for name in ("open.npy", "type.npy", "word.npy", "junk.npz", "bytes.npz", "torn.npz", "kind.npz"):
        with pytest.raises(InputFileError, match=name) as caught:
            read_features(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_an_npz_key_may_hold_a_slash(tmp_path):
    np.savez(tmp_path / "x.npz", **{"model/layer:0": X, "y": [1]})
    assert_array_equal(read_features(f"{tmp_path}/x.npz:model/layer:0"), X)


def test_paths_that_no_system_takes(tmp_path):
    for spec in (f"{tmp_path}/{'x' * 5000}.npy", f"{'x' * 300}.csv"):
        with pytest.raises(InputFileError, match=r"\.\.\..*xxx.*(File name too long|no such file)") as caught:
            read_labels(spec)
        assert len(str(caught.value)) < 250
        assert_equal(columns_of_same_file(spec, "y.csv:a", spec), [])  # that it cannot be is said when it is read
    for read in (open_rows, read_labels):
        with pytest.raises(InputFileError, match="the name of a file is empty"):
            read("")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "y.csv")
        with pytest.raises(InputFileError, match=r"y\.csv: is a pipe or a device"):
            read_labels(tmp_path / "y.csv")


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


def test_the_index_of_a_frame_is_no_feature(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.to_parquet(tmp_path / "x.parquet")  # a range, which is not stored
    assert_array_equal(read_features(tmp_path / "x.parquet"), X)
    for index in (pd.Index([7, 3, 9], name="id"), pd.Index([7, 3, 9])):
        frame.set_index(index).to_parquet(tmp_path / "x.parquet")
        with pytest.warns(UserWarning, match=r"the column '(id|__index_level_0__)' is left out, as an index"):
            assert_array_equal(read_features(tmp_path / "x.parquet"), X)
    pd.DataFrame({"y": [1, 0, 1]}, index=pd.Index([7, 3, 9], name="id")).to_parquet(tmp_path / "y.parquet")
    with pytest.warns(UserWarning, match="'id' is left out"):
        assert_array_equal(read_labels(tmp_path / "y.parquet"), [1, 0, 1])
    assert_array_equal(read_labels(f"{tmp_path}/y.parquet:id"), [7, 3, 9])


def test_parquet_with_holes(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"y": [1, None, 2]}), tmp_path / "y.parquet")
    with pytest.raises(InputFileError, match=r"1 of 3 labels are missing"):
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


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_labels_in_the_features_own_table_are_no_feature(tmp_path, kind):
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0, 9.0], "label": ["x", "x", "y"], "b": [0.5, 0.0, 1.0]})
    path = tmp_path / f"table.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    columns = files.columns_of_same_file(str(path), f"{path}:label", None)
    assert columns == ["label"]
    assert_array_equal(files.read_features(path, without=columns), frame[["a", "b"]].to_numpy())
    assert files.columns_of_same_file(str(path), str(tmp_path / "other.csv:label")) == []
