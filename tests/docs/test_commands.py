"""Every gpumetrics command that a page shows runs, on small files of the names that it takes."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from gpumetrics.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

FENCE = re.compile(r"(?ms)^```(\w*)\n(.*?)^```")
ELSEWHERE = ("cuml", "--help", ": error:")  # needs a GPU; ends in its own way; what a command says


def commands():
    """Each gpumetrics command of a block of shell, or in backticks, once, with its page."""
    found = {}
    for page in PAGES if PAGES[0].exists() else []:
        text = page.read_text(encoding="utf-8")
        blocks = [block for language, block in FENCE.findall(text) if language in {"", "sh", "bash"}]
        lines = re.findall(r"(?m)^(?:pip install .* && )?(gpumetrics \w+.*)$", "\n".join(blocks))
        lines += re.findall(r"`(gpumetrics \w+ [^`]+)`", FENCE.sub("", text))
        for line in lines:
            if not any(word in line for word in ELSEWHERE):
                found.setdefault(line, page.name)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("sklearn")
    path = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 4)) + 6 * np.eye(3, 4)[truth]
    for name in ("embeddings.npy", "X.npy"):
        np.save(path / name, X)
    for name in ("labels.npy", "kmeans.npy", "a.npy"):
        np.save(path / name, truth)
    for name in ("dbscan.npy", "b.npy"):
        np.save(path / name, np.where(np.arange(120) < 10, -1, truth))
    rows = [f"{x},{y},{label}" for x, y, label in zip(X[:, 0], X[:, 1], truth, strict=True)]
    (path / "table.csv").write_text("\n".join(["x,y,label", *rows]))
    (path / "texts.csv").write_text("\n".join(["text", *(f"row {row}" for row in range(120))]))
    for name, tags in (("truth", [["refund"], ["late", "angry"], []]), ("predicted", [["refund"], ["late"], ["x"]])):
        (path / f"{name}.jsonl").write_text("\n".join(json.dumps(line) for line in tags))
    return path


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", commands())
def test_it_runs(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    status = main(shlex.split(line)[1:])
    # A gate that is missed ends with 1, as it should.
    assert status in ({0, 1} if "--fail-" in line else {0}), capsys.readouterr().err


def test_there_are_commands_on_the_pages():
    if not PAGES[0].exists():
        pytest.skip("the tests run without the documents")
    shown = {line.split()[1] for line in commands()}
    assert shown == {"evaluate", "compare", "sweep", "estimate", "tags", "plan", "demo", "doctor"}
