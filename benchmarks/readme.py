"""The speed tables of both READMEs, written between their markers."""

from __future__ import annotations

from .cases import named
from .words import answer, days, digits, fastest_other, losses, of, ratio, seconds, table

BEGIN, END = "<!-- speed: begin -->", "<!-- speed: end -->"
TEXTS = {
    "README.md": {
        "heads": ["case", "gpumetrics", "scikit-learn", "ratio", "fastest other library"],
        "others": "Of {cases} cases at these sizes, in {losses} another library is faster{which}.",
        "measured": "Measured on {date} on {cores} cores ({processor}), Python {python}, NumPy {numpy}, SciPy {scipy}, "
        "gpumetrics {gpumetrics} (backend numpy), beside {peers}.",
    },
    "README.ko.md": {
        "heads": ["조건", "gpumetrics", "scikit-learn", "배수", "가장 빠른 다른 라이브러리"],
        "others": "이 크기로 잰 {cases}가지 가운데 다른 라이브러리가 더 빠른 것은 {losses}가지입니다{which}.",
        "measured": "{date} 측정. 코어 {cores}개({processor}), Python {python}, NumPy {numpy}, SciPy {scipy}, "
        "gpumetrics {gpumetrics}(백엔드 numpy). 비교한 라이브러리: {peers}.",
    },
}


def block(data, name):
    """What stands between the markers of a README."""
    records, texts = of(data, "full"), TEXTS[name]
    front = [r for r in records if named(r["case"]).front and ratio(r, "scikit-learn")]
    lost = losses(records)
    which = ": " + "; ".join(f"{r['label']} ({peer})" for r, peer in lost) if lost else ""
    facts = data["machine"]
    peers = ", ".join(f"{peer} {found['version']}" for peer, found in facts["peers"].items() if found["version"])
    parts = [
        table(texts["heads"], [_line(r) for r in front]),
        texts["others"].format(cases=len(records), losses=len({r["case"] for r, _ in lost}), which=which),
        texts["measured"].format(**facts | {"peers": peers, "date": days(data)}),
    ]
    return "\n\n".join(parts)


def _line(record):
    sides, peer = record["sides"], fastest_other(record)
    other = "" if peer is None else f"{peer}: {answer(sides[peer])}, {digits(ratio(record, peer))}"
    times = [seconds(sides[name]["seconds"]) for name in ("gpumetrics", "scikit-learn")]
    return [record["label"], *times, digits(ratio(record, "scikit-learn")), other]


def between(text, new):
    """The text with what stands between its markers replaced."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the markers {BEGIN} and {END} must stand in the text, in this order")
    return f"{before}{begin}\n{new}\n{end}{after}"
