"""Launches of single kernels on NumPy arrays: copied to the device, and back with what the kernel wrote."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from emulation.compile import missing_compiler
from emulation.fake_cupy import installed

BACKENDS = [
    pytest.param("emulated", marks=pytest.mark.emulated),
    pytest.param("cupy", marks=pytest.mark.gpu),
]


class Launcher:
    """The launches of `gpumetrics.backends.cupy_kernels` on NumPy arrays, which take in what the kernel writes."""

    def __init__(self, cupy):
        from gpumetrics.backends import cupy_kernels

        self.cupy, self.kernels = cupy, cupy_kernels

    def rows(self, name, n, *arguments):
        self._launch(lambda *a: self.kernels.launch_rows(name, n, *a), arguments)

    def threads(self, name, n, *arguments):
        self._launch(lambda *a: self.kernels.launch_threads(name, n, *a), arguments)

    def columns(self, name, n, n_chunks, *arguments):
        self._launch(lambda *a: self.kernels.launch_columns(name, n, n_chunks, *a), arguments)

    def _launch(self, launch, arguments):
        there = [self.cupy.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        launch(*there)
        for here, copy in zip(arguments, there, strict=True):
            if isinstance(here, np.ndarray):
                here[...] = copy.get()


@contextlib.contextmanager
def launcher_on(backend):
    """A `Launcher` on the emulation or on a GPU; skips the test where there is none."""
    if backend == "emulated":
        if (reason := missing_compiler()) is not None:
            pytest.skip(reason)
        # With every access checked, and blocks and threads in an order that no kernel may rely on.
        with installed(check=True, order_seed=3) as cupy:
            yield Launcher(cupy)
        return
    from gpumetrics.backends import probe_cupy

    usable, reason = probe_cupy()
    if not usable:
        pytest.skip(reason)
    import cupy

    yield Launcher(cupy)
