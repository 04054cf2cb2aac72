"""benchmarks/scaling.py runs, and its figures are what they are called."""

import importlib.util
import json
from pathlib import Path

import pytest
from numpy.testing import assert_allclose, assert_equal

from gpumetrics.planning import plan

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "scaling.py"


@pytest.fixture(name="scaling")
def script():
    spec = importlib.util.spec_from_file_location("scaling", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_every_metric_at_four_toy_sizes(scaling, capsys, tmp_path):
    scaling.main(["--toy", "--json", str(tmp_path / "out.json")])
    data = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert_equal([line["work"] for line in data["lines"]], [name for name in scaling.CASES for _ in range(4)])
    for line in data["lines"]:
        work, metric, *_ = scaling.CASES[line["work"]]
        sizes = line["n_samples"], line["n_features"], line["n_clusters"]
        assert_allclose(line["predicted"], plan(*sizes, metric=metric).line(work, scaling.HERE)["seconds"])
        assert_allclose(line["ratio"], line["predicted"] / line["measured"])
        assert line["measured"] > 0
    printed = capsys.readouterr().out.splitlines()
    assert_equal(sum(line.startswith("| ") for line in printed), 1 + len(data["lines"]))
    assert "load_before" in printed[-1]


def test_some_metrics_only(scaling, capsys):
    scaling.main(["--toy", "Rand", "F1"])
    assert_equal(sum(line.startswith(("| adjusted Rand", "| F1")) for line in capsys.readouterr().out.splitlines()), 8)
    assert len(scaling.CASES) > 2


def test_measured_takes_the_better_of_two(scaling):
    calls = []
    scaling.measured(calls.append, [1])
    assert_equal(calls, [1, 1])


def test_real_sizes_are_four_and_differ(scaling):
    for _, _, _, sizes in scaling.CASES.values():
        assert_equal(len(set(sizes)), 4)
