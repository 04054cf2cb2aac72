"""Arrays of other libraries come in without a copy, and results go back out: the only code that knows those libraries.

None of them is imported here: an array of a library can exist only where that library is loaded already. What lies on
a GPU comes in by DLPack, which keeps to the order of the streams, or else by `__cuda_array_interface__`.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpumetrics.backends.array_modules import array_module, as_host
from gpumetrics.backends.array_places import (
    HOST_TYPES,
    cuda_interface,
    device_id,
    dlpack_device,
    is_a,
    is_cudf,
    is_device_array,
    is_sparse_on_device,
    same_device,
)

if TYPE_CHECKING:
    from gpumetrics.types import Array

__all__ = [
    "as_library_of",
    "bfloat16_to_float32",
    "device_array",
    "device_id",
    "host_array",
    "host_column",
    "is_device_array",
    "same_device",
]


def device_array(array: Any, name: str, *, table: bool) -> tuple[Any, bool]:
    """Return CuPy's view of an array on a GPU.

    Parameters
    ----------
    array : array on a CUDA device
        Shared, not copied, but for cuDF tables (their columns lie apart), JAX's bfloat16, and torch tensors whose
        negation is still to be carried out.
    name : str
        The argument's name in error messages.
    table : bool
        Whether it is a large table: its bfloat16 stay as they are, those of labels become float32.

    Returns
    -------
    array : cupy.ndarray
    bfloat16 : bool
        Whether it holds the bits of bfloat16 numbers, as uint16.

    Raises
    ------
    ValueError
        If the array has missing values, or a dtype that CuPy lacks.
    TypeError
        If it is sparse.
    """
    import cupy

    if is_sparse_on_device(array):
        msg = f"Sparse data was passed for {name}, but dense data is required: use '.toarray()' to convert it."
        raise TypeError(msg)
    with cupy.cuda.Device(device_id(array)):
        if is_a(array, "torch", "Tensor"):
            out, bfloat16 = _from_torch(array, name)
        elif is_a(array, "jax", "Array") and array.dtype.name == "bfloat16":
            out, bfloat16 = _exported(array.view(np.uint16), name), True
        else:
            out, bfloat16 = _from_cudf(array, name) if is_cudf(array) else _exported(array, name), False
        if out.dtype.name == "bfloat16":  # of the package ml_dtypes
            out, bfloat16 = out.view(np.uint16), True
        return (bfloat16_to_float32(out), False) if bfloat16 and not table else (out, bfloat16)


def _from_torch(tensor: Any, name: str) -> tuple[Any, bool]:
    torch = sys.modules["torch"]
    tensor = _plain_tensor(tensor, name)
    if tensor.dtype == torch.bfloat16:
        return _exported(tensor.view(torch.int16), name).view(np.uint16), True
    if tensor.dtype == torch.bool:  # which older versions of torch do not export
        return _exported(tensor.view(torch.uint8), name).view(np.bool_), False
    return _exported(tensor, name), False


def _plain_tensor(tensor: Any, name: str) -> Any:
    """Return a dense tensor without its gradient, negated and conjugated in memory, or say why it is none."""
    if tensor.is_nested or getattr(tensor, "is_quantized", False):
        msg = f"{name} is a nested or quantized tensor: convert it to an ordinary one, with .dequantize() for example."
        raise ValueError(msg)
    if tensor.layout != sys.modules["torch"].strided:
        msg = f"Sparse data was passed for {name}, but dense data is required: use '.to_dense()' to convert it."
        raise TypeError(msg)
    # DLPack does not know of a pending negation, which the imaginary part of a conjugate has: signs would be wrong.
    return tensor.detach().resolve_conj().resolve_neg()


def _exported(array: Any, name: str) -> Any:
    """Return CuPy's view of what an array exports by one of the two protocols."""
    import cupy

    if is_a(array, "cupy", "ndarray"):
        return array
    try:
        if hasattr(type(array), "__dlpack__"):
            try:
                return cupy.from_dlpack(array)
            except (BufferError, NotImplementedError, TypeError):
                if cuda_interface(array) is None:
                    raise
                # The other protocol need not name the stream on which the array is being written.
                cupy.cuda.Device().synchronize()
        return cupy.asarray(array)
    except (BufferError, NotImplementedError, TypeError, ValueError) as error:
        msg = f"{name} cannot be read where it lies ({error}); convert it to a CuPy array of numbers first."
        raise ValueError(msg) from error


def _from_cudf(frame: Any, name: str) -> Any:
    import cupy

    arrays = []
    for number, column in enumerate(_cudf_columns(frame)):
        missing = int(column.isna().sum())
        label = repr(column.name if column.name is not None else number)
        if missing:
            msg = f"Input {name} contains NaN. Column {label} has {missing} missing values."
            raise ValueError(msg)
        try:
            arrays.append(column.to_cupy(copy=False))
        except (NotImplementedError, TypeError, ValueError) as error:
            msg = f"{name} must hold numbers; column {label} has dtype {column.dtype} ({error})."
            raise ValueError(msg) from error
    if frame.ndim == 1:
        return arrays[0]
    return cupy.stack(arrays, axis=1) if arrays else cupy.empty((len(frame), 0))


def _cudf_columns(frame: Any) -> list[Any]:
    return [frame] if frame.ndim == 1 else [frame.iloc[:, number] for number in range(frame.shape[1])]


def host_column(labels: Any) -> Any | None:
    """Return cuDF labels that are no plain numbers as pandas' on the host; None for everything else.

    So text, categories, dates and missing values get the same treatment, and the same errors, as in pandas.
    """
    if not is_cudf(labels):
        return None
    for column in _cudf_columns(labels):
        number = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb"
        if not number or int(column.isna().sum()):
            return labels.to_pandas()
    return None


def host_array(array: Any, name: str = "The array") -> tuple[Array, bool] | None:
    """Return NumPy's view of an array of another library on the host.

    Parameters
    ----------
    array : object
    name : str
        The argument's name in error messages.

    Returns
    -------
    tuple or None
        The array, and whether it holds the bits of bfloat16 numbers, as uint16. None for what NumPy knows itself:
        its own arrays (but for bfloat16), lists, tables.

    Raises
    ------
    ValueError
        If the array lies neither on the host nor on one CUDA device, or has a dtype that NumPy lacks.
    TypeError
        If it is sparse.
    """
    out: Array
    if is_a(array, "torch", "Tensor"):
        return _host_tensor(array, name)
    if is_a(array, "jax", "Array"):
        if any(device.platform != "cpu" for device in array.devices()):
            _refuse_device(name, ", ".join(sorted(map(str, array.devices()))))
        out = np.asarray(array)
    elif isinstance(array, np.ndarray):
        if array.dtype.name != "bfloat16":
            return None
        out = array
    else:
        device = dlpack_device(array)
        if device is None or device[0] not in HOST_TYPES:
            return None
        try:
            out = np.from_dlpack(array)
        except Exception:  # noqa: BLE001  (what cannot be exported may still be converted)
            return None
    return (out.view(np.uint16), True) if out.dtype.name == "bfloat16" else (out, False)


def _host_tensor(tensor: Any, name: str) -> tuple[Array, bool]:
    torch = sys.modules["torch"]
    if tensor.device.type != "cpu":
        _refuse_device(name, str(tensor.device))
    tensor = _plain_tensor(tensor, name)
    try:
        if tensor.dtype == torch.bfloat16:
            return tensor.view(torch.int16).numpy().view(np.uint16), True
        return tensor.numpy(), False
    except (RuntimeError, TypeError) as error:
        msg = f"{name} cannot be read as an array ({error}); convert it with .to(torch.float32), for example."
        raise ValueError(msg) from error


def _refuse_device(name: str, where: str) -> None:
    msg = f"{name} lies on {where}: move it to the CPU or to one CUDA device."
    raise ValueError(msg)


def bfloat16_to_float32(block: Any) -> Any:
    """Return the float32 numbers whose upper halves are these uint16: exactly the bfloat16 numbers."""
    wide = block.astype(np.uint32)
    wide <<= 16
    return wide.view(np.float32)


def as_library_of(result: Any, template: Any) -> Any:
    """Return a result in the array library, and on the device, of an argument.

    Parameters
    ----------
    result : ndarray of NumPy or CuPy
    template : object
        The argument.

    Returns
    -------
    array
        Torch's, JAX's, Numba's or CuPy's on the device of `template`, if it is one of theirs; CuPy's for everything
        else on a CUDA device, and NumPy's for everything else on the host. JAX's keep their 64 bits even while its
        setting ``jax_enable_x64`` is off; JAX itself makes 32 of them, recent versions with a warning, when it
        computes with them.
    """
    if is_a(template, "torch", "Tensor"):
        return _as_torch(result, template.device)
    if is_a(template, "jax", "Array"):
        return _as_jax(result, min(template.devices(), key=lambda device: device.id))
    if not is_device_array(template):
        return as_host(result)
    import cupy

    device = device_id(template)
    with cupy.cuda.Device(device):
        on_device = cupy.asarray(result)
        if type(template).__module__.partition(".")[0] not in {"numba", "numba_cuda"}:
            return on_device
        cuda = importlib.import_module("numba.cuda")
        with cuda.gpus[device]:
            return cuda.as_cuda_array(on_device)


def _as_torch(result: Any, device: Any) -> Any:
    torch = sys.modules["torch"]
    if device.type == "cuda" and array_module(result) is not np:
        # A copy, of torch's own memory: CuPy would use its block again on CuPy's stream, whatever torch still reads.
        return torch.from_dlpack(result).clone()
    # Torch refuses negative strides and warns of memory that cannot be written to.
    return torch.from_numpy(np.require(as_host(result), requirements=("C", "W"))).to(device)


def _as_jax(result: Any, device: Any) -> Any:
    jax = sys.modules["jax"]
    # With the setting off, 64-bit numbers would become 32-bit ones without a word, and large counts wrong ones.
    settings = jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")
    with settings.enable_x64(new_val=True):
        if device.platform == "cpu" or array_module(result) is np:
            return jax.device_put(as_host(result), device)
        return jax.numpy.from_dlpack(result)
