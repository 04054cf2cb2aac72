"""What must not be exceeded, whatever the peers do: the time of the import, and the memory of a silhouette."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
from datetime import datetime

import numpy as np

from . import alone, memory
from .agreement import judge
from .truth import silhouettes_of

IMPORT_SECONDS, MEMORY_MIB = 0.15, 600.0
WORKING_MIB, N, D = 256, 40_000, 32
HEAVY = ("cupy", "sklearn", "dask", "pandas", "matplotlib")
PLAIN = "import numpy, scipy.special"
TIMES = 7


def run_python(code, **variables):
    """What a new interpreter prints, and the processor seconds that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command, env = [sys.executable, "-c", code], alone.environment() | variables
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def import_seconds():
    """Processor seconds that importing the package adds to those of NumPy and SciPy. It must load nothing heavy."""
    loaded, _ = run_python(f"import gpumetrics, sys; print([m for m in {HEAVY} if m in sys.modules])")
    if loaded.strip() != "[]":
        raise ImportError(f"import gpumetrics loads {loaded.strip()}")
    one = {"OPENBLAS_NUM_THREADS": "1"}  # threads that spin while they start would blur the processor time
    pairs = [[run_python(code, **one)[1] for code in (PLAIN, f"{PLAIN}, gpumetrics")] for _ in range(TIMES)]
    return max(0.0, statistics.median(full - plain for plain, full in pairs))


def memory_above_import(k):
    """MiB at the peak of a silhouette in a new process, its data included, above what the import takes."""
    printed, _ = run_python(f"from benchmarks.budgets import one_silhouette; one_silhouette({k})")
    return json.loads(printed)


def one_silhouette(k):
    """In the new process: print the peak, after some rows were compared with the definition."""
    import gpumetrics as gm  # noqa: PLC0415

    rng = np.random.default_rng(0)
    gm.set_config(working_memory=WORKING_MIB)
    gm.silhouette_samples(rng.normal(size=(300, D)).astype(np.float32), np.arange(300) % 3)
    memory.reset_peak()
    before = memory.peak_mib()
    labels = rng.permutation(np.arange(N) % k)
    X = rng.normal(size=(k, D)).astype(np.float32)[labels] + rng.normal(size=(N, D)).astype(np.float32)
    found = gm.silhouette_samples(X, labels)
    peak = memory.peak_mib() - before
    rows = np.unique(np.random.default_rng(1).integers(0, N, 60))
    verdict = judge(found[rows], silhouettes_of(rows, X.astype(np.float64), labels, "euclidean"), atol=1e-6, rtol=0)
    if verdict.state != "ok":
        raise ArithmeticError(f"the silhouettes of k = {k} are wrong: gpumetrics {verdict.reason}")
    print(json.dumps(peak))


SILHOUETTE = f"memory of a silhouette, {N // 1000}k x {D}, working_memory={WORKING_MIB}, above the import"
BUDGETS = {
    "import-time": ("import, beyond that of NumPy and SciPy", "s", IMPORT_SECONDS, import_seconds),
    "memory": (f"{SILHOUETTE}, k = 20", "MiB", MEMORY_MIB, lambda: memory_above_import(20)),
    "memory-k20000": (f"{SILHOUETTE}, k = 20,000", "MiB", MEMORY_MIB, lambda: memory_above_import(20_000)),
}


def kept(name):
    """What is used and what is allowed."""
    label, unit, allowed, used = BUDGETS[name]
    date = datetime.now().isoformat(timespec="minutes")
    return {"case": name, "label": label, "unit": unit, "used": used(), "allowed": allowed, "date": date}
