"""The commands of `python -m benchmarks`: run, growth and table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import budgets, growth, ours, page, readme
from .case import SIZES, picked
from .cases import CASES, jobs
from .clock import BUDGET
from .measuring import Options, measure
from .peers import PEERS
from .results import DEFAULT, Results, read
from .words import answer, digits, ratio, seconds

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "benchmarks.md"
NAMES = [case.name for case in CASES] + list(budgets.BUDGETS)
WORDS = {"nargs": "+", "action": "extend", "default": []}


def parser():
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure gpumetrics beside its peers.")
    commands = top.add_subparsers(dest="command", required=True)
    for name, text in (("run", "measure the cases"), ("growth", "measure how time and memory grow with n, d and k")):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--case", **WORDS, metavar="PATTERN", help="part of a name, or a pattern")
        command.add_argument("--rounds", type=int, default=15, help="rounds of each case, at most (default: 15)")
        command.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
        command.add_argument("--add", action="store_true", help="keep what FILE has of other cases")
        command.add_argument("--patience", type=float, default=240.0, metavar="S", help="seconds for an answer")
    run = commands.choices["run"]
    run.add_argument("--peers", **WORDS, metavar="NAME", help="part of a peer's name")
    run.add_argument("--sizes", nargs="+", choices=SIZES, default=["small", "full"])
    run.add_argument("--budget", type=float, default=BUDGET, metavar="S", help="seconds of timing of a case, about")
    run.add_argument("--backend", nargs="+", choices=("numpy", "cupy"), help="default: all that work here")
    run.add_argument("--no-memory", action="store_true", help="no process for each side: no peak memory, no patience")
    commands.choices["growth"].add_argument("--toy", action="store_true", help="sizes that take no time; no memory")
    write = commands.add_parser("table", help=f"write {DOCUMENT.relative_to(ROOT)} and the READMEs' tables")
    write.add_argument("--json", type=Path, default=DEFAULT, metavar="FILE", help="the figures")
    write.add_argument("--into", type=Path, default=ROOT, metavar="FOLDER", help="where README.md and docs are")
    return top


def main(arguments=None):
    """Run a command; return its exit status: 1 if an answer of ours is wrong or a budget is exceeded."""
    top = parser()
    asked = top.parse_args(arguments)
    if unknown := [word for word in getattr(asked, "case", []) if not picked(NAMES, [word])]:
        top.error(f"no case is called {', '.join(unknown)}; benchmarks/cases.py has their names")
    if unknown := [word for word in getattr(asked, "peers", []) if not any(word in name for name in PEERS)]:
        top.error(f"no peer is called {', '.join(unknown)}; there are {', '.join(PEERS)}")
    return {"run": run, "growth": grow, "table": write_tables}[asked.command](asked)


def run(asked):
    """Measure cases, then the budgets that match."""
    options = Options(tuple(asked.peers), asked.rounds, asked.budget, not asked.no_memory, asked.patience)
    results, failed = Results(asked.json, add=asked.add), False
    for job in jobs(asked.case, asked.sizes, asked.backend or ours.backends()):
        record = measure(job, options)
        results.put("cases", record)
        failed |= record["sides"][ours.NAME]["state"] != "ok"
        print(line(record), flush=True)
    if "full" in asked.sizes:
        for name in picked(budgets.BUDGETS, asked.case):
            record = budgets.kept(name)
            results.put("budgets", record)
            failed |= record["used"] > record["allowed"]
            print(f"{name}: {digits(record['used'])} of {record['allowed']:g} {record['unit']}", flush=True)
    return int(failed)


def line(record):
    """A case in a line: ours, the limit, then each peer with its ratio."""
    parts = [f"{ours.NAME} {answer(record['sides'][ours.NAME])}"]
    if "seconds" in record["limit"]:
        parts.append(f"{record['limit']['what']} {seconds(record['limit']['seconds'])}")
    for name, side in record["sides"].items():
        if name != ours.NAME and side["state"] != "lacks":
            times = ratio(record, name)
            parts.append(f"{name} {answer(side)}" + ("" if times is None else f" = {digits(times)}x"))
    busy = "" if record["others"] is None else f"; others {record['others']:.0%}"
    return f"{record['case']} ({record['backend']}): {record['label']}: {'; '.join(parts)}{busy}"


def grow(asked):
    """Measure the axes whose case matches."""
    results, failed = Results(asked.json, add=asked.add), False
    names = picked({axis.case for axis in growth.AXES}, asked.case)
    for axis in (axis for axis in growth.AXES if axis.case in names):
        record = growth.grown(axis, toy=asked.toy, rounds=asked.rounds, patience=asked.patience)
        results.put("growth", record)
        memory = "" if record["memory_exponent"] is None else f", memory as {axis.axis}^{record['memory_exponent']:.2f}"
        doubling = "" if record["doubling"] is None else f"; last doubling {digits(record['doubling'])} times"
        print(f"{record['label']}: time as {axis.axis}^{record['exponent']:.2f}{memory}{doubling}", flush=True)
        failed |= not asked.toy and axis.most is not None and record["doubling"] > axis.most
    return int(failed)


def write_tables(asked):
    """Write the document and the tables of both READMEs."""
    if not asked.json.exists():
        what = f"{asked.json} does not exist; measure first: python -m benchmarks run --json {asked.json}"
        print(f"benchmarks: {what}", file=sys.stderr)
        return 2
    data = read(asked.json)
    document = asked.into / DOCUMENT.relative_to(ROOT)
    document.write_text(page.page(data), encoding="utf-8")
    for name in readme.TEXTS:
        path = asked.into / name
        path.write_text(readme.between(path.read_text(encoding="utf-8"), readme.block(data, name)), encoding="utf-8")
    return 0
