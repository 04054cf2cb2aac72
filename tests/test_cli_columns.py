"""Tables with headings on the command line: which columns are scored, by every command that reads FEATURES."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

import gpumetrics as gm
from gpumetrics.cli import main

X = np.random.default_rng(0).normal(size=(60, 3)) + 6 * np.eye(3)[np.arange(60) % 3]
LABELS = np.arange(60) % 3
COMMANDS = {
    "evaluate": ["{table}:kmeans", "--labels-true", "{table}:topic"],
    "compare": ["{table}:kmeans", "{table}:hdb", "--labels-true", "{table}:topic"],
    "sweep": ["--clusterer", "kmeans", "--k", "2:3", "--labels-true", "{table}:topic"],
    "estimate": ["{table}:kmeans", "--n-queries", "60"],
}


@pytest.fixture(name="table", scope="module")
def table_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("columns") / "table.csv"
    rows = [
        f"{a!r},{b!r},{c!r},{i},{k},{min(k, 1)},{'uvw'[k]}"
        for i, ((a, b, c), k) in enumerate(zip(X.tolist(), LABELS, strict=True))
    ]
    path.write_text("\n".join(["e0,e1,e2,id,kmeans,hdb,topic", *rows]))
    return path


def run(capsys, table, command, *options):
    if command == "sweep":
        pytest.importorskip("sklearn")
    words = [word.format(table=table) for word in COMMANDS[command]]
    assert_equal(main([command, str(table), *words, *options]), 0)
    captured = capsys.readouterr()
    assert_equal(captured.err, "")
    return captured.out


@pytest.mark.parametrize("command", COMMANDS)
def test_chosen_columns_are_scored_and_named(table, capsys, command):
    drop = ["--drop", "id,kmeans", "--drop", "hdb,topic"]
    for options in (drop, ["--columns", "e0, e1,e2"]):
        text = " ".join(run(capsys, table, command, *options).split())
        assert "Features: 3 columns, e0 to e2; left out: id, kmeans, hdb, topic." in text
        assert "variance" not in text
        assert "Features: 3 columns" in run(capsys, table, command, *options, "--json")


@pytest.mark.parametrize("command", COMMANDS)
def test_columns_that_look_like_no_features_are_told(table, capsys, command):
    out = ["--drop", "topic"]
    text = " ".join(run(capsys, table, command, *out).split())
    assert "% of the variance: drop it with --drop id, or scale the columns." in text
    if command != "compare":
        assert "whole numbers among columns of fractions" in text


def test_labels_of_the_same_file_are_no_features(table, capsys):
    found = json.loads(run(capsys, table, "evaluate", "--drop", "id,hdb", "--json"))
    assert_equal(found["n_features"], 3)
    assert_allclose(found["silhouette"], gm.silhouette_score(X, LABELS), rtol=1e-9)
    assert "Features: 3 columns, e0 to e2; left out: id, kmeans, hdb, topic." in found["notes"]


def test_several_labelings_have_the_note_once(table, capsys):
    words = ["estimate", str(table), f"{table}:kmeans", f"{table}:hdb", "--columns", "e0,e1,e2", "--n-queries", "60"]
    assert_equal(main(words), 0)
    assert_equal(capsys.readouterr().out.count("Features:"), 1)
    assert_equal(main([*words, "--json"]), 0)
    assert_equal(len(json.loads(capsys.readouterr().out)["notes"]), 1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--drop", "Topic"], "no column is named 'Topic' (columns: e0 to e2, id, kmeans, hdb, topic)"),
        (["--columns", "e0,e7"], "no column is named 'e7'"),
        (["--columns", "e0,,e1"], "argument --columns: takes names with commas"),
        (["--columns", "kmeans"], "no column is left as a feature"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_names_that_are_refused(table, capsys, command, options, said):
    words = [command, str(table), f"{table}:kmeans", *options]
    try:
        assert_equal(main(words), 2)
    except SystemExit as ended:
        assert_equal(ended.code, 2)
    captured = capsys.readouterr()
    assert_equal((captured.out, captured.err.count("\n")), ("", 1))
    assert said in captured.err


def test_text_names_the_remedy(table, capsys):
    assert_equal(main(["evaluate", str(table), f"{table}:kmeans"]), 2)
    assert "column 7 is 'topic': leave it out with --drop topic" in capsys.readouterr().err
