"""The pages that docs/_generate writes are what it would write now."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "_generate"


def generated(*arguments):
    # A process of its own: it takes the emulation's CuPy for the real one.
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], env=env, capture_output=True, text=True, check=False, cwd=ROOT
    )


@pytest.fixture(autouse=True)
def possible():
    from emulation import compile as compiling

    if not SCRIPT.exists():
        pytest.skip("the tests run without the documents")
    if compiling.missing_compiler():
        pytest.skip(compiling.missing_compiler())


@pytest.mark.emulated
def test_they_are_current():
    found = generated("--check")
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_every_metric_has_its_line():
    import catalogue

    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    without_a_line = {
        name
        for name in [metric.name for metric in catalogue.METRICS + catalogue.TARGETS] + list(catalogue.OBJECTS)
        if f"\n| `{name}` |" not in page
    }
    # What compares or fits clusterings, and what draws, is no metric.
    others = {"attribute_check", "compare_labelings", "stability", "sweep"}
    assert without_a_line - others == {name for name in catalogue.OBJECTS if name.endswith("Display")}
