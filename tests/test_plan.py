"""`gpumetrics.planning`: formulas against figures worked out by hand, order in every size, extremes, words."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.clustering import cost
from gpumetrics.planning import ASSUMED_GPU, Machine, Plan, plan, this_machine
from gpumetrics.planning.words import time_text
from gpumetrics.text.messages import Message, translated

HERE = "this machine"
# Round speeds, so that seconds can be worked out by hand.
GPU = Machine("GPU", 1e11, 1e13, 1e12, 1e12, 1e10, 1e9, reached=0.5, gpu=True)
CPU = Machine("CPU", 1e11, 1e12, 5e11, 1e10, 1e9, 1e9)


def line(work, place=HERE, *sizes, **options):
    return plan(*(sizes or (1e6, 100, 10)), **options).line(work, place)


def test_closed_form_by_hand():
    found = line("silhouette_closed_form", "2 GPUs", metric="cosine", n_gpus=2, gpu=GPU)
    # 2 n k d of the product, 14 n d in the passes, 6 n k for the means.
    assert_equal(found["flops"], 2e9 + 1.4e9 + 6e7)
    assert_equal(found["read_bytes"], 3 * 4e8)
    state = 8 * 10 * (2 * 100 + 3)
    assert_equal(found["moved_bytes"], 2 * state + 160)
    assert_equal(found["memory_bytes"], 5e5 * 70 + 4 * 8 * 1000 + 2**30)
    # Per GPU: 1e9 at half of 1e12; the three passes and what they leave (16 bytes an entry, 16 a mean) at half of 1e12.
    computing = 1e9 / 5e11 + (6e8 + 24e8 + 8e7) / 5e11
    assert_allclose(found["seconds"], computing + (2 * state + 160) / 1e9, rtol=1e-12)
    assert_equal(found["fits"], "held")


def test_all_pairs_by_hand():
    found = line("silhouette_pairs", "4 GPUs", n_gpus=4, gpu=GPU)
    assert_equal(found["flops"], 1e12 * 100 + 8 * 5e11)
    exchanged = 4e8 + 8e7  # the rows, and their sums over ten clusters
    assert_equal(found["moved_bytes"], 3 / 2 * exchanged)
    # 64 features more of a pair for a tile's other work, in float32; two reads of X, and its blocks in float64.
    computing = (1e12 * 164 / 1e13 + (8e8 + 16e8) / 1e12) / 0.5 / 4
    assert_allclose(found["seconds"], computing + 3 / 4 * exchanged / 2 / 1e9, rtol=1e-12)
    assert_equal(found["memory_bytes"], 2.5e5 * (70 + 80) + 2**30)


def test_an_estimate_by_hand():
    found = plan(1e6, 100, 10, n_queries=400, n_gpus=2, gpu=GPU)
    estimate = found.line("silhouette_estimate", "2 GPUs")
    assert_equal(estimate["flops"], 2 * 4e8 * 100 + 8 * 4e8)
    assert_equal(estimate["moved_bytes"], 400 * (400 + 80))
    assert_allclose(found.stderr, np.array([0.25, 1]) * math.sqrt((1 - 400 / 1e6) / 400), rtol=1e-12)
    assert_equal(plan(300, 5, 3).stderr, (0.0, 0.0))  # all rows are asked


def test_compactness_and_counts_by_hand():
    found = plan(1e6, 100, 10, n_gpus=3, gpu=GPU)
    state = 8 * 10 * (2 * 100 + 3)
    ch, db, table, counts = (
        found.line(name, "3 GPUs") for name in ("calinski_harabasz", "davies_bouldin", "contingency", "label_counts")
    )
    assert_equal([ch["read_bytes"], db["read_bytes"]], [8e8, 12e8])
    assert_equal([ch["moved_bytes"], db["moved_bytes"]], [2 * state, 2 * (2 * state + 160)])
    assert_equal(db["flops"] - ch["flops"], 4e8 + 2 * 100 * 100)
    # Ten labels against ten: 100 cells of three numbers. Four counts of each label.
    assert_equal([table["moved_bytes"], counts["moved_bytes"]], [2 * 24 * 100, 2 * 320])
    assert_equal([table["read_bytes"], counts["read_bytes"]], [16e6, 16e6])
    # 1.2e9 bytes of three passes, and 16 more an entry, over three GPUs; 20,000 operations by one; two steps of a tree.
    seconds = (1.2e9 + 4.8e9) / 5e11 / 3 + 2e4 / 5e11 + 2 * (2 * state + 160) / 1e9
    assert_allclose(db["seconds"], seconds, rtol=1e-12)


def test_rows_that_no_gpu_holds_wait_for_the_host():
    small = replace(GPU, memory=2e9)
    found = line("calinski_harabasz", "1 GPU", 1e8, 100, 10, n_gpus=1, gpu=small)
    assert_equal(found["fits"], "in pieces")
    assert_allclose(found["seconds"], 2 * 4e10 / 1e10, rtol=1e-12)
    assert_equal(found["memory_bytes"], 4 * 8 * 1000 + 2**30)


def test_how_many_hold_it_by_hand():
    # 1e9 rows of 400 + 70 bytes; 90 % of 1e11 bytes less a gibibyte and the tables.
    room = 9e10 - 2**30 - 32_000
    assert_equal(plan(1e9, 100, 10, metric="cosine", gpu=GPU).gpus_to_hold, math.ceil(4.7e11 / room))
    assert_equal(plan(1e9, 100, 10, metric="cosine", machine=CPU).workers_to_hold, math.ceil(4.4e11 / room))
    assert_equal(plan(1e9, 100, 10, metric="cosine", dtype="float16", gpu=GPU).gpus_to_hold, math.ceil(2.7e11 / room))
    with gm.config_context(working_memory=2 * 2**20):
        found = plan(1e9, 100, 10, metric="cosine")
    assert_equal([found.gpus_to_hold, found.workers_to_hold], [None, None])
    assert "more than any of these holds" in " ".join(found.advice)


def test_this_machine_is_as_silhouettes_expect_it():
    for metric, work in (("cosine", "silhouette_closed_form"), ("euclidean", "silhouette_pairs")):
        want = cost.estimate_seconds(20_000, 64, 10, metric)
        assert_allclose(line(work, HERE, 20_000, 64, 10, metric=metric)["seconds"], want, rtol=1e-12)
    few, many = (line("silhouette_estimate", HERE, 20_000, 64, 10, n_queries=m)["seconds"] for m in (500, 900))
    asked = [cost.estimate_seconds(20_000, 64, 10, "euclidean", n_queries=m) for m in (500, 900)]
    assert_allclose(many - few, asked[1] - asked[0], rtol=1e-9)
    assert few > asked[0]  # the rows are sorted besides


def test_a_machine_of_half_the_speed_takes_twice_as_long():
    slow = replace(this_machine(), float32=this_machine().float32 / 2)
    for table in (plan(1e5, 64, 10), plan(1e5, 64, 10, metric="cosine")):
        again = plan(1e5, 64, 10, metric=table.problem.metric, machine=slow).table
        here = again["workers"] == 1
        here &= again["place"] == HERE
        assert_allclose(again["seconds"][here], 2 * table.table["seconds"][here], rtol=1e-12)


def test_float64_takes_longer_and_half_precision_less_room():
    single, double = plan(1e5, 384, 10, gpu=GPU, n_gpus=1), plan(1e5, 384, 10, dtype=np.float64, gpu=GPU, n_gpus=1)
    for place in (HERE, "1 GPU"):
        assert (
            double.line("silhouette_pairs", place)["seconds"] > 1.4 * single.line("silhouette_pairs", place)["seconds"]
        )
    assert_equal(
        [plan(100, 5, 3, dtype=kind).data_bytes for kind in ("bfloat16", "int8", "float64")], [1000, 500, 4000]
    )


LARGER = st.floats(1.1, 50)


@settings(max_examples=60, deadline=None)
@given(st.integers(1000, 10**9), st.integers(3, 5000), st.integers(2, 900), LARGER, st.sampled_from(["n", "d", "k"]))
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "chebyshev"])
def test_more_of_anything_never_costs_less(metric, n, d, k, factor, which):
    sizes = {"n": n, "d": d, "k": k}
    more = sizes | {which: min(max(sizes[which] + 1, int(sizes[which] * factor)), n - 1 if which == "k" else 10**12)}
    some, many = (plan(*s.values(), metric=metric, n_gpus=4, n_workers=4).table for s in (sizes, more))
    assert_array_equal(some["work"], many["work"])
    for name in ("flops", "read_bytes", "moved_bytes", "seconds"):
        assert (many[name] >= some[name] * (1 - 1e-12)).all(), name


@settings(max_examples=30, deadline=None)
@given(st.integers(10_000, 10**9), st.sampled_from(["cosine", "euclidean"]))
def test_the_rows_of_a_day_take_a_day(n, metric):
    found = plan(n, 64, 10, metric=metric, n_gpus=2)
    for place in (HERE, "2 GPUs"):
        work = "silhouette_closed_form" if metric == "cosine" else "silhouette_pairs"
        limit = found.line(work, place)
        if limit["limited_by"] == "time" and limit["rows_in_a_day"] < 2**62:
            again = plan(limit["rows_in_a_day"], 64, 10, metric=metric, n_gpus=2)
            assert 0.99 * 86_400 < again.line(work, place)["seconds"] <= 86_400


@pytest.mark.parametrize(
    "sizes", [(3, 1, 2), (2**63 - 1, 2**40, 2**62), (2**63 - 1, 1, 2), (1e6, 1, 999_999), (4, 10**9, 3)]
)
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_extremes(sizes, metric):
    found = plan(*sizes, metric=metric, n_workers=10**6)
    for name, column in found.table.items():
        if column.dtype.kind == "f":
            assert np.isfinite(column).all(), name
            assert (column >= 0).all(), name
    assert len(str(found).splitlines()) < 80
    json.loads(found.to_json())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 1.5}, "n_samples must be a whole number from 3 to 2**63 - 1, got 1.5"),
        ({"n_samples": 2**63}, "n_samples must be"),
        ({"n_samples": math.nan}, "n_samples must be"),
        ({"n_samples": True}, "n_samples must be"),
        ({"n_samples": "1e8"}, "n_samples must be"),
        ({"n_features": 0}, "n_features must be a whole number from 1"),
        ({"n_clusters": 1}, "n_clusters must be a whole number from 2"),
        ({"n_clusters": 1000}, "n_clusters must be from 2 to n_samples - 1 = 999"),
        ({"metric": "cosin"}, "metric must be one of"),
        ({"metric": "precomputed"}, "metric must be one of"),
        ({"metric": ["cosine"]}, "metric must be one of"),
        ({"metric": "haversine"}, "takes n_features=2"),
        ({"dtype": "complex64"}, "dtype must be that of real numbers"),
        ({"dtype": "float31"}, "dtype must be"),
        ({"dtype": None}, "dtype must be"),
        ({"n_queries": 1}, "n_queries must be a whole number from 2"),
        ({"n_workers": 0}, "n_workers must be"),
        ({"n_gpus": 10**7}, "n_gpus must be from 1 to 1000000"),
        ({"machine": GPU}, "machine must be a Machine with gpu=False"),
        ({"gpu": "H100"}, "gpu must be a Machine with gpu=True"),
    ],
)
def test_errors(arguments, message):
    given_ = {"n_samples": 1000, "n_features": 8, "n_clusters": 10} | arguments
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is looked at below)
        plan(given_.pop("n_samples"), given_.pop("n_features"), given_.pop("n_clusters"), **given_)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "change", [{"memory": 0}, {"link": math.inf}, {"float32": "1"}, {"reached": 1.5}, {"feed": True}]
)
def test_errors_of_machines(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        replace(ASSUMED_GPU, **change)


def test_advice_where_exact_is_out_of_reach():
    found = plan(1e9, 768, 1000, n_gpus=8, n_queries=4000)
    text = " ".join(found.advice)
    assert "The exact euclidean silhouette is out of reach" in text
    assert (
        "silhouette_estimate, with 4,000 rows asked, has a standard error of about 0.004, and of 0.016 at most" in text
    )
    assert "such GPUs would do it within a day" in text
    assert "It is held by" in text
    assert "45 GPUs of 80 GB" in text
    assert "GPU" not in str(found).split("On 8 GPUs")[0].split("Plan for")[0]
    assert "assumed: nothing was measured on a GPU" in str(found)


def test_advice_where_exact_is_within_reach():
    near = plan(20_000, 64, 10)
    assert near.advice[0].startswith("Take silhouette_score with metric euclidean: comparing all pairs")
    assert "silhouette_estimate" not in near.advice[1]
    closed = plan(1e9, 768, 1000, metric="correlation")
    assert closed.advice[0].startswith("Take silhouette_score with metric correlation, exact in closed form. It takes")
    assert "silhouette_pairs" not in closed.table["work"]


def test_too_little_memory_is_said():
    found = plan(1e8, 768, 1000, machine=replace(this_machine(), memory=2e9))
    assert_equal(found.line("silhouette_pairs", HERE)["fits"], "no")
    assert "more memory than there is on this machine" in " ".join(found.advice)
    assert "too little memory" in str(found)


def test_sentences_have_their_korean():
    plans = [plan(1e9, 768, 1000, n_workers=9), plan(1e5, 9, 3, metric="manhattan"), plan(1e6, 9, 3, metric="cosine")]
    with gm.config_context(working_memory=2 * 2**20):
        plans.append(plan(1e6, 9, 3))
    plans.append(plan(1e7, 64, 10))
    for text in [text for found in plans for text in (*found.advice, *found.notes)]:
        assert isinstance(text, Message)
        korean = translated(text, "ko")
        assert korean != text
        assert not [word for word in (" machine", " rows", " of ", "takes") if word in korean]


def test_times():
    want = {
        0.0: "0 ms",
        0.5: "500 ms",
        99.7: "100 s",
        119: "119 s",
        7199: "120 min",
        1e5: "28 h",
        1e20: "3.2e+12 years",
    }
    assert [time_text(seconds) for seconds in want] == list(want.values())


def test_a_plan_is_a_result():
    found = plan(1e8, 768, 1000, metric="cosine", n_workers=2)
    assert isinstance(found, Plan)
    loaded = json.loads(found.to_json())
    assert_equal(loaded["line_seconds"], found.table["seconds"].tolist())
    assert_equal([place["place"] for place in loaded["places"]], [HERE, "2 machines", "5 GPUs"])
    assert_equal(loaded["places"][2]["measured"], False)
    assert_equal(found.numbers()["data_bytes"], 1e8 * 768 * 4)
    frame = found.to_frame("pandas")
    assert_equal(len(frame), 15)
    assert_array_equal(frame["seconds"], found.table["seconds"])
    html = found._repr_html_()
    assert "On 5 GPUs (assumed: nothing was measured on a GPU)" in html
    assert html.count("<table>") == 3
    with pytest.raises(KeyError):
        found.line("silhouette_pairs", HERE)


def test_distances_cost_what_their_formulas_do():
    """Mahalanobis' goes through a matrix for each pair; of the boolean ones some count far longer than others."""

    def seconds(metric, n_features):
        return cost.estimate_seconds(50_000, n_features, 10, metric)

    assert_allclose(seconds("mahalanobis", 1000) / seconds("mahalanobis", 500), 4, rtol=0.01)
    assert_allclose(seconds("sokalsneath", 1000) / seconds("dice", 1000), 6, rtol=0.05)
