"""Flat views of clusters: points and cells, centres and marks, what is said of what they do not show."""

import logging
import time

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import gpumetrics as gm
from gpumetrics.displays.drawing.style import NOISE, cluster_colors
from gpumetrics.displays.embedding import EmbeddingDisplay
from gpumetrics.displays.embedding_cells import Cells, cells_of, picture_of
from gpumetrics.pages.figures import svg_of
from gpumetrics.text.messages import Message


def blobs(n, k, d=8, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    return (rng.normal(size=(k, d)) * 5)[labels] + rng.normal(size=(n, d)), labels


def test_points_lie_along_the_principal_axes():
    X, labels = blobs(200, 3)
    display = EmbeddingDisplay.from_predictions(X, labels)
    centred = X - X.mean(axis=0)
    _, sizes, right = np.linalg.svd(centred, full_matrices=False)
    expected = centred @ right[:2].T
    found = display.points.coordinates
    signs = np.sign((expected * found).sum(axis=0))
    assert_allclose(found, expected * signs, atol=1e-9)
    shares = sizes[:2] ** 2 / (sizes**2).sum()
    assert_allclose(display.shares, shares)
    assert display.ax_.get_xlabel() == f"first principal axis ({100 * shares[0]:.1f} %)"
    assert display.ax_.get_ylabel() == f"second principal axis ({100 * shares[1]:.1f} %)"
    assert display.ax_.get_title(loc="left") == (
        f"Principal axes of 8 features, 200 rows\n{100 * shares.sum():.1f} % of the variance: "
        "rows that look close may be far apart"
    )
    assert isinstance(display.alt, Message)
    assert display.alt == (
        f"Flat view of 200 rows in 3 clusters. The two principal axes show {100 * shares.sum():.1f} % "
        "of the variance; rows that look close may be far apart."
    )


def test_each_cluster_has_its_artists():
    X, labels = blobs(200, 8)
    names = np.array([f"group {i}" for i in range(8)])
    display = EmbeddingDisplay.from_predictions(X, names[labels])
    assert [artist.get_gid() for artist in display.points_] == [f"points--c{i}" for i in range(8)]
    for i, artist in enumerate(display.points_):
        assert_array_equal(artist.get_offsets(), display.points.coordinates[labels == i])
        assert plt.matplotlib.colors.to_hex(artist.get_facecolor()[0]).upper() == cluster_colors(8)[i]
    shapes = {(i % 6, artist.get_paths()[0].vertices.tobytes()) for i, artist in enumerate(display.points_)}
    assert len(shapes) == 8  # clusters of the same colour differ in shape
    assert {name.get_gid(): name.get_text() for name in display.names_} == {
        f"name--c{i}": f"group {i}" for i in range(8)
    }
    assert_allclose(display.centres[2], display.points.coordinates[labels == 2].mean(axis=0))
    assert (display.image_, display.noise_, display.legend_) == (None, None, None)


def test_noise_is_no_cluster():
    X, labels = blobs(200, 3)
    labels = np.array(["a", "noise", "z"])[labels]
    display = EmbeddingDisplay.from_predictions(X, labels, noise_label="noise")
    assert display.clusters.tolist() == ["a", "z"]
    assert_array_equal(display.sizes, [(labels == "a").sum(), (labels == "z").sum()])
    assert display.n_noise == (labels == "noise").sum()
    assert_array_equal(display.points.codes, np.select([labels == "a", labels == "z"], [0, 1], -1))
    assert_array_equal(display.noise_.get_offsets(), display.points.coordinates[labels == "noise"])
    assert plt.matplotlib.colors.to_hex(display.noise_.get_facecolor()[0]) == NOISE
    assert [text.get_text() for text in display.legend_.get_texts()] == ["noise"]
    assert f"200 rows: 2 clusters, and {display.n_noise} rows of noise." in display.alt


def test_many_rows_are_cells():
    X, labels = blobs(5_000, 4)
    labels[:500] = -1
    display = EmbeddingDisplay.from_predictions(X, labels)
    assert display.points is None
    assert (display.points_, display.n_drawn) == ([], 5_000)
    assert display.cells.counts.sum() + display.n_outside == 5_000
    assert display.n_outside < 50
    assert_array_equal(display.image_.get_extent(), display.frame)
    assert [mark.get_gid() for mark in display.centres_] == [f"centre--c{i}" for i in np.argsort(-display.sizes)]
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert texts == ["noise", "stronger colour: more rows (log scale)"]
    display.figure_.canvas.draw()


def test_cells_count_rows_and_belong_to_the_majority():
    frame = np.array([0.0, 32.0, 0.0, 24.0])  # cells of side 1
    points = np.array([[0.5, 0.5]] * 3 + [[31.5, 23.5]] * 4 + [[10.5, 3.5]] * 2 + [[32.0, 24.0]] + [[4.5, 4.5]])
    codes = np.array([1, 1, 0, -1, 2, 2, -1, 1, 0, -1, -1])
    cells = cells_of(points, codes, 3, frame)
    assert cells.counts.shape == (24, 32)
    assert cells.counts.sum() == 11
    assert (cells.counts[0, 0], cells.majority[0, 0]) == (3, 1)
    assert (cells.counts[23, 31], cells.majority[23, 31]) == (5, -1)
    assert (cells.counts[3, 10], cells.majority[3, 10]) == (2, 0)  # of equal ones the first cluster
    assert (cells.counts[4, 4], cells.majority[4, 4]) == (1, -1)
    assert (cells.majority[cells.counts == 0] == -1).all()


def test_the_picture_of_cells():
    cells = Cells(np.array([[0, 1, 9]]), np.array([[-1, 0, 1]]))
    picture = picture_of(cells, ["#ff0000", "#0000ff"])
    assert picture.shape == (4, 12, 4)
    assert_array_equal(picture[:, :4, 3], 0)
    assert_array_equal(picture[0, 4, :3], [1, 0, 0])
    assert_array_equal(picture[0, 8, :3], [0, 0, 1])
    assert 0.3 < picture[0, 4, 3] < picture[0, 8, 3] == 1
    assert_array_equal(picture[:, 7, 3], 0)  # the gap between two clusters
    assert picture[0, 3, 3] == picture[0, 0, 3] == 0
    same = picture_of(Cells(np.array([[1, 1]]), np.array([[0, 0]])), ["#ff0000"])
    assert (same[..., 3] == 1).all()


def test_very_many_rows_are_sampled(monkeypatch):
    monkeypatch.setattr("gpumetrics.displays.embedding_view.MOST_ROWS", 3_000)
    X, labels = blobs(20_000, 5)
    labels[-1] = 5  # alone in its cluster
    display = EmbeddingDisplay.from_predictions(X, labels)
    assert display.n_drawn == display.cells.counts.sum() + display.n_outside == 3_000
    assert display.ax_.get_title(loc="left").startswith(
        "Principal axes of 8 features, 3,000 of 20,000 rows, drawn at random"
    )
    assert "3,000 of the rows were drawn at random." in display.alt
    assert_array_equal(display.sizes, np.bincount(labels))
    assert np.isfinite(display.centres).all()
    for i in range(5):
        exact = display_all(X, labels).centres[i]
        assert np.linalg.norm(display.centres[i] - exact) < 0.5
    again = EmbeddingDisplay.from_predictions(X, labels)
    assert_array_equal(again.cells.counts, display.cells.counts)
    other = EmbeddingDisplay.from_predictions(X, labels, random_state=1)
    assert (other.cells.counts.shape != display.cells.counts.shape) or (
        other.cells.counts != display.cells.counts
    ).any()


def display_all(X, labels):
    """All rows along the axes, whatever their number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gpumetrics.displays.embedding_view.MOST_ROWS", 10**9)
        return EmbeddingDisplay.from_predictions(X, labels)


def test_a_million_rows_are_quick_and_small():
    rng = np.random.default_rng(0)
    X, labels = rng.standard_normal((1_000_000, 64), dtype=np.float32), rng.integers(0, 200, 1_000_000)
    started = time.process_time()
    svg = svg_of(lambda ax: EmbeddingDisplay.from_predictions(X, labels, ax=ax), "view")
    assert time.process_time() - started < 10  # about 1 s on two free cores
    assert len(svg) < 300_000
    assert 'id="view-centre--c199"' in svg
    assert "100,000 of 1,000,000 rows" in svg


@pytest.mark.parametrize("n", [300, 3_000])
def test_given_coordinates(n):
    rng = np.random.default_rng(0)
    coordinates, labels = rng.normal((1e8, -1e8), 1.0, (n, 2)), rng.integers(0, 3, n)
    display = EmbeddingDisplay.from_predictions(None, labels, coordinates=coordinates)
    assert display.shares is None
    if n == 300:
        assert_array_equal(display.points.coordinates, coordinates)
    assert_allclose(display.centres[1], coordinates[labels == 1].mean(axis=0))
    assert display.ax_.get_title(loc="left").endswith("a flat view can hide or invent closeness")
    assert "can hide or invent closeness" in display.alt
    assert display.ax_.get_xlabel() == "first coordinate"
    with_rows = EmbeddingDisplay.from_predictions(np.zeros((n, 9)), labels, coordinates=coordinates.tolist())
    assert_array_equal(with_rows.centres, display.centres)
    whole = EmbeddingDisplay.from_predictions(None, labels, coordinates=np.round(coordinates).astype(np.int64))
    assert_allclose(whole.centres[1], np.round(coordinates)[labels == 1].mean(axis=0))


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        (np.zeros((4, 3)), "coordinates must have two columns, got 3"),
        (np.zeros((3, 2)), "inconsistent numbers of samples"),
        ([[0, 0], [0, 1], [1, np.nan], [0, 0]], "Input coordinates contains NaN"),
        ([0, 1, 2, 3], "Expected 2D array"),
    ],
)
def test_wrong_coordinates(coordinates, message):
    with pytest.raises(ValueError, match=message):
        EmbeddingDisplay.from_predictions(None, [0, 0, 1, 1], coordinates=coordinates)


def test_marked_rows():
    X, labels = blobs(400, 3)
    chosen = gm.representatives(X, labels, per_cluster=2)
    doubtful = gm.ambiguous(X, labels, per_cluster=3)
    display = EmbeddingDisplay.from_predictions(X, labels, representatives=chosen, ambiguous=doubtful)
    assert_array_equal(display.representatives.rows, chosen.table["row"])
    assert_array_equal(display.representatives_.get_offsets(), display.points.coordinates[chosen.table["row"]])
    assert_array_equal(display.ambiguous_.get_offsets(), display.points.coordinates[doubtful.table["row"]])
    assert (display.representatives_.get_gid(), display.ambiguous_.get_gid()) == ("representatives", "ambiguous")
    numbers = [number.get_text() for number in display.numbers_]
    assert numbers == [str(row) for row in (*chosen.table["row"], *doubtful.table["row"])]
    assert [text.get_text() for text in display.legend_.get_texts()] == ["representatives", "ambiguous"]
    shapes = [artist.get_paths()[0].vertices.shape for artist in (display.representatives_, display.ambiguous_)]
    assert shapes[0] != shapes[1]
    assert len(display.ambiguous_.get_facecolor()) == 0  # a ring, through which the row's own marker shows
    display.figure_.canvas.draw()


def test_marked_rows_among_cells_and_of_many_clusters(monkeypatch):
    X, labels = blobs(9_000, 50)
    chosen = gm.representatives(X, labels, per_cluster=3)
    display = EmbeddingDisplay.from_predictions(X, labels, representatives=chosen)
    assert len(display.representatives.rows) == 60 < display.representatives.n_chosen == 150
    firsts = [rows[0] for rows in chosen.by_cluster.values()]
    assert set(firsts) <= set(display.representatives.rows.tolist())
    assert display.numbers_ == []
    assert display.legend_.get_texts()[0].get_text() == "representatives (60 of 150)"
    monkeypatch.setattr("gpumetrics.displays.embedding_view.MOST_POINTS", 10_000)
    one_by_one = EmbeddingDisplay.from_predictions(X, labels).points.coordinates
    assert_allclose(display.representatives.points, one_by_one[display.representatives.rows], atol=1e-9)
    display.figure_.canvas.draw()


def test_what_cannot_be_marked():
    X, labels = blobs(50, 2)
    with pytest.raises(TypeError, match=r"^representatives must be what gpumetrics\.representatives"):
        EmbeddingDisplay.from_predictions(X, labels, representatives=[1, 2])
    chosen = gm.representatives(X, labels)
    with pytest.raises(ValueError, match="ambiguous must be of the same X"):
        EmbeddingDisplay.from_predictions(X[:5], labels[:5], ambiguous=chosen)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        EmbeddingDisplay.from_predictions(X, labels[:-1])
    with pytest.raises(ValueError, match="random_state"):
        EmbeddingDisplay.from_predictions(X, labels, random_state="x")


@pytest.mark.parametrize("n", [900, 4_000])
@pytest.mark.parametrize("k", [1, 2, 300])
def test_numbers_of_clusters(n, k):
    X, labels = blobs(n, k)
    display = EmbeddingDisplay.from_predictions(X, labels)
    assert len(display.clusters) == k
    assert len(display.names_) == min(k, 30)
    largest = set(np.argsort(-display.sizes, kind="stable")[:30].tolist())
    assert {int(name.get_gid().removeprefix("name--c")) for name in display.names_} == largest
    assert len(display.points_ or display.centres_) == k
    display.figure_.canvas.draw()


def test_names_do_not_lie_on_each_other():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(600, 2)), rng.integers(0, 6, 600)  # all centres in one place
    display = EmbeddingDisplay.from_predictions(X, np.array([f"cluster {i}" for i in range(6)])[labels])
    display.figure_.canvas.draw()
    boxes = [name.get_window_extent() for name in display.names_]
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


@pytest.mark.parametrize(
    ("X", "labels"),
    [
        ([[1.0, 2.0, 3.0]], ["only"]),
        ([[1.0], [2.0], [7.0]], [0, 0, 1]),
        (np.full((30, 4), 3.5), np.arange(30) % 3),
        (np.full((3_000, 4), 3.5), np.arange(3_000) % 3),
        (np.column_stack([np.arange(2_500.0), np.ones(2_500)]), np.arange(2_500) % 2),
        (np.eye(5), [-1] * 5),
        (np.eye(5), np.arange(5)),
        (blobs(2_500, 3)[0], [-1] * 2_500),
    ],
    ids=["one row", "one column", "equal", "many equal", "a line", "noise", "singletons", "much noise"],
)
def test_degenerate(X, labels):
    display = EmbeddingDisplay.from_predictions(X, labels)
    assert (display.frame[1::2] > display.frame[::2]).all()
    display.figure_.canvas.draw()
    if np.ptp(np.asarray(X), axis=0).max() == 0:
        assert display.ax_.get_title(loc="left").endswith("all rows are equal")
        assert display.alt.endswith("All rows are equal.")
    if np.shape(X)[1] == 1:
        assert display.ax_.get_xlabel() == "the only feature"
        assert display.alt.endswith("The axes show all of the variance.")


@pytest.mark.parametrize("n", [100, 3_000])
@pytest.mark.parametrize("power", [-300, -160, 160, 300])
def test_hostile_scales(n, power):
    X, labels = blobs(n, 3)
    for options in ({"X": X * 10.0**power}, {"X": None, "coordinates": X[:, :2] * 10.0**power}):
        display = EmbeddingDisplay.from_predictions(labels=labels, **options)
        assert np.isfinite(display.frame).all()
        assert np.isfinite(display.centres).all()
        assert np.ptp(display.frame[:2]) > 0
        display.figure_.canvas.draw()


def test_a_row_far_out_does_not_hide_the_others():
    X, labels = blobs(1_000, 3)
    X[0] = 1e6
    display = EmbeddingDisplay.from_predictions(None, labels, coordinates=X[:, :2])
    assert display.n_outside == 1
    assert np.ptp(display.frame[:2]) < 1e4
    assert "1,000 rows, 1 outside" in display.ax_.get_title(loc="left")
    labels[:20], X[:20] = 3, 1e6
    display = EmbeddingDisplay.from_predictions(None, labels, coordinates=X[:, :2])
    assert display.frame[1] > 1e6  # a cluster of some rows is never left out


def test_hostile_labels():
    labels = np.array(["<script>alert(1)</script>", "$x^2$", "a\nb", "배송 문의", "z" * 10_000], dtype=object)
    X, codes = blobs(100, 5)
    display = EmbeddingDisplay.from_predictions(X, labels[codes])
    assert all(len(name.get_text()) <= 32 and name.get_text().isprintable() for name in display.names_)
    assert not any(name.get_parse_math() for name in display.names_)
    display.figure_.canvas.draw()


def test_sparse_rows():
    X, labels = blobs(300, 3)
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.5, X, 0.0)
    dense = EmbeddingDisplay.from_predictions(X, labels)
    display = EmbeddingDisplay.from_predictions(sparse.csr_matrix(X), labels)
    assert_allclose(display.points.coordinates, dense.points.coordinates, atol=1e-9)


def test_rows_on_a_gpu(backend):
    X, labels = blobs(2_500, 3)
    labels[::10] = -1
    expected = EmbeddingDisplay.from_predictions(X.copy(), labels.copy())
    chosen = gm.representatives(X, labels)
    if backend != "numpy":
        import cupy

        X, labels = cupy.asarray(X), cupy.asarray(labels)
    display = EmbeddingDisplay.from_predictions(X, labels, representatives=chosen)
    assert_array_equal(display.sizes, expected.sizes)
    assert_allclose(display.centres, expected.centres, atol=1e-9)
    assert display.n_noise == 250
    assert_allclose(display.shares, expected.shares)
    given = EmbeddingDisplay.from_predictions(X, labels, coordinates=X[:, :2])
    assert given.centres.shape == (3, 2)


def test_an_estimator():
    from sklearn.cluster import DBSCAN, KMeans
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, _ = blobs(200, 3)
    model = make_pipeline(StandardScaler(), KMeans(3, n_init=2, random_state=0)).fit(X)
    figure, ax = plt.subplots()
    display = EmbeddingDisplay.from_estimator(model, X, ax=ax)
    expected = EmbeddingDisplay.from_predictions(model[:-1].transform(X), model.predict(X))
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert_array_equal(display.points.coordinates, expected.points.coordinates)
    with pytest.raises(ValueError, match="DBSCAN cannot place other rows"):
        EmbeddingDisplay.from_estimator(DBSCAN().fit(X), X[:10])


def test_plotted_again_on_other_axes(caplog):
    X, labels = blobs(3_000, 3)
    display = EmbeddingDisplay.from_predictions(X, labels)
    first = display.ax_
    figure, axes = plt.subplots(1, 2, layout="constrained")
    with caplog.at_level(logging.WARNING):
        assert display.plot(ax=axes[1]) is display
        figure.canvas.draw()
    assert caplog.records == []
    assert (display.ax_, display.figure_) == (axes[1], figure)
    assert len(axes[1].images) == len(first.images) == 1
    left, right = axes[1].get_xlim()
    assert left <= display.frame[0]
    assert right >= display.frame[1]


def test_the_input_is_not_written_to():
    X, labels = blobs(200, 3)
    before = X.copy()
    X.flags.writeable = labels.flags.writeable = False
    EmbeddingDisplay.from_predictions(X, labels, coordinates=X[:, :2])
    EmbeddingDisplay.from_predictions(X, labels)
    assert_array_equal(X, before)


def test_noise_is_said_in_whole_sentences():
    X = np.arange(6.0).reshape(3, 2)
    assert EmbeddingDisplay.from_predictions(X, [-1, -1, -1]).alt.startswith("Flat view of 3 rows; every row is noise.")
    assert "Flat view of 3 rows: 1 cluster, and 1 row of noise." in EmbeddingDisplay.from_predictions(X, [0, 0, -1]).alt


def test_nearly_all_of_the_variance_is_not_all():
    X = np.zeros((40, 3))
    X[:20, 0], X[::2, 1], X[5, 2] = 1e3, 1e3, 1.0
    display = EmbeddingDisplay.from_predictions(X, np.arange(40) % 2)
    assert display.shares.sum() < 1
    assert "nearly all of the variance" in display.ax_.get_title(loc="left")
    assert display.alt.endswith("The axes show nearly all of the variance.")
    assert EmbeddingDisplay.from_predictions(X[:, :2], np.arange(40) % 2).alt.endswith("show all of the variance.")


def test_the_legend_is_no_wider_than_the_axes():
    X, labels = blobs(3_000, 70)
    labels[:50] = -1
    marked = {"representatives": gm.representatives(X, labels), "ambiguous": gm.ambiguous(X, labels)}
    display = EmbeddingDisplay.from_predictions(X, labels, **marked)
    display.figure_.canvas.draw()
    assert len(display.legend_.get_texts()) == 4
    assert display.legend_.get_window_extent().width < display.ax_.get_window_extent().width
    assert display.ax_.get_window_extent().width > 0.8 * display.figure_.bbox.width


def test_names_stay_within_the_axes():
    X = np.concatenate([np.zeros((30, 2)), [[0.0, 1.0]] * 30]) + np.random.default_rng(0).normal(size=(60, 2)) * 1e-3
    display = EmbeddingDisplay.from_predictions(X, [f"cluster {i % 6}" for i in range(30)] + ["top"] * 30)
    display.figure_.canvas.draw()
    box = display.ax_.get_window_extent()
    assert all(box.y0 <= name.get_window_extent().y0 < name.get_window_extent().y1 <= box.y1 for name in display.names_)


def test_axes_that_share_both_directions():
    _, axes = plt.subplots(2, 2, sharex=True, sharey=True)
    EmbeddingDisplay.from_predictions(*blobs(50, 2), ax=axes[0, 1]).figure_.canvas.draw()
