"""The dispatch layer: the only code that knows that there is more than one array library."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from typing import TYPE_CHECKING, Any, NamedTuple

from gpumetrics.backends.array_modules import array_module
from gpumetrics.backends.interop import is_device_array, same_device
from gpumetrics.config import current
from gpumetrics.exceptions import BackendError
from gpumetrics.text.messages import said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

__all__ = [
    "Choice",
    "choose",
    "cupy_packages",
    "is_device_array",
    "on_device_of",
    "operations_on",
    "probe_cupy",
    "reinstall_cupy",
]

INSTALL = said('pip install "gpumetrics[cuda13]", or "gpumetrics[cuda12]" for a CUDA 12 driver')
# What may be wrong with CuPy, and how the reason that `probe_cupy` gives begins.
MISSING, NO_DEVICE = said("CuPy is not installed"), said("CuPy finds no CUDA device or driver")
BROKEN = said("CuPy is broken here")
CUPY_PACKAGES = ("cupy-cuda13x", "cupy-cuda12x", "cupy")
WORTH = 2.0  # seconds on the CPU from which "auto" sends host arrays to the GPU: starting one takes about as long


class Choice(NamedTuple):
    """The module of operations that serves, and why."""

    ops: ModuleType
    reason: str


def choose(
    *arrays: Any,
    seconds: Callable[[], float] = lambda: 0.0,
    gpu_seconds: Callable[[], float] = lambda: 0.0,
    cpu_only: str = "",
) -> Choice:
    """Choose the backend for these arrays: `numpy_ops`, or `cupy_ops` on a GPU.

    Arrays on a device decide, since data stays where it is; host arrays follow the ``backend`` setting.

    Parameters
    ----------
    *arrays : array-like
    seconds, gpu_seconds : callable
        Expected time on the CPU, and on the GPU; asked only if it matters.
    cpu_only : str
        What in this work only the CPU can do, if anything.

    Raises
    ------
    BackendError
        If a GPU is asked for, or an array lies on one, and CuPy cannot run or cannot do this work.
    """
    backend = current().backend
    if any(is_device_array(a) for a in arrays):
        return _cupy(said("an array on a GPU was given"), cpu_only)
    if backend == "cupy":
        return _cupy(said('backend="cupy" was asked for'), cpu_only)
    if backend == "numpy":
        return _numpy(said('the setting backend is "numpy"'))
    if cpu_only:
        return _numpy(said("{work} is computed on the CPU", work=cpu_only))
    if seconds() < WORTH:
        return _numpy(said("there is too little work for a GPU to gain anything"))  # CuPy is not even loaded for it
    usable, reason = probe_cupy()
    if not usable:
        return _numpy(reason)
    if gpu_seconds() >= seconds():
        return _numpy(said("the GPU is expected to take longer"))
    return _cupy(said("the work is worth the copy to the GPU"), "")


def _numpy(reason: str) -> Choice:
    from gpumetrics.backends import numpy_ops

    return Choice(numpy_ops, reason)


def _cupy(asked: str, cpu_only: str) -> Choice:
    if cpu_only:
        msg = f'{asked}, but {cpu_only} is computed on the CPU: use backend="numpy" and host arrays.'
        raise BackendError(msg)
    usable, reason = probe_cupy()
    if not usable:
        msg = f'{asked}, but no GPU can be used here: {reason}; the CPU is used by backend="numpy" and host arrays.'
        raise BackendError(msg)
    from gpumetrics.backends import cupy_ops

    return Choice(cupy_ops, said("{why} ({device})", why=asked, device=reason))


def operations_on(array: Any) -> ModuleType:
    """Return the operations for an array of NumPy's or CuPy's: work goes on where its arrays lie."""
    if array_module(array).__name__ == "numpy":
        from gpumetrics.backends import numpy_ops

        return numpy_ops
    from gpumetrics.backends import cupy_ops

    return cupy_ops


@contextlib.contextmanager
def on_device_of(**arrays: Any) -> Iterator[None]:
    """Work under the device on which arrays lie, if they lie on one.

    Raises
    ------
    ValueError
        If they lie on two devices.
    BackendError
        If they lie on a device and CuPy cannot run.
    """
    device = same_device(*arrays.items())
    if device is None:
        yield
        return
    choose(*arrays.values())  # raises where CuPy cannot run
    import cupy

    with cupy.cuda.Device(device):
        yield


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
            return False, said("{what} ({remedy})", what=MISSING, remedy=INSTALL)
        import cupy
    except Exception as error:  # noqa: BLE001  (a broken install may raise anything)
        return False, said(
            "{what}, it does not import: {error} ({remedy})",
            what=BROKEN,
            error=_short(error),
            remedy=reinstall_cupy(),
        )
    return _probe_device(cupy)


def _probe_device(cupy: Any) -> tuple[bool, str]:
    try:
        if not cupy.cuda.is_available():
            return False, said("{what} (install NVIDIA's driver, or check CUDA_VISIBLE_DEVICES)", what=NO_DEVICE)
        # One kernel compiled on the spot: it shows a missing NVRTC, a full or exclusive device, a driver too old.
        total = int(cupy.arange(3).sum())
        name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"]
    except Exception as error:  # noqa: BLE001
        return False, said(
            "{what}, its first operation fails: {error} ({remedy})",
            what=BROKEN,
            error=_short(error),
            remedy=reinstall_cupy(),
        )
    if total != 3:
        return False, said(
            "{what}, it computes wrongly: 0 + 1 + 2 gave {total} (check the driver, {remedy})",
            what=BROKEN,
            total=total,
            remedy=reinstall_cupy(),
        )
    return True, name.decode() if isinstance(name, bytes) else str(name)


def reinstall_cupy() -> str:
    """Return the command that installs CuPy again, as the package that is here."""
    found = cupy_packages()
    if len(found) > 1:  # each has written over the others' files
        return said("pip uninstall -y {packages}, then {install}", packages=" ".join(found), install=INSTALL)
    name = found[0] if found else CUPY_PACKAGES[0]
    return f'pip install --force-reinstall "{name if name == "cupy" else name + "[ctk]"}"'


def cupy_packages() -> list[str]:
    """Return the names under which CuPy is installed."""
    from importlib import metadata

    found = []
    for name in CUPY_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            metadata.distribution(name)
            found.append(name)
    return found


def _short(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:200]}" if text else type(error).__name__
