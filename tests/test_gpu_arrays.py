"""Arrays on GPUs: they stay on their device, are never written to, and only small results come to the host."""

import warnings

import numpy as np
import pytest
from emulation import fake_cupy
from exporters import Both, CudaArray, Exporter
from inputs import NAMES, blobs
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.exceptions import BackendError

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("emulated")]

control = fake_cupy.control
N, D, K = 240, 6, 4
X, LABELS = blobs(7, n=N, d=D, k=K, spread=2.0)
WIDE, _ = blobs(8, n=N, d=20, k=K)  # enough columns for distances by products
OTHER = np.roll(LABELS, 17)


def samples(metric, **options):
    return lambda X, y: gm.silhouette_samples(X, y, metric=metric, **options)


SAMPLES = {
    "euclidean, direct": samples("euclidean"),
    "manhattan": samples("manhattan"),
    "chebyshev": samples("chebyshev"),
    "minkowski": samples("minkowski", p=3),
    "canberra": samples("canberra"),
    "seuclidean": samples("seuclidean"),
    "mahalanobis": samples("mahalanobis"),
    "cosine": samples("cosine"),
    "correlation": samples("correlation"),
    "sqeuclidean": samples("sqeuclidean"),
    "noise": samples("euclidean", noise_label=2),
    "product": samples("euclidean"),
}
SCALARS = {
    "silhouette": gm.silhouette_score,
    "sample": lambda X, y: gm.silhouette_score(X, y, sample_size=100, random_state=3),
    "calinski-harabasz": gm.calinski_harabasz_score,
    "davies-bouldin": gm.davies_bouldin_score,
}
ON_LABELS = {
    name: getattr(gm, name)
    for name in (
        "rand_score",
        "adjusted_rand_score",
        "mutual_info_score",
        "normalized_mutual_info_score",
        "adjusted_mutual_info_score",
        "fowlkes_mallows_score",
        "homogeneity_completeness_v_measure",
        "clustering_accuracy",
        "contingency_matrix",
        "pair_confusion_matrix",
    )
} | {"entropy": lambda a, b: gm.entropy(b)}
TABLES = {"contingency_matrix", "pair_confusion_matrix"}


def rows_for(name):
    return WIDE if name == "product" else X


def on(cupy, array, device=0):
    with cupy.cuda.Device(device):
        return cupy.asarray(array)


def host(array):
    return array if isinstance(array, np.ndarray | float | tuple) else array.get()


def same(a, b):
    assert_allclose(host(a), host(b), rtol=1e-10, atol=1e-12)


# ---------------------------------------------------------------------------------------------
# In and out


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("name", SAMPLES)
def test_arrays_come_back_on_their_device(emulated, name, device):
    found = SAMPLES[name](on(emulated, rows_for(name), device), on(emulated, LABELS, device))
    assert (type(found), found.device.id, found.dtype) == (emulated.ndarray, device, np.float64)
    assert emulated.cuda.Device().id == 0
    with emulated.cuda.Device(1 - device):  # whatever device is the current one
        again = SAMPLES[name](on(emulated, rows_for(name), device), LABELS)
        assert emulated.cuda.Device().id == 1 - device
    assert again.device.id == device
    assert_array_equal(again.get(), found.get())
    same(found, SAMPLES[name](rows_for(name), LABELS))


@pytest.mark.parametrize("name", SCALARS)
def test_scalars_of_arrays_on_another_device(emulated, name):
    found = SCALARS[name](on(emulated, X, 1), on(emulated, LABELS, 1))
    assert type(found) is float
    assert_allclose(found, SCALARS[name](X, LABELS), rtol=1e-10)
    assert emulated.cuda.Device().id == 0


@pytest.mark.parametrize("device", [0, 1])
@pytest.mark.parametrize("name", ON_LABELS)
def test_labels_on_a_device(emulated, name, device):
    found = ON_LABELS[name](on(emulated, LABELS, device), on(emulated, OTHER, device))
    if name in TABLES:
        assert (type(found), found.device.id) == (emulated.ndarray, device)
    same(found, ON_LABELS[name](LABELS, OTHER))
    assert emulated.cuda.Device().id == 0


def test_entropy_of_fractions_on_another_device(emulated):
    same(gm.entropy(on(emulated, LABELS / 2, 1)), gm.entropy(LABELS))


def test_one_side_on_a_device(emulated):
    for true, pred in ((on(emulated, LABELS, 1), OTHER), (NAMES[LABELS], on(emulated, OTHER, 1))):
        for name, function in ON_LABELS.items():
            found = function(true, pred)
            assert (type(found) is emulated.ndarray) == (name in TABLES and pred is not OTHER)
            same(found, function(LABELS, OTHER))


def test_expected_mutual_information_of_a_table_on_a_device(emulated):
    table = gm.contingency_matrix(LABELS, OTHER)
    expected = gm.expected_mutual_information(table, N)
    assert_allclose(gm.expected_mutual_information(on(emulated, table, 1), N), expected, rtol=1e-10)


@pytest.mark.parametrize(
    "labels",
    [LABELS, LABELS.tolist(), NAMES[LABELS], NAMES[LABELS].astype(object), LABELS / 2],
    ids=["integers", "list", "text", "objects", "fractions"],
)
def test_labels_on_the_host_for_rows_on_a_device(emulated, labels):
    for name in ("euclidean, direct", "cosine"):
        found = SAMPLES[name](on(emulated, X, 1), labels)
        assert found.device.id == 1
        same(found, SAMPLES[name](X, LABELS))
    same(gm.davies_bouldin_score(on(emulated, X, 1), labels), gm.davies_bouldin_score(X, LABELS))


@pytest.mark.parametrize("backend", ["auto", "numpy", "cupy"])
def test_labels_on_a_device_for_rows_on_the_host(emulated, backend):
    with gm.config_context(backend=backend):
        for name in ("euclidean, direct", "cosine"):
            before = control.counts["launch"]
            found = SAMPLES[name](X, on(emulated, LABELS, 1))
            assert type(found) is np.ndarray
            # Labels alone do not send the rows to a GPU.
            assert ("row_sums" in str(control.launches) or "nearest_means" in control.launches) == (backend == "cupy")
            assert (control.counts["launch"] > before) or backend != "cupy"
            same(found, SAMPLES[name](X, LABELS))


@pytest.mark.parametrize("backend", ["auto", "numpy", "cupy"])
def test_rows_on_a_device_decide(emulated, backend):
    with gm.config_context(backend=backend):
        found = gm.silhouette_samples(on(emulated, X), LABELS)
        report = gm.evaluate_clustering(on(emulated, X), LABELS)
    assert type(found) is emulated.ndarray
    assert (report.backend, report.backend_reason[:30]) == ("cupy", "an array on a GPU was given (E")


def test_what_only_the_cpu_computes(emulated):
    with pytest.raises(BackendError, match=r"a function of two rows is computed on the CPU: use backend=.numpy. and"):
        gm.silhouette_samples(on(emulated, X, 1), LABELS, metric=lambda a, b: abs(a - b).sum())
    assert emulated.cuda.Device().id == 0


# ---------------------------------------------------------------------------------------------
# Two devices


@pytest.mark.parametrize("name", [*SAMPLES, *SCALARS, "evaluate"])
def test_rows_and_labels_on_two_devices(emulated, name):
    call = (SAMPLES | SCALARS | {"evaluate": gm.evaluate_clustering})[name]
    with pytest.raises(ValueError, match="X is on CUDA device 1, but labels is on CUDA device 0: move one of them"):
        call(on(emulated, X, 1), on(emulated, LABELS, 0))
    assert emulated.cuda.Device().id == 0


@pytest.mark.parametrize("name", [name for name in ON_LABELS if name != "entropy"])
def test_labelings_on_two_devices(emulated, name):
    with pytest.raises(ValueError, match="labels_true is on CUDA device 0, but labels_pred is on CUDA device 1: move"):
        ON_LABELS[name](on(emulated, LABELS, 0), on(emulated, OTHER, 1))
    assert emulated.cuda.Device().id == 0


def test_known_classes_on_another_device(emulated):
    with pytest.raises(ValueError, match="X is on CUDA device 0, but labels_true is on CUDA device 1: move one of"):
        gm.evaluate_clustering(on(emulated, X), LABELS, labels_true=on(emulated, OTHER, 1))


# ---------------------------------------------------------------------------------------------
# What comes to the host


@pytest.fixture
def copies(emulated, monkeypatch):
    """Bytes of each copy to the host."""
    get, seen = emulated.ndarray.get, []

    def noted(self, *args, **kwargs):
        seen.append(self.nbytes)
        return get(self, *args, **kwargs)

    monkeypatch.setattr(emulated.ndarray, "get", noted)
    return seen


@pytest.mark.parametrize("name", [*SAMPLES, *SCALARS])
def test_no_copy_is_as_long_as_n(emulated, copies, name):
    call, given = (SAMPLES | SCALARS)[name], on(emulated, rows_for(name))
    call(given, on(emulated, LABELS))
    assert max(copies) < 4 * N
    before = control.counts["bytes to device"]
    call(given, LABELS)
    assert max(copies) < 4 * N
    sent = control.counts["bytes to device"] - before
    assert sent <= 8 * (2 * N + 60 * D + 60 * K)  # the labels, and the sample's rows


@pytest.mark.parametrize("name", ON_LABELS)
def test_labels_stay_where_they_are(emulated, copies, name):
    given = on(emulated, LABELS), on(emulated, OTHER)
    before = control.counts["bytes to device"]
    ON_LABELS[name](*given)
    assert max(copies) <= 8 * 3 * K * K < 8 * N
    assert control.counts["bytes to device"] - before < 8 * N


def test_a_report_reads_a_vector_or_two(emulated, copies):
    gm.evaluate_clustering(on(emulated, X), on(emulated, LABELS), labels_true=on(emulated, OTHER))
    assert max(copies) <= 8 * N
    assert sum(nbytes > N for nbytes in copies) <= 3


WAITS = ("get", "mask", "unique", "bincount", "nonzero", "flatnonzero", "argwhere", "isin")
WAITS += ("stream synchronize", "event synchronize", "device synchronize")


def waits():
    return sum(control.counts[name] for name in WAITS)


@pytest.mark.parametrize("name", [*SAMPLES, *SCALARS])
def test_no_wait_is_in_a_loop(emulated, monkeypatch, name):
    from gpumetrics.backends import cupy_centroids, cupy_moments, cupy_pairs

    call, given, labels = (SAMPLES | SCALARS)[name], on(emulated, rows_for(name)), on(emulated, LABELS)
    call(given, labels)  # the first call of all asks whether CuPy can run
    seen, launches = [], []
    for rows in (256, 96, 32):
        monkeypatch.setattr(cupy_pairs, "MOST_ROWS", rows)
        for module in (cupy_centroids, cupy_moments):
            monkeypatch.setattr(module, "with_smaller_blocks", lambda work, _, what, rows=rows: work(rows))
        before = waits(), control.counts["launch"]
        call(given, labels)
        seen.append(waits() - before[0])
        launches.append(control.counts["launch"] - before[1])
    assert seen[0] == seen[1] == seen[2]
    assert launches[0] < launches[1] < launches[2]


def test_how_often_a_call_waits(emulated):
    """For the columns' range, the labels' range, their counts; for moments; for the value."""
    given, labels = on(emulated, X), on(emulated, LABELS)
    gm.calinski_harabasz_score(given, labels)
    for name, times in (("calinski-harabasz", 5), ("davies-bouldin", 5)):
        before = waits()
        SCALARS[name](given, labels)
        assert waits() - before == times


@pytest.mark.parametrize("name", ["euclidean, direct", "product", "manhattan", "sqeuclidean"])
def test_samples_return_before_they_are_computed(emulated, name):
    given, labels = on(emulated, rows_for(name)), on(emulated, LABELS)
    SAMPLES[name](given, labels)
    before = waits()
    SAMPLES[name](given, labels)
    assert waits() - before == (4 if name == "sqeuclidean" else 3)


# ---------------------------------------------------------------------------------------------
# The user's arrays


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_nothing_is_written_to_the_arrays(emulated, dtype):
    given = on(emulated, (X * 9).astype(dtype))
    labels, truth = on(emulated, LABELS), on(emulated, OTHER)
    arrays = given, labels, truth
    before = [(array.get(), array._memory.writer) for array in arrays]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in [*SAMPLES.values(), *SCALARS.values(), samples("jaccard"), samples("hamming")]:
            call(given, labels)
        gm.evaluate_clustering(given, labels, labels_true=truth, noise_label=0)
        for call in ON_LABELS.values():
            call(labels, truth)
    for array, (values, writer) in zip(arrays, before, strict=True):
        assert array._memory.writer == writer
        assert_array_equal(array.get(), values)


def test_the_result_is_memory_of_its_own(emulated):
    given, labels = on(emulated, X), on(emulated, LABELS)
    first = gm.silhouette_samples(given, labels)
    kept = first.get()
    gm.silhouette_samples(given * 3 + 1, labels)
    assert_array_equal(first.get(), kept)
    first += 1
    assert_array_equal(gm.silhouette_samples(given, labels).get(), kept)


@pytest.mark.parametrize("name", [*SAMPLES, *SCALARS])
def test_work_is_on_the_current_stream(emulated, name):
    with emulated.cuda.Stream(non_blocking=True):
        # The emulation raises where another stream reads what this one may still be writing.
        given, labels = on(emulated, rows_for(name)) + 0.0, on(emulated, LABELS) + 0
        same((SAMPLES | SCALARS)[name](given, labels), (SAMPLES | SCALARS)[name](rows_for(name), LABELS))


@pytest.mark.parametrize("layout", ["Fortran", "columns", "rows", "reversed"])
def test_layouts(emulated, layout):
    given = on(emulated, WIDE)
    views = {
        "Fortran": lambda: emulated.asfortranarray(given),
        "columns": lambda: on(emulated, np.repeat(WIDE, 2, axis=1))[:, ::2],
        "rows": lambda: on(emulated, np.repeat(WIDE, 3, axis=0))[::3],
        "reversed": lambda: on(emulated, WIDE[::-1].copy())[::-1],
    }
    view = views[layout]()
    for metric in ("euclidean", "manhattan", "cosine"):
        same(gm.silhouette_samples(view, LABELS, metric=metric), gm.silhouette_samples(WIDE, LABELS, metric=metric))
    same(gm.davies_bouldin_score(view, on(emulated, np.repeat(LABELS, 2))[::2]), gm.davies_bouldin_score(WIDE, LABELS))


DTYPES = ["float16", "float32", "float64", "bool", *(f"{s}int{b}" for b in (8, 16, 32, 64) for s in ("", "u"))]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(emulated, dtype):
    given = X > 0 if dtype == "bool" else np.round((X - X.min()) * 5).astype(dtype)
    for metric in ("euclidean", "cosine"):
        found = gm.silhouette_samples(on(emulated, given), LABELS, metric=metric)
        assert_allclose(found.get(), gm.silhouette_samples(given, LABELS, metric=metric), rtol=0, atol=1e-6)
    labels = LABELS % 2 if dtype == "bool" else LABELS
    found = gm.davies_bouldin_score(on(emulated, X), on(emulated, labels.astype(dtype)))
    same(found, gm.davies_bouldin_score(X, labels))


@pytest.mark.parametrize("kind", [Exporter, CudaArray, Both])
@pytest.mark.parametrize("device", [0, 1])
def test_exporters(emulated, kind, device):
    given, labels = kind(on(emulated, X, device)), kind(on(emulated, LABELS, device))
    found = gm.silhouette_samples(given, labels)
    assert (type(found), found.device.id) == (emulated.ndarray, device)
    same(found, gm.silhouette_samples(X, LABELS))
    same(gm.adjusted_rand_score(labels, kind(on(emulated, OTHER, device))), gm.adjusted_rand_score(LABELS, OTHER))
    with pytest.raises(ValueError, match="X is on CUDA device"):
        gm.silhouette_samples(given, kind(on(emulated, LABELS, 1 - device)))


# ---------------------------------------------------------------------------------------------
# Noise, samples, reports


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float64])
def test_noise_of_labels_on_a_device(emulated, dtype):
    labels = np.where(np.arange(N) % 7 == 3, -1, LABELS).astype(dtype)
    given = on(emulated, X, 1), on(emulated, labels, 1)
    found = gm.silhouette_samples(*given, noise_label=-1)
    assert found.device.id == 1
    assert_array_equal(np.isnan(found.get()), labels == -1)
    same(found, gm.silhouette_samples(X, labels, noise_label=-1))
    for name in ("calinski_harabasz_score", "davies_bouldin_score", "silhouette_score"):
        same(getattr(gm, name)(*given, noise_label=-1), getattr(gm, name)(X, labels, noise_label=-1))
    same(gm.rand_score(given[1], given[1], noise_label=-1), 1.0)


def test_a_sample_has_the_same_rows_as_on_the_host(emulated):
    for metric in ("euclidean", "cosine"):
        options = {"metric": metric, "sample_size": 70, "random_state": 11}
        found = gm.silhouette_score(on(emulated, X, 1), on(emulated, LABELS, 1), **options)
        assert_allclose(found, gm.silhouette_score(X, LABELS, **options), rtol=1e-10)


@pytest.mark.parametrize("silhouette", ["exact", "estimate", "skip"])
@pytest.mark.parametrize("place", ["device", "exporter", "labels on the host"])
def test_a_report(emulated, place, silhouette):
    labels = np.where(np.arange(N) % 7 == 3, -1, LABELS)
    given, there = on(emulated, X, 1), on(emulated, labels, 1)
    if place == "exporter":
        given, there = Exporter(given), CudaArray(there)
    options = {"silhouette": silhouette, "random_state": 5}
    report = gm.evaluate_clustering(
        given, labels if "host" in place else there, labels_true=on(emulated, OTHER, 1), **options
    )
    expected = gm.evaluate_clustering(X, labels, labels_true=OTHER, **options)
    assert (report.backend, report.n_noise) == ("cupy", int((labels == -1).sum()))
    assert report.scores.keys() == expected.scores.keys()
    for name, value in report.scores.items():
        assert type(value) is float
        assert_allclose(value, expected.scores[name], rtol=1e-10)
    for name, column in report.per_cluster.items():
        assert type(column) is np.ndarray
        if column.dtype.kind in "if":
            assert_allclose(column, expected.per_cluster[name], rtol=1e-9)
    assert type(report.silhouette_samples) is np.ndarray
    assert_allclose(report.silhouette_samples, expected.silhouette_samples, rtol=1e-10, atol=1e-12)
    assert str(report)
    assert report.to_dict()["backend"] == "cupy"


def test_pairs_of_clusters(emulated):
    pairs = gm.davies_bouldin_pairs(on(emulated, X, 1), on(emulated, LABELS, 1))
    expected = gm.davies_bouldin_pairs(X, LABELS)
    for name in ("labels", "similarity", "spread", "worst_partner", "worst_ratio"):
        assert type(getattr(pairs, name)) is np.ndarray
        assert_allclose(getattr(pairs, name), getattr(expected, name), rtol=1e-10)
    assert pairs.pair == expected.pair


def test_a_precomputed_matrix_on_a_device(emulated):
    distances = np.abs(X[:, None] - X).sum(axis=2)
    found = gm.silhouette_samples(on(emulated, distances, 1), LABELS, metric="precomputed")
    assert found.device.id == 1
    same(found, gm.silhouette_samples(distances, LABELS, metric="precomputed"))


# ---------------------------------------------------------------------------------------------
# Errors


def spoilt(value, row=7, column=3):
    bad = X.copy()
    bad[row, column] = value
    return bad


def missing():
    labels = LABELS.astype(float)
    labels[[5, 9]] = np.nan
    return labels


ERRORS = {
    "nan": (spoilt(np.nan), LABELS),
    "nan in single precision": (spoilt(np.nan).astype(np.float32), LABELS),
    "infinity": (spoilt(-np.inf, row=N - 1, column=0), LABELS),
    "complex": (X.astype(complex)[:3, :2], LABELS[:3]),
    "one dimension": (X[:, 0], LABELS),
    "three dimensions": (X[None], LABELS),
    "no rows": (X[:0], LABELS[:0]),
    "no columns": (X[:, :0], LABELS),
    "too few labels": (X, LABELS[:-1]),
    "labels in two columns": (X, np.stack([LABELS, LABELS], axis=1)),
    "missing labels": (X, missing()),
    "infinite labels": (X, np.where(np.isnan(missing()), np.inf, LABELS)),
    "complex labels": (X[:3], LABELS[:3].astype(complex)),
    "one cluster": (X, np.zeros(N, dtype=int)),
    "clusters of one row": (X, np.arange(N)),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_the_host(emulated, name):
    rows, labels = ERRORS[name]
    for call in (gm.silhouette_samples, gm.davies_bouldin_score):
        with pytest.raises(ValueError, match=r".") as expected:
            call(rows, labels)
        for given in (labels, on(emulated, labels, 1)):
            with pytest.raises(ValueError, match=r".") as raised:
                call(on(emulated, rows, 1), given)
            assert str(raised.value) == str(expected.value)
            assert emulated.cuda.Device().id == 0
    if name == "nan":
        assert "at row 7, column 3" in str(raised.value)


def test_a_matrix_that_holds_no_distances(emulated):
    distances = np.abs(X[:, None] - X).sum(axis=2)
    for row, column, value in ((3, 3, 1.0), (2, 5, -1.0)):
        bad = distances.copy()
        bad[row, column] = value
        with pytest.raises(ValueError, match=r".") as expected:
            gm.silhouette_samples(bad, LABELS, metric="precomputed")
        with pytest.raises(ValueError, match=r".") as raised:
            gm.silhouette_samples(on(emulated, bad, 1), LABELS, metric="precomputed")
        assert str(raised.value) == str(expected.value)


def test_a_column_of_labels_gives_the_warning_of_the_host(emulated):
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        found = gm.silhouette_samples(on(emulated, X), on(emulated, LABELS[:, None]))
    same(found, gm.silhouette_samples(X, LABELS))
