"""``gpumetrics compare`` and ``gpumetrics sweep``, run as a user runs them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.choosing.sweep import sweep as python_sweep
from gpumetrics.cli import main
from gpumetrics.commands import sweep

ROOT = Path(gm.__file__).parents[1]


@pytest.fixture(name="files", scope="module")
def data_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 4)) + 8 * np.eye(3, 4)[truth]
    noisy = truth.copy()
    noisy[:30] = -1
    np.save(folder / "x.npy", X)
    np.save(folder / "right.npy", truth)
    np.save(folder / "noisy.npy", noisy)
    np.savez(folder / "sweep.npz", **{"2": np.minimum(truth, 1), "3": truth})
    names = np.array(["north", "south", "east"])
    (folder / "truth.csv").write_text("class\n" + "\n".join(names[truth]))
    columns = np.c_[X, truth, noisy]
    heading = "a,b,c,d,right,noisy"
    np.savetxt(
        folder / "table.csv", columns, delimiter=",", header=heading, comments="", fmt=["%.17g"] * 4 + ["%d"] * 2
    )
    text = ["noise" if c < 0 else f"c{c}" for c in noisy]
    (folder / "text.csv").write_text("cluster\n" + "\n".join(text))
    return folder


def run(capsys, *arguments):
    assert_equal(main([*map(str, arguments)]), 0)
    captured = capsys.readouterr()
    assert_equal(captured.err, "")
    return captured.out


def as_json(capsys, *arguments):
    return json.loads(run(capsys, *arguments, "--json"), parse_constant=pytest.fail)


def refused(capsys, *arguments):
    """Run a call that is refused; return its one line."""
    assert_equal(main([*map(str, arguments)]), 2)
    captured = capsys.readouterr()
    assert_equal((captured.out, captured.err.count("\n")), ("", 1))
    return captured.err


def test_compare_prints_the_table_and_the_reading(files, capsys):
    text = run(capsys, "compare", files / "x.npy", files / "right.npy", files / "noisy.npy")
    assert "Comparison of 2 labelings: 120 rows x 4 features" in text
    assert "25.0 %" in text
    assert "Davies-Bouldin ↓" in text


def test_compare_as_json(files, capsys):
    arguments = files / "x.npy", files / "right.npy", files / "noisy.npy", "--labels-true", files / "truth.csv"
    found = as_json(capsys, "compare", *arguments)
    X, truth = np.load(files / "x.npy"), np.load(files / "right.npy")
    assert_equal([line["name"] for line in found["labelings"]], ["right", "noisy"])
    assert_allclose(found["labelings"][0]["silhouette"], gm.silhouette_score(X, truth), rtol=1e-12)
    assert_equal([line["adjusted_rand"] for line in found["labelings"]], [1, 1])
    assert_equal(found["labelings"][1]["n_noise"], 30)
    assert_equal(as_json(capsys, "compare", *arguments[:3], "--truth", arguments[4])["best"], found["best"])


def test_columns_of_the_features_own_table(files, capsys):
    table = files / "table.csv"
    found = as_json(capsys, "compare", table, f"{table}:right", f"{table}:noisy")
    assert_equal((found["n_features"], [line["name"] for line in found["labelings"]]), (4, ["right", "noisy"]))
    other = as_json(capsys, "compare", files / "x.npy", files / "right.npy", files / "noisy.npy")
    assert_allclose(found["labelings"][1]["silhouette"], other["labelings"][1]["silhouette"], rtol=1e-9)


def test_names_that_are_numbers_of_clusters_are_k(files, capsys):
    text = run(capsys, "compare", files / "x.npy", files / "sweep.npz")
    assert "scores agree on K = 3" in " ".join(text.split())
    assert_equal(text.splitlines()[2].split()[:2], ["K", "sizes"])


@pytest.mark.parametrize("noise", ["noise", "-1", "none"])
def test_the_noise_label_of_text_and_numbers_together(files, capsys, noise):
    found = as_json(capsys, "compare", files / "x.npy", files / "text.csv", "--noise-label", noise)
    assert_equal(found["labelings"][0]["n_noise"], 30 if noise == "noise" else 0)
    if noise == "-1":
        lines = [f"{c},{c if c < 0 else chr(97 + c)}" for c in np.load(files / "noisy.npy")]
        (files / "mixed.csv").write_text("\n".join(["numbers,letters", *lines]))
        found = as_json(capsys, "compare", files / "x.npy", files / "mixed.csv", f"--noise-label={noise}")
        assert_equal([line["n_noise"] for line in found["labelings"]], [30, 30])
        assert_equal(found["labelings"][0]["silhouette"], found["labelings"][1]["silhouette"])


def test_options_reach_the_comparison(files, capsys):
    arguments = "compare", files / "x.npy", files / "sweep.npz", files / "noisy.npy"
    found = as_json(capsys, *arguments, "--scores", "silhouette, davies_bouldin", "--metric", "cosine")
    assert_equal(
        (list(found["better"]), found["metric"]), (["silhouette", "davies_bouldin", "silhouette_macro"], "cosine")
    )
    found = as_json(capsys, *arguments, "--narrow", "1")
    assert_equal(sum(line["silhouette"] is not None for line in found["labelings"]), 1)
    found = as_json(capsys, *arguments, "--silhouette", "skip", "--backend", "numpy", "--working-memory", "64")
    assert_equal((found["silhouette_mode"], found["labelings"][0]["silhouette"]), ("skip", None))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["missing.npy"], "missing.npy: there is no such file"),
        (["right.npy", "--scores", "silhouete"], "scores must be some of"),
        (["right.npy", "--metric", "nonsense"], "nonsense"),
        (["right.npy", "--narrow", "many"], "--narrow"),
        (["right.npy", "--noise-label", "x"], "--noise-label 'x' is not a number"),
        (["right.npy", "right.npy"], "is given twice"),
        (["short.npy"], "[120, 119] (rows of"),
        (["right.npy", "--labels-true", "short.npy"], "[120, 119] (rows of"),
        ([], "LABELS"),
    ],
)
def test_compare_refuses_in_one_line(files, capsys, monkeypatch, arguments, reason):
    monkeypatch.chdir(files)
    np.save("short.npy", np.zeros(119, dtype=int))
    if arguments and "--narrow" not in arguments:
        assert reason in refused(capsys, "compare", "x.npy", *arguments)
        return
    with pytest.raises(SystemExit) as caught:  # argparse's own
        main(["compare", "x.npy", *arguments])
    assert_equal(caught.value.code, 2)
    assert reason in capsys.readouterr().err


def test_sweep_prints_and_saves(files, capsys, tmp_path):
    pytest.importorskip("sklearn")
    arguments = "sweep", files / "x.npy", "--clusterer", "kmeans", "--k", "2:5", "--save-labels", tmp_path / "found.npz"
    text = run(capsys, *arguments, "--truth", files / "truth.csv")
    assert "scores agree on K = 3" in " ".join(text.split())
    saved = np.load(tmp_path / "found.npz")
    assert_equal(saved.files, ["2", "3", "4", "5"])
    from sklearn.cluster import KMeans

    X = np.load(files / "x.npy")
    comparison = python_sweep(X, KMeans(n_init=10), n_clusters=range(2, 6), random_state=0)
    for k in range(2, 6):
        assert_array_equal(saved[str(k)], comparison.labels(k))
    again = as_json(capsys, "compare", files / "x.npy", tmp_path / "found.npz")
    assert_equal(again["best"]["silhouette"], 3)
    assert_equal(main(["evaluate", f"{files}/x.npy", f"{tmp_path}/found.npz:3"]), 0)


@pytest.mark.parametrize("read", ["features", "truth"])
def test_sweep_never_writes_over_what_it_reads(files, capsys, monkeypatch, read):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(files)
    np.savez("x.npz", X=np.load("x.npy"))
    np.savez("t.npz", t=np.arange(120) % 2)
    Path("link.npz").unlink(missing_ok=True)
    Path("link.npz").symlink_to("x.npz" if read == "features" else "t.npz")
    before = [Path(name).read_bytes() for name in ("x.npz", "t.npz")]
    options = ["--clusterer", "kmeans", "--k", "2", "--labels-true", "t.npz:t", "--save-labels", "link.npz"]
    assert "--save-labels must be another file than those that are read" in refused(capsys, "sweep", "x.npz", *options)
    assert [Path(name).read_bytes() for name in ("x.npz", "t.npz")] == before


@pytest.mark.parametrize("name", ["part-1.npz", "new.npz"])
@pytest.mark.parametrize("read", ["shards", "shards:X", "here"])
def test_sweep_never_writes_into_the_folder_that_it_reads(files, tmp_path, capsys, monkeypatch, name, read):
    pytest.importorskip("sklearn")
    X = np.load(files / "x.npy")
    (tmp_path / "shards").mkdir()
    for number, rows in enumerate(np.array_split(X, 2), 1):
        np.savez(tmp_path / "shards" / f"part-{number}.npz", X=rows)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").symlink_to("shards")
    before = {path.name: path.read_bytes() for path in (tmp_path / "shards").iterdir()}
    options = ["--clusterer", "kmeans", "--k", "2", "--save-labels", f"shards/{name}"]
    assert "--save-labels must be another file than those that are read" in refused(capsys, "sweep", read, *options)
    assert {path.name: path.read_bytes() for path in (tmp_path / "shards").iterdir()} == before


def test_sweep_over_parameters(files, capsys):
    pytest.importorskip("sklearn")
    arguments = (
        "sweep",
        files / "x.npy",
        "--clusterer",
        "dbscan",
        "--param",
        "eps=1.5,2",
        "--param",
        "min_samples=3:9:3",
    )
    found = as_json(capsys, *arguments)
    names = [f"eps={eps}, min_samples={m}" for eps in (1.5, 2) for m in (3, 6, 9)]
    assert_equal([line["name"] for line in found["labelings"]], names)
    assert_equal(found["labelings"][0]["param_eps"], 1.5)
    assert any("density_validity" in note for note in found["notes"])


def test_a_setting_that_fails_is_no_error(files, capsys):
    pytest.importorskip("sklearn")
    found = as_json(capsys, "sweep", files / "x.npy", "--clusterer", "agglomerative", "--k", "2,3,200")
    assert "the clusterer failed: ValueError" in found["labelings"][2]["silhouette_reason"]


def test_a_clusterer_of_any_module(files, capsys, monkeypatch, tmp_path):
    (tmp_path / "own_clusterers.py").write_text(
        "import numpy as np\n"
        "class Halves:\n"
        "    size = 2\n"
        "    def fit_predict(self, X):\n"
        "        return np.arange(len(X)) // self.size\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = as_json(capsys, "sweep", files / "x.npy", "--clusterer", "own_clusterers:Halves", "--param", "size=60,40")
    assert_equal([line["n_clusters"] for line in found["labelings"]], [2, 3])


def test_an_interrupted_sweep_prints_what_is_done(files, capsys, monkeypatch, tmp_path):
    (tmp_path / "stopping.py").write_text(
        "import numpy as np\n"
        "class Stops:\n"
        "    n_clusters = 2\n"
        "    def fit_predict(self, X):\n"
        "        if self.n_clusters > 3: raise KeyboardInterrupt\n"
        "        return np.arange(len(X)) % self.n_clusters\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert_equal(main(["sweep", f"{files}/x.npy", "--clusterer", "stopping:Stops", "--k", "2:9"]), 130)
    text = capsys.readouterr().out
    assert "Interrupted: 2 of 8 settings were fitted" in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["kmeanz"], "--clusterer knows no 'kmeanz'; it takes kmeans, "),
        (["no_such_module:A"], "the module no_such_module cannot be imported"),
        (["numpy:NoSuchClass"], "the module numpy has no NoSuchClass"),
        (["kmeans", "--k", "5:2"], "--k: '5:2' is no range"),
        (["kmeans", "--k", "a:b"], "--k: 'a:b' is no range"),
        (["kmeans", "--k", "2.5"], "--k must be whole numbers from 1, as in 2:15, got [2.5]"),
        (["kmeans", "--param", "eps"], "--param takes NAME=VALUES"),
        (["kmeans", "--param", "eps=3"], "'eps', which the clusterer does not take"),
        (["kmeans", "--k", "200"], "the setting cannot be fitted"),
        (["dbscan"], "DBSCAN has no parameter n_clusters"),
        (["kmeans", "--save-labels", "found.csv"], "--save-labels writes .npz files"),
        (
            ["no_such_module:A", "--save-labels", "no/found.npz"],
            "--save-labels must be in a folder that exists",
        ),
        (["dbscan", "--param", "eps=1,2", "--param", "eps=3"], "--param eps is given twice"),
        ([":KMeans"], "takes a name, or MODULE:CLASS; got ':KMeans'"),
        (["sklearn.pipeline:Pipeline"], "cannot be made without parameters"),
        (["kmeans", "--truth", "short.npy"], "[120, 119] (rows of"),
        (["kmeans", "--metric", "nonsense"], "nonsense"),
    ],
)
def test_sweep_refuses_in_one_line(files, capsys, monkeypatch, arguments, reason):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(files)
    np.save("short.npy", np.zeros(119, dtype=int))
    assert reason in refused(capsys, "sweep", "x.npy", "--clusterer", *arguments)


def test_a_heading_among_words_is_hinted_at(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "words.csv").write_text("\n".join("red,sun" if i % 2 else "blue,moon" for i in range(120)))
    for command in ("compare", "estimate"):
        line = refused(capsys, command, "x.npy", "words.csv")
        assert "labels of words.csv, column blue" in line
        assert "'blue,moon', was read as a heading; if it is a row, add --header-labels no" in line


def test_the_same_column_name_in_two_files(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "other.csv").write_text((files / "table.csv").read_text())
    found = as_json(capsys, "compare", "x.npy", "table.csv:right", "other.csv:right")
    assert_equal([line["name"] for line in found["labelings"]], ["table.csv:right", "other.csv:right"])


def test_sweep_without_scikit_learn_names_the_command(files, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    assert 'pip install "gpumetrics[search]"' in refused(capsys, "sweep", files / "x.npy", "--clusterer", "kmeans")


def test_values_of_the_command_line():
    assert_equal(
        sweep._values("1,0.5,true,none,ward,2:4,1e-3,-1", "--k"), [1, 0.5, True, None, "ward", 2, 3, 4, 1e-3, -1]
    )


@pytest.mark.parametrize("name", ["compare", "sweep"])
def test_each_command_explains_itself(capsys, name):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert_equal(caught.value.code, 0)
    text = capsys.readouterr().out
    assert f"usage: gpumetrics {name}" in text
    assert "exit codes" in text


def test_compare_on_a_terminal_that_knows_only_ascii(files):
    line = [sys.executable, "-m", "gpumetrics", "compare", files / "x.npy", files / "sweep.npz"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    result = subprocess.run([*map(str, line)], capture_output=True, text=True, check=True, cwd=ROOT, env=env)
    assert "DB (lower)" in result.stdout
    assert "silhouette (higher)" in result.stdout


def test_compare_loads_nothing_heavy(files):
    code = (
        "import sys; from gpumetrics.cli import main\n"
        f"main(['compare', {str(files / 'x.npy')!r}, {str(files / 'right.npy')!r}])\n"
        "print([m for m in ('sklearn', 'pandas', 'polars', 'cupy', 'joblib', 'tqdm') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert_equal(result.stdout.splitlines()[-1], "[]")


def test_sweep_says_what_clustered(files, capsys):
    pytest.importorskip("sklearn")
    arguments = ("sweep", files / "x.npy", "--clusterer", "kmeans", "--k", "2:4", "--param", "n_init=2")
    text = run(capsys, *arguments)
    assert text.startswith("Clusterer: KMeans(n_init=2, random_state=0)\nComparison of 3 labelings")
    found = as_json(capsys, *arguments)
    assert_equal(found["clusterer"], "KMeans(n_init=2, random_state=0)")
    assert_equal([line["name"] for line in found["labelings"]], [2, 3, 4])


def test_messages_name_the_options(files, capsys):
    pytest.importorskip("sklearn")
    text = " ".join(run(capsys, "compare", files / "x.npy", files / "noisy.npy", files / "right.npy").split())
    assert "--noise-label none scores noise as one more cluster" in text
    error = refused(capsys, "sweep", files / "x.npy", "--clusterer", "dbscan", "--k", "2:4")
    assert "--k cannot be set: give --param, as in --param eps=0.3,0.5" in error
    error = refused(capsys, "sweep", files / "x.npy", "--clusterer", "kmeans", "--k", "a")
    assert "--k must be whole numbers from 1, as in 2:15" in error
