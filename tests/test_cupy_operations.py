"""The operations of the CuPy backend on the emulation, each against the NumPy backend's."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from emulation import compile as compiling
from emulation import fake_cupy
from numpy.testing import assert_allclose, assert_array_equal

from gpumetrics import config_context
from gpumetrics.backends import numpy_moments, numpy_ops
from gpumetrics.backends.array_modules import as_host
from gpumetrics.features import check_features
from gpumetrics.row_transforms import unit_rows

pytestmark = [
    pytest.mark.emulated,
    pytest.mark.skipif(compiling.missing_compiler() is not None, reason=str(compiling.missing_compiler())),
]

control = fake_cupy.control
SYNCHRONISING = ("get", "mask", "unique", "bincount", "nonzero", "flatnonzero", "argwhere", "isin")


@pytest.fixture(scope="module")
def gpu():
    """The modules of the CuPy backend, over the emulation."""
    with fake_cupy.installed() as cp:
        from gpumetrics.backends import cupy_centroids, cupy_emi, cupy_labels, cupy_moments

        yield SimpleNamespace(cp=cp, centroids=cupy_centroids, emi=cupy_emi, labels=cupy_labels, moments=cupy_moments)


@pytest.fixture(autouse=True)
def reset():
    """What a test asks of the emulation ends with it."""
    yield
    control.reset()


@pytest.fixture
def in_blocks(gpu, monkeypatch):
    """A function that sets the rows of a block."""

    def set_rows(rows):
        for module in (gpu.centroids, gpu.moments, gpu.emi):
            monkeypatch.setattr(module, "with_smaller_blocks", lambda work, _, what: work(rows))

    return set_rows


@contextlib.contextmanager
def waits():
    """Count how often the host waits for the device."""
    before, seen = control.counts.copy(), SimpleNamespace(n=None)
    yield seen
    seen.n = sum(control.counts[name] - before[name] for name in SYNCHRONISING)


def assert_same_bits(work):
    """The same results 5 times over, and in 3 orders of blocks and threads."""
    first = [as_host(part) for part in work()]
    seeds = [None] * 4 + [1, 2, 3]
    for seed in seeds:
        with control.set(order_seed=seed):
            for a, b in zip(first, work(), strict=True):
                assert_array_equal(a, as_host(b))


# ---------------------------------------------------------------------------------------------
# Rows in clusters


def clustered(n=150, d=5, k=4, *, seed=0, offset=0.0, spread=1.0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    X = offset + 10 * rng.standard_normal((k, d))[codes] + spread * rng.standard_normal((n, d))
    return X.astype(dtype), codes


def integers():
    X, codes = clustered(seed=1, spread=30)
    return (X * 7).astype(np.int64) + 2**60, codes


def far_anchors():
    X, codes = clustered(seed=2)
    X[np.unique(codes, return_index=True)[1]] += 1e5
    return X, codes


def equal_rows():
    return np.full((60, 3), 0.1), np.arange(60) % 4


def one_row_clusters():
    X, codes = clustered(seed=3)
    row = np.arange(len(codes))
    return X, np.unique(np.where(row % 3, codes, 1000 + row), return_inverse=True)[1]


CASES = {
    "blobs": clustered(),
    "one cluster": clustered(k=1),
    "one row": clustered(n=1, k=1),
    "two rows": clustered(n=2, k=2),
    "k is n": clustered(n=70, k=70),
    "k near n": clustered(n=70, k=67),
    "wide": clustered(n=40, d=70, k=3),
    "one feature": clustered(n=90, d=1, k=6),
    "long clusters": clustered(n=700, d=2, k=2),
    "offset": clustered(offset=1e8),
    "tight": clustered(offset=1e8, spread=1e-6),
    "float32": clustered(dtype=np.float32),
    "float16": clustered(dtype=np.float16),
    "integers": integers(),
    "far anchors": far_anchors(),
    "equal rows": equal_rows(),
    "one-row clusters": one_row_clusters(),
    "sorted": (clustered()[0], np.sort(clustered()[1])),
}
PLACES = ["device", "host"]
ROWS = [1000, 150, 13]


def both(gpu, case, place="device", transform=None):
    """The table and codes for NumPy's operations and for CuPy's, and the sizes."""
    X, codes = CASES[case]
    features = replace(check_features(X), transform=transform)
    there = replace(features, data=gpu.cp.asarray(features.data)) if place == "device" else features
    return (features, codes), (there, gpu.cp.asarray(codes)), np.bincount(codes)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", CASES)
def test_cluster_means(gpu, in_blocks, case, place, rows, monkeypatch):
    monkeypatch.setattr(numpy_moments, "_plain_means", lambda *_: None)  # which takes other anchors
    in_blocks(rows)
    host, device, sizes = both(gpu, case, place)
    anchor, shift, within = numpy_ops.cluster_means(*host, sizes)
    with waits() as waited:
        anchor_there, shift_there, within_there = gpu.moments.cluster_means(*device, sizes)
    assert waited.n == (1 if place == "device" else 2)
    assert_array_equal(anchor_there.get(), anchor)
    assert_allclose(shift_there.get(), shift, rtol=1e-12, atol=1e-14 * np.abs(shift).max())
    assert type(within_there) is np.ndarray
    assert_allclose(within_there, within, rtol=1e-12)


@pytest.mark.parametrize("rows", ROWS[::2])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", CASES)
def test_cluster_spreads(gpu, in_blocks, case, place, rows):
    in_blocks(rows)
    host, device, sizes = both(gpu, case, place)
    centroids = numpy_ops.cluster_means(*host, sizes)[:2]
    expected = numpy_ops.cluster_spreads(*host, *centroids)
    centroids_there = [gpu.cp.asarray(part) for part in centroids]
    with waits() as waited:
        got = gpu.moments.cluster_spreads(*device, *centroids_there)
    assert waited.n == 1
    for a, b in zip(got, expected, strict=True):
        assert type(a) is np.ndarray
        assert_allclose(a, b, rtol=1e-12)


def test_means_without_squares(gpu):
    host, device, sizes = both(gpu, "blobs")
    with waits() as waited:
        _, shift, within = gpu.moments.cluster_means(*device, sizes, squares=False)
    assert waited.n == 0
    assert np.isnan(within).all()
    assert_allclose(shift.get(), numpy_ops.cluster_means(*host, sizes)[1], rtol=1e-12)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("place", PLACES)
def test_equal_rows_have_no_spread_after_a_transform(gpu, in_blocks, place, rows):
    in_blocks(rows)
    _, device, sizes = both(gpu, "equal rows", place, transform=unit_rows)
    _, shift, within = gpu.moments.cluster_means(*device, sizes)
    assert not shift.get().any()
    assert not within.any()


@pytest.mark.parametrize("rows", ROWS[::2])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("weight", "floor"), [(1.0, 0.0), (0.5, 1e-30)])
@pytest.mark.parametrize("case", CASES)
def test_centroid_means(gpu, in_blocks, monkeypatch, case, place, rows, weight, floor):
    in_blocks(rows)
    monkeypatch.setattr(gpu.centroids, "COLUMNS", 2048 if rows > 100 else 3)
    host, device, sizes = both(gpu, case, place)
    anchor, shift, _ = numpy_ops.cluster_means(*host, sizes)
    within, _ = numpy_ops.cluster_spreads(*host, anchor, shift)
    extra = within / sizes
    expected = numpy_ops.centroid_means(*host, sizes, anchor, shift, extra, weight, floor)
    there = gpu.cp.asarray(anchor), gpu.cp.asarray(shift)
    with waits() as waited:
        got = gpu.centroids.centroid_means(*device, sizes, *there, extra, weight, floor)
    assert waited.n == 0
    for a, b in zip(got, expected, strict=True):
        assert_allclose(a.get(), b, rtol=1e-10)


@pytest.mark.parametrize("rows", ROWS[::2])
@pytest.mark.parametrize("case", CASES)
def test_worst_partners_and_similarities(gpu, in_blocks, case, rows):
    in_blocks(rows)
    (features, codes), _, sizes = both(gpu, case)
    anchor, shift, _ = numpy_ops.cluster_means(features, codes, sizes)
    within, distance = numpy_ops.cluster_spreads(features, codes, anchor, shift)
    spread, rms = distance / sizes, np.sqrt(within / sizes)
    there = gpu.cp.asarray(anchor), gpu.cp.asarray(shift), spread, rms
    with waits() as waited:
        ratio, *places = gpu.centroids.worst_partners(*there)
    assert waited.n == 1
    expected_ratio, *expected_places = numpy_ops.worst_partners(anchor, shift, spread, rms)
    assert_allclose(ratio, expected_ratio, rtol=1e-11)
    for a, b in zip(places, expected_places, strict=True):
        assert a.dtype == b.dtype
        assert_array_equal(a, b)
    with waits() as waited:
        similarity = gpu.centroids.similarities(*there)
    assert waited.n == 0
    assert_allclose(similarity.get(), numpy_ops.similarities(anchor, shift, spread, rms), rtol=1e-11)


@pytest.mark.parametrize("rows", [2, 5])
def test_coincident_centroids(gpu, in_blocks, rows):
    in_blocks(rows)
    anchor = np.array([[0.0, 0], [1, 1], [0, 0], [1, 1], [5, 5]])
    spread = np.array([0.0, 1, 0, 0, 2])
    arguments = anchor, np.zeros_like(anchor), spread, spread
    there = gpu.cp.asarray(anchor), gpu.cp.zeros(anchor.shape), spread, spread
    for a, b in zip(gpu.centroids.worst_partners(*there), numpy_ops.worst_partners(*arguments), strict=True):
        assert_array_equal(a, b)
    assert_array_equal(gpu.centroids.similarities(*there).get(), numpy_ops.similarities(*arguments))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", ["one-row clusters", "long clusters", "k is n"])
def test_the_same_bits_in_any_order(gpu, in_blocks, case, place):
    in_blocks(200)
    _, (features, codes), sizes = both(gpu, case, place)
    assert_same_bits(lambda: gpu.moments.cluster_means(features, codes, sizes))
    anchor, shift, _ = gpu.moments.cluster_means(features, codes, sizes)
    assert_same_bits(lambda: gpu.moments.cluster_spreads(features, codes, anchor, shift))
    spread = gpu.moments.cluster_spreads(features, codes, anchor, shift)[1]
    assert_same_bits(lambda: gpu.centroids.centroid_means(features, codes, sizes, anchor, shift, spread, 1.0, 0.0))
    assert_same_bits(lambda: gpu.centroids.worst_partners(anchor, shift, spread, spread))
    assert_same_bits(lambda: [gpu.centroids.similarities(anchor, shift, spread, spread)])


@pytest.mark.parametrize("place", PLACES)
def test_blocks_follow_the_memory_that_there_is(gpu, place):
    (features, codes), device, sizes = both(gpu, "long clusters", place)
    wide = replace(features, data=np.tile(features.data, (1, 40)))
    there = replace(device[0], data=gpu.cp.asarray(wide.data) if place == "device" else wide.data)
    expected = numpy_ops.cluster_means(wide, codes, sizes)
    floor = 64 * len(codes) + 8 * 4 * expected[0].size  # what is as long as n or k x d
    before = gpu.cp.get_default_memory_pool().used_bytes()
    with config_context(working_memory=0.125):
        control.peak.clear()
        anchor, shift, within = gpu.moments.cluster_means(there, device[1], sizes)
        distances = gpu.centroids.centroid_means(there, device[1], sizes, anchor, shift, within, 1.0, 0.0)
        assert control.peak[0] - before < floor + 2**17 * 1.25
    assert_allclose(within, expected[2], rtol=1e-12)
    for a, b in zip(
        distances, numpy_ops.centroid_means(wide, codes, sizes, *expected[:2], within, 1.0, 0.0), strict=True
    ):
        assert_allclose(a.get(), b, rtol=1e-10)


@pytest.mark.parametrize("place", PLACES)
def test_smaller_blocks_where_memory_runs_out(gpu, place, monkeypatch):
    monkeypatch.setattr(numpy_moments, "_plain_means", lambda *_: None)  # which takes other anchors
    host, device, sizes = both(gpu, "long clusters", place)
    expected = numpy_ops.cluster_means(*host, sizes)
    control.fail_allocation(number=2, above=1 << 12, times=2)
    anchor, shift, within = gpu.moments.cluster_means(*device, sizes)
    assert_array_equal(anchor.get(), expected[0])
    assert_allclose(within, expected[2], rtol=1e-12)
    control.fail_allocation(number=3, above=1 << 12)
    nearest = gpu.centroids.centroid_means(*device, sizes, anchor, shift, within, 1.0, 0.0)[1]
    assert_allclose(
        nearest.get(), numpy_ops.centroid_means(*host, sizes, *expected[:2], within, 1.0, 0.0)[1], rtol=1e-10
    )
    control.fail_allocation(times=100)
    with pytest.raises(MemoryError, match="too little memory for the centroids, even 32 rows"):
        gpu.moments.cluster_means(*device, sizes)


# ---------------------------------------------------------------------------------------------
# Labels

LABELS = {
    "none": np.empty(0, dtype=np.int64),
    "small": np.array([3, 1, 2, 1, 3]),
    "from zero": np.array([0, 1, 2, 1, 5]),
    "negative": np.array([-3, 5, -1, -3], dtype=np.int8),
    "lowest": np.array([-(2**63), -(2**63) + 2, -(2**63)]),
    "whole range": np.array([-(2**63), 2**63 - 1, 0, -1, 0]),
    "uint64": np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], dtype=np.uint64),
    "uint64 far apart": np.array([2**64 - 1, 0, 2**63, 2**64 - 1], dtype=np.uint64),
    "uint8": np.array([255, 0, 7], dtype=np.uint8),
    "int16": np.arange(-300, 300, dtype=np.int16)[::-7],
    "int32 far apart": np.array([-(2**31), 2**31 - 1, 5, 5], dtype=np.int32),
    "floats": np.array([0.5, -0.0, 0.0, 1e300, -1.5, 5e-324]),
    "many": np.random.default_rng(5).integers(0, 2**62, 5000) // 2**50 * 2**50,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("case", LABELS)
def test_encode(gpu, case, place):
    values = LABELS[case]
    expected_codes, expected_classes = numpy_ops.encode(values)
    codes, classes = gpu.labels.encode(gpu.cp.asarray(values) if place == "device" else values)
    assert (codes.dtype, classes.dtype, type(classes)) == (np.int64, values.dtype, np.ndarray)
    assert_array_equal(codes.get(), expected_codes)
    assert_array_equal(classes, expected_classes)


@pytest.mark.parametrize("values", [["b", "a", "", "b"], []])
def test_text_is_coded_on_the_host(gpu, values):
    values = np.array(values, dtype="U3")
    codes, classes = gpu.labels.encode(values)
    assert_array_equal(codes.get(), numpy_ops.encode(values)[0])
    assert_array_equal(classes, numpy_ops.encode(values)[1])
    assert classes.dtype == values.dtype


def test_codes_of_a_strided_array(gpu):
    table = gpu.cp.asarray(np.arange(40).reshape(20, 2) // 6)
    codes, _ = gpu.labels.encode(table[:, 0])
    assert codes.flags.c_contiguous
    assert_array_equal(codes.get(), np.arange(40).reshape(20, 2)[:, 0] // 6)


@pytest.mark.parametrize(
    ("n", "n_a", "n_b"),
    [
        *[(0, 0, 0), (0, 3, 2), (1, 1, 1), (1000, 3, 5), (1000, 1, 1), (3000, 90, 91)],  # shared memory
        *[(4000, 91, 91), (4000, 2, 8000)],  # counted
        *[(300, 300, 300), (50, 2**31, 2**31), (500, 10**6, 20)],  # sorted
    ],
)
def test_joint_counts(gpu, n, n_a, n_b):
    rng = np.random.default_rng(n)
    a, b = (rng.integers(0, max(1, side), n) for side in (n_a, n_b))
    got = gpu.labels.joint_counts(gpu.cp.asarray(a), gpu.cp.asarray(b), n_a, n_b)
    for x, y in zip(got, numpy_ops.joint_counts(a, b, n_a, n_b), strict=True):
        assert (type(x), x.dtype) == (np.ndarray, np.int64)
        assert_array_equal(x, y)
    assert_same_bits(lambda: gpu.labels.joint_counts(gpu.cp.asarray(a), gpu.cp.asarray(b), n_a, n_b))


def margins(n, k, seed):
    cuts = np.sort(np.random.default_rng(seed).integers(0, n + 1, k - 1))
    return np.diff(cuts, prepend=0, append=n)  # zeros among them


@pytest.mark.parametrize("log_counts", [False, True])
@pytest.mark.parametrize(
    ("n", "n_rows", "n_cols"),
    [(1, 1, 1), (2, 2, 2), (50, 7, 5), (1000, 1, 9), (300, 300, 40), (10**5, 9, 7), (2**34, 4, 3), (2**60, 3, 4)],
)
def test_expected_mutual_information(gpu, in_blocks, n, n_rows, n_cols, log_counts):
    a, b = margins(n, n_rows, 1), margins(n, n_cols, 2)
    expected = numpy_ops.expected_mutual_information(a, b, n, log_counts=log_counts)
    for pairs in (10**6, 10):
        in_blocks(pairs)
        with waits() as waited:
            got = gpu.emi.expected_mutual_information(a, b, n, log_counts=log_counts)
        assert waited.n <= 1
        assert type(got) is float
        assert_allclose(got, expected, rtol=1e-12)
        assert got == gpu.emi.expected_mutual_information(b, a, n, log_counts=log_counts)
        assert_same_bits(lambda: [np.array(gpu.emi.expected_mutual_information(a, b, n, log_counts=log_counts))])


def test_asarray(gpu):
    host = np.arange(3)
    there = gpu.labels.asarray(host)
    assert_array_equal(there.get(), host)
    assert gpu.labels.asarray(there) is there
