"""What holds for all displays: where they draw, under which settings, and that all of it can be read."""

import copy
import io
import itertools
import pickle
import threading

import matplotlib as mpl
import numpy as np
import pytest
from displays.every_display import DISPLAYS
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from gpumetrics.displays.drawing.style import luminance

every = pytest.mark.parametrize("make", DISPLAYS.values(), ids=DISPLAYS)


def titles_of(panel):
    """Titles, on the left, in the middle and on the right."""
    return [text for text in panel.get_children() if isinstance(text, Text) and text not in set(panel.texts)]


def texts_of(figure):
    """Texts that are drawn, each with its place in pixels."""
    figure.canvas.draw()
    found = []
    for panel in figure.axes:
        found += panel.texts
        if panel.axison:
            found += [*titles_of(panel), panel.xaxis.label, panel.yaxis.label]
            found += [*names_along(panel.xaxis), *names_along(panel.yaxis)]
            found += panel.get_legend().get_texts() if panel.get_legend() else []
    return {text: text.get_window_extent() for text in found if text.get_visible() and text.get_text().strip()}


def names_along(axis):
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [tick.label1 for tick in ticks if tick.label1.get_visible() and tick.label1.get_text()]


def with_letters(text, box):
    """The part of a text's box above its last lines, if these are empty."""
    lines = text.get_text().count("\n") + 1
    empty = len(text.get_text()) - len(text.get_text().rstrip("\n"))
    return Bbox([[box.x0, box.y0 + box.height * empty / lines], [box.x1, box.y1]])


def overlap(first, second):
    """How far two boxes lie on each other, in pixels."""
    across = min(first.x1, second.x1) - max(first.x0, second.x0)
    return min(across, min(first.y1, second.y1) - max(first.y0, second.y0))


@every
@pytest.mark.parametrize("size", [(4, 3), (12, 8)])
def test_texts_are_neither_cut_off_nor_on_each_other(make, size):
    figure, ax = plt.subplots(figsize=size, layout="constrained", dpi=150)
    make(ax=ax)
    boxes = texts_of(figure)
    width, height = figure.bbox.size
    for text, box in boxes.items():
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) > -0.1 * figure.dpi, text.get_text()
    for panel in figure.axes:
        names = [boxes[name] for name in names_along(panel.yaxis) if name in boxes]
        assert all(overlap(*pair) < 0.4 * pair[0].height for pair in itertools.pairwise(names))
    titles = [
        with_letters(title, boxes[title]) for panel in figure.axes for title in titles_of(panel) if title in boxes
    ]
    assert all(overlap(*pair) < 0.02 * figure.dpi for pair in itertools.combinations(titles, 2))


@every
def test_letters_are_smaller_where_there_is_less_room(make):
    largest = []
    for width in (10, 4):
        figure, ax = plt.subplots(figsize=(width, 0.7 * width), layout="constrained")
        make(ax=ax)
        largest.append(max(text.get_size() for text in texts_of(figure)))
    assert largest[1] < 0.75 * largest[0]


@every
def test_the_users_settings_come_back(make):
    before = dict(mpl.rcParams)
    make()
    assert dict(mpl.rcParams) == before


@every
def test_no_text_is_given_to_tex(make):
    with mpl.rc_context({"text.usetex": True}):
        _, ax = plt.subplots()
        for display in (make(), make(ax=ax)):
            texts = [text for panel in display.figure_.axes for text in panel.texts]
            texts += [display.ax_.xaxis.label, display.ax_.yaxis.label]
            assert [text.get_text() for text in texts if text.get_usetex() and text.get_text()] == []


@every
def test_all_can_be_read_on_dark_paper(make):
    with plt.style.context("dark_background"):
        display = make()
        for text in texts_of(display.figure_):
            paper = text.get_bbox_patch().get_facecolor()[:3] if text.get_bbox_patch() else (0, 0, 0)
            cells = getattr(display, "heat_map_", None) or getattr(display, "texts_", [])
            if text in getattr(cells, "texts", cells):
                continue  # on the colour of its cell
            light, dark = sorted((luminance(*to_rgb(text.get_color())), luminance(*paper)), reverse=True)
            assert (light + 0.05) / (dark + 0.05) > 4.5, text.get_text()


@every
@pytest.mark.parametrize(
    "settings",
    [
        {"font.size": 24},
        {"font.size": 5},
        {"xtick.labelsize": 20, "axes.titlesize": 30},
        {"axes.grid": True, "xtick.minor.visible": True, "figure.autolayout": True, "lines.marker": "o"},
    ],
    ids=" ".join,
)
def test_unusual_settings(make, settings):
    with mpl.rc_context(settings):
        make().figure_.savefig(io.BytesIO(), format="svg")


@every
@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_files_of_every_kind(make, kind):
    make().figure_.savefig(io.BytesIO(), format=kind, bbox_inches="tight")


@every
def test_axes_of_any_place(make):
    figure = plt.figure(layout="constrained", figsize=(14, 9))
    left, right = figure.subfigures(1, 2)
    assert make(ax=left.subplots()).figure_ is left
    make(ax=right.add_axes((0.2, 0.2, 0.7, 0.7)))
    figure.savefig(io.BytesIO())


@every
def test_what_is_no_axes_is_refused(make):
    with pytest.raises(TypeError, match=r"ax must be matplotlib Axes, or None for new ones, got 'figure'"):
        make(ax="figure")


@every
def test_pickles_and_copies_draw_the_same(make):
    display = make()
    for other in (pickle.loads(pickle.dumps(display)), copy.deepcopy(display)):  # noqa: S301
        other.figure_.savefig(io.BytesIO())
        assert other.plot().ax_ is not display.ax_
        assert str(other.alt) == str(display.alt)


def test_threads_draw_at_once():
    before, failed = dict(mpl.rcParams), []
    displays = [make() for make in DISPLAYS.values()]

    def plot(display):
        try:
            display.plot(ax=mpl.figure.Figure(figsize=(4, 3), layout="constrained").subplots())
        except Exception as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=plot, args=(display,)) for display in displays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert dict(mpl.rcParams) == before


def test_a_new_figure_is_large_enough_for_large_letters():
    usual = DISPLAYS["silhouettes"]().figure_.get_size_inches()
    with mpl.rc_context({"font.size": 20}):
        display = DISPLAYS["silhouettes"]()
    np.testing.assert_allclose(display.figure_.get_size_inches(), 2 * usual)
    assert display.ax_.get_yticklabels()[0].get_size() > 15
