"""The file of figures: what was measured, on what."""

from __future__ import annotations

import json
from pathlib import Path

from . import machine

DEFAULT = Path(__file__).parent / "results.json"
SECTIONS = {"cases": ("case", "size", "shape", "backend"), "growth": ("case", "axis"), "budgets": ("case",)}
PASSING = {"date", "load_before", "free_gib", "commit"}  # may differ between runs whose figures stand in one table


class Results:
    """Figures by section, in a file or in memory only.

    With `add`, those of an earlier run in the file are kept, where nothing new replaces them; the machine and all
    versions must be the same.
    """

    def __init__(self, path=None, *, add=False):
        self.path = path
        self.data = {"machine": machine.facts(), **{section: [] for section in SECTIONS}}
        if add and path is not None and path.exists():
            self._take(read(path))

    def _take(self, earlier):
        here, there = ({k: v for k, v in d["machine"].items() if k not in PASSING} for d in (self.data, earlier))
        different = sorted(key for key in here if here[key] != there.get(key))
        if different:
            raise ValueError(
                f"{self.path} was measured elsewhere ({', '.join(different)} differ); run without --add to begin anew"
            )
        self.data |= {section: earlier.get(section, []) for section in SECTIONS}

    def put(self, section, record):
        """Keep a record, instead of an earlier one of the same; and write the file: an interrupted run leaves it."""
        keys = SECTIONS[section]
        others = [r for r in self.data[section] if any(r[key] != record[key] for key in keys)]
        self.data[section] = [*others, record]
        if self.path is not None:
            self.path.write_text(json.dumps(self.data, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read(path):
    """The figures of a file."""
    return json.loads(path.read_text(encoding="utf-8"))
