"""SilhouetteDisplay: what is drawn is what was computed, once, and can be read whatever the clusters are."""

import io
import itertools
import pickle
import time

import numpy as np
import pytest
from displays.pictures import bare_axes, pixels, stored
from matplotlib import pyplot as plt
from matplotlib.colors import same_color
from sklearn.cluster import DBSCAN, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import gpumetrics as gm
from gpumetrics.clustering import silhouette as silhouette_module
from gpumetrics.displays.drawing.style import BANDS, INK, NOISE, WORSE, cluster_colors
from gpumetrics.displays.silhouette import SilhouetteDisplay
from gpumetrics.pages.figures import svg_of
from gpumetrics.text.messages import translated

HOSTILE = ["$x$", "<script>", "two\nlines", "한국어", "\N{GRINNING FACE}", "y" * 10_000, "$", "\\frac{", ""]


@pytest.fixture
def blobs(rng):
    """Three clusters of 300, 150 and 40 rows, 25 rows of noise, a singleton."""
    centres = np.repeat([[0.0, 0.0], [4.0, 0.0], [0.0, 9.0]], [300, 150, 40], axis=0)
    X = np.concatenate([centres + rng.normal(size=(490, 2)), rng.uniform(-9, 9, (25, 2)), [[40.0, 40.0]]])
    return X, np.repeat([0, 1, 2, -1, 7], [300, 150, 40, 25, 1])


def samples_of(rng, n_clusters, n_rows):
    codes = np.concatenate([np.arange(n_clusters), rng.integers(0, n_clusters, n_rows - n_clusters)])
    return np.clip(rng.normal(0.3, 0.3, n_rows) + 0.3 * np.sin(codes), -1, 1), codes


def ticks(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def notes(display):
    return dict(zip(ticks(display), (note.get_text() for note in display.notes_), strict=True))


def test_the_silhouettes_are_those_of_silhouette_samples(blobs, backend):
    X, labels = blobs
    display = SilhouetteDisplay.from_predictions(X, labels)
    s = gm.silhouette_samples(X, labels, noise_label=-1)
    found = display.silhouettes
    assert found.labels.tolist() == [0, 1, 2, 7]
    assert found.sizes.tolist() == [300, 150, 40, 1]
    for at, label in enumerate(found.labels):
        own = s[labels == label]
        kept = np.quantile(own, np.linspace(0, 1, 101)) if len(own) > 101 else np.sort(own)
        np.testing.assert_allclose(found.quantiles.of(at), kept, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.means[at], own.mean(), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.share_negative[at], (own < 0).mean())
    np.testing.assert_allclose(found.mean, np.nanmean(s), rtol=1e-9)
    assert found.standard_error == 0
    assert found.n_noise == 25


def test_a_band_reaches_as_far_as_its_silhouettes_and_is_as_high_as_its_cluster_is_large(blobs):
    display = SilhouetteDisplay.from_predictions(*blobs, sort="label")
    assert sorted(display.bands_) == [0, 1, 2, 3]
    for cluster, band in display.bands_.items():
        assert band.get_gid() == f"band--c{cluster}"
        assert same_color(band.get_facecolor(), cluster_colors(4)[cluster])
        values = display.silhouettes.quantiles.of(cluster)
        np.testing.assert_allclose(band.get_xy()[:, 0].max(), max(values.max(), 0))
        assert band.get_xy()[:, 0].min() == 0
    heights = np.ptp(np.array(display.cluster_means_.get_segments())[:, :, 1], axis=1)
    np.testing.assert_allclose(heights[0], 2 * heights[1])
    assert heights[3] > 0.05 * display.ax_.get_ylim()[0]  # the singleton can be seen


def test_each_of_few_rows_is_a_step():
    display = SilhouetteDisplay.from_samples([0.2, 0.8, -0.4, 0.5, 0.5], [0, 0, 0, 1, 1])
    mean = display.cluster_means_.get_segments()[0]  # the cluster with the lower mean
    edges = np.linspace(mean[:, 1].min(), mean[:, 1].max(), 4)
    x, y = display.bands_[0].get_xy().T
    np.testing.assert_allclose(x, [0, 0.8, 0.8, 0.2, 0.2, 0, 0, 0])
    np.testing.assert_allclose(y, edges[[0, 0, 1, 1, 2, 2, 2, 0]])
    x, y = display.negatives_[0].get_xy().T
    np.testing.assert_allclose(x, [0, 0, -0.4, -0.4, 0, 0])
    np.testing.assert_allclose(y, edges[[2, 2, 2, 3, 3, 2]])


def test_what_is_below_zero_is_hatched_and_its_share_written(blobs):
    display = SilhouetteDisplay.from_predictions(*blobs)
    found = display.silhouettes
    assert sorted(display.negatives_) == np.flatnonzero(found.share_negative > 0).tolist()
    assert 0 in display.negatives_
    negative = display.negatives_[0]
    assert negative.get_gid() == "negative--c0"
    assert same_color(negative.get_edgecolor(), WORSE)
    assert negative.get_hatch()
    np.testing.assert_allclose(negative.get_xy()[:, 0].min(), found.quantiles.of(0)[0])
    assert negative.get_xy()[:, 0].max() == 0
    said = notes(display)
    assert said["0"] == f"300 rows, {100 * found.share_negative[0]:.1f} % below 0"
    assert said["7"] == "1 row"


def test_the_noise_is_a_flat_band_that_says_how_many_rows(blobs):
    display = SilhouetteDisplay.from_predictions(*blobs)
    assert same_color(display.noise_.get_facecolor(), NOISE)
    assert display.noise_.get_xy()[:, 0].tolist()[:4] == np.repeat(display.ax_.get_xlim(), 2).tolist()
    assert ticks(display)[-1] == "noise"
    assert notes(display)["noise"] == "25 rows, not scored"
    kept = SilhouetteDisplay.from_predictions(*blobs, noise_label=None)
    assert kept.noise_ is None
    assert "-1" in ticks(kept)


def test_bands_are_sorted_by_mean_or_by_label(blobs):
    by_mean = SilhouetteDisplay.from_predictions(*blobs)
    order = np.argsort(by_mean.silhouettes.means)
    assert ticks(by_mean)[:-1] == [str(label) for label in by_mean.silhouettes.labels[order]]
    assert ticks(by_mean.plot(sort="label"))[:-1] == ["0", "1", "2", "7"]
    places = by_mean.ax_.get_yticks()
    assert (np.diff(places) > 0).all()
    assert by_mean.ax_.yaxis_inverted()


def test_the_means_are_marked(blobs):
    display = SilhouetteDisplay.from_predictions(*blobs, sort="label")
    found = display.silhouettes
    np.testing.assert_array_equal(display.mean_line_.get_xdata(), [found.mean] * 2)
    segments = np.array(display.cluster_means_.get_segments())
    np.testing.assert_allclose(segments[:, 0, 0], found.means)
    for cluster, band in display.bands_.items():  # the largest silhouette is on top
        np.testing.assert_allclose(segments[cluster, :, 1].min(), band.get_xy()[:, 1].min())
    assert display.ax_.get_title(loc="left").startswith(f"Silhouette {found.mean:.3f} (dashed): ")


def test_the_bands_that_a_mean_is_read_by_are_behind(blobs):
    display = SilhouetteDisplay.from_predictions(*blobs)
    spans = [(band.get_x(), band.get_x() + band.get_width()) for band in display.reading_bands_]
    np.testing.assert_allclose(spans, [(0.25, 0.5), (0.5, 0.7), (0.7, 1.0)])
    for band, color in zip(display.reading_bands_, BANDS, strict=True):
        assert same_color(band.get_facecolor(), color)
        assert band.get_zorder() < display.bands_[0].get_zorder()
    assert [word.get_text() for word in display.reading_words_] == ["no structure", "weak", "reasonable", "distinct"]


@pytest.mark.parametrize("mean", [0.8, 0.6, 0.3, 0.1])
def test_the_title_has_the_word_for_the_mean(mean):
    display = SilhouetteDisplay.from_samples([mean] * 6, [0, 0, 0, 1, 1, 1])
    word = {0.8: "distinct", 0.6: "reasonable", 0.3: "weak", 0.1: "no substantial"}[mean]
    assert f"Silhouette {mean:.3f} (dashed): {word} structure" in display.ax_.get_title(loc="left")


@pytest.mark.parametrize("n_clusters", [2, 40, 41, 300, 5_000])
def test_of_many_clusters_the_lowest_are_shown_and_all_others_in_one_band(rng, n_clusters):
    samples, codes = samples_of(rng, n_clusters, 12_000)
    display = SilhouetteDisplay.from_samples(samples, codes)
    display.figure_.canvas.draw()
    means = np.bincount(codes, weights=samples) / np.bincount(codes)
    if n_clusters <= 40:
        assert len(display.bands_) == n_clusters
        assert display.others_ is None
        return
    order = np.argsort(means)
    assert list(display.bands_) == order[:20].tolist()
    assert ticks(display)[-1] == f"{n_clusters - 20:,} others"
    np.testing.assert_allclose(display.others_.get_xy()[:, 0].max(), means.max())
    left, right = means[order[20]], means.max()
    assert notes(display)[ticks(display)[-1]] == f"their means: {left:.2f} to {right:.2f}"
    assert f"the 20 lowest of {n_clusters:,} clusters" in display.ax_.get_title(loc="left")
    assert same_color(display.others_.get_edgecolor(), INK)


def test_names_do_not_overlap(rng):
    samples, codes = samples_of(rng, 40, 4_000)
    codes[:2_000] = 3
    display = SilhouetteDisplay.from_samples(samples, codes)
    display.figure_.canvas.draw()
    boxes = [label.get_window_extent() for label in display.ax_.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 - 1 for upper, lower in itertools.pairwise(boxes))


def test_as_many_clusters_as_asked_for_are_shown(rng):
    samples, codes = samples_of(rng, 30, 3_000)
    assert len(SilhouetteDisplay.from_samples(samples, codes, max_clusters=9).bands_) == 5
    assert len(SilhouetteDisplay.from_samples(samples, codes, max_clusters=30).bands_) == 30


def test_rows_that_were_not_evaluated_make_an_estimate(rng):
    samples, codes = samples_of(rng, 4, 4_000)
    seen = np.where(rng.random(4_000) < 0.2, samples, np.nan)
    seen[codes == 3] = np.nan
    display = SilhouetteDisplay.from_samples(seen, codes)
    found = display.silhouettes
    n = int((~np.isnan(seen)).sum())
    assert f"an estimate: {n:,} of 4,000 rows were evaluated" in display.ax_.get_title(loc="left")
    assert f"+/- {found.standard_error:.2g}" in display.ax_.get_title(loc="left")
    np.testing.assert_allclose(found.standard_error, np.nanstd(seen) / np.sqrt(n) * np.sqrt(1 - n / 4_000), rtol=0.01)
    assert notes(display)["3"] == f"{(codes == 3).sum():,} rows, none evaluated"
    assert ticks(display)[-1] == "3"
    assert 3 not in display.bands_


def test_an_estimate_by_clusters_has_the_error_of_one(rng):
    samples, codes = samples_of(rng, 3, 6_000)
    samples = np.clip(codes / 2 - 0.2 + 0.1 * samples, -1, 1)
    seen = np.where(rng.random(6_000) < 0.3, samples, np.nan)
    found = SilhouetteDisplay.from_samples(seen, codes).silhouettes
    assert found.standard_error < 0.3 * np.nanstd(seen) / np.sqrt((~np.isnan(seen)).sum())
    assert abs(found.mean - samples.mean()) < 5 * found.standard_error


def test_from_predictions_can_estimate(rng):
    X = rng.normal(size=(3_000, 2)) + 8 * np.repeat([[0], [1], [2]], 1_000, axis=0)
    labels = np.repeat(["a", "b", "c"], 1_000)
    display = SilhouetteDisplay.from_predictions(X, labels, silhouette="estimate", random_state=0, metric="chebyshev")
    exact = SilhouetteDisplay.from_predictions(X, labels, metric="chebyshev")
    assert abs(display.silhouettes.mean - exact.silhouettes.mean) <= 4 * display.silhouettes.standard_error + 1e-9
    np.testing.assert_allclose(exact.silhouettes.mean, gm.silhouette_score(X, labels, metric="chebyshev"), rtol=1e-9)


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([0, 0, 0], "all 3 rows are in one cluster"),
        ([0, 1, 2], "each of the 3 rows is a cluster of its own"),
        ([-1, -1, -1], "every row is noise"),
    ],
)
def test_undefined_silhouettes_are_said_in_words(labels, why):
    X = [[0.0], [1.0], [5.0]]
    report = gm.evaluate_clustering(X, labels)
    for display in (
        SilhouetteDisplay.from_predictions(X, labels),
        SilhouetteDisplay.from_report(report),
        SilhouetteDisplay.from_samples([np.nan] * 3, labels),
    ):
        assert why in " ".join(display.message_.get_text().split())
        assert why in display.alt
        assert display.bands_ == {}
        display.figure_.canvas.draw()


def test_a_report_is_drawn_without_evaluating_again(blobs, monkeypatch):
    X, labels = blobs
    report = gm.evaluate_clustering(X, labels)
    once = SilhouetteDisplay.from_predictions(X, labels)
    monkeypatch.setattr(silhouette_module, "mean_distances", None)
    display = SilhouetteDisplay.from_report(report, sort="label")
    np.testing.assert_array_equal(display.silhouettes.quantiles.values, once.silhouettes.quantiles.values)
    np.testing.assert_allclose(display.silhouettes.means, report.per_cluster["silhouette_mean"], rtol=1e-12)
    assert display.silhouettes.mean == report.scores["silhouette"]
    assert display.silhouettes.n_noise == report.n_noise
    assert ticks(display)[:-1] == ["0", "1", "2", "7"]


def test_the_error_of_a_report_is_kept(blobs):
    X, labels = np.tile(blobs[0], (4, 1)), np.tile(blobs[1], 4)
    report = gm.evaluate_clustering(X, labels, silhouette="estimate", random_state=1)
    object.__setattr__(report, "silhouette_standard_error", 0.0123)
    report.silhouette_samples[:7] = np.nan
    display = SilhouetteDisplay.from_report(report)
    assert "+/- 0.012 (dashed)" in display.ax_.get_title(loc="left")


def test_a_silhouette_that_was_left_out_is_said_in_words(blobs):
    display = SilhouetteDisplay.from_report(gm.evaluate_clustering(*blobs, silhouette="skip"))
    assert 'it was left out (silhouette="skip")' in " ".join(display.message_.get_text().split())


def test_a_report_that_was_pickled_has_no_labels(blobs):
    report = pickle.loads(pickle.dumps(gm.evaluate_clustering(*blobs)))  # noqa: S301
    with pytest.raises(ValueError, match=r"report must hold the labels .* use SilhouetteDisplay\.from_samples"):
        SilhouetteDisplay.from_report(report)


def test_a_fitted_estimator_gives_the_labels(blobs):
    X = blobs[0] * [1.0, 100.0]
    model = make_pipeline(StandardScaler(), KMeans(3, n_init=1, random_state=0)).fit(X)
    display = SilhouetteDisplay.from_estimator(model, X, sort="label")
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(display.silhouettes.mean, gm.silhouette_score(scaled, model.predict(X)), rtol=1e-9)
    scan = DBSCAN(eps=0.5).fit(scaled)
    assert SilhouetteDisplay.from_estimator(scan, scaled).silhouettes.n_noise == (scan.labels_ == -1).sum()
    with pytest.raises(ValueError, match="X must be the rows that the estimator was fitted on: DBSCAN cannot place"):
        SilhouetteDisplay.from_estimator(scan, scaled[:-1])
    with pytest.raises(TypeError, match="StandardScaler has neither"):
        SilhouetteDisplay.from_estimator(StandardScaler().fit(X), X)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sort": "size"}, r"sort must be one of \('mean', 'label'\), got 'size'"),
        ({"max_clusters": 0}, "max_clusters must be an integer from 1, got 0"),
        ({"max_clusters": True}, "max_clusters must be an integer from 1, got True"),
    ],
)
def test_bad_options_are_refused_before_anything_is_computed(options, message, monkeypatch):
    monkeypatch.setattr(silhouette_module, "mean_distances", None)
    with pytest.raises(ValueError, match=message):
        SilhouetteDisplay.from_predictions([[0.0], [1.0], [3.0]], [0, 0, 1], **options)


def test_samples_are_checked():
    with pytest.raises(ValueError, match="silhouette_samples must hold values from -1 to 1"):
        SilhouetteDisplay.from_samples([0.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SilhouetteDisplay.from_samples([0.0, 0.5, 0.1], [0, 1])


def test_hostile_labels_are_drawn_as_text(rng):
    labels = np.array(HOSTILE * 10, dtype=object)
    samples = rng.uniform(-0.3, 0.9, len(labels))
    display = SilhouetteDisplay.from_samples(samples, labels)
    display.figure_.canvas.draw()
    texts = ticks(display)
    assert len(texts) == len(HOSTILE)
    assert {"$x$", "<script>", "two\\nlines", "$", '""'} <= set(texts)
    assert max(map(len, texts)) <= 40
    assert not any(label.get_parse_math() for label in display.ax_.get_yticklabels())
    assert "<script>" not in svg_of(display.plot, "s").replace("&lt;script&gt;", "")


def test_what_was_given_is_left_as_it_is(blobs):
    X, labels = blobs
    s = gm.silhouette_samples(X, labels, noise_label=-1)
    before = X.copy(), labels.copy(), s.copy()
    SilhouetteDisplay.from_predictions(X, labels)
    SilhouetteDisplay.from_samples(s, labels)
    for now, then in zip((X, labels, s), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_it_is_drawn_on_axes_that_are_given_and_again_on_others(blobs):
    _, (first, second) = plt.subplots(1, 2)
    display = SilhouetteDisplay.from_predictions(*blobs, ax=first)
    assert display.ax_ is first
    assert display.plot(second) is display
    assert display.ax_ is second
    assert display.figure_ is second.figure
    assert len(first.patches) == len(second.patches)


def test_the_alt_text_has_the_main_numbers(blobs):
    display = SilhouetteDisplay.from_predictions(*blobs)
    found = display.silhouettes
    lowest = np.argmin(found.means)
    share = (found.share_negative * found.sizes).sum() / found.sizes.sum()
    assert display.alt == (
        f"Silhouettes of 4 clusters, {found.mean:.2f} on average: the lowest mean is {found.means[lowest]:.2f}, of "
        f"{found.labels[lowest]}; {100 * share:.1f} % of the rows lie closer to another cluster."
    )
    assert translated(display.alt, "ko").startswith("군집 4개의 실루엣 도표입니다.")


def test_a_million_rows_are_drawn_quickly_and_small(rng):
    samples, codes = samples_of(rng, 200, 1_000_000)
    display = SilhouetteDisplay.from_samples(samples, codes)
    seconds = []
    for _ in range(2):
        started = time.process_time()
        display.plot().figure_.canvas.draw()
        seconds.append(time.process_time() - started)
    assert min(seconds) < 1
    file = io.BytesIO()
    display.figure_.savefig(file, format="svg")
    assert len(file.getvalue()) < 1_000_000
    assert len(svg_of(display.plot, "s")) < 200_000


def test_the_picture_is_the_one_that_was_looked_at():
    rows = np.linspace(-0.4, 0.8, 120)
    samples = np.concatenate([rows, rows**2, np.full(60, 0.6), np.full(40, np.nan)])
    labels = np.repeat([0, 1, 2, -1], [120, 120, 60, 40])
    ax = bare_axes()
    SilhouetteDisplay.from_samples(samples, labels, ax=ax)
    expected = stored("silhouette")
    assert np.abs(pixels(ax) - expected).mean() < 2
    ax = bare_axes()
    SilhouetteDisplay.from_samples(samples, labels, sort="label", ax=ax)
    assert np.abs(pixels(ax) - expected).mean() > 10


def test_no_rows_are_no_noise():
    assert SilhouetteDisplay.from_samples([], []).alt == "There are no silhouettes: there are no rows."


def test_a_share_that_is_not_nothing_does_not_read_so():
    samples = np.full(5_000, 0.5)
    samples[0] = -0.1
    assert "; <0.1 % of the rows lie closer" in SilhouetteDisplay.from_samples(samples, np.arange(5_000) % 2).alt
