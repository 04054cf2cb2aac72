"""Every case answers right at toy size, and every metric that scikit-learn has too has a case."""

import catalogue
import pytest

import gpumetrics as gm
from benchmarks.cases import CASES, WITHOUT, jobs

WITH_TWIN = {metric.name for metric in catalogue.METRICS + catalogue.TARGETS if metric.peer is not None}


@pytest.mark.parametrize("name", [case.name for case in CASES])
def test_ours_and_scikit_learn_are_right(measured, name):
    record = measured(name, "toy")
    sides = record["sides"]
    assert {side: (facts["state"], facts["reason"]) for side, facts in sides.items()} == {
        "gpumetrics": ("ok", ""),
        "scikit-learn": ("ok", ""),
    }
    assert all(facts["seconds"] > 0 for facts in sides.values())
    assert (record["limit"]["what"] == "none") != ("seconds" in record["limit"])


def test_every_metric_with_a_twin_has_a_case_or_a_reason():
    assert len(WITH_TWIN) > 25
    measured = {case.metric for case in CASES}
    assert WITH_TWIN - measured - set(WITHOUT) == set()
    assert not measured & set(WITHOUT)
    assert measured <= set(gm.__all__)


def test_names_are_unique():
    assert len({case.name for case in CASES}) == len(CASES)


def test_shapes_of_the_sizes():
    small = [job.shape.n for job in jobs(["sil-f32-64"], ["small"])]
    assert small == [100, 1_000, 10_000]
    assert {job.shape.n for job in jobs(["sil-f32-64"], ["full"])} == {20_000}
    for job in jobs(sizes=["small"]):
        assert job.case.unit == "tags" or job.shape.k <= job.shape.n // 10


def test_patterns_pick_cases():
    assert {job.case.name for job in jobs(["sil-f*"], ["toy"])} == {c.name for c in CASES if c.name.startswith("sil-f")}
    assert {job.case.name for job in jobs(["jaccard-s"], ["toy"])} == {"jaccard-samples", "jaccard-samples-csr"}
    assert {job.case.name for job in jobs(["jaccard-samples"], ["toy"])} == {"jaccard-samples"}
    assert list(jobs(["no such case"])) == []


def test_host_data_is_not_measured_on_a_gpu():
    on_gpu = {job.case.name for job in jobs(sizes=["toy"], backends=["cupy"])}
    assert "ari" in on_gpu
    assert not on_gpu & {"contingency-strings", "f1-macro-csr"}
