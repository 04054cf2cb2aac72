"""Other libraries on the same data in the same run, those that are installed."""

from __future__ import annotations

import numpy as np

from . import made_data
from .clock import CupyClock, in_turn
from .session import describe, optional
from .torch_tools import TorchClock, as_tensor, chunked_cdist, keops_silhouette, on_device

FASTER = 3.0  # times that chunked torch.cdist must take at least
SECONDS = 5  # for the rounds of one peer
FEWER = 4  # a peer's first run has so many times fewer rows, and tells how long the whole will take

COMPILING = 90  # seconds that KeOps may take before its first result


def bar_name(case):
    """Name of the bar of a case."""
    return f"chunked torch.cdist over silhouette, {case}, float32"


def peers(check):
    """Compare with each of them; what one raises is told, and is no failure of ours."""
    for case in check.sizes.bars:
        check.expect(bar_name(case), "torch with CUDA is needed")
    torch, why = optional("torch")
    if torch is None or not on_device(check, torch):
        check.skip("torch.cdist, torchmetrics, KeOps", why or "torch finds no CUDA device")
    else:
        # Whole float32 products, whatever the user's settings.
        torch.backends.cuda.matmul.allow_tf32 = False
        for peer in (_torch, _torchmetrics):
            peer(check, torch)
    _cuml(check)
    if torch is not None and on_device(check, torch):
        _keops(check, torch)
    check.note("ratio: how many times longer the peer takes. difference: of the two values.")


def _compare(check, peer, what, make, n, *, power):
    """Measure a peer and ours in turn on n rows, or on fewer if n would take too long; returns the ratio at n.

    `make(rows)` gives the peer's call, ours, and the clock.
    """
    try:
        few = max(2, n // FEWER)
        theirs, ours, clock = make(few)
        clock.seconds(theirs)  # warm-up
        seconds, _ = clock.seconds(theirs)
        if check.affords(2.5 * seconds * FEWER**power, f"{peer}, {what(n)}"):
            few = n
            theirs, ours, clock = make(n)
        ratio = _row(check, peer, what(few), (theirs, ours), clock)
    except Exception as error:  # noqa: BLE001  (whatever a peer raises is its own affair, and is told)
        check.skip(f"{peer}, {what(n)}", describe(error))
        return None
    else:
        return ratio if few == n else None
    finally:
        _give_back(check)


def _row(check, peer, what, calls, clock):
    values = [float(call()) for call in calls]
    theirs, ours = in_turn(clock, calls, seconds=SECONDS)
    check.row(
        peer=peer,
        case=what,
        **{"peer, seconds": theirs.best, "gpumetrics, seconds": ours.best, "ratio": theirs.best / ours.best},
        difference=abs(values[0] - values[1]),
        spread=f"{theirs.spread:.0%}, {ours.spread:.0%}",
    )
    return theirs.best / ours.best


def _give_back(check):
    """Torch's pool and CuPy's share the device."""
    torch = optional("torch")[0]
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    check.cp.get_default_memory_pool().free_all_blocks()


def _torch(check, torch):
    for case in check.sizes.bars:
        for sums in ("index_add_", "one-hot product"):

            def make(n, case=case, sums=sums):
                X, labels = made_data.blobs(check.cp, case._replace(n=n), "float32")
                tensors = as_tensor(check, torch, X), as_tensor(check, torch, labels)
                return (
                    lambda: chunked_cdist(torch, *tensors, case.k, sums),
                    lambda: check.gm.silhouette_score(X, labels),
                    TorchClock(torch),
                )

            def what(n, case=case):
                return f"silhouette, {case._replace(n=n)}"

            ratio = _compare(check, f"torch.cdist in chunks, {sums}", what, make, case.n, power=2)
            if sums == "index_add_" and ratio is not None:
                check.bar(bar_name(case), ratio, FASTER, at_most=False, judged=check.sizes.judge_speed)


def _torchmetrics(check, torch):
    theirs, why = optional("torchmetrics.functional.clustering")
    if theirs is None:
        check.skip("torchmetrics", why)
        return
    gm, case, k = check.gm, check.sizes.other_peers, check.sizes.classes[0]
    for score in ("calinski_harabasz_score", "davies_bouldin_score"):

        def make(n, score=score):
            X, labels = made_data.blobs(check.cp, case._replace(n=n), "float32")
            given = as_tensor(check, torch, X), as_tensor(check, torch, labels)
            return (
                lambda: getattr(theirs, score)(*given),
                lambda: getattr(gm, score)(X, labels),
                TorchClock(torch),
            )

        _compare(check, "torchmetrics", lambda n, s=score: f"{s}, {case._replace(n=n)}", make, case.n, power=1)
    # Not its AMI, which loops over every possible count in Python: it would not end here.
    for score in ("adjusted_rand_score", "normalized_mutual_info_score"):

        def make_labels(n, score=score):
            pair = made_data.two_labelings(check.cp, n, k)
            given = [as_tensor(check, torch, labels) for labels in pair]
            return lambda: getattr(theirs, score)(*given), lambda: getattr(gm, score)(*pair), TorchClock(torch)

        n = check.sizes.peer_labels
        _compare(check, "torchmetrics", lambda n, s=score: f"{s}, {n} labels, k = {k}", make_labels, n, power=1)


def _cuml(check):
    module, why = optional("cuml.metrics.cluster")
    if module is None:
        check.skip("cuML", why)
        return
    score = module.silhouette_score
    score = score if callable(score) else score.cython_silhouette_score  # the name of a function, or of its module
    case = check.sizes.bars[0]

    def make(n):
        X, labels = made_data.blobs(check.cp, case._replace(n=n), "float32")
        short = labels.astype(np.int32)
        return lambda: score(X, short), lambda: check.gm.silhouette_score(X, labels), CupyClock(check.cp)

    _compare(check, "cuML", lambda n: f"silhouette, {case._replace(n=n)}", make, case.n, power=2)


def _keops(check, torch):
    keops, why = optional("pykeops.torch")
    if keops is None:
        check.skip("KeOps", why)
        return
    if check.left() < COMPILING:
        check.skip("KeOps", f"compiling its kernel may take {COMPILING} s, and {check.left():.0f} s are left")
        return
    case = check.sizes.keops

    def make(n):
        X, labels = made_data.blobs(check.cp, case._replace(n=n), "float32")
        given = as_tensor(check, torch, X), as_tensor(check, torch, labels)
        return (
            lambda: keops_silhouette(torch, keops.LazyTensor, *given, case.k),
            lambda: check.gm.silhouette_score(X, labels),
            TorchClock(torch),
        )

    _compare(check, "KeOps", lambda n: f"silhouette, {case._replace(n=n)}", make, case.n, power=2)
