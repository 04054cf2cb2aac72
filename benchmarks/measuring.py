"""A job: the first answer of each side, what is wrong with it, and then the times of all sides in turn."""

from __future__ import annotations

import dataclasses
import gc
import math
import warnings
from dataclasses import dataclass, field
from datetime import datetime

from . import alone, ours
from .agreement import judge, numbers
from .child import reason
from .clock import BUDGET, Others, in_turn, timed
from .limits import limit_sides
from .peers import for_backend
from .peers.peer import CannotError
from .truth import true_answer

LONG = 20.0  # seconds of a peer's first call from which it is not called again


@dataclass(frozen=True)
class Options:
    """How to measure. `alone`: each side answers in a process of its own first, at full size."""

    peers: tuple[str, ...] = ()
    rounds: int = 15
    budget: float = BUDGET
    alone: bool = True
    patience: float = 240.0
    slow: dict = field(default_factory=dict)  # (case, backend, peer): why it is left out at larger shapes, or seconds

    def chosen(self, backend):
        """The peers that can be used here, of those that are wanted."""
        usable = (peer for peer in for_backend(backend) if peer.version()[0] is not None)
        return [peer for peer in usable if not self.peers or any(word in peer.name for word in self.peers)]


def measure(job, options):
    """What is known of a job afterwards, as JSON can hold it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.freeze()  # what is loaded by now is not scanned again and again
        args = job.data()
        truth = true_answer(job, args)
        us = ours.peer(job.backend)
        peers = {peer.name: peer for peer in (us, *options.chosen(job.backend))}
        found = {name: _first(job, peer, args, truth, options) for name, peer in peers.items()}
        again = {name: peers[name] for name, facts in found.items() if _is_timed(name, facts)}
        with Others() as others:
            sides = {**_all_forms(job, args, again), **limit_sides(job, args, us.side(job, args))}
            seconds, rounds = in_turn(sides, rounds=options.rounds, budget=options.budget)
    for name in again:
        found[name] |= _fastest(name, seconds) | {"runs": rounds}
    return {
        "case": job.case.name,
        "label": job.case.label(job.shape),
        "size": job.size,
        "shape": dataclasses.asdict(job.shape),
        "backend": job.backend,
        "date": datetime.now().isoformat(timespec="minutes"),
        "others": others.share,
        "limit": {"what": job.case.limit} | _fastest("limit", seconds),
        "sides": found,
    }


def _first(job, peer, args, truth, options):
    """The first answer of a side, judged; or why it has none."""
    key = job.case.name, job.backend, peer.name
    before = options.slow.get(key)
    growth = 2 if job.case.metric.startswith("silhouette") else 1  # of the peers' time with the rows
    foreseen = 0.0 if before is None else before[1] * (job.shape.n / before[0]) ** growth
    if foreseen > options.patience and peer.name != ours.NAME:
        return {"state": "cannot", "reason": f"took {before[1]:.2g} s for {before[0]:,} rows already"}
    facts, answer = _answer(job, peer, args, options)
    if answer is None:
        state = "lacks" if "lacks" in facts else "cannot"
        return {"state": state, "reason": facts[state]}
    options.slow[key] = job.shape.n, facts["seconds"]
    verdict = _verdict(job, answer, truth)
    difference = verdict.difference if math.isfinite(verdict.difference) else None
    return facts | {"state": verdict.state, "difference": difference, "reason": verdict.reason, "runs": 1}


def _answer(job, peer, args, options):
    if options.alone and job.size == "full":
        return alone.first_answer(job, peer.name, options.patience)
    try:
        wall, _, value = timed(peer.side(job, args))
    except CannotError as error:
        return {"lacks": str(error)}, None
    except Exception as error:
        if peer.name == ours.NAME:
            raise
        return {"cannot": reason(error)}, None
    return {"seconds": wall}, numbers(value)


def _verdict(job, answer, truth):
    """Judged where the truth is known."""
    if job.case.truth == "some labelings" and answer.shape == truth.shape:
        answer, truth = answer[truth == truth], truth[truth == truth]  # noqa: PLR0124  (nan: not known)
    return judge(answer, truth, atol=job.case.atol, rtol=job.case.rtol)


def _is_timed(name, facts):
    return name == ours.NAME or (facts["state"] in {"ok", "off"} and facts["seconds"] <= LONG)


def _all_forms(job, args, peers):
    """The sides, and again with one thread each: threads that wait for each other flatter whoever does not use them."""
    sides = {}
    for name, peer in peers.items():
        sides[name, ""] = side = peer.side(job, args)
        if job.case.blas and peer.one_thread is not None:
            sides[name, "one thread"] = dataclasses.replace(side, around=peer.one_thread)
    return sides


def _fastest(name, seconds):
    """Of the forms of a side, the one with the least wall time; nothing where there is none."""
    forms = {form: found for (side, form), found in seconds.items() if side == name}
    if not forms:
        return {}
    best = min(forms, key=lambda form: forms[form].wall)
    return {"seconds": forms[best].wall, "cpu": forms[best].cpu, "form": best}
