"""DLPack for emulated device memory: capsules that say that the tensor lies on a CUDA device."""

from __future__ import annotations

import ctypes

import numpy as np

KINDS = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
CUDA = 2


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

_alive: dict[int, tuple] = {}  # address of the managed tensor: what it needs


@_Deleter
def _delete(address):
    _alive.pop(address, None)


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
NEW, USED = b"dltensor", b"used_dltensor"


def capsule_of(array):
    """A capsule that keeps the array alive until its consumer calls the deleter."""
    shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    strides = (ctypes.c_int64 * max(1, array.ndim))(*(step // array.itemsize for step in array.strides))
    kind = _Type(KINDS[array.dtype.kind], 8 * array.itemsize, 1)
    tensor = _Tensor(array.data.ptr, _Device(*array.__dlpack_device__()), array.ndim, kind, shape, strides, 0)
    managed = _Managed(tensor, None, _delete)
    _alive[ctypes.addressof(managed)] = (managed, shape, strides, array)
    return _new(ctypes.addressof(managed), NEW, None)


class Import:
    """A tensor taken out of a capsule; its owner is told when it is no longer needed."""

    def __init__(self, capsule):
        self.managed = _Managed.from_address(_pointer(capsule, NEW))
        _rename(capsule, USED)
        tensor = self.managed.tensor
        if tensor.device.kind != CUDA:
            raise ValueError(f"a tensor on a CUDA device is needed, not of device type {tensor.device.kind}")
        codes = {code: kind for kind, code in KINDS.items()}
        if tensor.dtype.lanes != 1 or tensor.dtype.code not in codes:
            raise ValueError(f"Unsupported dtype: DLPack code {tensor.dtype.code}")
        letter = codes[tensor.dtype.code]
        self.dtype = np.dtype("?" if letter == "b" else f"{letter}{tensor.dtype.bits // 8}")
        self.shape = tuple(tensor.shape[: tensor.ndim])
        self.strides = None
        if tensor.strides:
            self.strides = tuple(step * self.dtype.itemsize for step in tensor.strides[: tensor.ndim])
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.device_id = tensor.device.id

    def __del__(self):
        if hasattr(self, "managed") and self.managed.deleter:
            self.managed.deleter(ctypes.addressof(self.managed))
