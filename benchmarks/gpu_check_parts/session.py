"""What a run knows and has found: libraries, time left, rows of tables, bars, what was left out."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import time
import traceback
from dataclasses import asdict, dataclass, field
from typing import Any

LARGEST_SHARE = 0.15  # of the whole budget that one case may take
NOT_JUDGED = "not judged"


@dataclass
class Bar:
    """Something that must hold, and whether it does."""

    name: str
    value: float | None = None
    limit: float | None = None
    at_most: bool = True
    verdict: str = "NOT MEASURED"
    note: str = ""

    def judge(self, *, judged):
        """Say PASS or FAIL; nan never passes."""
        holds = self.value <= self.limit if self.at_most else self.value >= self.limit
        self.verdict = ("PASS" if holds else "FAIL") if judged else NOT_JUDGED


@dataclass
class Check:
    """One run of the program."""

    cp: Any
    gm: Any
    sizes: Any
    budget: float
    facts: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    bars: dict[str, Bar] = field(default_factory=dict)
    skipped: list[dict[str, str]] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    section: str = ""
    started: float = field(default_factory=time.monotonic)

    def left(self):
        """Seconds of the budget that are left."""
        return self.budget - (time.monotonic() - self.started)

    def affords(self, seconds, what):
        """Whether a case that takes so long may be run; if not, note that it was left out."""
        left, most = self.left(), LARGEST_SHARE * self.budget
        if seconds <= min(left, most):
            return True
        reason = f"{left:.0f} s of the budget are left" if seconds > left else f"a case may take {most:.0f} s"
        self.skip(what, f"would take about {seconds:.0f} s; {reason}")
        return False

    def row(self, **cells):
        """Add a row to the table of the section."""
        self.tables.setdefault(self.section, []).append(cells)

    def note(self, text):
        """Add a line below the table of the section."""
        self.notes.setdefault(self.section, []).append(text)

    def skip(self, what, why):
        """Note what was left out."""
        self.skipped.append({"section": self.section, "what": what, "why": why})

    def expect(self, name, note):
        """Announce a bar: until it is judged, it is one that was not measured."""
        self.bars[name] = Bar(name, note=note)

    def bar(self, name, value, limit, *, at_most=True, judged=True):
        """Hold a value against a bar."""
        self.bars[name] = Bar(name, float(value), float(limit), at_most)
        self.bars[name].judge(judged=judged)

    def fail(self, what, error):
        """Note an error that is one of the package or of this program."""
        text = "".join(traceback.format_exception(error)[-12:])
        self.errors.append({"section": self.section, "what": what, "error": describe(error), "traceback": text})

    @contextlib.contextmanager
    def guarded(self, what):
        """Let an error in a case end that case only; too little memory for its data is no failure."""
        try:
            yield
        except self.cp.cuda.memory.OutOfMemoryError as error:
            self.skip(what, f"the device's memory does not suffice ({error})")
        except Exception as error:  # noqa: BLE001  (the other cases shall run)
            self.fail(what, error)

    def exit_code(self):
        """0 if all that was measured holds, 1 if something does not, 2 if nothing was measured."""
        verdicts = {bar.verdict for bar in self.bars.values()}
        if self.errors or "FAIL" in verdicts:
            return 1
        return 0 if "PASS" in verdicts else 2

    def result(self):
        """All of it, for JSON."""
        return {
            "facts": self.facts,
            "bars": [asdict(bar) for bar in self.bars.values()],
            "tables": self.tables,
            "notes": self.notes,
            "skipped": self.skipped,
            "errors": self.errors,
            "timings": self.timings,
            "seconds": round(time.monotonic() - self.started, 1),
            "exit_code": self.exit_code(),
        }


def describe(error):
    """An error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def optional(name):
    """A library, or None and why it cannot be used."""
    try:
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            return None, "not installed"
        return importlib.import_module(name), ""
    except Exception as error:  # noqa: BLE001  (a broken install may raise anything)
        return None, f"does not import ({describe(error)})"
