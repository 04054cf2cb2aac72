"""Names beside a plot, and sentences on lines that fit."""

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose

from gpumetrics.displays.names import length, short_names, wrapped


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
