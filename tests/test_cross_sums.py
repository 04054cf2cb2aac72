"""Sums of distances between two blocks of rows, for both of them, on every backend."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import gpumetrics as gm
from gpumetrics.backends import operations_on
from gpumetrics.backends.array_modules import as_host
from gpumetrics.distance_metrics import check_metric, prepare
from gpumetrics.features import check_features

ACCURACY = {np.float64: 1e-10, np.float32: 1e-6}
# Rows of each cell of the first side, and of the other; cells of many tiles, and of one row.
SIDES = {
    "small": ([3, 1, 4], [2, 5]),
    "one row": ([1], [1, 1, 3]),
    "large cells": ([900, 20, 1], [700, 3, 1, 40]),
    "many cells": ([2] * 150, [1] * 90 + [30]),
}


@pytest.fixture
def here(backend):
    """A function that puts an array where the backend computes."""
    if backend == "numpy":
        return np.asarray
    import cupy

    return cupy.asarray


def sums_of(X, sides, metric, here, *, mirror=True):
    """Call the operation on rows in mixed order."""
    sizes = np.array([*sides[0], *sides[1]])
    codes = np.repeat(np.arange(len(sizes)), sizes)
    n_first = sum(sides[0])
    rng = np.random.default_rng(3)
    order = np.concatenate([rng.permutation(n_first), n_first + rng.permutation(len(codes) - n_first)])
    X, codes = X[order], codes[order]
    checked, features = prepare(check_metric(metric, {}, "f")[0], check_features(here(X)))
    arguments = features, here(codes), sizes, here(sizes[codes]), checked, n_first
    found = operations_on(here(codes)).cross_sums(*arguments, mirror=mirror)
    return [as_host(part) for part in found], X, codes, n_first


@pytest.mark.parametrize("memory", [1, 1024])
@pytest.mark.parametrize("dtype", ACCURACY)
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("name", SIDES)
def test_both_sides(here, rng, name, metric, dtype, memory):
    sides = SIDES[name]
    X = (rng.normal(size=(sum(map(sum, sides)), 5)) + 30).astype(dtype)
    with gm.config_context(working_memory=memory):
        (first, others), X, codes, n = sums_of(X, sides, metric, here)
    distances = cdist(X[:n].astype(float), X[n:].astype(float), {"manhattan": "cityblock"}.get(metric, metric))
    cells = len(sides[0])
    expected = np.stack([distances[:, codes[n:] == c].sum(axis=1) for c in range(cells, cells + len(sides[1]))], axis=1)
    mirrored = np.stack([distances[codes[:n] == c].sum(axis=0) for c in range(cells)], axis=1)
    unit = 2.0 ** np.round(np.log2(expected.max() / first.max()))  # sums are in a power of two
    np.testing.assert_allclose(first * unit, expected, rtol=ACCURACY[dtype])
    np.testing.assert_allclose(others * unit, mirrored, rtol=ACCURACY[dtype])


def test_one_side(here, rng):
    sides = SIDES["large cells"]
    X = rng.normal(size=(sum(map(sum, sides)), 3))
    with gm.config_context(working_memory=1):
        both, one = (sums_of(X, sides, "euclidean", here, mirror=mirror)[0] for mirror in (True, False))
    np.testing.assert_allclose(one[0], both[0], rtol=1e-12)
    assert not one[1].size


def test_blocks_of_a_table_have_one_unit(here, rng):
    """The same table's features, with other rows: sums of blocks add up."""
    X = rng.normal(size=(60, 4)).astype(np.float32)
    X[0] = 200
    whole = check_features(X)
    found = []
    for rows in (slice(0, 30), slice(30, 60)):
        from dataclasses import replace

        part = replace(whole, data=here(X[rows]))
        metric, part = prepare(check_metric("euclidean", {}, "f")[0], part)
        codes, sizes = here(np.repeat([0, 1], 15)), np.array([15, 15])
        sums = operations_on(codes).cross_sums(part, codes, sizes, here(np.full(30, 15)), metric, 15)[0]
        found.append(as_host(sums)[:, 0] / cdist(X[rows][:15].astype(float), X[rows][15:].astype(float)).sum(axis=1))
    np.testing.assert_allclose(found[0], found[0][0], rtol=1e-6)
    np.testing.assert_allclose(found[1], found[0][0], rtol=1e-6)
