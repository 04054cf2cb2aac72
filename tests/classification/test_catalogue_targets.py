"""What the catalogue says of every score of labels, checked on small vectors of labels."""

import inspect
from importlib import import_module

import inputs
import numpy as np
import pytest
from catalogue import TARGETS
from numpy.testing import assert_allclose, assert_array_equal

import gpumetrics as gm

RTOL, ATOL = 1e-12, 1e-14

pytestmark = pytest.mark.filterwarnings("ignore:A single label", "ignore:y_pred contains classes")


def cases(which=lambda metric: True):
    """Parametrize a test over the scores that meet a condition, with each variant of their arguments."""
    chosen = [(metric, dict(kwargs)) for metric in TARGETS if which(metric) for kwargs in metric.variants]
    ids = ["-".join([metric.name, *map(str, kwargs.values())]) for metric, kwargs in chosen]
    return pytest.mark.parametrize(("metric", "kwargs"), chosen, ids=ids)


each_case = cases()
each_metric = pytest.mark.parametrize("metric", TARGETS, ids=str)


def ours(metric):
    return getattr(gm, metric.name)


def peer(metric):
    return getattr(import_module(metric.peer), metric.name)


def labels(seed=0, n=40, k_true=4, k_pred=3):
    return inputs.labelings(seed, n, k_true, k_pred)


@each_metric
def test_signature_is_the_peers(metric):
    assert inspect.signature(ours(metric)).replace(return_annotation=None).parameters.keys() == (
        inspect.signature(peer(metric)).parameters.keys()
    )
    parameters = inspect.signature(ours(metric)).parameters
    for name, parameter in inspect.signature(peer(metric)).parameters.items():
        assert (parameters[name].kind, parameters[name].default) == (parameter.kind, parameter.default)


@each_metric
def test_docstring(metric):
    text = " ".join(inspect.getdoc(ours(metric)).split())
    for section in ("Parameters", "Returns", "Raises", "Notes", "Examples"):
        assert f"{section} ---" in text
    if metric.direction:
        assert f"{metric.direction} is better" in text.lower()


@pytest.mark.parametrize("seed", range(2))
@each_case
def test_peer_and_definition(metric, kwargs, seed, backend):
    true, pred = labels(seed)
    found = ours(metric)(true, pred, **kwargs)
    assert_allclose(found, peer(metric)(true, pred, **kwargs), rtol=RTOL, atol=ATOL)
    assert_allclose(found, metric.definition(true, pred, **kwargs), rtol=RTOL, atol=ATOL)


@each_case
def test_a_result_wrong_by_one_percent_is_noticed(metric, kwargs):
    right = np.asarray(metric.definition(*labels(), **kwargs), dtype=float)
    for wrong in (right * 1.01, right * 0.99):
        with pytest.raises(AssertionError):
            assert_allclose(wrong, right, rtol=RTOL, atol=ATOL)


@each_case
def test_bounds(metric, kwargs):
    for seed in range(20):
        true, pred = labels(seed, n=4 + seed, k_true=2 + seed % 5, k_pred=2 + seed // 2 % 7)
        values = np.asarray(ours(metric)(true, pred, **kwargs))
        assert values.min() >= metric.low
        assert values.max() <= metric.high


@each_case
def test_result_is_a_python_float(metric, kwargs, backend):
    result = ours(metric)(*labels(), **kwargs)
    if metric.scalar:
        assert type(result) is float
    else:
        assert (type(result), result.dtype) == (np.ndarray, np.int64)


@cases(lambda metric: metric.scalar)
def test_the_same_labels_are_the_best(metric, kwargs, backend):
    true, _ = labels()
    assert ours(metric)(true, true, **kwargs) == (0.0 if metric.direction == "lower" else 1.0)


@cases(lambda metric: metric.symmetric)
def test_symmetry(metric, kwargs, backend):
    true, pred = labels()
    assert_allclose(ours(metric)(pred, true, **kwargs), ours(metric)(true, pred, **kwargs), rtol=1e-14)


@each_case
def test_row_order_changes_nothing(metric, kwargs, backend, rng):
    true, pred = map(np.array, labels())
    order = rng.permutation(len(true))
    assert_array_equal(ours(metric)(true[order], pred[order], **kwargs), ours(metric)(true, pred, **kwargs))


@each_case
def test_weights_are_repetitions(metric, kwargs, backend):
    true, pred = map(np.array, labels())
    times = np.arange(len(true)) % 4
    repeated = [np.repeat(side, times).tolist() for side in (true, pred)]
    expected = metric.definition(*repeated, **kwargs)
    for weights in (times, times.tolist(), times.astype(np.uint8), times.astype(np.float32), times.astype(object)):
        assert_allclose(ours(metric)(true, pred, sample_weight=weights, **kwargs), expected, rtol=RTOL, atol=ATOL)
    if metric.duplication:
        for factor in (1e-300, 0.1, 1e200):
            found = ours(metric)(true, pred, sample_weight=times * factor, **kwargs)
            assert_allclose(found, expected, rtol=RTOL, atol=ATOL)


KINDS = [pytest.param(make, 4, id=kind) for kind, make in inputs.LABEL_KINDS.items()]
KINDS += [pytest.param(make, 2, id=kind) for kind, make in inputs.TWO_LABELS.items()]


@pytest.mark.parametrize(("make", "k"), KINDS)
def test_kind_of_labels(make, k, backend):
    true, pred = (np.asarray(side) % k for side in labels(k_pred=4))
    for metric in TARGETS:
        kwargs = metric.variants[0]
        expected = ours(metric)(true, pred, **kwargs)
        assert_array_equal(ours(metric)(make(true), make(pred), **kwargs), expected)


@each_metric
def test_the_callers_arrays_are_left_alone(metric, backend):
    args = [np.array(side) + 3 for side in labels()]
    weights = np.arange(40) % 3
    before = [np.copy(a) for a in (*args, weights)]
    for a in (*args, weights):
        a.flags.writeable = False
    ours(metric)(*args, sample_weight=weights, **metric.variants[0])
    for a, b in zip((*args, weights), before, strict=True):
        assert_array_equal(a, b)


@each_case
def test_repeated_calls_give_the_same_bits(metric, kwargs, backend, rng):
    true, pred = labels(n=3000, k_true=9, k_pred=7)
    weights = rng.random(3000)
    result = ours(metric)(true, pred, sample_weight=weights, **kwargs)
    for _ in range(2):
        assert_array_equal(ours(metric)(true, pred, sample_weight=weights, **kwargs), result)


@pytest.mark.emulated
@each_case
def test_labels_on_a_device_stay_there(metric, kwargs, emulated):
    true, pred = labels()
    expected = ours(metric)(true, pred, **kwargs)
    for y_true, y_pred in ((emulated.asarray(true), emulated.asarray(pred)), (true, emulated.asarray(pred))):
        found = ours(metric)(y_true, y_pred, **kwargs)
        assert type(found) is (float if metric.scalar else emulated.ndarray)
        assert_array_equal(found if metric.scalar else found.get(), expected)
    found = ours(metric)(emulated.asarray(true), pred, **kwargs)  # y_pred says where the result goes
    assert type(found) is (float if metric.scalar else np.ndarray)
