"""docs/requirements.md has a row for every requirement, and the tests that it names exist."""

import ast
import re
from pathlib import Path

import pytest
import worked

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "requirements.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="a source distribution without the docs")


def rows():
    lines = [line for line in PAGE.read_text().splitlines() if re.match(r"\| R\d", line)]
    return [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines]


def test_one_row_for_each_requirement():
    assert [row[0] for row in rows()] == [f"R{number}" for number in range(1, 96)]
    assert all(len(row) == 4 for row in rows())


def test_every_row_names_a_test():
    for number, requirement, by, test in rows():
        assert requirement, number
        assert by, number
        assert test, number


def test_every_test_that_is_named_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)(?:\[([\w.]+)\])?`", PAGE.read_text())
    assert len(named) > 60
    names = {
        file: {node.name for node in ast.parse((ROOT / file).read_text()).body if hasattr(node, "name")}
        for file in {file for file, *_ in named}
    }
    for file, name, parameter in named:
        assert name in names[file], f"{file}::{name}"
        if file.endswith("test_worked_examples.py"):
            assert parameter in {"test_value": worked.VALUES, "test_property": worked.PROPERTIES}[name]


def test_nothing_else_looks_like_a_test():
    text = PAGE.read_text()
    assert len(re.findall(r"tests/", text)) == len(re.findall(r"`tests/[\w/]+\.py::\w+(?:\[[\w.]+\])?`", text))


def test_every_public_name_on_the_page_exists():
    import gpumetrics as gm

    names = set(re.findall(r"`(\w+)(?:\([^`]*\))?(?:\.[^`]*)?`", PAGE.read_text()))
    not_functions = {"average", "noise_label", "per_cluster", "pos_label", "sample_weight", "zero_division"}
    assert names - not_functions <= set(gm.__all__)
