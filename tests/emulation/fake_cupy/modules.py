"""The modules `cupy` and `cupyx`, put together name by name, and their place in `sys.modules`."""

from __future__ import annotations

import contextlib
import importlib.machinery
import sys
import types

import numpy as np

from . import methods, pinned, precision, raw, streams
from .array import ndarray
from .control import control
from .functions import TABLE
from .memory import MemoryPointer, MemoryPool, OutOfMemoryError, find

VERSION = "14.0.0"
DTYPES = [
    "bool_",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "intp",
    "uintp",
    "dtype",
    "generic",
    "floating",
    "integer",
    "inexact",
    "number",
    "signedinteger",
    "unsignedinteger",
    "finfo",
    "iinfo",
]
CONSTANTS = ["newaxis", "inf", "nan", "pi", "e"]
DTYPE_FUNCTIONS = ["promote_types", "can_cast", "isscalar", "issubdtype", "broadcast_shapes"]


def result_type(*args):
    return np.result_type(*(value._a if isinstance(value, ndarray) else value for value in args))


class CUDARuntimeError(RuntimeError):
    """`cupy.cuda.runtime.CUDARuntimeError`."""


def _device_count():
    return control.n_devices


def _properties(device_id):
    streams.state(device_id)
    major, minor = divmod(int(control.capability), 10)
    return {
        "name": b"Emulated GPU",
        "totalGlobalMem": control.device_bytes,
        "multiProcessorCount": 4,
        "major": major,
        "minor": minor,
        "sharedMemPerBlock": 49152,
        "maxThreadsPerBlock": 1024,
        "warpSize": 32,
    }


class PointerAttributes:
    """`cupy.cuda.runtime.PointerAttributes`."""

    def __init__(self, device, pointer):
        self.device, self.devicePointer, self.hostPointer, self.type = device, pointer, 0, 2


def _pointer_attributes(pointer):
    known = find(int(pointer))
    return PointerAttributes(streams.current_device().id if known is None else known.device.id, int(pointer))


def _set_device(device_id):
    streams.Device(device_id).use()


def get_default_memory_pool():
    return streams.current_device().pool


def _module(name, members, *, package=False):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=package)
    if package:
        module.__path__ = []
    module.__dict__.update(members)
    return module


memory = _module("cupy.cuda.memory", {"OutOfMemoryError": OutOfMemoryError, "MemoryPointer": MemoryPointer})
runtime = _module(
    "cupy.cuda.runtime",
    {
        "CUDARuntimeError": CUDARuntimeError,
        "getDevice": lambda: streams.current_device().id,
        "setDevice": _set_device,
        "getDeviceCount": _device_count,
        "getDeviceProperties": _properties,
        "pointerGetAttributes": _pointer_attributes,
        "deviceSynchronize": lambda: streams.current_device().synchronize(),
        "memGetInfo": lambda: streams.current_device().handle.mem_info,
        "driverGetVersion": lambda: 13000,
        "runtimeGetVersion": lambda: 13000,
    },
)
stream = _module(
    "cupy.cuda.stream",
    {"Stream": streams.Stream, "Event": streams.Event, "get_current_stream": streams.current_stream},
)
device = _module("cupy.cuda.device", {"Device": streams.Device})
cuda = _module(
    "cupy.cuda",
    {
        "runtime": runtime,
        "memory": memory,
        "stream": stream,
        "device": device,
        "Device": streams.Device,
        "Stream": streams.Stream,
        "Event": streams.Event,
        "MemoryPointer": MemoryPointer,
        "MemoryPool": MemoryPool,
        "alloc": streams.alloc,
        "alloc_pinned_memory": pinned.alloc_pinned_memory,
        "get_current_stream": streams.current_stream,
        "get_elapsed_time": streams.get_elapsed_time,
        "is_available": lambda: control.n_devices > 0,
    },
    package=True,
)
_core = _module(
    "cupy._core",
    {"get_compute_type": precision.get_compute_type, "set_compute_type": precision.set_compute_type},
    package=True,
)
cupy = _module(
    "cupy",
    {
        **TABLE,
        **{name: getattr(np, name) for name in DTYPES + CONSTANTS + DTYPE_FUNCTIONS},
        "ndarray": ndarray,
        "result_type": result_type,
        "RawModule": raw.RawModule,
        "RawKernel": raw.RawKernel,
        "get_default_memory_pool": get_default_memory_pool,
        "is_available": cuda.is_available,
        "cuda": cuda,
        "_core": _core,
        "__version__": VERSION,
    },
    package=True,
)
cupyx = _module("cupyx", {"empty_pinned": pinned.empty_pinned, "zeros_pinned": pinned.zeros_pinned}, package=True)
MODULES = {module.__name__: module for module in (cupy, cuda, memory, runtime, stream, device, _core, cupyx)}

_hidden: dict[str, types.ModuleType] = {}  # what was imported before under the names of the emulation
_ours: dict[str, types.ModuleType] = {}  # modules of the package that hold the emulated CuPy
_depth = 0


def _is_cupy(name):
    return name.split(".")[0] in {"cupy", "cupyx", "cupy_backends"}


def _take_out(*, cupy):
    """Remove CuPy, or what imported it, from `sys.modules` and from the packages; return it."""
    start = "cupy" if cupy else "gpumetrics.backends.cupy_"
    names = [name for name in list(sys.modules) if name.startswith(start) and (_is_cupy(name) or not cupy)]
    taken = {name: sys.modules.pop(name) for name in names}
    for name in taken:
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            sys.modules[package].__dict__.pop(last, None)
    return taken


def _put_in(modules):
    for name, module in modules.items():
        sys.modules[name] = module
        package, _, last = name.rpartition(".")
        if package in sys.modules:
            setattr(sys.modules[package], last, module)


def _swap_users(back):
    """Modules of gpumetrics that imported the other CuPy must import this one."""
    taken = _take_out(cupy=False)
    _put_in(back)
    backends = sys.modules.get("gpumetrics.backends")
    if backends is not None and hasattr(backends.probe_cupy, "cache_clear"):
        backends.probe_cupy.cache_clear()
    return taken


def install():
    """Make ``import cupy`` give the emulation, until `uninstall`."""
    global _depth  # noqa: PLW0603
    _depth += 1
    if _depth == 1:
        _hidden.update(_take_out(cupy=True))
        sys.modules.update(MODULES)
        _hidden.update(_swap_users(dict(_ours)))


def uninstall():
    """Undo `install`."""
    global _depth  # noqa: PLW0603
    _depth -= 1
    if _depth == 0:
        _take_out(cupy=True)
        users = {name: module for name, module in _hidden.items() if not _is_cupy(name)}
        sys.modules.update({name: module for name, module in _hidden.items() if _is_cupy(name)})
        _hidden.clear()
        _ours.clear()
        _ours.update(_swap_users(users))


@contextlib.contextmanager
def installed(**settings):
    """`install` for a ``with`` block, with settings of `control`."""
    install()
    try:
        with control.set(**settings):
            yield cupy
    finally:
        uninstall()


__all__ = ["MODULES", "cupy", "cupyx", "install", "installed", "methods", "uninstall"]
