"""Every figure of the three documents that a state can give, from two batches."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose
from worked import ROWS, VALUES

import gpumetrics as gm
from gpumetrics.streaming import ClosedFormSilhouetteState, ClusterMomentsState, ContingencyState, LabelCountsState
from gpumetrics.streaming import contingency_state as contingency
from gpumetrics.streaming import label_counts_state as counts


def halves(*columns):
    """The columns of two batches; None where there are no two rows."""
    columns = [column if hasattr(column, "shape") else np.asarray(column) for column in columns]
    middle = columns[0].shape[0] // 2
    return ([c[:middle] for c in columns], [c[middle:] for c in columns]) if middle else None


def given(function, args, kwargs):
    bound = inspect.signature(function).bind(*args, **kwargs)
    return list(bound.args), dict(bound.kwargs)


def of_pairs(state, name, used):
    function = getattr(gm, name)

    def streamed(*args, **kwargs):
        columns, options = given(function, args, kwargs)
        settings = {"noise_label": options.pop("noise_label", None)} if state is ContingencyState else {}
        weights = [options.pop("sample_weight")] if options.get("sample_weight") is not None else []
        options.pop("sample_weight", None)
        if "contingency" in options or not (batches := halves(*columns, *weights)):
            return function(*args, **kwargs)
        used.append(name)
        first, second = (state(**settings).update(*batch) for batch in batches)
        return second.merge(first).result(name, **options)

    return streamed


def of_rows(name, used):
    function = getattr(gm, name)

    def streamed(*args, **kwargs):
        columns, options = given(function, args, kwargs)
        batches = halves(*columns)
        metric = options.pop("metric", None)
        if metric not in {None, "cosine", "sqeuclidean"} or options.keys() - {"noise_label"}:
            return function(*args, **kwargs)
        if name == "silhouette_score":
            if metric is None:
                return function(*args, **kwargs)
            state = ClosedFormSilhouetteState(metric, **options)
        else:
            state = ClusterMomentsState(**options)
        for batch in batches:
            state.update(*batch)
        used.append(name)
        if name == "calinski_harabasz_score":
            return state.result(name)
        return state.fitted().update(*batches[1]).update(*batches[0]).result(name)

    return streamed


@pytest.fixture
def used(monkeypatch):
    """Put states behind the functions' names; the names that were used."""
    used = []
    replaced = {name: of_pairs(ContingencyState, name, used) for name in contingency.METRICS}
    replaced |= {name: of_pairs(LabelCountsState, name, used) for name in counts.METRICS}
    rows = ("calinski_harabasz_score", "davies_bouldin_score", "silhouette_score")
    replaced |= {name: of_rows(name, used) for name in rows}
    for name, function in replaced.items():
        monkeypatch.setattr(gm, name, function)
    return used


def test_values_of_the_documents(used):
    streamed = 0
    for row_id, check in VALUES.items():
        before = len(used)
        found = np.asarray(check(ROWS[row_id]), dtype=float)
        wanted = np.asarray(ROWS[row_id]["computed"], dtype=float)
        assert_allclose(found, wanted, rtol=1e-10, atol=1e-13, err_msg=row_id)
        streamed += len(used) > before
    assert streamed > 60
    assert len(set(used)) > 15
