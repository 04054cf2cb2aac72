"""Names beside a plot, and sentences on lines that fit."""

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose

from gpumetrics.displays.drawing.letters import drawable
from gpumetrics.displays.drawing.names import short_names
from gpumetrics.displays.drawing.texts import length, percent, wrapped


def test_short_names_stay_as_they_are():
    assert short_names(["a", 3, np.datetime64("2024-05-01"), "x" * 24, b"b"]) == [
        "a",
        "3",
        "2024-05-01",
        "x" * 24,
        "b'b'",
    ]


def test_long_names_are_cut_in_the_middle():
    assert short_names(["abcdefghij" * 3], most=11) == ["abcd...ghij"]


def test_names_that_look_the_same_when_cut_are_numbered():
    names = short_names(["a" * 5000 + letter + "a" * 5000 for letter in "xyz"] + ["b"], most=20)

    assert names == ["aaaaaaaaaaaa... (#0)", "aaaaaaaaaaaa... (#1)", "aaaaaaaaaaaa... (#2)", "b"]


def test_a_name_that_looks_like_another_one_when_cut_is_numbered_alone():
    assert short_names(["abcdefghijklmnop", "abcde...mnop"], most=12) == ["abcd... (#0)", "abcde...mnop"]


def test_control_characters_are_escaped():
    assert short_names(["two\nlines\x00"]) == ["two\\nlines\\x00"]


@pytest.mark.parametrize("size", [6.0, 24.0])
def test_lines_are_as_long_as_there_is_room(size):
    with mpl.rc_context({"font.size": size}):
        lines = wrapped("word " * 100, 300, "font.size").split("\n")
        lengths = [length(line, "font.size") for line in lines]

    assert len(lines) > 1
    assert max(lengths) <= 300
    assert min(lengths[:-1]) > 300 - 6 * size


def test_a_number_of_clusters_is_never_parted():
    lines = wrapped("the score prefers K = 12, and K = 7", 1, "font.size").split("\n")

    assert [line for line in lines if "K" in line] == ["K = 12, and", "K = 7"]


def test_length_counts_wide_letters_twice():
    assert_allclose(length("한국", "font.size"), length("abcd", "font.size"))


def test_names_that_would_not_be_seen_stand_in_quotation_marks():
    assert short_names(["", "  ", "a "]) == ['""', '"  "', "a "]


def test_numbers_of_many_names_fit_into_few_letters():
    names = short_names(["abcdefghijklmnopqrst"] * 10_001, most=8)
    assert names[-1] == "... (#10000)"


def test_shares_that_are_not_all_or_nothing_do_not_read_so():
    shares = [0, 1e-9, 0.0004, 0.0449, 0.25, 0.994, 0.996, 0.99951, 1 - 1e-12, 1]
    texts = ["0 %", "<0.1 %", "<0.1 %", "4.5 %", "25 %", "99 %", "99.6 %", ">99.9 %", ">99.9 %", "100 %"]
    assert [percent(share) for share in shares] == texts


@pytest.fixture
def no_other_font(monkeypatch):
    monkeypatch.setattr("gpumetrics.displays.drawing.letters.FALLBACKS", ())


@pytest.mark.usefixtures("no_other_font")
def test_letters_are_those_of_the_fonts_that_the_settings_name_now():
    assert drawable(["\N{SNOWMAN}"])[0] == ["\N{SNOWMAN}"]
    for family in ({"font.family": ["cmr10"]}, {"font.sans-serif": ["cmr10"]}):
        with mpl.rc_context(family):
            assert drawable(["\N{SNOWMAN}"])[0] == ["\\u2603"]
    assert drawable(["\N{SNOWMAN}"])[0] == ["\N{SNOWMAN}"]


@pytest.mark.usefixtures("no_other_font")
def test_escaped_letters_do_not_make_a_name_long():
    (text,), _ = drawable(["\N{HANGUL SYLLABLE HAN}" * 24])
    assert text == "\\ud55c" * 2 + "?" * 22
    assert drawable(["\N{HANGUL SYLLABLE HAN}" * 5])[0] == ["\\ud55c" * 5]


@pytest.mark.usefixtures("no_other_font")
def test_lines_stay_lines_where_letters_are_lacking():
    assert drawable(["\N{UPWARDS ARROW} a\nb", "\N{HANGUL SYLLABLE HAN}\n"])[0] == [
        "\N{UPWARDS ARROW} a\nb",
        "\\ud55c\n",
    ]
