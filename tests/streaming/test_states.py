"""What holds for every state: errors, merging, copies, memory."""

import copy
import gc
import pickle
import re
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from stream_tables import N, clustered

import gpumetrics as gm
from gpumetrics.streaming import ClosedFormSilhouetteState, ClusterMomentsState, ContingencyState, LabelCountsState

X, LABELS = clustered(1)
STATES = {
    "ContingencyState": (ContingencyState(noise_label=9), (LABELS[:40], LABELS[20:]), "adjusted_rand_score"),
    "LabelCountsState": (LabelCountsState(), (LABELS[:40], LABELS[20:]), "accuracy_score"),
    "ClusterMomentsState": (ClusterMomentsState(noise_label=9), (X, LABELS), "calinski_harabasz_score"),
    "ClusterSpreadsState": (
        ClusterMomentsState().update(X, LABELS).fitted(),
        (X, LABELS),
        "davies_bouldin_score",
    ),
    "ClosedFormSilhouetteState": (ClosedFormSilhouetteState("cosine"), (X, LABELS), None),
    "SilhouetteScorer": (
        ClosedFormSilhouetteState("cosine").update(X, LABELS).fitted(),
        (X, LABELS),
        "silhouette_score",
    ),
}


def value(state, metric):
    return state.fitted().classes if metric is None else state.result(metric)


def blank(name):
    return copy.copy(STATES[name][0])


@pytest.mark.parametrize("name", STATES)
def test_pickle_copy_repr_and_reset(name):
    _, batch, metric = STATES[name]
    state = blank(name).update(*batch)
    assert state.n_batches == 1
    wanted = value(state, metric)
    assert_array_equal(value(pickle.loads(pickle.dumps(state)), metric), wanted)  # noqa: S301
    other = copy.copy(state)
    other.reset()
    assert other.n_samples == other.n_rows == other.n_batches == 0
    assert_array_equal(value(state, metric), wanted)
    assert_array_equal(value(other.update(*batch), metric), wanted)
    assert repr(state).startswith(f"{name}(")
    assert f"n_samples={len(batch[0])}" in repr(state)


@pytest.mark.parametrize("name", STATES)
def test_merging_leaves_both_as_they_are_and_an_empty_state_changes_nothing(name):
    _, batch, metric = STATES[name]
    half = len(batch[0]) // 2
    first, second = blank(name), blank(name)
    first.update(*[column[:half] for column in batch])
    second.update(*[column[half:] for column in batch])
    first.merge(second)  # what is kept once it is asked for is there from now on
    before = pickle.dumps((first.statistic, second.statistic))
    merged = first.merge(second).merge(blank(name))
    assert pickle.dumps((first.statistic, second.statistic)) == before
    assert (merged.n_batches, merged.n_rows) == (2, len(batch[0]))
    assert_allclose(value(merged, metric), value(blank(name).update(*batch), metric), rtol=1e-12)
    assert first.merge(second).update(*batch).n_rows == 2 * len(batch[0])


@pytest.mark.parametrize("name", STATES)
def test_only_states_of_one_class_merge(name):
    other = next(state for key, (state, *_) in STATES.items() if key != name)
    with pytest.raises(TypeError, match=f"A {name} merges with another {name} only, got {type(other).__name__}"):
        blank(name).merge(other)


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (
            ContingencyState(-1),
            ContingencyState(),
            "same noise_label: this ContingencyState has -1, the other None",
        ),
        (ClusterMomentsState(), ClusterMomentsState(transform="cosine"), "the same transform"),
        (ClosedFormSilhouetteState(), ClosedFormSilhouetteState("cosine"), "the same metric"),
        (
            ClusterMomentsState().update([[1.0]], [0]),
            ClusterMomentsState().update([[1.0, 2.0]], [0]),
            "rows of one width: this ClusterMomentsState has 1 columns, the other 2",
        ),
        (
            ClusterMomentsState().update([[1.0]], [0]).fitted(),
            ClusterMomentsState().update([[2.0]], [0]).fitted(),
            "Second passes that merge must come from one fitted",
        ),
    ],
)
def test_other_settings_do_not_merge(one, other, message):
    with pytest.raises(ValueError, match=message):
        one.merge(other)


CLUSTERED = ["ClusterMomentsState", "ClusterSpreadsState", "ClosedFormSilhouetteState", "SilhouetteScorer"]


def damaged(where, bad):
    table = X.copy()
    table[where] = bad
    return table


@pytest.mark.parametrize("name", CLUSTERED)
@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ((damaged((17, 2), np.nan), LABELS), "Input X contains NaN. The first bad value is nan at row 17, column 2"),
        ((damaged((3, 0), -np.inf), LABELS), "Input X contains infinity.*at row 3, column 0"),
        ((X[:, :3], LABELS), "X has 3 columns, where the batches before have 4"),
        ((X, LABELS[:-1]), "inconsistent numbers of samples"),
        ((X[:0], LABELS[:0]), "it has no rows; leave empty batches out"),
        (([], []), "it has no rows; leave empty batches out"),
        ((X[0], LABELS), "Expected 2D array, got 1D array"),
        ((X, np.where(LABELS == 1, np.nan, LABELS)), "Input y contains NaN"),
    ],
)
def test_a_bad_batch_is_told_by_its_number_and_leaves_the_state(name, batch, message):
    _, good, metric = STATES[name]
    state = blank(name)
    state.update(*good)
    statistic = state.statistic
    with pytest.raises(ValueError, match=rf"(?s)^Batch 2 of this {name}, after {N} rows: .*{message}"):
        state.update(*batch)
    assert state.statistic is statistic
    assert (state.n_batches, state.n_rows) == (1, N)
    assert value(state, metric) is not None


@pytest.mark.parametrize("name", ["ClusterMomentsState", "ClosedFormSilhouetteState"])
def test_a_batch_after_fitted_is_refused_until_reset(name):
    state = blank(name).update(X, LABELS)
    state.fitted()
    with pytest.raises(ValueError, match=r"Batch 2 .*fitted\(\) has begun the second pass; update what it gave"):
        state.update(X, LABELS)
    assert state.merge(blank(name)).update(X, LABELS).n_batches == 2
    assert state.reset().update(X, LABELS).n_batches == 1


@pytest.mark.parametrize("name", ["ClusterSpreadsState", "SilhouetteScorer"])
def test_the_second_pass_must_see_the_rows_of_the_first(name):
    _, (table, labels), metric = STATES[name]
    second = blank(name)
    with pytest.raises(ValueError, match="must see each row of the first once: of cluster 0 it has seen 0 of"):
        second.result(metric)
    with pytest.raises(ValueError, match=r"Batch 1 .*label 77 was in no batch of the first pass"):
        second.update(table, np.where(labels == 3, 77, labels))
    second.update(table, labels).update(table[:1], labels[:1])
    with pytest.raises(ValueError, match=f"of cluster {labels[0]} it has seen"):
        second.result(metric)
    assert re.search(f"n_samples={N + 1} of {N}", repr(second))


def test_names_of_metrics_and_of_transforms():
    state = ClusterMomentsState().update(X, LABELS)
    with pytest.raises(ValueError, match="davies_bouldin_score needs the rows twice"):
        state.result("davies_bouldin_score")
    with pytest.raises(ValueError, match="metric must be one of 'calinski_harabasz_score'; got 'silhouette_score'"):
        state.result("silhouette_score")
    with pytest.raises(ValueError, match="metric must be one of 'calinski_harabasz_score', 'davies_bouldin_score'"):
        state.fitted().update(X, LABELS).result("inertia")
    for given in ("unit", ["cosine"]):
        with pytest.raises(ValueError, match=re.escape(f"'correlation' or None, got {given!r}")):
            ClusterMomentsState(transform=given)


@pytest.mark.parametrize("name", [name for name, (_, _, metric) in STATES.items() if metric is not None])
@pytest.mark.parametrize("metric", [["f1_score"], None, gm.f1_score, {"metric": 1}])
def test_a_metric_that_is_no_name(name, metric):
    state = blank(name).update(*STATES[name][1])
    with pytest.raises(ValueError, match=r"^metric must be .*got "):
        state.result(metric)


def test_columns_of_a_matrix_as_labels_are_warned_of_as_by_the_functions():
    with pytest.warns(gm.exceptions.DataConversionWarning, match="A column-vector y was passed"):
        ClusterMomentsState().update(X, LABELS[:, None])


@pytest.mark.parametrize("name", ["ContingencyState", "LabelCountsState", "ClusterMomentsState", "SilhouetteScorer"])
def test_memory_does_not_follow_the_number_of_batches(name):
    rng = np.random.default_rng(0)
    state, batches = blank(name), 200
    rows = rng.normal(size=(1000, 4))

    def update():
        labels = rng.integers(0, 5, 1000)
        if name in {"ContingencyState", "LabelCountsState"}:
            state.update(labels, rng.integers(0, 5, 1000))
        else:
            state.update(rows, labels)

    tracemalloc.start()
    try:
        for _ in range(10):
            update()
        gc.collect()
        before, peak_before = tracemalloc.get_traced_memory()
        for _ in range(batches):
            update()
        gc.collect()
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # The labels alone of all batches are 1.6 MB.
    assert held - before < 100_000
    assert peak < peak_before + 200_000
    assert state.n_rows == 1000 * (batches + 10)
