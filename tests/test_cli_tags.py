"""``gpumetrics tags`` on files as people have them: the report, the rules for what is missing, bad input."""

import json
import re

import pytest
from numpy.testing import assert_allclose, assert_equal
from test_cli import as_json, command, one_line_of_error, refused

from gpumetrics.cli import main
from gpumetrics.evaluation.tags.evaluate import evaluate_tags
from gpumetrics.sources.files import InputFileError
from gpumetrics.sources.tag_files import read_tag_file

TRUE = [["배송", "환불"], ["배송"], None, []]
PRED = [["환불", "배송", "계정"], ["배송", "배송"], ["계정"], []]


@pytest.fixture(name="files", scope="module")
def tag_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tags")
    for name, documents in (("true", TRUE), ("pred", PRED)):
        lines = [json.dumps(document, ensure_ascii=False) for document in documents]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        objects = [json.dumps({"id": at, "tags": tags, "text": f"text {at}"}) for at, tags in enumerate(documents)]
        (folder / f"{name}_id.jsonl").write_text("\n".join(objects[::-1] if name == "pred" else objects))
        rows = ["null" if tags is None else ",".join(tags) for tags in documents]
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def run(capsys, *arguments):
    assert_equal(main(["tags", *map(str, arguments)]), 0)
    return capsys.readouterr()


def test_the_report_is_printed(files):
    result = command("tags", files / "true.jsonl", files / "pred.jsonl", "--zero-division", "1", "--worst", "1")
    assert_equal((result.returncode, result.stderr), (0, b""))
    text = result.stdout.decode()
    assert "Not labelled: 1 of 4 documents" in text
    assert "Worst documents, 1 of 1 with errors" in text
    assert "matched by line number" in text[text.index("Notes") :]
    assert "계정" in text


@pytest.mark.parametrize("kind", ["true.jsonl pred.jsonl", "true.csv pred.csv", "true_id.jsonl pred_id.jsonl"])
def test_every_kind_of_file_gives_the_same_scores(files, capsys, kind):
    true, pred = (files / name for name in kind.split())
    data = as_json(run(capsys, true, pred, "--json", "--zero-division", "0").out)
    expected = evaluate_tags(TRUE, PRED, zero_division=0)
    for name, value in expected.scores.items():
        assert_allclose(data[name], value)
    assert_equal((data["n_unlabelled"], data["n_empty_both"], data["repeated_pred"]), (1, 1, 1))
    assert_equal((data["worst_documents"][0]["document"], data["worst_documents"][0]["invented"]), (0, ["계정"]))
    assert_equal("matched by their ids" in data["notes"][1], kind.startswith("true_id"))
    assert_equal("matched by line number: they have no ids" in data["notes"][1], not kind.startswith("true_id"))
    assert "read as lists of tags, a document in each line" in data["notes"][0]
    if kind.startswith("true_id"):
        assert_equal((data["worst_documents"][0]["id"], data["worst_documents"][0]["text"]), (0, "text 0"))


@pytest.mark.filterwarnings("always:Scores are ill-defined")
def test_settings_are_passed_on(files, capsys, tmp_path):
    (tmp_path / "classes.txt").write_text("배송\n환불\n", encoding="utf-8")
    paths = files / "true.jsonl", files / "pred.jsonl"
    more = [
        "--json",
        "--zero-division",
        "nan",
        "--beta",
        "0.5",
        "--worst",
        "0",
        "--unknown",
        "ignore",
        "--exclude",
        "환불",
    ]
    data = as_json(run(capsys, *paths, *more, "--classes", tmp_path / "classes.txt").out)
    assert_equal((data["setting_zero_division"], data["setting_beta"], data["worst_documents"]), ("nan", 0.5, []))
    assert_equal((data["setting_exclude"], data["label_label"], data["unknown_tags"]), (["환불"], ["배송"], ["계정"]))
    assert_equal((data["excluded_true"], data["unknown_pred"]), (1, 1))
    captured = run(capsys, *paths)
    assert_equal(captured.err, "")  # a note says it
    assert "0/0, counted as 0.0 (zero_division='warn')" in captured.out
    as_json(run(capsys, *paths, "--zero-division", "nan", "--json").out)


def test_numbers_as_tags(capsys, tmp_path):
    (tmp_path / "t.jsonl").write_text("[1, -2]\n[3]\n")
    (tmp_path / "p.jsonl").write_text("[1, -2]\n[4]\n")
    arguments = [tmp_path / "t.jsonl", tmp_path / "p.jsonl", "--json", "--exclude", "-2", "--exclude", "3"]
    data = as_json(run(capsys, *arguments, "--zero-division", "0").out)
    assert_equal((data["setting_exclude"], data["label_label"], data["excluded_true"]), ([-2, 3], [1, 4], 2))
    # Without a tag in the truth, it is the prediction that shows what the tags are.
    (tmp_path / "t.jsonl").write_text("[]\n[]\n")
    (tmp_path / "p.jsonl").write_text('["3"]\n["4"]\n')
    data = as_json(run(capsys, *arguments, "--zero-division", "0").out)
    assert_equal((data["setting_exclude"], data["label_label"]), (["-2", "3"], ["4"]))


def test_indicator_tables(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n1,0,0\n0,1,0\n")
    (tmp_path / "p.csv").write_text("b,c,a\n0,0,1\n1,0,1\n")
    data = as_json(run(capsys, tmp_path / "t.csv", tmp_path / "p.csv", "--json", "--zero-division", "0").out)
    assert_equal((data["label_label"], data["cells"], data["exact_match"]), (["a", "b", "c"], 6, 0.5))
    assert_equal(
        data["notes"][0], "TRUE and PRED were each read as an indicator table of 3 tags, a document in each line."
    )
    # As dataframes are written: an index, booleans, a row of NaN.
    (tmp_path / "t.csv").write_text(",a,b\n7,1.0,0.0\n8,,\n9,0.0,1.0\n")
    (tmp_path / "q.csv").write_text(",b,a\n9,True,False\n8,True,True\n7,True,True\n")
    data = as_json(run(capsys, tmp_path / "t.csv", tmp_path / "q.csv", "--json", "--zero-division", "0").out)
    assert_equal((data["exact_match"], data["n_unlabelled"], data["worst_documents"][0]["id"]), (0.5, 1, "7"))
    (tmp_path / "t.csv").write_text("a,b,c\n1,0,0\n0,1,0\n")
    (tmp_path / "q.csv").write_text("b,d,a\n0,0,1\n1,0,1\n")
    assert "'c' is in one of them only" in refused(capsys, "tags", tmp_path / "t.csv", tmp_path / "q.csv")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "has no documents"),
        ('["a"]\n\n["b"]\n', "line 2 is blank"),
        ('["a"]\n"b"\n', 'line 2 holds "b", not a list of tags'),
        ('["a"]\n[null]\n', "line 2 holds null, which is no tag"),
        ('["a"]\n[["b"]]\n', "which is no tag"),
        ('["a"]\n{"b": 1}\n', "line 2 has no key 'tags' or 'labels', only 'b'"),
        ('["a"]\n{"tags": {"b": 0.5}}\n', "best_threshold"),
        ("[\n1]\n", "line 1 is no JSON.*not one list of all"),
        ('["a"\n', "line 1 is no JSON"),
        ('{"id": [1], "tags": []}\n', "an id must be"),
        ("[0.5]\n[0.25]\n", "best_threshold"),
    ],
)
def test_bad_json_lines(capsys, tmp_path, text, match):
    (tmp_path / "t.jsonl").write_text(text)
    (tmp_path / "p.jsonl").write_text("[]\n[]\n")
    assert re.search(match, refused(capsys, "tags", tmp_path / "t.jsonl", tmp_path / "p.jsonl"))


def test_documents_correspond(capsys, tmp_path):
    def write(name, *lines):
        path = tmp_path / name
        path.write_text("\n".join(map(json.dumps, lines)))
        return path

    one, two = write("one.jsonl", ["a"]), write("two.jsonl", ["a"], ["b"])
    assert "one.jsonl has 1 document," in refused(capsys, "tags", one, two)
    x = write("x.jsonl", {"id": "x", "tags": ["a"]}, {"id": "y", "tags": []})
    y = write("y.jsonl", {"id": "x", "tags": ["a"]}, {"id": "z", "tags": []})
    moved = write("moved.jsonl", {"id": "y", "tags": ["b"], "text": "Y"}, {"id": "x", "tags": [], "text": "X"})
    data = as_json(run(capsys, x, moved, "--json", "--zero-division", "0", "--field", "tags").out)
    assert_equal([(entry["id"], entry["text"]) for entry in data["worst_documents"]], [("x", "X"), ("y", "Y")])
    assert_equal((data["setting_format"], data["setting_field"]), (None, "tags"))
    data = as_json(run(capsys, x, two, "--json", "--zero-division", "0").out)
    assert "TRUE have ids" in data["notes"][1]
    twice = write("twice.jsonl", {"id": "x", "tags": ["a"]}, {"id": "x", "tags": []})
    assert "no document with the id 'y'" in refused(capsys, "tags", x, y)
    number, text = write("number.jsonl", {"id": 1, "tags": ["a"]}), write("text.jsonl", {"id": "1", "tags": ["a"]})
    assert "no document with the id 1; it has '1': a number and its text" in refused(capsys, "tags", number, text)
    assert "'x' is that of more than one document" in refused(capsys, "tags", x, twice)


def test_bad_calls(files, tmp_path):
    assert "no such file" in one_line_of_error(command("tags", files / "none.jsonl", files / "pred.jsonl"))
    with pytest.raises(InputFileError, match="not read as tags"):
        read_tag_file(tmp_path / "x.txt")
    (tmp_path / "latin.csv").write_bytes(b"caf\xe9\n")
    with pytest.raises(InputFileError, match="not UTF-8"):
        read_tag_file(tmp_path / "latin.csv")
    assert_equal(read_tag_file(files / "true.csv", "csv").tags[2], None)
    (tmp_path / "t.csv").write_text("a,b\n\nc\n\n")
    assert_equal(read_tag_file(tmp_path / "t.csv").tags, [["a", "b"], [], ["c"], []])
    (tmp_path / "empty.txt").write_text("\n \n")
    line = one_line_of_error(
        command("tags", files / "true.jsonl", files / "pred.jsonl", "--classes", tmp_path / "empty.txt")
    )
    assert "the file has no tags" in line
    (tmp_path / "f.jsonl").write_text('{"topics": ["a"]}\n')
    assert_equal(read_tag_file(tmp_path / "f.jsonl", field="topics").tags, [["a"]])


def test_one_file_with_both_sides_and_ids_under_another_name(capsys, tmp_path):
    path = tmp_path / "both.jsonl"
    documents = [("x", ["a"], ["a"]), ("y", ["a", "b"], ["c"])]
    lines = [{"ticket": i, "tags": t, "predicted": p, "text": f"text of {i}"} for i, t, p in documents]
    path.write_text("\n".join(map(json.dumps, lines)))
    both = [path, path, "--field-pred", "predicted", "--zero-division", "0"]
    data = as_json(run(capsys, *both, "--id", "ticket", "--json").out)
    assert_equal((data["exact_match"], data["worst_documents"][0]["id"]), (0.5, "y"))
    assert_equal((data["setting_field_pred"], data["setting_id"]), ("predicted", "ticket"))
    text = run(capsys, *both, "--id", "ticket").out
    assert re.search(r"document +id +Jaccard +missed +invented +text\n +1 +y +0.0000 +a, b +c +text of y\n", text)
    assert "matched by line number" in as_json(run(capsys, *both, "--json").out)["notes"][1]
    assert "line 1 has no id under 'number' (--id)" in refused(capsys, "tags", *both, "--id", "number")
    table = tmp_path / "t.csv"
    table.write_text("ticket,a,b,c\ny,0,0,1\nx,1,0,0\n")
    data = as_json(run(capsys, path, table, "--id", "ticket", "--zero-division", "0", "--json").out)
    assert_equal(data["exact_match"], 0.5)
    assert "TRUE was read as lists of tags, PRED as an indicator table of 3 tags" in data["notes"][0]
