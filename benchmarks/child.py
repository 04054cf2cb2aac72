"""One call of one side, alone in this process: `python -m benchmarks.child JOB ANSWER`, from alone.py.

Prints a line of JSON: seconds and peak memory, or why there is no answer. The answer goes to a file.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from . import memory, ours
from .agreement import numbers
from .case import Job, Shape
from .cases import named
from .clock import timed
from .peers import PEERS
from .peers.peer import CannotError

OUT_OF_MEMORY = ("not enough memory", "Unable to allocate", "out of memory", "bad_alloc")


def job_of(facts):
    """The job that alone.py wrote down."""
    return Job(named(facts["case"]), facts["size"], Shape(**facts["shape"]), facts["backend"])


def answered(job, peer):
    """Seconds and peak of a call, and its value; a call on toy data comes first, and loads what is lazy."""
    toy = replace(job, shape=job.case.toy)
    timed(peer.side(toy, toy.data()))
    if peer.device == "cpu":
        memory.limit_to_free()
    side = peer.side(job, job.data())
    memory.reset_peak()
    before = memory.peak_mib()
    wall, _, value = timed(side)
    facts = {"seconds": wall, "peak_mib": memory.peak_mib() - before}
    if peer.device_peak is not None:
        facts["device_peak_mib"] = peer.device_peak()
    return facts, value


def reason(error):
    """Why there is no answer, in one line."""
    text = " ".join(str(error).split())[:200]
    if isinstance(error, MemoryError) or any(words in text for words in OUT_OF_MEMORY):
        return f"needs more memory than the {memory.free_gib() or 0:.0f} GiB that were free ({text or 'MemoryError'})"
    return f"{type(error).__name__}: {text}"


def main(facts, path):
    """Answer, or say why not."""
    warnings.simplefilter("ignore")
    job = job_of(json.loads(facts))
    name = json.loads(facts)["side"]
    peer = ours.peer(job.backend) if name == ours.NAME else PEERS[name]
    try:
        found, value = answered(job, peer)
        np.save(path, numbers(value), allow_pickle=False)
    except CannotError as error:
        found = {"lacks": str(error)}
    except Exception as error:  # noqa: BLE001  (whatever a peer raises is its own affair, and is told)
        found = {"cannot": reason(error)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
