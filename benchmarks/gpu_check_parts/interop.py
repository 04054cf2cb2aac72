"""Torch tensors in, torch tensors out: on their device, without a copy, in the order of streams."""

from __future__ import annotations

from . import made_data
from .clock import MIB
from .session import optional
from .torch_tools import as_tensor, on_device

NAME = "torch tensors that do not come back as they should"
PRODUCTS, SIDE = 60, 2048  # of matrices: work that keeps a stream busy for a while


def interop(check):
    """Check each promise about torch."""
    torch, why = optional("torch")
    check.expect(NAME, "torch with CUDA is needed")
    if torch is None or not on_device(check, torch):
        check.skip("torch", why or "torch finds no CUDA device")
        return
    found = dict(_everywhere(check, torch))
    if torch.cuda.is_available():
        found |= _on_gpu(check, torch)
    for what, holds in found.items():
        check.row(what=what, holds=bool(holds))
    check.bar(NAME, sum(not holds for holds in found.values()), 0)


def _everywhere(check, torch):
    """Promises that hold on any device: the kind and place of the result, and its values."""
    cp, gm = check.cp, check.gm
    array, codes = made_data.blobs(cp, check.sizes.interop, "float32")
    X, labels = as_tensor(check, torch, array), as_tensor(check, torch, codes)
    expected = cp.asnumpy(gm.silhouette_samples(array, codes, metric="cosine"))
    with gm.config_context(backend="cupy"):
        got = gm.silhouette_samples(X, labels, metric="cosine")
        half = X.to(torch.bfloat16)
        from_half = gm.silhouette_samples(half, labels, metric="cosine")
        wide = gm.silhouette_samples(half.float(), labels, metric="cosine")
        graded = gm.silhouette_samples(X.clone().requires_grad_(), labels, metric="cosine")
        score = gm.calinski_harabasz_score(X, labels)
    yield "a tensor comes back", isinstance(got, torch.Tensor)
    yield "on the same device", got.device == X.device
    yield "in float64", got.dtype == torch.float64
    yield "with the bits of CuPy's result", got.cpu().numpy().tobytes() == expected.tobytes()
    yield "bfloat16 counts as the float32 of the same value", torch.equal(from_half, wide)
    yield "a tensor with a gradient is read", torch.equal(graded, got)
    yield "a score is a float", type(score) is float


def _on_gpu(check, torch):
    """Promises about memory and streams."""
    return {
        "X is not copied": _not_copied(check, torch),
        "work on a side stream is waited for": _in_order(check, torch),
    }


def _not_copied(check, torch):
    cp, gm = check.cp, check.gm
    array, codes = made_data.blobs(cp, check.sizes.interop, "float32")
    X, labels = torch.from_dlpack(array).clone(), torch.from_dlpack(codes).clone()
    del array, codes
    pool, size = cp.get_default_memory_pool(), X.numel() * X.element_size()
    pool.free_all_blocks()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before, theirs = pool.total_bytes(), torch.cuda.memory_allocated()
    with gm.config_context(working_memory=size / 8 / MIB):
        gm.calinski_harabasz_score(X, labels)
    grown = (pool.total_bytes() - before) + (torch.cuda.max_memory_allocated() - theirs)
    check.note(f"X takes {size / MIB:.0f} MiB; all that was allocated meanwhile: {grown / MIB:.0f} MiB.")
    return grown < size


def _in_order(check, torch):
    """X gets its values on a side stream, after long work there; a score that did not wait would see zeros."""
    cp, gm = check.cp, check.gm
    array, codes = made_data.blobs(cp, check.sizes.interop, "float32")
    labels, source = torch.from_dlpack(codes), torch.from_dlpack(array)
    expected = gm.calinski_harabasz_score(array, codes)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    results = []
    for _ in range(3):
        with torch.cuda.stream(stream):
            X = torch.zeros_like(source)
            busy = torch.eye(SIDE, device=source.device)
            for _ in range(PRODUCTS):
                busy = busy @ busy
            X.copy_(source * busy[0, 0])  # times 1
            samples = gm.silhouette_samples(X, labels, metric="cosine")
            results += [gm.calinski_harabasz_score(X, labels) == expected, bool(torch.isfinite(samples).all())]
        stream.synchronize()
    return all(results)
