"""The loader of the kernels: compiled when first asked for, once for each device, whatever thread asks."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from emulation.compile import missing_compiler
from emulation.fake_cupy import installed

pytestmark = [
    pytest.mark.emulated,
    pytest.mark.skipif(missing_compiler() is not None, reason=str(missing_compiler())),
]


@pytest.fixture
def fresh(monkeypatch):
    """The emulated CuPy, the loader with nothing compiled, and the names of what is compiled."""
    with installed() as cupy:
        from gpumetrics.backends import cupy_kernels

        compiled = []
        module = cupy.RawModule

        def recorded(**options):
            compiled.append(options["name_expressions"])
            return module(**options)

        monkeypatch.setattr(cupy_kernels, "_functions", {})
        monkeypatch.setattr(cupy, "RawModule", recorded)
        yield cupy, cupy_kernels, compiled


def test_a_file_is_compiled_once_for_each_device(fresh):
    cupy, kernels, compiled = fresh
    first = kernels.kernel("chunk_sums")
    assert kernels.kernel("chunk_sums") is first
    assert kernels.kernel("fold_chunks") is not first
    assert compiled == [("chunk_sums", "fold_chunks")]
    with cupy.cuda.Device(1):
        assert kernels.kernel("chunk_sums") is not first
    assert kernels.kernel("chunk_sums") is first
    assert len(compiled) == 2


def test_many_threads_compile_once(fresh):
    _, kernels, compiled = fresh
    found, together = [], threading.Barrier(8)

    def ask():
        together.wait()
        found.append(kernels.kernel("joint_counts"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(compiled) == 1
    assert len(set(map(id, found))) == 1


def test_no_kernel_of_that_name(fresh):
    with pytest.raises(KeyError):
        fresh[1].kernel("no_such_kernel")


def test_nothing_to_do_launches_nothing(fresh):
    cupy, kernels, compiled = fresh
    nothing = cupy.asarray(np.empty(0, dtype=np.int64))
    kernels.launch_threads("joint_counts", 0, nothing, nothing, 0, 1, 1, nothing)
    kernels.launch_rows("centroid_gaps", 0)
    kernels.launch_columns("column_sums<float>", 5, 0)
    assert not compiled


def test_the_table_needs_no_cupy():
    code = (
        "import sys; import gpumetrics.backends.cupy_kernels as k; assert k.KERNELS; assert 'cupy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
