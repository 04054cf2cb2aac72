"""``--report``: the page is written beside what is printed, and refused before any work where it cannot be."""

import contextlib
import json
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from gpumetrics.cli import main
from gpumetrics.commands import report_options
from gpumetrics.sources.files import InputFileError
from gpumetrics.sources.texts import read_samples


@pytest.fixture(name="folder")
def data_files(tmp_path):
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + 6 * labels[:, None]
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", labels)
    rows = "\n".join(f'{a},{b},"text, {i}"' for i, (a, b) in enumerate(X))
    (tmp_path / "x.csv").write_text(f"a,b,text\n{rows}\n")
    return tmp_path


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def test_the_page_is_written_and_the_scores_are_printed(folder, capsys):
    given = folder / "x.npy", folder / "y.npy"
    page = folder / "report.html"
    code, out, err = run(capsys, "evaluate", *given, "--report", page)
    assert_equal((code, err), (0, f"report written to {page}\n"))
    assert out.startswith("Clustering report: 90 rows")
    html = page.read_text(encoding="utf-8")
    assert "What to do next" in html
    assert 'lang="en"' in html
    code, out, err = run(capsys, "evaluate", *given, "--report", page, "--json", "--lang", "ko")
    assert_equal((code, json.loads(out)["n_samples"], err), (0, 90, f"report written to {page}\n"))
    assert "다음에 할 일" in page.read_text(encoding="utf-8")


def test_the_page_names_its_files_and_the_command_that_made_it(folder, capsys):
    page, truth = folder / "report.html", folder / "y.npy"
    given = "evaluate", folder / "x.csv", truth, "--labels-true", truth, "--samples", f"{folder / 'x.csv'}:text"
    assert_equal(run(capsys, *given, "--report", page, "--lang", "ko")[0], 0)
    html = page.read_text(encoding="utf-8")
    for name in ("특성 파일", "라벨 파일", "클래스 파일", "표본 파일"):
        assert f">{name}<" in html
    assert f"gpumetrics evaluate {folder / 'x.csv'} {truth}" in html


def test_a_missed_gate_still_writes_the_page(folder, capsys):
    page = folder / "report.html"
    given = "evaluate", folder / "x.npy", folder / "y.npy"
    code, out, _ = run(capsys, *given, "--report", page, "--fail-under", "silhouette=0.99")
    assert_equal((code, page.exists(), "missed" in out), (1, True, True))


def test_samples_are_a_column_that_is_no_feature(folder, capsys):
    table = folder / "x.csv"
    given = "evaluate", table, folder / "y.npy", "--report", folder / "report.html", "--samples", f"{table}:text"
    code, out, _ = run(capsys, *given)
    assert_equal(code, 0)
    assert "x 2 features" in out
    assert ">text, 1" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--report", "{folder}/report.txt"], "name it so that it ends in .html, got"),
        (["--report", "{folder}/none/report.html"], "there is no folder"),
        (["--report", "{folder}/is.html"], "is a folder; name a file in it"),
        (["--samples", "{folder}/x.csv:text"], "--samples says how the page of --report is written"),
        (["--lang", "ko"], "--lang says how the page of --report is written"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(folder, capsys, monkeypatch, options, says):
    monkeypatch.setattr("gpumetrics.commands.evaluate._evaluate", None)
    (folder / "is.html").mkdir()
    options = [option.format(folder=folder) for option in options]
    code, out, err = run(capsys, "evaluate", folder / "x.npy", folder / "y.npy", *options)
    assert_equal((code, out, err.count("\n")), (2, "", 1))
    assert says in err


def test_a_link_into_no_folder_and_a_file_that_is_read_only(folder, capsys, monkeypatch):
    monkeypatch.setattr("gpumetrics.commands.evaluate._evaluate", None)
    given = folder / "x.npy", folder / "y.npy"
    (folder / "link.html").symlink_to(folder / "none" / "report.html")
    code, out, err = run(capsys, "evaluate", *given, "--report", folder / "link.html")
    assert_equal((code, out, "there is no folder" in err), (2, "", True))
    (folder / "kept.html").write_text("before")
    monkeypatch.setattr(report_options.os, "access", lambda what, mode: str(what) != str(folder / "kept.html"))
    code, out, err = run(capsys, "evaluate", *given, "--report", folder / "kept.html")
    assert_equal((code, out, "the file cannot be written to" in err), (2, "", True))


def test_without_the_libraries_it_says_what_to_install(folder, capsys, monkeypatch):
    monkeypatch.setattr(report_options, "NEEDED", {"no_such_module": "jinja2"})
    given = folder / "x.npy", folder / "y.npy", "--report", folder / "report.html"
    code, out, err = run(capsys, "evaluate", *given)
    assert_equal((code, out), (2, ""))
    assert 'needs jinja2: pip install "gpumetrics[report]"' in err


def test_another_language_is_no_choice(folder, capsys):
    with contextlib.suppress(SystemExit):
        main(["evaluate", str(folder / "x.npy"), str(folder / "y.npy"), "--report", "r.html", "--lang", "fr"])
    assert "invalid choice: 'fr'" in capsys.readouterr().err


def test_the_demo_writes_a_page_with_its_digits(tmp_path, capsys):
    page = tmp_path / "report.html"
    code, out, err = run(capsys, "demo", "--report", page)
    assert_equal((code, err), (0, f"report written to {page}\n"))
    assert "full report of K = " in out
    html = page.read_text(encoding="utf-8")
    assert html.count('src="data:image/png;base64,') > 40
    assert "the clusterings agree by an adjusted Rand index of" in html
    assert "mainly of class" in html
    assert re.search(r"<h1[^>]*>Handwritten digits in \d+ clusters", html)
    assert f"gpumetrics demo --report {page}" in html


def test_samples_from_files(tmp_path):
    (tmp_path / "a.txt").write_text("eins\nzwei\n\n", encoding="utf-8")
    assert_equal(read_samples(str(tmp_path / "a.txt"), 3), ["eins", "zwei", ""])
    (tmp_path / "a.csv").write_text('text\n"one, two"\n\nthree\n')
    assert_equal(read_samples(str(tmp_path / "a.csv"), 3), ["one, two", "", "three"])
    assert_equal(read_samples(str(tmp_path / "a.csv"), 4), ["text", "one, two", "", "three"])
    pictures = np.arange(18).reshape(2, 3, 3)
    np.save(tmp_path / "a.npy", pictures)
    np.savez(tmp_path / "a.npz", pictures=pictures, texts=np.array(["x", "y"]))
    assert_array_equal(read_samples(str(tmp_path / "a.npy"), 2), pictures)
    assert_array_equal(read_samples(f"{tmp_path / 'a.npz'}:texts", 2), ["x", "y"])


def test_samples_from_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"id": [1, 2], "text": ["x", None]}).to_parquet(tmp_path / "a.parquet")
    assert_equal(read_samples(f"{tmp_path / 'a.parquet'}:text", 2), ["x", None])
    with pytest.raises(InputFileError, match=r"must be one column; choose one, as in a.parquet:text"):
        read_samples(str(tmp_path / "a.parquet"), 2)


@pytest.mark.parametrize(
    ("name", "content", "key", "says"),
    [
        ("a.csv", "a,b\n1,2\n", "", "samples must be one column; choose one, as in a.csv:b"),
        ("a.csv", "a,b\n1,2\n", ":c", "no single column is named 'c' (columns: a, b)"),
        ("a.csv", "", "", "the file is empty"),
        ("a.txt", "one\n", "", "has 1 samples, but the data has 2 rows"),
        ("a.pdf", "one\n", "", "samples of this kind are not read"),
        ("a.npy", "no array", "", "this is no .npy file"),
        ("long.csv", "text\n" + "a" * 200_000 + "\nb\n", "", "a cell has more characters than the 131,072"),
        ("none.txt", None, "", "there is no such file"),
    ],
)
def test_samples_that_cannot_be_read(tmp_path, name, content, key, says):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputFileError) as error:
        read_samples(f"{tmp_path / name}{key}", 2)
    assert says in str(error.value)
    assert name in str(error.value)
