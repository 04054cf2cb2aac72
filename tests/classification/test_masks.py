"""Overlap of masks, against sets of pixels in plain Python, on both backends."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm
from gpumetrics.classification.masks import mask_iou, pairwise_mask_iou
from gpumetrics.exceptions import UndefinedMetricWarning

A = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]], dtype=bool)
B = np.array([[0, 1, 1], [0, 1, 1], [0, 0, 0]], dtype=bool)  # 2 pixels in both, 6 in either
EMPTY = np.zeros((3, 3))

FORMS = {
    "bool": lambda mask: mask,
    "0/1": lambda mask: mask.astype(int),
    "0/255": lambda mask: mask.astype(np.uint8) * np.uint8(255),
    "-1": lambda mask: -mask.astype(np.int8),
    "float": lambda mask: mask.astype(float) * 1e-300,
    "float16": lambda mask: mask.astype(np.float16) / 3,
    "big-endian": lambda mask: mask.astype(">f4"),
    "infinity": lambda mask: np.where(mask, np.inf, 0),
    "complex": lambda mask: mask * 1j,
    "list": lambda mask: mask.tolist(),
    "list of arrays": list,
    "Fortran": np.asfortranarray,
    "reversed": lambda mask: mask[::-1, ::-1].copy()[::-1, ::-1],
    "strided": lambda mask: np.repeat(np.repeat(mask, 2, axis=0), 3, axis=1)[::2, ::3],
    "object": lambda mask: mask.astype(object),
    "masked array without masked entries": np.ma.masked_array,
}


def iou(a, b, ignore=None, undefined=0.0):
    """By sets of the places of pixels."""
    a, b, ignore = ({tuple(p) for p in np.argwhere(np.asarray(m))} if m is not None else set() for m in (a, b, ignore))
    a, b = a - ignore, b - ignore
    return len(a & b) / len(a | b) if a | b else undefined


shapes = hnp.array_shapes(min_dims=1, max_dims=4, max_side=4)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_is_the_definition(data):
    shape = data.draw(shapes)
    dtypes = st.sampled_from([bool, np.uint8, np.int16, np.float32])
    masks = st.builds(
        lambda mask, dtype, value: (mask * value).astype(dtype),
        hnp.arrays(bool, shape),
        dtypes,
        st.sampled_from([1, 100]),
    )
    a, b, ignore = data.draw(masks), data.draw(masks), data.draw(st.none() | masks)
    if ignore is not None and data.draw(st.booleans()):
        a = np.where(ignore, 55, a)  # what is ignored may hold any value
    found = mask_iou(a, b, ignore=ignore, zero_division=math.nan)
    assert_array_equal(found, iou(a, b, ignore, math.nan))
    assert_array_equal(found, mask_iou(b, a, ignore=ignore, zero_division=math.nan))
    assert_array_equal(mask_iou(a != 0, b != 0, ignore=ignore, zero_division=math.nan), found)


@given(st.integers(0, 4), st.integers(0, 4), shapes, st.integers(0, 2**32), st.sampled_from([0.0, 1.0, math.nan]))
@settings(max_examples=60, deadline=None)
def test_pairs_are_the_definition(n_a, n_b, shape, seed, zero_division):
    rng = np.random.default_rng(seed)
    first, second, ignore = (rng.random(size) < 0.3 for size in ((n_a, *shape), (n_b, *shape), shape))
    found = pairwise_mask_iou(first, second, ignore=ignore, zero_division=zero_division)
    assert (found.shape, found.dtype) == ((n_a, n_b), np.float64)
    expected = [[mask_iou(a, b, ignore=ignore, zero_division=zero_division) for b in second] for a in first]
    assert_array_equal(found, np.reshape(expected, (n_a, n_b)))
    assert_array_equal(
        found, np.reshape([[iou(a, b, ignore, zero_division) for b in second] for a in first], (n_a, n_b))
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", ["bool", "0/255"])
def test_non_zero_is_inside(form, other, backend):
    assert mask_iou(FORMS[form](A), FORMS[other](B)) == 1 / 3
    assert mask_iou(FORMS[other](A), FORMS[form](B)) == 1 / 3
    assert_array_equal(pairwise_mask_iou([FORMS[form](A)], np.array([B, A])), [[1 / 3, 1]])


@pytest.mark.parametrize("shape", [(), (1,), (12,), (3, 4), (2, 3, 2), (1, 2, 1, 6)])
def test_any_shape(shape, backend):
    a, b = np.arange(np.prod(shape, dtype=int)) % 2, np.arange(np.prod(shape, dtype=int)) % 3 > 0
    assert mask_iou(a.reshape(shape), b.reshape(shape), zero_division=0) == iou(a, b)


def test_one_and_disjoint(backend):
    found = mask_iou(A, A)
    assert (found, type(found)) == (1.0, float)
    assert mask_iou(A, ~A) == 0.0
    assert mask_iou(A, EMPTY) == mask_iou(EMPTY, A) == 0.0  # 0 of 4, not 0 of 0: no warning


@pytest.mark.parametrize(("zero_division", "value"), [(0, 0.0), (1, 1.0), (1.0, 1.0), (math.nan, math.nan)])
def test_both_empty(zero_division, value, backend):
    found = mask_iou(EMPTY, EMPTY, zero_division=zero_division)
    assert_array_equal(found, value)
    assert type(found) is float
    assert_array_equal(mask_iou(A, B, ignore=A | B, zero_division=zero_division), value)
    assert_array_equal(mask_iou([], [], zero_division=zero_division), value)
    pairs = pairwise_mask_iou([EMPTY, A], [EMPTY, B], zero_division=zero_division)
    assert_array_equal(pairs, [[value, 0], [0, 1 / 3]])


def test_both_empty_warns(backend):
    with pytest.warns(UndefinedMetricWarning, match=r"Mask IoU is ill-defined and being set to 0\.0 due to no pixel"):
        assert mask_iou(EMPTY, EMPTY) == 0.0
    with pytest.warns(UndefinedMetricWarning, match="in pairs of masks with no pixel") as seen:
        assert_array_equal(pairwise_mask_iou([EMPTY, A, EMPTY], [EMPTY, B]), [[0, 0], [0, 1 / 3], [0, 0]])
    assert len(seen) == 1
    assert seen[0].filename == __file__


def test_no_masks_or_no_pixels(backend):
    none, some = np.zeros((0, 2, 2)), np.ones((3, 2, 2))
    assert pairwise_mask_iou(none, some).shape == (0, 3)
    assert pairwise_mask_iou(some, none).shape == (3, 0)
    assert_array_equal(pairwise_mask_iou(some[:1, :0], some[:2, :0], zero_division=1), [[1, 1]])


def test_ignored_pixels_are_in_neither_count(backend):
    ignore = np.zeros((3, 3), dtype=np.uint8)
    ignore[:, 1] = 255
    assert mask_iou(A, B, ignore=ignore) == 0.0
    ignore[:] = 0
    ignore[0, 0] = ignore[2, 2] = 1
    assert mask_iou(A, B, ignore=ignore) == 2 / 5
    assert_array_equal(pairwise_mask_iou(A[None], B[None], ignore=ignore), [[2 / 5]])


def test_nan_is_refused_unless_ignored(backend):
    floats = A.astype(float)
    floats[2, 0] = np.nan
    with pytest.raises(ValueError, match=r"Input a contains NaN\. 1 pixels are neither inside nor outside"):
        mask_iou(floats, B)
    with pytest.raises(ValueError, match="Input B contains NaN"):
        pairwise_mask_iou([A, A], [B, floats])
    assert mask_iou(floats, B, ignore=np.isnan(floats)) == 1 / 3
    assert_array_equal(pairwise_mask_iou([B], [floats], ignore=np.isnan(floats)), [[1 / 3]])


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: mask_iou(A, B[:2]), r"a and b must have the same shape, got \(3, 3\) and \(2, 3\)"),
        (lambda: mask_iou(A, True), r"same shape"),
        (lambda: mask_iou(A, B[None]), r"same shape"),
        (lambda: mask_iou(A.ravel(), B), r"same shape"),
        (
            lambda: mask_iou(A, B, ignore=A[0]),
            r"each mask and ignore must have the same shape, got \(3, 3\) and \(3,\)",
        ),
        (lambda: mask_iou([[1, 0], [1]], B), "a must be an array of numbers, with rows of equal length"),
        (lambda: mask_iou(["a", "b"], ["a", "c"]), "a must hold a number or boolean"),
        (lambda: mask_iou(np.array(["a", 1], dtype=object), [1, 0]), "holds text"),
        (lambda: mask_iou([None, 1], [1, 0]), "Input a contains NaN. A missing value"),
        (lambda: mask_iou(np.ma.masked_array([1, 0], [True, False]), [1, 0]), "Input a contains NaN. 1 of its 2"),
        (lambda: mask_iou(np.array(["2020-01-01"], dtype="M8[D]"), [1]), "dtype datetime64"),
        (lambda: mask_iou(A, B, zero_division="0"), "'zero_division' parameter of mask_iou"),
        (lambda: mask_iou(A, B, zero_division=0.5), "'zero_division' parameter of mask_iou"),
        (lambda: pairwise_mask_iou(A, B, zero_division=2), "'zero_division' parameter of pairwise_mask_iou"),
        (lambda: pairwise_mask_iou(A[0], B), r"A must hold several masks, shape \(n_masks, \.\.\.\)"),
        (lambda: pairwise_mask_iou(A[None], B), "each mask of A and each mask of B must have the same shape"),
        (lambda: pairwise_mask_iou(A, B, ignore=A), r"each mask and ignore must have the same shape"),
    ],
)
def test_refused(call, match, backend):
    with pytest.raises(ValueError, match=match):
        call()


def test_lists_of_masks(emulated):
    masked = np.ma.masked_array([1, 0, 1], [False, False, True])
    with pytest.raises(ValueError, match=r"^Input A contains NaN\. 1 of its 3 entries are masked"):
        pairwise_mask_iou([[1, 0, 1], masked], [[1, 0, 1]])
    assert_array_equal(
        pairwise_mask_iou([np.ma.masked_array([1, 0, 1]), np.array([1, 0, 0])], [[1, 0, 1]]), [[1], [0.5]]
    )
    with pytest.raises(ValueError, match=r"B is a list with arrays on a GPU: make one array of them"):
        pairwise_mask_iou([[1, 0]], [emulated.asarray(np.array([1, 0]))])


def test_sparse_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    for make in (sparse.csr_matrix, sparse.coo_array):
        with pytest.raises(TypeError, match="Sparse data was passed for b, but dense data is required"):
            mask_iou(A, make(B))
        with pytest.raises(TypeError, match="Sparse data was passed for A"):
            pairwise_mask_iou(make(A), B)


def test_tables_and_columns():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert mask_iou(pandas.DataFrame(A), pandas.DataFrame(B)) == 1 / 3
    assert mask_iou(pandas.Series(A[0]), polars.Series(B[0].tolist())) == 1 / 3
    assert mask_iou(pandas.Series(A[0]).astype("boolean"), B[0]) == 1 / 3
    with pytest.raises(ValueError, match="contains NaN"):
        mask_iou(pandas.Series([1, None, 0], dtype="Int64"), B[0])


def test_tiles_do_not_show(rng, backend):
    first, second = rng.random((30, 20, 20)) < 0.3, rng.random((17, 20, 20)) < 0.3
    ignore = rng.random((20, 20)) < 0.1
    whole = pairwise_mask_iou(first, second, ignore=ignore)
    expected = [[np.sum(a & b & ~ignore) / np.sum((a | b) & ~ignore) for b in second] for a in first]
    assert_array_equal(whole, expected)
    with gm.config_context(working_memory=0.01):
        assert_array_equal(pairwise_mask_iou(first, second, ignore=ignore), whole)
        assert mask_iou(first[0], second[0], ignore=ignore) == whole[0, 0]


def test_counts_beyond_float32(rng):
    # In one float32 sum of ones the counts would stand still at 2**24.
    mask = np.ones(2**24 + 4, dtype=bool)
    part = mask.copy()
    part[:3] = False
    assert mask_iou(mask, part) == (2**24 + 1) / (2**24 + 4)


def test_memory_does_not_follow_the_masks(rng):
    import tracemalloc

    first, second = rng.random((40, 2**17)) < 0.5, rng.random((30, 2**17)) < 0.5
    with gm.config_context(working_memory=8):
        tracemalloc.start()
        pairwise_mask_iou(first, second)
        mask_iou(first, first)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 4 * 2**20  # as float32 they would be 36 MiB


def test_the_callers_masks_are_left_alone(backend):
    a, b, ignore = A.copy(), B.astype(float), np.eye(3)
    for array in (a, b, ignore):
        array.flags.writeable = False
    assert mask_iou(a, b, ignore=ignore) == iou(a, b, ignore)
    pairwise_mask_iou(a, b, ignore=ignore[0], zero_division=0)


def test_memmap(tmp_path):
    np.save(tmp_path / "masks.npy", np.array([A, B]))
    masks = np.load(tmp_path / "masks.npy", mmap_mode="r")
    assert mask_iou(masks[0], masks[1]) == 1 / 3
    assert_allclose(pairwise_mask_iou(masks, masks), [[1, 1 / 3], [1 / 3, 1]])


def test_masks_on_a_device(emulated):
    a, b = emulated.asarray(A), emulated.asarray(B.astype(np.uint8) * np.uint8(255))
    ignore = np.eye(3)
    for first in (a, A):
        for ignored in (ignore, emulated.asarray(ignore)):
            assert mask_iou(first, b, ignore=ignored) == iou(A, B, ignore)
    found = pairwise_mask_iou(A[None], b[None])
    assert isinstance(found, emulated.ndarray)
    assert_array_equal(found.get(), [[1 / 3]])
    assert type(pairwise_mask_iou(a[None], B[None])) is np.ndarray  # as the second argument
    floats = emulated.asarray(np.where(A, np.nan, 1.0))
    with pytest.raises(ValueError, match="Input b contains NaN"):
        mask_iou(a, floats)
    assert mask_iou(a, floats, ignore=A, zero_division=0) == 0
    assert mask_iou(a.T, emulated.asarray(B.T)) == 1 / 3


def test_masks_on_two_devices(emulated):
    with emulated.cuda.Device(1):
        b = emulated.asarray(B[None])
    assert pairwise_mask_iou(A[None], b).device.id == 1
    with pytest.raises(ValueError, match="A is on CUDA device 0, but B is on CUDA device 1"):
        pairwise_mask_iou(emulated.asarray(A[None]), b)


def test_waits_for_the_counts_only(emulated):
    from emulation import fake_cupy

    a, b, floats = emulated.asarray(A), emulated.asarray(B), emulated.asarray(B.astype(float))
    mask_iou(a, b)  # asks, the first time, whether a GPU can be used
    for other, gets in ((b, 1), (floats, 3)):  # of what is not boolean the NaN, and values that are no mask's
        before = fake_cupy.control.counts.copy()
        mask_iou(a, other)
        taken = fake_cupy.control.counts - before
        assert (taken["get"], taken["item"]) == (gets, 0)
