"""``gpumetrics plan``: what the metrics of a clustering of some size will cost, here and on other machines."""

from __future__ import annotations

import argparse
import math
from typing import Any

__all__ = ["add_parser", "run"]

EPILOG = """\
No data is read. Times on this machine rest on a product that is timed (some milliseconds); a GPU, a network and a
disk are assumed, and the --gpu options and --link say otherwise.

exit codes: 0 good; 2 bad input (one line on standard error)

examples:
  gpumetrics plan --n 1e8 --d 768 --k 1000 --metric cosine
  gpumetrics plan --n 1e9 --d 768 --k 1000 --workers 16 --gpus 64
  gpumetrics plan --n 5e6 --d 384 --k 100 --gpus 1 --gpu-memory 24 --gpu-tflops 80 --gpu-tflops64 1.2 --json
"""
GIGA, TERA = 1e9, 1e12
# Option, what it changes of a GPU, in which unit.
GPU_OPTIONS = (
    ("--gpu-memory", "memory", GIGA, "GB"),
    ("--gpu-tflops", "float32", TERA, "TFLOP/s in float32"),
    ("--gpu-tflops64", "float64", TERA, "TFLOP/s in float64"),
    ("--gpu-bandwidth", "bandwidth", GIGA, "GB/s from its memory"),
    ("--gpu-feed", "feed", GIGA, "GB/s from the host"),
)


def add_parser(commands: Any) -> None:
    """Add the subcommand's parser."""
    from gpumetrics.commands.console import a_number

    parser = commands.add_parser(
        "plan",
        help="say what metrics of so many rows will cost, and how many GPUs hold them",
        description="Say what the metrics of a clustering will cost: operations, bytes, memory, seconds, and the way "
        "to take.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for name, what in (("n", "rows, as in 1e8"), ("d", "features"), ("k", "clusters")):
        parser.add_argument(f"--{name}", type=a_count, required=True, metavar=name.upper(), help=what)
    parser.add_argument("--metric", default="euclidean", help="distance of the silhouette (default: %(default)s)")
    parser.add_argument("--dtype", default="float32", help="type of the numbers (default: %(default)s)")
    parser.add_argument("--workers", type=a_count, metavar="N", help="plan for so many machines like this one, too")
    parser.add_argument("--gpus", type=a_count, metavar="N", help="GPUs (default: what holds the rows, 64 at most)")
    parser.add_argument(
        "--queries", type=a_count, default=2000, metavar="M", help="rows that an estimate asks (default: %(default)s)"
    )
    for option, name, _, unit in GPU_OPTIONS:
        parser.add_argument(option, dest=f"gpu_{name}", type=a_number, metavar="X", help=f"of a GPU: {unit}")
    parser.add_argument("--link", type=a_number, metavar="X", help="GB/s between workers, of both kinds")
    parser.add_argument("--working-memory", type=a_number, metavar="MIB", help="memory for temporary arrays, in MiB")
    parser.add_argument("--json", action="store_true", help="print JSON rather than text")
    parser.set_defaults(run=run)


def a_count(text: str) -> int:
    """Read a count of the command line, as 1000 or 1e8; ArgumentTypeError unless it is a whole number."""
    from gpumetrics.commands.console import a_number

    try:
        number = a_number(text)
    except ValueError:
        number = math.nan
    if not number.is_integer():
        raise argparse.ArgumentTypeError(f"takes a whole number such as 1e8, got {text!r}")
    return int(text) if text.lstrip("+-").isdigit() else int(number)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand; return its exit code."""
    from gpumetrics.config import config_context
    from gpumetrics.planning import plan

    settings = {} if args.working_memory is None else {"working_memory": args.working_memory}
    machine, gpu = _machines(args)
    with config_context(**settings):
        found = plan(
            args.n,
            args.d,
            args.k,
            metric=args.metric,
            dtype=args.dtype,
            n_queries=args.queries,
            n_workers=args.workers,
            n_gpus=args.gpus,
            machine=machine,
            gpu=gpu,
        )
    print(found.to_json() if args.json else found)
    return 0


def _machines(args: argparse.Namespace) -> tuple[Any, Any]:
    """Return this machine and a GPU, as far as the options change them."""
    from dataclasses import replace

    from gpumetrics.planning import ASSUMED_GPU, this_machine

    link = {} if args.link is None else {"link": args.link * GIGA}
    wanted = ((name, unit, getattr(args, f"gpu_{name}")) for _, name, unit, _ in GPU_OPTIONS)
    changes = {name: value * unit for name, unit, value in wanted if value is not None}
    return replace(this_machine(), **link), replace(ASSUMED_GPU, **changes, **link)
