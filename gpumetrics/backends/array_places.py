"""Where an array of any library lies, by the protocols of array libraries; none of these is imported to find out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = [
    "HOST_TYPES",
    "cuda_interface",
    "device_id",
    "dlpack_device",
    "is_a",
    "is_cudf",
    "is_device_array",
    "is_sparse_on_device",
    "same_device",
]

CUDA = 2  # the device types of DLPack
CUDA_TYPES = frozenset({CUDA, 13})  # device memory, and memory that moves between device and host
HOST_TYPES = frozenset({1, 3})  # ordinary and page-locked memory


def is_a(array: Any, library: str, *names: str) -> bool:
    """Whether an array is of one of these classes of a library, which is not loaded to find out."""
    module = sys.modules.get(library)
    return module is not None and any(isinstance(array, getattr(module, name, ())) for name in names)


def is_cudf(array: Any) -> bool:
    """Whether it is a table, column or index of cuDF's."""
    return is_a(array, "cudf", "DataFrame", "Series", "Index", "BaseIndex")


def is_sparse_on_device(array: Any) -> bool:
    """Whether it is a sparse matrix of CuPy's."""
    return type(array).__module__.startswith("cupyx.scipy.sparse")


def dlpack_device(array: Any) -> tuple[int, int] | None:
    """Type and number of the device by DLPack, if the array has one and says so."""
    if not hasattr(type(array), "__dlpack_device__"):
        return None
    try:
        kind, number = array.__dlpack_device__()
    except Exception:  # noqa: BLE001  (each library has an error of its own for "on no device, or on several")
        return None
    return int(kind), int(number)


def cuda_interface(array: Any) -> dict[str, Any] | None:
    """Return what an array on a CUDA device says of its memory, if it does."""
    if not hasattr(type(array), "__cuda_array_interface__"):
        return None
    try:
        interface: dict[str, Any] = array.__cuda_array_interface__
    except Exception:  # noqa: BLE001  (torch and JAX define it for every array, and raise for those on the host)
        return None
    return interface


def is_device_array(array: Any) -> bool:
    """Whether an array, column or table lies in the memory of a CUDA device."""
    if isinstance(array, np.ndarray | list | tuple):
        return False
    if is_a(array, "cupy", "ndarray") or is_sparse_on_device(array) or is_cudf(array):
        return True
    device = dlpack_device(array)
    return cuda_interface(array) is not None if device is None else device[0] in CUDA_TYPES


def device_id(array: Any) -> int:
    """Return the number of the CUDA device on which an array lies; 0 if only CuPy could tell and it cannot run."""
    if is_a(array, "cupy", "ndarray"):
        return int(array.device.id)
    if is_sparse_on_device(array):
        return device_id(array.data)
    device = dlpack_device(array)
    if device is not None and device[0] == CUDA:
        return device[1]
    interface = None if is_cudf(array) else cuda_interface(array)
    try:
        from cupy.cuda import runtime

        if interface is None or not interface["data"][0]:  # cuDF works on the current device
            return int(runtime.getDevice())
        return int(runtime.pointerGetAttributes(interface["data"][0]).device)
    except Exception:  # noqa: BLE001  (a broken CuPy may raise anything; choosing the backend says what is wrong)
        return 0


def same_device(*named: tuple[str, Any]) -> int | None:
    """Return the CUDA device of those (name, array) that lie on one, or None.

    Raises
    ------
    ValueError
        If they lie on different devices.
    """
    first: tuple[str, int] | None = None
    for name, array in named:
        if not is_device_array(array):
            continue
        device = device_id(array)
        if first is None:
            first = name, device
        elif device != first[1]:
            msg = f"{first[0]} is on CUDA device {first[1]}, but {name} is on CUDA device {device}: move one of them."
            raise ValueError(msg)
    return None if first is None else first[1]
