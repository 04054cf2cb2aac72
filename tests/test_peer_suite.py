"""scikit-learn's own test files on our functions (minutes: marker slow). See peer_suite/README.md."""

import subprocess
import sys
from pathlib import Path

import pytest

SUITE = Path(__file__).parent / "peer_suite" / "peer_suite.py"


@pytest.mark.slow
def test_scikit_learns_own_tests_pass():
    pytest.importorskip("sklearn")
    command = [sys.executable, str(SUITE), "--min", "100", "--min-counted", "1200"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200, cwd=SUITE.parents[2])
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
