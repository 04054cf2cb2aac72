"""Clocks, growth, memory, and a process for each side."""

import dataclasses
import subprocess
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks import alone, growth, memory
from benchmarks.case import Job
from benchmarks.cases import named
from benchmarks.clock import MANY, Others, Side, copied, in_turn
from benchmarks.limits import LIMITS


def test_sides_run_in_turn_on_copies():
    seen, data = [], np.arange(3.0)

    def spoil(array, word):
        seen.append((word, array.tolist()))
        array[:] = -1

    sides = {word: Side(lambda a, word=word: spoil(a, word), [data]) for word in "ab"}
    seconds, rounds = in_turn(sides, rounds=2)
    assert rounds == 2
    assert [word for word, _ in seen] == ["a", "b", "a", "b"]
    assert all(values == [0, 1, 2] for _, values in seen)
    assert seconds["a"].wall > 0
    assert_array_equal(data, [0, 1, 2])


def test_the_median_counts():
    pauses = iter([0.2, 0.01, 0.01])
    seconds, _ = in_turn({"a": Side(lambda: time.sleep(next(pauses)), [])}, rounds=3)
    assert 0.01 <= seconds["a"].wall < 0.15


def test_quick_calls_get_more_rounds_and_long_ones_fewer():
    assert in_turn({"a": Side(lambda: None, [])}, rounds=4)[1] == MANY
    assert in_turn({"a": Side(lambda: time.sleep(0.02), [])}, rounds=15, budget=0.01)[1] == 3


def test_a_context_surrounds_the_call_outside_of_the_clock():
    class Slow:
        def __enter__(self):
            time.sleep(0.1)

        def __exit__(self, *_):
            time.sleep(0.1)

    seconds, _ = in_turn({"a": Side(lambda: None, [], around=Slow)}, rounds=1)
    assert seconds["a"].wall < 0.05


def test_lists_are_copied_too():
    labels = np.arange(2)
    again = copied([[labels], 7])
    again[0][0][0] = 9
    assert labels[0] == 0
    assert again[1] == 7


def test_others_see_another_program(tmp_path):
    spin = ["python3", "-c", "import time; end = time.time() + 20\nwhile time.time() < end: pass"]
    with Others() as alone_here:
        time.sleep(0.2)
    busy = subprocess.Popen(spin, cwd=tmp_path)
    try:
        time.sleep(0.3)
        with Others() as others:
            time.sleep(0.4)
    finally:
        busy.kill()
        busy.wait()
    if others.share is None:
        pytest.skip("this system does not tell what others do")
    assert alone_here.share >= 0
    assert others.share > 0


def test_exponents():
    sizes = np.array([10, 20, 40])
    assert_allclose(growth.exponent(sizes, 3 * sizes**2), 2)
    assert_allclose(growth.exponent(sizes, [5, 5, 5]), 0, atol=1e-12)


@pytest.mark.parametrize("axis", growth.AXES, ids=lambda axis: f"{axis.case}-{axis.axis}")
def test_axes(axis):
    values = [getattr(shape, axis.axis) for shape in axis.shapes(toy=False)]
    assert values == list(axis.values)
    assert axis.axis != "n" or axis.most is not None
    assert axis.most is None or values[-1] == 2 * values[-2]


def test_growth_at_toy_sizes():
    found = growth.grown(growth.AXES[0], toy=True)
    assert found["values"] == [100, 200, 400]
    assert_allclose(found["doubling"], found["seconds"][-1] / found["seconds"][-2])
    assert_allclose(found["exponent"], growth.exponent(found["values"], found["seconds"]))


def test_growth_of_wrong_answers_is_not_measured(monkeypatch):
    monkeypatch.setattr("gpumetrics.adjusted_rand_score", lambda *_: 0.5)
    axis = next(axis for axis in growth.AXES if axis.case == "ari")
    with pytest.raises(ArithmeticError, match="ari: gpumetrics"):
        growth.grown(axis, toy=True)


@pytest.fixture
def job():
    return Job(named("ari"), "full", dataclasses.replace(named("ari").toy, n=400_000), "numpy")


def test_a_side_alone(job):
    facts, answer = alone.first_answer(job, "gpumetrics", 120)
    assert 0 < facts["seconds"] < 60
    assert 0 <= facts["peak_mib"] < 200
    assert 0.2 < answer < 0.8


def test_a_peer_without_the_metric_alone(job):
    contingency = dataclasses.replace(job, case=named("entropy"))
    facts, answer = alone.first_answer(contingency, "scikit-learn-intelex", 120)
    assert answer is None
    assert facts == {"lacks": "it changes nothing of this: scikit-learn's own code runs"}


def test_a_side_that_takes_too_long(job):
    assert alone.first_answer(job, "gpumetrics", 0.01) == ({"cannot": "no answer within 0.01 s"}, None)


def test_a_side_that_crashes(job):
    facts, answer = alone.first_answer(job, "no such peer", 120)
    assert answer is None
    assert "no such peer" in facts["cannot"]


def test_the_peak_of_memory_is_seen():
    memory.reset_peak()
    before = memory.peak_mib()
    np.ones(40 * 2**20 // 8).sum()
    assert 35 < memory.peak_mib() - before < 90


def test_every_limit_is_known():
    from benchmarks.cases import CASES

    assert {case.limit for case in CASES} - {"none"} == set(LIMITS)
