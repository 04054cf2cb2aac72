"""X on the host that the device cannot hold: streamed, with the bits of X on the device, and nothing left behind."""

from dataclasses import replace

import numpy as np
import pytest
from emulation import fake_cupy
from emulation.fake_cupy import pinned, streams
from inputs import blobs
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.backends.threads import spans
from gpumetrics.features import check_features

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("emulated")]

control = fake_cupy.control
MEMORY = 0.06  # MiB of working memory
MIB = 2**20


@pytest.fixture
def passes(monkeypatch):
    """The numbers of blocks in which tables were streamed, one for each pass over X."""
    from gpumetrics.backends import cupy_rows

    streamed, seen = cupy_rows._streamed, []

    def noted(features, parts, dtype):
        seen.append(len(parts))
        return streamed(features, parts, dtype)

    monkeypatch.setattr(cupy_rows, "_streamed", noted)
    return seen


@pytest.fixture
def same_blocks(monkeypatch):
    """Blocks of one size wherever the table lies: sums of other blocks would be rounded otherwise."""
    from gpumetrics.backends import cupy_centroids, cupy_moments, cupy_pairs, cupy_rows

    monkeypatch.setattr(cupy_pairs, "MOST_ROWS", 32)
    monkeypatch.setattr(cupy_rows, "GATHER", 1 << 10)  # several threads fill a buffer
    for module in (cupy_centroids, cupy_moments):
        monkeypatch.setattr(module, "with_smaller_blocks", lambda work, _, what: work(31))


def values(X, labels, noise_label=-1):
    """What every way through the rows gives: tiles of both kinds, the closed form, one pass and two."""
    metrics = ("euclidean", "manhattan", "cosine")
    found = [gm.silhouette_samples(X, labels, metric=metric, noise_label=noise_label) for metric in metrics]
    found = [s if type(s) is np.ndarray else s.get() for s in found]
    if not hasattr(X, "toarray"):
        pairs = gm.davies_bouldin_pairs(X, labels, noise_label=noise_label)
        found += [gm.calinski_harabasz_score(X, labels, noise_label=noise_label), pairs.similarity, pairs.spread]
    return found


def table(n=120, d=24, seed=0):
    X, labels = blobs(seed, n=n, d=d)
    labels[::9] = -1
    return X, labels


# Tables on the host, and the same numbers as the device can hold them.
X, LABELS = table()
WHOLE = np.round(X * 9)
TABLES = {
    "float64": X,
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "Fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=1)[::-1, ::2],
    "big-endian": X.astype(">f8"),
    "big-endian integers": WHOLE.astype(">i4"),
    "int8": WHOLE.astype(np.int8),
    "huge uint64": WHOLE.astype(np.int64).astype(np.uint64) + np.uint64(2**63),
    "bool": X > 0,
}


def on_device(cupy, X):
    return cupy.asarray(np.ascontiguousarray(X, dtype=X.dtype.newbyteorder("=")))


def assert_streamed_as_resident(emulated, host, device, labels, passes, count):
    """The same bits from both places; `count` passes over X on the host, each in several blocks."""
    little = 3 * host.shape[0] * host.shape[1] * host.dtype.itemsize / MIB
    with gm.config_context(backend="cupy", working_memory=little):
        streamed = values(host, labels)
        assert len(passes) >= count
        assert max(passes) > 3
        passes.clear()
        resident = values(device, labels)
    assert passes == []
    for a, b in zip(streamed, resident, strict=False):
        assert_array_equal(a, b)
    return streamed


@pytest.mark.parametrize("kind", TABLES)
def test_the_bits_of_a_table_on_the_device(emulated, same_blocks, passes, kind):
    host = TABLES[kind]
    streamed = assert_streamed_as_resident(emulated, host, on_device(emulated, host), LABELS, passes, 10)
    limit = 1e-6 if host.dtype.kind == "f" and host.dtype.itemsize < 8 else 1e-10
    with gm.config_context(backend="numpy"):
        for a, b in zip(streamed, values(host, LABELS), strict=True):
            assert_allclose(a, b, rtol=limit, atol=limit)


@pytest.mark.parametrize("kind", TABLES)
def test_a_small_table_is_sent_whole(emulated, kind):
    host = TABLES[kind]
    limit = 1e-6 if host.dtype.kind == "f" and host.dtype.itemsize < 8 else 1e-10
    found, expected = (samples_of(backend, host) for backend in ("cupy", "numpy"))
    assert_allclose(found, expected, rtol=0, atol=limit)


def samples_of(backend, X):
    with gm.config_context(backend=backend):
        return [gm.silhouette_samples(X, LABELS, metric=m, noise_label=-1) for m in ("euclidean", "chebyshev")]


def test_a_memmap(emulated, same_blocks, passes, tmp_path):
    np.save(tmp_path / "X.npy", X)
    host = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_streamed_as_resident(emulated, host, emulated.asarray(X), LABELS, passes, 10)


def test_bfloat16(emulated, same_blocks, passes):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    host = X.astype(ml_dtypes.bfloat16)
    wide = host.astype(np.float32)
    assert_streamed_as_resident(emulated, host, emulated.asarray(wide), LABELS, passes, 10)


def test_a_sparse_table(emulated, same_blocks, passes):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.where(X > 1, X, 0.0)
    dense[:5] = 0
    host = sparse.csr_array(dense)
    streamed = assert_streamed_as_resident(emulated, host, emulated.asarray(dense), LABELS, passes, 4)
    with gm.config_context(backend="numpy"):
        for a, b in zip(streamed, values(host, LABELS), strict=True):
            assert_allclose(a, b, rtol=0, atol=1e-10)


def test_some_rows_against_all(emulated, passes):
    with gm.config_context(backend="cupy", working_memory=MEMORY):
        report = gm.evaluate_clustering(X, LABELS, silhouette="estimate", random_state=0)
        assert passes
        some = gm.silhouette_score(X, LABELS, sample_size=70, random_state=3)
    assert_allclose(report.scores["silhouette"], gm.silhouette_score(X, LABELS, noise_label=-1), rtol=1e-10)
    assert_allclose(some, gm.silhouette_score(X, LABELS, sample_size=70, random_state=3), rtol=1e-10)


def test_a_small_table_is_sent_once(emulated, passes):
    with gm.config_context(backend="cupy", working_memory=4 * X.nbytes / MIB):
        gm.silhouette_samples(X, LABELS)
        assert passes == []
    with gm.config_context(backend="cupy", working_memory=3.9 * X.nbytes / MIB):
        gm.silhouette_samples(X, LABELS)
        assert len(passes) > 0


# ---------------------------------------------------------------------------------------------
# What is never on the device

CALLS = {
    "euclidean": gm.silhouette_samples,
    "euclidean, direct": lambda X, y: gm.silhouette_samples(X[:, :16], y),
    "manhattan": lambda X, y: gm.silhouette_samples(X, y, metric="manhattan"),
    "canberra": lambda X, y: gm.silhouette_samples(X, y, metric="canberra"),
    "seuclidean": lambda X, y: gm.silhouette_samples(X, y, metric="seuclidean"),
    "cosine": lambda X, y: gm.silhouette_samples(X, y, metric="cosine"),
    "correlation": lambda X, y: gm.silhouette_samples(X, y, metric="correlation"),
    "sqeuclidean": lambda X, y: gm.silhouette_samples(X, y, metric="sqeuclidean"),
    "calinski-harabasz": gm.calinski_harabasz_score,
    "davies-bouldin": gm.davies_bouldin_score,
    "evaluate": gm.evaluate_clustering,
}


@pytest.mark.parametrize("name", CALLS)
def test_nothing_as_large_as_x(emulated, name):
    n, d, k = 480, 60, 4
    X, labels = blobs(1, n=n, d=d, k=k)
    dtype = np.float32 if len(name) % 2 else np.float64
    pool = emulated.get_default_memory_pool()
    before = pool.used_bytes()
    control.peak.clear()
    with gm.config_context(backend="cupy", working_memory=MEMORY), control.set(record=True):
        CALLS[name](X.astype(dtype), labels)
    assert max(nbytes for _, nbytes in control.allocations) < n * 16 * 4
    # Besides: what is as long as n, and the k centroids in their two parts.
    assert control.peak[0] - before < MEMORY * MIB + 24 * 8 * n + 8 * 8 * k * d
    assert pool.used_bytes() == before


@pytest.mark.parametrize("name", CALLS)
def test_no_table_of_rows_by_clusters(emulated, name):
    n, d, k = 300, 12, 290
    rng = np.random.default_rng(2)
    labels = rng.permutation(np.concatenate([np.arange(k), np.zeros(n - k, dtype=int)]))
    with gm.config_context(backend="cupy", working_memory=MEMORY / 2), control.set(record=True):
        CALLS[name](rng.standard_normal((n, d)), labels)
    assert max(nbytes for _, nbytes in control.allocations) < n * k


@pytest.mark.parametrize("name", CALLS)
def test_two_pinned_buffers_at_a_time(emulated, monkeypatch, name):
    from gpumetrics.backends import cupy_rows

    X, labels = blobs(1, n=480, d=60, k=4)
    empty_pinned, largest, before = pinned.empty_pinned, [], len(pinned._ranges)

    def noted(shape, dtype):
        made = empty_pinned(shape, dtype)
        largest.append(sum(stop - start for start, stop in pinned._ranges.items()))
        assert len(pinned._ranges) - before <= 4  # those of queries stay while the others' pass by
        return made

    monkeypatch.setattr(cupy_rows.cupyx, "empty_pinned", noted)
    with gm.config_context(backend="cupy", working_memory=MEMORY):
        CALLS[name](X, labels)
    assert 0 < max(largest) <= MEMORY * MIB
    assert len(pinned._ranges) == before


# ---------------------------------------------------------------------------------------------
# Copies and computing at the same time


def blocks_of(X, rows=31):
    from gpumetrics.backends.cupy_rows import device_blocks

    return device_blocks(check_features(X), spans(len(X), rows))


def unfinished():
    return [stream for stream in streams.state(0).streams if not stream.done]


def test_no_copy_waits_for_the_work_on_the_block_before(emulated, monkeypatch):
    computing, copies = emulated.cuda.get_current_stream(), []
    send = emulated.ndarray.set

    def noted(self, source, stream):
        send(self, source, stream=stream)
        assert pinned.holds(source)
        assert not stream.done  # the host has gone on
        copies.append(stream._seen.get(computing._key, 0))

    monkeypatch.setattr(emulated.ndarray, "set", noted)
    results, worked = [], []
    for block in blocks_of(X):
        results.append(block + 1)
        worked.append(computing._time)
    assert len(copies) == len(worked) == len(spans(len(X), 31))
    # A copy comes after what was read two blocks before, from the same buffer, and is free of all that followed.
    for copy, work in zip(copies[1:], worked, strict=False):
        assert copy < work
    for copy, work in zip(copies[2:], worked, strict=False):
        assert 0 < copy < work
    assert_array_equal(emulated.concatenate(results).get(), X + 1)


@pytest.mark.parametrize("kind", TABLES)
def test_blocks_stay_valid_as_long_as_somebody_has_them(emulated, kind):
    kept = list(blocks_of(TABLES[kind]))
    expected = check_features(TABLES[kind])
    for part, block in zip(spans(len(X), 31), kept, strict=True):
        assert_array_equal(block.get(), expected.rows(part))


def test_blocks_in_single_precision(emulated):
    from gpumetrics.backends.cupy_rows import device_blocks

    numbers = check_features(X.astype(np.float32))
    bits = replace(numbers, data=(numbers.data.view(np.uint32) >> 16).astype(np.uint16), bfloat16=True)
    others = [check_features(X.astype(dtype)) for dtype in (np.float16, ">f4")]
    parts = [slice(0, 50), np.array([3, 119, 3]), slice(100, 120)]
    for features in (numbers, bits, *others):
        for dtype in (np.float32, np.float64):
            for part, block in zip(parts, device_blocks(features, parts, dtype), strict=True):
                assert_array_equal(block.get(), features.rows(part).astype(dtype), strict=True)


def test_a_wait_left_out_is_found(emulated, monkeypatch):
    monkeypatch.setattr(streams.Stream, "wait_event", lambda self, event: None)
    with pytest.raises(fake_cupy.RaceError):
        list(blocks_of(X))
    control.problems.clear()


def test_on_a_stream_of_the_user(emulated):
    with gm.config_context(backend="cupy", working_memory=MEMORY):
        expected = values(X, LABELS)
        with emulated.cuda.Stream(non_blocking=True):
            found = values(X, LABELS)
    for a, b in zip(found, expected, strict=True):
        assert_array_equal(a, b)


# ---------------------------------------------------------------------------------------------
# What is left behind


@pytest.fixture
def nothing_left(emulated):
    """After the test: no copy under way, no buffer of either kind in use."""
    pool = emulated.get_default_memory_pool()
    before = pool.used_bytes(), len(pinned._ranges)
    yield
    assert unfinished() == []
    assert pool.used_bytes() <= before[0]
    assert len(pinned._ranges) <= before[1]
    assert control.problems == []
    assert int(emulated.arange(3).sum()) == 3


@pytest.mark.parametrize("read", [0, 1, 2, 4])
def test_a_consumer_that_stops(emulated, nothing_left, read):
    blocks = blocks_of(X)
    for _ in range(read):
        next(blocks)
    blocks.close()


@pytest.mark.parametrize("read", [1, 2, 4])
def test_a_consumer_that_forgets(emulated, nothing_left, read):
    blocks = blocks_of(X)
    kept = [next(blocks) for _ in range(read)]
    del blocks
    assert unfinished() == []
    for part, block in zip(spans(len(X), 31), kept, strict=False):
        assert_array_equal(block.get(), X[part])


def error_of(work):
    """The error's text, without what its traceback keeps alive."""
    with gm.config_context(backend="cupy", working_memory=MEMORY):
        try:
            work()
        except (OSError, ZeroDivisionError, KeyboardInterrupt) as error:
            return str(error)
    return None


@pytest.mark.parametrize("at", [1, 2, 3, 4])
@pytest.mark.parametrize("call", ["euclidean", "cosine", "calinski-harabasz"])
def test_an_error_of_the_table(emulated, nothing_left, monkeypatch, call, at):
    from gpumetrics.backends import cupy_rows

    gather, seen = cupy_rows._gather, []

    def torn(features, part, out):
        seen.append(part)
        if len(seen) == at:
            raise OSError("the disk is gone")
        gather(features, part, out)

    monkeypatch.setattr(cupy_rows, "_gather", torn)
    assert error_of(lambda: CALLS[call](X, LABELS)) == "the disk is gone"


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("at", [1, 4])
@pytest.mark.parametrize(
    ("call", "module", "name"),
    [
        ("euclidean", "cupy_pairs", "launch_columns"),
        ("euclidean", "cupy_tiles", "launch_rows"),
        ("cosine", "cupy_centroids", "launch_rows"),
        ("davies-bouldin", "cupy_moments", "launch_threads"),
    ],
)
def test_an_error_of_the_work(emulated, nothing_left, monkeypatch, call, module, name, at, error):
    import importlib

    owner, seen = importlib.import_module(f"gpumetrics.backends.{module}"), []
    launch = getattr(owner, name)

    def stopped(*arguments):
        seen.append(arguments[0])
        if len(seen) == at:
            raise error("in the middle")
        launch(*arguments)

    monkeypatch.setattr(owner, name, stopped)
    assert error_of(lambda: CALLS[call](X, LABELS)) == "in the middle"
