"""The document and the READMEs' tables, from figures; and the commands."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import cli, page, readme
from benchmarks.results import Results, read
from benchmarks.words import digits, losses

ROOT = Path(__file__).parents[2]
TEXT = f"# Title\n\n{readme.BEGIN}\nold\n{readme.END}\n\nrest\n"


@pytest.mark.parametrize(
    ("value", "text"), [(0.000012345, "0.0000123"), (0.237, "0.237"), (123.4, "123"), (3.7, "3.7"), (1234.5, "1230")]
)
def test_digits(value, text):
    assert digits(value) == text


def test_page_has_every_section(results):
    text = page.page(results)
    for title in page.SECTIONS:
        assert f"\n## {title}\n" in text
    assert "silhouette, euclidean, 120 x 8, k = 4" in text
    assert "| memory of it | 10 MiB | 600 MiB |" in text
    assert f"Python {results['machine']['python']}" in text
    assert "| scikit-learn | " in text
    for line in text.splitlines():
        assert not line.startswith("|") or line.endswith("|")


def test_a_loss_is_shown(results):
    record = results["cases"][0]
    record["sides"]["scikit-learn"]["seconds"] = record["sides"]["gpumetrics"]["seconds"] / 2
    assert (record, "scikit-learn") in losses(results["cases"])
    section = page.page(results).split("## Where another library is faster")[1].split("##")[0]
    assert record["label"] in section
    assert f"{record['label']} (scikit-learn)" in readme.block(results, "README.md")


def test_a_wrong_peer_is_shown(results):
    record = results["cases"][0]
    record["sides"]["torch"] = {"state": "wrong", "reason": "gives 1 where 2 is right", "peak_mib": None}
    assert "| torch | wrong: gives 1 where 2 is right |" in page.page(results)


def test_text_between_markers():
    assert readme.between(TEXT, "new") == TEXT.replace("old", "new")
    with pytest.raises(ValueError, match="markers"):
        readme.between("no markers", "new")


def test_both_readmes_have_the_same_figures(results):
    english, korean = (readme.block(results, name) for name in readme.TEXTS)
    pattern = r"\d[\d.]* s \| [\d.]+ s \| [\d.]+"
    assert re.findall(pattern, english)
    assert re.findall(pattern, english) == re.findall(pattern, korean)
    assert english != korean


@pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="the tests run without the repository")
@pytest.mark.parametrize("name", readme.TEXTS)
def test_the_markers_stand_in_the_readmes(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "new" in readme.between(text, "new")


def test_table_writes_three_files(results, tmp_path):
    (tmp_path / "docs").mkdir()
    for name in readme.TEXTS:
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    figures = tmp_path / "figures.json"
    figures.write_text(json.dumps(results), encoding="utf-8")
    assert cli.main(["table", "--json", str(figures), "--into", str(tmp_path)]) == 0
    assert (tmp_path / "docs" / "benchmarks.md").read_text(encoding="utf-8") == page.page(results)
    for name in readme.TEXTS:
        assert readme.block(results, name) in (tmp_path / name).read_text(encoding="utf-8")


def test_table_without_figures(tmp_path, capsys):
    assert cli.main(["table", "--json", str(tmp_path / "none.json")]) == 2
    assert "measure first" in capsys.readouterr().err


RUN = ["run", "--sizes", "toy", "--rounds", "1", "--backend", "numpy", "--peers", "scikit-learn"]


def test_run_prints_and_keeps(tmp_path, capsys):
    path = tmp_path / "out.json"
    assert cli.main([*RUN, "--case", "ari", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("ari (numpy): adjusted Rand, 200 labels, k = 4: gpumetrics ")
    assert "scikit-learn " in printed
    assert cli.main([*RUN, "--case", "nmi", "--json", str(path), "--add"]) == 0
    assert [record["case"] for record in read(path)["cases"]] == ["ari", "nmi"]
    assert cli.main([*RUN, "--case", "nmi", "--json", str(path)]) == 0
    assert [record["case"] for record in read(path)["cases"]] == ["nmi"]


def test_a_case_that_is_not_there(capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main([*RUN, "--case", "ari", "nonsense"])
    assert "no case is called nonsense" in capsys.readouterr().err


def test_a_peer_that_is_not_there(capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["run", "--case", "ari", "--peers", "sklearn"])
    assert "no peer is called sklearn; there are scikit-learn, " in capsys.readouterr().err


def test_run_fails_where_ours_is_wrong(monkeypatch, capsys):
    import gpumetrics as gm

    right = gm.adjusted_rand_score
    monkeypatch.setattr(gm, "adjusted_rand_score", lambda *args: 1.01 * right(*args))
    assert cli.main([*RUN, "--case", "ari"]) == 1
    assert "gpumetrics wrong" in capsys.readouterr().out


def test_growth_prints(capsys):
    assert cli.main(["growth", "--toy", "--case", "ari"]) == 0
    assert "adjusted Rand, n: time as n^" in capsys.readouterr().out


def test_figures_of_another_machine_are_not_added_to(tmp_path):
    path = tmp_path / "out.json"
    found = Results(path)
    found.data["machine"]["cores"] = 10_000
    found.put("growth", {"case": "x", "axis": "n"})
    with pytest.raises(ValueError, match="cores differ"):
        Results(path, add=True)
