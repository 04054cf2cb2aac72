"""The package beside the tests, and a measured case."""

import dataclasses
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))  # `benchmarks` there is a package, and goes before this folder of the same name


@pytest.fixture(scope="session")
def measured():
    """Measure a case at its toy shape, said to be of some size, beside some peers."""
    from benchmarks.cases import named
    from benchmarks.measuring import Options, measure

    def of(name, size="full", **facts):
        case = named(name)
        from benchmarks.case import Job

        job = Job(case, size, facts.pop("shape", case.toy), facts.pop("backend", "numpy"))
        return measure(job, dataclasses.replace(Options(peers=("scikit-learn",), rounds=1, alone=False), **facts))

    return of


@pytest.fixture
def results(measured):
    """The figures of some toy runs, as the file has them."""
    from benchmarks import growth
    from benchmarks.results import Results

    found = Results()
    for name in ("sil-f32-64", "ari", "f1-macro"):
        found.put("cases", measured(name))
        found.put("cases", measured(name, "small"))
    found.put("growth", growth.grown(growth.AXES[0], toy=True))
    budget = {"case": "memory", "label": "memory of it", "unit": "MiB", "used": 10.4, "allowed": 600.0}
    found.put("budgets", budget)
    return found.data
