"""`StabilityDisplay`: pairs of runs, clusters, and what the title says."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from gpumetrics.choosing.stability import stability, stability_of
from gpumetrics.displays.drawing.style import cluster_colors
from gpumetrics.displays.stability import StabilityDisplay

RUNS = {"first": [0, 0, 1, 1, 2, 2], "second": [5, 5, 3, 3, 3, 3], "third": [1, 1, 2, 2, 0, 0]}


def test_heat_map_has_the_agreement_of_each_pair():
    found = stability_of(RUNS)
    display = StabilityDisplay.from_result(found)

    drawn = display.heat_map_.image.get_array()
    apart = ~np.eye(3, dtype=bool)
    assert_allclose(np.asarray(drawn)[apart], found.agreement[apart])
    assert_array_equal(np.ma.getmaskarray(drawn), np.eye(3, dtype=bool))
    texts = [text.get_text() for text in display.heat_map_.texts]
    assert texts == ["0.44", "1.00", "0.44", "0.44", "1.00", "0.44"]
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == list(RUNS)


def test_bars_are_the_clusters_stability():
    found = stability_of(RUNS, reference="first")
    display = StabilityDisplay.from_result(found)

    assert_allclose([bar.get_width() for bar in display.bars_.values()], found.per_cluster["jaccard"])
    assert_allclose([bar.get_y() + bar.get_height() / 2 for bar in display.bars_.values()], [0, 1, 2])
    assert [bar.get_gid() for bar in display.bars_.values()] == ["jaccard--c0", "jaccard--c1", "jaccard--c2"]
    assert [to_hex(bar.get_facecolor()) for bar in display.bars_.values()] == [c.lower() for c in cluster_colors(3)]
    assert_allclose(display.lowest_.get_xdata(), found.per_cluster["jaccard_lowest"])
    assert [tick.get_text() for tick in display.axes_[1].get_yticklabels()] == ["0 (2)", "1 (2)", "2 (2)"]


def test_marks_stand_at_the_usual_thresholds():
    display = StabilityDisplay.from_result(stability_of(RUNS))

    assert [line.get_xdata()[0] for line in display.marks_] == [0.5, 0.75, 0.85]
    assert len({line.get_linestyle() for line in display.marks_}) == 3
    caption = display.axes_[1].get_xlabel().replace("\n", " ")
    assert "lines: 0.5 dissolved, 0.75 stable, 0.85 highly stable" in caption


def test_dissolved_clusters_are_hatched():
    display = StabilityDisplay.from_result(stability_of([[0, 0, 1, 1, 2, 2], [5, 5, 3, 3, 3, 3]]))

    assert [bool(bar.get_hatch()) for bar in display.bars_.values()] == [False, True, True]
    assert "hatched" in display.axes_[1].get_xlabel()


def test_title_has_mean_and_reading():
    found = stability_of(RUNS)
    display = StabilityDisplay.from_result(found)

    assert " ".join(display.title_.get_text().split()) == (
        f"3 runs agree by a mean adjusted Rand index of {found.mean:.2f} (from 0.44 to 1.00) Reading: {found.reading}"
    )
    two = StabilityDisplay.from_result(stability_of(list(RUNS.values())[:2]))
    assert two.statement == "The two runs agree by an adjusted Rand index of 0.44"


def test_runs_without_common_rows_are_undefined_cells():
    found = stability_of([[0, 1, 0], [0, 1, 0]], rows=[[0, 1, 2], [3, 4, 5]])
    display = StabilityDisplay.from_result(found)
    display.figure_.canvas.draw()

    assert np.ma.getmaskarray(display.heat_map_.image.get_array()).all()
    assert [text.get_text() for text in display.heat_map_.texts] == ["-", "-"]
    assert "undefined: no two runs share two rows" in display.title_.get_text()


def test_unknown_clusters_are_crosses():
    display = _display(np.array([0.9, np.nan, 0.4]))
    display.figure_.canvas.draw()

    assert list(display.bars_) == [0, 2]
    assert display.unknown_[1].get_marker() == "x"
    assert display.unknown_[1].get_gid() == "jaccard--c1"
    assert display.unknown_[1].get_ydata()[0] == 1
    assert "cross: unknown" in display.axes_[1].get_xlabel().replace("\n", " ")
    assert "The least stable cluster is 2, with a mean Jaccard index of 0.40." in display.alt


def test_of_many_clusters_the_least_stable_are_drawn():
    jaccard = np.random.default_rng(0).random(300)
    display = _display(jaccard)
    display.figure_.canvas.draw()

    assert_array_equal(display.shown_, np.argsort(jaccard)[:40])
    assert_allclose([bar.get_width() for bar in display.bars_.values()], np.sort(jaccard)[:40])
    assert (
        to_hex(display.bars_[int(display.shown_[0])].get_facecolor()) == cluster_colors(300)[display.shown_[0]].lower()
    )
    assert "the 40 least stable of 300 clusters" in display.axes_[1].get_xlabel().replace("\n", " ")


def test_one_cluster_and_none():
    one = StabilityDisplay.from_result(stability_of([[0, 0, 0], [0, 0, 0]]))
    none = StabilityDisplay.from_result(stability_of([[-1, -1, -1], [-1, -1, -1]]))
    for display in (one, none):
        display.figure_.canvas.draw()

    assert list(one.bars_) == [0]
    assert none.bars_ == {}
    assert [text.get_text().replace("\n", " ") for text in none.axes_[1].texts] == [
        "There are no clusters whose stability could be drawn"
    ]


def test_singletons_and_noise():
    display = StabilityDisplay.from_result(stability_of([[0, 1, 2, -1], [0, 1, 2, -1], [-1, 1, 2, 0]]))
    display.figure_.canvas.draw()

    assert [bar.get_width() for bar in display.bars_.values()][1:] == [1.0, 1.0]


def test_many_runs_are_an_image_without_numbers():
    rng = np.random.default_rng(0)
    display = StabilityDisplay.from_result(stability_of([rng.integers(0, 3, 30) for _ in range(30)]))
    display.figure_.canvas.draw()

    assert display.heat_map_.image.get_array().shape == (30, 30)
    assert display.heat_map_.texts == []


def test_hostile_names_and_labels_are_drawn_short_and_as_they_are():
    labels = ["<script>", "two\nlines", "$x_{1$", "한국어", "a" * 10_000, "a" * 4000 + "b" + "a" * 6000]
    runs = {"$\\frac{1$": labels, "b" * 10_000: labels, ("x", 1): labels[::-1]}
    display = StabilityDisplay.from_result(stability_of(runs))
    display.figure_.canvas.draw()

    ticks = [tick for ax in display.axes_ for tick in (*ax.get_xticklabels(), *ax.get_yticklabels())]
    assert max(len(tick.get_text()) for tick in ticks) <= 24
    names = [tick.get_text() for tick in display.axes_[1].get_yticklabels()]
    assert {"<script> (1)", "two\\nlines (1)", "$x_{1$ (1)"} <= set(names)
    assert not any(tick.get_parse_math() for tick in display.axes_[1].get_yticklabels())


def test_from_estimator_runs_the_clusterer():
    rows = np.random.default_rng(0).normal(size=(40, 2)) + 20 * np.repeat([[0], [1]], 20, axis=0)
    options = {"n_runs": 4, "random_state": 0, "resample": "bootstrap"}
    display = StabilityDisplay.from_estimator(KMeans(3, n_init=1), rows, **options)

    assert_allclose(display.agreement, stability(rows, KMeans(3, n_init=1), **options).agreement)
    assert display.runs == [0, 1, 2, 3]
    assert 0 < display.mean < 1


def test_panels_stand_in_the_place_of_given_axes():
    found = stability_of(RUNS)
    figure, axes = plt.subplots(2, 1, layout="constrained", figsize=(8, 8))
    display = StabilityDisplay.from_result(found, ax=axes[0])
    figure.draw_without_rendering()

    assert not axes[0].axison
    assert all(ax.get_position().y0 > axes[1].get_position().y1 for ax in display.axes_)
    _, pair = plt.subplots(1, 2)
    assert list(display.plot(ax=pair).axes_) == list(pair)
    with pytest.raises(ValueError, match="one for each of the 2 panels, got 3"):
        display.plot(ax=plt.subplots(3)[1])


def _display(jaccard):
    return StabilityDisplay(
        agreement=np.array([[1.0, 0.8], [0.8, 1.0]]),
        runs=[0, 1],
        mean=0.8,
        lowest=0.8,
        highest=0.8,
        reading="as it is",
        clusters=list(range(len(jaccard))),
        sizes=np.ones(len(jaccard), dtype=np.int64),
        jaccard=jaccard,
        jaccard_lowest=jaccard,
    ).plot()


def test_none_is_the_least_stable_where_all_are_the_same():
    display = StabilityDisplay.from_result(stability_of([[0, 0, 1, 1], [1, 1, 0, 0]]))
    assert display.alt.endswith(". Every cluster has a mean Jaccard index of 1.00.")
    assert ". Reading: above 0.9" in display.alt
