"""`KSelectionDisplay`: each score's panel, its marks, and what the title says."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans

from gpumetrics.choosing.compare import compare_labelings
from gpumetrics.choosing.sweep import sweep
from gpumetrics.displays.drawing.style import CLUSTERS, PAPER
from gpumetrics.displays.k_selection import KSelectionDisplay
from gpumetrics.evaluation import silhouette_part

X = [[0.0], [1.0], [4.0], [5.0], [30.0], [31.0]]
TWO_OR_THREE = {2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 2, 2, 1, 1]}
SCORES = ("silhouette", "calinski_harabasz", "davies_bouldin")
HOSTILE = [
    "<script>alert(1)</script>",
    "two\nlines",
    "$x_{1$",
    "한국어",
    "\N{PILE OF POO}",
    "a" * 10_000,
    b"bytes",
    ("a", 1),
]


def test_values_stand_over_k_in_one_panel_per_score():
    comparison = compare_labelings(X, TWO_OR_THREE)
    display = KSelectionDisplay.from_result(comparison)

    assert len(display.axes_) == 3
    for score in SCORES:
        assert_array_equal(display.lines_[score].get_xdata(), [2, 3])
        assert_allclose(display.lines_[score].get_ydata(), comparison.rows[score])
        assert_allclose([p.get_ydata()[0] for p in display.points_[score].values()], comparison.rows[score])
    assert_allclose(display.second_["silhouette_macro"].get_ydata(), comparison.rows["silhouette_macro"])
    assert display.axes_[0].get_shared_x_axes().joined(display.axes_[0], display.axes_[2])
    assert [tick.get_text() for tick in display.axes_[2].get_xticklabels()] == ["2", "3"]


def test_a_star_marks_the_best_by_each_score():
    display = KSelectionDisplay.from_result(compare_labelings(X, TWO_OR_THREE))

    assert {score: star.get_xdata()[0] for score, star in display.best_.items()} == {
        "silhouette": 2,
        "calinski_harabasz": 3,
        "davies_bouldin": 2,
    }
    assert {star.get_marker() for star in display.best_.values()} == {"*"}
    assert display.best_["calinski_harabasz"].get_gid() == "best-calinski_harabasz--l1"


def test_artists_of_a_labeling_have_its_place_in_their_id():
    display = KSelectionDisplay.from_result(compare_labelings(X, dict(reversed(TWO_OR_THREE.items()))))

    assert_array_equal(display.shown_, [1, 0])  # K = 2 was given second
    assert display.points_["silhouette"][1].get_gid() == "silhouette--l1"
    assert display.points_["silhouette"][1].get_xdata()[0] == 2


def test_panels_say_the_direction_in_words_and_the_best_value():
    display = KSelectionDisplay.from_result(compare_labelings(X, TWO_OR_THREE))

    heads = [ax.get_title(loc="left") for ax in display.axes_]
    assert heads[0] == "Silhouette (\N{UPWARDS ARROW} higher is better): best 0.916 at K = 2"
    assert heads[2].startswith("Davies-Bouldin (\N{DOWNWARDS ARROW} lower is better): best 0.")


@pytest.mark.parametrize(
    ("labelings", "statement"),
    [
        (
            TWO_OR_THREE,
            "The scores disagree: silhouette and Davies-Bouldin prefer K = 2, Calinski-Harabasz prefers K = 3",
        ),
        ({2: TWO_OR_THREE[2], 1: [0] * 6}, "Only K = 2 has scores: there is nothing to choose from"),
        ({1: [0] * 6}, "No score is defined for this labeling"),
        ({1: [0] * 6, 6: [0, 1, 2, 3, 4, 5]}, "No score is defined for any of these labelings"),
        ({"a": TWO_OR_THREE[2], "b": [0, 1, 0, 1, 0, 1]}, "The 3 scores agree: all prefer a"),
    ],
)
def test_title_says_which_score_prefers_what(labelings, statement):
    display = KSelectionDisplay.from_predictions(X, labelings)

    assert " ".join(display.title_.get_text().split()) == statement
    assert display.statement == statement


def test_one_score_alone_is_no_agreement():
    display = KSelectionDisplay.from_predictions(X, TWO_OR_THREE, scores="silhouette")

    assert display.statement == "Silhouette, the only score, prefers K = 2"
    assert len(display.axes_) == 1


def test_known_classes_add_a_last_panel():
    display = KSelectionDisplay.from_predictions(X, TWO_OR_THREE, labels_true=TWO_OR_THREE[3])

    assert len(display.axes_) == 4
    assert_allclose(display.lines_["adjusted_rand"].get_ydata()[1], 1.0)
    assert_allclose(display.second_["adjusted_mutual_info"].get_ydata()[1], 1.0)
    assert display.best_["adjusted_rand"].get_xdata()[0] == 3
    assert "adjusted mutual information" in display.axes_[3].get_xlabel().replace("\n", " ")


def test_estimates_have_error_bars_of_two_standard_errors(monkeypatch):
    for most in ("FEWEST_QUERIES", "MOST_QUERIES"):
        monkeypatch.setattr(silhouette_part, most, 60)
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3))
    labelings = {k: rng.integers(0, k, 300) for k in (2, 3)}
    comparison = compare_labelings(rows, labelings, silhouette="estimate", random_state=0)
    display = KSelectionDisplay.from_result(comparison)

    error = comparison.rows["silhouette_standard_error"]
    assert (error > 0).all()
    segments = np.array(display.error_bars_.lines[2][0].get_segments())
    assert_allclose(segments[:, :, 1], comparison.rows["silhouette"][:, None] + np.outer(error, [-2, 2]))
    assert "whiskers: 2 standard errors" in display.axes_[-1].get_xlabel().replace("\n", " ")
    assert KSelectionDisplay.from_predictions(X, TWO_OR_THREE).error_bars_ is None


def test_missing_values_are_gaps_with_a_cross():
    labels = {2: [0, 0, 0, 0, 1, 1], 3: [0, 0, 2, 2, 1, 1], 1: [0] * 6}
    display = KSelectionDisplay.from_predictions(X, labels)

    assert_array_equal(np.isnan(display.lines_["silhouette"].get_ydata()), [True, False, False])
    cross = display.points_["silhouette"][2]
    assert cross.get_marker() == "x"
    assert cross.get_xdata()[0] == 1
    assert "cross: no value" in display.axes_[-1].get_xlabel()


def test_infinite_values_are_triangles_at_the_edge():
    display = _display(values={"calinski_harabasz": np.array([1e300, np.inf, -np.inf, 3.0])}, best=1)
    _drawn(display)

    assert [display.points_["calinski_harabasz"][at].get_marker() for at in range(4)] == ["o", "^", "v", "o"]
    assert_array_equal(display.lines_["calinski_harabasz"].get_ydata(), [1e300, np.nan, np.nan, 3.0])
    assert_allclose(display.best_["calinski_harabasz"].get_ydata(), display.points_["calinski_harabasz"][1].get_ydata())
    assert "best inf" in display.axes_[0].get_title(loc="left")
    assert "triangle: infinite" in display.axes_[0].get_xlabel()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_panel_without_finite_values_says_so(value):
    display = _display(values={"davies_bouldin": np.full(4, value)}, best=None)
    _drawn(display)

    [text] = display.ax_.texts
    assert ("infinite" in text.get_text()) == np.isinf(value)
    assert "undefined" in text.get_text()


def test_labelings_with_much_noise_have_open_markers():
    labelings = {"clean": [0, 0, 0, 1, 1, 1], "a sixth": [0, 0, 0, 1, 1, -1], "most": [-1, -1, 0, 1, -1, -1]}
    display = KSelectionDisplay.from_predictions(X, labelings)

    faces = [to_hex(display.points_["davies_bouldin"][at].get_markerfacecolor()) for at in (0, 1)]
    assert faces == [CLUSTERS[0].lower(), PAPER]
    caption = display.axes_[1].get_xlabel().replace("\n", " ")
    assert "open: over 10 % of the rows are noise (over 50 %: not taken for the best)" in caption


def test_names_are_points_side_by_side_without_lines():
    labelings = {"first": TWO_OR_THREE[2], "second": TWO_OR_THREE[3]}
    display = KSelectionDisplay.from_predictions(X, labelings)

    assert display.lines_ == {}
    assert_array_equal([p.get_ydata()[0] for p in display.points_["silhouette"].values()], [0, 1])
    assert_allclose([p.get_xdata()[0] for p in display.points_["silhouette"].values()], display.values["silhouette"])
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == ["first  K = 2", "second  K = 3"]
    assert display.axes_[0].get_shared_y_axes().joined(display.axes_[0], display.axes_[2])
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the first on top


def test_of_many_names_the_best_are_drawn_best_first():
    rng = np.random.default_rng(0)
    labelings = {f"labeling {i}": rng.permutation([0, 1, 0, 1, 2, 2]) for i in range(300)}
    comparison = compare_labelings(X, labelings)
    display = KSelectionDisplay.from_result(comparison)
    _drawn(display)

    values = comparison.rows["silhouette"][display.shown_]
    assert 40 <= len(display.shown_) <= 42
    assert (np.diff(values) <= 0).all()
    assert_allclose(values[0], comparison.rows["silhouette"].max())
    assert all(at in display.shown_ for at in display.best.values())
    left = 300 - len(display.shown_)
    assert f"{left} more labelings are not drawn" in display.axes_[1].get_xlabel().replace("\n", " ")


def test_many_numbers_of_clusters_are_all_drawn():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(320, 2))
    display = KSelectionDisplay.from_predictions(rows, {k: np.arange(320) % k for k in range(2, 302)})
    _drawn(display)

    assert len(display.points_["silhouette"]) == 300
    assert len(display.axes_[-1].get_xticks()) < 40
    assert str(display.names[display.best["silhouette"]]) in [t.get_text() for t in display.axes_[-1].get_xticklabels()]


def test_steps_that_grow_are_drawn_by_factors():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2))
    growing, even = (
        KSelectionDisplay.from_predictions(rows, {k: np.arange(200) % k for k in ks})
        for ks in ([2, 4, 8, 16, 32, 64], range(2, 8))
    )

    assert growing.ax_.get_xscale() == "log"
    assert even.ax_.get_xscale() == "linear"


def test_hostile_names_are_drawn_short_and_as_they_are():
    rng = np.random.default_rng(0)
    labelings = {name: rng.permutation([0, 1, 0, 1, 2, 2]) for name in HOSTILE}
    display = KSelectionDisplay.from_predictions(X, labelings)
    _drawn(display)

    ticks = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert ticks[:3] == ["<script>alert(1)</script>  K = 3", "two\\nlines  K = 3", "$x_{1$  K = 3"]
    assert max(map(len, ticks)) < 60
    assert not any(tick.get_parse_math() for tick in display.ax_.get_yticklabels())


def test_single_labeling_and_singletons():
    display = KSelectionDisplay.from_predictions(X, {6: range(6)})
    _drawn(display)

    assert display.points_["silhouette"][0].get_marker() == "x"
    assert_array_equal(display.ax_.get_xticks(), [6])


def test_from_estimator_sweeps():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2)) + 20 * np.repeat([[0, 0], [0, 1], [1, 0]], 20, axis=0)
    clusterer = KMeans(n_init=2, random_state=0)
    display = KSelectionDisplay.from_estimator(clusterer, rows, n_clusters=[2, 3, 4, 100])

    assert display.names == [2, 3, 4, 100]
    assert display.statement == "The 3 scores agree: all prefer K = 3"
    assert display.points_["silhouette"][3].get_marker() == "x"  # 60 rows have no 100 clusters
    expected = sweep(rows, clusterer, n_clusters=[2, 3, 4]).rows["silhouette"]
    assert_allclose(display.lines_["silhouette"].get_ydata()[:3], expected)
    by_setting = KSelectionDisplay.from_estimator(clusterer, rows, param_grid={"max_iter": [5, 300]})
    assert by_setting.names == ["max_iter=5", "max_iter=300"]


def test_panels_stand_in_the_place_of_given_axes():
    comparison = compare_labelings(X, TWO_OR_THREE)
    figure, axes = plt.subplots(1, 2, layout="constrained", figsize=(14, 6))
    display = KSelectionDisplay.from_result(comparison, ax=axes[1])
    figure.draw_without_rendering()

    assert display.figure_ is figure
    assert not axes[1].axison
    assert all(ax.get_position().x0 > axes[0].get_position().x1 for ax in display.axes_)


def test_given_panels_are_used_and_counted():
    comparison = compare_labelings(X, TWO_OR_THREE)
    _, axes = plt.subplots(3)
    display = KSelectionDisplay.from_result(comparison, ax=axes)

    assert list(display.axes_) == list(axes)
    with pytest.raises(ValueError, match="ax must be one Axes, or one for each of the 3 panels, got 2"):
        display.plot(ax=plt.subplots(2)[1])


def test_axes_without_a_grid_are_replaced_too():
    figure = plt.figure()
    display = KSelectionDisplay.from_predictions(X, TWO_OR_THREE, ax=figure.add_axes((0.2, 0.3, 0.5, 0.6)))

    assert_allclose(min(ax.get_position().y0 for ax in display.axes_), 0.3)


def test_alt_text_has_the_main_numbers():
    display = KSelectionDisplay.from_predictions(X, TWO_OR_THREE)

    value = display.values["davies_bouldin"][0]
    assert display.alt.startswith("Scores of 2 labelings. The scores disagree: ")
    assert f"Davies-Bouldin is best at K = 2 with {value:.3f} (lower is better)." in display.alt
    nothing = KSelectionDisplay.from_predictions(X, {1: [0] * 6})
    assert nothing.alt == "Scores of 1 labeling. No score is defined for this labeling."


def _display(values, best):
    [score] = values
    return KSelectionDisplay(
        names=[2, 3, 4, 5],
        kind="n_clusters",
        n_clusters=np.array([2.0, 3, 4, 5]),
        noise_fraction=np.zeros(4),
        scores=(score,),
        values=values,
        best={score: best},
    ).plot()


def _drawn(display):
    display.figure_.canvas.draw()


def test_panels_that_share_no_axis_have_the_labelings_in_the_same_places():
    _, axes = plt.subplots(1, 3)
    display = KSelectionDisplay.from_predictions(X, {"a": TWO_OR_THREE[2], "b": TWO_OR_THREE[3]}, ax=axes)
    assert [ax.yaxis_inverted() for ax in axes] == [True] * 3
    assert len({ax.get_ylim() for ax in axes}) == 1
    _drawn(display)
