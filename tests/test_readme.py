"""README.md and its Korean version say the same, and the report that they show is what is printed."""

import re
from pathlib import Path

import pytest

import gpumetrics as gm

ROOT = Path(__file__).parent.parent
FILES = [ROOT / "README.md", ROOT / "README.ko.md"]


@pytest.fixture
def texts():
    if not all(file.exists() for file in FILES):
        pytest.skip("the tests run without the repository")
    return [file.read_text(encoding="utf-8") for file in FILES]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?s)```.*?\n```",  # blocks of code
        r"(?m)^#+ ",  # headings
        r"(?m)^- ",
        r"(?m)^\|(?=.*\|$)",  # lines of tables
        r"\]\(docs/\w+\.md\)",  # links
        r"\d[\d.]* s \| [\d.]+ s \| [\d.]+",  # times
    ],
)
def test_both_readmes_have_the_same_parts(texts, pattern):
    english, korean = (re.findall(pattern, text) for text in texts)
    assert english
    assert english == korean


def test_both_readmes_name_the_same_things(texts):
    without_blocks = [re.sub(r"(?s)```.*?```", "", text) for text in texts]
    english, korean = (set(re.findall(r"`([^`\n]+)`", text)) for text in without_blocks)
    assert english <= korean
    assert {name for name in korean if name.isidentifier()} <= english  # the Korean one has commands of its own


def test_the_report_is_what_is_printed(texts):
    (shown,) = re.findall(r"(?s)```text\n(.*?)```", texts[0])
    source = re.findall(r"(?m)^>>> (y_true = .*|y_pred = .*)$", texts[0])
    values = {}
    for line in source[:2]:
        exec(line, values)  # noqa: S102  (the README's own lines)
    report = gm.evaluate_tags(values["y_true"], values["y_pred"], zero_division=1)
    assert str(report).startswith(shown)
