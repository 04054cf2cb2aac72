"""Check gpumetrics on this machine's GPU, and measure it: device, accuracy, tests, timings, peers.

    PYTHONPATH=. python benchmarks/gpu_check.py [--json FILE] [--budget SECONDS] [--quick]

Prints Markdown, and ends within the budget (7 minutes) and a little: what is left out for want of time is said.
Exit code: 0 if all that was measured holds, 1 if something does not, 2 if nothing could be measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time

from gpu_check_parts.session import Check, describe, optional

GRACE = 45  # seconds past the budget after which the program ends where it stands
VERDICTS = {0: "Nothing failed", 1: "FAILED", 2: "Nothing was measured"}
LEAST = 3  # seconds of the budget below which no further section is begun


def sections():
    """The sections in the order of their importance."""
    from gpu_check_parts import (  # noqa: PLC0415  (they need NumPy)
        accuracy,
        device,
        device_tests,
        interop,
        memory,
        other_timings,
        peers,
        silhouettes,
    )

    return {
        "Device": device.facts,
        "Accuracy": accuracy.accuracy,
        "Tests": device_tests.device_tests,
        "Silhouettes over bare matrix products": silhouettes.bars,
        "Peers": peers.peers,
        "Torch": interop.interop,
        "Little memory": memory.short_of_memory,
        "Other metrics": other_timings.other_timings,
        "More silhouettes": silhouettes.grid,
    }


def main(arguments=None):
    """Run the program; return its exit code."""
    asked = parse(arguments)
    # Whole float32 products everywhere, whatever the user's settings; before any library is loaded.
    os.environ["CUPY_TF32"] = os.environ["NVIDIA_TF32_OVERRIDE"] = "0"
    found, why = libraries()
    if found is None:
        print(f"gpu_check: nothing was measured: {why}.")
        return 2
    return run(*found, asked).exit_code()


def parse(arguments):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0], allow_abbrev=False)
    parser.add_argument("--json", metavar="FILE", help="write everything to a file, too")
    parser.add_argument("--budget", metavar="SECONDS", type=float, default=420.0, help="time to use (default: 420)")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_true", help="only what matters most, in one or two minutes")
    sizes.add_argument("--toy", action="store_true", help=argparse.SUPPRESS)  # for the test of this program
    return parser.parse_args(arguments)


def libraries():
    """CuPy and the package, or None and the one reason why nothing can be measured."""
    missing = {name: optional(name)[1] for name in ("numpy", "gpumetrics")}
    if missing["numpy"]:
        return None, f"NumPy is {missing['numpy']}"
    if missing["gpumetrics"]:
        return None, f"gpumetrics is {missing['gpumetrics']}; run this from the checkout, with PYTHONPATH=."
    from gpumetrics.backends import probe_cupy  # noqa: PLC0415

    usable, reason = probe_cupy()
    if not usable:
        return None, f"no GPU can be used here: {reason}"
    return (optional("cupy")[0], optional("gpumetrics")[0]), ""


def run(cp, gm, asked):
    """Run the sections within the budget, print each as it ends, and return what was found."""
    from gpu_check_parts import report, sizes  # noqa: PLC0415

    chosen = sizes.TOY if asked.toy else sizes.QUICK if asked.quick else sizes.FULL
    check = Check(cp, gm, chosen, asked.budget)
    watchdog = threading.Timer(asked.budget + GRACE, give_up, (check, asked.json))
    watchdog.daemon = True
    watchdog.start()
    try:
        print("# gpu_check", flush=True)
        for title, section in sections().items():
            one_section(check, title, section)
            print(report.section(check, title), flush=True)
            if asked.json:
                report.write_json(asked.json, check)
        print(report.bars(check), flush=True)
        print(f"\n{time.monotonic() - check.started:.0f} s in all. {VERDICTS[check.exit_code()]}.", flush=True)
    finally:
        watchdog.cancel()
    return check


def one_section(check, title, section):
    """Run a section; an error ends it, and is told."""
    check.section, started = title, time.monotonic()
    if check.left() < LEAST:
        check.skip("the section", "the budget is used up")
        return
    try:
        section(check)
    except Exception as error:  # noqa: BLE001  (the other sections shall run)
        check.fail("the section", error)
        print(f"{title}: {describe(error)}", file=sys.stderr)
    finally:
        check.timings[title] = time.monotonic() - started
        check.cp.get_default_memory_pool().free_all_blocks()


def give_up(check, path):
    """End where the program stands: a call hangs, or takes far longer than it should."""
    from gpu_check_parts import report  # noqa: PLC0415

    check.fail(f"section {check.section}", TimeoutError("it was still running long after the budget was used up"))
    print(report.section(check, check.section), report.bars(check), sep="\n", flush=True)
    if path:
        report.write_json(path, check)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
