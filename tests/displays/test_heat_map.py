"""Heat maps: the cells, what is written in them, and the names beside them."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import same_color

from gpumetrics.displays.drawing.heat_map import axis_ticks, cell_inks, heat_map
from gpumetrics.displays.drawing.style import INK, NOISE, PAPER


@pytest.fixture
def ax():
    return plt.subplots(figsize=(6, 4))[1]


def names(n):
    return [f"name {i}" for i in range(n)]


def test_each_cell_is_one_dot_of_an_image_and_has_its_number(ax):
    matrix = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    drawn = heat_map(ax, matrix, rows=["a", "b"], columns=["x", "y", "z"], written=[["0", "1", "2"], ["3", "4", "5"]])
    np.testing.assert_array_equal(drawn.image.get_array(), matrix)
    assert drawn.image.get_clim() == (0.0, 5.0)
    assert {text.get_text(): text.get_position() for text in drawn.texts} == {
        str(int(matrix[i, j])): (j, i) for i in range(2) for j in range(3)
    }
    assert [label.get_text() for label in ax.get_xticklabels()] == ["x", "y", "z"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert ax.yaxis_inverted()
    assert drawn.colorbar is None


def test_letters_stand_out_from_their_cell(ax):
    drawn = heat_map(ax, np.array([[0.0, 1.0]]), rows=["r"], columns=["a", "b"], written=[["0", "1"]])
    inks = [text.get_color() for text in drawn.texts]
    assert same_color(inks[0], "black")
    assert same_color(inks[1], "white")
    assert not {INK, PAPER} & {str(ink) for ink in inks}  # those follow the page, and the cell does not
    levels = np.linspace(0, 1, 50)
    rgb = drawn.image.cmap(levels)[:, :3]
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    ink = np.where(cell_inks(drawn.image, levels) == "#000000", 0.0, 1.0)
    contrast = (np.maximum(light, ink) + 0.05) / (np.minimum(light, ink) + 0.05)
    assert contrast.min() > 4.2
    assert (np.diff(light) < 0).all()  # read in grey too


def test_too_many_cells_have_no_numbers(ax):
    n = 100
    drawn = heat_map(ax, np.eye(n), rows=names(n), columns=names(n), written=[["0.00"] * n] * n)
    assert drawn.texts == []


def test_undefined_cells_are_hatched_and_blank_ones_empty(ax):
    matrix = np.array([[0.0, np.nan, np.inf], [1.0, 2.0, 7.0]])
    blank = np.array([[True, False, False], [False, False, True]])
    drawn = heat_map(ax, matrix, rows=names(2), columns=names(3), blank=blank, bar="bar")
    np.testing.assert_array_equal(np.ma.getmaskarray(drawn.image.get_array()), [[1, 1, 0], [0, 0, 1]])
    assert drawn.image.get_clim() == (1.0, 2.0)
    assert [patch.get_xy() for patch in drawn.undefined] == [(0.5, -0.5)]
    assert drawn.undefined[0].get_hatch()
    assert drawn.colorbar.extend == "max"
    assert drawn.colorbar.ax.get_ylabel() == "bar"
    drawn = heat_map(plt.subplots()[1], matrix, rows=names(2), columns=names(3), written=[["?"] * 3] * 2, blank=blank)
    assert len(drawn.texts) == 4
    assert same_color(drawn.texts[0].get_color(), NOISE)
    assert drawn.undefined == []


def test_limits_may_be_given(ax):
    drawn = heat_map(ax, np.array([[0.2, 3.0]]), rows=["r"], columns=["a", "b"], limits=(0.0, 1.0), bar="bar")
    np.testing.assert_array_equal(drawn.image.get_array(), [[0.2, 1.0]])
    assert drawn.colorbar.extend == "max"


@pytest.mark.parametrize("value", [0.0, 0.3, -0.3, np.nan, np.inf])
def test_a_matrix_of_equal_values_is_drawn(ax, value):
    drawn = heat_map(ax, np.full((2, 2), value), rows=names(2), columns=names(2), bar="bar")
    ax.figure.canvas.draw()
    low, high = drawn.image.get_clim()
    assert low < high
    assert np.isfinite([low, high]).all()


@pytest.mark.parametrize("n", [3, 20, 300])
@pytest.mark.parametrize("axis", ["x", "y"])
def test_only_names_that_do_not_overlap_are_drawn(ax, n, axis):
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    places = axis_ticks(ax, axis, names(n))
    ax.figure.canvas.draw()
    labels = ax.get_xticklabels() if axis == "x" else ax.get_yticklabels()
    assert [label.get_text() for label in labels] == [f"name {place}" for place in places]
    boxes = [label.get_window_extent() for label in labels]
    if axis == "x":
        assert all(left.x1 <= right.x0 + 1 for left, right in itertools.pairwise(boxes))
    else:
        assert all(upper.y0 >= lower.y1 - 1 for upper, lower in itertools.pairwise(boxes))
    assert len(places) == n if n < 30 else len(places) > 20


def test_names_are_no_formulas(ax):
    heat_map(ax, np.eye(2), rows=["$x$", "\\frac{"], columns=["<b>", "$"])
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$x$", "\\frac{"]
    assert not any(label.get_parse_math() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()])


def test_the_matrix_is_left_as_it_is(ax):
    matrix = np.array([[0.0, np.nan], [2.0, 9.0]])
    heat_map(ax, matrix, rows=names(2), columns=names(2), limits=(0, 1))
    np.testing.assert_array_equal(matrix, [[0.0, np.nan], [2.0, 9.0]])


def test_the_first_row_is_on_top_whatever_the_settings_are():
    with mpl.rc_context({"image.origin": "lower", "axes.grid": True}):
        ax = plt.subplots()[1]
        drawn = heat_map(ax, np.eye(2), rows=["a", "b"], columns=["x", "y"])
        assert ax.yaxis_inverted()
        assert drawn.image.origin == "upper"
        assert not any(line.get_visible() for line in [*ax.get_xgridlines(), *ax.get_ygridlines()])


def test_names_leave_room_for_each_other_when_they_have_taken_theirs():
    ax = plt.subplots(figsize=(6, 4), layout="constrained")[1]
    heat_map(ax, np.eye(20), rows=names(20), columns=["a long name, upright " + "x" * 20] * 20)
    ax.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 - 2 for upper, lower in itertools.pairwise(boxes))
