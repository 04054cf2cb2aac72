"""The program for a machine with a GPU, at toy sizes on the emulation: what it says, and that it sees what is wrong."""

import contextlib
import importlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from emulation import compile as compiling
from emulation import fake_cupy
from numpy.testing import assert_array_equal

import gpumetrics as gm

pytestmark = pytest.mark.emulated
ROOT = Path(__file__).parents[1]
SECTIONS = [
    "Device",
    "Accuracy",
    "Tests",
    "Silhouettes over bare matrix products",
    "Peers",
    "Torch",
    "Little memory",
    "Other metrics",
    "More silhouettes",
]


@pytest.fixture(scope="module")
def program():
    """The program and its parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        main = importlib.import_module("gpu_check")
        names = (
            "accuracy",
            "device_tests",
            "made_data",
            "memory",
            "peers",
            "report",
            "session",
            "silhouettes",
            "sizes",
        )
        parts = {name: importlib.import_module(f"gpu_check_parts.{name}") for name in names}
        yield SimpleNamespace(main=main, **parts)


@pytest.fixture(scope="module")
def cupy(gpu_usable):
    """CuPy, emulated. The program empties the memory pool, which is its own."""
    if gpu_usable[0]:
        pytest.skip("the real CuPy computes here, and the two cannot share a process")
    if compiling.missing_compiler():
        pytest.skip(compiling.missing_compiler())
    with fake_cupy.installed() as module, pytest.MonkeyPatch.context() as patch:
        for name in ("CUPY_TF32", "NVIDIA_TF32_OVERRIDE"):
            patch.setenv(name, "")  # what the program sets ends with the tests
        yield module
        fake_cupy.control.reset()


@pytest.fixture
def check(cupy, program):
    """A run in which nothing has been measured yet."""
    run = program.session.Check(cupy, gm, program.sizes.TOY, budget=600.0)
    run.section = "here"
    return run


@pytest.fixture(scope="module")
def whole(cupy, program, tmp_path_factory):
    """A whole run: its exit code, what it printed, its JSON."""
    path = tmp_path_factory.mktemp("gpu_check") / "result.json"
    with contextlib.redirect_stdout((path.parent / "printed").open("w+", encoding="utf-8")) as printed:
        code = program.main.main(["--toy", "--json", str(path)])
        printed.seek(0)
        text = printed.read()
        printed.close()
    return SimpleNamespace(code=code, text=text, json=json.loads(path.read_text(encoding="utf-8")))


def rows(whole, section):
    return whole.json["tables"][section]


# ---------------------------------------------------------------------------------------------
# A whole run


def test_nothing_fails(whole):
    assert whole.json["errors"] == []
    assert whole.code == whole.json["exit_code"] == 0
    assert list(whole.json["timings"]) == SECTIONS
    assert "Nothing failed" in whole.text
    for title in SECTIONS:
        assert f"\n## {title} (" in whole.text


def test_facts(whole):
    facts = whole.json["facts"]
    assert "Emulated GPU, compute capability 9.0" in facts["gpu"]
    assert facts["versions"]["numpy"] == np.__version__
    assert "gpumetrics" in facts["gpumetrics"]
    assert facts["date"].startswith("20")


def test_accuracy(whole, program):
    table = rows(whole, "Accuracy")
    assert len(table) == 2 * len(program.sizes.TOY.hostile)
    assert all(row["holds"] and row["same bits"] for row in table)
    measured = [row[name] for row in table for name in (*program.accuracy.METRICS, "CH", "DB") if row[name] is not None]
    assert len(measured) > 6 * len(table) - 10
    assert max(measured) < 1e-6


def test_bars(whole):
    bars = {bar["name"]: bar for bar in whole.json["bars"]}
    passed = [name for name, bar in bars.items() if bar["verdict"] == "PASS"]
    assert {
        "largest error, float32",
        "largest error, float64",
        "the same bits in every repeat",
        "tests that did not pass on the device",
        "largest difference of a silhouette where memory is short",
    } <= set(passed)
    speed = [bar for name, bar in bars.items() if "bare products" in name]
    assert len(speed) == 2
    for bar in speed:  # figures of an emulation mean nothing
        assert bar["verdict"] == "not judged"
        assert bar["value"] > 0
        assert (bar["limit"], bar["at_most"]) == (1.5, True)


def test_timings(whole, program):
    toy = program.sizes.TOY
    table = rows(whole, "Silhouettes over bare matrix products") + rows(whole, "More silhouettes")
    assert [(row["case"], row["dtype"]) for row in table] == [
        (str(case), dtype) for case in (*toy.bars, *toy.grid) for dtype in ("float32", "float64")
    ]
    for row in table:
        assert row["ratio"] == pytest.approx(row["seconds"] / row["products"])
        assert row["pairs per second"] > 0
        assert row["MiB"] > 0
    cases = " ".join(row["case"] for row in rows(whole, "Other metrics"))
    for name in (
        "cosine",
        "many clusters",
        "adjusted_rand",
        "normalized_mutual",
        "adjusted_mutual",
        "calinski",
        "davies",
    ):
        assert name in cases
    assert cases.count("rows on the host") == cases.count("rows on the device") == 2


def test_what_is_absent_is_told(whole):
    left_out = [one["what"] for one in whole.json["skipped"]]
    if importlib.util.find_spec("torch") is None:
        assert left_out == ["torch.cdist, torchmetrics, KeOps", "cuML", "torch"]
        assert "torch with CUDA is needed" in whole.text


def test_scores_do_not_depend_on_where_rows_lie(whole):
    values = {row["case"]: row["value"] for row in rows(whole, "Other metrics")}
    for case, value in values.items():
        if case.endswith("on the host"):
            assert value == pytest.approx(values[case.replace("on the host", "on the device")], abs=1e-6)


# ---------------------------------------------------------------------------------------------
# What must not pass


def wrong(**functions):
    """The package with some functions replaced."""
    return SimpleNamespace(**{name: getattr(gm, name) for name in gm.__all__} | functions)


def verdicts(check):
    return {name: bar.verdict for name, bar in check.bars.items()}


def few_tables(check, program):
    check.sizes = program.sizes.replace(check.sizes, hostile={"blobs": check.sizes.hostile["blobs"]})


@pytest.mark.parametrize("name", ["silhouette_samples", "davies_bouldin_score", "adjusted_rand_score"])
@pytest.mark.parametrize("factor", [1.01, math.nan])
def test_a_score_that_is_wrong(check, program, name, factor):
    few_tables(check, program)
    check.gm = wrong(**{name: lambda *args, **kwds: getattr(gm, name)(*args, **kwds) * factor})
    program.accuracy.accuracy(check)
    assert verdicts(check)["largest error, float64"] == "FAIL"
    assert verdicts(check)["the same bits in every repeat"] == "PASS"
    assert check.exit_code() == 1
    program.report.write_json(os.devnull, check)  # nan is text there


def test_bits_that_vary(check, program):
    few_tables(check, program)
    calls = []

    def varying(X, labels):
        calls.append(1)
        return gm.calinski_harabasz_score(X, labels) * (1 + 1e-15 * len(calls))

    check.gm = wrong(calinski_harabasz_score=varying)
    program.accuracy.accuracy(check)
    assert verdicts(check)["the same bits in every repeat"] == "FAIL"
    assert verdicts(check)["largest error, float64"] == "PASS"


def test_the_small_check(check, program):
    check.gm = wrong(
        config_context=gm.config_context,
        rand_score=lambda a, b: gm.rand_score(a, b) + (0.01 if gm.get_config()["backend"] == "cupy" else 0),
    )
    program.device_tests.device_tests(check)
    (bar,) = check.bars.values()
    assert (bar.value, bar.verdict) == (1, "FAIL")
    assert [row["function"] for row in check.tables["here"] if not row["holds"]] == ["rand_score"]


def test_an_error_ends_its_section_only(check, program, monkeypatch, capsys):
    def broken(_):
        raise ValueError("on purpose")

    monkeypatch.setattr(program.main, "sections", lambda: {"one": broken, "two": lambda c: c.bar("x", 1, 2)})
    monkeypatch.setattr(program.main, "Check", lambda *_: check)
    asked = SimpleNamespace(toy=True, quick=False, budget=600.0, json=None)
    assert program.main.run(check.cp, gm, asked).exit_code() == 1
    printed = capsys.readouterr()
    assert "ERROR in the section: ValueError: on purpose" in printed.out
    assert "| x | 1 | at most 2 | PASS |" in printed.out


# ---------------------------------------------------------------------------------------------
# No GPU, no time, no memory


def test_without_a_device(cupy, program, capsys, tmp_path):
    from gpumetrics.backends import probe_cupy

    probe_cupy.cache_clear()
    with fake_cupy.control.set(n_devices=0):
        code = program.main.main(["--json", str(tmp_path / "none.json")])
    probe_cupy.cache_clear()
    assert code == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("gpu_check: nothing was measured: no GPU can be used here: CuPy finds no CUDA device")
    assert not (tmp_path / "none.json").exists()


def test_as_a_command():
    environment = {**os.environ, "PYTHONPATH": ".", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "benchmarks/gpu_check.py", "--quick"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith("gpu_check: nothing was measured: no GPU can be used here")
    assert done.stdout.count("\n") == 1


def test_without_time(cupy, program, capsys):
    assert program.main.main(["--toy", "--budget", "0"]) == 2
    printed = capsys.readouterr().out
    assert printed.count("left out: the section: the budget is used up") == len(SECTIONS)
    assert "Nothing was measured" in printed


def test_a_call_that_hangs(check, program, monkeypatch, capsys, tmp_path):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    check.bar("before", 1, 2)
    program.main.give_up(check, str(tmp_path / "result.json"))
    assert ended == [1]
    assert "| before | 1 | at most 2 | PASS |" in capsys.readouterr().out
    found = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert found["errors"][0]["what"] == "section here"


def test_cases_that_would_take_too_long(check):
    assert check.affords(10, "short")
    assert not check.affords(200, "long")
    check.started -= 595
    assert not check.affords(10, "late")
    assert [one["what"] for one in check.skipped] == ["long", "late"]
    assert "a case may take 90 s" in check.skipped[0]["why"]
    assert "5 s of the budget are left" in check.skipped[1]["why"]


def test_long_cases_run_once_over_some_of_the_tiles(check, program, monkeypatch):
    monkeypatch.setattr(program.silhouettes, "ROUND_SECONDS", 0)
    monkeypatch.setattr(program.silhouettes, "PRODUCT_SECONDS", 1e-6)
    check.sizes = program.sizes.replace(check.sizes, bars=(program.sizes.Case(130, 20, 4),))
    with gm.config_context(working_memory=0.02):  # several tiles
        program.silhouettes.bars(check)
    for row in check.tables["here"]:
        assert row["spread"].endswith("of 1")
        assert row["products from"] in {f"{share}% of the tiles" for share in range(1, 60)}


def test_data_that_do_not_fit(check):
    with check.guarded("large"):
        raise check.cp.cuda.memory.OutOfMemoryError(10, 5)
    assert check.errors == []
    assert check.skipped[0]["what"] == "large"
    with check.guarded("broken"):
        raise MemoryError("the GPU has too little memory for tiles")
    assert check.errors[0]["what"] == "broken"


def test_allocations_that_are_refused(check, program, monkeypatch):
    streams = fake_cupy.streams
    allocate = streams.allocate

    @contextlib.contextmanager
    def using_allocator(malloc):
        def refusing(nbytes):
            malloc(nbytes)
            return allocate(nbytes)

        with monkeypatch.context() as patch:
            patch.setattr(streams, "allocate", refusing)
            yield

    monkeypatch.setattr(check.cp.cuda, "using_allocator", using_allocator, raising=False)
    monkeypatch.setattr(fake_cupy.cupy.cuda.MemoryPool, "malloc", lambda pool, size: None, raising=False)
    program.memory.short_of_memory(check)
    table = check.tables["here"]
    assert [row["holds"] for row in table] == [True] * 3
    assert int(table[2]["memory"].split()[0]) > 0
    assert not check.notes["here"][0].startswith("No allocation")
    # The limits of the pool made the call take less.
    wanted = float(check.notes["here"][-1].split()[-2])
    assert wanted > 1.5 * table[0]["MiB"] > 1.5 * table[1]["MiB"]


# ---------------------------------------------------------------------------------------------
# The tests on the device

CLOSING = "12 passed, 3 skipped, 900 deselected, 1 warning in 4.2s"


@pytest.mark.parametrize(
    ("output", "code", "value", "verdict"),
    [
        (f"...... [100%]\n{CLOSING}\n", 0, 0, "PASS"),
        ("FAILED tests/a.py::b - assert 0\n1 failed, 12 passed in 4.2s\n", 1, 1, "FAIL"),
        ("ERROR tests/a.py - NameError: x\n12 passed, 1 error in 4.2s\n", 1, 1, "FAIL"),
        ("ERROR tests/a.py - ModuleNotFoundError: No module named 'polars'\n12 passed, 1 error in 1s\n", 1, 0, "PASS"),
        ("...... [ 40%]\n", None, None, "NOT MEASURED"),
        ("...F.E [ 40%]\n..", None, 2, "FAIL"),
        ("! _pytest.outcomes.Exit: --require-gpu: busy !\nno tests ran in 0.1s\n", 1, None, "NOT MEASURED"),
        ("no tests ran in 0.1s\n", 5, None, "NOT MEASURED"),
        ("ERROR: usage\n", 4, None, "NOT MEASURED"),
    ],
)
def test_what_pytest_says(check, program, monkeypatch, output, code, value, verdict):
    asked = []
    monkeypatch.setattr(program.device_tests, "run", lambda command, seconds: asked.append(command) or (output, code))
    check.sizes = program.sizes.replace(check.sizes, run_pytest=True)
    program.device_tests.device_tests(check)
    (bar,) = check.bars.values()
    assert (bar.value, bar.verdict) == (value, verdict)
    assert asked[0][1:6] == ["-m", "pytest", "-m", "gpu", "--require-gpu"]
    if code is None:
        assert any("40% of the tests had run" in note for note in check.notes["here"])
    if output.endswith(f"{CLOSING}\n"):
        assert check.tables["here"][0]["passed"] == 12


def test_a_command_that_does_not_end(program):
    command = [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)"]
    output, code = program.device_tests.run(command, 1.0)
    assert (output, code) == ("begun\n", None)
    assert program.device_tests.run([sys.executable, "-c", "import gpumetrics; raise SystemExit(3)"], 60) == ("", 3)


# ---------------------------------------------------------------------------------------------
# Data and peers


def test_made_data(cupy, program, monkeypatch):
    made, case = program.made_data, program.sizes.Case(4000, 3, 5)
    X, labels = (array.get() for array in made.blobs(cupy, case, "float32"))
    assert (X.dtype, labels.dtype) == (np.float32, np.int64)
    assert_array_equal(np.unique(labels), np.arange(5))
    assert len(np.unique(X, axis=0)) == 4000
    noise = made.normals(cupy, 0, 40_000, 1, np.float64).get()
    assert abs(noise.mean()) < 0.02
    assert abs(noise.std() - 1) < 0.02
    assert abs(np.mean(noise > 1.96) - 0.025) < 0.004
    true, other = (array.get() for array in made.two_labelings(cupy, 4000, 7))
    assert 0.6 < np.mean(true == other) < 0.72
    monkeypatch.setattr(made, "BLOCK", 1000)  # the same numbers, however many are made at a time
    assert_array_equal(made.blobs(cupy, case, "float32")[0].get(), X)
    assert_array_equal(made.two_labelings(cupy, 4000, 7)[1].get(), other)


def test_a_peer_that_fails_is_told(check, program):
    def make(_):
        raise RuntimeError("no kernel image is available")

    assert program.peers._compare(check, "peer", str, make, 10, power=1) is None
    assert check.skipped == [
        {"section": "here", "what": "peer, 10", "why": "RuntimeError: no kernel image is available"}
    ]
    assert check.exit_code() == 2
