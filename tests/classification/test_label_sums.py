"""The operations behind the scores of labels, on NumPy and on the emulation: exact, and the same bits each time."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from emulation import compile as compiling
from emulation import fake_cupy
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from gpumetrics.backends import numpy_counts
from gpumetrics.statistics.label_counts import LabelCounts


@pytest.fixture(params=["numpy", pytest.param("emulated", marks=pytest.mark.emulated)])
def backend(request):
    """The operations, and a function that brings arrays to them."""
    if request.param == "numpy":
        yield SimpleNamespace(ops=numpy_counts, asarray=np.asarray, name="numpy")
        return
    if compiling.missing_compiler():
        pytest.skip(compiling.missing_compiler())
    with fake_cupy.installed() as cp:
        from gpumetrics.backends import cupy_counts

        yield SimpleNamespace(ops=cupy_counts, asarray=cp.asarray, name="emulated")
        fake_cupy.control.reset()


def host(array):
    return array.get() if hasattr(array, "get") else array


@pytest.mark.parametrize(("n", "k"), [(0, 3), (1, 1), (50, 4), (1000, 3), (3000, 2500)])
def test_counts_and_sums(backend, rng, n, k):
    codes = rng.integers(0, k, n)
    integers, floats = rng.integers(-5, 9, n), rng.random(n)
    for weights in (None, integers, floats):
        own = None if weights is None else backend.asarray(weights)
        found = backend.ops.label_sums(backend.asarray(codes), k, own)
        kind = np.int64 if weights is None or weights.dtype.kind == "i" else np.float64
        assert (type(found), found.dtype, found.shape) == (np.ndarray, kind, (k,))
        ones = np.ones(n, dtype=np.int64) if weights is None else weights
        expected = [math.fsum(ones[codes == label]) for label in range(k)]
        assert_allclose(found, expected, rtol=1e-14)


def test_floats_have_the_same_bits_in_every_order_of_threads(backend, rng):
    codes, weights = rng.integers(0, 7, 5000), rng.random(5000) * 10.0 ** rng.integers(-9, 9, 5000)
    args = backend.asarray(codes), 7, backend.asarray(weights)
    first = backend.ops.label_sums(*args)
    for seed in (1, 2, 3):
        with fake_cupy.control.set(order_seed=seed):
            assert_array_equal(backend.ops.label_sums(*args), first)


@pytest.mark.parametrize("weights", [[2**62, 2**62 - 2, -1], [2**53, 1, 1], [2**63 - 1, 0, 0], [-(2**62), 2**61, 1]])
def test_integers_beyond_float64_are_exact(backend, weights):
    found = backend.ops.label_sums(backend.asarray([1, 1, 0]), 2, backend.asarray(np.array(weights)))
    assert found.tolist() == [weights[2], weights[0] + weights[1]]


@pytest.mark.parametrize("weights", [[2**62, 2**62], [-(2**63), 0], [2**63 - 1, -1]])
def test_integers_that_may_not_fit(backend, weights):
    with pytest.raises(ValueError, match=r"sample_weight adds up to .* int64 cannot hold"):
        backend.ops.label_sums(backend.asarray([0, 0]), 1, backend.asarray(np.array(weights)))


@pytest.mark.parametrize(
    ("shape", "densities"),
    [((1, 1), (1, 1)), ((40, 7), (0.3, 0.4)), ((40, 7), (0, 0.4)), ((40, 7), (0.3, 0)), ((3, 10**9), None)],
)
def test_shared_entries(backend, rng, shape, densities):
    if densities is None:
        true = sparse.csr_array((np.ones(4), ([0, 0, 2, 2], [5, 10**9 - 1, 0, 7])), shape=shape)
        pred = sparse.csr_array((np.ones(4), ([0, 1, 2, 2], [10**9 - 1, 5, 7, 8])), shape=shape)
    else:
        true, pred = (sparse.csr_array(rng.random(shape) < density) for density in densities)
    args = [tuple(map(backend.asarray, (side.indptr, side.indices))) for side in (true, pred)]
    indptr, indices = map(host, backend.ops.shared_entries(*args, shape[1]))
    expected = true.multiply(pred).tocsr()
    assert_array_equal(indptr, expected.indptr)
    assert_array_equal(indices, expected.indices)


def test_counts_of_parts_merge_to_those_of_all():
    whole = LabelCounts(np.array([3, 1]), np.array([4, 5]), np.array([3, 6]), 9)
    parts = (
        LabelCounts(np.array([1, 0]), np.array([2, 2]), np.array([1, 3]), 4),
        LabelCounts(np.array([2, 1]), np.array([2, 3]), np.array([2, 3]), 5),
    )
    merged = parts[0].merge(parts[1])
    for name in ("true_positives", "false_positives", "false_negatives", "true_negatives", "n_samples"):
        assert_array_equal(getattr(merged, name), getattr(whole, name))
    pooled = whole.pooled()
    assert (pooled.true_positives.tolist(), pooled.predicted.tolist(), pooled.true.tolist()) == ([4], [9], [9])
    assert pooled.true_negatives.tolist() == [whole.true_negatives.sum()]
