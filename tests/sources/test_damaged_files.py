"""Damaged files, and files that are not what they should be: each is one sentence with the file, and no result."""

import base64
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_equal
from stored_files import annotated, chunk_files, table_of, write_arrow, write_parquet, write_rows

import gpumetrics as gm
from gpumetrics.cli import main
from gpumetrics.sources import InputFileError, chunk_reader, open_rows
from gpumetrics.sources.files import read_labels

X = np.random.default_rng(0).normal(size=(400, 5)).astype(np.float32)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_reader, "SMALLEST", 700)
    with gm.config_context(working_memory=0.005):
        yield


def cut(spec, share):
    """Cut the end off a file."""
    path = Path(str(spec).partition(":")[0])
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    return spec


def torn(spec, place, n_bytes=60):
    """Overwrite some bytes of a file."""
    path = Path(str(spec).partition(":")[0])
    content = bytearray(path.read_bytes())
    at = int(place * len(content))
    content[at : at + n_bytes] = b"\xff" * n_bytes
    path.write_bytes(content)
    return spec


def junk(spec):
    Path(str(spec).partition(":")[0]).write_bytes(b"hello there, this is no table at all " * 40)
    return spec


def zarr_with(folder, old, new):
    spec = write_rows(folder, X, "zarr")
    head = Path(spec.partition(":")[0], "deep/rows/zarr.json")
    head.write_text(new if old is None else head.read_text().replace(old, new))
    return spec


def torn_zarr(folder):
    spec = write_rows(folder, X, "zarr")
    chunk_files(spec)[3].write_bytes(b"\x28\xb5\x2f\xfd and no more")
    return spec


def h5(folder, **arrays):
    import h5py

    with h5py.File(folder / "x.h5", "w") as file:
        for name, values in arrays.items():
            file[name] = values
    return str(folder / "x.h5")


def h5_of_nothing(folder):
    """Beside an array, what AnnData writes for None."""
    import h5py

    return h5(folder, none=h5py.Empty("f4"), x=X)


def h5_of_other_files(folder):
    import h5py

    layout = h5py.VirtualLayout(X.shape, X.dtype)
    for number, rows in enumerate((slice(0, 200), slice(200, 400))):
        with h5py.File(folder / f"part-{number}.h5", "w") as file:
            file["x"] = X[rows]
        layout[rows] = h5py.VirtualSource(f"part-{number}.h5", "x", X[rows].shape)
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_virtual_dataset("x", layout)
    assert_equal(open_rows(folder / "x.h5")[:], X)
    (folder / "part-1.h5").unlink()
    return f"{folder}/x.h5:x"


def emptied_zarr(folder, **kind):
    import zarr

    group = zarr.open_group(str(folder / "x.zarr"), mode="w")
    group.create_array("deep/rows", shape=X.shape, dtype=X.dtype, chunks=(50, 5), **kind)[...] = X
    chunk_files(f"{folder}/x.zarr")[1].write_bytes(b"")
    return f"{folder}/x.zarr:deep/rows"


def h5_of_unknown_filter(folder):
    import h5py

    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("x", data=X * 0, chunks=(50, 5), compression="lzf")
    content = bytearray((folder / "x.h5").read_bytes())
    at = content.find(b"lzf\0") - 8
    content[at : at + 2] = (33_999).to_bytes(2, "little")
    (folder / "x.h5").write_bytes(content)
    return folder / "x.h5"


def csr_beyond_its_columns(folder):
    import h5py

    spec = write_rows(folder, X, "csr")
    with h5py.File(spec.partition(":")[0], "r+") as file:
        file["X/indices"][7] = 99
    return spec


def csc(folder):
    from scipy.sparse import csc_array

    annotated(csc_array(X), np.zeros(len(X), dtype=int).astype(str)).write_h5ad(folder / "x.h5ad")
    return f"{folder}/x.h5ad:X"


def encrypted(folder, *, plaintext_footer):
    pe = pytest.importorskip("pyarrow.parquet.encryption")
    import pyarrow.parquet as pq

    class Keys(pe.KmsClient):
        def wrap_key(self, key, _name):
            return base64.b64encode(key)

        def unwrap_key(self, key, _name):
            return base64.b64decode(key)

    how = pe.EncryptionConfiguration(
        footer_key="k", column_keys={"k": ["x.list.element"]}, plaintext_footer=plaintext_footer
    )
    made = pe.CryptoFactory(lambda _: Keys()).file_encryption_properties(pe.KmsConnectionConfig(), how)
    with pq.ParquetWriter(folder / "x.parquet", table_of(X).schema, encryption_properties=made) as writer:
        writer.write_table(table_of(X))
    return folder / "x.parquet"


def parquet(folder, name="x.parquet", **columns):
    import pyarrow as pa

    write_parquet(folder / name, pa.table(columns))
    return folder / name


def lists(at, value):
    """A column of lists, one of which is another."""
    out = X.tolist()
    out[at] = value
    return out


def shards(folder, **parts):
    for name, part in parts.items():
        write_parquet(folder / f"{name}.parquet", part if hasattr(part, "schema") else table_of(part))
    return folder


def shard_with(folder, write):
    shards(folder, part_0=X)
    write(folder / "part_1.parquet")
    return folder


def file_of(content, name):
    def write(folder):
        (folder / name).write_bytes(content)
        return folder / name

    return write


def nothing(folder):
    (folder / "nothing").mkdir()
    return folder / "nothing"


def several_kinds(folder):
    shards(folder, part_0=X)
    np.save(folder / "part_1.npy", X)
    return folder


def folder_of_folders(folder):
    (folder / "2024").mkdir()
    shards(folder, part_0=X)
    return folder


def with_checksums(folder):
    write_parquet(folder / "x.parquet", table_of(X), write_page_checksum=True, compression="none", use_dictionary=False)
    content = bytearray((folder / "x.parquet").read_bytes())
    at = content.find(X[200].tobytes())
    content[at] ^= 1  # one bit
    (folder / "x.parquet").write_bytes(content)
    return folder / "x.parquet"


DAMAGED = {
    "parquet cut off": (lambda f: cut(write_rows(f, X, "parquet"), 0.7), r"x\.parquet: the file is damaged"),
    "parquet of no bytes": (lambda f: cut(write_rows(f, X, "parquet"), 0), r"x\.parquet: the file is damaged.*0 bytes"),
    "no parquet": (lambda f: junk(write_rows(f, X, "parquet")), r"x\.parquet: the file is damaged"),
    "parquet with one wrong bit": (with_checksums, r"x\.parquet: the rows from \d+ on cannot be read: the file is dam"),
    "parquet encrypted": (lambda f: encrypted(f, plaintext_footer=False), r"x\.parquet: the file is encrypted"),
    "parquet columns encrypted": (
        lambda f: encrypted(f, plaintext_footer=True),
        r"x\.parquet: the rows from 0 on cannot be read: the file is encrypted; decrypt it first",
    ),
    "parquet lists of unequal lengths": (
        lambda f: parquet(f, x=lists(317, [1.0, 2.0])),
        "the lists in the column are not all equally long: row 317 holds 2 numbers, the first row 5",
    ),
    "parquet list missing": (lambda f: parquet(f, x=lists(60, None)), "row 60 of column 'x' is missing"),
    "parquet first list missing": (lambda f: parquet(f, x=lists(0, None)), "row 0 of column 'x' is missing"),
    "parquet number missing in a list": (
        lambda f: parquet(f, x=lists(44, [1.0, None, 2.0, 3.0, 4.0])),
        r"a number is missing \(null\) in row 44 of column 'x'",
    ),
    "parquet number missing": (
        lambda f: parquet(f, a=[*range(90), None, *range(309)], b=list(range(400))),
        r"row 90 of column 'a' is missing \(null\)",
    ),
    "parquet of text": (lambda f: parquet(f, a=X[:, 0], b=["x"] * 400), "'b' holds string.*--drop b"),
    "parquet of lists of text": (lambda f: parquet(f, a=[["x"]] * 400), "'a' holds list.*features must be numbers"),
    "parquet of decimals": (
        lambda f: parquet(f, a=np.array([__import__("decimal").Decimal("1.5")] * 9)),
        r"'a' holds decimal128\(2, 1\)",
    ),
    "parquet of empty lists": (
        lambda f: parquet(f, x=[X[0, :0]] * 9),
        r"x\.parquet: has no columns \(shape \(9, 0\)\)",
    ),
    "parquet without rows": (lambda f: parquet(f, a=X[:0, 0]), r"x\.parquet: has no rows"),
    "parquet without that column": (
        lambda f: f"{parquet(f, a=X[:, 0])}:emb",
        r"has no column 'emb' \(columns: a\)",
    ),
    "arrow cut off": (lambda f: cut(write_rows(f, X, "arrow"), 0.7), r"x\.arrow: the file is damaged"),
    "arrow torn": (lambda f: torn(write_rows(f, X, "arrow"), 0.5), r"x\.arrow: .*the file is damaged"),
    "arrow stream cut off": (lambda f: cut(write_rows(f, X, "stream"), 0.7), r"x\.arrow: the file is damaged"),
    "no feather": (lambda f: junk(write_rows(f, X, "feather")), r"x\.feather: the file is damaged"),
    "feather of the first version": (file_of(b"FEA1 and so on", "x.feather"), "of the first version of Feather"),
    "hdf5 cut off": (lambda f: cut(write_rows(f, X, "h5"), 0.7), r"x\.h5: the file is cut off$"),
    "hdf5 torn": (
        lambda f: torn(write_rows(f, X, "h5"), 0.6),
        r"x\.h5:deep/rows: the rows from \d+ on cannot be read: the file is damaged",
    ),
    "no hdf5": (lambda f: junk(write_rows(f, X, "h5")), r"x\.h5: the file is damaged or of another kind"),
    "hdf5 of an unknown codec": (
        h5_of_unknown_filter,
        r"on cannot be read.* compressed .*not known .*for HDF5, pip",
    ),
    "hdf5 without that array": (lambda f: f"{h5(f, a=X)}:b", r"has nothing named 'b'; it holds 1 array \(a\)"),
    "hdf5 of several arrays": (lambda f: h5(f, a=X, b=X), r"holds 2 arrays \(a, b\); choose one, as in x\.h5:a"),
    "hdf5 of one dimension": (lambda f: f"{h5(f, a=X[0])}:a", r"features must be a table .* shape \(5,\)"),
    "hdf5 of three dimensions": (lambda f: f"{h5(f, a=X.reshape(20, 20, 5))}:a", r"shape \(20, 20, 5\)"),
    "hdf5 of nothing": (lambda f: f"{h5_of_nothing(f)}:none", r"must be a table .* shape \(\)"),
    "hdf5 beside nothing": (lambda f: f"{h5_of_nothing(f)}:no", r"has nothing named 'no'; it holds 1 array \(x\)"),
    "hdf5 of rows in a lost file": (h5_of_other_files, r":x: its rows are in another file, 'part-1\.h5', which is not"),
    "hdf5 of complex numbers": (lambda f: h5(f, a=X + 1j), "must be numbers, this file holds the type complex"),
    "hdf5 without rows": (lambda f: h5(f, a=X[:0]), r"has no rows \(shape \(0, 5\)\)"),
    "anndata by columns": (csc, r"is encoded as csc_matrix; write it as CSR"),
    "anndata with a column too many": (csr_beyond_its_columns, r"its CSR matrix is damaged between rows 0 and"),
    "zarr chunk cut off": (torn_zarr, r"x\.zarr:deep/rows: the rows from \d+ on cannot be read: the file is damaged"),
    "zarr chunk without bytes": (emptied_zarr, r"the store is damaged \(.*rows/c/.* is empty\)"),
    "zarr shard without bytes": (
        lambda f: emptied_zarr(f, shards=(100, 5)),
        r"the store is damaged \(.*rows/c/.* is empty\)",
    ),
    "zarr group": (lambda f: write_rows(f, X, "zarr").removesuffix("/rows"), "'deep' is a group, not an array"),
    "zarr codec": (lambda f: zarr_with(f, '"zstd"', '"secret"'), "compressed in a way that is not known here"),
    "zarr head": (lambda f: zarr_with(f, None, "{"), r"x\.zarr: the file is damaged"),
    "no zarr": (lambda f: (f / "x.zarr").mkdir() or f / "x.zarr", "this is no Zarr store"),
    "zarr not there": (lambda f: f / "x.zarr", "there is no such file"),
    "shard of another width": (
        lambda f: shards(f, part_0=X, part_1=X[:, :4]),
        r"part_1\.parquet: has 4 columns, but .*part_0\.parquet has 5 columns; all files must agree",
    ),
    "shard of another dtype": (
        lambda f: shards(f, part_0=X, part_1=X.astype(np.float64)),
        r"part_1\.parquet: has numbers of type float64, but .*part_0\.parquet has numbers of type float32",
    ),
    "shard with other columns": (
        lambda f: shards(f, part_0=table_of(X, lists=False), part_1=table_of(X, lists=False).select([1, 0, 2, 3, 4])),
        r"part_1\.parquet: has the columns c1, c0, c2.*, but .*part_0\.parquet has the columns c0, c1",
    ),
    "shard that is damaged": (
        lambda f: shard_with(f, lambda path: path.write_bytes(b"PAR1")),
        r"part_1\.parquet: the file is damaged",
    ),
    "folder without files": (nothing, "is a folder without files"),
    "folder of several kinds": (several_kinds, r"holds files of several kinds \(\.npy, \.parquet\)"),
    "folder of files that are not read": (lambda f: file_of(b"x", "a.docx")(f).parent, r"not read \(\.docx\)"),
    "folder of folders": (folder_of_folders, r"holds 1 folder \(2024\)"),
    "npy with a key": (lambda f: write_rows(f, X, "npy") + ":a", "holds one array, in which nothing is named 'a'"),
}


def one_sentence(error, folder):
    text = str(error)
    assert "\n" not in text
    assert str(folder) in text
    return text.replace(str(folder), "")


@pytest.mark.filterwarnings("ignore")  # of the libraries that write
@pytest.mark.parametrize("name", DAMAGED)
def test_each_is_one_sentence(tmp_path, name):
    make, reason = DAMAGED[name]
    spec = make(tmp_path)
    with pytest.raises(InputFileError) as caught, open_rows(spec) as rows:
        for _ in rows:
            pass
    assert re.search(reason, one_sentence(caught.value, tmp_path)), caught.value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["hdf5 torn", "zarr chunk cut off", "parquet lists of unequal lengths", "zarr codec"])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_nothing_is_printed_as_a_result(tmp_path, capsys, name, more):
    np.save(tmp_path / "y.npy", np.arange(400) % 3)
    spec = DAMAGED[name][0](tmp_path)
    code = main(["evaluate", str(spec), f"{tmp_path}/y.npy", "--working-memory", "0.005", *more])
    out, err = capsys.readouterr()
    assert_equal((code, out, err.count("\n")), (2, "", 1))
    assert str(tmp_path) in err


def test_nan_in_a_row_far_down(tmp_path, capsys):
    bad = X.copy()
    bad[371, 2] = np.nan
    write_arrow(tmp_path / "x.arrow", table_of(bad))
    np.save(tmp_path / "y.npy", np.arange(400) % 3)
    assert_equal(main(["evaluate", f"{tmp_path}/x.arrow", f"{tmp_path}/y.npy", "--working-memory", "0.005"]), 2)
    out, err = capsys.readouterr()
    assert_equal(out, "")
    assert re.search(r"first bad value is nan at row 371, column 2 \(row 371 of .*x\.arrow\)\. \(X: ", err)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("column", ["x", "y", "z"])
def test_offsets_that_point_out_of_an_arrow_file_are_not_followed(tmp_path, stream, column):
    """Lists, texts and dictionaries: what their damaged numbers point to is not read, which would end the process."""
    import pyarrow as pa

    texts = [str(at % 3) for at in range(400)]
    columns = {"x": pa.array(X.tolist(), pa.list_(pa.float32())), "y": texts, "z": pa.array(texts).dictionary_encode()}
    write_arrow(tmp_path / "x.arrow", pa.table({column: columns[column]}), stream=stream, rows=400)
    content = bytearray((tmp_path / "x.arrow").read_bytes())
    numbers = {
        "x": np.arange(401, dtype="<i4") * 5,
        "y": np.arange(401, dtype="<i4"),
        "z": np.arange(400, dtype="<i4") % 3,
    }
    at = content.find(numbers[column].tobytes())
    assert at > 0
    content[at + 1596 : at + 1600] = np.array(2**30, "<i4").tobytes()  # the last index, or the last offset but one
    (tmp_path / "x.arrow").write_bytes(content)
    read = (lambda spec: open_rows(spec)[:]) if column == "x" else read_labels
    with pytest.raises(InputFileError, match=r"x\.arrow.*: the file is damaged"):
        read(f"{tmp_path}/x.arrow:{column}")


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    spec = write_rows(tmp_path, X, "parquet")
    monkeypatch.setattr(os, "access", lambda *_: False)
    for given, what in ((spec, "file"), (tmp_path, "folder")):
        for read in (open_rows, read_labels):
            with pytest.raises(InputFileError, match=rf"the {what} cannot be read \(Permission denied\)"):
                read(given)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "h5", "zarr"])
def test_a_library_that_is_missing_has_its_command(tmp_path, monkeypatch, kind):
    spec, library = write_rows(tmp_path, X, kind), {"h5": "h5py", "zarr": "zarr"}.get(kind, "pyarrow")
    for name in (library, f"{library}.parquet"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    for read in (open_rows, read_labels):
        with pytest.raises(InputFileError, match=rf'needs {library}: pip install "gpumetrics\[io\]"'):
            read(spec)


LABELS = {
    "null": (lambda f: f"{parquet(f, y=[1, 2, None])}:y", "1 of 3 labels are missing .null., the first in row 2"),
    "several columns": (lambda f: parquet(f, a=[1, 2], b=[1, 2]), r"labels must be one column.* as in x\.parquet:b"),
    "hdf5 group": (lambda f: f"{h5(f, **{'g/a': [1]})}:g", r"'g' is a group, not an array; it holds 1 array \(g/a\)"),
    "hdf5 table": (lambda f: f"{h5(f, a=X)}:a", r"labels must be one column, this array has shape \(400, 5\)"),
    "hdf5 cut off": (lambda f: cut(h5(f, a=np.arange(2000)), 0.5), "the file is cut off"),
    "whole obs": (lambda f: write_rows(f, X, "h5ad").partition(":")[0] + ":obs", "is encoded as dataframe"),
    "shards of two kinds of labels": (
        lambda f: shards_of_labels(f, [1, 2], ["a"]),
        r"1\.npy: has labels of type <U1, but .*0\.npy has int64; all files must agree",
    ),
}


def shards_of_labels(folder, *parts):
    for number, part in enumerate(parts):
        np.save(folder / f"{number}.npy", part)
    return folder


@pytest.mark.parametrize("name", LABELS)
def test_labels(tmp_path, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that write
        spec = LABELS[name][0](tmp_path)
    with pytest.raises(InputFileError) as caught:
        read_labels(spec)
    assert re.search(LABELS[name][1], one_sentence(caught.value, tmp_path)), caught.value
