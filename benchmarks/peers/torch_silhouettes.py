"""Silhouettes as one writes them in torch: torch.cdist of some rows against all, and index_add_ over clusters."""

from __future__ import annotations

import contextlib
import functools

from .peer import CannotError, Peer, without_euclidean

CHUNK = 2**28  # bytes of distances at a time
POWERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": float("inf")}


def tensors(device, args):
    """The arguments as tensors on a device; numbers as they are."""
    import numpy as np  # noqa: PLC0415
    import torch  # noqa: PLC0415

    def one(value):
        if isinstance(value, list):
            return [one(part) for part in value]
        return torch.from_numpy(value).to(device) if isinstance(value, np.ndarray) else value

    return [one(value) for value in args]


@contextlib.contextmanager
def one_thread():
    """Hold torch at one thread inside of the block."""
    import torch  # noqa: PLC0415

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def on(device, name, modules, call):
    """A peer that computes with torch on a device."""
    cuda = device == "cuda"
    return Peer(
        f"{name}, CUDA" if cuda else name,
        modules,
        call,
        device=device,
        given=functools.partial(tensors, device),
        one_thread=None if cuda else one_thread,
        **({"synchronize": _synchronize, "device_peak": _device_peak, "usable": _usable} if cuda else {}),
    )


def _synchronize():
    import torch  # noqa: PLC0415

    torch.cuda.synchronize()


def _device_peak():
    import torch  # noqa: PLC0415

    return torch.cuda.max_memory_allocated() / 2**20


def _usable():
    import torch  # noqa: PLC0415

    return "" if torch.cuda.is_available() else "torch finds no CUDA device"


def _call(case, shape):
    distance, _ = without_euclidean(case.keywords)
    silhouettes = functools.partial(_silhouettes, _distances(distance), shape.k)
    if case.metric == "silhouette_samples":
        return silhouettes
    if case.metric == "silhouette_score":
        return lambda X, labels: silhouettes(X, labels).mean()
    if case.metric == "silhouette_scores":
        return lambda X, labelings: [float(silhouettes(X, labels).mean()) for labels in labelings]
    raise CannotError("torch has no such metric; see torchmetrics")


def _distances(name):
    import torch  # noqa: PLC0415

    if name in POWERS:
        return functools.partial(torch.cdist, p=POWERS[name])
    if name == "sqeuclidean":
        return lambda x, y: torch.cdist(x, y).square_()
    if name not in {"cosine", "correlation"}:
        raise CannotError(f"torch has no {name} distance")

    def from_angles(x, y):
        x, y = ((z - z.mean(1, keepdim=True)) if name == "correlation" else z for z in (x, y))
        return 1 - torch.nn.functional.normalize(x) @ torch.nn.functional.normalize(y).T

    return from_angles


def _silhouettes(distances, k, X, labels):
    """Silhouette of every row."""
    import torch  # noqa: PLC0415

    sizes = torch.bincount(labels, minlength=k + 1)
    rows, out = max(1, CHUNK // (len(X) * X.element_size())), []
    for start in range(0, len(X), rows):
        own = labels[start : start + rows, None]
        sums = torch.zeros(len(own), len(sizes), dtype=X.dtype, device=X.device)
        sums.index_add_(1, labels, distances(X[start : start + rows], X))
        a = sums.gather(1, own)[:, 0] / (sizes[own[:, 0]] - 1).clamp(min=1)
        means = torch.where(sizes > 0, sums / sizes, torch.inf).scatter_(1, own, torch.inf)
        b = means.amin(1)
        s = (b - a) / torch.maximum(a, b)
        out.append(torch.where((sizes[own[:, 0]] == 1) | s.isnan(), 0.0, s))
    return torch.cat(out)


def peer(device):
    """Torch on a device."""
    return on(device, "torch", ("torch",), _call)
