"""The dispatch layer: the only code that knows that there is more than one array library."""

from __future__ import annotations

import functools
import importlib.util
from typing import TYPE_CHECKING, Any

from gpumetrics.config import current
from gpumetrics.exceptions import BackendError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["is_device_array", "probe_cupy", "resolve"]

NO_BACKEND_YET = "this version of gpumetrics computes on the CPU only"
INSTALL = 'pip install "gpumetrics[cuda13]" (or "gpumetrics[cuda12]" for a CUDA 12 driver)'


def resolve(*arrays: Any) -> ModuleType:
    """Return the module of operations that serves these arrays: `numpy_ops`, or `cupy_ops` on a GPU.

    Arrays on a device decide, since data stays where it is; host arrays follow the ``backend`` setting.

    Raises
    ------
    BackendError
        If a GPU is asked for, or an array lies on one, and no GPU backend can run.
    """
    backend = current().backend
    on_device = any(is_device_array(a) for a in arrays)
    if backend == "cupy" or on_device:
        raise BackendError(_no_gpu_message(on_device=on_device))
    from gpumetrics.backends import numpy_ops

    return numpy_ops


def is_device_array(array: Any) -> bool:
    """Whether an array lies in a GPU's memory, by protocol and without importing its library."""
    if hasattr(type(array), "__cuda_array_interface__"):
        # torch defines the attribute on every tensor and raises for those on the host.
        try:
            return array.__cuda_array_interface__ is not None
        except Exception:  # noqa: BLE001  (any error means: not a CUDA array)
            return False
    return False


def _no_gpu_message(*, on_device: bool) -> str:
    usable, reason = probe_cupy()
    asked = "an array on a GPU was given" if on_device else 'backend="cupy" was asked for'
    here = f"CuPy works here: {reason}" if usable else f"besides, no GPU can be used here: {reason}"
    return f'{asked}, but {NO_BACKEND_YET}: use backend="numpy" and host arrays ({here}).'


def explain() -> tuple[str, str]:
    """Return which backend host arrays would get now ("numpy" or "cupy", or "none") and why."""
    backend = current().backend
    if backend == "numpy":
        return "numpy", 'the setting backend is "numpy"'
    if backend == "cupy":
        return "none", _no_gpu_message(on_device=False)
    return "numpy", NO_BACKEND_YET


@functools.cache
def probe_cupy() -> tuple[bool, str]:
    """Find out, once per process, whether CuPy can compute here; never raises.

    Returns
    -------
    usable : bool
    reason : str
        The device where it is usable; otherwise what is missing and the command that mends it.
    """
    try:
        if importlib.util.find_spec("cupy") is None:
            return False, f"CuPy is not installed; {INSTALL}"
    except Exception as error:  # noqa: BLE001  (a broken install may raise anything)
        return False, f"CuPy cannot be found ({_short(error)}); {INSTALL}"
    try:
        import cupy
    except Exception as error:  # noqa: BLE001
        return False, f"CuPy is installed but does not import ({_short(error)}); reinstall it: {INSTALL}"
    return _probe_device(cupy)


def _probe_device(cupy: Any) -> tuple[bool, str]:
    try:
        if not cupy.cuda.is_available():
            return False, "CuPy finds no CUDA device or driver; install NVIDIA's driver, or check CUDA_VISIBLE_DEVICES"
        # One kernel compiled on the spot: it shows a missing NVRTC, a full or exclusive device, a driver too old.
        total = int(cupy.arange(3).sum())
        name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"]
    except Exception as error:  # noqa: BLE001
        return False, f"CuPy imports but its first operation fails ({_short(error)}); {INSTALL}"
    if total != 3:
        return False, f"CuPy computes wrongly on this device (0 + 1 + 2 gave {total}); check the driver"
    return True, name.decode() if isinstance(name, bytes) else str(name)


def _short(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:200]}" if text else type(error).__name__
