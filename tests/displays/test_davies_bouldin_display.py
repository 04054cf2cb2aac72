"""DaviesBouldinDisplay: R of the worst pairs, whatever the clusters are, without the matrix of all."""

import io
import tracemalloc

import numpy as np
import pytest
from displays.pictures import bare_axes, pixels, stored
from matplotlib import pyplot as plt
from matplotlib.colors import same_color
from sklearn.cluster import DBSCAN, FeatureAgglomeration, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gpumetrics as gm
from gpumetrics.displays.davies_bouldin import DaviesBouldinDisplay
from gpumetrics.displays.drawing.style import WORSE
from gpumetrics.pages.figures import svg_of
from gpumetrics.text.messages import translated

HOSTILE = ["$x$", "<script>", "two\nlines", "한국어", "\N{GRINNING FACE}", "y" * 10_000, "$", "\\frac{", ""]


def blobs(rng, n_clusters, n_rows=None, d=3):
    labels = np.arange(n_rows or 20 * n_clusters) % n_clusters
    return rng.uniform(-9, 9, (n_clusters, d))[labels] + rng.normal(size=(len(labels), d)), labels


def matrix_of(X, labels):
    """R of each pair, by definition."""
    clusters = np.unique(labels)
    centre = np.array([X[labels == label].mean(axis=0) for label in clusters])
    spread = np.array([np.linalg.norm(X[labels == c] - centre[at], axis=1).mean() for at, c in enumerate(clusters)])
    gap = np.linalg.norm(centre[:, None] - centre, axis=2)
    np.fill_diagonal(gap, np.inf)
    return (spread[:, None] + spread) / gap


def ticks(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_the_cells_are_the_ratios(rng, backend):
    X, labels = blobs(rng, 6)
    expected = matrix_of(X, labels)
    noisy = np.append(labels, [-1] * 5)
    display = DaviesBouldinDisplay.from_predictions(np.concatenate([X, rng.normal(size=(5, 3))]), noisy)
    pairs = display.pairs
    assert sorted(pairs.labels.tolist()) == list(range(6))
    np.testing.assert_array_equal(pairs.labels, pairs.clusters)
    np.testing.assert_allclose(pairs.similarity, expected[np.ix_(pairs.labels, pairs.labels)], rtol=1e-9)
    np.testing.assert_allclose(pairs.score, expected.max(axis=1).mean(), rtol=1e-9)
    np.testing.assert_array_equal(pairs.clusters[pairs.partner], expected.argmax(axis=1)[pairs.clusters])
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(display.image_.get_array()[off], pairs.similarity[off])
    assert np.ma.getmaskarray(display.image_.get_array()).diagonal().all()


def test_the_worst_pair_is_first_framed_and_named(rng):
    X, labels = blobs(rng, 8)
    expected = matrix_of(X, labels)
    display = DaviesBouldinDisplay.from_predictions(X, labels)
    worst = np.unravel_index(expected.argmax(), expected.shape)
    assert set(display.pairs.labels[:2].tolist()) == set(map(int, worst))
    assert sorted(frame.get_xy() for frame in display.frames_) == [(-0.5, 0.5), (0.5, -0.5)]
    assert all(same_color(frame.get_edgecolor(), WORSE) for frame in display.frames_)
    assert {frame.get_gid() for frame in display.frames_} == {f"worst--c{at}" for at in worst}
    first, second = display.pairs.labels[:2]
    title = display.ax_.get_title(loc="left")
    assert f"worst pair: {first} and {second}, R {expected.max():.4f}" in title
    assert f"Davies-Bouldin {gm.davies_bouldin_score(X, labels):.4f} (lower is better)" in title
    assert "left out" not in title


def test_each_cluster_stands_beside_what_it_is_most_alike_of_the_rest(rng):
    similarity = DaviesBouldinDisplay.from_predictions(*blobs(rng, 12)).pairs.similarity
    for at in range(1, 11):
        assert similarity[at, at + 1] == similarity[at, at + 1 :].max()


def test_a_dot_marks_the_worst_partner_of_each(rng):
    X, labels = blobs(rng, 9)
    expected = matrix_of(X, labels)
    display = DaviesBouldinDisplay.from_predictions(X, labels)
    order = display.pairs.labels.tolist()
    assert sorted(display.partners_) == list(range(9))
    for cluster, dot in display.partners_.items():
        assert dot.get_gid() == f"partner--c{cluster}"
        assert round(dot.get_ydata()[0]) == order.index(cluster)
        assert order[round(dot.get_xdata()[0])] == expected[cluster].argmax()


def test_few_cells_have_their_numbers(rng):
    display = DaviesBouldinDisplay.from_predictions(*blobs(rng, 5))
    texts = {text.get_position(): text.get_text() for text in display.texts_}
    assert len(texts) == 20
    for (column, row), text in texts.items():
        assert text == f"{display.pairs.similarity[int(row), int(column)]:.2f}"
    assert DaviesBouldinDisplay.from_predictions(*blobs(rng, 40)).texts_ == []


@pytest.mark.parametrize("n_clusters", [2, 3, 40, 41, 300])
def test_of_many_clusters_those_of_the_worst_pairs_are_shown(rng, n_clusters):
    X, labels = blobs(rng, n_clusters)
    expected = matrix_of(X, labels)
    display = DaviesBouldinDisplay.from_predictions(X, labels)
    display.figure_.canvas.draw()
    shown = set(display.pairs.clusters.tolist())
    assert len(shown) == min(n_clusters, 40)
    title = display.ax_.get_title(loc="left").replace("\n", " ")
    if n_clusters <= 40:
        assert "left out" not in title
        return
    assert f"the 40 clusters of the worst pairs; {n_clusters - 40} are left out" in title
    worst_first = np.argsort(-expected.max(axis=1))
    assert set(worst_first[:20].tolist()) <= shown
    assert set(expected.argmax(axis=1)[worst_first[:20]].tolist()) <= shown
    np.testing.assert_allclose(display.pairs.score, expected.max(axis=1).mean(), rtol=1e-9)
    clusters = display.pairs.clusters
    np.testing.assert_allclose(display.pairs.similarity, expected[np.ix_(clusters, clusters)], rtol=1e-9)


def test_as_many_clusters_as_asked_for_are_shown(rng):
    X, labels = blobs(rng, 30)
    for most in (2, 7):
        display = DaviesBouldinDisplay.from_predictions(X, labels, max_clusters=most)
        assert len(display.pairs.labels) == most
        assert display.image_.get_array().shape == (most, most)
    for bad in (1, True, 2.5):
        with pytest.raises(ValueError, match="max_clusters must be an integer from 2"):
            DaviesBouldinDisplay.from_predictions(X, labels, max_clusters=bad)


@pytest.mark.parametrize("n_clusters", [4, 90])
def test_known_pairs_are_drawn_as_computed_ones(rng, n_clusters):
    X, labels = blobs(rng, n_clusters)
    pairs = gm.davies_bouldin_pairs(X, labels)
    before = pairs.similarity.copy()
    known, computed = DaviesBouldinDisplay.from_pairs(pairs), DaviesBouldinDisplay.from_predictions(X, labels)
    np.testing.assert_array_equal(known.pairs.clusters, computed.pairs.clusters)
    np.testing.assert_array_equal(known.pairs.partner, computed.pairs.partner)
    np.testing.assert_allclose(known.pairs.similarity, computed.pairs.similarity, rtol=1e-9)
    assert set(known.pairs.labels[:2].tolist()) == set(pairs.pair)
    assert known.pairs.score == pairs.score
    np.testing.assert_array_equal(pairs.similarity, before)


def test_the_matrix_of_all_pairs_never_exists(rng):
    X, labels = blobs(rng, 4_000, 12_000)
    tracemalloc.start()
    display = DaviesBouldinDisplay.from_predictions(X, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 4_000**2 / 2
    assert len(svg_of(display.plot, "d")) < 100_000
    file = io.BytesIO()
    display.figure_.savefig(file, format="svg")
    assert len(file.getvalue()) < 250_000


def test_centroids_that_coincide_are_drawn():
    X = np.array([[0.0], [0], [0], [0], [1], [-1], [5], [6]])
    display = DaviesBouldinDisplay.from_predictions(X, [0, 0, 1, 1, 2, 2, 3, 3])
    display.figure_.canvas.draw()
    title = display.ax_.get_title(loc="left")
    assert "Davies-Bouldin undefined" in title
    assert "where centroids coincide R is infinite, or undefined" in title.replace("\n", " ")
    assert {text.get_text() for text in display.texts_} >= {"undef.", "inf"}
    assert np.isfinite(display.image_.get_clim()).all()
    infinite = DaviesBouldinDisplay.from_predictions([[-1.0], [1], [-2], [2], [9], [8]], [0, 0, 1, 1, 2, 2])
    assert "worst pair: 0 and 1, R inf" in infinite.ax_.get_title(loc="left")
    assert infinite.colorbar_.extend == "max"


def test_clusters_without_spread_are_drawn():
    display = DaviesBouldinDisplay.from_predictions([[0.0], [0], [5], [9]], [0, 0, 1, 2])
    display.figure_.canvas.draw()
    assert display.pairs.score == 0
    assert {text.get_text() for text in display.texts_} == {"0.00"}
    pairs = gm.davies_bouldin_pairs([[0.0], [0], [5], [9]], [0, 0, 1, 2])
    assert (DaviesBouldinDisplay.from_pairs(pairs).pairs.partner != np.arange(3)).all()


def test_one_extreme_pair_does_not_make_all_others_pale():
    X = np.array([0.0, 1, 0.01, 1.01, 9, 10, 19, 20, 29, 30, 39, 40])[:, None]
    display = DaviesBouldinDisplay.from_predictions(X, np.repeat(np.arange(6), 2))
    largest = display.pairs.similarity.max(axis=1)
    assert largest.max() > 50 * np.median(largest)
    np.testing.assert_allclose(display.image_.get_clim(), (0, 3 * np.median(largest)))
    assert display.colorbar_.extend == "max"


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([0, 0, 0], "all 3 rows are in one cluster"),
        ([0, 1, 2], "each of the 3 rows is a cluster of its own"),
        ([-1, -1, -1], "every row is noise"),
    ],
)
def test_where_there_are_no_pairs_it_says_why(labels, why):
    display = DaviesBouldinDisplay.from_predictions([[0.0], [1.0], [5.0]], labels)
    assert why in " ".join(display.message_.get_text().split())
    assert why in display.alt
    assert display.image_ is None
    display.figure_.canvas.draw()


def test_hostile_labels_are_drawn_as_text(rng):
    X, codes = blobs(rng, len(HOSTILE))
    display = DaviesBouldinDisplay.from_predictions(X, np.array(HOSTILE, dtype=object)[codes])
    display.figure_.canvas.draw()
    assert {"$x$", "<script>", "two\\nlines", "$", '""'} <= set(ticks(display))
    assert max(map(len, ticks(display))) <= 40
    assert not any(label.get_parse_math() for label in display.ax_.get_yticklabels())
    assert "<script>" not in svg_of(display.plot, "d").replace("&lt;script&gt;", "")


def test_it_is_drawn_on_axes_that_are_given_and_again_on_others(rng):
    _, (first, second) = plt.subplots(1, 2)
    display = DaviesBouldinDisplay.from_predictions(*blobs(rng, 4), ax=first)
    assert display.ax_ is first
    assert display.plot(second) is display
    assert display.ax_ is second
    assert display.figure_ is second.figure
    assert len(first.texts) == len(second.texts) == 12


def test_the_alt_text_has_the_main_numbers(rng):
    X, labels = blobs(rng, 300)
    expected = matrix_of(X, labels)
    display = DaviesBouldinDisplay.from_predictions(X, labels)
    first, second = display.pairs.labels[:2]
    assert display.alt == (
        f"Davies-Bouldin R of the pairs of 300 clusters: the most alike are {first} and {second}, R "
        f"{expected.max():.4f}; the score is {expected.max(axis=1).mean():.4f}."
    )
    assert translated(display.alt, "ko").startswith("군집 300개 사이의 Davies-Bouldin R입니다.")


def test_the_picture_is_the_one_that_was_looked_at():
    X = np.array([[-1.0, 0], [1, 0], [3, 0], [5, 0], [7, 3], [13, 3], [0, 9], [0, 12]])
    labels = np.repeat([1, 2, 3, 4], 2)
    ax = bare_axes()
    DaviesBouldinDisplay.from_predictions(X, labels, ax=ax)
    expected = stored("davies_bouldin")
    assert np.abs(pixels(ax) - expected).mean() < 3
    ax = bare_axes()
    DaviesBouldinDisplay.from_predictions(X[:, ::-1] * [1, 4], labels, ax=ax)
    assert np.abs(pixels(ax) - expected).mean() > 10


def test_r_that_is_undefined_is_no_worst_pair():
    display = DaviesBouldinDisplay.from_predictions([[1.0], [1.0], [1.0], [1.0]], ["a", "a", "b", "b"])
    assert display.frames_ == []
    assert "worst pair" not in display.ax_.get_title(loc="left")
    assert display.alt == (
        "Davies-Bouldin R of the pairs of 2 clusters: it is undefined for a and b, all of whose rows are equal; so is "
        "the score."
    )


def test_a_fitted_estimator_gives_the_labels(rng):
    X, _ = blobs(rng, 4)
    scan = DBSCAN(eps=0.8).fit(X)
    display = DaviesBouldinDisplay.from_estimator(make_pipeline(StandardScaler(), KMeans(4, n_init=1)).fit(X), X)
    assert display.pairs.n_clusters == 4
    assert DaviesBouldinDisplay.from_estimator(scan, X).pairs.n_clusters == len(set(scan.labels_) - {-1})
    for wrong, what in (
        (FeatureAgglomeration(2).fit(X[:2].T), "FeatureAgglomeration clusters its columns"),
        (make_pipeline(StandardScaler(), FeatureAgglomeration(2)).fit(X), "FeatureAgglomeration clusters its columns"),
        (KMeans, "got the class KMeans"),
    ):
        with pytest.raises(TypeError, match=f"estimator must .* {what}"):
            DaviesBouldinDisplay.from_estimator(wrong, X[:2].T)
