"""Kernels of centroids, cluster sums, expected mutual information and joint counts against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import hypergeom

from emulation.kernel_launch import BACKENDS, launcher_on


@pytest.fixture(params=BACKENDS)
def launcher(request):
    with launcher_on(request.param) as launcher:
        yield launcher


def centroids(k, d):
    """Clusters' anchors and shifts, far from the origin, some of them close together or equal."""
    rng = np.random.default_rng(k + d)
    anchor, shift = rng.normal(size=(k, d)) + 1e4, 1e-3 * rng.normal(size=(k, d))
    anchor[1::7] = anchor[0]
    shift[1::14] = shift[0]
    shift[8::14] = shift[0] * (1 + 1e-9)
    return anchor, shift


@pytest.mark.parametrize(
    ("n_rows", "k", "first", "part", "d"), [(9, 1, 0, 1, 3), (21, 150, 0, 150, 33), (30, 80, 35, 40, 70)]
)
def test_nearest_means(launcher, n_rows, k, first, part, d):
    rng = np.random.default_rng(0)
    anchor, shift = centroids(k, d)
    codes = rng.integers(0, k, n_rows)
    rows = anchor[codes] + rng.normal(size=(n_rows, d)) * 10.0 ** rng.integers(-9, 1, (n_rows, 1))
    here = slice(first, first + part)
    base = anchor.mean(axis=0)
    x, centre = rows - base, ((anchor - base) + shift)[here]
    extra, weight, floor = rng.random(part), 2.0, 1e-14
    nearest = np.full(n_rows, np.inf)
    nearest[::4] = 1e-3
    before = nearest.copy()
    norms = np.vecdot(x, x), np.vecdot(centre, centre)
    tables = (x @ centre.T, n_rows, part, rows, anchor[here].copy(), shift[here].copy(), d, *norms, extra, codes, first)
    launcher.rows("nearest_means", n_rows, *tables, 0.5e-4, weight, floor, nearest)
    difference = (rows[:, None] - anchor[here]) - shift[here]
    squares = np.vecdot(difference, difference)
    squares[squares <= floor] = 0
    means = weight * squares + extra
    means[codes[:, None] == np.arange(first, first + part)] = np.inf
    assert_allclose(nearest, np.minimum(before, means.min(axis=1)), rtol=1e-11)


@pytest.mark.parametrize(("k", "first", "n_rows", "d"), [(1, 0, 1, 2), (33, 0, 33, 5), (140, 60, 17, 40)])
def test_centroid_gaps(launcher, k, first, n_rows, d):
    anchor, shift = centroids(k, d)
    base = anchor.mean(axis=0)
    centre = (anchor - base) + shift
    norms, rms = np.vecdot(centre, centre), np.random.default_rng(1).random(k)
    gaps = centre[first : first + n_rows] @ centre.T
    coincident = 1e-12
    arguments = (gaps, n_rows, k, first, anchor, shift, d, norms, rms, 0.5e-4, coincident)
    launcher.rows("centroid_gaps", n_rows, *arguments)
    rows = np.arange(first, first + n_rows)
    difference = (anchor[rows, None] - anchor) + (shift[rows, None] - shift)
    wanted = np.sqrt(np.vecdot(difference, difference))
    wanted[wanted <= coincident * (rms[rows, None] + rms)] = 0
    wanted[np.arange(n_rows), rows] = np.inf
    assert_allclose(gaps, wanted, rtol=1e-11)
    assert_array_equal(gaps == 0, wanted == 0)


def test_cluster_sums(launcher):
    rng = np.random.default_rng(2)
    n, d, chunk = 700, 5, 32
    codes = np.repeat(rng.permutation(6), [1, 3, 500, 100, 32, 64])
    values, order = rng.normal(size=(n, d)), rng.permutation(n)
    bounds, first_chunk, clusters = [0], [0], []
    for cluster in dict.fromkeys(codes.tolist()):
        members = np.flatnonzero(codes == cluster)
        bounds += [min(start + chunk, members[-1] + 1) for start in range(members[0], members[-1] + 1, chunk)]
        first_chunk.append(len(bounds) - 1)
        clusters.append(cluster)
    n_chunks = len(bounds) - 1
    partial, total = np.full((n_chunks, d), np.nan), np.ones((6, d))
    launcher.threads("chunk_sums", n_chunks * d, values, order, np.array(bounds), n_chunks, d, partial)
    arguments = (partial, np.array(first_chunk), np.array(clusters), len(clusters), d, total)
    launcher.threads("fold_chunks", len(clusters) * d, *arguments)
    wanted = np.ones((6, d))
    np.add.at(wanted, codes, values[order])
    assert_allclose(total, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("log_counts", [False, True])
def test_expected_cells(launcher, log_counts):
    n = 500
    a, b = (part.ravel() for part in np.meshgrid([1, 2, 7, 250, 499, 500], [1, 3, 90, 260, 500]))
    low, high = np.maximum(a - (n - b), 0), np.minimum(a, b)
    whole, rest = np.divmod(a * b, n)
    start, out = np.clip(whole, low, high), np.full(len(a), np.nan)
    arguments = (a, b, start, whole.astype(np.float64), rest / n, np.full(len(a), n), len(a), n, np.int32(log_counts))
    launcher.threads("expected_cells", len(a), *arguments, out)
    counts = np.arange(n + 1)
    mean = (a * b / n)[:, None]
    ratio = np.maximum(counts / mean, 1e-300)
    value = (
        np.where(counts == 0, 0.0, counts * np.log(np.maximum(counts, 1)) / mean)
        if log_counts
        else (np.where(counts == 0, 1.0, ratio * np.log(ratio) - (ratio - 1)))
    )
    wanted = (hypergeom.pmf(counts, n, a[:, None], b[:, None]) * value).sum(axis=1)
    assert_allclose(out, wanted, rtol=1e-9, atol=1e-15)


def test_expected_cells_as_on_the_cpu(launcher):
    """Where probabilities of all counts would be too many, the CPU's sums are the reference."""
    from gpumetrics.backends.expected_cells import Cells
    from gpumetrics.backends.numpy_emi import _mean_values
    from gpumetrics.statistics.integers import divide_product

    n = 10**9
    a, b = (part.ravel() for part in np.meshgrid([2, 1000, 10**6, 4 * 10**8], [1, 50_000, 2 * 10**6]))
    cells = Cells(n, a, b, np.ones_like(a), *divide_product(a, b, n))
    cells = cells.at(cells.mean < 1 << 21)
    start, out = cells.range()[2], np.empty(len(cells))
    laws = (cells.a, cells.b, start, cells.whole.astype(np.float64), cells.rest, cells.reach())
    launcher.threads("expected_cells", len(cells), *laws, len(cells), n, np.int32(0), out)
    assert_allclose(out, _mean_values(cells, log_counts=False), rtol=1e-11)


@pytest.mark.parametrize(("n", "n_a", "n_b"), [(1, 1, 1), (1000, 2, 3), (5000, 90, 91), (3001, 40, 33), (10, 4096, 2)])
def test_joint_counts(launcher, n, n_a, n_b):
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, n_a, n), rng.integers(0, n_b, n)
    a[-1], b[-1] = n_a - 1, n_b - 1
    table = np.zeros(n_a * n_b, dtype=np.int64)
    launcher.threads("joint_counts", min(n, 700), a, b, n, n_b, n_a * n_b, table)
    assert_array_equal(table, np.bincount(a * n_b + b, minlength=n_a * n_b))
