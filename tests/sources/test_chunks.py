"""Rows of files in every kind of file: read chunk by chunk, in any order, by several threads."""

import gc
import logging
import pickle
import tempfile
import threading
import time
import warnings
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from stored_files import KINDS, LABEL_KINDS, table_of, write_labels, write_parquet, write_rows

import gpumetrics as gm
from gpumetrics.features import check_features
from gpumetrics.sources import InputFileError, RowChunks, chunk_reader, chunks, open_rows
from gpumetrics.sources.feature_columns import Choice
from gpumetrics.sources.files import read_feature_table, read_features, read_labels
from gpumetrics.sources.read_ahead import ChunkCache
from gpumetrics.sources.row_files import Layout

MAPPED = {"npy", "npz", "csv"}  # these are arrays as soon as they are open


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Chunks of 700 bytes, of which two threads hold six, and files that are never read whole."""
    monkeypatch.setattr(chunk_reader, "SMALLEST", 700)
    monkeypatch.setattr(chunk_reader, "n_threads", lambda: 2)
    monkeypatch.setattr(chunks, "STRETCH", 2800)
    with gm.config_context(working_memory=0.005):
        yield


@pytest.fixture(name="X", scope="module")
def table():
    X = np.random.default_rng(7).normal(size=(400, 5)).astype(np.float32)
    X[[3, 77], :2] = 0
    X[77] = 0
    return X


@pytest.fixture(name="folder", scope="module")
def folder_of_files(X, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that write
        return {kind: write_rows(folder / kind.replace(" ", "_"), X, kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file(folder, X, kind):
    with open_rows(folder[kind]) as rows:
        assert_equal((rows.shape, len(rows), rows.ndim, rows.dtype.kind), (X.shape, len(X), 2, "f"))
        assert_equal(isinstance(rows.table(), RowChunks), kind not in MAPPED)
        starts, blocks = zip(*rows, strict=True)
        assert len(blocks) > 5
        assert_array_equal(starts, np.cumsum([0, *map(len, blocks)])[:-1])
        assert_array_equal(np.concatenate(blocks), X)
        for part in (slice(0, 400), slice(0, 1), slice(35, 300), slice(399, 400), slice(7, 7), slice(-5, None)):
            assert_array_equal(rows.rows(part), X[part])


@pytest.mark.parametrize("kind", ["parquet", "stream", "zarr", "h5", "csr"])
def test_every_way_to_ask(folder, X, kind):
    with open_rows(folder[kind]) as rows:
        shuffled = np.random.default_rng(0).permutation(400)
        asked = [
            slice(None, None, 7), shuffled[:9], X[:, 0] > 1, 5, -1, np.array([-1, 3]), [4, 4, 2], np.arange(10, 200),
            np.zeros(0, dtype=int), (slice(20, 90), slice(1, 3)), (slice(None), 2),
            (np.array([[3], [5]]), np.array([0, 1])),
        ]  # fmt: skip
        for key in asked:
            assert_array_equal(rows[key], X[key])
        assert_array_equal(np.asarray(rows), X)
        for key in asked:  # from the copy now
            assert_array_equal(rows[key], X[key])
        with pytest.raises(IndexError):
            rows[np.array([1, 400])]
    with open_rows(folder[kind]) as rows, pytest.raises(IndexError, match="row 400 is out of bounds"):
        rows[np.array([1, 400])]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(index=st.lists(st.integers(0, 399), min_size=1, max_size=80), kind=st.sampled_from(["parquet", "arrow", "zarr"]))
def test_rows_in_any_order(folder, X, index, kind):
    with open_rows(folder[kind]) as rows:
        assert_array_equal(rows[np.array(index)], X[index])


CALLS = {
    "calinski_harabasz_score": gm.calinski_harabasz_score,
    "davies_bouldin_score": gm.davies_bouldin_score,
    "davies_bouldin_pairs": lambda X, y: gm.davies_bouldin_pairs(X, y).similarity,
    "cosine": lambda X, y: gm.silhouette_samples(X, y, metric="cosine"),
    "correlation": lambda X, y: gm.silhouette_samples(X, y, metric="correlation", noise_label=3),
    "sqeuclidean": lambda X, y: gm.silhouette_score(X, y, metric="sqeuclidean", noise_label=0),
    "euclidean": gm.silhouette_samples,
    "manhattan": lambda X, y: gm.silhouette_samples(X, y, metric="manhattan"),
    "chebyshev": lambda X, y: gm.silhouette_samples(X, y, metric="chebyshev", noise_label=1),
    "mahalanobis": lambda X, y: gm.silhouette_score(X, y, metric="mahalanobis"),
    "sample_size": lambda X, y: gm.silhouette_score(X, y, sample_size=90, random_state=0),
    "silhouette_scores": lambda X, y: gm.silhouette_scores(X, [y, y % 2]),
    "silhouette_estimate": lambda X, y: gm.silhouette_estimate(X, y, n_queries=60, random_state=0).value,
    "density_validity": lambda X, y: float(gm.density_validity(X, y)),
    "representatives": lambda X, y: gm.representatives(X, y).table["row"],
    "merge_candidates": lambda X, y: gm.merge_candidates(X, y, max_ashman_d=9).table["ashman_d"],
    "evaluate_clustering": lambda X, y: list(gm.evaluate_clustering(X, y).scores.values()),
    "compare_labelings": lambda X, y: gm.compare_labelings(X, {"a": y, "b": y % 2}).rows["silhouette"],
    "stability": lambda X, y: gm.stability(X, Rounded(), n_runs=3, resample="subsample", random_state=0).agreement,
    "sweep": lambda X, y: gm.sweep(X, Rounded(), {"digits": [0, 1]}).rows["silhouette"],
}


class Rounded:
    """Clusters rows by the sign of a column; wants an array of NumPy's."""

    def __init__(self, digits=0):
        self.digits = digits

    def get_params(self, deep=True):
        return {"digits": self.digits}

    def set_params(self, **parameters):
        self.__dict__.update(parameters)
        return self

    def fit_predict(self, X):
        assert isinstance(X, np.ndarray)
        return (X[:, self.digits] > 0).astype(int)


@pytest.mark.parametrize("name", CALLS)
def test_functions_give_what_they_give_for_the_array(folder, X, name):
    labels = np.random.default_rng(1).integers(0, 4, len(X))
    with open_rows(folder["parquet"]) as rows:
        assert_allclose(CALLS[name](rows, labels), CALLS[name](X, labels), rtol=1e-9, atol=1e-12, equal_nan=True)


def test_precomputed_distances_in_a_file(tmp_path, X):
    distances = np.sqrt(((X[:90, None] - X[None, :90]) ** 2).sum(axis=2, dtype=np.float64))
    labels = np.arange(90) % 3
    with open_rows(write_rows(tmp_path, distances, "parquet")) as rows:
        got = gm.silhouette_samples(rows, labels, metric="precomputed")
    assert_allclose(got, gm.silhouette_samples(distances, labels, metric="precomputed"))


@pytest.mark.parametrize("dtype", [np.int16, np.uint64, np.bool_, np.float16, ">f8", ">i4"])
def test_numbers_of_every_kind(tmp_path, dtype):
    X = np.random.default_rng(3).integers(0, 2, (300, 4)).astype(dtype)
    labels = np.arange(300) % 5
    with open_rows(write_rows(tmp_path, X, "h5")) as rows:
        assert_equal(rows.dtype, np.dtype(dtype).newbyteorder("="))
        assert_array_equal(np.concatenate([block for _, block in rows]), X)
        assert_allclose(gm.calinski_harabasz_score(rows, labels), gm.calinski_harabasz_score(X, labels))


def count_reads(rows):
    reads = []
    read = rows._reader._read
    rows._reader._read = lambda at: reads.append(at) or read(at)
    return reads


def test_a_closed_form_reads_the_file_once_a_pass_and_copies_nothing(folder, X):
    labels = np.random.default_rng(1).integers(0, 4, len(X))
    with open_rows(folder["parquet"]) as rows:
        reads = count_reads(rows)
        features = check_features(rows)
        assert_equal(sorted(reads), list(range(rows._reader.n_chunks)))
        assert features.data is rows
        gm.silhouette_samples(rows, labels, metric="cosine")
        assert rows._whole is None
        assert rows.notes() == {}
        assert len(reads) < 8 * (rows._reader.n_chunks)


def test_rows_in_order_without_noise_are_no_reason_to_copy(folder, X):
    kept = np.flatnonzero(np.arange(400) % 9 > 0)
    with open_rows(folder["zarr"]) as rows:
        for _ in range(40):
            assert_array_equal(rows[kept], X[kept])
        assert rows._whole is None


def test_pairwise_metrics_read_from_a_copy_that_goes(folder, X, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(chunks, "PASSES", 1)
    labels = np.random.default_rng(1).integers(0, 4, len(X))
    rows = open_rows(folder["parquet"])
    with caplog.at_level(logging.INFO, "gpumetrics.sources"):
        gm.silhouette_score(rows, labels)
    [copy] = tmp_path.glob("gpumetrics-*/rows.npy")
    assert f"is copied to {copy.parent} (7.8 KiB)" in caplog.text
    assert_array_equal(np.load(copy), X)
    assert "from a temporary copy of 7.8 KiB on disk" in rows.notes()["copied"]
    rows.close()
    del rows
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_a_disk_without_room(folder, monkeypatch):
    full = type("Usage", (), {"free": 1 << 20})
    monkeypatch.setattr("shutil.disk_usage", lambda _: full)
    with open_rows(folder["parquet"]) as rows, pytest.raises(InputFileError) as caught:
        np.asarray(rows)
    assert "temporary file of 7.8 KiB, but /tmp has 1.0 MiB free; set TMPDIR to a folder with room" in str(caught.value)


def test_a_copy_that_fails_leaves_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with open_rows(folder["parquet"]) as rows:
        monkeypatch.setattr(rows._reader, "_read", lambda at: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            np.asarray(rows)
    assert not list(tmp_path.iterdir())


def test_a_small_table_is_read_whole(folder, X):
    with open_rows(folder["parquet"]) as rows, gm.config_context(working_memory=1):
        assert check_features(rows).data is np.asarray(rows)
        assert rows.notes() == {}
        assert_array_equal(read_features(folder["parquet"]), X)
        assert isinstance(read_features(folder["parquet"]), np.ndarray)
    assert isinstance(read_features(folder["parquet"]), RowChunks)


def test_a_row_group_is_not_read_whole(tmp_path, X):
    """One row group of 400 rows, and chunks of 35 rows: two readers go through it, each once."""
    write_parquet(tmp_path / "x.parquet", table_of(X), row_group_size=400)
    with open_rows(tmp_path / "x.parquet") as rows:
        file = rows._reader.files[0]
        begun = []
        begin = file._begin
        file._begin = lambda row: begun.append(row) or begin(row)
        assert_array_equal(np.concatenate([block for _, block in rows]), X)
        assert_equal(begun, [0])
        gm.calinski_harabasz_score(rows, np.arange(400) % 3)
        assert len(begun) < 8


def test_shards_follow_each_other_in_natural_order(tmp_path, X):
    for number, part in enumerate(np.array_split(X, 12)):
        np.save(tmp_path / f"part-{number}.npy", part)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part-0.npy.crc").touch()
    with open_rows(tmp_path) as rows:
        assert_array_equal(rows[::1], X)
        assert_equal(rows.file_and_row(368), (str(tmp_path / "part-11.npy"), 1))
        assert_equal(gm.davies_bouldin_score(rows, X[:, 0] > 0), gm.davies_bouldin_score(X, X[:, 0] > 0))
        assert isinstance(pickle.loads(pickle.dumps(rows)), RowChunks)  # noqa: S301


def test_more_shards_than_files_may_be_open(tmp_path, X, monkeypatch):
    monkeypatch.setattr(chunk_reader, "OPEN_FILES", 2)
    import h5py

    for number, part in enumerate(np.array_split(X, 9)):
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            file["x"] = part
    with open_rows(f"{tmp_path}:x") as rows:
        assert_array_equal(np.concatenate([block for _, block in rows]), X)
        assert sum(file._opened is not None for file in rows._reader.files) <= 2


def test_labels_from_every_kind_of_file(tmp_path):
    for values in (np.arange(60) % 7 - 1, np.array(["a", "bc", "d\u00e9"])[np.arange(60) % 3]):
        for kind in LABEL_KINDS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the libraries that write
                spec = write_labels(tmp_path / f"{values.dtype.kind} {kind}", values, kind)
            got = read_labels(spec)
            assert_array_equal(got, values, err_msg=kind)
            assert_equal(got.dtype.kind, values.dtype.kind, err_msg=kind)


def test_labels_from_shards(tmp_path):
    for number in (0, 1, 10, 2):
        np.save(tmp_path / f"{number}.npy", np.full(3, number))
    assert_array_equal(read_labels(tmp_path), np.repeat([0, 1, 2, 10], 3))


@pytest.mark.filterwarnings("ignore:The .future.infer_string. option")  # anndata asks pandas for it
def test_masked_and_nullable_labels_of_anndata(tmp_path):
    import anndata
    import pandas as pd

    obs = pd.DataFrame({"n": pd.array([1, 2, 3], dtype="Int64"), "m": pd.array([1, None, 3], dtype="Int64")})
    obs["c"] = pd.Categorical(["x", None, "y"])
    obs["flag"] = pd.array([True, False, True], dtype="boolean")
    obs.index = ["a", "b", "c"]
    anndata.AnnData(X=np.zeros((3, 1)), obs=obs).write_h5ad(tmp_path / "o.h5ad")
    assert_array_equal(read_labels(f"{tmp_path}/o.h5ad:obs/n"), [1, 2, 3])
    assert_array_equal(read_labels(f"{tmp_path}/o.h5ad:obs/flag"), [True, False, True])
    for name in "mc":
        with pytest.raises(InputFileError, match=f"obs/{name}: 1 of 3 labels are missing, the first in row 1"):
            read_labels(f"{tmp_path}/o.h5ad:obs/{name}")


def test_columns_are_chosen_by_name(tmp_path, X):
    write_parquet(tmp_path / "t.parquet", table_of(X, lists=False, topic=np.arange(400)))
    table = read_feature_table(tmp_path / "t.parquet", Choice(labels=["topic"], drop=["c1"]))
    assert_equal((table.used, table.left_out), (("c0", "c2", "c3", "c4"), ("c1", "topic")))
    assert_array_equal(table.data[:], X[:, [0, 2, 3, 4]])
    table = read_feature_table(tmp_path / "t.parquet", Choice(drop=["c1"]))
    assert "Column topic holds 100.0 % of the variance" in table.notes()["variance"]


def test_whole_numbers_are_told_from_all_rows_of_a_file(tmp_path, X, monkeypatch):
    monkeypatch.setattr("gpumetrics.sources.feature_columns.SAMPLED_VALUES", 300)
    X = X.copy()
    X[:, 1] = np.arange(400) % 2
    for fraction, told in ((1.0, True), (0.5, False)):
        X[3, 1] = fraction
        write_parquet(tmp_path / "t.parquet", table_of(X, lists=False))
        notes = read_feature_table(tmp_path / "t.parquet", Choice()).notes()
        assert_equal("whole_numbers" in notes, told)


def test_where_chunks_begin():
    def starts(n, step, borders=None, *, divisible=True):
        layout = Layout("x", n, 1, np.dtype(float), borders=borders and np.array(borders), divisible=divisible)
        return layout.starts(step).tolist()

    assert_equal(starts(10, 4), [0, 4, 8])
    assert_equal(starts(10, 4, [0, 2, 4, 6, 8]), [0, 4, 8])
    assert_equal(starts(10, 4, [0, 3, 6, 9]), [0, 3, 6])
    assert_equal(starts(10, 4, [0, 1]), [0, 1, 4, 7])
    assert_equal(starts(10, 4, [0, 1], divisible=False), [0, 1])
    assert_equal(starts(10, 20, [0, 5]), [0])


@given(n=st.integers(1, 300), step=st.integers(1, 50), borders=st.sets(st.integers(1, 299)), divisible=st.booleans())
def test_chunks_cover_all_rows_and_are_no_longer_than_they_may(n, step, borders, divisible):
    borders = np.array([0, *sorted(at for at in borders if at < n)])
    layout = Layout("x", n, 1, np.dtype(float), borders=borders, divisible=divisible)
    edges = [*layout.starts(step).tolist(), n]
    assert edges[0] == 0
    lengths = np.diff(edges)
    assert (lengths > 0).all()
    longest = step if divisible else max(step, np.diff([*borders, n]).max())
    assert lengths.max() <= longest


def test_the_next_chunk_is_read_while_the_last_is_computed():
    reading = threading.Event()

    def read(at):
        if at == 1:
            reading.set()
        return np.full((2, 2), at)

    cache = ChunkCache(read, 5, keep=3)
    assert_array_equal(cache.get(0), np.zeros((2, 2)))
    assert reading.wait(10)
    cache.close()


def test_one_thread_reads_for_many():
    readers, active, most = set(), [0], [0]

    def read(at):
        readers.add(threading.get_ident())
        active[0] += 1
        most[0] = max(most[0], active[0])
        time.sleep(0.001)
        active[0] -= 1
        return np.full((1, 1), at)

    cache, got = ChunkCache(read, 40, keep=10), []
    threads = [
        threading.Thread(target=lambda part: got.extend(int(cache.get(at)[0, 0]) for at in part), args=(part,))
        for part in np.array_split(np.arange(40), 4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache.close()
    assert_equal(sorted(got), list(range(40)))
    assert_equal((len(readers), most[0]), (1, 1))


def test_what_goes_wrong_is_raised_and_tried_again():
    failing = [True]

    def read(at):
        if failing[0]:
            raise InputFileError("not there")
        return np.full((1, 1), at)

    cache = ChunkCache(read, 2, keep=2)
    with pytest.raises(InputFileError, match="not there"):
        cache.get(0)
    failing[0] = False
    assert_array_equal(cache.get(0), [[0]])
    cache.close()


def test_the_place_of_a_bad_number(tmp_path, X):
    folder, bad = tmp_path / "shards", X.copy()
    bad[231, 4] = np.nan
    folder.mkdir()
    for number, part in enumerate(np.array_split(bad, 4)):
        write_parquet(folder / f"part-{number}.parquet", table_of(part))
    where = r"The first bad value is nan at row 231, column 4 \(row 31 of .*part-2\.parquet\)\.$"
    with open_rows(tmp_path / "shards") as rows, pytest.raises(ValueError, match=where):
        gm.davies_bouldin_score(rows, np.arange(400) % 2)


def test_a_folder_may_have_any_name(tmp_path, X):
    folder = tmp_path / "out.parquet"
    folder.mkdir()
    write_parquet(folder / "part-0.parquet", table_of(X, label=np.arange(400)))
    assert_array_equal(read_labels(f"{folder}:label"), np.arange(400))
    assert_array_equal(read_features(f"{folder}/:x")[:], X)
    assert Path(folder).is_dir()


@pytest.mark.emulated
@pytest.mark.parametrize("metric", ["cosine", "euclidean", "sqeuclidean"])
def test_rows_of_files_pass_through_a_gpu(folder, X, metric, emulated):
    labels = np.random.default_rng(1).integers(0, 4, len(X))
    with open_rows(folder["parquet"]) as rows, gm.config_context(backend="cupy", working_memory=0.005):
        got = gm.silhouette_samples(rows, labels, metric=metric, noise_label=2)
        assert_allclose(gm.davies_bouldin_score(rows, labels), gm.davies_bouldin_score(X, labels), rtol=1e-6)
    with gm.config_context(backend="numpy"):
        assert_allclose(got, gm.silhouette_samples(X, labels, metric=metric, noise_label=2), atol=1e-6)
