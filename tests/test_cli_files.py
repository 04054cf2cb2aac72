"""The commands on every kind of file: read whole and chunk by chunk, the answers are those of the array."""

import contextlib
import io
import json
import re
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal
from stored_files import KINDS, LABEL_KINDS, table_of, write_labels, write_parquet, write_rows

from gpumetrics.cli import main
from gpumetrics.sources import chunk_reader

ROOT = Path(__file__).parent.parent
SMALL = "0.005"  # MiB: every table is larger than half of it


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunk_reader, "SMALLEST", 700)


@pytest.fixture(name="data", scope="module")
def table_and_labels(tmp_path_factory):
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, 300)
    X = (rng.normal(size=(300, 5)) + 3 * labels[:, None]).astype(np.float32)
    folder = tmp_path_factory.mktemp("files")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that write
        features = {kind: write_rows(folder / kind.replace(" ", "_"), X, kind) for kind in KINDS}
        found = {kind: write_labels(folder / kind.replace(" ", "_"), labels, kind) for kind in LABEL_KINDS}
    return features, found


def answer(capsys, *words):
    assert_equal(main([*words, "--json"]), 0)
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("memory", ["64", SMALL])
@pytest.mark.parametrize("kind", KINDS)
def test_evaluate_takes_every_kind_of_features(data, capsys, kind, memory):
    features, labels = data
    words = [labels["npy"], "--metric", "cosine", "--working-memory", memory]
    expected = answer(capsys, "evaluate", features["npy"], *words)
    got = answer(capsys, "evaluate", features[kind], *words)
    for name in ("silhouette", "calinski_harabasz", "davies_bouldin"):
        assert_allclose(got[name], expected[name], rtol=1e-6)


@pytest.mark.parametrize("kind", LABEL_KINDS)
def test_evaluate_takes_every_kind_of_labels(data, capsys, kind):
    features, labels = data
    expected = answer(capsys, "evaluate", features["npy"], labels["npy"])
    got = answer(capsys, "evaluate", features["npy"], labels[kind], "--labels-true", labels["npy"])
    assert_allclose(got["silhouette"], expected["silhouette"])
    assert_equal(got["adjusted_rand"], 1.0)


@pytest.mark.parametrize("kind", ["parquet", "feather", "zarr", "h5ad"])
def test_the_other_commands(data, capsys, kind):
    features, labels = data
    for command, more in (
        ("compare", [labels["npy"], labels["h5"], "--metric", "cosine"]),
        ("estimate", [labels["zarr"], "--n-queries", "50"]),
        ("sweep", ["--clusterer", "kmeans", "--k", "2:3", "--param", "n_init=1"]),
    ):
        got, expected = (
            answer(capsys, command, features[of], *more, "--working-memory", SMALL) for of in (kind, "npy")
        )
        for found in (got, expected):
            without_times(found)
            found.pop("notes", None)  # of the columns, and of copies
        assert_equal(got, expected)


def without_times(found):
    """Leave out what is never the same."""
    if isinstance(found, dict):
        for name in [name for name in found if "seconds" in name]:
            del found[name]
        for value in found.values():
            without_times(value)
    elif isinstance(found, list):
        for value in found:
            without_times(value)


def test_a_copy_on_disk_is_told(data, capsys):
    features, labels = data
    found = answer(capsys, "evaluate", features["parquet"], labels["npy"], "--working-memory", SMALL)
    assert re.search(r"x\.parquet was read in another order .* temporary copy of 5\.9 KiB", str(found["notes"]))


def test_labels_in_the_files_of_the_features_are_no_feature(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(90, 3))
    for number, part in enumerate(np.array_split(X, 3)):
        topic = np.arange(30) % 2
        write_parquet(tmp_path / f"{number}.parquet", table_of(part, lists=False, topic=topic))
    found = answer(capsys, "evaluate", str(tmp_path), f"{tmp_path}:topic", "--working-memory", "0.0005")
    assert "Features: 3 columns, c0 to c2; left out: topic." in str(found["notes"])
    assert_equal((found["n_samples"], found["n_features"]), (90, 3))


def test_the_page_on_files_runs(tmp_path):
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    code, output = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL).groups()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "files.md", "exec"), {})  # noqa: S102
    assert_equal(printed.getvalue(), output)


def anonymous_peak(command):
    """Run a command; return the most anonymous memory that it had, in MiB, and its output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        peak = 0
        while process.poll() is None:
            with contextlib.suppress(OSError):
                told = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
                peak = max(peak, int(re.search(r"Anonymous:\s+(\d+)", told)[1]))
            time.sleep(0.02)
        assert_equal(process.returncode, 0)
        return peak / 1024, process.stdout.read()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["npy", "parquet", "zarr"])
def test_large_files_in_little_memory(tmp_path, kind):
    """The bar of the project, by a tenth: 400,000 x 384 float32, 586 MiB, at --working-memory 64."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 50, 400_000)
    rows = rng.normal(size=(20_000, 384)).astype(np.float32)
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (400_000, 384))
    for start in range(0, 400_000, 20_000):
        mapped[start : start + 20_000] = rows
    mapped.flush()
    spec = str(tmp_path / "x.npy")
    if kind == "parquet":
        write_parquet(tmp_path / "x.parquet", table_of(mapped), row_group_size=200_000, compression="none")
        spec = str(tmp_path / "x.parquet")
    elif kind == "zarr":
        import zarr

        array = zarr.create_array(str(tmp_path / "x.zarr"), shape=mapped.shape, dtype="f4", chunks=(5000, 384))
        array[...] = mapped
        spec = str(tmp_path / "x.zarr")
    np.save(tmp_path / "y.npy", labels)
    words = ["evaluate", spec, str(tmp_path / "y.npy"), "--metric", "cosine", "--working-memory", "64", "--json"]
    peak, out = anonymous_peak([sys.executable, "-m", "gpumetrics", *words])
    found = json.loads(out)
    assert_equal(found["n_samples"], 400_000)
    assert np.isfinite(found["silhouette"])
    assert peak < 350, peak


@pytest.mark.parametrize("memory", ["64", SMALL])
def test_a_bad_row_is_named_with_its_file(tmp_path, capsys, memory):
    (tmp_path / "rows").mkdir()
    for part in range(3):
        rows = np.ones((400, 5))
        rows[7, 3] = np.nan if part == 2 else 1
        np.save(tmp_path / "rows" / f"part-{part}.npy", rows)
    np.save(tmp_path / "y.npy", np.arange(1200) % 2)
    assert_equal(main(["evaluate", f"{tmp_path}/rows", f"{tmp_path}/y.npy", "--working-memory", memory]), 2)
    assert f"nan at row 807, column 3 (row 7 of {tmp_path}/rows/part-2.npy)" in capsys.readouterr().err
