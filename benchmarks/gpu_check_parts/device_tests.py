"""The tests that need a GPU, by pytest; or, where it is not installed, a small check of the same kind."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
LONGEST, SHARE = 150, 0.4  # seconds, and share of the budget that is left, that the tests may take
NAME = "tests that did not pass on the device"
METRICS = ("euclidean", "sqeuclidean", "cosine", "correlation", "manhattan", "chebyshev", "canberra", "braycurtis")
COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|deselected|warnings?)\b")


def device_tests(check):
    """Run pytest, or else the small check."""
    check.expect(NAME, "not reached")
    if not check.sizes.run_pytest:
        check.note("pytest was not asked for at these sizes: a small check took its place.")
    elif importlib.util.find_spec("pytest") is None:
        check.note("pytest is not installed: a small check took its place.")
    else:
        _run_pytest(check)
        return
    _small_check(check)


def _run_pytest(check):
    check.cp.get_default_memory_pool().free_all_blocks()  # the tests are another process
    seconds = min(LONGEST, SHARE * check.left())
    command = [sys.executable, "-m", "pytest", "-m", "gpu", "--require-gpu", "-q", "-p", "no:cacheprovider"]
    # What other versions of libraries warn of is no failure here. A module that needs an absent library is told below.
    command += ["-W", "default", "--continue-on-collection-errors", "--no-header", "--tb=short"]
    if importlib.util.find_spec("xdist") is not None:
        command += ["-n", str(min(4, os.cpu_count() or 1))]
    output, code = run(command, seconds)
    found = read(output)
    found["ended"] = code is not None
    check.row(command=" ".join(["pytest", *command[3:7]]), **{k: v for k, v in found.items() if k != "lines"})
    for line in found["lines"][:20]:
        check.note(line)
    problems = found["failed"] + found["errors"]
    if code is None:
        check.note(f"Stopped after {seconds:.0f} s: {found['reached']} of the tests had run.")
    if code == 5:
        check.expect(NAME, "pytest found no test with the marker gpu")
    elif problems or (code in {0, 1} and found["passed"]):
        check.bar(NAME, problems, 0)
    else:
        said = " ".join(output[-300:].split())
        check.expect(NAME, "stopped before the end" if code is None else f"pytest ended with {code}: {said}")


def run(command, seconds):
    """Run a command in the checkout; its output, and its exit code or None if it had to be stopped."""
    environment = {name: value for name, value in os.environ.items() if "TF32" not in name}  # set by this program
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with subprocess.Popen(  # noqa: S603
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            return process.communicate(timeout=seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            # Its workers too.
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0], None


def read(output):
    """Counts and the lines about failures in pytest's output; errors over absent libraries stand apart."""
    closing = next((line for line in reversed(output.splitlines()) if COUNT.search(line)), "")
    counts = {name.rstrip("s") if name.startswith("error") else name: int(n) for n, name in COUNT.findall(closing)}
    lines = [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    absent = [line for line in lines if line.startswith("ERROR ") and "No module named" in line]
    percent = re.findall(r"\[ *(\d+%)\]", output)
    # One letter a test: all there is where pytest was stopped.
    letters = "".join(re.findall(r"^([.FEsxX]+) *(?:\[|$)", output, re.MULTILINE))
    return {
        "passed": counts.get("passed", letters.count(".")),
        "failed": counts.get("failed", letters.count("F")),
        "errors": max(0, counts.get("error", letters.count("E")) - len(absent)),
        "skipped": counts.get("skipped", 0),
        "modules without their library": len(absent),
        "reached": percent[-1] if percent else "nothing",
        "lines": lines,
    }


def _small_check(check):
    """Each function on host arrays and on device arrays, against the NumPy backend."""
    differing = [name for name, call in _calls(check.gm).items() if not _agrees(check, name, call)]
    check.bar(NAME, len(differing), 0)


def _calls(gm):
    agreement = ("adjusted_rand_score", "normalized_mutual_info_score", "adjusted_mutual_info_score", "v_measure_score")
    agreement += ("rand_score", "fowlkes_mallows_score", "mutual_info_score", "clustering_accuracy")
    agreement += ("contingency_matrix", "pair_confusion_matrix")
    calls = {name: lambda _, a, b, name=name: getattr(gm, name)(a, b) for name in agreement}
    for name in ("calinski_harabasz_score", "davies_bouldin_score"):
        calls[name] = lambda X, a, _, name=name: getattr(gm, name)(X, a)
    for metric in METRICS:
        calls[f"silhouette, {metric}"] = lambda X, a, _, metric=metric: gm.silhouette_samples(X, a, metric=metric)
    return calls


def _agrees(check, name, call):
    cp, gm = check.cp, check.gm
    rng = np.random.default_rng(0)
    n = 150 if check.sizes.judge_speed else 60
    a = rng.integers(0, 5, n)
    b = np.where(rng.random(n) < 0.7, a, rng.integers(0, 4, n))
    X = rng.normal(size=(n, 20)) + a[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with gm.config_context(backend="numpy"):
            expected = np.asarray(call(X, a, b))
        with gm.config_context(backend="cupy"):
            results = [call(X, a, b), call(*map(cp.asarray, (X, a, b)))]
    host = [np.asarray(cp.asnumpy(r) if isinstance(r, cp.ndarray) else r, dtype=np.float64) for r in results]
    error = float(np.max([np.max(np.abs(value - expected)) for value in host]))
    check.row(function=name, **{"from host and device, against the CPU": error}, holds=error <= 1e-10)
    return error <= 1e-10
