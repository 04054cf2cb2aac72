"""Samples of every kind are shown as they are, or refused in a sentence."""

import base64
import collections
import zlib

import numpy as np
import pytest
from numpy.testing import assert_equal

from gpumetrics.pages.given import check_samples
from gpumetrics.pages.pictures import png

N = 6
TEXTS = [f"text {at}" for at in range(N)]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        collections.deque,
        lambda texts: dict.fromkeys(texts).keys(),
        lambda texts: (text for text in texts),
        lambda texts: pytest.importorskip("pandas").Series(texts, index=range(5, 5 + N)),
        lambda texts: pytest.importorskip("pandas").Categorical(texts),
        lambda texts: pytest.importorskip("pandas").Index(texts),
        lambda texts: pytest.importorskip("pandas").DataFrame({"a": texts}),
        lambda texts: pytest.importorskip("polars").DataFrame({"a": texts}),
        lambda texts: pytest.importorskip("pyarrow").array(texts),
        lambda texts: pytest.importorskip("pyarrow").chunked_array([texts[:2], texts[2:]]),
    ],
)
def test_any_sequence_of_texts(kind):
    given = check_samples(kind(TEXTS), N)
    assert_equal([given.text(row) for row in range(N)], TEXTS)
    assert not given.pictures


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), np.datetime64("NaT", "ns")])
def test_what_is_missing_is_no_text(missing):
    given = check_samples([missing] * N, N)
    assert_equal((given.text(0), given.image(0), given.is_picture(0)), ("", "", False))


def test_missing_values_of_pandas_are_no_texts():
    pandas = pytest.importorskip("pandas")
    given = check_samples(pandas.Series(["a", pandas.NA, None, pandas.NaT, "b", float("nan")]), N)
    assert_equal([given.text(row) for row in range(N)], ["a", "", "", "", "b", ""])


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        (set(TEXTS), "as a list, an array or a column, got set"),
        (5, "as a list, an array or a column, got int"),
        (np.array("text"), "as a list, an array or a column, got ndarray"),
        (np.zeros((N, 2), dtype=complex), r"got shape \(6, 2\) and dtype complex128"),
    ],
)
def test_what_has_no_row_for_each_sample_is_refused(samples, says):
    with pytest.raises(ValueError, match=says):
        check_samples(samples, N)


def test_a_table_of_several_columns_is_refused():
    table = pytest.importorskip("pandas").DataFrame({"id": range(N), "text": TEXTS})
    with pytest.raises(ValueError, match=r"got a table of 2 columns: give one of them, as in samples=table\['text'\]"):
        check_samples(table, N)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind_are_pictures(kind):
    given = check_samples([kind(PNG)] * N, N)
    assert_equal(base64.b64decode(given.image(3).partition(",")[2]), PNG)


class Drawn:
    """A picture as Pillow has them: numbers by the array interface."""

    def __init__(self, values):
        self.__array_interface__ = values.__array_interface__
        self.values = values


def test_pictures_of_pillow_are_drawn():
    given = check_samples([Drawn(np.full((4, 4, 3), at, dtype=np.uint8)) for at in range(N)], N)
    assert given.pictures
    assert given.image(2).startswith("data:image/png;base64,")


def pixels(content):
    start = content.index(b"IDAT")
    size = int.from_bytes(content[start - 4 : start], "big")
    width = int.from_bytes(content[16:20], "big")
    return np.frombuffer(zlib.decompress(content[start + 4 : start + 4 + size]), np.uint8).reshape(-1, width + 1)[:, 1:]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_leave_the_rest_of_the_picture(bad):
    values = np.arange(6.0 * 64 * 64).reshape(6, 64, 64) % 5
    values[:, 0, 0] = bad
    given = check_samples(values, N)
    found = pixels(base64.b64decode(given.image(0).partition(",")[2]))
    expected = np.rint(values[0] / 4 * 255)
    assert_equal(found[1:], expected[1:])


def test_numbers_whose_range_leaves_float64_are_drawn():
    found = pixels(png(np.array([[-1.7e308, 0.0, 1.7e308]]).repeat(64, axis=0).repeat(64, axis=1), -1.7e308, 1.7e308))
    assert_equal(np.unique(found).tolist(), [0, 128, 255])


def test_a_long_text_is_cut_before_it_is_read():
    given = check_samples([" a" * 10_000_000] * N, N)
    assert_equal(len(given.text(0)), 300)
