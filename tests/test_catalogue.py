"""What the catalogue says of every public metric, checked on small data."""

import inspect
from importlib import import_module
from pathlib import Path

import inputs
import numpy as np
import pytest
from catalogue import FEATURES, LABELINGS, METRICS, OBJECTS, OTHER, TARGETS
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm

RTOL, ATOL = 1e-10, 1e-12


def cases(which=lambda metric: True):
    """Parametrize a test over the metrics that meet a condition, with each variant of their arguments."""
    chosen = [(metric, kwargs) for metric in METRICS if which(metric) for kwargs in metric.variants]
    ids = ["-".join([metric.name, *map(str, kwargs.values())]) for metric, kwargs in chosen]
    return pytest.mark.parametrize(("metric", "kwargs"), chosen, ids=ids)


each_case = cases()
each_with_samples = cases(lambda metric: metric.kind != "table")
each_metric = pytest.mark.parametrize("metric", METRICS, ids=str)
each_of_features = pytest.mark.parametrize("metric", FEATURES, ids=str)


def ours(metric):
    return getattr(gm, metric.name)


def peer(metric):
    module, _, name = metric.peer.partition(":")
    return getattr(import_module(module), name or metric.name)


def arguments(metric, seed=0):
    """What our function is called with: random blobs, labelings, or a table."""
    if metric.kind == "features":
        return inputs.blobs(seed)
    labels_true, labels_pred = inputs.labelings(seed)
    if metric.kind == "labels":
        return (labels_true,)
    if metric.kind == "table":
        return gm.contingency_matrix(labels_true, labels_pred), len(labels_true)
    return labels_true, labels_pred


def expected(metric, args, kwargs):
    if metric.kind == "table":
        contingency, n = args
        args = contingency.sum(axis=1).tolist(), contingency.sum(axis=0).tolist(), n
    return metric.definition(*args, **kwargs)


def test_every_public_function_has_a_row():
    named = {metric.name for metric in METRICS + TARGETS} | set(OBJECTS) | OTHER
    assert {name for name in gm.__all__ if name not in OTHER} <= named
    assert named - {"DaviesBouldinPairs", "__version__"} <= set(gm.__all__) | {"__version__"}
    for file in OBJECTS.values():
        assert (Path(__file__).parent / file).exists()


@pytest.mark.parametrize("metric", [m for m in METRICS if m.peer], ids=str)
def test_signature_begins_as_the_peers(metric):
    their = list(inspect.signature(peer(metric)).parameters.values())
    parameters = inspect.signature(ours(metric)).parameters
    positional = [p for p in their if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert list(parameters)[: len(positional)] == [p.name for p in positional]
    for parameter in their:
        found = parameters[parameter.name]
        assert (found.kind, found.default) == (parameter.kind, parameter.default)
    for name in set(parameters) - {p.name for p in their}:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default is not inspect.Parameter.empty


@pytest.mark.parametrize("metric", LABELINGS + FEATURES, ids=str)
def test_noise_label_is_a_keyword_and_none(metric):
    parameter = inspect.signature(ours(metric)).parameters["noise_label"]
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
    assert parameter.default is None


@each_metric
def test_docstring(metric):
    text = " ".join(inspect.getdoc(ours(metric)).split())
    for section in ("Parameters", "Returns", "Examples"):
        assert f"{section} ---" in text
    if metric.direction:
        assert f"{metric.direction} is better" in text.lower()


@pytest.mark.parametrize("seed", range(5))
@cases(lambda metric: metric.peer)
def test_peer(metric, kwargs, seed, backend):
    args = arguments(metric, seed)
    assert_allclose(ours(metric)(*args, **kwargs), peer(metric)(*args, **kwargs), rtol=RTOL, atol=ATOL)


@pytest.mark.parametrize("seed", range(3))
@each_case
def test_definition(metric, kwargs, seed, backend):
    args = arguments(metric, seed)
    assert_allclose(ours(metric)(*args, **kwargs), expected(metric, args, kwargs), rtol=RTOL, atol=ATOL)


@each_case
def test_a_result_wrong_by_one_percent_is_noticed(metric, kwargs):
    args = arguments(metric)
    right = np.asarray(expected(metric, args, kwargs), dtype=float)
    for wrong in (right * 1.01, right * 0.99):
        with pytest.raises(AssertionError):
            assert_allclose(wrong, right, rtol=RTOL, atol=ATOL)
        with pytest.raises(AssertionError):
            assert_allclose(wrong, right, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
@each_case
def test_bounds(metric, kwargs, seed, backend):
    if metric.kind == "features":
        X, labels = inputs.blobs(seed, n=12, k=2 + seed % 4, spread=[1e-6, 1, 100][seed % 3])
        args = X, np.random.default_rng(seed).permutation(labels) if seed % 2 else labels
    else:
        args = inputs.labelings(seed, n=1 + seed, k_true=1 + seed % 5, k_pred=1 + seed // 2 % 7)
        args = {"labels": args[:1], "table": (gm.contingency_matrix(*args), 1 + seed)}.get(metric.kind, args)
    values = np.asarray(ours(metric)(*args, **kwargs))
    assert values.min() >= metric.low
    assert values.max() <= metric.high


@each_case
def test_result_is_a_python_float(metric, kwargs, backend):
    result = ours(metric)(*arguments(metric), **kwargs)
    if metric.scalar:
        assert type(result) is float
    elif isinstance(result, tuple):
        assert {type(value) for value in result} == {float}
    else:
        assert type(result) is np.ndarray
        assert result.dtype == (np.float64 if metric.kind == "features" else np.int64)


@pytest.mark.parametrize("seed", range(5))
@cases(lambda metric: metric.symmetric)
def test_symmetry_to_the_bit(metric, kwargs, seed, backend):
    for n, k in ((40, 4), (500, 30)):
        labels_true, labels_pred = inputs.labelings(seed, n, k, k + 3)
        forth = ours(metric)(labels_true, labels_pred, **kwargs)
        assert forth == ours(metric)(labels_pred, labels_true, **kwargs)


@cases(lambda metric: metric.renaming)
def test_renaming_changes_nothing(metric, kwargs, backend):
    *first, labels = arguments(metric)
    result = ours(metric)(*first, labels, **kwargs)
    names = [np.array(["c", "a", "d", "b"]), np.array([5, -(10**18), 2**62, 0]), np.array([3, 2, 1, 0])]
    for new in names:  # the order of the clusters changes too
        assert_allclose(ours(metric)(*first, new[labels], **kwargs), result, rtol=1e-12)
        if metric.kind == "labelings":
            assert_allclose(ours(metric)(new[first[0]], labels, **kwargs), result, rtol=1e-12)


@each_with_samples
def test_row_order_changes_nothing(metric, kwargs, backend, rng):
    args = arguments(metric)
    order = rng.permutation(len(args[0]))
    result = ours(metric)(*args, **kwargs)
    if metric.name == "silhouette_samples":
        result = result[order]
    shuffled = ours(metric)(*(np.asarray(a)[order] for a in args), **kwargs)
    assert_allclose(shuffled, result, rtol=1e-12)
    if metric.kind != "features":
        assert_array_equal(shuffled, result)


@each_with_samples
def test_every_sample_twice(metric, kwargs, backend):
    args = arguments(metric)
    twice = [np.concatenate([a, a]) for a in args]
    twice = twice if metric.kind == "features" else [a.tolist() for a in twice]
    result = ours(metric)(*twice, **kwargs)
    assert_allclose(result, expected(metric, twice, kwargs), rtol=RTOL, atol=ATOL)
    if metric.duplication:
        assert_allclose(result, ours(metric)(*args, **kwargs), rtol=1e-12)


@each_of_features
@pytest.mark.parametrize(
    ("dtype", "offset", "step", "rtol"), [("float64", 1e8, 2**-10, 1e-10), ("float32", 1e4, 2**-8, 1e-6)]
)
def test_shift_changes_nothing(metric, dtype, offset, step, rtol, backend):
    X, labels = inputs.blobs(1)
    X = inputs.grid(X, step).astype(dtype)
    far = X + np.dtype(dtype).type(offset)
    assert_array_equal(far - np.dtype(dtype).type(offset), X)  # the shift is exact
    found = ours(metric)(far, labels)
    assert_allclose(found, metric.definition(far, labels), rtol=rtol, atol=rtol)
    assert_allclose(found, ours(metric)(X, labels), rtol=rtol, atol=rtol)


@each_of_features
@pytest.mark.parametrize(
    ("dtype", "factor", "rtol"),
    [
        ("float64", 1e160, 1e-10),
        ("float64", 1e-160, 1e-10),
        ("float64", 1e300, 1e-10),
        ("float64", 1e-300, 1e-10),
        ("float32", 1e20, 1e-6),
        ("float32", 1e-20, 1e-6),
    ],
)
def test_scale_changes_nothing(metric, dtype, factor, rtol, backend):
    X, labels = inputs.blobs(2)
    X = X.astype(dtype)
    scaled = X * np.dtype(dtype).type(factor)
    found = ours(metric)(scaled, labels)
    assert_allclose(found, metric.definition(scaled, labels), rtol=rtol, atol=rtol)
    assert_allclose(found, ours(metric)(X, labels), rtol=rtol, atol=rtol)


@each_of_features
@pytest.mark.parametrize("dtype", inputs.FEATURE_DTYPES)
def test_dtype_of_features(metric, dtype, backend):
    X, labels = inputs.features_of(dtype)
    rtol = 1e-6 if X.dtype.kind == "f" and X.dtype.itemsize < 8 else 1e-10
    assert_allclose(ours(metric)(X, labels), metric.definition(X, labels), rtol=rtol, atol=rtol)


@each_of_features
@pytest.mark.parametrize("kind", inputs.FEATURE_KINDS)
def test_kind_of_features(metric, kind, backend, tmp_path):
    X, labels = inputs.blobs(4)
    given = inputs.FEATURE_KINDS[kind](X, tmp_path)
    assert_allclose(ours(metric)(given, labels), metric.definition(X, labels), rtol=RTOL, atol=RTOL)


KINDS = [pytest.param(make, 4, id=kind) for kind, make in inputs.LABEL_KINDS.items()]
KINDS += [pytest.param(make, 2, id=kind) for kind, make in inputs.TWO_LABELS.items()]


@pytest.mark.parametrize("metric", [m for m in METRICS if m.kind != "table"], ids=str)
@pytest.mark.parametrize(("make", "k"), KINDS)
def test_kind_of_labels(metric, make, k, backend):
    *first, labels = arguments(metric)
    labels = np.asarray(labels) % k
    result = ours(metric)(*first, labels)
    assert_array_equal(ours(metric)(*first, make(labels)), result)
    if metric.kind == "labelings":
        other = np.asarray(first[0]) % k
        assert_array_equal(ours(metric)(make(other), make(labels)), ours(metric)(other, labels))


@each_metric
def test_the_callers_arrays_are_left_alone(metric, backend):
    args = [a if isinstance(a, int) else np.array(a) for a in arguments(metric)]
    before = [np.copy(a) for a in args]
    ours(metric)(*args)
    for a, b in zip(args, before, strict=True):
        assert_array_equal(a, b)
    for a in args:
        if not isinstance(a, int):
            a.flags.writeable = False
    ours(metric)(*args)


@each_metric
def test_a_backend_that_cannot_run_is_an_error(metric):
    args = arguments(metric)
    with gm.config_context(backend="cupy"), pytest.raises(gm.BackendError, match='backend="cupy"'):
        ours(metric)(*args)


@each_case
def test_repeated_calls_give_the_same_bits(metric, kwargs, backend):
    args = arguments(metric)
    result = ours(metric)(*args, **kwargs)
    for _ in range(3):
        assert_array_equal(ours(metric)(*args, **kwargs), result)
