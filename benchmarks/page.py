"""docs/benchmarks.md, whole."""

from __future__ import annotations

from .case import SMALL_ROWS, short
from .cases import named
from .words import answer, days, digits, losses, mib, of, ratio, seconds, table

INTRODUCTION = """\
# Benchmarks

Written by `python -m benchmarks table` from figures of `python -m benchmarks run`; to measure here:

```
pip install ".[test,bench]"
python -m benchmarks run --sizes small full --json benchmarks/results.json
python -m benchmarks growth --add --json benchmarks/results.json
python -m benchmarks table
```

A case is a metric on data of one size; the table of cases is `benchmarks/cases.py`. The sides run in turn in the same
process, each on fresh copies of the arrays, and times are medians. Ratios say how many times longer a peer takes:
below 1 it is faster. Peers run both with all threads and with one thread in their matrix products, where they have any,
and the faster counts. Answers are compared first, with definitions, exact integers or scikit-learn in float64: a
peer is *off* where it differs by up to a thousandth, which stands beside its time, and *wrong* beyond, without a time.
Peak memory is that of one call alone in a process, above what its input takes."""
LIMITS = """\
The limit is what cannot be left out, bare: for Euclidean silhouettes the matrix product of half of the pairs; for
closed forms X read once, and its product with k rows; for centroids X read once; for labels one pass that counts codes
(they need not be found first), or one sort of them; for many labelings one silhouette of ours. It runs on all cores
where that is faster. *Over it* is how many times longer ours takes, *wanted* the ratio that is aimed at."""
SMALL = """\
Times of ours, and ratios to scikit-learn, at some numbers of rows. Wanted: a ratio of 1 above 1,000 rows, and two
thirds at 100."""
LARGE = ["case", "gpumetrics", "limit", "over it", "at most", "scikit-learn", "ratio", "wanted", "MiB", "its MiB"]
GROWTH = ["what grows", "sizes", "seconds", "time grows as", "peak MiB", "memory grows as", "last doubling", "at most"]
UNITS = {"s": seconds, "MiB": lambda value: f"{mib(value)} MiB"}


def page(data):
    """The text of the page."""
    parts = [INTRODUCTION, _machine(data), _peers(data)]
    for title, section in SECTIONS.items():
        parts += [f"## {title}", section(data)]
    return "\n\n".join(parts) + "\n"


def _machine(data):
    facts, shares = data["machine"], [r["others"] for r in data["cases"] + data["growth"] if r["others"] is not None]
    busy = f" Other programs took up to {max(shares):.0%} of the cores meanwhile." if shares else ""
    load = "unknown" if facts["load_before"] is None else f"{facts['load_before']:.1f}"
    gpu = f", {facts['gpu']}" if facts["gpu"] else ""
    commit = (facts["commit"] or "unknown") + " at the end" * (facts["date"] != days(data))
    return (
        f"Measured on {days(data)} on {facts['cores']} cores ({facts['processor']}, {facts['machine']}{gpu}), "
        f"Python {facts['python']}, NumPy {facts['numpy']} ({facts['blas']}), SciPy {facts['scipy']}, gpumetrics "
        f"{facts['gpumetrics']} (commit {commit}). Load before the start: {load}.{busy}"
    )


def _peers(data):
    found = data["machine"]["peers"]
    lines = [[name, facts["version"] or "", facts["reason"]] for name, facts in found.items()]
    return table(["peer", "version", "why it was not run"], lines)


def _large(data, backend="numpy"):
    return table(LARGE, [_large_line(r) for r in of(data, "full", backend)])


def _large_line(record):
    ours, theirs = record["sides"]["gpumetrics"], record["sides"].get("scikit-learn", {})
    limit, times = record["limit"].get("seconds"), ratio(record, "scikit-learn")
    case = named(record["case"])
    return [
        record["label"],
        answer(ours),
        "" if limit is None else f"{record['limit']['what']}: {seconds(limit)}",
        digits(ours["seconds"] / limit) if limit and "seconds" in ours else "",
        "" if case.over is None else f"{case.over:g}",
        answer(theirs),
        "" if times is None else digits(times),
        "" if case.target is None else f"{case.target:g}",
        mib(ours.get("peak_mib")),
        mib(theirs.get("peak_mib")),
    ]


def _others(data):
    lines = []
    for record in (r for backend in ("numpy", "cupy") for r in of(data, "full", backend)):
        for name, side in record["sides"].items():
            if name not in {"gpumetrics", "scikit-learn"} and side["state"] != "lacks":
                times = ratio(record, name)
                cells = ["" if times is None else digits(times), mib(side.get("peak_mib"))]
                lines.append([record["label"], name, answer(side), *cells])
    return (
        f"{table(['case', 'peer', 'time', 'ratio', 'MiB'], lines)}\n\nMetrics that a peer does not have are left out."
    )


def _small(data):
    heads = ["case", *(f"{what} at {short(n)}" for what in ("gpumetrics", "ratio") for n in SMALL_ROWS)]
    by_case: dict[str, dict] = {}
    for record in of(data, "small"):
        by_case.setdefault(record["case"], {})[record["shape"]["n"]] = record
    lines = []
    for name, records in by_case.items():
        found = [records.get(n) for n in SMALL_ROWS]
        ratios = [None if r is None else ratio(r, "scikit-learn") for r in found]
        times = ["" if r is None else answer(r["sides"]["gpumetrics"]) for r in found]
        lines.append([name, *times, *("" if r is None else digits(r) for r in ratios)])
    return f"{SMALL}\n\n{table(heads, lines)}"


def _losses(data):
    heads = ["case", "backend", "peer", "its time", "gpumetrics", "ratio"]
    lines = []
    for record, name in losses(r for r in data["cases"] if r["size"] != "toy"):
        times = [answer(record["sides"][side]) for side in (name, "gpumetrics")]
        lines.append([record["label"], record["backend"], name, *times, digits(ratio(record, name))])
    return table(heads, lines) if lines else "Nowhere in what was measured."


def _growth(data):
    lines = []
    for r in data["growth"]:
        power = r["memory_exponent"]
        sizes = ", ".join(short(value) for value in r["values"])
        times, peaks = (
            ", ".join(map(digits, r["seconds"])),
            ", ".join(mib(peak) for peak in r["peak_mib"] if peak is not None),
        )
        doubling, most = ("" if x is None else f"{digits(x)} times" for x in (r["doubling"], r["most"]))
        powers = [f"{r['axis']}^{r['exponent']:.2f}", "" if power is None else f"{r['axis']}^{power:.2f}"]
        lines.append([r["label"], sizes, times, powers[0], peaks, powers[1], doubling, most])
    return table(GROWTH, lines)


def _budgets(data):
    lines = [[r["label"], UNITS[r["unit"]](r["used"]), UNITS[r["unit"]](r["allowed"])] for r in data["budgets"]]
    return table(["what", "used", "allowed"], lines)


SECTIONS = {
    "Large problems": lambda data: f"{LIMITS}\n\n{_large(data)}",
    "Large problems, on a GPU": lambda data: _large(data, "cupy"),
    "Other peers": _others,
    "Small problems": _small,
    "Where another library is faster": _losses,
    "Growth": _growth,
    "Budgets": _budgets,
}
