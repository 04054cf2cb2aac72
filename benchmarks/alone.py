"""A side's first answer, from a process of its own: the peak of memory is its own, and it may take long or crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
CAPTURED = {"capture_output": True, "text": True}


def environment():
    """The environment, with this checkout first on the path."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}


def first_answer(job, name, patience):
    """Facts (seconds, peak_mib; or lacks, or cannot), and the answer or None. `patience`: seconds that it may take."""
    facts = {"case": job.case.name, "size": job.size, "shape": asdict(job.shape), "backend": job.backend, "side": name}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answer.npy"
        command = [sys.executable, "-m", "benchmarks.child", json.dumps(facts), str(path)]
        try:
            done = subprocess.run(command, env=environment(), timeout=patience, check=False, **CAPTURED)  # noqa: S603
        except subprocess.TimeoutExpired:
            return {"cannot": f"no answer within {patience:g} s"}, None
        if done.returncode:
            return {"cannot": _why(done)}, None
        found = json.loads(done.stdout.strip().splitlines()[-1])
        return found, np.load(path) if path.exists() else None


def _why(done):
    """Why a process ended without a word."""
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}"
    return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:200]
