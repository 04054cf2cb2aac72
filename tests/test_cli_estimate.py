"""``gpumetrics estimate``: text and JSON, one labeling and several, one line for bad input."""

import argparse
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

import gpumetrics as gm
from gpumetrics.clustering.silhouette_estimate import silhouette_estimate
from gpumetrics.commands import estimate


@pytest.fixture(name="files", scope="module")
def data_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("estimate")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 900)
    X = rng.normal(size=(900, 3)) + 4 * np.eye(3)[labels]
    np.save(folder / "x.npy", X)
    np.save(folder / "fine.npy", labels)
    np.save(folder / "coarse.npy", labels % 2)
    np.save(folder / "one.npy", np.zeros(900, dtype=int))
    np.save(folder / "noisy.npy", np.where(np.arange(900) < 90, -1, labels))
    names = ["small", "medium", "large"]
    (folder / "names.csv").write_text("cluster\n" + "\n".join(names[c] for c in labels), encoding="utf-8")
    return folder


def run(capsys, folder, *words):
    """Run the subcommand with files named without their folder; return what it prints."""
    parser = argparse.ArgumentParser()
    estimate.add_parser(parser.add_subparsers())
    args = parser.parse_args(["estimate", *(str(folder / w) if w.endswith((".npy", ".csv")) else w for w in words)])
    assert_equal(args.run(args), 0)
    return capsys.readouterr().out


def test_text(capsys, files):
    text = run(capsys, files, "x.npy", "names.csv", "--n-queries", "200")
    names = np.array(["small", "medium", "large"])[np.load(files / "fine.npy")]
    want = silhouette_estimate(np.load(files / "x.npy"), names, n_queries=200, random_state=0)
    assert str(want) + "\n" == text
    assert "estimated from 200 of 900 rows, 3 clusters, each against all rows" in text
    assert "95 % interval" in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("small", "medium", "large"))] == [
        "large",
        "medium",
        "small",
    ]


def test_json_is_the_estimate(capsys, files):
    words = ["--tol", "0.02", "--confidence", "0.9", "--random-state", "3", "--no-stratify", "--json"]
    data = json.loads(run(capsys, files, "x.npy", "fine.npy", *words))
    wishes = {"tol": 0.02, "confidence": 0.9, "stratify": False, "random_state": 3}
    want = silhouette_estimate(np.load(files / "x.npy"), np.load(files / "fine.npy"), **wishes)
    assert_equal(data, json.loads(json.dumps(want.to_dict())))


def test_noise_is_left_out_and_said(capsys, files):
    data = json.loads(run(capsys, files, "x.npy", "noisy.npy", "--n-queries", "900", "--json"))
    score = gm.silhouette_score(np.load(files / "x.npy"), np.load(files / "noisy.npy"), noise_label=-1)
    assert_allclose(data["silhouette"], score, rtol=1e-12)
    assert data["notes"] == ["90 more rows are noise, and are left out."]
    assert data["exact"]
    with_noise = json.loads(run(capsys, files, "x.npy", "noisy.npy", "--noise-label", "none", "--json"))
    assert with_noise["n_clusters"] == 4


@pytest.mark.filterwarnings("ignore:The silhouette of labels")
def test_several_labelings(capsys, files):
    names = ["fine", "coarse", "noisy", "one"]
    words = ["x.npy", *(f"{name}.npy" for name in names), "--n-queries", "200"]
    lines = run(capsys, files, *words).splitlines()
    assert lines[1].split("  ")[0] == "labeling"
    assert [line.split()[0] for line in lines[2:6]] == names
    assert "undefined" in lines[5]
    assert "200 of 900" in lines[2]
    data = json.loads(run(capsys, files, *words, "--json"))["labelings"]
    assert list(data) == names
    assert data["one"]["silhouette"] is None
    assert "one cluster" in data["one"]["silhouette_reason"]
    assert data["fine"]["n_queries"] == 200 > data["noisy"]["n_queries"]


def test_several_labelings_of_which_all_rows_are_asked(capsys, files):
    head = run(capsys, files, "x.npy", "fine.npy", "noisy.npy", "--n-queries", "900").splitlines()[0]
    assert head == "Silhouettes (metric euclidean, higher is better), exact"


def test_references(capsys, files):
    words = ["x.npy", "fine.npy", "--references", "pps", "--n-references", "50", "--json"]
    data = json.loads(run(capsys, files, *words))
    assert 100 < data["n_references"] < 450
    assert data["low"] <= gm.silhouette_score(np.load(files / "x.npy"), np.load(files / "fine.npy")) <= data["high"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x.npy", "fine.npy", "--n-queries", "1"], r"n_queries must be an integer of at least 2.*X: .*x\.npy"),
        (["x.npy", "fine.npy", "--n-references", "50"], "needs --references pps"),
        (["x.npy", "one.npy"], r"Number of labels is 1\. .*one\.npy"),
        (["x.npy", "fine.npy", "--metric", "no-such"], "The 'metric' parameter of silhouette_estimate"),
    ],
)
def test_bad_input(capsys, files, words, message):
    with pytest.raises(ValueError, match=message):
        run(capsys, files, *words)


def test_lengths_differ(capsys, files, tmp_path):
    np.save(tmp_path / "short.npy", np.arange(20) % 3)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[900, 20\].*short\.npy"):
        run(capsys, files, "x.npy", str(tmp_path / "short.npy"))
