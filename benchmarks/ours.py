"""Our own side of a case, on a backend."""

from __future__ import annotations

import functools

from .peers.peer import Peer

NAME = "gpumetrics"


def _call(case, _shape):
    import gpumetrics as gm  # noqa: PLC0415

    return functools.partial(getattr(gm, case.metric), **case.keywords)


def _configured(backend):
    import gpumetrics as gm  # noqa: PLC0415

    return gm.config_context(backend=backend)


def _to_device(args):
    import cupy as cp  # noqa: PLC0415

    return [[cp.asarray(part) for part in a] if isinstance(a, list) else cp.asarray(a) for a in args]


def _synchronize():
    import cupy as cp  # noqa: PLC0415

    cp.cuda.Device().synchronize()


def _pool_peak():
    """MiB of CuPy's pool: what the call took and what the data takes."""
    import cupy as cp  # noqa: PLC0415

    return cp.get_default_memory_pool().total_bytes() / 2**20


def peer(backend):
    """Ours, called as the peers are."""
    common = {"around": functools.partial(_configured, backend), "one_thread": None}
    if backend == "numpy":
        return Peer(NAME, (NAME,), _call, **common)
    on_device = {"device": "cuda", "given": _to_device, "synchronize": _synchronize, "device_peak": _pool_peak}
    return Peer(NAME, (NAME,), _call, **common, **on_device)


def backends():
    """The backends that can be measured here."""
    from gpumetrics.backends import probe_cupy  # noqa: PLC0415

    return ("numpy", "cupy") if probe_cupy()[0] else ("numpy",)
