"""`ContingencyDisplay`: the counts, their order, and what is drawn of them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import DBSCAN

from gpumetrics.clustering.matching import clustering_accuracy
from gpumetrics.displays.contingency import ContingencyDisplay
from gpumetrics.displays.drawing.style import CLUSTERS

TRUE = ["a", "a", "a", "b", "b", "c", "c", "c", "c", "c"]
PRED = [5, 5, 7, 7, 7, 3, 3, 3, 3, -1]
HOSTILE = ["<script>", "two\nlines", "$x_{1$", "한국어", "a" * 10_000, "a" * 4000 + "b" + "a" * 6000]


def test_rows_are_clusters_ordered_by_the_matching():
    display = ContingencyDisplay.from_predictions(TRUE, PRED)

    assert display.clusters == [3, 7, 5, -1]  # of equal pairs the larger cluster comes first
    assert display.classes == ["c", "b", "a"]
    assert_array_equal(display.counts, [[4, 0, 0], [0, 2, 1], [0, 0, 2], [1, 0, 0]])
    assert display.matched == 3
    assert_allclose(display.matched_share, clustering_accuracy(TRUE, PRED))


def test_noise_has_a_last_row_and_no_match():
    display = ContingencyDisplay.from_predictions(TRUE, PRED, noise_label=-1)

    assert display.clusters == [3, 7, 5]
    assert_array_equal(display.counts[-1], [1, 0, 0])
    assert display.row_names == ["3 (4)", "7 (3)", "5 (2)", "noise (1)"]
    assert_allclose(display.matched_share, clustering_accuracy(TRUE, PRED, noise_label=-1))
    assert len(display.matches_) == 3


def test_colours_are_shares_of_the_row():
    display = ContingencyDisplay.from_predictions(TRUE, PRED, noise_label=-1)

    assert_allclose(
        np.asarray(display.heat_map_.image.get_array()), [[1, 0, 0], [0, 2 / 3, 1 / 3], [0, 0, 1], [1, 0, 0]]
    )
    assert display.heat_map_.image.get_clim() == (0.0, 1.0)


def test_cells_have_their_counts_and_empty_ones_nothing():
    display = ContingencyDisplay.from_predictions(["a"] * 1200 + ["b"], [0] * 1201)

    assert [text.get_text() for text in display.heat_map_.texts] == ["1,200", "1"]
    other = ContingencyDisplay.from_predictions(TRUE, PRED)
    assert [text.get_text() for text in other.heat_map_.texts][:3] == ["4", "", ""]


def test_matched_cells_are_framed():
    display = ContingencyDisplay.from_predictions(TRUE, PRED)

    assert [frame.get_xy() for frame in display.matches_] == [(-0.5, -0.5), (0.5, 0.5), (1.5, 1.5)]
    assert {to_hex(frame.get_edgecolor()) for frame in display.matches_} == {CLUSTERS[1].lower()}


def test_a_cluster_s_row_has_its_place_in_its_id():
    display = ContingencyDisplay.from_predictions(TRUE, [9, 9, 7, 7, 7, 8, 8, 8, 8, -1], noise_label=-1)

    assert display.clusters == [8, 7, 9]
    assert [row.get_gid() for row in display.rows_] == ["row--c1", "row--c0", "row--c2"]
    assert [row.get_xy()[1] for row in display.rows_] == [-0.5, 0.5, 1.5]


def test_ticks_and_title():
    display = ContingencyDisplay.from_predictions(TRUE, PRED, noise_label=-1)

    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["c", "b", "a"]
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == display.row_names
    title = " ".join(display.title_.get_text().split())
    assert title == (
        "Clusters against known classes The best one-to-one matching holds 89 % of the rows that are not noise (framed)"
    )


def test_large_tables_keep_all_rows():
    rng = np.random.default_rng(0)
    n = 20_000
    true = rng.integers(0, 500, n)
    pred = np.where(rng.random(n) < 0.7, true % 300, rng.integers(0, 300, n))
    pred[:100] = -1
    display = ContingencyDisplay.from_predictions(true, pred, noise_label=-1)
    display.figure_.canvas.draw()

    assert display.counts.shape == (41, 40)  # with others, and noise
    assert display.counts.sum() == n
    assert_array_equal(display.counts[-1].sum(), 100)
    labels, sizes = np.unique(pred[pred >= 0], return_counts=True)
    largest = sizes[np.argsort(-sizes)][:39]
    assert_array_equal(np.sort(sizes[np.searchsorted(labels, display.clusters)]), np.sort(largest))
    assert display.row_names[-2] == f"261 others ({n - 100 - largest.sum():,})"
    assert display.column_names[-1] == "461 others"
    assert display.heat_map_.texts == []
    assert display.matched == 39  # each large cluster has its class among those drawn
    assert "in the 39 largest clusters" in display.title_.get_text().replace("\n", " ")


def test_most_bounds_rows_and_columns():
    labels = np.repeat(np.arange(6), [6, 5, 4, 3, 2, 1])
    display = ContingencyDisplay.from_predictions(labels, labels, most=3)

    assert_array_equal(display.counts, [[6, 0, 0], [0, 5, 0], [0, 0, 10]])
    assert_array_equal(ContingencyDisplay.from_predictions(labels, labels, most=6).counts, np.diag([6, 5, 4, 3, 2, 1]))
    with pytest.raises(ValueError, match="most must be 2 or more, got 1"):
        ContingencyDisplay.from_predictions(labels, labels, most=1)


def test_classes_that_the_largest_clusters_hold_are_drawn_before_larger_ones():
    true = ["big"] * 6 + ["small"] * 4 + ["odd"] * 3
    pred = ["x", "y", "z", "u", "v", "w"] + ["main"] * 4 + ["x", "y", "z"]
    display = ContingencyDisplay.from_predictions(true, pred, most=2)

    assert display.clusters == ["main"]
    assert display.classes == ["small"]
    assert_array_equal(display.counts, [[4, 0], [0, 9]])


def test_one_cluster_of_one_class():
    display = ContingencyDisplay.from_predictions([0], ["only"])
    display.figure_.canvas.draw()

    assert_array_equal(display.counts, [[1]])
    assert display.alt == (
        "Table of 1 cluster against 1 known class. The best one-to-one matching holds 100 % of the rows."
    )


def test_singletons():
    display = ContingencyDisplay.from_predictions([0] * 300, range(300))
    display.figure_.canvas.draw()

    assert_array_equal(display.counts, [[1]] * 39 + [[261]])
    assert display.matched == 1


def test_noise_alone():
    display = ContingencyDisplay.from_predictions([0, 1, 1], ["x"] * 3, noise_label="x")
    display.figure_.canvas.draw()

    assert_array_equal(display.counts, [[1, 2]] if display.classes == [0, 1] else [[2, 1]])
    assert display.matches_ == []
    assert np.isnan(display.matched_share)
    assert display.alt == "Table of 0 clusters against 2 known classes. All rows are noise."


def test_without_rows_the_axes_say_so():
    display = ContingencyDisplay.from_predictions([], [])

    assert display.heat_map_ is None
    assert display.title_.get_text() == "There are no rows to compare"
    assert display.alt == "There are no rows to compare."


def test_hostile_labels_are_drawn_short_and_as_they_are():
    display = ContingencyDisplay.from_predictions(HOSTILE, HOSTILE[::-1])
    display.figure_.canvas.draw()

    ticks = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert {"<script>", "two\\nlines", "$x_{1$"} <= set(ticks)
    assert max(map(len, ticks)) <= 24
    assert len(set(ticks)) == len(HOSTILE)
    assert not any(tick.get_parse_math() for tick in display.ax_.get_xticklabels())


def test_draws_on_given_axes_again():
    display = ContingencyDisplay.of(TRUE, PRED)
    figure, axes = plt.subplots(1, 2, layout="constrained")
    first, second = (display.plot(ax=ax).matches_ for ax in axes)

    assert display.figure_ is figure
    assert display.ax_ is axes[1]
    assert first[0].axes is axes[0]
    assert second[0].axes is axes[1]


def test_a_fitted_estimator_gives_the_clusters():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [99.0]])
    display = ContingencyDisplay.from_estimator(DBSCAN(eps=1.0, min_samples=2).fit(X), X, list("aaabbbb"))
    assert_array_equal(display.counts, [[3, 0], [0, 3], [0, 1]])
    assert display.has_noise
    kept = ContingencyDisplay.from_estimator(DBSCAN(eps=1.0).fit(X), X, list("aaabbbb"), noise_label=None)
    assert not kept.has_noise


def test_a_share_that_is_not_all_does_not_read_so():
    labels = [0] * 5_000 + [1] * 5_000
    display = ContingencyDisplay.from_predictions(labels, [1, *labels[1:]])
    assert ">99.9 % of the rows" in display.alt
