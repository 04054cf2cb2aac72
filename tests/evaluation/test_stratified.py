"""Stratified samples: who is drawn, how many of each stratum, what the sample says of the whole."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal

import gpumetrics as gm
from gpumetrics.backends.array_modules import as_host
from gpumetrics.backends.numpy_labels import encode
from gpumetrics.evaluation.row_draws import RADIX, RowDraws
from gpumetrics.evaluation.stratified import (
    allocate,
    random_source,
    strata_of,
    stratified_mean,
    stratified_rows,
    stratum_means,
)


@pytest.mark.parametrize("steps", [(4,), (2, 4), (1, 2, 3, 4)])
def test_every_order_is_as_likely(steps):
    source, seen = np.random.default_rng(0), Counter()
    for _ in range(4800):
        draws = RowDraws(None, np.array([4]), source)
        seen[tuple(np.concatenate([draws.up_to(np.array([n])) for n in steps]).tolist())] += 1
    assert_equal(len(seen), 24)
    assert sum((n - 200) ** 2 / 200 for n in seen.values()) < 49.7  # chi-squared, 23 degrees of freedom, 0.001


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
@pytest.mark.parametrize("device", [False, True])
def test_rows_of_strata_are_drawn_once(emulated, source, device):
    counts = np.array([1, 7, 200, 40])
    codes = np.random.default_rng(0).permutation(np.repeat(np.arange(4), counts))
    draws = RowDraws(emulated.asarray(codes) if device else codes, counts, source(5))
    rows = [draws.up_to(np.array(n)) for n in ([0, 2, 5, 0], [1, 2, 60, 3], [1, 1, 1, 3], [9, 9, 999, 999])]
    assert all(type(part) is np.ndarray for part in rows)
    assert_array_equal([np.bincount(codes[part], minlength=4) for part in rows[:2]], [[0, 2, 5, 0], [1, 0, 55, 3]])
    assert_equal(len(rows[2]), 0)
    assert_array_equal(np.sort(np.concatenate(rows)), np.arange(248))
    again = RowDraws(codes, counts, source(5))
    assert_array_equal(np.concatenate([again.up_to(np.array([0, 2, 5, 0]))]), rows[0])


def test_more_strata_than_sort_in_linear_time():
    n = RADIX + 5
    rows = RowDraws(np.arange(n)[::-1].copy(), np.ones(n, int), random_source(0)).up_to(np.ones(n, int))
    assert_array_equal(rows, np.arange(n)[::-1])


@pytest.mark.parametrize("n_rows", [2, 10, 57, 300, 999, 1000, 5000])
def test_rows_are_shared_out_in_proportion(n_rows):
    counts = np.array([1, 2, 3, 14, 180, 800])
    got = allocate(counts, n_rows)
    assert_equal(got.sum(), min(1000, max(n_rows, 11)))
    assert (got <= counts).all()
    assert (got >= np.minimum(counts, 2)).all()
    spare = counts * (got[-1] / 800)  # one rate for all that have more than two, but for rounding
    assert (np.abs(got - spare)[got > 2] < 1.5).all()


def test_shares_never_shrink():
    counts = np.random.default_rng(0).integers(1, 400, 30)
    before = allocate(counts, 60)
    for n_rows in range(61, 2000, 7):
        after = allocate(counts, n_rows)
        assert (after >= before - 1).all()  # the remainders may move by one; whoever draws keeps what he has
        before = after


@pytest.mark.parametrize("n_rows", [10, 100, 599, 1200, 2400])
@pytest.mark.parametrize("least", [2, 10])
def test_small_clusters_share_a_stratum(n_rows, least):
    sizes = np.concatenate([[3000, 700, 90], np.full(597, 2)])
    stratum = strata_of(sizes, n_rows, least)
    counts = np.bincount(stratum, weights=sizes)
    assert_equal(counts.sum(), sizes.sum())
    assert_array_equal(np.unique(stratum), np.arange(len(counts)))
    if least == 2 and n_rows == 2400:
        assert_array_equal(stratum, np.arange(600))
        return
    expected = counts * n_rows / sizes.sum()
    assert (expected >= least).all() or len(counts) == 1
    own = np.bincount(stratum)[stratum] == 1
    assert sizes[own].min(initial=10**9) >= sizes[~own].max(initial=0)


@pytest.mark.parametrize("n_rows", [2, 20, 200, 400, 402, 500, 800, 1500, 9000])
def test_small_strata_leave_the_large_ones_their_share(n_rows):
    for sizes in (np.append(3000, np.full(200, 5)), np.full(200, 20), np.arange(1, 90), np.array([11, 1])):
        stratum = strata_of(sizes, n_rows)
        counts = np.bincount(stratum, weights=sizes).astype(int)
        rate = allocate(counts, n_rows) / counts
        assert rate.min() >= 0.5 * min(1, n_rows / counts.sum())


def test_means_of_strata_by_hand():
    values, codes = np.array([1.0, 3, 8, 5]), np.array([0, 0, 1, 3])
    found = stratum_means(values, codes, np.array([4, 6, 3, 1]))
    assert_array_equal(found.n_rows, [2, 1, 0, 1])
    assert_array_equal(found.mean, [2, 8, np.nan, 5])
    assert_array_equal(found.variance, [(1 - 2 / 4) * 2 / 2, np.nan, np.nan, 0])


def test_degrees_of_freedom():
    rng = np.random.default_rng(0)
    values, codes = rng.normal(size=60), np.repeat([0, 1, 2], 20)
    assert 50 < stratified_mean(values, codes, np.array([900, 900, 900])).freedom <= 57
    assert_equal(stratified_mean(values, np.zeros(60, int), np.array([900])).freedom, 59)
    one = stratified_mean(np.concatenate([values, [0, 40]]), np.append(codes, [3, 3]), np.array([9, 9, 9, 900]) + 20)
    assert one.freedom < 1.1  # all of it rests on two rows
    assert_equal(stratified_mean(np.ones(4), np.array([0, 0, 1, 1]), np.array([9, 9])).freedom, math.inf)


@pytest.mark.usefixtures("backend")
def test_the_report_draws_from_strata(monkeypatch):
    from gpumetrics.evaluation import silhouette_part

    monkeypatch.setattr(silhouette_part, "FEWEST_QUERIES", 100)
    monkeypatch.setattr(silhouette_part, "MOST_QUERIES", 100)
    rng = np.random.default_rng(0)
    labels = np.concatenate([np.zeros(500, int), np.ones(400, int), 2 + np.arange(300) % 100])
    X = 5 * rng.normal(size=(102, 3))[labels] + rng.normal(size=(1200, 3))
    report = gm.evaluate_clustering(X, labels, silhouette="estimate", random_state=0)
    asked = report.per_cluster["rows_evaluated"]
    assert_array_equal([*asked[:2], asked[2:].sum()], [42, 33, 25])
    assert "100 of 1,200 rows, drawn at random by cluster" in report.notes["estimate"]
    assert abs(report.scores["silhouette"] - gm.silhouette_score(X, labels)) < 4 * report.silhouette_standard_error
    assert math.isnan(report.scores["silhouette_macro"])


def test_rows_are_drawn_from_codes_on_a_device(emulated):
    codes = encode(np.random.default_rng(0).integers(0, 5, 300))[0]
    counts = np.bincount(codes)
    here, there = stratified_rows(codes, counts, 40, 3), stratified_rows(emulated.asarray(codes), counts, 40, 3)
    assert_array_equal(here, there)
    assert_allclose(as_host(there), np.sort(here))
