"""Density-based validity: against its definition, against the values of another library, and on hostile data."""

import density_definition as plain
import inputs
import numpy as np
import pytest
from numpy.testing import assert_allclose

from gpumetrics.clustering import density_validity as density
from gpumetrics.clustering.density_validity import density_validity
from gpumetrics.exceptions import UndefinedMetricWarning

METRICS = ["euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev"]
FORMS = {
    "one feature": inputs.blobs(1, n=70, d=1, k=3),
    "few features": inputs.blobs(2, n=90, d=3, k=3),
    "products": inputs.blobs(3, n=120, d=20, k=4),
    "many features": inputs.blobs(4, n=60, d=100, k=3),
    "apart": inputs.blobs(5, n=80, d=4, k=4, spread=0.1),
    "mixed": (inputs.blobs(6, n=80, d=5, k=4)[0], np.arange(80) % 4),
    "pairs": (inputs.blobs(7, n=24, d=3, k=4)[0], np.arange(24) % 12),
    "threes": (inputs.blobs(8, n=24, d=3, k=4)[0], np.arange(24) % 8),
    "sizes": (inputs.blobs(9, n=60, d=3, k=3)[0], np.repeat([0, 1, 2, 3, 4], [1, 2, 3, 20, 34])),
    "noise": (inputs.blobs(10, n=80, d=3, k=3)[0], np.arange(80) % 4 - 1),
    "grid": (np.stack(np.divmod(np.arange(100), 10), axis=1) * 0.1, np.arange(100) // 34),
    "duplicates": (np.round(inputs.blobs(11, n=90, d=2, k=3)[0]), inputs.blobs(11, n=90, d=2, k=3)[1]),
}


def moons():
    cluster, datasets = pytest.importorskip("sklearn.cluster"), pytest.importorskip("sklearn.datasets")
    X, _ = datasets.make_moons(400, noise=0.06, random_state=0)
    k_means = cluster.KMeans(2, random_state=42, n_init=10).fit_predict(X)
    return X, k_means, cluster.DBSCAN(eps=0.2).fit_predict(X)


@pytest.mark.parametrize(
    ("metric", "ties"), [*((metric, "rows") for metric in METRICS), ("euclidean", "density"), ("cosine", "density")]
)
@pytest.mark.parametrize("form", FORMS)
def test_definition(backend, form, metric, ties):
    X, labels = FORMS[form]
    found = density_validity(X, labels, metric=metric, ties=ties)
    assert type(found) is float
    assert -1 <= found <= 1
    assert_allclose(found, plain.density_validity(X, labels, metric=metric, ties=ties), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("ties", ["density", "rows"])
@pytest.mark.parametrize("form", FORMS)
def test_small_clusters_that_share_their_steps(backend, monkeypatch, form, ties):
    X, labels = FORMS[form]
    alone, together = [], []
    for found, pack in ((alone, 1), (together, 10**6)):
        monkeypatch.setattr(density, "PACK", pack)
        parts = density_validity(X, labels, ties=ties, per_cluster=True)
        found += [parts.sparseness, parts.separation, parts.validity]
        nearest = parts.nearest.tolist()
        found.append(np.array([-9 if at is None else at for at in nearest]))
    for one, other in zip(alone, together, strict=True):
        assert_allclose(one, other, rtol=1e-9, atol=1e-10)


def test_clusters_are_packed_up_to_a_number_of_rows(monkeypatch):
    monkeypatch.setattr(density, "PACK", 10)
    packs = density._packs(np.array([1, 2, 8, 2, 1, 30, 1, 4, 6, 10, 11, 2, 2]))
    assert [pack.tolist() for pack in packs] == [[1, 2], [3], [5], [7, 8], [9], [10], [11, 12]]


def recorded(seed, d):
    rng = np.random.default_rng(seed)
    labels = np.arange(60) % 3
    X = rng.normal(size=(3, d))[labels] * 2 + rng.normal(size=(60, d))
    labels[::10] = -1
    return X, labels


# hdbscan.validity.validity_index(*recorded(seed, d), metric=metric) of hdbscan 0.8.44.
HDBSCAN = [
    (0, 1, "euclidean", -0.6682396422267006),
    (0, 1, "sqeuclidean", -0.8708357601257379),
    (1, 2, "euclidean", 0.04162076252253717),
    (1, 2, "sqeuclidean", -0.07834295682388101),
    (1, 2, "cityblock", 0.08841838337425835),
    (1, 2, "chebyshev", -0.0646066185059273),
    (1, 2, "cosine", -0.31771766671604457),
    (2, 3, "euclidean", 0.018779244386816593),
    (2, 3, "cosine", 0.33604321354872035),
    (3, 5, "euclidean", 0.2615464830048614),
    (3, 5, "cityblock", 0.36111886390654147),
    (3, 5, "chebyshev", 0.41205950197867536),
    (4, 10, "euclidean", 0.417959361897453),
    (4, 10, "sqeuclidean", 0.6917384526764174),
    (5, 40, "euclidean", 0.4530281107191054),
    (5, 40, "sqeuclidean", 0.6836341336415492),
    (5, 40, "cityblock", 0.414228233847289),
    (5, 40, "chebyshev", 0.37297747501823375),
    (5, 40, "cosine", 0.7034913785469967),
]


@pytest.mark.parametrize(("seed", "d", "metric", "expected"), HDBSCAN)
def test_first_rows_of_equal_ones_give_the_values_of_hdbscan(backend, seed, d, metric, expected):
    assert_allclose(density_validity(*recorded(seed, d), metric=metric), expected, rtol=1e-9)


def test_moons():
    X, k_means, dbscan = moons()
    # Of hdbscan 0.8.44.
    assert_allclose(density_validity(X, dbscan), 0.4953253411532959, rtol=1e-9)
    assert_allclose(density_validity(X, k_means), -0.5114031520122181, rtol=1e-9)
    assert density_validity(X, dbscan, ties="density") > 0.6
    assert density_validity(X, k_means, ties="density") < 0


@pytest.mark.parametrize("form", FORMS)
def test_order_of_the_rows_does_not_matter_where_the_densest_are_taken(backend, form):
    X, labels = FORMS[form]
    expected = density_validity(X, labels, ties="density")
    order = np.random.default_rng(0).permutation(len(X))
    assert_allclose(density_validity(X[order], labels[order], ties="density"), expected, rtol=1e-9, atol=1e-11)


def test_order_of_the_rows_matters_where_the_first_rows_are_taken():
    X, _, dbscan = moons()
    shuffled = [np.random.default_rng(seed).permutation(len(X)) for seed in range(8)]
    found = [density_validity(X[order], dbscan[order]) for order in shuffled]
    assert max(found) - min(found) > 0.2


def test_two_lines_by_hand(backend):
    # The inner rows are 1, 2 and 11, 12. Core distance of each: 3 / (1 + 1 + 1/2), the harmonic mean. Gap: 9.
    X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [50.0]]
    labels = [0, 0, 0, 0, 1, 1, 1, 1, -1]
    for ties in ("density", "rows"):
        assert_allclose(density_validity(X, labels, ties=ties), 8 / 9 * (9 - 1.2) / 9)


def test_names_of_the_clusters_do_not_matter(backend):
    X, labels = FORMS["sizes"]
    names = np.array(["e", "d", "c", "b", "a"])[labels]
    assert_allclose(density_validity(X, names), density_validity(X, labels), rtol=1e-12)
    assert_allclose(density_validity(X, names, ties="rows"), density_validity(X, labels, ties="rows"), rtol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e8, -(2.0**40)])
@pytest.mark.parametrize("d", [2, 20])
def test_shift_changes_nothing(backend, d, offset):
    X, labels = inputs.blobs(12, n=90, d=d, k=3, spread=0.01)
    X = inputs.grid(X, 2.0**-12)
    X[1] = X[0] + 2.0**-12  # neighbours as near as the grid allows, and a duplicate
    X[5] = X[4]
    labels[[1, 5]] = labels[[0, 4]]
    expected = plain.density_validity(X, labels)
    assert_allclose(density_validity(X + offset, labels), expected, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize(
    ("form", "metric"),
    [
        ("few features", "euclidean"),
        ("many features", "euclidean"),
        ("many features", "cosine"),
        ("products", "sqeuclidean"),
        ("products", "manhattan"),
    ],
)
def test_scale_changes_nothing(backend, form, scale, metric):
    X, labels = FORMS[form]
    expected = plain.density_validity(X, labels, metric=metric)
    assert_allclose(density_validity(X * scale, labels, metric=metric), expected, rtol=1e-9)


def test_clusters_far_from_each_other(backend):
    rng = np.random.default_rng(13)
    labels = np.repeat(np.arange(4), 25)
    centers = np.array([[0.0, 0], [0.01, 0], [1e3, 1e3], [1e6, 0]])
    X = np.hstack([centers[labels] + rng.normal(size=(100, 2)) * 1e-3, np.zeros((100, 10))])
    found = density_validity(X, labels)
    assert_allclose(found, plain.density_validity(X, labels), rtol=1e-9)


@pytest.mark.parametrize("d", [3, 40])
def test_near_duplicates_tend_to_duplicates(backend, d):
    X, labels = inputs.blobs(14, n=60, d=d, k=3)
    X[1::2] = X[::2]
    labels[1::2] = labels[::2]
    limit = density_validity(X, labels)
    assert_allclose(limit, plain.density_validity(X, labels), rtol=1e-9)
    errors = []
    for gap in (1e-6, 1e-9, 1e-12):
        near = X.copy()
        near[1::2, 0] += gap
        found = density_validity(near, labels)
        assert_allclose(found, plain.density_validity(near, labels), rtol=1e-7)
        errors.append(abs(found - limit))
    assert errors[-1] < 1e-9
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", ">f4", "bool"])
def test_dtypes(backend, dtype):
    X, labels = inputs.features_of(dtype)
    assert_allclose(density_validity(X, labels), plain.density_validity(X, labels), rtol=1e-9, atol=1e-10)


def test_large_integers(backend):
    X, labels = inputs.features_of("int64")
    found = density_validity(X + 2**62, labels)
    assert found == density_validity(X, labels)


def test_rows_without_direction(backend):
    X, labels = inputs.blobs(15, n=40, d=10, k=2)
    X[3] = 0
    X[4] = 2.0 * X[5]
    labels[4] = labels[5]
    found = density_validity(X, labels, metric="cosine")
    assert_allclose(found, plain.density_validity(X, labels, metric="cosine"), rtol=1e-9)


def test_dimension_is_the_exponent(backend):
    X, labels = FORMS["few features"]
    for dimension in (0.5, 1, 7, 1000):
        found = density_validity(X, labels, dimension=dimension)
        assert_allclose(found, plain.density_validity(X, labels, d=dimension), rtol=1e-9)
    assert density_validity(X, labels, dimension=3) == density_validity(X, labels)


@pytest.mark.parametrize("scale", [1.0, 1e-310, 1e300, "largest"])
def test_precomputed(backend, scale):
    X, labels = FORMS["noise"]
    D = plain.distances(X)
    scale = np.finfo(float).max / D.max() if scale == "largest" else scale
    expected = plain.density_validity(None, labels, d=3, D=D, ties="rows")
    for matrix in (D * scale, np.asfortranarray(D * scale)):
        found = density_validity(matrix, labels, metric="precomputed", dimension=3, ties="rows")
        assert_allclose(found, expected, rtol=1e-9 if scale > 1e-300 else 1e-4)
    if scale == 1:
        assert_allclose(density_validity(D, labels, metric="precomputed", dimension=3), density_validity(X, labels))
        whole = np.round(D * 9).astype(">i4")
        found = density_validity(whole, labels, metric="precomputed", dimension=3)
        assert_allclose(found, plain.density_validity(None, labels, d=3, D=whole.astype(float)), rtol=1e-9)


@pytest.mark.parametrize("container", ["csr", "frame", "list", "read-only"])
def test_containers(backend, container):
    X, labels = FORMS["products"]
    X = np.round(X)
    given = X.copy()
    if container == "csr":
        given = pytest.importorskip("scipy.sparse").csr_array(X)
    elif container == "frame":
        given = pytest.importorskip("polars").DataFrame({f"c{j}": column for j, column in enumerate(X.T)})
    elif container == "list":
        given = X.tolist()
    else:
        given.flags.writeable = False
    for metric in ("euclidean", "sqeuclidean", "cosine", "manhattan"):
        assert_allclose(density_validity(given, labels, metric=metric), density_validity(X, labels, metric=metric))


class TestFewClusters:
    """Where there is little or nothing to compare."""

    X = inputs.blobs(16, n=12, d=2, k=2)[0]

    @pytest.mark.parametrize(
        ("labels", "reason"),
        [
            ([0] * 12, "one cluster"),
            ([-1] * 12, "all 12 rows are noise"),
            (range(12), "single row"),
            ([0] * 8 + [-1] * 4, "one cluster"),
            ([0] * 8 + [1, 2, 3, -1], "one cluster"),
            ([0, *[-1] * 11], "single row"),
        ],
    )
    def test_undefined(self, backend, labels, reason):
        with pytest.warns(UndefinedMetricWarning, match=reason):
            found = density_validity(self.X, list(labels))
        assert type(found) is float
        assert np.isnan(found)
        with pytest.warns(UndefinedMetricWarning, match=reason):
            parts = density_validity(self.X, list(labels), per_cluster=True)
        assert reason in parts.reason
        assert reason in str(parts)
        assert np.isnan(parts.separation).all()
        assert set(parts.nearest) <= {None}

    def test_singletons_count_as_noise_does(self, backend):
        labels = np.repeat([0, 1, 2, 3], [5, 5, 1, 1])
        noisy = np.repeat([0, 1, -1, -1], [5, 5, 1, 1])
        assert density_validity(self.X, labels) == density_validity(self.X, noisy)
        parts = density_validity(self.X, labels, per_cluster=True)
        assert parts.validity[2:].tolist() == [0, 0]
        assert np.isnan(parts.sparseness[2:]).all()
        assert parts.nearest.tolist() == [1, 0, None, None]

    def test_noise_may_have_another_name_or_none(self, backend):
        labels = np.array(["a"] * 5 + ["b"] * 5 + ["x"] * 2)
        found = density_validity(self.X, labels, noise_label="x")
        assert found == density_validity(self.X, np.repeat([0, 1, -1], [5, 5, 2]))
        assert density_validity(self.X, np.repeat([0, 1, -1], [5, 5, 2]), noise_label=None) == density_validity(
            self.X, np.repeat([0, 1, 2], [5, 5, 2])
        )

    def test_two_pairs_by_hand(self, backend):
        # Core distances and edges are 1 and 2; no row is an inner one, so that all count: the gap is 7.
        parts = density_validity([[0.0], [1.0], [8.0], [10.0]], [0, 0, 1, 1], per_cluster=True)
        assert_allclose(parts.sparseness, [1, 2])
        assert_allclose(parts.separation, [7, 7])
        assert_allclose(parts.validity, [6 / 7, 5 / 7])
        assert_allclose(parts.score, (6 / 7 + 5 / 7) / 2)

    def test_a_cluster_of_equal_rows(self, backend):
        X = [[0.0, 0.0]] * 4 + [[5.0, 0.0], [5.0, 1.0], [5.0, 2.5], [5.0, 4.0]]
        parts = density_validity(X, [0] * 4 + [1] * 4, per_cluster=True)
        assert parts.sparseness[0] == 0
        assert parts.validity[0] == 1

    def test_clusters_of_equal_rows_at_one_place(self, backend):
        parts = density_validity([[1.0, 2.0]] * 4, [0, 0, 1, 1], per_cluster=True)
        assert parts.validity.tolist() == [0, 0]
        assert parts.score == 0
        assert density_validity([[1.0, 2.0]] * 4 + [[3.0, 4.0]] * 2, [0, 0, 1, 1, 2, 2]) == pytest.approx(1 / 3)


def test_parts(backend):
    X, labels = FORMS["noise"]
    names = np.array(["noise", "red", "green", "blue"])[labels + 1]
    parts = density_validity(X, names, noise_label="noise", per_cluster=True)
    assert float(parts) == parts.score
    assert_allclose(parts.score, density_validity(X, labels), rtol=1e-14)
    assert parts.labels.tolist() == ["blue", "green", "red"]
    assert parts.sizes.tolist() == [20, 20, 20]
    assert (parts.n_samples, parts.n_noise, parts.dimension, parts.metric, parts.ties) == (
        80,
        20,
        3.0,
        "euclidean",
        "rows",
    )
    assert_allclose(parts.score, (parts.validity * parts.sizes).sum() / 80)
    larger = np.maximum(parts.separation, parts.sparseness)
    assert_allclose(parts.validity, (parts.separation - parts.sparseness) / larger)
    squared = density_validity(X, names, noise_label="noise", metric="sqeuclidean", dimension=1.5, per_cluster=True)
    assert_allclose(squared.sparseness, parts.sparseness**2, rtol=1e-10)
    assert_allclose(squared.separation, parts.separation**2, rtol=1e-10)


def test_parts_are_in_the_units_of_the_data(backend):
    X, labels = FORMS["few features"]
    parts = density_validity(X, labels, per_cluster=True)
    for scale in (1e-160, 1e160):
        scaled = density_validity(X * scale, labels, per_cluster=True)
        assert_allclose(scaled.sparseness, parts.sparseness * scale, rtol=1e-9)
        assert_allclose(scaled.separation, parts.separation * scale, rtol=1e-9)


def test_parts_in_print():
    import json

    X, labels = FORMS["sizes"]
    parts = density_validity(X, labels, per_cluster=True)
    text = str(parts)
    assert "higher is better, -1 to 1" in text
    assert [line.split()[0] for line in text.splitlines()[3:]] == ["cluster", "0", "1", "2", "3", "4"]
    assert repr(parts).startswith("<DensityValidity ")
    assert "60 rows, 5 clusters, 0 rows of noise" in text
    with pytest.warns(UndefinedMetricWarning):
        one = density_validity(X[:3], [0, 0, -1], per_cluster=True)
    assert "3 rows, 1 cluster, 1 row of noise" in str(one)
    assert repr(one) == "<DensityValidity nan of 1 cluster; print it for the parts>"
    found = json.loads(json.dumps(parts.to_dict()))
    assert found["density_validity"] == parts.score
    assert found["cluster_label"] == [0, 1, 2, 3, 4]
    assert found["cluster_nearest"][0] is None
    many = density_validity(*FORMS["pairs"][:1], np.arange(24) % 12, per_cluster=True)
    assert len(str(many).splitlines()) == 3 + 1 + 12
    X = np.random.default_rng(0).normal(size=(120, 2))
    folded = str(density_validity(X, np.arange(120) % 40, per_cluster=True)).splitlines()
    assert "The 15 clusters of the lowest validity:" in folded
    assert len(folded) == 4 + 1 + 15


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parts_as_a_frame(library):
    pytest.importorskip(library)
    X, labels = FORMS["few features"]
    parts = density_validity(X, labels, per_cluster=True)
    frame = parts.to_frame(library)
    assert list(frame.columns) == ["label", "size", "validity", "sparseness", "separation", "nearest"]
    assert_allclose(np.asarray(frame["validity"]), parts.validity)


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"metric": "canberra"}, ValueError, "precomputed"),
        ({"metric": "no such"}, ValueError, "metric"),
        ({"metric": lambda x, y: 0.0}, ValueError, "precomputed"),
        ({"ties": "luck"}, ValueError, "ties must be one of"),
        ({"dimension": 0}, ValueError, "positive"),
        ({"dimension": np.nan}, ValueError, "positive"),
        ({"dimension": True}, ValueError, "positive"),
        ({"dimension": "2"}, ValueError, "positive"),
        ({"metric": "precomputed"}, ValueError, "dimension="),
        ({"noise_label": np.nan}, ValueError, "noise_label"),
    ],
)
def test_wrong_options(options, error, match):
    with pytest.raises(error, match=match):
        density_validity(*FORMS["few features"], **options)


def test_wrong_data(backend):
    X, labels = FORMS["few features"]
    with pytest.raises(ValueError, match="NaN"):
        density_validity(np.where(X > 2, np.nan, X), labels)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        density_validity(X, labels[:-1])
    D = plain.distances(X)
    D[3, 5] += 0.5
    with pytest.raises(ValueError, match="not symmetric"):
        density_validity(D, labels, metric="precomputed", dimension=3)
    with pytest.raises(ValueError, match="shape"):
        density_validity(D[:, :-1], labels, metric="precomputed", dimension=3)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="needs all distances"):
        density_validity(sparse.csr_array(plain.distances(X)), labels, metric="precomputed", dimension=3)
    with pytest.raises(TypeError, match="sparse"):
        density_validity(sparse.csr_array(X), labels, metric="chebyshev")
