"""Memory of a GPU that runs out, is limited, or is nearly full: the same results, or one error that names the sizes."""

import gc

import numpy as np
import pytest
from catalogue import LABELINGS
from emulation import fake_cupy
from inputs import blobs
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.distance_metrics import Metric, prepare
from gpumetrics.features import check_features

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("emulated")]

control = fake_cupy.control
MIB = 2**20
N, D, K = 90, 24, 4
X, LABELS = blobs(5, n=N, d=D, k=K)
OTHER = np.roll(LABELS, 11)
LEAST = 3 * 8 * N  # bytes: more than a vector as long as n, less than any tile

CALLS = {
    "euclidean": lambda X: gm.silhouette_samples(X, LABELS),
    "manhattan": lambda X: gm.silhouette_samples(X, LABELS, metric="manhattan"),
    "cosine": lambda X: gm.silhouette_samples(X, LABELS, metric="cosine"),
    "davies-bouldin": lambda X: gm.davies_bouldin_pairs(X, LABELS).similarity,
    "evaluate": lambda X: np.array(list(gm.evaluate_clustering(X, LABELS, labels_true=OTHER).scores.values())),
    "agreement": lambda X: np.array(gm.adjusted_mutual_info_score(LABELS, OTHER)),
}
PLACES = ["device", "host"]


@pytest.fixture(autouse=True)
def nothing_of_a_fixed_size(emulated, monkeypatch):
    """Some arrays and limits are of a fixed size, which is small beside any real table but not beside those here."""
    from gpumetrics import features
    from gpumetrics.backends import cupy_memory, cupy_speed

    monkeypatch.setattr(cupy_speed, "multiplication_speed", lambda: 1e12)
    monkeypatch.setattr(features, "WIDE", 1)
    monkeypatch.setattr(cupy_memory, "LEAST", 0)


@pytest.fixture
def tries(emulated, monkeypatch):
    """The rows at a time that were tried, one list for each piece of work."""
    from gpumetrics.backends import cupy_centroids, cupy_emi, cupy_memory, cupy_moments, cupy_pairs

    seen = []

    def noted(work, rows, what):
        seen.append([])

        def counted(rows):
            seen[-1].append(rows)
            return work(rows)

        return cupy_memory.with_smaller_blocks(counted, rows, what)

    for module in (cupy_centroids, cupy_emi, cupy_moments, cupy_pairs):
        monkeypatch.setattr(module, "with_smaller_blocks", noted)
    return seen


def placed(emulated, place, X=X):
    return emulated.asarray(X) if place == "device" else X


def run(call, X):
    with gm.config_context(backend="cupy"):
        result = CALLS[call](X)
    return result if isinstance(result, np.ndarray) else result.get()


def used(emulated):
    return emulated.get_default_memory_pool().used_bytes()


# ---------------------------------------------------------------------------------------------
# An allocation fails


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", ["euclidean", "cosine", "davies-bouldin", "evaluate"])
def test_any_large_allocation_may_fail(emulated, tries, call, place):
    given = placed(emulated, place)
    expected = run(call, given)
    before = used(emulated)
    for number in range(1, 21):
        control.fail_allocation(number=number, above=8 * 8 * N)  # more than vectors as long as n
        assert_allclose(run(call, given), expected, rtol=1e-10, atol=1e-10)
        assert used(emulated) == before
        control._failures.clear()
    assert control.pool_emptied == 0
    assert max(map(len, tries)) > 1


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", ["euclidean", "cosine", "davies-bouldin", "agreement"])
def test_any_allocation_may_fail(emulated, call, place):
    given = placed(emulated, place)
    expected = run(call, given)
    before, failed = used(emulated), 0
    for number in range(1, 21):
        control.fail_allocation(number=number)
        try:
            assert_allclose(run(call, given), expected, rtol=1e-10, atol=1e-10)
        except MemoryError as error:
            assert_names_sizes(error)
            failed += 1
        control._failures.clear()
        assert used(emulated) == before
    assert failed < 20
    assert_array_equal(run(call, given), expected)


def assert_names_sizes(error):
    assert type(error) is MemoryError or "Out of memory allocating" in str(error)
    assert any(f" {unit}" in str(error) for unit in ("MiB", "bytes"))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", ["euclidean", "cosine", "davies-bouldin"])
def test_several_failures_in_one_call(emulated, tries, call, place):
    given = placed(emulated, place)
    expected = run(call, given)
    tries.clear()
    for number in (1, 4):
        control.fail_allocation(number=number, above=8 * 8 * N)
    assert_allclose(run(call, given), expected, rtol=1e-10, atol=1e-10)
    assert sum(len(rows) - 1 for rows in tries) in {1, 2}  # one may have been the whole table's


# ---------------------------------------------------------------------------------------------
# Memory is too small


def test_halving_is_bounded(emulated):
    from gpumetrics.backends.cupy_memory import TRIES, with_smaller_blocks

    def never(rows):
        seen.append(rows)
        raise emulated.cuda.memory.OutOfMemoryError(10**9, 10**6)

    for rows, expected in ((1000, [1000, 500, 250, 125, 62, 32]), (32, [32]), (5, [5])):
        seen = []
        with pytest.raises(MemoryError, match=f"too little memory for it, even {expected[-1]} rows at a time"):
            with_smaller_blocks(never, rows, "it")
        assert seen == expected
    seen = []
    with pytest.raises(MemoryError, match=r"even 1953125 rows .*MiB are free.*Out of memory allocating 1,000,000,000"):
        with_smaller_blocks(never, 10**9, "it")
    assert len(seen) == TRIES


def test_other_errors_are_not_tried_again(emulated):
    from gpumetrics.backends.cupy_memory import with_smaller_blocks

    seen = []

    def wrong(rows):
        seen.append(rows)
        raise ValueError("of another kind")

    with pytest.raises(ValueError, match="of another kind"):
        with_smaller_blocks(wrong, 1000, "it")
    assert seen == [1000]


@pytest.mark.parametrize("place", PLACES)
def test_the_error_names_the_sizes(emulated, place):
    given = placed(emulated, place)
    control.fail_allocation(above=LEAST, times=10**6)
    with pytest.raises(MemoryError) as raised:
        run("euclidean", given)
    assert type(raised.value) is MemoryError
    text = str(raised.value)
    assert text.startswith("the GPU has too little memory for tiles of distances between rows of 24 features, even 32")
    for part in ("of 4096 MiB are free", "working_memory is 1024 MiB", "Out of memory allocating", 'backend="numpy"'):
        assert part in text
    # Also while the error is at hand, as at a prompt: the failed tries have given their blocks back.
    control._failures.clear()
    assert_allclose(run("euclidean", given), gm.silhouette_samples(X, LABELS), rtol=1e-10, atol=1e-12)


def test_an_error_keeps_no_block_alive(emulated, monkeypatch):
    from gpumetrics.backends import cupy_tiles

    wide = emulated.asarray(np.tile(X, 30))
    before, launch = used(emulated), cupy_tiles.launch_rows

    def full(name, *arguments):
        if name.startswith("gram"):
            raise emulated.cuda.memory.OutOfMemoryError(10**9, 10**6)
        launch(name, *arguments)

    monkeypatch.setattr(cupy_tiles, "launch_rows", full)
    with pytest.raises(MemoryError) as raised:
        run("euclidean", wide)
    block = 32 * wide[0].nbytes
    # The workspace of the smallest tiles, and vectors.
    assert used(emulated) - before < 2 * block + 8 * 32 * 32 + 16 * 8 * N < 3 * block
    del raised


def test_a_failed_try_goes_before_the_next_is_taken(emulated):
    from gpumetrics.backends.cupy_tiles import GramTiles

    tiles, before = GramTiles(check_features(emulated.asarray(X))), used(emulated)
    tiles.reserve(128)
    most = used(emulated) - before
    control.peak.clear()
    tiles.reserve(64)
    assert control.peak[0] - before <= most / 2


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", ["euclidean", "cosine", "davies-bouldin", "evaluate"])
def test_devices_of_every_size(emulated, call, place):
    """An error up to some size, the result from there on; and what is there is used."""
    given = placed(emulated, place)
    expected = run(call, given)
    gc.collect()
    before, worked = used(emulated), []
    for more in np.geomspace(2**10, 2**20, 11).astype(int):
        with control.set(device_bytes=int(before + more)):
            try:
                assert_allclose(run(call, given), expected, rtol=1e-10, atol=1e-10)
                worked.append(True)
            except MemoryError as error:
                assert_names_sizes(error)
                worked.append(False)
        assert used(emulated) == before
    assert worked == sorted(worked)
    assert not worked[0]
    assert worked[7]  # 128 KiB: the smallest tiles and some 60 vectors
    assert control.pool_emptied == 0


# ---------------------------------------------------------------------------------------------
# Memory is limited


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("call", ["euclidean", "manhattan", "cosine", "davies-bouldin"])
def test_the_limit_of_the_pool(emulated, tries, call, place):
    given = placed(emulated, place)
    expected, pool = run(call, given), emulated.get_default_memory_pool()
    tries.clear()
    control.peak.clear()
    limit = used(emulated) + 2**18
    pool.set_limit(size=limit)
    assert_allclose(run(call, given), expected, rtol=1e-10, atol=1e-10)
    assert control.peak[0] <= limit
    assert all(len(rows) <= 2 for rows in tries)  # planned from it; vectors that come later may cost one halving
    assert pool.get_limit() == limit


def test_what_is_available(emulated):
    from gpumetrics.backends.cupy_memory import available_bytes

    gc.collect()
    pool, before = emulated.get_default_memory_pool(), used(emulated)
    with gm.config_context(working_memory=1):
        assert available_bytes() == MIB
        with control.set(device_bytes=before + 10_000):
            assert available_bytes() <= 9_000
    with gm.config_context(working_memory=10**6), control.set(device_bytes=before + 100 * MIB):
        assert 89 * MIB < available_bytes() <= 90 * MIB
        array = emulated.empty(60 * MIB, dtype=np.uint8)
        assert 35 * MIB < available_bytes() <= 36 * MIB
        del array
        # The pool holds the block still: it is free all the same.
        assert emulated.cuda.Device().mem_info[0] <= 40 * MIB
        assert 89 * MIB < available_bytes() <= 90 * MIB
        pool.set_limit(size=before + 10 * MIB)
        assert 8 * MIB < available_bytes() <= 9 * MIB
        array = emulated.empty(5 * MIB, dtype=np.uint8)
        assert 4 * MIB < available_bytes() <= 4.5 * MIB
        del array
        pool.set_limit(size=max(1, before // 2))
        assert available_bytes() == 0


@pytest.mark.parametrize("place", PLACES)
def test_a_pool_that_holds_the_whole_device(emulated, tries, place):
    given = placed(emulated, place)
    gc.collect()
    with control.set(device_bytes=used(emulated) + 4 * MIB):
        expected = run("euclidean", given)
        array = emulated.empty(4 * MIB - 4096, dtype=np.uint8)
        del array
        assert emulated.cuda.Device().mem_info[0] <= 4096
        assert_array_equal(run("euclidean", given), expected)
    assert tries[0] == tries[1]
    assert len(tries[0]) == 1
    assert control.pool_emptied == 0


# ---------------------------------------------------------------------------------------------
# The peak

VECTORS = 20  # as long as n, that a call may have besides: codes, orders, sums, results
PEAK_N, PEAK_D, MEMORY = 360, 140, 0.2
PEAK_X, PEAK_LABELS = blobs(6, n=PEAK_N, d=PEAK_D, k=K)


def samples(metric, **options):
    return lambda X: gm.silhouette_samples(X, PEAK_LABELS, metric=metric, **options)


PEAKS = {
    "euclidean": samples("euclidean"),
    "euclidean, direct": lambda X: gm.silhouette_samples(X[:, :16], PEAK_LABELS),
    "manhattan": samples("manhattan"),
    "seuclidean": samples("seuclidean", V=np.ones(PEAK_D)),
    "cosine": samples("cosine"),
    "correlation": samples("correlation"),
    "sqeuclidean": samples("sqeuclidean"),
    "calinski-harabasz": lambda X: gm.calinski_harabasz_score(X, PEAK_LABELS),
    "davies-bouldin": lambda X: gm.davies_bouldin_score(X, PEAK_LABELS),
    "evaluate": lambda X: gm.evaluate_clustering(X, PEAK_LABELS),
}
WHOLE_BLOCKS = {
    "seuclidean": samples("seuclidean"),
    "mahalanobis": lambda X: prepare(Metric("mahalanobis"), check_features(X)),  # its covariance
    "noise": samples("euclidean", noise_label=3),
    "sample": lambda X: gm.silhouette_score(X, PEAK_LABELS, sample_size=330, random_state=0),
}


def besides(name):
    """Bytes of what is as long as n, of the k centroids, and of the axes of a quadratic form."""
    return 8 * (VECTORS * PEAK_N + 8 * K * PEAK_D + (name == "mahalanobis") * PEAK_D**2)


def peak_of(emulated, call, given):
    before = used(emulated)
    control.peak.clear()
    with gm.config_context(backend="cupy", working_memory=MEMORY):
        call(given)
    return control.peak[0] - before


@pytest.mark.parametrize(("place", "dtype"), [("device", np.float32), ("device", np.int32), ("host", np.float64)])
@pytest.mark.parametrize("name", PEAKS)
def test_the_peak_is_within_the_working_memory(emulated, name, place, dtype):
    given = placed(emulated, place, (PEAK_X * 9).astype(dtype))
    limit = MEMORY * MIB + besides(name)
    assert limit < peak_of(emulated, lambda X: emulated.zeros(X.shape), given)
    assert peak_of(emulated, PEAKS[name], given) <= limit


@pytest.mark.parametrize("name", WHOLE_BLOCKS)
def test_the_peak_where_the_whole_table_is_read_first(emulated, name):
    given = emulated.asarray(PEAK_X)
    covariances = 2 * 8 * PEAK_D**2 * (name == "mahalanobis")  # the sum, and what is added to it
    assert peak_of(emulated, WHOLE_BLOCKS[name], given) <= MEMORY * MIB + besides(name) + covariances


@pytest.mark.parametrize("name", WHOLE_BLOCKS)
def test_the_peak_where_it_is_read_from_the_host(emulated, name):
    assert peak_of(emulated, WHOLE_BLOCKS[name], PEAK_X) <= MEMORY * MIB + besides(name)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_the_peak_where_rows_are_transformed(emulated, metric, place, dtype):
    given = placed(emulated, place, np.tile(PEAK_X * 9, 3).astype(dtype))
    peak = peak_of(emulated, samples(metric, working_memory=4 * MEMORY), given)
    assert peak <= 4 * MEMORY * MIB + 8 * (VECTORS * PEAK_N + 4 * K * given.shape[1])


@pytest.mark.parametrize("place", PLACES)
def test_the_peak_of_a_precomputed_matrix(emulated, place):
    distances = np.abs(PEAK_X[:, None, 0] - PEAK_X[:, 0])
    given = placed(emulated, place, distances)
    peak = peak_of(emulated, samples("precomputed", working_memory=4 * MEMORY), given)
    assert peak <= 4 * MEMORY * MIB + 8 * VECTORS * PEAK_N


@pytest.mark.parametrize("k", [3, 900])
@pytest.mark.parametrize("metric", LABELINGS, ids=str)
def test_the_peak_of_labels_is_a_few_vectors(emulated, metric, k):
    n = 4_000
    a, b = np.random.default_rng(0).integers(0, k, (2, n)) * 10**6
    peak = peak_of(emulated, lambda a: getattr(gm, metric.name)(a, emulated.asarray(b)), emulated.asarray(a))
    assert peak <= 16 * 8 * n + (metric.name == "contingency_matrix") * 8 * k * k
