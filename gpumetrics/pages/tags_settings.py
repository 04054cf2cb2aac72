"""How a tag report came about: its settings, what became of tags by them, and lines that repeat it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gpumetrics.classification.tag_names import named
from gpumetrics.pages.common import backend_rows, own, settings_section
from gpumetrics.pages.tags_words import rule_of
from gpumetrics.text.messages import counted, said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gpumetrics.evaluation.tags.report import TagReport
    from gpumetrics.pages.model import Section

__all__ = ["settings_of"]

LONGEST = 400  # characters of a list that the lines write out
FURTHER = """\
report.per_label               # every score and count of every tag
list(report.failures())        # every document with an error, with what it missed and invented
report.change_from(before)     # each score less that of another report on the same truth"""


def settings_of(report: TagReport, told: Mapping[str, str], command: str) -> Section:
    """Return the section of settings."""
    settings, facts, documents = report.settings, report.tags.facts, report.documents
    classes = settings["classes"]
    rows: list[tuple[str, str]] = [
        *told.items(),
        ("documents given", f"{documents['n_given']:,}"),
        ("not labelled, left out", f"{documents['n_unlabelled']:,}"),
        ("without a prediction, left out", f"{documents['n_unpredicted']:,}"),
        ("documents scored", f"{report.n_documents:,}"),
        ("documents without tags", _empty(report)),
        ("these documents", rule_of(settings["zero_division"])),
        ("list of tags", "all that occur" if classes is None else counted(len(classes), "{n:,} tag", "{n:,} tags")),
        (
            "tags that are not in the list",
            {"extend": "added", "ignore": "left out"}.get(settings["unknown"], "refused"),
        ),
        ("tags taken out of both sides", own(named(settings["exclude"])) if settings["exclude"] else "none"),
        ("repeated tags, counted once", _sides(facts.repeated_true, facts.repeated_pred)),
        ("beta of F-beta", f"{settings['beta']:g}"),
        ("weights of the documents", "given" if settings["weighted"] else "all the same"),
        *backend_rows(report.backend, report.backend_reason, report.seconds),
    ]
    code = {"To repeat it from Python:": _repeated(report), "To look further:": FURTHER}
    return settings_section(rows, code | ({"To repeat it from a shell:": command} if command else {}))


def _sides(true: int, predicted: int) -> str:
    return said("{true:,} true, {predicted:,} suggested", true=true, predicted=predicted)


def _empty(report: TagReport) -> str:
    documents = report.documents
    return said(
        "{both:,} on both sides, {true:,} in the truth only, {predicted:,} in the prediction only",
        both=documents["n_empty_both"],
        true=documents["n_empty_true"],
        predicted=documents["n_empty_pred"],
    )


def _repeated(report: TagReport) -> str:
    settings = report.settings
    options: dict[str, str] = {
        "classes": "None" if settings["classes"] is None else _written(settings["classes"], "classes"),
        "exclude": _written(settings["exclude"], "exclude"),
        "zero_division": _number(settings["zero_division"]),
        "unknown": repr(settings["unknown"]),
        "beta": _number(settings["beta"]),
    }
    if settings["weighted"]:
        options["sample_weight"] = "sample_weight"
    lines = [f"    {name}={value}," for name, value in options.items()]
    first = ["from gpumetrics import evaluate_tags", "", "report = evaluate_tags(", "    y_true, y_pred,"]
    return "\n".join([*first, *lines, ")", 'report.save_html("tags.html")'])


def _written(values: Any, name: str) -> str:
    text = repr(list(values))
    return text if len(text) <= LONGEST else name


def _number(value: Any) -> str:
    return repr(value) if isinstance(value, str) or math.isfinite(value) else f'float("{value}")'
