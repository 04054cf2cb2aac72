"""Messages are plain English strings, and can be said in Korean."""

import copy
import json
import pickle

import pytest
from numpy.testing import assert_equal

from gpumetrics.text import messages
from gpumetrics.text.messages import (
    Message,
    counted,
    enumerated,
    fields_of,
    joined,
    said,
    translated,
    with_commas,
)

HOSTILE = ["{}", "{0}", "{n}", "{n!r:>9}", "}{", "%s", "$x$", "<script>", "한국어", "\n", "", "x" * 10_000]


@pytest.fixture(name="korean")
def catalogue(monkeypatch):
    """Return a catalogue of the test's own, whatever the real ones hold."""
    found = {}
    monkeypatch.setattr(messages, "_catalogue", lambda _lang: found)
    return found


def test_a_message_is_a_string():
    message = said("{share:.1f} % of {n:,} rows", share=12.34, n=2_000)
    assert message == "12.3 % of 2,000 rows"
    assert isinstance(message, str)
    assert_equal({message: 1}["12.3 % of 2,000 rows"], 1)
    assert_equal(hash(message), hash(str(message)))
    assert_equal(type(str(message)), str)
    assert_equal(f"- {message}.", "- 12.3 % of 2,000 rows.")
    assert_equal(json.dumps({"note": message}), '{"note": "12.3 % of 2,000 rows"}')
    assert not said("")


def test_it_keeps_template_and_values():
    message = said("{template} of {n:,} and {self}", template="a", n=2_000, self="b")  # no name of a field is taken
    assert_equal((message.template, message.values["n"]), ("{template} of {n:,} and {self}", 2_000))
    assert_equal(str(message), "a of 2,000 and b")


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, *(lambda m, p=p: pickle.loads(pickle.dumps(m, p)) for p in range(6))],  # noqa: S301  (our own)
)
def test_copies_can_still_be_translated(korean, copied):
    korean |= {"{rows} of {b}": "{b}의 {rows}", "{n:,} row": "{n:,}개 행"}
    message = copied(said("{rows} of {b}", rows=counted(1, "{n:,} row", "{n:,} rows"), b="{b}"))
    assert_equal(type(message), Message)
    assert_equal((str(message), translated(message, "ko")), ("1 row of {b}", "{b}의 1개 행"))


def test_a_message_is_translated_with_its_parts(korean):
    korean |= {
        "{what} is {share:.1f} %.": "{what}: {share:.2f}%.",
        "noise in {name}": "{name}의 노이즈",
        "none": "없음",
    }
    message = said("{what} is {share:.1f} %.", what=said("noise in {name}", name="none"), share=12.345)
    assert_equal(str(message), "noise in none is 12.3 %.")
    assert_equal(translated(message, "ko"), "none의 노이즈: 12.35%.")  # a name is no word of ours
    assert_equal(type(translated(message, "en")), str)
    assert_equal(translated(message, "en"), "noise in none is 12.3 %.")


def test_what_has_no_korean_stays_as_it_is(korean):
    korean |= {"none": "없음"}
    assert_equal(translated("none", "ko"), "없음")
    assert_equal(translated("nothing", "ko"), "nothing")
    assert_equal(translated(said("{a} of {b}", a=said("none"), b=1), "ko"), "없음 of 1")


def test_another_language_is_refused():
    with pytest.raises(ValueError, match=r"lang must be one of \('en', 'ko'\), got 'fr'"):
        translated(said("none"), "fr")


@pytest.mark.parametrize("value", HOSTILE)
def test_values_are_never_read_as_templates(korean, value):
    korean |= {"{n} is {value}": "{value}: {n}", "{first} and {last}": "{first} 및 {last}"}
    message = said("{n} is {value}", n=1, value=value)
    assert_equal((str(message), translated(message, "ko")), (f"1 is {value}", f"{value}: 1"))
    row = enumerated([value, value, "z"])
    assert_equal((str(row), translated(row, "ko")), (f"{value}, {value} and z", f"{value}, {value} 및 z"))


@pytest.mark.parametrize(("n", "text"), [(0, "0 rows"), (1, "1 row"), (1.0, "1 row"), (2, "2 rows"), (1.5, "1.5 rows")])
def test_counted(n, text):
    assert_equal(str(counted(n, "{n:g} row", "{n:g} rows")), text)


def test_counted_takes_more_values():
    message = counted(2, "{n} row of {one}", "{n} rows of {one}", one="a")
    assert_equal((str(message), message.template), ("2 rows of a", "{n} rows of {one}"))


@pytest.mark.parametrize(
    ("words", "text"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c"), (["", "", "c"], ",  and c"), ([""], "")],
)
def test_enumerated(words, text):
    assert_equal(str(enumerated(words)), text)
    assert_equal(str(enumerated(iter(words))), text)


@pytest.mark.parametrize(("words", "text"), [([], ""), (["a"], "a"), (["a", "", "c"], "a, , c")])
def test_with_commas(words, text):
    assert_equal(str(with_commas(words)), text)


def test_joined_leaves_out_what_is_empty(korean):
    korean |= {"one.": "하나.", "two.": "둘."}
    parts = [said("one."), "", said("{nothing}", nothing=""), said("two.")]
    assert_equal((str(joined(parts)), translated(joined(parts), "ko")), ("one. two.", "하나. 둘."))
    assert_equal(str(joined(parts, "{}")), "one.{}two.")
    assert_equal(str(joined([])), "")


def test_words_are_translated_one_by_one(korean):
    korean |= {"{first} and {last}": "{first} 및 {last}", "a": "가", "c": "다"}
    assert_equal(translated(enumerated([said("a"), "b", said("c")]), "ko"), "가, b 및 다")


def test_fields():
    assert_equal(fields_of("{a:,} of {b!r}, {{c}} {a}"), {"a", "b"})
    assert_equal(fields_of("none"), set())
