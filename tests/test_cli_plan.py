"""``gpumetrics plan``: text and JSON, the machine's options, one line for bad input."""

import json

import pytest
from numpy.testing import assert_allclose, assert_equal

from gpumetrics.cli import main
from gpumetrics.planning import plan

SIZES = ["--n", "1e8", "--d", "768", "--k", "1000"]


def run(capsys, *words):
    assert_equal(main(["plan", *words]), 0)
    return capsys.readouterr().out


def test_text(capsys):
    text = run(capsys, *SIZES, "--metric", "cosine")
    assert text == f"{plan(1e8, 768, 1000, metric='cosine')}\n"
    assert "100,000,000 rows x 768 features of float32, 1,000 clusters; metric cosine; X takes 307 GB" in text
    assert "Take silhouette_score with metric cosine, exact in closed form." in text
    assert "On 5 GPUs (assumed: nothing was measured on a GPU)" in text
    assert max(map(len, text.splitlines())) <= 120


def test_json_is_the_plan(capsys):
    words = ["--workers", "8", "--gpus", "16", "--queries", "5000", "--dtype", "float16", "--json"]
    data = json.loads(run(capsys, *SIZES, *words), parse_constant=pytest.fail)
    want = plan(1e8, 768, 1000, n_workers=8, n_gpus=16, n_queries=5000, dtype="float16")
    assert_equal(data, json.loads(want.to_json()))
    assert_equal(data["n_queries"], 5000)


def test_other_machines(capsys):
    words = ["--gpus", "1", "--gpu-memory", "24", "--gpu-tflops", "80", "--gpu-tflops64", "1.2", "--link", "2"]
    data = json.loads(run(capsys, *SIZES, *words, "--gpu-bandwidth", "900", "--gpu-feed", "20", "--json"))
    gpu = data["places"][1]
    names = ["memory", "float32", "float64", "bandwidth", "feed", "link"]
    assert_allclose([gpu[name] for name in names], [24e9, 80e12, 1.2e12, 900e9, 20e9, 2e9])
    assert_equal(data["places"][0]["link"], 2e9)


def test_working_memory_counts(capsys):
    small, large = (
        json.loads(run(capsys, *SIZES, "--json", "--working-memory", memory))["line_memory_bytes"]
        for memory in ("64", "128")
    )
    assert_equal([b - a for a, b in zip(small, large, strict=True)], [64 * 2**20] * len(small))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--n", "1.5", "--d", "7", "--k", "3"], "argument --n: takes a whole number such as 1e8, got '1.5'"),
        (["--n", "1_000", "--d", "7", "--k", "3"], "argument --n: takes a whole number such as 1e8, got '1_000'"),
        (["--n", "abc", "--d", "7", "--k", "3"], "argument --n: takes a whole number such as 1e8, got 'abc'"),
        (["--n", "inf", "--d", "7", "--k", "3"], "argument --n: takes a whole number"),
        (["--n", "-5", "--d", "7", "--k", "3"], "n_samples must be a whole number from 3"),
        (["--n", "100", "--d", "7"], "the following arguments are required: --k"),
        (["--n", "100", "--d", "7", "--k", "100"], "n_clusters must be from 2 to n_samples - 1 = 99"),
        ([*SIZES, "--metric", "cosin"], "metric must be one of"),
        ([*SIZES, "--dtype", "text"], "dtype must be that of real numbers"),
        ([*SIZES, "--gpu-memory", "0"], "memory of a machine must be a finite number above 0"),
        ([*SIZES, "--gpus", "0"], "n_gpus must be a whole number from 1"),
        ([*SIZES, "--working-memory", "-1"], "working_memory"),
    ],
)
def test_bad_input_is_one_line(capsys, words, message):
    try:
        code = main(["plan", *words])
    except SystemExit as stop:
        code = stop.code
    out, err = capsys.readouterr()
    assert_equal([code, out, err.count("\n")], [2, "", 1])
    assert message in err
