"""``--report`` of ``gpumetrics compare``, ``sweep`` and ``tags``: the page is that of the result, its commands run."""

import html
import json
import re
import shlex

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.cli import main
from gpumetrics.clustering.silhouette import silhouette_score
from gpumetrics.evaluation.tags.evaluate import evaluate_tags

CENTRES = np.array([[0.0, 0.0], [1.5, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]])


@pytest.fixture(name="files")
def data_files(tmp_path):
    rng = np.random.default_rng(0)
    five = np.repeat(np.arange(5), 30)
    four = np.where(five == 1, 0, five)
    np.save(tmp_path / "x.npy", CENTRES[five] + 0.5 * rng.normal(size=(150, 2)))
    np.save(tmp_path / "five.npy", five)
    np.savez(tmp_path / "x5.npz", a=five % 2, b=five % 3)
    np.savez(tmp_path / "ks.npz", **{"4": four, "5": five})
    (tmp_path / "table.csv").write_text("four,five\n" + "\n".join(f"{a},{b}" for a, b in zip(four, five, strict=True)))
    for name, documents in (("true", [["배송", "환불"], ["배송"], None]), ("pred", [["배송"], ["계정"], ["계정"]])):
        lines = [
            json.dumps({"id": f"T{at}", "tags": tags, "text": f"<b>{at}</b>"}) for at, tags in enumerate(documents)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def run(capsys, *arguments):
    assert_equal(main([*map(str, arguments)]), 0)
    return capsys.readouterr()


def refused(capsys, *arguments):
    """Run a call that is refused; return its one line."""
    assert_equal(main([*map(str, arguments)]), 2)
    captured = capsys.readouterr()
    assert_equal((captured.out, captured.err.count("\n")), ("", 1))
    return captured.err


def commands_of(page):
    """Return the command lines on a page."""
    blocks = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    texts = [html.unescape(re.sub(r"<[^>]*>", "", block)) for block in blocks]
    return [shlex.split(line) for text in texts for line in text.splitlines() if line.startswith("gpumetrics ")]


def test_compare_writes_the_page_beside_its_output(files, capsys):
    report = files / "out.html"
    captured = run(capsys, "compare", files / "x.npy", files / "ks.npz", "--report", report, "--json")
    found = json.loads(captured.out)
    assert_equal(captured.err, f"report written to {report}\n")
    page = report.read_text(encoding="utf-8")
    assert html.escape(found["question"]) in page
    for line in found["labelings"]:
        assert f">{line['silhouette']:.3f}" in page


def test_the_full_report_is_of_the_same_columns_and_in_the_same_language(files, capsys):
    X, five = np.load(files / "x.npy"), np.load(files / "five.npy")
    names = [f"f{at}" for at in range(X.shape[1])]
    rows = [",".join([str(at), *map(repr, row.tolist())]) for at, row in enumerate(X)]
    (files / "wide.csv").write_text("\n".join([",".join(["id", *names]), *rows]), encoding="utf-8")
    given = ["--drop", "id", "--metric", "cosine", "--working-memory", "64", "--lang", "ko"]
    run(capsys, "compare", files / "wide.csv", files / "five.npy", "--report", files / "out.html", *given)
    commands = commands_of((files / "out.html").read_text(encoding="utf-8"))
    [words] = [words for words in commands if words[1] == "evaluate"]
    assert_equal(words[-2:], ["--report", "choice-1.html"])
    assert_equal(words[words.index("--lang") + 1], "ko")
    without_page = [word for word in words[1:-2] if word not in {"--lang", "ko"}]
    data = json.loads(run(capsys, *without_page, "--json").out)
    assert_allclose(data["silhouette"], silhouette_score(X, five, metric="cosine", noise_label=-1))


def test_the_full_report_leaves_out_what_the_comparison_did(files, capsys):
    """Columns of labels, of truth too, stand in the file of the features; one has a comma in its name."""
    X, five = np.load(files / "x.npy"), np.load(files / "five.npy")
    columns = {f"f{at}": column for at, column in enumerate(X.T)}
    columns |= {"a": five, '"b, merged"': np.where(five == 1, 0, five), "truth": five, "id": np.arange(len(X))}
    rows = [",".join(map(repr, row)) for row in zip(*(column.tolist() for column in columns.values()), strict=True)]
    table = files / "all.csv"
    table.write_text("\n".join([",".join(columns), *rows]), encoding="utf-8")
    given = ["--labels-true", f"{table}:truth", "--drop", "id", "--silhouette", "exact", "--random-state", "3"]
    arguments = ["compare", table, f"{table}:a", f"{table}:b, merged", "--report", files / "out.html", *given]
    run(capsys, *arguments)
    commands = commands_of((files / "out.html").read_text(encoding="utf-8"))
    evaluate = [words for words in commands if words[1] == "evaluate"]
    assert_equal(len(evaluate), 2)
    for words in evaluate:
        data = json.loads(run(capsys, *words[1:-2], "--json").out)
        labels = five if words[3].endswith(":a") else np.where(five == 1, 0, five)
        assert_allclose(data["silhouette"], silhouette_score(X, labels, noise_label=-1))
        assert_equal(data["n_features"], X.shape[1])
        assert "adjusted_rand" in data


@pytest.mark.parametrize(
    "labels", ["ks.npz", "table.csv", "table.csv:four table.csv:five", "five.npy table.csv:four", "table.csv x5.npz"]
)
def test_the_page_of_compare_says_how_to_get_the_full_report_of_the_choice(files, capsys, labels):
    paths = [files / name for name in labels.split()]
    run(capsys, "compare", files / "x.npy", *paths, "--report", files / "out.html", "--noise-label", "none")
    commands = commands_of((files / "out.html").read_text(encoding="utf-8"))
    evaluate = [words for words in commands if words[1] == "evaluate"]
    assert_equal(len(evaluate), 2)
    X, five = np.load(files / "x.npy"), np.load(files / "five.npy")
    expected = compare_labelings(X, {4: np.where(five == 1, 0, five), 5: five}, noise_label=None)
    for words, value in zip(evaluate, expected.rows["silhouette"], strict=True):
        end = words.index("--report")
        assert_equal(words[end + 1 :], [f"choice-{evaluate.index(words) + 1}.html"])
        data = json.loads(run(capsys, *words[1:end], "--json").out)
        assert_allclose(data["silhouette"], value)
    [again] = [words for words in commands if words[1] == "compare"]
    assert_equal(
        again[1:],
        [
            "compare",
            str(files / "x.npy"),
            *map(str, paths),
            "--report",
            str(files / "out.html"),
            "--noise-label",
            "none",
        ],
    )


@pytest.mark.parametrize("kept", [True, False])
def test_the_page_of_a_sweep_says_how_to_get_the_full_report_of_the_choice(files, capsys, monkeypatch, kept):
    pytest.importorskip("sklearn")
    monkeypatch.chdir(files)
    more = ["--save-labels", "kept.npz"] if kept else []
    words = ["sweep", "x.npy", "--clusterer", "kmeans", "--k", "3:6", "--report", "out.html", *more]
    out = run(capsys, *words).out
    page = (files / "out.html").read_text(encoding="utf-8")
    assert "KMeans(n_init=10" in page
    assert "seconds to fit" in page
    commands = [command[1:] for command in commands_of(page)]
    assert_equal(commands[-1], words)
    for command in commands[:-1]:  # in the order of the page, which keeps the labels first
        end = command.index("--report") if command[0] == "evaluate" else len(command)
        run(capsys, *command[:end])
    reports = [command for command in commands[:-1] if command[0] == "evaluate"]
    assert_equal(reports[0][2], f"{'kept' if kept else 'labels'}.npz:4")
    assert "K = 4" in out


def test_tags_write_the_page_with_ids_and_files(files, capsys):
    true, pred, report = files / "true.jsonl", files / "pred.jsonl", files / "tags.html"
    captured = run(capsys, "tags", true, pred, "--zero-division", "0", "--report", report, "--lang", "ko")
    page = report.read_text(encoding="utf-8")
    expected = evaluate_tags([["배송", "환불"], ["배송"]], [["배송"], ["계정"]], zero_division=0)
    assert f"{expected.scores['precision_micro']:.3f}" in page
    for text in ("T0", "T1", "&lt;b&gt;1&lt;/b&gt;", "환불", str(true), str(pred), '<html lang="ko"'):
        assert text in page
    assert captured.out.startswith("Tag report: 2 documents")
    [command] = commands_of(page)
    run(capsys, *command[1:])
    times = r"\d+\.\d\d초"
    assert_equal(re.sub(times, "", report.read_text(encoding="utf-8")), re.sub(times, "", page))


@pytest.mark.parametrize(
    "command",
    ["compare {0}/x.npy {0}/ks.npz", "sweep {0}/x.npy --clusterer kmeans", "tags {0}/true.jsonl {0}/pred.jsonl"],
)
def test_pages_that_cannot_be_written_are_refused_before_the_work(files, capsys, command):
    words = command.format(files).split()
    assert "give --report FILE.html too" in refused(capsys, *words, "--lang", "ko")
    assert "there is no folder" in refused(capsys, *words, "--report", files / "none" / "out.html")
    assert "ends in .html" in refused(capsys, *words, "--report", files / "out.pdf")


@pytest.mark.parametrize("command", ["compare {0}/x.npy {0}/ks.npz", "evaluate {0}/x.npy {0}/ks.npz:4"])
def test_the_notes_of_a_page_name_options(files, capsys, command):
    report = files / "out.html"
    arguments = [*command.format(files).split(), "--silhouette", "estimate", "--report", report]
    run(capsys, *arguments)
    assert "--silhouette exact evaluates every row" in report.read_text(encoding="utf-8")
    run(capsys, *arguments, "--lang", "ko")
    page = report.read_text(encoding="utf-8")
    assert "--silhouette exact" in page
    assert "silhouette=&#34;exact&#34;" not in page
