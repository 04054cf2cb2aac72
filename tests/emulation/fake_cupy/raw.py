"""`cupy.RawModule` and `cupy.RawKernel`: the real CUDA source, compiled by g++, with every argument checked."""

from __future__ import annotations

import ctypes
import re

import numpy as np

from emulation import compile as compiling

from . import streams
from .array import check_device, ndarray
from .control import control
from .memory import RED

KernelError = compiling.KernelError
MAX_SHARED, MAX_OPTED_SHARED = 48 << 10, 227 << 10
MAX_GRID, MAX_BLOCK, MAX_THREADS = (2**31 - 1, 65535, 65535), (1024, 1024, 64), 1024
NULL = ctypes.c_void_p(None)


class CUDADriverError(RuntimeError):
    """`cupy.cuda.driver.CUDADriverError`."""


class RawKernel:
    """A kernel of a `RawModule`; CuPy's own constructor takes ``(code, name, options)``."""

    def __init__(self, code, name, options=(), backend="nvrtc"):
        self._module, self.name = RawModule(code=code, options=options, backend=backend), name
        self._shared = MAX_SHARED

    @classmethod
    def _of(cls, module, name):
        kernel = cls.__new__(cls)
        kernel._module, kernel.name, kernel._shared = module, name, MAX_SHARED
        return kernel

    @property
    def max_dynamic_shared_size_bytes(self):
        return self._shared

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size):
        if size > MAX_OPTED_SHARED:
            raise CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        self._shared = size

    def __call__(self, grid, block, args, *, shared_mem=0):
        grid, block = _three(grid, "grid", MAX_GRID), _three(block, "block", MAX_BLOCK)
        if block[0] * block[1] * block[2] > MAX_THREADS:
            raise CUDADriverError(f"CUDA_ERROR_INVALID_VALUE: a block of {block} has more than {MAX_THREADS} threads")
        if shared_mem > self._shared:
            raise CUDADriverError(f"CUDA_ERROR_INVALID_VALUE: {shared_mem} bytes of shared memory of {self._shared}")
        library = self._module._library(self.name)
        number = library.names.index(self.name)
        values = self._values(args, library.arguments[number])
        control.counts["launch"] += 1
        control.launches[self.name] += 1
        watched = _ranges(args) if control.check else ()
        library.launch(number, grid, block, shared_mem, values, control.order_seed, *watched)
        self._check_zones(args)

    def _values(self, args, types):
        if len(args) != len(types):
            raise TypeError(f"{self.name} takes {len(types)} arguments, {len(args)} were given")
        stream, device = streams.current_stream()._begin(), streams.current_device()
        values = []
        for position, (value, kind) in enumerate(zip(args, types, strict=True)):
            try:
                values.append(_pointer(value, kind, device) if kind.startswith("*") else _scalar(value, kind))
            except TypeError as error:
                raise TypeError(f"{self.name}, argument {position}: {error}") from None
        for value, kind in zip(args, types, strict=True):
            if isinstance(value, ndarray):
                value._memory.read_by(stream)
                if not kind.startswith("*const"):
                    value._memory.written_by(stream)
        return values

    def _check_zones(self, args):
        for position, value in enumerate(args):
            if isinstance(value, ndarray) and (side := value._memory.damaged()):
                memory = value._memory
                memory._before[:] = memory._after[:] = RED[0]
                raise KernelError(f"{self.name}, argument {position}: something was written {side} the array")


def _three(sizes, name, limits):
    if not isinstance(sizes, tuple):
        raise TypeError(f"{name} must be a tuple, not {type(sizes)}")
    # As CuPy: what is left out is 1, and 0 counts as 1.
    sizes = tuple(max(1, int(size)) for size in (*sizes, 1, 1)[:3])
    if any(size > limit for size, limit in zip(sizes, limits, strict=True)):
        raise CUDADriverError(f"CUDA_ERROR_INVALID_VALUE: {name} {sizes} exceeds {limits}")
    return sizes


def _ranges(args):
    """The blocks of memory in which the arguments lie, each once, and the parts of them that the kernel was given."""
    blocks, parts = {}, []
    for position, value in enumerate(args):
        if isinstance(value, ndarray) and value.size:
            memory, size = value._memory, value.itemsize
            first = blocks.get(memory.address, (0, 0, size, position))
            blocks[memory.address] = memory.address, memory.nbytes, min(size, first[2]), first[3]
            parts.append((value.data.ptr, value.nbytes, size, position))
    return list(blocks.values()), parts


def _code(dtype):
    return f"{dtype.kind}{dtype.itemsize}"


def _pointer(value, kind, device):
    wanted = kind.removeprefix("*").removeprefix("const ")
    if isinstance(value, ndarray):
        check_device(value, device)
        if wanted not in {"void", _code(value.dtype)}:
            raise TypeError(f"the kernel has a pointer to {wanted}, the array is {_code(value.dtype)}")
        if not (value._a.flags.c_contiguous or value._a.flags.f_contiguous):
            raise TypeError("an array with gaps; kernels see its address only")
        return ctypes.c_void_p(value.data.ptr)
    # A null pointer: None has no meaning for CuPy, an integer of eight bytes has.
    if type(value) in {int, np.int64, np.uint64, np.intp, np.uintp} and value == 0:
        return NULL
    raise TypeError(f"a cupy.ndarray of {wanted} or an integer 0 is needed, not {type(value)}")


def _scalar(value, kind):
    if type(value) in {bool, int, float}:
        # CuPy's rule: eight bytes, and one for a bool.
        code = {bool: "b1", int: "u8" if value >= 2**63 else "i8", float: "f8"}[type(value)]
    elif isinstance(value, np.generic) and value.dtype.kind in "biuf":
        code = _code(value.dtype)
    else:
        raise TypeError(f"Unsupported type {type(value)}")
    if code != kind:
        raise TypeError(f"the kernel has a {kind}, the value is {code}")
    dtype = np.dtype("?" if kind == "b1" else kind)
    return (ctypes.c_ubyte * dtype.itemsize).from_buffer_copy(np.asarray(value, dtype).tobytes())


class RawModule:
    """Kernels from CUDA source."""

    def __init__(self, *, code=None, path=None, options=(), backend="nvrtc", name_expressions=None):
        if not isinstance(code, str) or path is not None or backend != "nvrtc":
            raise TypeError("the emulation takes CUDA source as `code`, for NVRTC")
        if not isinstance(options, tuple) or not all(isinstance(option, str) for option in options):
            raise TypeError("options must be a tuple of strings")
        unknown = [option for option in options if not re.fullmatch(r"-{1,2}std=c\+\+17|-lineinfo", option)]
        if unknown:
            raise ValueError(f"the emulation does not know what {unknown} would do")
        self._code = code
        self._names = None if name_expressions is None else tuple(name_expressions)

    def get_function(self, name):
        self._library(name)
        return RawKernel._of(self, name)

    def compile(self, log_stream=None):
        if self._names:
            self._library(self._names[0])

    def _library(self, name):
        names = self._names
        if names is None:
            if 'extern "C"' not in self._code:
                raise CUDADriverError("CUDA_ERROR_NOT_FOUND: a C++ name needs name_expressions")
            names = (name,)
        if name not in names:
            raise CUDADriverError(f"CUDA_ERROR_NOT_FOUND: named symbol not found: {name}")
        return compiling.library(self._code, names, check=control.check)
