"""Fixtures shared by all tests, and the backends that they run on."""

import gc
import sys
from pathlib import Path

import hypothesis
import numpy as np
import pytest

# How long an example takes says more of the machine than of the code.
hypothesis.settings.register_profile("gpumetrics", deadline=None)
hypothesis.settings.load_profile("gpumetrics")

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # helpers (catalogue, definitions, ...) are plain modules beside the tests

# scikit-learn's own files run through peer_suite.py (test_peer_suite.py), never directly.
collect_ignore_glob = ["peer_suite/*"]

BACKENDS = [
    "numpy",
    pytest.param("emulated", marks=pytest.mark.emulated),
    pytest.param("cupy", marks=pytest.mark.gpu),
]


def pytest_addoption(parser):
    parser.addoption("--require-gpu", action="store_true", help="fail, rather than skip, where no GPU can be used")


def pytest_collection_finish():
    """Take the tests themselves, thousands of objects, out of what the garbage collector scans again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def gpu_usable(request):
    """Whether the real CuPy can compute here; asked once, before anything is emulated."""
    from gpumetrics.backends import probe_cupy

    usable, reason = probe_cupy()
    if request.config.getoption("--require-gpu") and not usable:
        pytest.exit(f"--require-gpu: {reason}", returncode=1)
    return usable, reason


@pytest.fixture
def emulated(gpu_usable):
    """CuPy, emulated; what a test asks of the emulation ends with it."""
    from emulation import compile as compiling
    from emulation import fake_cupy

    if gpu_usable[0]:
        pytest.skip("the real CuPy computes here, and the two cannot share a process")
    if compiling.missing_compiler():
        pytest.skip(compiling.missing_compiler())
    with fake_cupy.installed() as cupy:
        try:
            yield cupy
            assert not fake_cupy.control.pool_emptied, "the memory pool is the user's"
        finally:
            fake_cupy.control.reset()


@pytest.fixture
def real_gpu(gpu_usable):
    """The real CuPy; the test is skipped where it cannot run."""
    usable, reason = gpu_usable
    if not usable:
        pytest.skip(f"no GPU: {reason}")
    import cupy

    return cupy


@pytest.fixture(params=BACKENDS)
def backend(request):
    """Run the test once per backend."""
    import gpumetrics as gm

    if request.param != "numpy":
        request.getfixturevalue("emulated" if request.param == "emulated" else "real_gpu")
    with gm.config_context(backend="numpy" if request.param == "numpy" else "cupy"):
        yield request.param


@pytest.fixture
def rng():
    """Random numbers with a fixed seed."""
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def data_dir():
    """The folder with the copied case files."""
    return HERE / "data"
