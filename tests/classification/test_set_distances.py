"""The Jaccard distance is SciPy's, value for value; F1 and Jaccard convert for single scores only."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import jaccard

import gpumetrics as gm
from gpumetrics.classification.set_distances import f1_from_jaccard, jaccard_distance, jaccard_from_f1

numbers = st.sampled_from([0, 0, 0, 1, 1, 2, -3, 0.5, -0.0])


@st.composite
def vectors(draw):
    n = draw(st.integers(0, 12))
    u, v = (draw(st.lists(numbers, min_size=n, max_size=n)) for _ in range(2))
    weights = st.one_of(st.integers(0, 3), st.floats(0, 1e3))
    return u, v, draw(st.none() | st.lists(weights, min_size=n, max_size=n))


@given(vectors())
@settings(max_examples=200, deadline=None)
def test_is_scipys(uvw):
    u, v, w = uvw
    found = jaccard_distance(u, v, w)
    assert type(found) is float
    assert found == jaccard(u, v, w)
    assert found == jaccard_distance(v, u, w)


@given(vectors())
@settings(max_examples=100, deadline=None)
def test_is_the_definition(uvw):
    u, v, w = uvw
    w = [1] * len(u) if w is None else [Fraction(x) for x in w]
    U, V = ({i for i, x in enumerate(side) if x != 0} for side in (u, v))
    union = sum(w[i] for i in U | V)
    expected = float(sum(w[i] for i in U ^ V) / union) if union else 0.0
    assert_allclose(jaccard_distance(u, v, [float(x) for x in w]), expected, rtol=1e-12)


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=1, max_size=8))
def test_triangle_inequality(rows):
    a, b, c = zip(*rows, strict=True)
    assert jaccard_distance(a, c) <= jaccard_distance(a, b) + jaccard_distance(b, c) + 1e-12


CASES = [
    ([1, 1, 0, 0], [1, 0, 1, 0], None, 2 / 3),
    ([1, 1, 0, 0], [1, 0, 1, 0], [1, 2, 3, 4], 5 / 6),
    ([1, 1, 0, 0], [1, 0, 1, 0], [31, 41, 59, 26], 100 / 131),
    ([0, 0], [0, 0], None, 0.0),
    ([1, 0], [0, 1], [0, 0], 0.0),
    ([3, 1, 0], [1, 1, 0], None, 0.0),
    ([-10, 2.5, 0], [2, -5, 2], None, 1 / 3),
    ([math.nan, 1, 0], [0, 1, 0], None, 1 / 2),
    ([], [], None, 0.0),
    ([1, 0], [0, 1], [math.nan, 1], math.nan),
    ([1, 0], [0, 1], [math.inf, 1], math.nan),
]


@pytest.mark.parametrize(("u", "v", "w", "expected"), CASES)
def test_values(u, v, w, expected, backend):
    found = jaccard_distance(u, v, w)
    assert_array_equal(found, expected)
    assert type(found) is float


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int64", "float16", "float32", ">f8", "complex64", "object"]
)
def test_dtypes_and_layouts(dtype, rng, backend):
    u, v, w = rng.integers(0, 2, 40), rng.integers(0, 2, 40), rng.random(40)
    for one, other in [(u.astype(dtype), v), (u, v.astype(dtype)), (np.repeat(u.astype(dtype), 3)[::3], v)]:
        assert jaccard_distance(one, other) == jaccard(u, v)
        assert_allclose(jaccard_distance(one, other, w), jaccard(u, v, w), rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_many_positions(seed, backend):
    rng = np.random.default_rng(seed)
    u, v, w = rng.random(10_001) < 0.3, rng.random(10_001) < 0.3, rng.random(10_001)
    assert jaccard_distance(u, v) == jaccard(u, v)
    assert_allclose(jaccard_distance(u, v, w), jaccard(u, v, w), rtol=1e-13)


def test_columns():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert jaccard_distance(pandas.Series([1, 1, 0]), polars.Series([1, 0, 1]), (1, 2, 3)) == 5 / 6


@pytest.mark.parametrize(
    ("args", "match", "as_scipy"),
    [
        (([[1, 0]], [1, 0]), "Input vector should be 1-D.", True),
        ((1, 0), "Input vector should be 1-D.", True),
        (([1, 0], [1, 0], 2), "Input vector should be 1-D.", True),
        (([1, 0], [1, 0], [1, -1]), "Input weights should be all non-negative", True),
        (([1, 0], [1, 0, 1]), r"operands could not be broadcast together with shapes \(2,\) \(3,\)", True),
        (([1, 0], [1, 0], [1, 2, 3]), r"could not be broadcast together with shapes \(3,\) \(2,\)", True),
        (([1], [1, 0, 1]), "could not be broadcast", False),  # SciPy repeats a vector of length 1
        ((["a", "b"], ["a", "c"]), "u must hold a number or boolean .* encode_tags", False),  # SciPy: distance 0
        (([1, 0], np.array(["a", 0], dtype=object)), "v must hold a number or boolean", False),
        (([1, None], [1, 0]), "Input u contains NaN", False),
        (({1, 2}, {2, 3}), "u must hold a number or boolean .* an object of type set", False),
        (([{1}, {2}], [{3}, {4}]), "u must hold a number or boolean .* an object of type set", False),
        (([1, 0], (x for x in [1, 0])), "v must hold a number or boolean .* of type generator", False),
    ],
)
def test_refused(args, match, as_scipy, backend):
    with pytest.raises(ValueError, match=match):
        jaccard_distance(*args)
    if as_scipy:
        with pytest.raises(ValueError, match=match):
            jaccard(*args)


def test_types_that_are_refused(backend):
    sparse = pytest.importorskip("scipy.sparse")
    for name, args in [
        ("u", (sparse.csr_array([1, 0]), [1, 0])),
        ("v", ([1, 0], sparse.csr_matrix([[1, 0]]))),
        ("w", ([1, 0], [1, 0], sparse.coo_array([1, 0]))),
    ]:
        with pytest.raises(TypeError, match=f"Sparse data was passed for {name}"):
            jaccard_distance(*args)
    weights = [1, 1j]
    for function in (jaccard, jaccard_distance):
        with pytest.raises(TypeError, match=r"float\(\) argument must be a string or a real number, not 'complex'"):
            function([1, 0], [0, 1], weights)


def test_vectors_on_a_device(emulated):
    u, v, w = (emulated.asarray(np.array(a)) for a in ([1, 1, 0, 0], [2.0, 0, 1, 0], [1, 2, 3, 4]))
    assert jaccard_distance(u, v) == jaccard_distance(u, [2, 0, 1, 0]) == jaccard_distance([1, 1, 0, 0], v) == 2 / 3
    assert jaccard_distance(u, v, w) == jaccard_distance([1, 1, 0, 0], [2, 0, 1, 0], w) == 5 / 6
    with pytest.raises(ValueError, match="non-negative"):
        jaccard_distance(u, v, -w)
    with emulated.cuda.Device(1):
        there = emulated.asarray(np.ones(4))
    with pytest.raises(ValueError, match="move one of them"):
        jaccard_distance(u, there)
    assert jaccard_distance([1, 1, 1, 1], there) == 0


def test_a_backend_that_cannot_run_is_an_error():
    with gm.config_context(backend="cupy"), pytest.raises(gm.BackendError, match='backend="cupy"'):
        jaccard_distance([1], [1])


# -- F1 and Jaccard --------------------------------------------------------------------------------

counts = st.integers(0, 50)


@given(counts, counts, counts)
def test_conversion_of_counts(tp, fp, fn):
    if tp + fp + fn == 0:
        return
    J, F = Fraction(tp, tp + fp + fn), Fraction(2 * tp, 2 * tp + fp + fn)
    assert_allclose(f1_from_jaccard(float(J)), float(F), rtol=1e-15)
    assert_allclose(jaccard_from_f1(float(F)), float(J), rtol=1e-15)
    assert float(J) <= f1_from_jaccard(float(J))


def test_conversion_takes_any_number(emulated):
    for one in (0.5, np.float32(0.5), np.float64(0.5), np.array(0.5), Fraction(1, 2), emulated.asarray(0.5)):
        assert (f1_from_jaccard(one), type(f1_from_jaccard(one))) == (2 / 3, float)
        assert (jaccard_from_f1(one), type(jaccard_from_f1(one))) == (1 / 3, float)
    for function in (f1_from_jaccard, jaccard_from_f1):
        assert [function(x) for x in (0, 1, 1.0, np.int64(1))] == [0, 1, 1, 1]
        assert math.isnan(function(math.nan))


@pytest.mark.parametrize("function", [f1_from_jaccard, jaccard_from_f1])
def test_averages_do_not_convert(function, emulated):
    for several in ([0.5, 0.2], (0.5,), np.array([0.5, 0.2]), emulated.asarray(np.array([0.5, 0.2])), {"a": 0.5}):
        with pytest.raises(ValueError, match=r"(?s)Averages do not convert.*average=.*one by one"):
            function(several)
    for wrong in (-0.1, 1.1, 85, 10**400, math.inf, "0.5", None, True, 1j):
        with pytest.raises(ValueError, match="must be one number from 0 to 1, got"):
            function(wrong)
