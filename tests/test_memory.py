"""Peak memory follows working_memory: neither n x n, nor n x k, nor k x k ever exists (C16)."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

PEAK = """
    import sys
    from pathlib import Path
    import numpy as np
    import gpumetrics as gm

    def peak():   # not ru_maxrss, which a child takes over from its parent
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    {data}
    def call(X, y):
        return {call}
    call(X[:200], y[:200] % 3)   # what the first call loads is not counted
    before = peak()
    with gm.config_context(working_memory={working_memory}):
        value = call(X, y)
    print(value, peak() - before)
"""
HUNDRED = "n = 20_000; X = (np.arange(n) % 100).astype(float)[:, None]; "
NORMAL = "n = {n}; X = np.random.default_rng(0).normal(size=(n, {d})).astype('float32'); y = np.arange(n) % {k}"


def run(data, call, working_memory=64):
    """The value and the MiB that the call took at its peak, in a process of its own."""
    code = textwrap.dedent(PEAK).format(data=data, call=call, working_memory=working_memory)
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert child.returncode == 0, child.stderr
    return tuple(map(float, child.stdout.split()))


def test_two_clusters():  # n x n is 3.2 GB
    value, peak = run(HUNDRED + "y = X[:, 0].astype(int) // 50", "gm.silhouette_score(X, y)")
    assert_allclose(value, 0.6268812336414383, rtol=1e-10)
    assert peak < 150


def test_as_many_clusters_as_pairs():  # n x k is 1.6 GB
    value, peak = run(HUNDRED + "y = np.arange(n) // 2", "gm.silhouette_score(X, y)")
    # Pairs (0, 1), (2, 3) ... laid 200 times over each other: a = 1 and b = mean(0, 1).
    assert_allclose(value, -0.5, rtol=1e-10)
    assert peak < 150


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "correlation", "manhattan"])
def test_closed_forms(metric):  # n x k is 1.6 GB
    data = NORMAL.format(n=20_000, d=4, k=10_000)
    value, peak = run(data, f"gm.silhouette_score(X, y, metric={metric!r})")
    assert -1 <= value <= 1
    assert peak < 150


def test_tiled_metrics():  # n x k is 256 MB, n x n 512 MB
    data = NORMAL.format(n=8000, d=4, k=4000)
    value, peak = run(data, "gm.silhouette_score(X, y, metric='chebyshev')")
    assert -1 <= value <= 1
    assert peak < 150


def test_many_labelings():  # n x cells is 230 MB
    data = NORMAL.format(n=12_000, d=4, k=12_000)
    value, peak = run(data, "gm.silhouette_scores(X, [y % k for k in (2, 3, 5, 7, 11)])[0]")
    assert -1 <= value <= 1
    assert peak < 150


def test_davies_bouldin():  # k x k is 800 MB
    value, peak = run(NORMAL.format(n=20_000, d=4, k=10_000), "gm.davies_bouldin_score(X, y)")
    assert value > 0
    assert peak < 150


@pytest.mark.parametrize("name", ["adjusted_mutual_info_score", "fowlkes_mallows_score", "v_measure_score"])
def test_agreement(name):  # k x k is 7 GB
    data = "n = 90_000; X = np.arange(n) // 3; y = np.random.default_rng(0).permutation(X)"
    value, peak = run(data, f"gm.{name}(X, y)")
    assert -1 <= value <= 1
    assert peak < 150


@pytest.mark.slow
@pytest.mark.parametrize("k", [20, 20_000])
def test_forty_thousand_rows(k):
    """The bar of the project: 600 MiB at working_memory=256."""
    value, peak = run(NORMAL.format(n=40_000, d=32, k=k), "gm.silhouette_samples(X, y).mean()", 256)
    assert np.isfinite(value)
    assert peak < 600
