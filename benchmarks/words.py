"""Figures in words, and tables in Markdown."""

from __future__ import annotations

import numpy as np


def days(data):
    """The day on which the figures were measured; the first and the last, where later runs added some."""
    found = sorted({record["date"][:10] for section in ("cases", "growth") for record in data[section]})
    return ", ".join(dict.fromkeys([found[0], found[-1]])) if found else data["machine"]["date"]


def digits(value, precision=3):
    """Three significant digits, without an exponent."""
    return np.format_float_positional(float(value), precision=precision, unique=False, fractional=False, trim="-")


def seconds(value):
    """Seconds."""
    return f"{digits(value)} s"


def mib(value):
    """MiB, whole; nothing below one."""
    return "" if value is None else f"{max(value, 0):,.0f}"


def ratio(record, name):
    """How many times longer a side takes than ours; None where one has no time."""
    own, other = record["sides"]["gpumetrics"], record["sides"].get(name, {})
    right = other.get("state") in {"ok", "off"}
    return other["seconds"] / own["seconds"] if right and "seconds" in own else None


def answer(side):
    """The time of a side, or what it has instead."""
    if not side:
        return "not run"
    if side["state"] in {"wrong", "cannot", "lacks"}:
        return f"{side['state']}: {side['reason']}".replace("|", "/")
    notes = [side["reason"]] * (side["state"] == "off") + ["once"] * (side["runs"] == 1)
    return seconds(side["seconds"]) + (f" ({', '.join(notes)})" if notes else "")


def table(heads, lines):
    """A table, or a word where there is nothing to show."""
    if not lines:
        return "Nothing was measured."
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def fastest_other(record):
    """The fastest peer besides scikit-learn whose answer is no worse than off, or None."""
    names = [name for name in record["sides"] if name not in {"gpumetrics", "scikit-learn"} and ratio(record, name)]
    return min(names, key=lambda name: ratio(record, name), default=None)


def losses(records):
    """(record, peer) wherever a peer is faster than ours."""
    return [(r, name) for r in records for name in r["sides"] if name != "gpumetrics" and (ratio(r, name) or 1) < 1]


def of(data, size, backend="numpy"):
    """The records of one size and backend, in the order of the table."""
    from .cases import CASES  # noqa: PLC0415

    order = {case.name: at for at, case in enumerate(CASES)}
    found = [r for r in data["cases"] if (r["size"], r["backend"]) == (size, backend) and r["case"] in order]
    return sorted(found, key=lambda r: (order[r["case"]], r["shape"]["n"]))
