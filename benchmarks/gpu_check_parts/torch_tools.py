"""What the comparisons need of torch: its events, its view of our arrays, and silhouettes as one writes them in it."""

from __future__ import annotations

import time

CHUNK_BYTES = 2**30  # of distances that one chunk of torch.cdist holds


def on_device(check, torch):
    """Whether torch can be measured: on a GPU; or, at toy sizes, anywhere."""
    return torch.cuda.is_available() or not check.sizes.judge_speed


def as_tensor(check, torch, array):
    """The array as a tensor that shares its memory; at toy sizes, where torch has no GPU, a copy."""
    if torch.cuda.is_available():
        return torch.from_dlpack(array)
    return torch.from_numpy(check.cp.asnumpy(array))


class TorchClock:
    """Events on torch's current stream, which is CuPy's too: the default one."""

    def __init__(self, torch):
        self.torch, self.cuda = torch, torch.cuda.is_available()

    def seconds(self, call):
        """Seconds of a call, and its value."""
        if not self.cuda:
            started = time.perf_counter()
            value = call()
            return time.perf_counter() - started, value
        self.torch.cuda.synchronize()
        start, stop = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        value = call()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) / 1e3, value


def chunked_cdist(torch, X, labels, k, sums):
    """Mean silhouette by torch.cdist, some rows against all at a time, and sums over clusters of its result."""
    sizes = torch.bincount(labels, minlength=k)
    one_hot = None
    if sums != "index_add_":
        one_hot = torch.nn.functional.one_hot(labels, k).to(X.dtype)
    rows, out = max(1, CHUNK_BYTES // (len(X) * X.element_size())), []
    for start in range(0, len(X), rows):
        distances = torch.cdist(X[start : start + rows], X)
        if one_hot is None:
            total = torch.zeros(len(distances), k, dtype=X.dtype, device=X.device)
            total.index_add_(1, labels, distances)
        else:
            total = distances @ one_hot
        out.append(_silhouettes(torch, total, labels[start : start + rows], sizes))
    return torch.cat(out).mean()


def keops_silhouette(torch, lazy, X, labels, k):
    """Mean silhouette by one reduction of KeOps: distances times one-hot labels."""
    sizes = torch.bincount(labels, minlength=k)
    one_hot = torch.nn.functional.one_hot(labels, k).to(X.dtype)
    x, y, weights = lazy(X[:, None, :]), lazy(X[None, :, :]), lazy(one_hot[None, :, :].contiguous())
    total = (((x - y) ** 2).sum(-1).sqrt() * weights).sum(dim=1)
    return _silhouettes(torch, total, labels, sizes).mean()


def _silhouettes(torch, total, labels, sizes):
    own_size = sizes[labels]
    a = total.gather(1, labels[:, None])[:, 0] / (own_size - 1).clamp(min=1)
    means = total / sizes
    means.scatter_(1, labels[:, None], torch.inf)
    b = torch.where(torch.isnan(means), torch.inf, means).amin(dim=1)
    s = (b - a) / torch.maximum(a, b)
    return torch.where((own_size == 1) | torch.isnan(s), 0.0, s)
