"""Fixtures shared by all tests."""

import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # helpers (catalogue, definitions, ...) are plain modules beside the tests

# scikit-learn's own files run through peer_suite.py (test_peer_suite.py), never directly.
collect_ignore_glob = ["peer_suite/*"]

BACKENDS = ["numpy"]  # the GPU part adds "emulated" and "cupy"


@pytest.fixture(params=BACKENDS)
def backend(request):
    """Run the test once per backend."""
    import gpumetrics as gm

    with gm.config_context(backend=request.param):
        yield request.param


@pytest.fixture
def rng():
    """Random numbers with a fixed seed."""
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def data_dir():
    """The folder with the copied case files."""
    return HERE / "data"
