"""The command line, run as a user runs it: exit codes, output on any terminal, one line for bad input."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

import gpumetrics as gm
from gpumetrics.cli import main
from gpumetrics.commands import demo, demo_files, doctor, evaluate, options
from gpumetrics.text.json_text import strict_json

ROOT = Path(gm.__file__).parents[1]


def command(*arguments, **environment):
    """Run ``python -W error -m gpumetrics`` in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    line = [sys.executable, "-W", "error", "-m", "gpumetrics", *map(str, arguments)]
    return subprocess.run(line, env=env, capture_output=True, check=False, timeout=120, cwd=ROOT)


def one_line_of_error(result):
    """The error of a refused call: exit code 2, nothing on standard output, one line on standard error."""
    assert_equal((result.returncode, result.stdout), (2, b""))
    text = result.stderr.decode()
    assert_equal(text.count("\n"), 1)
    assert "Traceback" not in text
    return text.rstrip("\n")


@pytest.fixture(name="files", scope="module")
def data_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 4)) + 6 * np.eye(3, 4)[truth]
    labels = truth.copy()
    labels[:30] = -1
    np.save(folder / "x.npy", X)
    np.save(folder / "y.npy", labels)
    np.savez(folder / "all.npz", x=X.astype(np.float32), y=labels)
    (folder / "y.csv").write_text(
        "cluster\n" + "\n".join("군집" if c < 0 else f"c{c}" for c in labels), encoding="utf-8"
    )
    (folder / "truth.csv").write_text("\n".join("abc"[c] for c in truth))
    np.savetxt(folder / "x.csv", X, delimiter=",", header="a,b,c,d", comments="")
    return folder


def refused(capsys, *arguments):
    """Run in this process a call that is refused; return its one line."""
    assert_equal(main([*map(str, arguments)]), 2)
    captured = capsys.readouterr()
    assert_equal((captured.out, captured.err.count("\n")), ("", 1))
    return captured.err


def as_json(text):
    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_evaluate_prints_the_report(files):
    result = command("evaluate", files / "x.npy", files / "y.npy")
    assert_equal((result.returncode, result.stderr), (0, b""))
    text = result.stdout.decode()
    assert "30 of 150 rows (20.0 %) have the label -1" in text
    assert "silhouette" in text


def test_json_is_valid_and_holds_the_scores(files):
    result = command("evaluate", files / "x.npy", files / "y.npy", "--labels-true", files / "truth.csv", "--json")
    assert_equal((result.returncode, result.stderr), (0, b""))
    data = as_json(result.stdout)
    X, labels = np.load(files / "x.npy"), np.load(files / "y.npy")
    assert_allclose(data["silhouette"], gm.silhouette_score(X, labels, noise_label=-1), rtol=1e-12)
    assert_equal((data["adjusted_rand"], data["clustering_accuracy"]), (1.0, 1.0))
    assert_equal((data["n_noise"], data["noise_fraction"], data["cluster_label"]), (30, 0.2, [0, 1, 2]))


def test_every_kind_of_file_gives_the_same_scores(files, capsys):
    outputs = []
    for X, y in (("x.npy", "y.npy"), ("x.csv", "y.csv"), ("all.npz:x", "all.npz:y")):
        noise = "군집" if y.endswith("csv") else "-1"
        arguments = ["evaluate", f"{files}/{X}", f"{files}/{y}", "--json", "--noise-label", noise]
        assert_equal(main(arguments), 0)
        outputs.append(as_json(capsys.readouterr().out))
    for data in outputs[1:]:
        assert_allclose(data["silhouette"], outputs[0]["silhouette"], rtol=1e-6)
        assert_equal(data["n_noise"], 30)


def test_infinite_and_undefined_scores_are_null_with_a_reason(tmp_path, capsys):
    np.save(tmp_path / "x.npy", [[0.0], [0.0], [5.0], [5.0]])
    np.save(tmp_path / "y.npy", [0, 0, 1, 1])
    np.save(tmp_path / "one.npy", [7, 7, 7, 7])
    assert_equal(main(["evaluate", f"{tmp_path}/x.npy", f"{tmp_path}/y.npy", "--json"]), 0)
    data = as_json(capsys.readouterr().out)
    assert_equal(data["calinski_harabasz"], None)
    assert "no cluster has any spread" in data["calinski_harabasz_reason"]
    gate = ["--fail-under", "silhouette=-1"]
    assert_equal(main(["evaluate", f"{tmp_path}/x.npy", f"{tmp_path}/one.npy", "--json", *gate]), 1)
    data = as_json(capsys.readouterr().out)
    assert_equal((data["silhouette"], data["gates"][0]["value"], data["gates"][0]["passed"]), (None, None, False))
    assert "one cluster" in data["silhouette_reason"]
    assert_equal(data["cluster_worst_ratio"], [None])
    assert "cluster_worst_ratio_reason" in data


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--fail-under", "silhouette=0.1"], 0),
        (["--fail-under", "silhouette=0.99"], 1),
        (["--fail-over", "davies_bouldin=99"], 0),
        (["--fail-over", "davies_bouldin=0.001"], 1),
        (["--fail-over", "noise_fraction=0.2"], 0),
        (["--fail-over", "noise_fraction=0.1"], 1),
        (["--fail-under", "silhouette=0.1", "--fail-under", "calinski_harabasz=1e9"], 1),
    ],
)
def test_gates_decide_the_exit_code(files, capsys, gates, code):
    assert_equal(main(["evaluate", f"{files}/x.npy", f"{files}/y.npy", *gates]), code)
    assert ("missed" in capsys.readouterr().out) == bool(code)


def test_a_missed_gate_in_a_real_process(files):
    result = command("evaluate", files / "x.npy", files / "y.npy", "--fail-under", "silhouette=0.99")
    assert_equal((result.returncode, result.stderr), (1, b""))


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--fail-under", "silhouete=0.4"], "knows no score 'silhouete'; the scores are silhouette, "),
        (["--fail-under", "silhouette"], "takes SCORE=NUMBER"),
        (["--fail-over", "davies_bouldin=low"], "needs a finite number, got 'low'"),
        (["--fail-over", "davies_bouldin=nan"], "needs a finite number"),
        (["--fail-under", "adjusted_rand=0.5"], "needs --labels-true"),
        (["--fail-under", "silhouette=0.5", "--silhouette", "skip"], "cannot go with --silhouette skip"),
        (["--metric", "nonsense"], "nonsense"),
        (["--fail-under", "silhouette=1_0"], "needs a finite number, got '1_0'"),
        (["--noise-label", "1_0"], "--noise-label '1_0' is not a number"),
        (["--noise-label", "str:1"], "asks for a text, but the labels are numbers"),
        (["--random-state", "-1"], "random_state must be None, an integer from 0"),
        (["--noise-label", "x"], "--noise-label 'x' is not a number"),
        (["--working-memory", "-5"], "working_memory must be a positive number"),
        (["--labels-true", "missing.npy"], "missing.npy: there is no such file"),
    ],
)
def test_bad_arguments(files, capsys, arguments, reason):
    assert reason in refused(capsys, "evaluate", files / "x.npy", files / "y.npy", *arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["evaluate", "x", "y", "--metrics", "l1"],
            "unrecognized arguments: --metrics l1; did you mean --metric?",
        ),
        (["compare", "x", "y", "--lable-true", "z"], "did you mean --labels-true? (see gpumetrics compare --help)"),
        (
            ["tags", "x", "y", "more"],
            "tags: error: unrecognized arguments: more (see gpumetrics tags --help)",
        ),
    ],
)
def test_the_command_itself_complains_of_what_it_does_not_know(capsys, arguments, said):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert_equal(caught.value.code, 2)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", ["rows.csv", "rows.npy", "sub/../rows.csv"])
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_same_table_is_no_labels(tmp_path, monkeypatch, capsys, name, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    np.save("rows.npy", np.arange(20) % 2)
    (tmp_path / "rows.csv").write_text("cluster\n" + "0\n1\n" * 10)
    given = "rows.npy" if name.endswith("npy") else "rows.csv"
    assert f"{name} is given as features and as labels: name the column" in refused(capsys, command, given, name)


def test_bad_input_in_a_real_process(files, tmp_path):
    X = np.load(files / "x.npy")
    X[17, 2] = np.nan
    np.save(tmp_path / "nan.npy", X)
    np.save(tmp_path / "short.npy", np.load(files / "y.npy")[:-1])
    (tmp_path / "torn.npy").write_bytes((files / "x.npy").read_bytes()[:200])
    error = one_line_of_error(command("evaluate", tmp_path / "nan.npy", files / "y.npy"))
    assert "contains NaN" in error
    assert "row 17" in error
    assert "nan.npy" in error
    error = one_line_of_error(command("evaluate", files / "x.npy", tmp_path / "short.npy"))
    assert "[150, 149]" in error
    assert "torn.npy" in one_line_of_error(command("evaluate", tmp_path / "torn.npy", files / "y.npy"))
    assert "--silhouette" in one_line_of_error(command("evaluate", "x.npy", "y.npy", "--silhouette", "fast"))
    assert "COMMAND" in one_line_of_error(command())


def test_cupy_where_there_is_no_gpu_is_an_error(files, capsys):
    from gpumetrics.backends import probe_cupy

    if probe_cupy()[0]:
        pytest.skip("a GPU is usable here")
    error = refused(capsys, "evaluate", files / "x.npy", files / "y.npy", "--backend", "cupy")
    assert "no GPU can be used" in error


def test_settings_reach_the_library_and_end_with_the_command(files, monkeypatch):
    seen = {}
    monkeypatch.setattr(evaluate, "_evaluate", lambda _: seen.update(gm.get_config()) or pytest.fail("enough"))
    before = gm.get_config()
    with pytest.raises(pytest.fail.Exception):
        main(["evaluate", f"{files}/x.npy", f"{files}/y.npy", "--working-memory", "64", "--backend", "numpy"])
    assert_equal((seen["working_memory"], seen["backend"]), (64.0, "numpy"))
    assert_equal(gm.get_config(), before)


@pytest.mark.parametrize(
    ("features", "labels", "said"),
    [
        ("1.0,NA\n2,3\n4,5\n6,7\n", "0\n0\n1\n1\n", "line 1, column 2 holds 'NA'"),
        ("1,2\n2,3\n4,5\n6,7\n", "0\n0\n1\n1\n1\n", "[4, 5] (rows of"),
        ("1,2\n2,3\n4,5\n6,7\n", "y\n0\n1\n1\n", "'y', was read as a heading; if it is a row, add --header-labels no"),
        ("1,2\n2,3\n4,5\n", "species\nb\na\na\n", "'species', was read as a row; if it is a heading, add --header-l"),
        ("0,1\n2,3\n4,5\n6,7\n", "0\n0\n1\n1\n", "'0,1', was read as a heading; if it is a row, add --header-f"),
        ("5\n2\n4\n6\n", "0\n0\n1\n", "'5', was read as a row; if it is a heading, add --header-features yes"),
        ("1,2\n2,3\n4,5\n6,7\n", "0\n0\n1\n", "inconsistent numbers of samples: [4, 3]"),
    ],
)
def test_no_row_and_no_label_is_dropped_to_make_the_lengths_agree(tmp_path, capsys, features, labels, said):
    (tmp_path / "x.csv").write_text(features)
    (tmp_path / "y.csv").write_text(labels)
    error = refused(capsys, "evaluate", tmp_path / "x.csv", tmp_path / "y.csv")
    assert said in error
    if "was read as" in error:
        option = error.split("add ")[1].split(";")[0].split()
        assert_equal(main(["evaluate", f"{tmp_path}/x.csv", f"{tmp_path}/y.csv", *option]), 0)


def test_an_index_column_is_left_out_aloud(tmp_path, capsys):
    (tmp_path / "x.csv").write_text(",a,b\n7,1,2\n3,2,3\n9,8,9\n4,9,8\n")
    (tmp_path / "y.csv").write_text("0\n0\n1\n1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert_equal(main(["evaluate", f"{tmp_path}/x.csv", f"{tmp_path}/y.csv", "--json"]), 0)
    captured = capsys.readouterr()
    assert_equal(as_json(captured.out)["n_features"], 2)
    assert "the unnamed first column is left out, as an index" in captured.err
    assert_equal(captured.err.count("\n"), 1)


@pytest.mark.parametrize(
    ("labels", "given", "n_noise"),
    [
        (np.array([True, False, True, False, False, True]), ["--noise-label", "True"], 3),
        (np.array([True, False, True, False, False, True]), [], 0),
        (np.array([-1000.0, 1.0, 2.0, 1.0, 2.0, 1.0]), ["--noise-label", "-1e3"], 1),
        (np.array([0.1, 1, 2, 1, 2, 1], dtype=np.float32), ["--noise-label", "0.1"], 1),
        (np.array([2**63 + 1, 2**63, 1, 1, 2, 2], dtype=np.uint64), ["--noise-label", str(2**63 + 1)], 1),
        (np.array(["none", "a", "b", "a", "b", "b"]), ["--noise-label", "str:none"], 1),
        (np.array(["none", "a", "b", "a", "b", "b"]), ["--noise-label", "none"], 0),
        (np.array(["-x", "a", "b", "a", "b", "b"]), ["--noise-label", "-x"], 1),
        (np.array([10, 1, 2, 1, 2, 2]), ["--noise-label=10"], 1),
    ],
)
def test_the_noise_label_is_read_as_the_labels_are(tmp_path, capsys, labels, given, n_noise):
    np.save(tmp_path / "x.npy", np.arange(12.0).reshape(6, 2) ** 2)
    np.save(tmp_path / "y.npy", labels)
    assert_equal(main(["evaluate", f"{tmp_path}/x.npy", f"{tmp_path}/y.npy", "--json", *given]), 0)
    assert_equal(as_json(capsys.readouterr().out)["n_noise"], n_noise)


def test_the_noise_label_among_decimals_and_large_integers(tmp_path):
    from decimal import Decimal

    decimals = np.array([Decimal("0.1"), Decimal(2)], dtype=object)
    assert_equal(options.noise_label("0.1", decimals), Decimal("0.1"))
    assert_equal(options.noise_label("-1", np.array([2**70, -1], dtype=object)), -1)


@pytest.mark.skipif(os.name != "posix", reason="closes standard error as a shell does")
@pytest.mark.parametrize("arguments", ["evaluate no.npy no.npy --json", "evaluate --json", "evaluate x y --backend z"])
def test_errors_never_go_to_standard_output(arguments):
    line = f"exec {sys.executable} -m gpumetrics {arguments} 2>&-"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, check=False, cwd=ROOT, env=env)
    assert_equal((result.returncode, result.stdout), (2, b""))


def test_warnings_are_one_line(monkeypatch, capsys):
    def warn(_args):
        warnings.warn("something\nto know", UserWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(doctor, "run", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert_equal(main(["doctor"]), 0)
    assert_equal(capsys.readouterr().err, "gpumetrics: warning: something to know\n")


def test_output_on_a_terminal_that_knows_only_ascii(files):
    arguments = ["evaluate", files / "x.npy", files / "y.csv", "--noise-label", "none"]
    result = command(*arguments, PYTHONIOENCODING="ascii")
    assert_equal((result.returncode, result.stderr), (0, b""))
    assert b"\\uad70\\uc9d1" in result.stdout
    assert "군집" in command(*arguments, PYTHONIOENCODING="utf-8").stdout.decode()
    error = command("evaluate", "없음.npy", files / "y.npy", PYTHONIOENCODING="ascii")
    assert_equal((error.returncode, error.stderr.count(b"\n")), (2, 1))


@pytest.mark.skipif(os.name != "posix", reason="pipes and signals as on POSIX")
def test_a_closed_pipe_is_no_error(files):
    line = [sys.executable, "-m", "gpumetrics", "evaluate", str(files / "x.npy"), str(files / "y.npy")]
    reader, writer = os.pipe()
    os.close(reader)
    with subprocess.Popen(
        line, stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as process:
        os.close(writer)
        assert_equal((process.stderr.read(), process.wait(60)), (b"", 141))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [["doctor"], ["compare", "x.npy", *[f"y{at}.npy" for at in range(9)], "--json"]])
def test_output_that_cannot_be_written(tmp_path, words):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(40, 2)))
    for at in range(9):
        np.save(tmp_path / f"y{at}.npy", np.arange(40) % (at + 2))
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "gpumetrics", *words]  # the first fits into the buffer, the second does not
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, check=False, cwd=tmp_path, env=env)
    said = b"gpumetrics: error: the output cannot be written (No space left on device)\n"
    assert_equal((result.returncode, result.stderr), (2, said))


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_an_interrupt_is_one_line(tmp_path):
    # A pipe in place of the labels holds the command in the middle of its work.
    os.mkfifo(tmp_path / "y.csv")
    script = (
        "import sys, pathlib; from gpumetrics.sources import specs; specs.Path.is_file = lambda self: True; "
        "from gpumetrics.cli import main; print('ready', flush=True); "
        f"sys.exit(main(['evaluate', {str(tmp_path / 'y.csv')!r}, 'y.npy']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        process.stdout.readline()
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
        assert_equal((process.returncode, error), (130, b"gpumetrics: interrupted\n"))


def test_help_is_quick_and_loads_nothing_heavy():
    heavy = ("scipy", "sklearn", "pandas", "cupy", "threadpoolctl", "narwhals", "pyarrow")
    script = (
        "import sys; from gpumetrics.cli import main\n"
        "try: main(['--help'])\n"
        f"finally: print([m for m in {heavy} if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert "evaluate" in result.stdout
    assert_equal(result.stdout.splitlines()[-1], "[]")


@pytest.mark.parametrize("name", ["evaluate", "demo", "doctor"])
def test_each_command_explains_itself(capsys, name):
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert_equal(caught.value.code, 0)
    assert "usage: gpumetrics " + name in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert_equal(capsys.readouterr().out, f"gpumetrics {gm.__version__}\n")


def test_doctor_says_what_runs_and_why(capsys):
    assert_equal(main(["doctor"]), 0)
    text = capsys.readouterr().out
    for word in ("numpy", "scipy", "narwhals", "threadpoolctl", "cupy", "backend runs", "threads"):
        assert word in text
    assert_equal(main(["doctor", "--quiet"]), 0)
    assert_equal(capsys.readouterr().out.count("\n"), 1)
    assert_equal(main(["doctor", "--json"]), 0)
    data = as_json(capsys.readouterr().out)
    assert_equal((data["works"], data["backend"]), (True, "numpy"))
    assert_equal(data["packages"]["numpy"], np.__version__)


def test_doctor_fails_where_the_asked_backend_cannot_run():
    from gpumetrics.backends import probe_cupy

    if probe_cupy()[0]:
        pytest.skip("a GPU is usable here")
    result = command("doctor", "--quiet", GPUMETRICS_BACKEND="cupy")
    assert_equal((result.returncode, result.stderr), (1, b""))
    assert b"no backend works" in result.stdout
    assert_equal(command("doctor", "--json", GPUMETRICS_BACKEND="quantum").returncode, 1)


@pytest.mark.parametrize(
    ("driver", "line"),
    [
        (None, "no NVIDIA driver was found"),
        (11, "update it to CUDA 12 or later"),
        (12, 'pip install "gpumetrics[cuda12]"'),
        (13, 'pip install "gpumetrics[cuda13]"'),
    ],
)
def test_doctor_names_the_extra_for_the_driver(monkeypatch, driver, line):
    monkeypatch.setattr(doctor, "_driver_cuda", lambda: driver)
    assert line in doctor.gpu_install()


@pytest.fixture(name="demo_text", scope="module")
def text_of_the_demo():
    pytest.importorskip("sklearn")
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert_equal(main(["demo"]), 0)
    assert time.perf_counter() - started < 60
    return out.getvalue()


def test_demo(demo_text):
    assert "Clustering report: 1,797 rows x 64 features" in demo_text
    rows = [line for line in demo_text.splitlines() if line.split()[:1] in [[str(k)] for k in demo.CLUSTERS]]
    assert len(rows) >= len(demo.CLUSTERS)


def test_demo_prints_what_it_ran(demo_text):
    text = " ".join(demo_text.split())
    call = "gpumetrics.sweep(X, KMeans(n_init=4), n_clusters=range(2, 16), labels_true=y, random_state=0)"
    assert f"The same in Python: X, y = load_digits(return_X_y=True) comparison = {call}" in text


def test_demo_names_each_choice_and_the_question(demo_text):
    text = " ".join(demo_text.split())
    assert re.search(r"The scores disagree: .* prefers? K = \d+, .* prefers? K = \d+\.", text)
    assert "they are not averaged" in text
    assert re.search(r"differ for your purpose\? Yes: take K = \d+\. No: take K = \d+\.", text)


def test_files_of_the_demo_are_what_the_commands_read(tmp_path, monkeypatch, capsys):
    from sklearn.datasets import load_digits

    X, y = (part[:300] for part in load_digits(return_X_y=True))
    demo_files.save_files(tmp_path / "new" / "folder", X, y, np.where(y == 8, 9, y) // 3)
    monkeypatch.chdir(tmp_path / "new" / "folder")
    assert_equal(sorted(path.name for path in Path().iterdir()), sorted(demo_files.NAMES))
    assert_equal(main(["evaluate", "table.csv", "table.csv:label", "--json"]), 0)
    from_table = json.loads(capsys.readouterr().out)
    assert_equal(main(["evaluate", "embeddings.npy", "kmeans.npy", "--json"]), 0)
    from_arrays = json.loads(capsys.readouterr().out)
    assert_allclose(from_table["silhouette"], from_arrays["silhouette"], atol=1e-6)
    assert_equal(main(["compare", "embeddings.npy", "kmeans.npy", "dbscan.npy"]), 0)
    assert_equal(main(["tags", "truth.jsonl", "predicted.jsonl"]), 0)
    assert "300 documents" in capsys.readouterr().out


def test_files_of_the_demo_replace_nothing(tmp_path, capsys):
    (tmp_path / "labels.npy").write_bytes(b"mine")
    assert "has a labels.npy already, which is not overwritten" in refused(capsys, "demo", "--save", str(tmp_path))
    assert "is a file; name a folder" in refused(capsys, "demo", "--save", str(tmp_path / "labels.npy"))
    assert_equal((tmp_path / "labels.npy").read_bytes(), b"mine")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "table.csv").symlink_to("../elsewhere.csv")  # which is not there: writing would make it
    assert "has a table.csv already" in refused(capsys, "demo", "--save", str(tmp_path / "new"))
    assert not (tmp_path / "elsewhere.csv").exists()


def test_demo_without_scikit_learn_names_the_command(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert 'pip install "gpumetrics[demo]"' in refused(capsys, "demo")


def test_strict_json_keeps_given_reasons():
    text = strict_json({"a": float("nan"), "a_reason": "why", "b": [1.0, float("inf")], "c": {"d": float("-inf")}})
    expected = {
        "a": None,
        "a_reason": "why",
        "b": [1.0, None],
        "b_reason": "the value is infinite",
        "c": {"d": None, "d_reason": "the value is infinite"},
    }
    assert_equal(as_json(text), expected)
