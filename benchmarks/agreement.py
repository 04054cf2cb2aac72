"""Whether an answer is the right one, and by how much it is off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LOOSE = 1e-3  # of the largest true value: up to here a peer's answer is off, beyond it is wrong


class Verdict(NamedTuple):
    """`state` is "ok", "off" or "wrong"; `difference` the largest one; `reason` says what is wrong."""

    state: str
    difference: float
    reason: str


def numbers(value):
    """All numbers of an answer, in their order, as a float64 array; None counts as nan."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return np.concatenate([np.ravel(numbers(part)) for part in value])
    if hasattr(value, "toarray"):
        value = value.toarray()
    for on_host in ("detach", "cpu", "get"):  # torch's steps to the host, CuPy's
        if hasattr(value, on_host):
            value = getattr(value, on_host)()
    return np.asarray(np.nan if value is None else value, dtype=np.float64)


def judge(answer, truth, *, atol, rtol):
    """Compare an answer with the truth; both as `numbers` gives them."""
    if answer.size != truth.size:
        return Verdict("wrong", float("inf"), f"gives {answer.size} numbers, {truth.size} are right")
    answer, truth = np.ravel(answer), np.ravel(truth)
    with np.errstate(invalid="ignore"):
        gap = np.where((answer == truth) | (np.isnan(answer) & np.isnan(truth)), 0.0, np.abs(answer - truth))
    gap = np.where(np.isnan(gap), np.inf, gap)
    if np.all(gap <= atol + rtol * np.abs(truth)):
        return Verdict("ok", float(gap.max()), "")
    worst = int(np.argmax(gap))
    if gap[worst] <= LOOSE * max(1.0, float(np.nanmax(np.abs(truth)))):
        return Verdict("off", float(gap[worst]), f"off by {gap[worst]:.2g}")
    return Verdict("wrong", float(gap[worst]), f"gives {answer[worst]:.6g} where {truth[worst]:.6g} is right")
