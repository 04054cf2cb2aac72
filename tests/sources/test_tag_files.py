"""Files of tags as they are written by people and by dataframes: lines of tags, tables of zeros and ones, ids."""

import pytest
from numpy.testing import assert_equal

from gpumetrics.sources.files import InputFileError
from gpumetrics.sources.tag_documents import TagFile, same_documents
from gpumetrics.sources.tag_files import read_tag_file


def read(tmp_path, text, ending="csv", **kwargs):
    path = tmp_path / f"tags.{ending}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_tag_file(path, **kwargs)


# Lines of tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n\nnull\nc\n", [["a", "b"], [], None, ["c"]]),
        ('"a,x"," b ""q"""\n\n', [["a,x", 'b "q"'], []]),
        (b"\xef\xbb\xbfa\r\nb\r\n", [["a"], ["b"]]),
        ("a,b,\nc,,\n", [["a", "b"], ["c"]]),
        ("5,7\n1,0\n0,1\n", [["5", "7"], ["1", "0"], ["0", "1"]]),  # tags may be numbers
        ("red,blue\n2024,red\n", [["red", "blue"], ["2024", "red"]]),
        ("true\nfalse\n", [["true"], ["false"]]),
        ("id,name\nname\n", [["id", "name"], ["name"]]),
    ],
)
def test_lines_of_tags(tmp_path, text, expected):
    assert_equal(read(tmp_path, text), TagFile(expected))


# Tables


@pytest.mark.parametrize(
    ("text", "tags", "ids", "columns"),
    [
        ("a,b\n1,0\n0,0\n\n", [["a"], []], None, ["a", "b"]),
        (",a,b\n0,1,0\n1,1,1\n", [["a"], ["a", "b"]], ["0", "1"], ["a", "b"]),  # as pandas writes its index
        ("id,a,b\nx,1,0\ny,0,1\n", [["a"], ["b"]], ["x", "y"], ["a", "b"]),
        ("a,b\nTrue,False\nFalse,true\n", [["a"], ["b"]], None, ["a", "b"]),
        ("a,b\n1.0,0.0\n,\n0.0,1.0\n", [["a"], None, ["b"]], None, ["a", "b"]),  # a row of NaN
        (",0,1\n5,1.0,0.0\n6,,\n", [["0"], None], ["5", "6"], ["0", "1"]),
        ("a\n1\n0\n", [["a"], []], None, ["a"]),
        ("0,1,2\n1,0,0\n0,1,1\n", [["0"], ["1", "2"]], None, ["0", "1", "2"]),
    ],
)
def test_tables_of_zeros_and_ones(tmp_path, text, tags, ids, columns):
    assert_equal(read(tmp_path, text), TagFile(tags, ids, None, columns))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a,b\n0.9,0.1\n0.3,0.6\n", r"line 2 has '0.9' in the column 'a'.*best_threshold"),
        ("a,b\n2,0\n0,3\n", "line 2 has '2' in the column 'a', which is neither 0 nor 1"),
        ("text,a\nhello,1\nyou,0\n", "line 2 has 'hello' in the column 'text'"),
        ("a,b\n1,0\n,1\n", "line 3 has '' in the column 'a'.*nobody has reviewed"),
        ("a,b\n1,0\n0\n", "line 3 has 1 cells, the heading 2"),
        ("a,b\n1,0\n\n0,1\n", "line 3 has 0 cells, the heading 2"),
        ("a,a\n1,0\n0,1\n", "more than one column has the heading 'a'"),
        ("1,0,1\n0,1,0\n", "needs a heading of tags"),
        ("0,1\n1,1\n", "needs a heading of tags"),
        ('id,tags\n1,"a,b"\n2,c\n', "a table with a column 'tags'"),
        ("Labels\na\nb\n", "a table with a column 'Labels'"),
        ("a;b\n1;0\n0;1\n", "every line has ';' and none a comma"),
        ("a\tb\nc\td\n", r"every line has '\\t' and none a comma"),
    ],
)
def test_tables_are_never_read_as_lines_of_tags(tmp_path, text, match):
    with pytest.raises(InputFileError, match=match):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a,b\n1,0\n", "the first column is headed 'a', not 'doc'"),
        ("id,a\nx,1\n", "the first column is headed 'id', not 'doc'"),
        ("a,b\nc\n", "the lines have tags only, and no ids"),
        ("doc,tags\nx,a\n", "the lines have tags only, and no ids"),
        ("", "the lines have tags only, and no ids"),
    ],
)
def test_ids_that_are_asked_for_must_be_there(tmp_path, text, match):
    with pytest.raises(InputFileError, match=match):
        read(tmp_path, text, id_field="doc")
    assert_equal(read(tmp_path, "doc,a\n7,1\n", id_field="doc"), TagFile([["a"]], ["7"], None, ["a"]))


# JSON lines


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('[["a"], ["b"]]\n', r'line 1 holds \["a"\], which is no tag.*not one list of all'),
        ('[{"id": 1, "tags": []}]\n', "not one list of all"),
        ('{"id": 1, "tags": []}\n{"tags": []}\n', "line 2 has no id, but others have"),
        ('{"id": null, "tags": []}\n{"id": 1, "tags": []}\n', "line 1 has no id, but others have"),
        ('{"id": NaN, "tags": []}\n', "an id must be"),
        ('{"id": true, "tags": []}\n', "an id must be"),
    ],
)
def test_bad_json_lines(tmp_path, text, match):
    with pytest.raises(InputFileError, match=match):
        read(tmp_path, text, "jsonl")


# Two files


def test_documents_move_with_their_texts():
    true = TagFile([["a"], None], ids=[1, "1"])
    pred = TagFile([[], ["b"]], ids=["1", 1], texts=["second", "first"])
    moved, note = same_documents(true, pred, ("t", "p"))
    assert_equal(moved, TagFile([["b"], []], [1, "1"], ["first", "second"]))
    assert "matched by their ids" in note
    same, note = same_documents(true, moved, ("t", "p"))
    assert_equal((same, str(note)), (moved, "The documents were matched by their ids."))


def test_ids_of_one_file_are_not_used_without_a_word():
    true, pred = TagFile([["a"]], ids=[1]), TagFile([["a"]])
    assert "TRUE have ids, those of PRED none" in same_documents(true, pred, ("t", "p"))[1]
    assert "PRED have ids, those of TRUE none" in same_documents(pred, true, ("t", "p"))[1]
    assert "line number: they have no ids" in same_documents(pred, pred, ("t", "p"))[1]
