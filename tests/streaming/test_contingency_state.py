"""ContingencyState against the functions on all rows at once."""

import datetime as dt

import numpy as np
import pytest
from catalogue import LABELINGS
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from stream_plans import plan_of, plans

import gpumetrics as gm
from gpumetrics.streaming import ContingencyState
from gpumetrics.streaming.contingency_state import METRICS

N = 40
NAMES = sorted(METRICS)


def labels_of(kind, codes):
    """Labels of a kind, some of whose values only late batches may have."""
    day = dt.date(2024, 1, 1)
    made = {
        "integers": lambda: codes - 2,
        "strings": lambda: np.array(["a", "bb", "ccc", "dddd", "e"])[codes],
        "large": lambda: codes.astype(np.uint64) + np.uint64(2**63),
        "floats": lambda: codes.astype(np.float32),
        "booleans": lambda: codes > 1,
        "mixed": lambda: [[7, "7", 2**70, day, 2.0][code] for code in codes],
        "dates": lambda: np.datetime64("2024-01-01") + codes,
    }
    return made[kind]()


KINDS = ["integers", "strings", "large", "floats", "booleans", "mixed", "dates"]


def sides(seed, kinds=("integers", "strings")):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 5, N)
    pred = np.where(rng.random(N) < 0.4, rng.integers(0, 5, N), true)
    return [labels_of(kind, codes) for kind, codes in zip(kinds, (true, pred), strict=True)]


def test_no_agreement_score_is_missing():
    assert set(NAMES) >= {metric.name for metric in LABELINGS}


@settings(max_examples=40, deadline=None)
@given(plan=plans(N), kinds=st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)), seed=st.integers(0, 99))
def test_the_same_to_the_bit(plan, kinds, seed):
    true, pred = sides(seed, kinds)
    state = plan.run(ContingencyState(), true, pred)
    for name in NAMES:
        found, wanted = state.result(name), getattr(gm, name)(true, pred)
        assert_array_equal(found, wanted, err_msg=name)
        assert type(found) is type(wanted), name


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("adjusted_mutual_info_score", {"average_method": "min"}),
        ("normalized_mutual_info_score", {"average_method": "geometric"}),
        ("v_measure_score", {"beta": 3.0}),
        ("contingency_matrix", {"dtype": np.float32, "eps": 0.5}),
        ("clustering_accuracy", {"return_matching": True}),
    ],
)
def test_options_are_the_functions(name, options):
    true, pred = sides(3)
    found = plan_of(N, 1).run(ContingencyState(), true, pred).result(name, **options)
    wanted = getattr(gm, name)(true, pred, **options)
    if isinstance(wanted, tuple):
        assert found == wanted
    else:
        assert_array_equal(found, wanted, strict=True)


def test_a_sparse_table():
    true, pred = sides(3)
    found = plan_of(N, 1).run(ContingencyState(), true, pred).result("contingency_matrix", sparse=True)
    assert_array_equal(found.toarray(), gm.contingency_matrix(true, pred))


@settings(deadline=None)
@given(plans(N))
def test_noise_is_left_out(plan):
    true, pred = sides(5, ("strings", "integers"))
    state = plan.run(ContingencyState(noise_label=-1), true, pred)
    assert state.n_noise == (pred == -1).sum() > 0
    assert state.n_samples + state.n_noise == N == state.n_rows
    assert state.result("v_measure") == gm.v_measure_score(true, pred, noise_label=-1)


def test_all_rows_noise():
    state = ContingencyState(noise_label=-1).update([0, 1], [-1, -1])
    assert (state.n_samples, state.n_noise) == (0, 2)
    with pytest.raises(ValueError, match="All 2 rows of labels_pred have the noise label -1"):
        state.result("rand_score")
    assert state.update([0, 1], [0, 1]).result("rand_score") == 1.0
    assert ContingencyState(noise_label=-1).merge(state).n_noise == 2


def test_limit_cases_are_the_functions():
    for true, pred in (([0, 0], [1, 1]), ([0, 1, 2], [2, 0, 1]), ([0, 0, 0], [0, 1, 2])):
        state = ContingencyState()
        for one, other in zip(true, pred, strict=True):
            state.update([one], [other])
        for name in NAMES:
            assert_array_equal(state.result(name), getattr(gm, name)(true, pred))


def test_labels_that_look_like_measurements_are_warned_of_at_the_result():
    true, pred = [0.5, 1.5, 2.5, 0.5], [0, 1, 1, 0]
    state = ContingencyState().update(true[:2], pred[:2]).update(true[2:], pred[2:])
    with pytest.warns(UserWarning, match="received continuous values for label, and binary values for target"):
        found = state.result("rand_score")
    with pytest.warns(UserWarning, match="received continuous values for label, and binary values for target"):
        assert found == gm.rand_score(true, pred)


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([0, 1], [0], "inconsistent numbers of samples"),
        ([0, np.nan], [0, 1], "Input labels_true contains NaN"),
        ([0, 1], [[0], [1]], "labels_pred must be 1D"),
        ([], [], "it has no rows; leave empty batches out"),
        (3, [1], "must be an array-like of labels"),
    ],
)
def test_a_bad_batch_is_told_by_its_number_and_leaves_the_state(true, pred, message):
    state = ContingencyState().update([0, 0], [0, 1]).update([1], [1])
    with pytest.raises(ValueError, match=rf"^Batch 3 of this ContingencyState, after 3 rows: .*{message}"):
        state.update(true, pred)
    assert state.n_batches == 2
    assert_array_equal(state.result("contingency_matrix"), [[1, 1], [0, 1]])


def test_what_is_no_metric_and_what_is_no_option():
    state = ContingencyState()
    with pytest.raises(ValueError, match="has seen no batch: call update first"):
        state.result("rand_score")
    state.update([0, 1], [0, 1])
    with pytest.raises(ValueError, match=r"metric must be one of 'adjusted_mutual_info_score'.*got 'silhouette_score'"):
        state.result("silhouette_score")
    with pytest.raises(TypeError, match=r"result\(\) takes no 'noise_label'"):
        state.result("rand_score", noise_label=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'beta'"):
        state.result("rand_score", beta=2)


def test_cells_are_merged_a_few_times_only(monkeypatch):
    from gpumetrics.statistics.contingency import Contingency

    merged = []
    merge = Contingency.merge
    monkeypatch.setattr(Contingency, "merge", lambda a, b: merged.append(len(a.counts) + len(b.counts)) or merge(a, b))
    state = ContingencyState()
    for start in range(0, 512, 4):  # every row is a cell of its own
        state.update(range(start, start + 4), range(start, start + 4))
    assert state.result("rand_score") == 1.0
    assert sum(merged) <= 12 * 512


def test_on_each_backend(backend):
    true, pred = sides(2, ("integers", "strings"))
    plan = plan_of(N, 4)
    assert plan.run(ContingencyState(), true, pred).result("rand_score") == gm.rand_score(true, pred)


def test_batches_on_a_device_and_on_the_host(emulated):
    true, pred = sides(2, ("integers", "floats"))
    state = ContingencyState().update(emulated.asarray(true[:9]), emulated.asarray(pred[:9])).update(true[9:], pred[9:])
    assert state.result("adjusted_rand_score") == gm.adjusted_rand_score(true, pred)
