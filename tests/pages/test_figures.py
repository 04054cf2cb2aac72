"""Plots of a page are the same whatever a user has set, and change no setting."""

import re
import threading

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal
from page_walk import blocks_of

import gpumetrics as gm
from gpumetrics.pages import figures
from gpumetrics.pages.clustering_page import page_of
from gpumetrics.pages.figures import svg_of
from gpumetrics.pages.model import Figure


def draw(ax):
    ax.plot([0, 1], [1, 0])
    ax.imshow([[0, 1], [1, 0]])
    ax.set_title("a_b")


@pytest.mark.parametrize(
    "settings",
    [
        {"text.usetex": True},
        {"svg.image_inline": False},
        {"savefig.bbox": "tight"},
        {"figure.dpi": 30},
        {"svg.id": 'x"><script>'},
        {"axes.grid": True, "lines.color": "red", "xtick.labelsize": 40},
        {"path.sketch": (1, 100, 2)},
        {"axes.facecolor": "black", "figure.facecolor": "black", "text.color": "white"},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_of_a_style_of_their_own(settings):
    expected = svg_of(draw, "plot")
    with mpl.rc_context(settings):
        before = dict(mpl.rcParams)
        assert_equal(svg_of(draw, "plot") == expected, True)
        assert_equal(dict(mpl.rcParams) == before, True)


def test_at_the_same_time():
    expected, before, found = svg_of(draw, "plot"), dict(mpl.rcParams), []
    threads = [threading.Thread(target=lambda: found.append(svg_of(draw, "plot"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_equal([one == expected for one in found], [True] * 8)
    assert_equal(dict(mpl.rcParams) == before, True)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'a page needs matplotlib: pip install "gpumetrics\[report\]"'):
        figures.plotting()


@pytest.mark.parametrize("k", [2, 12])
def test_plots_of_a_clustering_are_laid_out_to_the_end(monkeypatch, k):
    rng = np.random.default_rng(0)
    labels = np.arange(60 * k) % k
    X = 3 * rng.normal(size=(k, 5))[labels] + rng.normal(size=(60 * k, 5))
    report = gm.evaluate_clustering(X, labels, labels_true=labels % 5)
    again = gm.stability_of([labels, np.roll(labels, 7), labels])
    drawn = [page_of(report, stability=again)]
    monkeypatch.setattr(figures, "svg_of", lambda draw, name, size, settled: svg_of(draw, name, size=size))
    drawn.append(page_of(report, stability=again))
    first, second = ({block.id: block.svg for block in blocks_of(page, Figure)} for page in drawn)
    assert_equal(sorted(first), ["classes", "map", "pairs", "silhouettes", "stability-plot"])
    for name, svg in first.items():
        places = [
            np.array(re.findall(r'<text [^>]*?x="([-0-9.]+)" y="([-0-9.]+)"', one)) for one in (svg, second[name])
        ]
        assert len(places[0]) > 3
        assert_allclose(*(found.astype(float) for found in places), atol=0.01, err_msg=name)
